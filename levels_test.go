package uri

import (
	"bytes"
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/long"
)

// TestLevels requires that every level that this machine can run is tested. On an emulated processor,
// URI_LEVEL names the best level.
func TestLevels(t *testing.T) {
	best := cmp.Or(os.Getenv("URI_LEVEL"), bestLevel(t))
	i := slices.Index(allLevels, best)
	require.GreaterOrEqual(t, i, 0, "there is no level %q", best)
	var names []string
	for _, level := range levels {
		names = append(names, level.name)
	}
	require.Equal(t, allLevels[:i+1], names)
}

// emulated reports whether the processor is emulated. URI_LEVEL then names its best level, because what the
// system says about the processor is about another one.
func emulated() bool { return os.Getenv("URI_LEVEL") != "" }

// A finding is everything that the scanner finds in an input.
type finding struct {
	scan, prefix     offsets
	scanned, matched int // lengths of the inputs that the offsets refer to
	why, prefixWhy   error
}

// stale is what a view may hold before a scan. It must make no difference.
var stale = offsets{
	0xA5A5A5A5, 0xA5A5A5A5, 0xA5A5A5A5, 0xA5A5A5A5, 0xA5A5A5A5, 0xA5A5A5A5, 0xA5A5A5A5, 0xA5A5A5A5, 0xA5A5A5A5,
	0xA5A5, 0xA5, 0xA5,
}

func find(form Form, s []byte) (f finding) {
	v := View{view: view{offsets: stale}}
	f.why = v.Scan(form, s)
	f.scan, f.scanned = v.offsets, len(v.src)

	v.offsets = stale
	_, f.prefixWhy = v.ScanPrefix(form, s)
	f.prefix, f.matched = v.offsets, len(v.src)
	return f
}

// requireSame requires that every level finds in s what the portable level finds in the same input elsewhere.
func requireSame(t *testing.T, form Form, s, elsewhere []byte) {
	levels[0].use()
	want := find(form, elsewhere)
	for _, level := range levels {
		level.use()
		requireEqual(t, want, find(form, s), "level %s, form %d of %q", level.name, form, elsewhere)
	}
	require.True(t, bytes.Equal(s, elsewhere), "the input is unchanged")
}

// requireSameMasks is requireSame for the masks of a block.
func requireSameMasks(t *testing.T, s, elsewhere []byte) {
	var want masks
	classifyGeneric(text(elsewhere), &want)
	if want.percent == 0 {
		want.hex = 0 // meaningless without "%"
	}
	for _, level := range levels {
		level.use()
		const stale = 0xA5A5A5A5A5A5A5A5
		got := masks{stale, stale, stale, stale, stale, stale, stale, stale}
		classify(text(s), &got)
		if want.percent == 0 {
			got.hex = 0
		}
		requireEqual(t, want, got, "level %s, masks of %q", level.name, elsewhere)
	}
}

// requireSameSets requires that every level finds which bytes of a block are in a set.
func requireSameSets(t *testing.T, s, elsewhere []byte) {
	for _, set := range []Set{
		{}, Path.Allowed(), formPlain, {lo: slashLo}, {lo: percentLo}, {^uint64(0), ^uint64(0)},
	} {
		var want uint64
		for i, b := range elsewhere {
			if set.Contains(b) {
				want |= 1 << i
			}
		}
		for _, level := range levels {
			level.use()
			requireEqual(t, want, set.in(text(s)), "level %s, set %x of %q", level.name, set, elsewhere)
		}
	}
}

// TestCorpora scans the bundled lines, and those in the folder that URI_CORPUS names, as every form and at
// every level.
func TestCorpora(t *testing.T) {
	for _, c := range append(corpora(t), corpus{"invalid", readLines(t, "testdata/invalid.txt")}) {
		t.Run(c.name, func(t *testing.T) {
			for _, line := range c.lines {
				elsewhere := bytes.Clone(line)
				for form := Reference; form <= HostField; form++ {
					requireSame(t, form, line, elsewhere)
				}
			}
		})
	}
}

