package automaton

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-56a50ac9/uri/internal/abnf"
)

// An nfa is a nondeterministic automaton by Thompson's construction (Communications of the ACM 11/6, 1968):
// the strings that lead from one state to another are those that an expression matches. State 0 is the start.
type nfa struct {
	grammar Grammar
	silent  [][]int // the states that each state leads to without a byte
	edges   [][]edge

	searches int
	found    []int // the last search that found each state
}

type edge struct {
	on *octets
	to int
}

type octets [256]bool // any one of these

func (n *nfa) state() int {
	n.silent = append(n.silent, nil)
	n.edges = append(n.edges, nil)
	return len(n.silent) - 1
}

func (n *nfa) join(from, to int) { n.silent[from] = append(n.silent[from], to) }

// build adds states that lead from the given state to the returned one by every string that e matches, and by
// no other.
func (n *nfa) build(e abnf.Expression, from int) (to int) {
	switch e := e.(type) {
	case abnf.Alternation:
		to = n.state()
		for _, part := range e {
			start := n.state() // its own, so that a loop in one part does not lead to another part
			n.join(from, start)
			n.join(n.build(part, start), to)
		}
		return to
	case abnf.Concatenation:
		for _, part := range e {
			from = n.build(part, from)
		}
		return from
	case abnf.Repetition:
		return n.repeat(e, from)
	case abnf.Option:
		return n.repeat(abnf.Repetition{Min: 0, Max: 1, Of: e.Of}, from)
	case abnf.Literal:
		for _, b := range []byte(e) {
			on := new(octets)
			on[strings.ToLower(string(b))[0]] = true
			on[strings.ToUpper(string(b))[0]] = true
			from = n.step(on, from)
		}
		return from
	case abnf.Range:
		on := new(octets)
		for b := int(e.Low); b <= int(e.High); b++ {
			on[b] = true
		}
		return n.step(on, from)
	case abnf.Reference:
		// The rule replaces the reference. That ends, because no rule of a URI is recursive.
		rule := n.grammar[string(e)]
		if rule == nil {
			panic("no rule " + string(e))
		}
		return n.build(rule, from)
	}
	panic(fmt.Sprintf("no automaton for a %T", e))
}

// step adds a state that each of the octets leads to.
func (n *nfa) step(on *octets, from int) (to int) {
	to = n.state()
	n.edges[from] = append(n.edges[from], edge{on, to})
	return to
}

func (n *nfa) repeat(e abnf.Repetition, from int) (to int) {
	for range e.Min {
		from = n.build(e.Of, from)
	}
	if e.Max == abnf.Unbounded {
		loop := n.state()
		n.join(from, loop)
		n.join(n.build(e.Of, loop), loop)
		to = n.state()
		n.join(loop, to)
		return to
	}
	to = n.state()
	n.join(from, to)
	for range e.Max - e.Min {
		from = n.build(e.Of, from)
		n.join(from, to)
	}
	return to
}

// follow returns the set of states and the states that they lead to without a byte, in ascending order.
func (n *nfa) follow(set []int) (all []int) {
	n.searches++
	n.found = append(n.found, make([]int, len(n.silent)-len(n.found))...)
	for open := set; len(open) > 0; {
		s := open[len(open)-1]
		open = open[:len(open)-1]
		if n.found[s] < n.searches {
			n.found[s] = n.searches
			all = append(all, s)
			open = append(open, n.silent[s]...)
		}
	}
	slices.Sort(all)
	return all
}
