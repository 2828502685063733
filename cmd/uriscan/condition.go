package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A condition decides whether a record is selected.
type condition func(r *record) bool

// The grammar of conditions:
//
//	any        = all *( "||" all )
//	all        = one *( "&&" one )
//	one        = "!" one / "(" any ")" / field [ operator value ]
//	operator   = "=" / "!=" / "~" / "!~" / "<" / "<=" / ">" / ">="
//	value      = quoted / what ends before a space, a "(", a ")", "&&" or "||"

// maxDepth limits how deep conditions are nested.
const maxDepth = 100

// parseWhere returns the condition that the text describes, or nil if there is none.
func parseWhere(text string) (condition, error) {
	if text == "" {
		return nil, nil
	}
	p := &whereParser{text: text}
	c, err := p.any()
	if p.space(); err == nil && p.at < len(text) {
		err = errors.New(`expected "&&", "||" or the end`)
	}
	if err != nil {
		return nil, fmt.Errorf("--where, offset %d: %w", p.at, err)
	}
	return c, nil
}

type whereParser struct {
	text  string
	at    int // what is before has been parsed
	depth int
}

func (p *whereParser) space() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
}

// take skips spaces and the token, if it is next.
func (p *whereParser) take(token string) bool {
	p.space()
	if strings.HasPrefix(p.text[p.at:], token) {
		p.at += len(token)
		return true
	}
	return false
}

func (p *whereParser) any() (condition, error) {
	return p.chain("||", p.all, func(a, b condition) condition {
		return func(r *record) bool { return a(r) || b(r) }
	})
}

func (p *whereParser) all() (condition, error) {
	return p.chain("&&", p.one, func(a, b condition) condition {
		return func(r *record) bool { return a(r) && b(r) }
	})
}

// chain parses operands with an operator between them.
func (p *whereParser) chain(
	operator string, operand func() (condition, error), join func(a, b condition) condition,
) (condition, error) {
	c, err := operand()
	for err == nil && p.take(operator) {
		var next condition
		if next, err = operand(); err == nil {
			c = join(c, next)
		}
	}
	return c, err
}

func (p *whereParser) one() (condition, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, errors.New("nested too deeply")
	}
	defer func() { p.depth-- }()
	if p.take("!") {
		c, err := p.one()
		if err != nil {
			return nil, err
		}
		return func(r *record) bool { return !c(r) }, nil
	}
	if p.take("(") {
		c, err := p.any()
		if err == nil && !p.take(")") {
			err = errors.New(`expected ")"`)
		}
		return c, err
	}
	return p.comparison()
}

func (p *whereParser) comparison() (condition, error) {
	start := p.at
	for p.at < len(p.text) && strings.IndexByte(" \t=!~<>()&|", p.text[p.at]) < 0 {
		p.at++
	}
	name := p.text[start:p.at]
	if name == "" {
		return nil, errors.New("expected a field")
	}
	f, err := fieldOf(name)
	if err != nil {
		p.at = start
		return nil, err
	}
	for _, operator := range []string{"!=", "!~", "<=", ">=", "=", "~", "<", ">"} {
		if !p.take(operator) {
			continue
		}
		start := p.at
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		c, err := compare(f, operator, value)
		if err != nil {
			p.at = start
		}
		return c, err
	}
	return f.any(func(value []byte) bool { return f.kind != booleanKind || string(value) == "true" }), nil
}

// value parses a value, which may be in quotes.
func (p *whereParser) value() (string, error) {
	p.space()
	rest := p.text[p.at:]
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		end := strings.IndexByte(rest[1:], rest[0])
		if end < 0 {
			return "", errors.New("the quotation mark is not closed")
		}
		p.at += 1 + end + 1
		return rest[1 : 1+end], nil
	}
	end := 0
	for end < len(rest) && strings.IndexByte(" \t()", rest[end]) < 0 &&
		!strings.HasPrefix(rest[end:], "&&") && !strings.HasPrefix(rest[end:], "||") {
		end++
	}
	if end == 0 {
		return "", errors.New(`expected a value; write "" for an empty one`)
	}
	p.at += end
	return rest[:end], nil
}

// any returns the condition that the value, or an item of the list, is present and passes the test.
func (f *field) any(test func(value []byte) bool) condition {
	if f.kind == listKind {
		list := f.list
		return func(r *record) bool {
			return slices.ContainsFunc(list(r), test)
		}
	}
	get := f.get
	return func(r *record) bool {
		value, present := get(r)
		return present && test(value)
	}
}

// compare returns the condition that a comparison describes.
func compare(f field, operator, value string) (condition, error) {
	switch operator {
	case "=":
		return f.any(equal(value, f.fold)), nil
	case "~":
		if f.fold {
			value = "(?i)" + value
		}
		pattern, err := regexp.Compile(value)
		if err != nil {
			return nil, err
		}
		return f.any(pattern.Match), nil
	case "!=", "!~":
		c, err := compare(f, operator[1:], value)
		if err != nil {
			return nil, err
		}
		return func(r *record) bool { return !c(r) }, nil
	}
	limit, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%s needs a number, not %q", operator, value)
	}
	return f.any(func(value []byte) bool {
		n, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil {
			return false
		}
		switch order := cmp.Compare(n, limit); operator {
		case "<":
			return order < 0
		case "<=":
			return order <= 0
		case ">":
			return order > 0
		default:
			return order >= 0
		}
	}), nil
}

// equal returns the test that a value equals the pattern, in which "*" is any text.
func equal(pattern string, fold bool) func([]byte) bool {
	if fold {
		pattern = strings.ToLower(pattern)
	}
	if !strings.Contains(pattern, "*") {
		want := []byte(pattern)
		if fold {
			return func(value []byte) bool { return bytes.EqualFold(value, want) }
		}
		return func(value []byte) bool { return bytes.Equal(value, want) }
	}
	return func(value []byte) bool { return matchGlob(pattern, value, fold) }
}

// matchGlob reports whether the value matches the pattern. If fold, the pattern is in lower case.
func matchGlob(pattern string, value []byte, fold bool) bool {
	star, retry := -1, 0 // the last "*", and where what follows it is tried next
	p := 0
	for i := 0; i < len(value); {
		c := value[i]
		if fold && c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, retry = p, i
			p++
		case p < len(pattern) && pattern[p] == c:
			p++
			i++
		case star >= 0:
			retry++
			p, i = star+1, retry
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
