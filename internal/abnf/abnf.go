// Package abnf holds the grammars of URIs as the RFCs print them, and parses them into syntax trees. Only
// tests use it.
//
// Two engines judge the scanner by these trees: the slow twin in slow_test.go, which follows them through an
// input, and package automaton, which compiles them. The engines share the trees and nothing else. So a tree
// contains only what a rule says, and each engine interprets it: looking up names and ignoring the case of
// literals is up to the engine.
package abnf

import (
	"embed"
	"fmt"
	"maps"
	"math"
)

// A Grammar holds the right-hand sides of rules by name. Names are case-sensitive here, though not in RFC
// 5234: the Host field of RFC 9110 is not the host of RFC 3986.
type Grammar map[string]Expression

// An Expression is the right-hand side of a rule or a part of one. Its type is one of those below. An
// Alternation or a Concatenation has at least two elements.
type Expression interface{ isExpression() }

type (
	Alternation   []Expression // any one of these
	Concatenation []Expression // all of these in order
	Repetition    struct {
		Min, Max int // number of times; Max may be Unbounded
		Of       Expression
	}
	Option    struct{ Of Expression }  // Of or nothing
	Literal   string                   // case-insensitive: RFC 5234 section 2.3
	Range     struct{ Low, High byte } // any one octet from Low to High
	Reference string                   // the name of a rule, and matches what that rule does
)

// Unbounded is the Max of a Repetition without an upper limit.
const Unbounded = math.MaxInt

func (Alternation) isExpression()   {}
func (Concatenation) isExpression() {}
func (Repetition) isExpression()    {}
func (Option) isExpression()        {}
func (Literal) isExpression()       {}
func (Range) isExpression()         {}
func (Reference) isExpression()     {}

//go:embed *.abnf
var files embed.FS

// URI returns the rules of RFC 3986, and those of RFC 9110 and RFC 9112 for request targets and the Host
// field.
func URI() Grammar { return read("rfc3986", "rfc5234", "rfc9110", "rfc9112") }

// LenientURI returns the rules of URI, except for the rules that a lenient scan replaces.
func LenientURI() Grammar {
	g := URI()
	maps.Copy(g, read("lenient"))
	return g
}

// read returns the rules of the named files. Each rule has one definition in them.
func read(names ...string) Grammar {
	g := Grammar{}
	for _, name := range names {
		text, err := files.ReadFile(name + ".abnf")
		if err == nil {
			err = g.Add(string(text))
		}
		if err != nil {
			panic(fmt.Errorf("%s.abnf: %w", name, err))
		}
	}
	return g
}
