package automaton

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/abnf"
	"github.com/seed-56a50ac9/uri/internal/long"
)

// rules returns the rules that are forms.
func rules() []string {
	return []string{
		"URI-reference", "URI", "absolute-URI", "relative-ref",
		"origin-form", "authority-form", "asterisk-form", "Host",
	}
}

// TestSizes lists the numbers of states and classes. They depend only on the rule, however its automaton is
// constructed.
func TestSizes(t *testing.T) {
	g := URI()
	for rule, want := range map[string][2]int{
		"ALPHA":         {3, 2},
		"path-empty":    {2, 1},
		"asterisk-form": {3, 2},
		"pct-encoded":   {5, 3},
		"origin-form":   {5, 5},
		"URI-reference": {183, 21},
	} {
		d := g.Compile(rule)
		assert.Equal(t, want, [2]int{len(d.Next), len(d.Members)}, rule)
		assert.GreaterOrEqual(t, d.Dead, 0, rule)
	}
}

// TestCompile has rows for each type of expression.
func TestCompile(t *testing.T) {
	for _, row := range []struct {
		definition, text string
		match, viable    int
	}{
		{`"a" / "b"`, "b", 1, 1},
		{`"ab"`, "aB", 2, 2},
		{`"ab"`, "ac", -1, 1},
		{`%x61-62 %x2D`, "b-", 2, 2},
		{`1*"a"`, "", -1, 0},
		{`*"a"`, "aab", 2, 2},
		{`*2"a"`, "aaa", 2, 2},
		{`2"a"`, "aa", 2, 2},
		{`2"a"`, "a", -1, 1},
		{`2*3"a"`, "aaaa", 3, 3},
		{`0<other>`, "x", 0, 0},
		{`<other, see section 1>`, "x", 1, 1},
		{`other`, "x", 1, 1},
		{`[ "a" ] "b"`, "b", 1, 1},
		{`( "a" / "b" ) "c"`, "bc", 2, 2},
		{`*( "a" "b" ) "a" "c"`, "ababac", 6, 6},
		{`*"a" / "b" *"c"`, "bcc", 3, 3},
		{`*"a" / "b" *"c"`, "aac", 2, 2},
		{`*( *"a" / "b" )`, "abba", 4, 4},
	} {
		g := abnf.Grammar{}
		require.NoError(t, g.Add("rule = "+row.definition+"\n\nother = \"x\"\n"), row.definition)
		match, viable := Grammar(g).Compile("rule").Match([]byte(row.text))
		assert.Equal(t, row.match, match, "%s in %q", row.definition, row.text)
		assert.Equal(t, row.viable, viable, "%s in %q", row.definition, row.text)
	}
	assert.PanicsWithValue(t, "no rule a", func() { Grammar{}.Compile("a") })
}

// TestMinimal proves that the automata are minimal: some word reaches each state, and some word distinguishes
// each two states.
func TestMinimal(t *testing.T) {
	t.Parallel()
	g, stride := URI(), long.Sample(t, 5, 1)
	for _, rule := range rules() {
		d := g.Compile(rule)
		for state, word := range d.Cover() {
			require.NotNil(t, word, "%s: state %d", rule, state)
			require.Equal(t, state, d.Run(0, word), rule)
		}
		words, identify := d.Characterize()
		require.Empty(t, words[0])
		known := map[string]bool{}
		for _, w := range words {
			known[string(w)] = true
		}
		answers := map[string]bool{}
		for state := range d.Next {
			var answer []byte
			for _, w := range words {
				answer = append(answer, byte(btoi(d.Accept[d.Run(state, w)])))
			}
			answers[string(answer)] = true
			for _, w := range identify[state] {
				require.True(t, known[string(w)], "%s: an identification set is part of W", rule)
			}
			for other := state % stride; other < len(d.Next); other += stride {
				differs := false
				for _, w := range identify[state] {
					differs = differs || d.Accept[d.Run(state, w)] != d.Accept[d.Run(other, w)]
				}
				require.Equal(t, state != other, differs, "%s: states %d and %d", rule, state, other)
			}
		}
		require.Len(t, answers, len(d.Next), rule)
	}
}

