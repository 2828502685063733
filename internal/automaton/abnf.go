package automaton

import (
	"fmt"
	"math"
	"strings"
)

// An expression is the right-hand side of a rule, or a part of it.
type expression interface {
	// build adds states to the automaton that lead from the state given to the one returned by every text of the
	// expression, and by no other.
	build(n *nfa, from int) (to int)
}

type (
	octets        [256]bool // any one of these
	concatenation []expression
	alternation   []expression
	repetition    struct {
		min, max int // max is unbounded where there is no limit
		of       expression
	}
	reference struct {
		to   Grammar
		name string
	}
)

const unbounded = math.MaxInt

// A Grammar holds the right-hand sides of rules by name. Names have case here, though not in RFC 5234: the Host field of
// RFC 9110 is not the host of RFC 3986.
type Grammar map[string]expression

// Read adds the rules of a text in ABNF to the grammar. A rule begins where a line does; lines that begin with white space
// continue it. Rules may be used before they are defined.
func (g Grammar) Read(text string) (err error) {
	r := &reader{grammar: g, text: text}
	defer func() {
		if problem := recover(); problem != nil {
			line := 1 + strings.Count(text[:r.at], "\n")
			err = fmt.Errorf("line %d: %v", line, problem)
		}
	}()
	for r.blank(); r.at < len(text); r.blank() {
		r.rule()
	}
	return nil
}

// A reader reads ABNF by RFC 5234 section 4, a method for each rule of it, without incremental alternatives, terminals
// other than in hexadecimal, and tabs, which the grammars of URIs do not have.
type reader struct {
	grammar Grammar
	text    string
	at      int
}

// rule = rulename defined-as elements c-nl
func (r *reader) rule() {
	name := r.name()
	r.space()
	r.expect('=')
	r.space()
	if r.grammar[name] != nil {
		panic("second definition of " + name)
	}
	r.grammar[name] = r.alternation()
	if r.at < len(r.text) && r.text[r.at] != '\n' {
		panic(fmt.Sprintf("%q where a rule should end", r.text[r.at]))
	}
}

// alternation = concatenation *(*c-wsp "/" *c-wsp concatenation)
func (r *reader) alternation() expression {
	all := alternation{r.concatenation()}
	for r.take("/") {
		r.space()
		all = append(all, r.concatenation())
	}
	return all
}

// concatenation = repetition *(1*c-wsp repetition)
func (r *reader) concatenation() expression {
	all := concatenation{r.repetition()}
	for r.space(); !strings.ContainsRune("/)]\n\x00", rune(r.peek())); r.space() {
		all = append(all, r.repetition())
	}
	return all
}

// repetition = [repeat] element
// repeat     = 1*DIGIT / (*DIGIT "*" *DIGIT)
func (r *reader) repetition() expression {
	least, given := r.number(0)
	most := least
	if r.take("*") {
		most, _ = r.number(unbounded)
	} else if !given {
		return r.element()
	}
	return repetition{least, most, r.element()}
}

// element = rulename / group / option / char-val / num-val / prose-val
func (r *reader) element() expression {
	switch {
	case r.take("("):
		return r.enclosed(')')
	case r.take("["):
		return repetition{0, 1, r.enclosed(']')}
	case r.take(`"`):
		return quoted(r.until('"'))
	case r.take("%x"):
		low := r.hex()
		high := low
		if r.take("-") {
			high = r.hex()
		}
		var set octets
		for b := low; b <= high; b++ {
			set[b] = true
		}
		return &set
	case r.take("<"):
		// Prose names a rule here, and may go on to say where it is: <host, see [URI], Section 3.2.2>.
		name, _, _ := strings.Cut(r.until('>'), ",")
		return reference{r.grammar, name}
	}
	return reference{r.grammar, r.name()}
}

func (r *reader) enclosed(end byte) expression {
	r.space()
	inner := r.alternation()
	r.space()
	r.expect(end)
	return inner
}

// quoted is text in quotes, which has no case (RFC 5234 section 2.3).
func quoted(text string) expression {
	var all concatenation
	for i := range len(text) {
		var set octets
		set[strings.ToLower(text[i : i+1])[0]] = true
		set[strings.ToUpper(text[i : i+1])[0]] = true
		all = append(all, &set)
	}
	return all
}

// rulename = ALPHA *(ALPHA / DIGIT / "-")
func (r *reader) name() string {
	start := r.at
	for isName(r.peek()) {
		r.at++
	}
	if r.at == start {
		panic(fmt.Sprintf("%q where a name should be", r.peek()))
	}
	return r.text[start:r.at]
}

func isName(b byte) bool {
	return 'a' <= b|0x20 && b|0x20 <= 'z' || '0' <= b && b <= '9' || b == '-'
}

// number returns the number here, or the one given if there is none.
func (r *reader) number(otherwise int) (n int, given bool) {
	for ; '0' <= r.peek() && r.peek() <= '9'; r.at++ {
		n = n*10 + int(r.peek()-'0')
		given = true
	}
	if !given {
		n = otherwise
	}
	return n, given
}

func (r *reader) hex() (n int) {
	digits := r.text[r.at:min(len(r.text), r.at+2)]
	if _, err := fmt.Sscanf(digits, "%02x", &n); err != nil {
		panic(fmt.Sprintf("%q where two hexadecimal digits should be", digits))
	}
	r.at += 2
	return n
}

// peek returns the byte here, 0 at the end.
func (r *reader) peek() byte {
	if r.at == len(r.text) {
		return 0
	}
	return r.text[r.at]
}

// take goes over s, if it is here.
func (r *reader) take(s string) bool {
	if !strings.HasPrefix(r.text[r.at:], s) {
		return false
	}
	r.at += len(s)
	return true
}

func (r *reader) expect(b byte) {
	if r.peek() != b {
		panic(fmt.Sprintf("%q where %q should be", r.peek(), b))
	}
	r.at++
}

// until goes over what stands before the byte, and over the byte.
func (r *reader) until(b byte) string {
	before, _, found := strings.Cut(r.text[r.at:], string(b))
	if !found {
		panic(fmt.Sprintf("no %q", b))
	}
	r.at += len(before) + 1
	return before
}

// space goes over white space and comments, also to the next line if that continues the rule.
//
//	c-wsp = WSP / (c-nl WSP)
//	c-nl  = comment / CRLF
func (r *reader) space() {
	for {
		switch {
		case r.take(" "), r.take("\n "):
		case r.peek() == ';':
			r.at += len(r.line())
		default:
			return
		}
	}
}

// line returns what is left of the line.
func (r *reader) line() string {
	line, _, _ := strings.Cut(r.text[r.at:], "\n")
	return line
}

// blank goes over lines that have nothing but white space and comments.
func (r *reader) blank() {
	for r.space(); r.take("\n"); r.space() {
	}
}
