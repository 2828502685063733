package uri

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/long"
)

// found returns the URIs that Find finds. It checks the views, and that the loop can end after each.
func found[T Text](t *testing.T, form Form, s T, schemes []string) (all []located) {
	before := string(s)
	for at, v := range Find(form, s, schemes...) {
		all = append(all, located{at, string(v.Text())})
		var w ViewOf[T]
		requireEqual(t, nil, w.Scan(form, v.Text()), "%q", before)
		requireEqual(t, w.offsets, v.offsets, "%q", before)
		requireEqual(t, string(s[at:at+len(v.Text())]), string(v.Text()), "%q", before)
		n := 0
		for range Find(form, s, schemes...) {
			if n++; n == len(all) {
				break
			}
		}
	}
	requireEqual(t, before, string(s), "the input is unchanged")
	return all
}

// requireFound requires Find to find what the slow twin finds, at every level.
func requireFound(t *testing.T, form Form, s string, schemes ...string) {
	want := slowFind(form, s, schemes)
	for _, level := range levels {
		level.use()
		if got := found(t, form, s, schemes); !slices.Equal(want, got) {
			require.Equal(t, want, got, "level %s, %v %v: %q", level.name, form, schemes, s)
		}
	}
	if got := found(t, form, []byte(s), schemes); !slices.Equal(want, got) {
		require.Equal(t, want, got, "%v %v: bytes %q", form, schemes, s)
	}
}

// TestSmallFinds has all texts of a few tokens, alone and as the end of a URI.
func TestSmallFinds(t *testing.T) {
	tokens := []string{
		"x:", "http:", "//", "/", "h", "1", "+", ":", "@", ".", "(", ")", "[", "]", "{", "}", "'", "#", "?", "%",
		"%41", "ä", "”", " ", "<", "|", "\\", "\xFF", "[::1]",
	}
	stride := long.Sample(t, 61, 7, 1)
	n := 0
	var visit func(s string, depth int)
	visit = func(s string, depth int) {
		if n++; n%stride == 0 {
			for _, form := range []Form{URI, AbsoluteURI, URI | Lenient, AbsoluteURI | Lenient} {
				for _, start := range []string{"", "x://h", "'http://h/(", "x:y"} {
					requireFound(t, form, start+s)
					requireFound(t, form, start+s, "http", "x")
				}
			}
		}
		if depth > 0 {
			for _, token := range tokens {
				visit(s+token, depth-1)
			}
		}
	}
	visit("", 3)
}
