package uri

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/long"
)

func TestSegmentsBackward(t *testing.T) {
	for _, row := range []struct {
		in        string
		backward  []string
		last      string
		extension string
	}{
		{"", nil, "", ""},
		{"/", []string{"", ""}, "", ""},
		{"a", []string{"a"}, "a", ""},
		{"/a.b/c.tar.gz?d.e#f.g", []string{"c.tar.gz", "a.b", ""}, "c.tar.gz", "gz"},
		{"/v1.2/users", []string{"users", "v1.2", ""}, "users", ""},
		{"http://h.com", nil, "", ""},
		{"/a.b/", []string{"", "a.b", ""}, "", ""},
		{"//h//", []string{"", "", ""}, "", ""},
		{".x", []string{".x"}, ".x", ""},
		{"/.", []string{".", ""}, ".", ""},
		{"/..", []string{"..", ""}, "..", ""},
		{"/...", []string{"...", ""}, "...", ""},
		{"/..x", []string{"..x", ""}, "..x", "x"},
		{"/a.", []string{"a.", ""}, "a.", ""},
		{"/a.gz;v=3", []string{"a.gz;v=3", ""}, "a.gz;v=3", "gz;v=3"},
		{"/.a.b", []string{".a.b", ""}, ".a.b", "b"},
		{"/a%2Eb%2Fc", []string{"a%2Eb%2Fc", ""}, "a%2Eb%2Fc", ""},
		{"urn:a.b:c", []string{"a.b:c"}, "a.b:c", "b:c"},
	} {
		v, w := views(t, row.in)
		var backward []string
		for segment := range v.SegmentsBackward() {
			assert.Equal(t, len(segment), cap(segment), "clipped")
			backward = append(backward, string(segment))
		}
		assert.Equal(t, row.backward, backward, row.in)
		assert.Equal(t, row.last, string(v.LastSegment()), row.in)
		assert.Equal(t, row.last, w.LastSegment(), row.in)
		assert.Equal(t, row.extension, string(v.Extension()), row.in)
		assert.Equal(t, row.extension, w.Extension(), row.in)
		assert.Equal(t, len(v.LastSegment()), cap(v.LastSegment()), "clipped")
		assert.Equal(t, len(v.Extension()), cap(v.Extension()), "clipped")
	}
}

func TestRemoveDotSegments(t *testing.T) {
	for path, want := range map[string]string{
		"":                   "",
		"/a/b/c/./../../g":   "/a/g", // RFC 3986 section 5.2.4: both examples
		"mid/content=5/../6": "mid/6",
		".":                  "",
		"..":                 "",
		"../":                "",
		"./../a":             "a",
		"/.":                 "/",
		"/..":                "/",
		"/../../a":           "/a",
		"a/..":               "/", // follows the RFC literally
		"a/../b":             "/b",
		"a/b/../c":           "a/c",
		"/a/../":             "/",
		"/a//../b":           "/a/b",
		"/a/..//b":           "//b", // follows the RFC literally; needs a guard if written after no authority
		"/.//b":              "//b",
		"//..":               "/",
		"/...":               "/...",
		"/.a/..b/c./d..":     "/.a/..b/c./d..",
		"/%2e%2E/.":          "/%2e%2E/",
		"../a/../../b":       "/b",
		"a/.b/..":            "a/",
		"./a234567890123456": "a234567890123456", // longer than what one glance covers
	} {
		assert.Equal(t, want, appended(t, func(dst []byte) []byte { return AppendRemoveDotSegments(dst, path) }),
			path)
		assert.Equal(t, want, appended(t,
			func(dst []byte) []byte { return AppendRemoveDotSegments(dst, []byte(path)) }), path)
		assert.Equal(t, want, string(RemoveDotSegmentsInPlace([]byte(path))), path)
		dst := make([]byte, 0, len(path))
		assert.Equal(t, cap(dst), cap(AppendRemoveDotSegments(dst, path)), "%s: there is room", path)
		slow, _ := slowRemoveDotSegments(path)
		assert.Equal(t, want, slow, "slow twin: %s", path)
	}
}

