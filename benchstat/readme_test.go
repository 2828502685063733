package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tables of README.md are between "<!-- NAME -->" and "<!-- end -->". The tests that check them also
// write them:
//
//	URI_CORPUS=FOLDER go test . -update
var update = flag.Bool("update", false, "rewrite the tables of README.md")

// section returns the text of README.md between the marks, and a function that replaces it.
func section(t *testing.T, name string) (text string, replace func(string)) {
	t.Helper()
	data, err := os.ReadFile("README.md")
	require.NoError(t, err)
	start, end := "<!-- "+name+" -->\n", "<!-- end -->"
	before, rest, ok := strings.Cut(string(data), start)
	require.True(t, ok, start)
	text, after, ok := strings.Cut(rest, end)
	require.True(t, ok, end)
	return text, func(text string) {
		require.NoError(t, os.WriteFile("README.md", []byte(before+start+text+end+after), 0o644))
	}
}

// compareAgreement compares the counts with those of README.md, for the corpora that are present.
func compareAgreement(t *testing.T, found agreement, corpora []*corpus) {
	text, replace := section(t, "agreement")
	if *update {
		replace(found.table(corpora))
		return
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	require.Greater(t, len(lines), 2)
	columns := strings.Split(lines[0], "|")
	written := agreement{}
	for _, line := range lines[2:] {
		cells := strings.Split(line, "|")
		require.Len(t, cells, len(columns), line)
		row := strings.Join(cells[:4], "|") + "|"
		written[row] = map[string]int{}
		for i := 4; i < len(cells)-1; i++ {
			var n int
			fmt.Sscan(cells[i], &n) // an empty cell is 0
			written[row][strings.TrimSpace(columns[i])] = n
		}
	}
	for row := range found {
		assert.NotEmpty(t, written[row], row)
	}
	for row, counts := range written {
		for _, c := range corpora {
			if n, ok := counts[c.name]; ok { // not the reader's own corpus
				assert.Equal(t, found[row][c.name], n, "%s %s", row, c.name)
			}
		}
	}
}

// table returns the table of the counts, with peers and rules in the order of the code.
func (a agreement) table(corpora []*corpus) string {
	var b strings.Builder
	b.WriteString("| library | what it does | RFC 3986 |")
	for _, c := range corpora {
		fmt.Fprintf(&b, " %s |", c.name)
	}
	b.WriteString("\n|---|---|---|" + strings.Repeat("---:|", len(corpora)) + "\n")
	for _, s := range splitters {
		var done []string // rules of two components may have the same row
		for _, r := range rules {
			row := row(s.lib, r)
			if a[row] == nil || slices.Contains(done, row) {
				continue
			}
			done = append(done, row)
			b.WriteString(row)
			for _, c := range corpora {
				if n := a[row][c.name]; n > 0 {
					fmt.Fprintf(&b, " %d |", n)
				} else {
					b.WriteString(" |")
				}
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// TestReadmeLibraries requires that README.md has the table of libraries.
func TestReadmeLibraries(t *testing.T) {
	var b strings.Builder
	b.WriteString("| library | module | reads | what it does to valid input |\n|---|---|---|---|\n")
	for _, l := range libraries {
		if !l.floor {
			module := strings.TrimPrefix(l.module, "github.com/")
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", l.name, module, l.reads, l.does)
		}
	}
	compareSection(t, "libraries", b.String())
}

// TestReadmeChecks gives each library a fault of each kind.
func TestReadmeChecks(t *testing.T) {
	var b strings.Builder
	b.WriteString("| fault | input | RFC 3986 | uri |")
	for _, s := range splitters {
		fmt.Fprintf(&b, " %s |", s.lib)
	}
	b.WriteString("\n|---|---|---|---|" + strings.Repeat("---|", len(splitters)) + "\n")
	for _, f := range []struct{ what, text, rfc string }{
		{"scheme", "1a://h.example/", "3.1"},
		{"no scheme before a colon", "a_b:c", "4.2"},
		{"userinfo", "http://a<b@h.example/", "3.2.1"},
		{"a second at sign", "http://a@b@h.example/", "3.2.1"},
		{"host", "http://h<.example/", "3.2.2"},
		{"backslash in a host", `http://h\@h.example/`, "3.2.2"},
		{"escape in a host", "http://h%zz.example/", "2.1"},
		{"IPv6address", "http://[1::2::3]/", "3.2.2"},
		{"IPv6address with a zone", "http://[fe80::1%25en0]/", "3.2.2"},
		{"port", "http://h.example:8x/", "3.2.3"},
		{"path", "http://h.example/a<b", "3.3"},
		{"space in a path", "http://h.example/a b", "3.3"},
		{"control byte in a path", "http://h.example/a\x01b", "3.3"},
		{"escape in a path", "http://h.example/%zz", "2.1"},
		{"query", "http://h.example/?a<b", "3.4"},
		{"bracket in a query", "http://h.example/?a[]=b", "3.4"},
		{"escape in a query", "http://h.example/?a=%zz", "2.1"},
		{"fragment", "http://h.example/#a<b", "3.5"},
		{"a second number sign", "http://h.example/#a#b", "3.5"},
		{"escape in a fragment", "http://h.example/#%zz", "2.1"},
		{"bytes that are not ASCII", "http://h.example/ä", "2"},
	} {
		_, err := splitURI(f.text)
		assert.Error(t, err, "%q", f.text)
		_, valid := judge(f.text)
		assert.False(t, valid, "%q", f.text)
		fmt.Fprintf(&b, "| %s | `%s` | %s | rejects |", f.what, strings.ReplaceAll(f.text, "\x01", "\\x01"), f.rfc)
		for _, s := range splitters {
			if _, err := s.split(f.text); err != nil {
				b.WriteString(" rejects |")
			} else {
				b.WriteString(" |")
			}
		}
		b.WriteString("\n")
	}
	compareSection(t, "checks", b.String())
}

// recorded returns the name of the file whose results README.md shows.
func recorded(t *testing.T) string {
	data, err := os.ReadFile("README.md")
	require.NoError(t, err)
	m := regexp.MustCompile(`\]\((results/[^)]*-peers[^)]*\.txt)\)`).FindSubmatch(data)
	require.NotNil(t, m, "README.md has a link to the recorded results")
	return string(m[1])
}

// TestReadmeResults requires that README.md and the chart show the recorded results.
func TestReadmeResults(t *testing.T) {
	r, err := readResults(recorded(t))
	require.NoError(t, err)
	var b bytes.Buffer
	r.markdown(&b)
	compareSection(t, "results", b.String())

	want, err := r.draw()
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile("chart.svg", want, 0o644))
	}
	got, err := os.ReadFile("chart.svg")
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "go run ./benchstat --from benchstat/%s", recorded(t))
}

func compareSection(t *testing.T, name, want string) {
	t.Helper()
	got, replace := section(t, name)
	if *update {
		replace(want)
		return
	}
	assert.Equal(t, want, got, "go test . -update")
}

// TestFirst requires that this library is the fastest in every row, or that the row says why it is not.
func TestFirst(t *testing.T) {
	r, err := readResults(recorded(t))
	require.NoError(t, err)
	for _, task := range tasks {
		for _, corpus := range r.corpora() {
			if r.cells[key{task.name, corpus, ours}] == nil { // no line has what the task starts from
				for _, lib := range libraries {
					require.Nil(t, r.cells[key{task.name, corpus, lib.name}], "%s of %s", task.name, corpus)
				}
				continue
			}
			for _, lib := range r.faster(task.name, corpus) {
				assert.NotEmpty(t, notFirst[task.name+"/"+lib], "%s, %s: why is %s faster?", task.name, corpus, lib)
			}
		}
	}
}
