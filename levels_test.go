package uri

import (
	"bytes"
	"cmp"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLevels lets no level go untested where it could run. URI_LEVEL names the best level of a processor that is emulated:
// what the system says is then of another one.
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

// finding is all that the scanner finds in a text.
type finding struct {
	scan, prefix     offsets
	scanned, matched int // lengths of the texts that the offsets are of
	why, prefixWhy   error
}

// stale is what a view may have before a scan: it must make no difference.
var stale = offsets{
	0xA5A5A5A5, 0xA5A5A5A5, 0xA5A5A5A5, 0xA5A5A5A5, 0xA5A5A5A5, 0xA5A5A5A5, 0xA5A5A5A5, 0xA5A5A5A5, 0xA5A5A5A5, 0xA5A5, 0xA5A5,
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

// requireSame requires of every level that it finds in s what the portable one finds in it elsewhere.
func requireSame(t *testing.T, form Form, s, elsewhere []byte) {
	levels[0].use()
	want := find(form, elsewhere)
	for _, level := range levels {
		level.use()
		requireEqual(t, want, find(form, s), "level %s, form %d of %q", level.name, form, elsewhere)
	}
	require.True(t, bytes.Equal(s, elsewhere), "the input is as it was")
}

// requireSameMasks is requireSame for the masks of a block.
func requireSameMasks(t *testing.T, s, elsewhere []byte) {
	var want masks
	classifyGeneric(text(elsewhere), &want)
	if want.percent == 0 {
		want.hex = 0 // not to be read
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

// TestCorpora scans the bundled lines, and those of the folder that URI_CORPUS names, as every form at every level.
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
