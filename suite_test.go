package uri

import (
	"net/netip"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/seed-56a50ac9/uri/internal/automaton"
	"github.com/seed-56a50ac9/uri/internal/long"
)

// The grammar is regular, so a finite number of texts decides whether a scanner accepts what it should. The
// tests of this file put such texts to every level: the suites of internal/automaton, which are complete, and
// the same texts blown up so that what they turn on stands at every place of the first blocks. The minimal
// automaton is the judge of what is accepted and of where the fault is, and Appendix B of where the
// components are.

// The judges make garbage. To collect it less often takes a fifth off the time of the tests.
func init() { debug.SetGCPercent(400) }

// automata are those of the forms, the strict ones and the lenient ones.
var automata = sync.OnceValue(func() map[Form]*automaton.DFA {
	all := map[Form]*automaton.DFA{}
	strict, lenient := automaton.URI(), automaton.LenientURI()
	for form, rule := range formRuleName {
		all[form] = strict.Compile(rule)
		all[form|Lenient] = lenient.Compile(rule)
	}
	return all
})

// eachForm runs a test for each form, which returns the number of its texts.
func eachForm(t *testing.T, test func(t *testing.T, form Form, d *automaton.DFA) (texts int)) {
	for form := Reference; form <= HostField; form++ {
		for _, form := range []Form{form, form | Lenient} {
			t.Run(formName(form), func(t *testing.T) {
				t.Log(test(t, form, automata()[form]), "texts")
			})
		}
	}
}

func formName(form Form) string {
	if form&Lenient != 0 {
		return "lenient " + formRuleName[form&^Lenient]
	}
	return formRuleName[form]
}

// requireScan requires of every level that it says of s what the form's automaton and Appendix B do.
func requireScan(t *testing.T, form Form, d *automaton.DFA, s []byte) {
	match, viable := d.Match(s)
	var first View
	for i, level := range levels {
		level.use()
		v := View{view: view{offsets: stale}}
		err := v.Scan(form, s)
		switch {
		case i > 0:
			if v.offsets != first.offsets || v.src != first.src {
				t.Fatalf("level %s: %s %q: %v, not %v", level.name, formName(form), s, v.offsets, first.offsets)
			}
			continue
		case match == len(s):
			if err != nil || v.ErrorOffset() != -1 {
				t.Fatalf("%s %q: %v at %d, but it is valid", formName(form), s, err, v.ErrorOffset())
			}
			if got, want := spansOf(&v), slowSpans(form&^Lenient, text(s)); got != want || len(v.src) != len(s) {
				t.Fatalf("%s %q: components %v, not %v", formName(form), s, got, want)
			}
		default:
			if err == nil || v.ErrorOffset() != viable || int(v.match)-1 != match {
				t.Fatalf("%s %q: %v at %d after a match of %d, not a fault at %d after a match of %d",
					formName(form), s, err, v.ErrorOffset(), int(v.match)-1, viable, match)
			}
			if got := spansOf(&v); got != emptySpans || len(v.src) != 0 {
				t.Fatalf("%s %q: components %v in spite of %v", formName(form), s, got, err)
			}
		}
		first = v
	}
}

// spansOf returns the places of all components.
func spansOf(v *View) (spans [Fragment + 1][2]int) {
	for c := range spans {
		spans[c][0], spans[c][1] = v.Span(Component(c))
	}
	return spans
}

var emptySpans = slowSpans(Reference, "")

// TestSuite scans the texts of the Wp method. None of them is misjudged, so that only a scanner with at least
// two states more than the minimal automaton could misjudge any text (one more in the sample, three in
// hours): as far as it takes all bytes of a class alike, which is for TestEveryByte, and blocks for nothing
// but bytes, which is for TestPumped.
func TestSuite(t *testing.T) {
	eachForm(t, func(t *testing.T, form Form, d *automaton.DFA) (texts int) {
		extra := long.Sample(t, 0, 1, 2)
		var s []byte
		for word := range d.Suite(extra) {
			s = d.AppendText(s[:0], word, texts)
			requireScan(t, form, d, s)
			texts++
		}
		return texts
	})
}

