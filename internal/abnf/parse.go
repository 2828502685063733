package abnf

import (
	"fmt"
	"strconv"
	"strings"
)

// Add parses rules in ABNF and adds them to g.
//
// A rule begins at the start of a line. Lines that begin with a space continue it. A rule may precede the
// rules that it refers to. Prose refers to a rule: both <pchar> and <pchar, see [URI], Section 3.3> are
// pchar.
//
// The grammars of URIs need no incremental alternatives, no tabs, and no numbers other than %xHH and %xHH-HH.
// Add returns an error for these, for anything else that it cannot parse, and for a rule that g already has.
// The error begins with the number of the line.
func (g Grammar) Add(text string) (err error) {
	p := &parser{text: strings.ReplaceAll(text, "\r\n", "\n")}
	defer func() {
		switch problem := recover().(type) {
		case nil:
		case fault:
			err = fmt.Errorf("line %d: %s", 1+strings.Count(p.text[:p.at], "\n"), string(problem))
		default:
			panic(problem)
		}
	}()
	for p.blank(); p.at < len(p.text); p.blank() {
		p.rule(g)
	}
	return nil
}

// A parser has a method for each rule of RFC 5234 section 4 that it needs. They panic with a fault.
type parser struct {
	text string
	at   int
}

type fault string

// rule = rulename defined-as elements c-nl
func (p *parser) rule(g Grammar) {
	name := p.name()
	if g[name] != nil {
		panic(fault("second definition of " + name))
	}
	p.space()
	p.expect('=')
	p.space()
	g[name] = p.alternation()
	if p.at < len(p.text) && p.peek() != '\n' {
		panic(fault(fmt.Sprintf("%q where the rule should end", p.peek())))
	}
}

// alternation = concatenation *(*c-wsp "/" *c-wsp concatenation)
func (p *parser) alternation() Expression {
	all := Alternation{p.concatenation()}
	for p.take("/") {
		p.space()
		all = append(all, p.concatenation())
	}
	if len(all) == 1 {
		return all[0]
	}
	return all
}

// concatenation = repetition *(1*c-wsp repetition)
//
// It also skips the space that follows.
func (p *parser) concatenation() Expression {
	all := Concatenation{p.repetition()}
	for p.space(); strings.IndexByte("/)]\n\x00", p.peek()) < 0; p.space() {
		all = append(all, p.repetition())
	}
	if len(all) == 1 {
		return all[0]
	}
	return all
}

// repetition = [repeat] element
// repeat     = 1*DIGIT / (*DIGIT "*" *DIGIT)
func (p *parser) repetition() Expression {
	least, found := p.number(0)
	most := least
	if p.take("*") {
		most, _ = p.number(Unbounded)
	} else if !found {
		return p.element()
	}
	if most < least {
		panic(fault(fmt.Sprintf("at least %d but at most %d", least, most)))
	}
	return Repetition{least, most, p.element()}
}

// element = rulename / group / option / char-val / num-val / prose-val
func (p *parser) element() Expression {
	switch {
	case p.take("("):
		return p.enclosed(')')
	case p.take("["):
		return Option{p.enclosed(']')}
	case p.take(`"`):
		return Literal(p.until('"'))
	case p.take("%x"):
		low := p.octet()
		high := low
		if p.take("-") {
			high = p.octet()
		}
		if high < low {
			panic(fault(fmt.Sprintf("no octet from %#x to %#x", low, high)))
		}
		return Range{low, high}
	case p.take("<"):
		name := p.name()
		if rest := p.until('>'); rest != "" && rest[0] != ',' {
			panic(fault("prose that names no rule"))
		}
		return Reference(name)
	}
	return Reference(p.name())
}

// group  = "(" *c-wsp alternation *c-wsp ")"
// option = "[" *c-wsp alternation *c-wsp "]"
func (p *parser) enclosed(end byte) Expression {
	p.space()
	inner := p.alternation()
	p.expect(end)
	return inner
}

// rulename = ALPHA *(ALPHA / DIGIT / "-")
func (p *parser) name() string {
	start := p.at
	for isLetter(p.peek()) || p.at > start && (isDigit(p.peek()) || p.peek() == '-') {
		p.at++
	}
	if p.at == start {
		panic(fault(fmt.Sprintf("%q where a name should be", p.peek())))
	}
	return p.text[start:p.at]
}

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }
func isDigit(b byte) bool  { return '0' <= b && b <= '9' }

// number returns the number at this point, or otherwise if there is none, and reports whether there is one.
func (p *parser) number(otherwise int) (n int, found bool) {
	for ; isDigit(p.peek()); p.at++ {
		n = n*10 + int(p.peek()-'0')
		found = true
	}
	if !found {
		n = otherwise
	}
	return n, found
}

// octet returns the value of the two hexadecimal digits at this point.
func (p *parser) octet() byte {
	digits := p.text[p.at:min(p.at+2, len(p.text))]
	n, err := strconv.ParseUint(digits, 16, 8)
	if err != nil || len(digits) < 2 {
		panic(fault(fmt.Sprintf("%q where two hexadecimal digits should be", digits)))
	}
	p.at += 2
	return byte(n)
}

// peek returns the byte at this point, or 0 at the end.
func (p *parser) peek() byte {
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// take skips s if the input continues with it, and reports whether it did.
func (p *parser) take(s string) bool {
	if !strings.HasPrefix(p.text[p.at:], s) {
		return false
	}
	p.at += len(s)
	return true
}

func (p *parser) expect(b byte) {
	if p.peek() != b {
		panic(fault(fmt.Sprintf("%q where %q should be", p.peek(), b)))
	}
	p.at++
}

// until returns the printable text before the next b, and skips both.
func (p *parser) until(b byte) string {
	start := p.at
	for p.peek() != b {
		if p.peek() < ' ' || p.peek() > '~' {
			panic(fault(fmt.Sprintf("%q where %q should be", p.peek(), b)))
		}
		p.at++
	}
	p.at++
	return p.text[start : p.at-1]
}

// space skips spaces and comments, and the end of a line if the next line continues the rule.
//
//	c-wsp = WSP / (c-nl WSP)
//	c-nl  = comment / CRLF
func (p *parser) space() {
	for p.take(" ") || p.take("\n ") || p.comment() {
	}
}

// comment = ";" *(WSP / VCHAR) CRLF
//
// It skips the comment at this point, up to the end of the line, and reports whether there was one.
func (p *parser) comment() bool {
	if p.peek() != ';' {
		return false
	}
	for p.at < len(p.text) && p.peek() != '\n' {
		p.at++
	}
	return true
}

// blank skips lines that contain only spaces and comments.
func (p *parser) blank() {
	for p.space(); p.take("\n"); p.space() {
	}
}