// TestSuite runs the suite on every automaton with a single fault, and requires that it finds each fault: a
// state that accepts wrongly, or a step that leads to any other state.
func TestSuite(t *testing.T) {
	t.Parallel()
	g, stride := URI(), long.Sample(t, 11, 1)
	for _, rule := range rules() {
		d := g.Compile(rule)
		s := index(d, 0)
		mutants, killed := 0, 0
		for state := range d.Next {
			m := mutant{DFA: d, accepts: state, state: -1}
			mutants++
			killed += btoi(s.kill(&m, s.ending[state]))
			for c, right := range d.Next[state] {
				for wrong := (state + c) % stride; wrong < len(d.Next); wrong += stride {
					if wrong == right {
						continue
					}
					m := mutant{d, -1, state, byte(c), wrong}
					mutants++
					killed += btoi(s.kill(&m, s.through[[2]int{state, c}]))
				}
			}
		}
		t.Logf("%s: %d states, %d classes, %d texts find %d of %d single faults",
			rule, len(d.Next), len(d.Members), len(s.words), killed, mutants)
		assert.Equal(t, mutants, killed, rule)
	}
}

// A mutant is an automaton with one fault.
type mutant struct {
	*DFA
	accepts int  // the state whose acceptance is inverted, -1 for none
	state   int  // the state from which a step leads to a wrong state, -1 for none
	class   byte // the class of the step
	to      int  // the wrong state
}

func (m *mutant) accept(word []byte) bool {
	s := 0
	for _, c := range word {
		if s == m.state && c == m.class {
			s = m.to
		} else {
			s = m.Next[s][c]
		}
	}
	return m.Accept[s] != (s == m.accepts)
}

// An indexed suite knows which of its words can find a fault.
type indexed struct {
	words   [][]byte
	accepts []bool
	ending  map[int][]int    // words by the state in which they end
	through map[[2]int][]int // words by each state and class that they go through
}

func index(d *DFA, extra int) *indexed {
	s := &indexed{ending: map[int][]int{}, through: map[[2]int][]int{}}
	for word := range d.Suite(extra) {
		i := len(s.words)
		s.words = append(s.words, append([]byte(nil), word...))
		state := 0
		for _, c := range word {
			step := [2]int{state, int(c)}
			if all := s.through[step]; len(all) == 0 || all[len(all)-1] != i {
				s.through[step] = append(all, i)
			}
			state = d.Next[state][c]
		}
		s.ending[state] = append(s.ending[state], i)
		s.accepts = append(s.accepts, d.Accept[state])
	}
	return s
}

func (s *indexed) kill(m *mutant, words []int) bool {
	for _, i := range words {
		if m.accept(s.words[i]) != s.accepts[i] {
			return true
		}
	}
	return false
}

// TestExtraStates runs the suites on automata with one more state and a fault in it: a copy of a state that
// only one step reaches. The suite for one extra state finds every fault; the suite for none does not.
func TestExtraStates(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewSource(3986))
	d := URI().Compile("Host")
	n := len(d.Next)
	var missed [2]int
	for extra := range missed {
		var words [][]byte
		for word := range d.Suite(extra) {
			words = append(words, append([]byte(nil), word...))
		}
		for range long.Sample(t, 30, 200) {
			// State n is a copy of one that a step leads to, and the step leads to it instead.
			m := &DFA{Accept: append([]bool(nil), d.Accept...)}
			for _, row := range d.Next {
				m.Next = append(m.Next, append([]int(nil), row...))
			}
			from, by := random.Intn(n), random.Intn(len(d.Members))
			copied := d.Next[from][by]
			m.Next = append(m.Next, append([]int(nil), m.Next[copied]...))
			m.Accept = append(m.Accept, m.Accept[copied])
			m.Next[from][by] = n
			if c := random.Intn(len(d.Members) + 1); c == len(d.Members) {
				m.Accept[n] = !m.Accept[n]
			} else {
				m.Next[n][c] = (m.Next[n][c] + 1 + random.Intn(n-1)) % n
			}
			killed := false
			for _, word := range words {
				if m.Accept[m.Run(0, word)] != d.Accept[d.Run(0, word)] {
					killed = true
					break
				}
			}
			missed[extra] += btoi(!killed)
		}
	}
	assert.Positive(t, missed[0])
	assert.Zero(t, missed[1])
}
