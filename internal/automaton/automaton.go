// Package automaton compiles rules of the grammars of URIs into automata, and generates complete test suites
// from these. Only tests use it.
//
// The grammar of RFC 3986 is regular, so each rule has a minimal automaton with finitely many states. The
// automaton decides for every string whether the rule matches it, and which prefix of it begins a string that
// the rule matches. The package constructs it in three steps. Thompson's construction turns the rule into a
// nondeterministic automaton ([Thompson]). The subset construction turns that into a deterministic one.
// Refining a partition of its states turns that into the smallest one ([Moore]).
//
// From the minimal automaton, [DFA.Suite] generates the strings of the Wp method. They find every fault of a
// scanner whose own automaton has no more states: if the scanner judges all strings of the suite correctly,
// it judges every string correctly.
//
// [Thompson]: https://doi.org/10.1145/363347.363387
// [Moore]: https://doi.org/10.1515/9781400882618-006
package automaton

import "github.com/seed-56a50ac9/uri/internal/abnf"

// A Grammar is an [abnf.Grammar] that compiles its rules.
type Grammar abnf.Grammar

// URI returns the grammar of [abnf.URI].
func URI() Grammar { return Grammar(abnf.URI()) }

// LenientURI returns the grammar of [abnf.LenientURI].
func LenientURI() Grammar { return Grammar(abnf.LenientURI()) }
