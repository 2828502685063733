package abnf

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Both judges of the scanner trust the parser. So its tests have a row for each construct, list the names of
// all rules, and format each tree and compare the result with its source.

// TestAdd has a row for each construct.
func TestAdd(t *testing.T) {
	a, b, c := Reference("a"), Literal("b"), Range{'c', 'c'}
	for text, want := range map[string]Expression{
		`a`:                       a,
		`A-1z`:                    Reference("A-1z"),
		`<a>`:                     a,
		`<a, see [URI], Part 3>`:  a,
		`"b"`:                     b,
		`"B c;/%x1(*"`:            Literal("B c;/%x1(*"),
		`" ~"`:                    Literal(" ~"),
		`""`:                      Literal(""),
		`%x63`:                    c,
		`%x00-ff`:                 Range{0, 0xFF},
		`%x41-5A`:                 Range{0x41, 0x5A},
		`a "b" %x63`:              Concatenation{a, b, c},
		`a / "b" / %x63`:          Alternation{a, b, c},
		`a "b" / %x63 a`:          Alternation{Concatenation{a, b}, Concatenation{c, a}},
		`a / "b" %x63 / a`:        Alternation{a, Concatenation{b, c}, a},
		`( a )`:                   a,
		`(a)`:                     a,
		`( a / "b" ) %x63`:        Concatenation{Alternation{a, b}, c},
		`a ("b"/%x63)`:            Concatenation{a, Alternation{b, c}},
		`a / ( "b" / %x63 )`:      Alternation{a, Alternation{b, c}},
		`a ( "b" %x63 )`:          Concatenation{a, Concatenation{b, c}},
		`a / ( "b" %x63 )`:        Alternation{a, Concatenation{b, c}},
		`[ a ]`:                   Option{a},
		`[a "b"] %x63`:            Concatenation{Option{Concatenation{a, b}}, c},
		`[ a / [ "b" ] ]`:         Option{Alternation{a, Option{b}}},
		`*a`:                      Repetition{0, Unbounded, a},
		`1*a`:                     Repetition{1, Unbounded, a},
		`*2a`:                     Repetition{0, 2, a},
		`2*30a`:                   Repetition{2, 30, a},
		`3*3a`:                    Repetition{3, 3, a},
		`19a`:                     Repetition{19, 19, a},
		`0a`:                      Repetition{0, 0, a},
		`0<a>`:                    Repetition{0, 0, a},
		`*"b" a`:                  Concatenation{Repetition{0, Unbounded, b}, a},
		`a / *"b"`:                Alternation{a, Repetition{0, Unbounded, b}},
		`2( a "b" ) %x63`:         Concatenation{Repetition{2, 2, Concatenation{a, b}}, c},
		`1*( a / "b" )`:           Repetition{1, Unbounded, Alternation{a, b}},
		`[ *2( a "b" ) ]`:         Option{Repetition{0, 2, Concatenation{a, b}}},
		`*[ a ]`:                  Repetition{0, Unbounded, Option{a}},
		`a ; "b"`:                 a,
		`a; "b"` + "\n  / %x63;":  Alternation{a, c},
		"\n a\n\n; comment":       a,
		"( ; comment\n a ; )\n )": a,
		"a\r\n / \"b\"\r\n":       Alternation{a, b},
	} {
		g := Grammar{}
		if assert.NoError(t, g.Add("; comment\n\nrule="+text+"\nother = \"x\"\n"), text) {
			assert.Equal(t, Grammar{"rule": want, "other": Literal("x")}, g, text)
		}
	}
}

// TestAddEnds has input whose last line has no line end.
func TestAddEnds(t *testing.T) {
	for text, want := range map[string]Grammar{
		"":                   {},
		"; comment":          {},
		"rule = a":           {"rule": Reference("a")},
		"rule = a ; comment": {"rule": Reference("a")},
	} {
		g := Grammar{}
		assert.NoError(t, g.Add(text), "%q", text)
		assert.Equal(t, want, g, "%q", text)
	}
}