// TestLongPaths has paths that are appended part by part, each part after a search for dot segments. The
// paths have a segment that begins with a dot, or none, wherever a part may end. A path that begins with
// "//", which the path of a request may do, is guarded.
func TestLongPaths(t *testing.T) {
	const part = longPath / 2
	lengths := []int{longPath - 1, longPath, 3 * part, 4*part + 1}
	for _, n := range long.Sample(t, lengths[2:3], lengths) {
		for _, with := range []string{"", "//", "/.a/", "/./", "/../", "/b/../.."} {
			for end := part; end < n; end += part {
				for at := end - len(with) - 1; at <= min(end+1, n-len(with)); at++ {
					path := strings.Repeat("a", at) + with + strings.Repeat("a", n-at-len(with))
					want, _ := slowRemoveDotSegments(path)
					out := appended(t, func(dst []byte) []byte { return AppendRemoveDotSegments(dst, path) })
					requireEqual(t, want, out, "%d bytes, %q at %d", n, with, at)
					for _, row := range []struct {
						base, before string
						form         Form
					}{
						{"s://h/b/c?d", "", Reference},
						{"s:/../b/./c", "", Reference},
						{"s://h/b/c", "x:", Reference},
						{"s:b", "//g/../", Reference},
						{"s:b", "//", OriginForm},
					} {
						vb, _ := views(t, row.base)
						vr, _ := views(t, row.before+path+"?q", row.form)
						slow, above := slowResolve(slowParts(Reference, row.base), slowParts(row.form, vr.src), true)
						var options ResolveOption
						if above && at%2 == 0 {
							options = RejectAboveRoot
						}
						out, why := appendedOr(t, func(dst []byte) ([]byte, error) {
							return AppendResolved(dst, &vb, &vr, options)
						})
						if options != 0 {
							requireEqual(t, ErrPath, why, "%+v, %d bytes, %q at %d", row, n, with, at)
							continue
						}
						requireEqual(t, slow.text(), out, "%+v, %d bytes, %q at %d", row, n, with, at)
					}
				}
			}
		}
	}
}

func FuzzRemoveDots(f *testing.F) {
	operands(f, func(s string) { f.Add(s) })
	for _, s := range []string{
		"/a/b/c/./../../g", "mid/content=5/../6", "a//../..//", "../.././..",
		"/.../..a/.a./", "./..", "/x/../../y/./",
	} {
		f.Add(s)
		f.Add(strings.Repeat(s, 30))
	}
	f.Fuzz(func(t *testing.T, path string) {
		path = shortened(path)
		want, _ := slowRemoveDotSegments(path)
		b := []byte(path)
		requireEqual(t, want, appended(t, func(dst []byte) []byte { return AppendRemoveDotSegments(dst, path) }))
		requireEqual(t, want, appended(t, func(dst []byte) []byte { return AppendRemoveDotSegments(dst, b) }))
		requireEqual(t, path, string(b), "the input is unchanged")
		for _, level := range levels {
			level.use()
			b = []byte(path)
			out := RemoveDotSegmentsInPlace(b)
			requireEqual(t, want, string(out), "level %s", level.name)
			require.LessOrEqual(t, len(out), len(b))
			if len(out) > 0 {
				require.Contains(t, addresses(b), &out[0], "it is in place")
			}
		}
	})
}

// addresses returns the addresses of the bytes of b.
func addresses(b []byte) (all []*byte) {
	for i := range b {
		all = append(all, &b[i])
	}
	return all
}

func FuzzPath(f *testing.F) {
	operands(f, func(s string) {
		f.Add(s, uint8(Reference))
		f.Add(s, uint8(OriginForm))
	})
	f.Fuzz(func(t *testing.T, s string, form uint8) {
		s = shortened(s)
		v, w, as, ok := scanned(t, Form(form)&7, s)
		if !ok {
			return
		}
		requirePath(t, &v, as, s)
		requirePath(t, &w, as, s)
	})
}

func requirePath[T Text](t *testing.T, v *ViewOf[T], form Form, s string) {
	u := slowParts(form, s)
	var want []string
	if u.path != "" {
		want = strings.Split(u.path, "/")
	}
	collect := func(seq func(func(T) bool), stop int) (all []string) {
		for segment := range seq {
			if all = append(all, string(segment)); len(all) == stop {
				break
			}
		}
		return all
	}
	for _, level := range levels {
		level.use()
		require.Equal(t, want, collect(v.Segments(), -1))
		slices.Reverse(want)
		require.Equal(t, want, collect(v.SegmentsBackward(), -1), "%q", s)
		for n := 1; n <= min(3, len(want)); n++ {
			require.Equal(t, want[:n], collect(v.SegmentsBackward(), n), "%q", s)
		}
		slices.Reverse(want)

		last := u.path[strings.LastIndex(u.path, "/")+1:]
		requireEqual(t, last, string(v.LastSegment()), "%q", s)
		requireEqual(t, slowExtension(last), string(v.Extension()), "%q", s)

		u := slowParts(form, s)
		target := u.path
		if u.query != nil {
			target += "?" + *u.query
		}
		requireEqual(t, target, string(v.RequestTarget()), "%q", s)
		u.fragment = nil
		requireEqual(t, u.text(), string(v.WithoutFragment()), "%q", s)
	}
}

func TestSegment(t *testing.T) {
	for _, path := range []string{"", "/", "/a/b", "a//b/", "//", "a"} {
		v, w := views(t, path, OriginForm)
		segments := slices.Collect(w.Segments())
		for n := -1; n < len(segments)+2; n++ {
			got, ok := v.Segment(n)
			require.Equal(t, n >= 0 && n < len(segments), ok, "%q, %d", path, n)
			if ok {
				require.Equal(t, segments[n], string(got), "%q, %d", path, n)
				require.Equal(t, len(got), cap(got), "clipped")
			} else {
				require.Empty(t, got)
			}
		}
	}
}
