// Package automaton makes automata from the grammars of URIs, and from an automaton a complete test suite. Only tests
// use it.
//
// The grammar of RFC 3986 is regular. So each rule has a minimal automaton of finitely many states, which decides for
// every text whether the rule matches it, and how much of it begins a text that the rule matches. The package makes it
// in three steps, each by its textbook: from the ABNF an automaton that follows many ways at once ([Thompson]), from
// this one an automaton that follows one (by sets of states), and from that the smallest one (by refining a partition,
// [Moore]).
//
// From the minimal automaton, [DFA.Suite] makes the texts of the Wp method. They find every fault of a scanner whose
// own automaton has no more states: if it judges all texts of the suite correctly, it judges every text correctly.
//
// [Thompson]: https://doi.org/10.1145/363347.363387
// [Moore]: https://doi.org/10.1515/9781400882618-006
package automaton

import "github.com/seed-56a50ac9/uri/internal/abnf"

// A Grammar has rules that can be compiled.
type Grammar abnf.Grammar

// URI returns the grammar of [abnf.URI].
func URI() Grammar { return Grammar(abnf.URI()) }

// LenientURI returns the grammar of [abnf.LenientURI].
func LenientURI() Grammar { return Grammar(abnf.LenientURI()) }
