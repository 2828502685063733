package automaton

import "slices"

// An nfa is an automaton as Thompson builds it (Communications of the ACM 11/6, 1968): what an expression matches is the
// ways from one state to another. State 0 is the start.
type nfa struct {
	silent [][]int // the states that each leads to without a byte
	edges  [][]edge

	searches int
	found    []int // the last search that found each state
}

type edge struct {
	on *octets
	to int
}

func (n *nfa) state() int {
	n.silent = append(n.silent, nil)
	n.edges = append(n.edges, nil)
	return len(n.silent) - 1
}

func (n *nfa) join(from, to int) { n.silent[from] = append(n.silent[from], to) }

func (e *octets) build(n *nfa, from int) int {
	to := n.state()
	n.edges[from] = append(n.edges[from], edge{e, to})
	return to
}

func (e concatenation) build(n *nfa, from int) int {
	for _, part := range e {
		from = part.build(n, from)
	}
	return from
}

func (e alternation) build(n *nfa, from int) int {
	to := n.state()
	for _, part := range e {
		start := n.state() // of its own, so that a loop in one part does not lead to another
		n.join(from, start)
		n.join(part.build(n, start), to)
	}
	return to
}

func (e repetition) build(n *nfa, from int) int {
	for range e.min {
		from = e.of.build(n, from)
	}
	if e.max == unbounded {
		loop := n.state()
		n.join(from, loop)
		n.join(e.of.build(n, loop), loop)
		to := n.state()
		n.join(loop, to)
		return to
	}
	to := n.state()
	n.join(from, to)
	for range e.max - e.min {
		from = e.of.build(n, from)
		n.join(from, to)
	}
	return to
}

// build puts the rule in the place of its name. That ends, as no rule of a URI is recursive.
func (e reference) build(n *nfa, from int) int {
	rule := e.to[e.name]
	if rule == nil {
		panic("no rule " + e.name)
	}
	return rule.build(n, from)
}

// follow returns the set of states with those that they lead to without a byte, in ascending order.
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
