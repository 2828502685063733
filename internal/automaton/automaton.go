// Package automaton makes automata from the grammars of URIs as the RFCs print them, and from an automaton a test suite
// that is complete. Only tests use it.
//
// The grammar of RFC 3986 is regular, so for each rule there is a minimal automaton of finitely many states, which tells for
// every text whether it is of the rule, and how much of it begins some text of the rule. It is made in three steps, each by
// its textbook: from the ABNF an automaton of many ways ([Thompson]), from this one of a single way (by sets of states), and
// from that the smallest one (by refining a partition, [Moore]).
//
// From the minimal automaton, [DFA.Suite] makes the texts of the Wp method, which find each fault that a scanner can have
// whose own automaton has no more states: no text is accepted or rejected wrongly if none of the suite is.
//
// [Thompson]: https://doi.org/10.1145/363347.363387
// [Moore]: https://doi.org/10.1515/9781400882618-006
package automaton

import (
	"embed"
	"fmt"
	"maps"
	"path"
)

//go:embed testdata/*.abnf
var files embed.FS

// URI returns the rules of RFC 3986, and those for request targets and the Host field of RFC 9110 and RFC 9112.
func URI() Grammar { return read("rfc3986", "rfc5234", "rfc9110", "rfc9112") }

// LenientURI returns the same rules with those changed that a lenient scan changes.
func LenientURI() Grammar {
	g := URI()
	maps.Copy(g, read("lenient"))
	return g
}

func read(names ...string) Grammar {
	g := Grammar{}
	for _, name := range names {
		text, err := files.ReadFile(path.Join("testdata", name+".abnf"))
		if err == nil {
			err = g.Read(string(text))
		}
		if err != nil {
			panic(fmt.Errorf("%s: %w", name, err))
		}
	}
	return g
}
