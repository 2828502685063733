package main

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// worksCorpora returns the bundled corpus and a mix of valid and invalid lines, so that a library must read
// each line to know what to return.
func worksCorpora(t *testing.T) []*corpus {
	t.Helper()
	bundled, err := readLines("../testdata/uris.txt")
	require.NoError(t, err)
	invalid, err := readLines("../testdata/invalid.txt")
	require.NoError(t, err)
	mixed := slices.Clone(invalid)
	for i, line := range bundled[:min(len(bundled), len(invalid))] {
		mixed = slices.Insert(mixed, 2*i, line)
	}
	return []*corpus{newCorpus("bundled", bundled), newCorpus("mixed", mixed)}
}

// TestEveryLine requires that a pass does its task with every line, and with each as if it were the only one:
// the result of a pass is the sum of the results for each line separately.
func TestEveryLine(t *testing.T) {
	for _, c := range worksCorpora(t) {
		singles := make([]*corpus, len(c.lines))
		for i, line := range c.lines {
			singles[i] = newCorpus("single", [][]byte{line})
		}
		for _, l := range libraries {
			for task, work := range l.works {
				want := 0
				for _, single := range singles {
					want += work(single)()
				}
				pass := work(c)
				assert.Equal(t, want, pass(), "%s of %s, %s", task, l.name, c.name)
				assert.Equal(t, want, pass(), "%s of %s, %s, again", task, l.name, c.name)
			}
		}
	}
}

// TestVerdicts requires the verdict on every line from the tasks that return nothing else. This library's
// verdict must be that of the grammar, and a peer's must be that of the function that TestAgree calls.
func TestVerdicts(t *testing.T) {
	accepts := map[string]func(text string) bool{ours: func(text string) bool {
		_, valid := judge(text)
		return valid
	}}
	for _, s := range splitters {
		accepts[s.lib] = func(text string) bool {
			_, err := s.split(text)
			return err == nil
		}
	}
	for _, l := range libraries {
		for _, task := range []string{"Parse", "Validate"} {
			if l.works[task] == nil || l.floor || l.name == "regexp" { // their results are not verdicts
				continue
			}
			seen := map[int]bool{}
			for _, c := range worksCorpora(t) {
				for _, text := range c.texts {
					want := 0
					if accepts[l.name](text) {
						want = 1
					}
					seen[want] = true
					got := l.works[task](newCorpus("single", [][]byte{[]byte(text)}))()
					assert.Equal(t, want, got, "%s of %s: %q", task, l.name, text)
				}
			}
			assert.Len(t, seen, 2, "verdicts of %s", l.name)
		}
	}
}

// TestFound compares what this library finds in every line with the components of the grammar.
func TestFound(t *testing.T) {
	for task, length := range map[string]func(c components) int{
		"Components": func(c components) int { return len(strings.Join(c[:], "")) },
		"Params": func(c components) (n int) {
			for pair := range strings.SplitSeq(c[query], "&") {
				key, value, _ := strings.Cut(pair, "=")
				key, err1 := url.QueryUnescape(key)
				value, err2 := url.QueryUnescape(value)
				if err1 == nil && err2 == nil {
					n += len(key) + len(value)
				}
			}
			return n
		},
	} {
		for _, c := range worksCorpora(t) {
			for _, text := range c.texts {
				want := 0
				if found, valid := judge(text); valid {
					want = length(found)
				}
				got := uriWorks[task](newCorpus("single", [][]byte{[]byte(text)}))()
				assert.Equal(t, want, got, "%s: %q", task, text)
			}
		}
	}
}

// TestFloors requires that the floors and the regular expression do their work with the whole line.
func TestFloors(t *testing.T) {
	line := []byte("http://h.example/a/b?c")
	buffer := make([]byte, 100)
	assert.Equal(t, len(line), copyTo(buffer)(line))
	assert.Equal(t, string(line), string(buffer[:len(line)]))

	assert.Equal(t, -1, indexLine()(line))
	assert.Equal(t, len(line), indexLine()(append(line, 0)))

	assert.Equal(t, int('a'+'b'+'c'), sumLine()([]byte("abc")))

	assert.Equal(t, len("http://h.example/a/b"), regexpParse()(line))
	assert.Equal(t, len("/a"), regexpParse()([]byte("/a#b?c")))
}