// TestEveryByte takes every byte from every state, not one of each class only. The sample takes one of 32,
// another one from each state.
func TestEveryByte(t *testing.T) {
	stride := long.Sample(t, 32, 1)
	eachForm(t, func(t *testing.T, form Form, d *automaton.DFA) (texts int) {
		cover := d.Cover()
		_, identify := d.Characterize()
		var s []byte
		for state, access := range cover {
			for b := state % stride; b < 256; b += stride {
				for _, w := range identify[d.Next[state][d.Class[b]]] {
					s = d.AppendText(s[:0], access, texts)
					s = append(s, byte(b))
					s = d.AppendText(s, w, texts)
					requireScan(t, form, d, s)
					texts++
				}
			}
		}
		return texts
	})
}

// TestPumped blows up the texts of the suite: where bytes lead back to the state before them, any number of
// such bytes may stand, so what follows is at every place of the blocks. In hours all numbers from 0 to 130
// are tried, else every eighth or two of them, beginning with another one each time. The bytes are of one
// class or of all that there may be, by turns.
func TestPumped(t *testing.T) {
	const most = 2*blockSize + 2
	stride := long.Sample(t, 260, 8, 1)
	eachForm(t, func(t *testing.T, form Form, d *automaton.DFA) (texts int) {
		loops := make([][]byte, len(d.Next)) // the classes that lead from a state to itself
		for state, row := range d.Next {
			for c, to := range row {
				if to == state {
					loops[state] = append(loops[state], byte(c))
				}
			}
		}
		var blown, s []byte
		turn := 0
		for word := range d.Suite(0) {
			state, last := 0, -1
			for i := 0; i <= len(word); i++ {
				if classes := loops[state]; len(classes) > 0 && state != last {
					for count := turn % stride; count <= most; count += stride {
						blown = append(blown[:0], word[:i]...)
						for k := range count {
							blown = append(blown, classes[(turn+k*(texts&1))%len(classes)])
						}
						blown = append(blown, word[i:]...)
						s = d.AppendText(s[:0], blown, texts)
						requireScan(t, form, d, s)
						texts++
					}
					turn++
				}
				if last = state; i < len(word) {
					state = d.Next[state][word[i]]
				}
			}
		}
		return texts
	})
}

// TestExhaustive scans all texts up to a length that have one byte of each class.
func TestExhaustive(t *testing.T) {
	longest := long.Sample(t, 4, 5, 6)
	eachForm(t, func(t *testing.T, form Form, d *automaton.DFA) (texts int) {
		s := make([]byte, 0, longest)
		var extend func(s []byte)
		extend = func(s []byte) {
			requireScan(t, form, d, s)
			texts++
			if len(s) < longest {
				for _, members := range d.Members {
					extend(append(s, members[len(members)/2]))
				}
			}
		}
		extend(s)
		return texts
	})
}

// TestIPTokens scans all sequences of the tokens that addresses are made of, up to a number, as hosts. Beside
// the automaton there is net/netip, which reads the same addresses as RFC 3986 does, except for zones.
func TestIPTokens(t *testing.T) {
	d := automata()[Reference]
	more := long.Sample(t, -2, 0, 1)
	check := func(host, address string) {
		s := []byte("//" + host)
		requireScan(t, Reference, d, s)
		var v View
		addr, err := netip.ParseAddr(address)
		isAddr := v.Scan(Reference, s) == nil && (v.HostKind() == IPv4 || v.HostKind() == IPv6)
		want := err == nil && addr.Zone() == "" && addr.Is6() == (host != address)
		if isAddr != want || isAddr && v.Addr() != addr {
			t.Fatalf("%q: %v, %v is the address %v", host, isAddr, v.Addr(), addr)
		}
	}
	for _, row := range []struct {
		tokens string
		n      int
	}{
		{"a: : a 1.2.3.4", 9 + more},
		{"0 1: ffff :: 1.2.3.4", 7 + more},
		{"0 fffF 12345 : :: . 1.2.3.4 256 g", 5 + more},
		{"v V 1 aF . : :: ~ = % [ ] @", 4 + more},
	} {
		sequences(strings.Fields(row.tokens), row.n, func(s string) { check("["+s+"]", s) })
	}
	for _, row := range []struct {
		tokens string
		n      int
	}{
		{"0 1 2 5 6 .", 7 + more},
		{"0. 1. 10. 99. 199. 249. 255. 256. 00. 255 0 25 %31", 5 + more},
	} {
		sequences(strings.Fields(row.tokens), row.n, func(s string) { check(s, s) })
	}
}
