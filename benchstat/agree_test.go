package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri"
)

// A difference is a disagreement between this library and a peer about one input.
type difference struct {
	text string
	ours components
	view uri.StringView
	why  error // ours
	got  components
	err  error // the peer's
	part int   // the component that differs; accepts or rejects if the verdicts differ
}

const (
	accepts = -1 // only the peer accepts
	rejects = -2 // only the peer rejects
)

// explain returns the index of the first rule that holds, or -1 if there is none.
func (d *difference) explain(lib string) int {
	return slices.IndexFunc(rules, func(r rule) bool {
		return r.part == d.part && slices.Contains(strings.Fields(r.libs), lib) && r.holds(d)
	})
}

// differences calls found for each difference between this library and a peer.
func differences(text string, split func(string) (components, error), found func(*difference)) {
	d := &difference{text: text}
	d.view, d.why = uri.Parse(text)
	d.ours, _ = splitURI(text)
	d.got, d.err = split(text)
	switch {
	case d.why != nil && d.err == nil:
		d.part = accepts
		found(d)
	case d.why == nil && d.err != nil:
		d.part = rejects
		found(d)
	case d.why == nil:
		for d.part = range d.ours {
			if d.ours[d.part] != d.got[d.part] {
				found(d)
			}
		}
	}
}

// agreeCorpora returns the measured corpora and the invalid lines of testdata.
func agreeCorpora(t *testing.T) []*corpus {
	corpora, err := loadCorpora(".", os.Getenv("URI_CORPUS"))
	require.NoError(t, err)
	invalid, err := readLines("../testdata/invalid.txt")
	require.NoError(t, err)
	return append(corpora, newCorpus("invalid", invalid))
}

// TestJudge compares this library with the grammar on every line.
func TestJudge(t *testing.T) {
	for _, c := range agreeCorpora(t) {
		for _, text := range c.texts {
			want, valid := judge(text)
			got, err := splitURI(text)
			require.Equal(t, valid, err == nil, "%q", text)
			require.Equal(t, want, got, "%q", text)
		}
	}
}

// agreement counts the differences that each rule explains, per corpus.
type agreement map[string]map[string]int // "| peer | what it does | section |", corpus

// TestAgree finds every difference between this library and a peer. A rule must explain each difference, and
// README.md must have the counts.
func TestAgree(t *testing.T) {
	found := agreement{}
	corpora := agreeCorpora(t)
	for _, s := range splitters {
		for _, c := range corpora {
			unexplained := 0
			for _, text := range c.texts {
				differences(text, s.split, func(d *difference) {
					if i := d.explain(s.lib); i >= 0 {
						found.add(s.lib, rules[i], c.name)
					} else if unexplained++; unexplained <= 5 {
						t.Error(d.describe(s.lib))
					}
				})
			}
			assert.Zero(t, unexplained, "%s, %s: unexplained differences", s.lib, c.name)
		}
	}
	for _, r := range rules {
		for lib := range strings.FieldsSeq(r.libs) {
			assert.NotEmpty(t, found[row(lib, r)], "no line for the rule %s", row(lib, r))
		}
	}
	compareAgreement(t, found, corpora)
}

func (a agreement) add(lib string, r rule, corpus string) {
	if a[row(lib, r)] == nil {
		a[row(lib, r)] = map[string]int{}
	}
	a[row(lib, r)][corpus]++
}

func row(lib string, r rule) string { return fmt.Sprintf("| %s | %s | %s |", lib, r.what, r.rfc) }

func (d *difference) describe(lib string) string {
	switch d.part {
	case accepts:
		return fmt.Sprintf("%s accepts %q: %v", lib, d.text, d.why)
	case rejects:
		return fmt.Sprintf("%s rejects %q: %v", lib, d.text, d.err)
	default:
		return fmt.Sprintf("%s finds in %q the %s %q", lib, d.text, componentNames[d.part], d.got[d.part])
	}
}