// TestAddFaults has a row for each fault, and for each construct that the grammars of URIs do not need.
func TestAddFaults(t *testing.T) {
	for text, want := range map[string]string{
		"rule = a\nb":                  `line 2: '\x00' where '=' should be`,
		"rule =\n":                     `line 1: '\n' where a name should be`,
		"rule = a\n\n\n !":             `line 4: '!' where a name should be`,
		"rule = a\n\n; comment\n / b":  `line 4: '/' where a name should be`,
		"1a = b":                       `line 1: '1' where a name should be`,
		"-a = b":                       `line 1: '-' where a name should be`,
		"rule = a\nrule = b":           `line 2: second definition of rule`,
		"known = a":                    `line 1: second definition of known`,
		"rule =/ a":                    `line 1: '/' where a name should be`,
		"rule = a{":                    `line 1: '{' where a name should be`,
		"rule = a /":                   `line 1: '\x00' where a name should be`,
		"rule = a\n\t/ b":              `line 2: '\t' where a name should be`,
		"rule = a\n b\n = c":           `line 3: '=' where a name should be`,
		"rule = ( a\nb = c":            `line 1: '\n' where ')' should be`,
		"rule = [ a )":                 `line 1: ')' where ']' should be`,
		"rule = a ]":                   `line 1: ']' where the rule should end`,
		"rule = a )":                   `line 1: ')' where the rule should end`,
		"rule = a\x00b":                `line 1: '\x00' where the rule should end`,
		"rule = ()":                    `line 1: ')' where a name should be`,
		"rule = \"a\nb = \"c\"":        `line 1: '\n' where '"' should be`,
		"rule = \"a":                   `line 1: '\x00' where '"' should be`,
		"rule = \"\x7F\"":              `line 1: '\x7f' where '"' should be`,
		"rule = <a\nb = <c>":           `line 1: '\n' where '>' should be`,
		"rule = <a b>":                 `line 1: prose that names no rule`,
		"rule = <>":                    `line 1: '>' where a name should be`,
		"rule = * a":                   `line 1: ' ' where a name should be`,
		"rule = 3*2a":                  `line 1: at least 3 but at most 2`,
		"rule = %x4":                   `line 1: "4" where two hexadecimal digits should be`,
		"rule = %xg0":                  `line 1: "g0" where two hexadecimal digits should be`,
		"rule = %x41-":                 `line 1: "" where two hexadecimal digits should be`,
		"rule = %x42-41":               `line 1: no octet from 0x42 to 0x41`,
		"rule = %x41.42":               `line 1: '.' where a name should be`,
		"rule = %d65":                  `line 1: '%' where a name should be`,
		"rule = a ; b\n / c ; d\n / )": `line 3: ')' where a name should be`,
	} {
		assert.EqualError(t, Grammar{"known": Literal("")}.Add(text), want, "%q", text)
	}
}

// TestRules lists the names of the rules in each file. RFC 3986 Appendix A has 36.
func TestRules(t *testing.T) {
	for file, names := range map[string]string{
		"rfc3986": `URI hier-part URI-reference absolute-URI relative-ref relative-part scheme authority userinfo
			host port IP-literal IPvFuture IPv6address h16 ls32 IPv4address dec-octet reg-name path path-abempty
			path-absolute path-noscheme path-rootless path-empty segment segment-nz segment-nz-nc pchar query
			fragment pct-encoded unreserved reserved gen-delims sub-delims`,
		"rfc5234": "ALPHA DIGIT HEXDIG",
		"rfc9110": "uri-host absolute-path Host",
		"rfc9112": "origin-form authority-form asterisk-form",
		"lenient": "pchar segment-nz-nc query fragment",
	} {
		assert.ElementsMatch(t, strings.Fields(names), slices.Collect(maps.Keys(read(file))), file)
	}
	assert.Len(t, read("rfc3986"), 36)
	assert.Len(t, URI(), 36+3+3+3)
	for name, rule := range LenientURI() {
		strict := URI()[name]
		assert.Equal(t, read("lenient")[name] == nil, assert.ObjectsAreEqual(strict, rule), name)
	}
	const problem = "rfc5234.abnf: line 3: second definition of ALPHA"
	assert.PanicsWithError(t, problem, func() { read("rfc5234", "rfc5234") })
	assert.Panics(t, func() { read("rfc0") })
}

