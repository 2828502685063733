package automaton

import (
	"iter"
	"slices"
)

// A word is a sequence of classes. It represents all strings whose bytes are of these classes.

// Run returns the state that the word leads to.
func (d *DFA) Run(from int, word []byte) int {
	for _, c := range word {
		from = d.Next[from][c]
	}
	return from
}

// AppendText appends a string that the word represents. It takes another byte of each class in every turn and
// at every offset, so that all bytes occur in many words.
func (d *DFA) AppendText(dst, word []byte, turn int) []byte {
	for i, c := range word {
		members := d.Members[c]
		dst = append(dst, members[(turn+i)%len(members)])
	}
	return dst
}

// Cover returns the state cover: a shortest word to each state. Every prefix of a word is also in the cover.
func (d *DFA) Cover() [][]byte {
	cover := make([][]byte, len(d.Next))
	cover[0] = []byte{}
	for open := []int{0}; len(open) > 0; open = open[1:] {
		s := open[0]
		for c, to := range d.Next[s] {
			if cover[to] == nil {
				cover[to] = append(slices.Clone(cover[s]), byte(c))
				open = append(open, to)
			}
		}
	}
	return cover
}

// Characterize returns the characterization set W, a set of words that distinguishes all states: of any two
// states, one accepts some word in W and the other does not. For each state it also returns the
// identification set, a subset of W that distinguishes this state from all others. The empty word is always
// in W; it finds a state whose acceptance is wrong.
func (d *DFA) Characterize() (words [][]byte, identify [][][]byte) {
	n := len(d.Next)
	candidates := d.separators()
	accepts := make([][]bool, len(candidates)) // by candidate and state
	for i, word := range candidates {
		for s := range n {
			accepts[i] = append(accepts[i], d.Accept[d.Run(s, word)])
		}
	}

	// Take the word that divides the states into the most blocks, until each is alone. The first candidate is
	// empty.
	block := make([]int, n)
	divide := func(by []bool) ([]int, int) {
		numbers := make([]int, 2*n) // by block and acceptance; 0 if there is none yet
		divided := make([]int, n)
		count := 0
		for s := range n {
			number := &numbers[2*block[s]+btoi(by[s])]
			if *number == 0 {
				count++
				*number = count
			}
			divided[s] = *number - 1
		}
		return divided, count
	}
	taken := []int{0}
	count := 0
	for block, count = divide(accepts[0]); count < n; {
		best, most := 0, 0
		for i := range candidates {
			if _, blocks := divide(accepts[i]); blocks > most {
				best, most = i, blocks
			}
		}
		taken = append(taken, best)
		block, count = divide(accepts[best])
	}
	for _, i := range taken {
		words = append(words, candidates[i])
	}

	// For each state, take the word that distinguishes it from most of the remaining others.
	identify = make([][][]byte, n)
	for s := range n {
		var others []int
		for other := range n {
			if other != s {
				others = append(others, other)
			}
		}
		for len(others) > 0 {
			best, left := 0, others
			for _, i := range taken {
				same := slices.DeleteFunc(slices.Clone(others), func(other int) bool {
					return accepts[i][other] != accepts[i][s]
				})
				if len(same) < len(left) {
					best, left = i, same
				}
			}
			identify[s] = append(identify[s], candidates[best])
			others = left
		}
	}
	return words, identify
}

// separators returns, for every two states, a shortest word that only one of them accepts. Each word occurs
// once, the empty word first.
func (d *DFA) separators() [][]byte {
	n := len(d.Next)
	word := make([][][]byte, n) // by two states, nil if there is none yet
	for p := range word {
		word[p] = make([][]byte, n)
		for q := range n {
			if d.Accept[p] != d.Accept[q] {
				word[p][q] = []byte{}
			}
		}
	}
	all := [][]byte{{}}
	seen := map[string]bool{"": true}
	for length, found := 1, true; found; length++ {
		found = false
		for p := range n {
			for q := range p {
				for c := 0; c < len(d.Members) && word[p][q] == nil; c++ {
					rest := word[d.Next[p][c]][d.Next[q][c]]
					if rest == nil || len(rest) != length-1 {
						continue
					}
					w := append([]byte{byte(c)}, rest...)
					word[p][q], word[q][p] = w, w
					found = true
					if !seen[string(w)] {
						seen[string(w)] = true
						all = append(all, w)
					}
				}
			}
		}
	}
	return all
}

// Suite returns the words of the Wp method (Fujiwara, von Bochmann, Khendek, Amalou, Ghedamsi: Test selection
// based on finite state models, IEEE Transactions on Software Engineering 17/6, 1991). If an automaton has at
// most extra more states than this one and accepts the same words of the suite, it accepts the same strings.
//
// A word leads to a state by the cover, and on by up to extra+1 letters that leave the cover. The rest of the
// word identifies the state: with all of W, or after the last letter with the identification set of the state
// that it should be.
//
// The slice is valid until the next word.
func (d *DFA) Suite(extra int) iter.Seq[[]byte] {
	cover := d.Cover()
	covered := map[string]bool{}
	for _, word := range cover {
		covered[string(word)] = true
	}
	words, identify := d.Characterize()
	return func(yield func([]byte) bool) {
		buffer := make([]byte, 0, 64)
		ask := func(access []byte, words [][]byte) bool {
			for _, w := range words {
				if !yield(append(access, w...)) {
					return false
				}
			}
			return true
		}
		var walk func(access []byte, state, letters int) bool
		walk = func(access []byte, state, letters int) bool {
			if letters == 0 {
				return ask(access, identify[state])
			}
			if !ask(access, words) {
				return false
			}
			for c, to := range d.Next[state] {
				next := append(access, byte(c))
				if letters == extra+1 && covered[string(next)] {
					continue // it has its own turn
				}
				if !walk(next, to, letters-1) {
					return false
				}
			}
			return true
		}
		for state, access := range cover {
			if !walk(append(buffer, access...), state, extra+1) {
				return
			}
		}
	}
}
