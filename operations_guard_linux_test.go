package uri

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// slowGlance is glance as its clues are told.
func slowGlance(s string, head int) (found clues) {
	if strings.ContainsAny(s[:head], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		found |= clueUpper
	}
	if strings.Contains(s, "/.") {
		found |= clueDot
	}
	if strings.Contains(s[head:], "//") {
		found |= clueSlash
	}
	return found
}

// TestOperationGuardPages has texts that end and texts that begin where memory does, or up to 63 bytes from there. At every
// level the operations find in them what they find elsewhere, whatever bytes stand beside them.
func TestOperationGuardPages(t *testing.T) {
	const maxLength = 200
	random := rand.New(rand.NewSource(3986))
	page := guarded(t)
	for _, alphabet := range []string{
		"a", "abcdefghijklmnop/.", "a/", "ab@[Z`z/", "%4aA2Ee/.", "/.A", "abcdefghijklmnopqrstuvwxyz0123456789-_~!$&'()*+,;=",
	} {
		taken := func(b []byte) {
			for i := range b {
				b[i] = alphabet[random.Intn(len(alphabet))]
			}
		}
		for i := range page {
			page[i] = "/.AZ%@[ \x80"[random.Intn(9)]
		}
		for n := range maxLength + 1 {
			for shift := range blockSize {
				s := make([]byte, n)
				taken(s)
				elsewhere := string(s)
				for _, at := range [][]byte{page[shift:][:n], page[len(page)-shift-n:][:n]} {
					copy(at, s)
					for _, level := range levels {
						level.use()
						for _, head := range []int{0, n, random.Intn(n + 1)} {
							require.Equal(t, slowGlance(elsewhere, head), glance(text(at), head), "level %s, %q, head %d", level.name, elsewhere, head)
						}
						if shift%9 == 0 {
							requireSameOperations(t, at, elsewhere)
						}
					}
				}
			}
		}
	}
}

// requireSameOperations requires of the operations that they make of s what they make of it elsewhere.
func requireSameOperations(t *testing.T, s []byte, elsewhere string) {
	t.Helper()
	require.Equal(t, string(AppendEncode(nil, elsewhere, Path.Set())), string(AppendEncode(nil, s, Path.Set())))
	require.Equal(t, EncodedLen(elsewhere, Set{}), EncodedLen(s, Set{}))
	decoded, err := AppendDecode(nil, s)
	again, errAgain := AppendDecode(nil, elsewhere)
	require.Equal(t, errAgain, err)
	require.Equal(t, string(again), string(decoded))
	require.Equal(t, string(AppendRedacted(nil, elsewhere, nil)), string(AppendRedacted(nil, s, nil)))
	require.Equal(t, string(AppendRemoveDotSegments(nil, elsewhere)), string(AppendRemoveDotSegments(nil, s)))

	var v View
	var w StringView
	err = v.Scan(Reference|Lenient, s)
	require.Equal(t, w.Scan(Reference|Lenient, elsewhere), err)
	require.Equal(t, w.Traits(), v.Traits(), "%q", elsewhere)
	require.Equal(t, w.StepsNeeded(SchemeBased), v.StepsNeeded(SchemeBased), "%q", elsewhere)
	require.Equal(t, w.Hash(1, SchemeBased), v.Hash(1, SchemeBased), "%q", elsewhere)
	require.True(t, Equivalent(&v, &w, SchemeBased), "%q", elsewhere)
	require.Equal(t, string(w.AppendNormalized(nil, SchemeBased)), string(v.AppendNormalized(nil, SchemeBased)), "%q", elsewhere)
}
