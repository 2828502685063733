package uri

import (
	"strings"
	"testing"
)

// TestRuns puts every byte at every offset of runs, which are read eight bytes at a time.
func TestRuns(t *testing.T) {
	for n := range 3*8 + 1 {
		for i := range n {
			for b := range 256 {
				for _, filler := range []string{"a", "Z", "0", "9", "+", "-", "."} {
					s := strings.Repeat(filler, i) + string([]byte{byte(b)}) + strings.Repeat(filler, n-i-1)
					for _, from := range []int{0, n / 3} {
						if got, want := ruleScheme.run(s, from), run(s, from, alphas+decimals+"+-."); got != want {
							t.Fatalf("scheme in %q from %d to %d, not %d", s, from, got, want)
						}
						if got, want := digitRun(s, from), run(s, from, decimals); got != want {
							t.Fatalf("digits in %q from %d to %d, not %d", s, from, got, want)
						}
					}
				}
			}
		}
	}
}

// run returns the end of the run in s that starts at i and has only bytes of the set.
func run(s string, i int, set string) int {
	for i < len(s) && strings.IndexByte(set, s[i]) >= 0 {
		i++
	}
	return i
}

// TestLetters puts every ASCII byte at every offset of a word.
func TestLetters(t *testing.T) {
	for n := range 2*8 + 1 {
		for i := range 8 {
			for b := range 128 {
				word := []byte("aZzAmMqQ")
				word[i] = byte(b)
				s := string(word)
				want := n >= 1 && n <= 8 && run(s, 0, alphas) >= n
				if letters(load(s), n) != want {
					t.Fatalf("the first %d bytes of %q: not %t", n, s, want)
				}
			}
		}
	}
}
