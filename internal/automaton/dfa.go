package automaton

import (
	"slices"
	"strings"

	"github.com/seed-56a50ac9/uri/internal/abnf"
)

// A DFA is the minimal automaton of a rule. It is complete: each state has a next state for every byte. Bytes
// that no state distinguishes are one class. State 0 is the start. States are numbered by breadth-first
// search, and classes by their lowest byte, so a rule has only one DFA.
type DFA struct {
	Class   [256]int // of each byte
	Members [][]byte // of each class
	Next    [][]int  // by state and class
	Accept  []bool   // by state
	Dead    int      // the state from which no string is accepted, -1 if there is none
}

// Compile returns the automaton of a rule. It panics if the grammar lacks the rule or one that it refers to.
func (g Grammar) Compile(rule string) *DFA {
	n := &nfa{grammar: g}
	start := n.state()
	end := n.build(abnf.Reference(rule), start)
	return determine(n, end).minimize()
}

// determine returns the automaton whose states are sets of states of n: all states that a string may lead to.
func determine(n *nfa, end int) *DFA {
	d := &DFA{}
	d.setClasses(func(b int) string {
		var signature strings.Builder
		for _, edges := range n.edges {
			for _, e := range edges {
				signature.WriteByte("01"[btoi(e.on[b])])
			}
		}
		return signature.String()
	})

	numbers := map[string]int{}
	var sets [][]int
	number := func(set []int) int {
		set = n.follow(set)
		var key []byte
		for _, s := range set {
			key = append(key, byte(s), byte(s>>8))
		}
		if _, ok := numbers[string(key)]; !ok {
			numbers[string(key)] = len(sets)
			sets = append(sets, set)
		}
		return numbers[string(key)]
	}
	number([]int{0})
	for s := 0; s < len(sets); s++ {
		d.Accept = append(d.Accept, slices.Contains(sets[s], end))
		row := make([]int, len(d.Members))
		for c, members := range d.Members {
			var next []int
			for _, from := range sets[s] {
				for _, e := range n.edges[from] {
					if e.on[members[0]] {
						next = append(next, e.to)
					}
				}
			}
			row[c] = number(next)
		}
		d.Next = append(d.Next, row)
	}
	return d
}

// setClasses puts all bytes with the same signature into one class.
func (d *DFA) setClasses(signature func(b int) string) {
	d.Members = nil
	classes := map[string]int{}
	for b := range 256 {
		key := signature(b)
		c, ok := classes[key]
		if !ok {
			c = len(d.Members)
			classes[key] = c
			d.Members = append(d.Members, nil)
		}
		d.Class[b] = c
		d.Members[c] = append(d.Members[c], byte(b))
	}
}

// minimize merges all states that accept the same strings. It begins with two blocks, the accepting states
// and the others, and divides blocks until the states of each block lead to the same blocks. All states are
// already reachable.
func (d *DFA) minimize() *DFA {
	block := make([]int, len(d.Next))
	for s, accept := range d.Accept {
		block[s] = btoi(accept)
	}
	for count := 0; ; {
		numbers := map[string]int{}
		refined := make([]int, len(block))
		for s, row := range d.Next {
			key := []byte{byte(block[s]), byte(block[s] >> 8)}
			for _, to := range row {
				key = append(key, byte(block[to]), byte(block[to]>>8))
			}
			n, ok := numbers[string(key)]
			if !ok {
				n = len(numbers)
				numbers[string(key)] = n
			}
			refined[s] = n
		}
		block = refined
		if len(numbers) == count {
			break
		}
		count = len(numbers)
	}

	// Number the blocks, beginning at the start.
	m := &DFA{Dead: -1}
	order := []int{0} // a state of each block
	number := map[int]int{block[0]: 0}
	for s := 0; s < len(order); s++ {
		var row []int
		for _, to := range d.Next[order[s]] {
			if _, ok := number[block[to]]; !ok {
				number[block[to]] = len(order)
				order = append(order, to)
			}
			row = append(row, number[block[to]])
		}
		m.Next = append(m.Next, row)
		m.Accept = append(m.Accept, d.Accept[order[s]])
	}

	// The grammar's classes may be finer than the language's.
	fine := m.Next
	m.setClasses(func(b int) string {
		var column []byte
		for s := range fine {
			to := fine[s][d.Class[b]]
			column = append(column, byte(to), byte(to>>8))
		}
		return string(column)
	})
	m.Next = nil
	for s, row := range fine {
		next := make([]int, len(m.Members))
		for c, members := range m.Members {
			next[c] = row[d.Class[members[0]]]
		}
		m.Next = append(m.Next, next)
		// In a minimal automaton, only the dead state leads to itself alone and does not accept.
		if !m.Accept[s] && !slices.ContainsFunc(next, func(to int) bool { return to != s }) {
			m.Dead = s
		}
	}
	return m
}

// Match returns the length of the longest prefix of s that the rule matches, or -1 if there is none, and the
// length of the longest prefix of s that begins a string that the rule matches.
func (d *DFA) Match(s []byte) (match, viable int) {
	match = -1
	state := 0
	for i := 0; ; i++ {
		if d.Accept[state] {
			match = i
		}
		if i == len(s) {
			return match, i
		}
		if state = d.Next[state][d.Class[s[i]]]; state == d.Dead {
			return match, i
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
