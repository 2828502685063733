package uri

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRewrittenRuns normalizes runs of bytes that are rewritten and of bytes that are not, of all lengths up
// to more than one call rewrites. A buffer that is exactly large enough for the result suffices.
func TestRewrittenRuns(t *testing.T) {
	const longest = len(scratch{}.rewritten) + 2
	for _, head := range []string{"//", "/", "s:?"} {
		for _, unit := range []string{"%41", "%7e", "%c3", "%C3", "A", "b", "%2e/", "%41%c3A", "%%41"} {
			for n := 1; n <= longest; n++ {
				for _, tail := range []string{"", "c", strings.Repeat("c", n), strings.Repeat("%42", n), "A%c3", "%4"} {
					s := head + strings.Repeat(unit, n) + tail
					v, w, as, ok := scanned(t, Reference, s)
					if !ok {
						require.Equal(t, "//", head, "only a host has no broken escape: %q", s)
						continue
					}
					for _, steps := range []Step{SyntaxBased, UppercaseEscapes, DecodeUnreserved | LowercaseHost} {
						want, _ := slowNormalize(as, s, steps)
						requireEqual(t, want, appended(t, func(dst []byte) []byte { return v.AppendNormalized(dst, steps) }),
							"%q", s)
						dst := make([]byte, len(want))
						out := w.AppendNormalized(dst[:0], steps)
						requireEqual(t, want, string(out), "%q", s)
						require.Same(t, &dst[0], &out[0], "%q", s)
						var again View
						require.NoError(t, again.Scan(as, out), "%q of %q", out, s)
						require.True(t, Equivalent(&v, &again, steps), "%q, %q", s, out)
						requireEqual(t, v.Hash(1, steps), again.Hash(1, steps), "%q, %q", s, out)
					}
				}
			}
		}
	}
}