// TestOperationBlockEdges puts what the operations look for at every offset of the first blocks.
func TestOperationBlockEdges(t *testing.T) {
	for i := range 2*blockSize + 10 {
		filler := strings.Repeat("x", i)
		for _, s := range []string{
			"http://h/" + filler + "/..", "http://h/" + filler + "/../" + filler, "/" + filler + "/./y", filler + "/.",
			"s:" + filler + "/..//" + filler, "/" + filler + "//y",
			"//" + filler + "A", "//a" + filler + "%41:80/", "//h/" + filler + "%7e" + filler,
			"/" + filler + "/%2e%2E/y", "?" + filler + "%c3%a4", "#" + filler + "%5f%00",
			filler + "%2f", "//u" + filler + "@h/?sig=" + filler + "&b#" + filler, "?" + filler + "&sig=" + filler,
			"x" + filler + "X://h/", "//h" + filler + ":/..", "/" + filler + "%%41%4",
			"//" + strings.Repeat("0", i) + "1", "http://h:" + strings.Repeat("0", i) + "80", "/" + filler + "[",
			"#" + filler + "#", "?" + filler + "\xFF", "http://" + filler, "//%41" + filler + "B",
		} {
			v, w, as, ok := scanned(t, Reference, s)
			require.True(t, ok, "%q", s)
			traits := slowTraits(as, s)
			redacted := slowRedact(s, nil)
			for _, level := range levels {
				level.use()
				for _, steps := range []Step{SyntaxBased, SchemeBased &^ DecodeUnreserved} {
					want, needed := slowNormalize(as, s, steps)
					require.Equal(t, want, string(v.AppendNormalized(nil, steps)), "level %s, %q", level.name, s)
					require.Equal(t, needed, w.StepsNeeded(steps), "level %s, %q", level.name, s)
				}
				require.Equal(t, traits, v.Traits(), "level %s, %q", level.name, s)
				require.Equal(t, redacted, string(AppendRedacted(nil, s, nil)), "level %s, %q", level.name, s)
			}
		}
	}
}

// TestSmallTexts normalizes all inputs of a few tokens each, in which dots, slashes, escapes and colons meet
// and may change their meaning.
func TestSmallTexts(t *testing.T) {
	for _, kind := range []struct {
		head   string
		tokens []string
		most   int
	}{
		{"", []string{"a", ":", "/", ".", "%2e", "?", "A"}, 5},
		{"s:", []string{"a", ":", "/", ".", "%2E"}, 5},
		{"s:/", []string{"a", "/", ".", "%2e", ".."}, 5},
		{"//", []string{"a", "A", ":", "/", "@", "%4A", ".", "0"}, 4},
		{"/", []string{"%", "4", "e", "%2e", "%41", "/", "2", "."}, 4},
		{"x:/", []string{"%", "2", "E", "%2e", ".", "/"}, 5},
	} {
		texts := []string{kind.head}
		longest := texts
		for range kind.most - long.Sample(t, 1, 0) {
			var longer []string
			for _, s := range longest {
				for _, token := range kind.tokens {
					longer = append(longer, s+token)
				}
			}
			texts, longest = append(texts, longer...), longer
		}
		for _, s := range texts {
			for _, form := range []Form{Reference, OriginForm} {
				var v, w StringView
				if v.Scan(form, s) != nil {
					if form |= Lenient; v.Scan(form, s) != nil {
						continue
					}
				}
				for _, steps := range []Step{
					SchemeBased, RemoveDotSegments, DecodeUnreserved,
					LowercaseHost | UppercaseEscapes,
				} {
					want, needed := slowNormalize(form, s, steps)
					requireEqual(t, want, string(v.AppendNormalized(nil, steps)), "%q, steps %b", s, steps)
					requireEqual(t, needed, v.StepsNeeded(steps), "%q, steps %b", s, steps)
					require.NoError(t, w.Scan(form, want), "%q of %q", want, s)
					requireEqual(t, v.Has(Authority), w.Has(Authority), "%q of %q", want, s)
					require.True(t, w.IsNormalized(steps), "%q of %q, steps %b", want, s, steps)
					require.True(t, Equivalent(&v, &w, steps), "%q, %q, steps %b", s, want, steps)
					requireEqual(t, v.Hash(1, steps), w.Hash(1, steps), "%q, %q, steps %b", s, want, steps)
				}
			}
		}
	}
}