// TestReferences follows all references. Each must lead to a rule of the grammar, and none back to a rule on
// the path to it.
func TestReferences(t *testing.T) {
	for _, g := range []Grammar{URI(), LenientURI()} {
		var follow func(e Expression, from ...string)
		follow = func(e Expression, from ...string) {
			switch e := e.(type) {
			case Alternation:
				for _, part := range e {
					follow(part, from...)
				}
			case Concatenation:
				for _, part := range e {
					follow(part, from...)
				}
			case Repetition:
				follow(e.Of, from...)
			case Option:
				follow(e.Of, from...)
			case Reference:
				require.Contains(t, g, string(e), "%s", from)
				require.NotContains(t, from, string(e))
				follow(g[string(e)], append(from, string(e))...)
			}
		}
		for name := range g {
			follow(Reference(name))
		}
	}
}

// The rules of a file and the tokens of a rule, for regular expressions.
var (
	ruleText  = regexp.MustCompile(`(?m)^([A-Za-z][\w-]*) *= *(.*(?:\n +.*)*)`)
	tokenText = regexp.MustCompile(`;.*|"[^"]*"|%x[\w-]+|[A-Za-z][\w-]*|[0-9]*\*[0-9]*|[0-9]+|[][()/]`)
	proseText = regexp.MustCompile(`<([\w-]+)[^>]*>`)
)

// TestFormat formats the tree of each rule. The tokens must be the same as in the file.
func TestFormat(t *testing.T) {
	tokens := func(text string) (all []string) {
		assert.Empty(t, strings.TrimSpace(tokenText.ReplaceAllString(text, "")), "no tokens")
		for _, token := range tokenText.FindAllString(text, -1) {
			if token[0] != ';' {
				all = append(all, token)
			}
		}
		return all
	}
	for _, file := range []string{"rfc3986", "rfc5234", "rfc9110", "rfc9112", "lenient"} {
		content, err := files.ReadFile(file + ".abnf")
		require.NoError(t, err)
		text := proseText.ReplaceAllString(string(content), "$1")
		// A tree keeps no redundant group. This rule has the only one.
		text = strings.Replace(text, `ls32          = ( h16 ":" h16 ) /`, `ls32          = h16 ":" h16 /`, 1)

		g := read(file)
		for _, rule := range ruleText.FindAllStringSubmatch(text, -1) {
			assert.Equal(t, tokens(rule[2]), tokens(format(g[rule[1]])), "%s: %s", file, rule[1])
			delete(g, rule[1])
		}
		assert.Empty(t, g, "rules that are not in %s", file)
		assert.Empty(t, tokens(ruleText.ReplaceAllString(text, "")), "outside of the rules of %s", file)
	}
}

// format returns the ABNF of a tree.
func format(e Expression) string {
	var all []string
	switch e := e.(type) {
	case Alternation:
		for _, part := range e {
			all = append(all, group(part, false))
		}
		return strings.Join(all, " / ")
	case Concatenation:
		for _, part := range e {
			all = append(all, group(part, true))
		}
		return strings.Join(all, " ")
	case Repetition:
		least, most := fmt.Sprint(e.Min), fmt.Sprint(e.Max)
		switch {
		case e.Min == e.Max:
			return most + group(e.Of, true)
		case e.Min == 0:
			least = ""
		}
		if e.Max == Unbounded {
			most = ""
		}
		return least + "*" + most + group(e.Of, true)
	case Option:
		return "[ " + format(e.Of) + " ]"
	case Literal:
		return `"` + string(e) + `"`
	case Range:
		if e.Low == e.High {
			return fmt.Sprintf("%%x%02X", e.Low)
		}
		return fmt.Sprintf("%%x%02X-%02X", e.Low, e.High)
	case Reference:
		return string(e)
	}
	panic(fmt.Sprintf("no ABNF of a %T", e))
}

// group formats a part of an expression. It adds parentheses if the part is an alternation, or if the part is
// a concatenation and the expression binds as tightly as that.
func group(part Expression, closely bool) string {
	_, alternation := part.(Alternation)
	_, concatenation := part.(Concatenation)
	if alternation || concatenation && closely {
		return "( " + format(part) + " )"
	}
	return format(part)
}
