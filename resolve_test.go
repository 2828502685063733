package uri

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/long"
)

// TestResolve has all examples of RFC 3986 section 5.4, and cases that other libraries get wrong. If a
// reference begins with the base's scheme, the last column gives its target when that scheme is ignored; if
// the column is empty, the target is the same.
func TestResolve(t *testing.T) {
	const base = "http://a/b/c/d;p?q"
	type row struct{ base, ref, want, compatible string }
	examples := []row{
		// 5.4.1: normal examples
		{base, "g:h", "g:h", ""},
		{base, "g", "http://a/b/c/g", ""},
		{base, "./g", "http://a/b/c/g", ""},
		{base, "g/", "http://a/b/c/g/", ""},
		{base, "/g", "http://a/g", ""},
		{base, "//g", "http://g", ""},
		{base, "?y", "http://a/b/c/d;p?y", ""},
		{base, "g?y", "http://a/b/c/g?y", ""},
		{base, "#s", "http://a/b/c/d;p?q#s", ""},
		{base, "g#s", "http://a/b/c/g#s", ""},
		{base, "g?y#s", "http://a/b/c/g?y#s", ""},
		{base, ";x", "http://a/b/c/;x", ""},
		{base, "g;x", "http://a/b/c/g;x", ""},
		{base, "g;x?y#s", "http://a/b/c/g;x?y#s", ""},
		{base, "", "http://a/b/c/d;p?q", ""},
		{base, ".", "http://a/b/c/", ""},
		{base, "./", "http://a/b/c/", ""},
		{base, "..", "http://a/b/", ""},
		{base, "../", "http://a/b/", ""},
		{base, "../g", "http://a/b/g", ""},
		{base, "../..", "http://a/", ""},
		{base, "../../", "http://a/", ""},
		{base, "../../g", "http://a/g", ""},

		// 5.4.2: abnormal examples
		{base, "../../../g", "http://a/g", ""},
		{base, "../../../../g", "http://a/g", ""},
		{base, "/./g", "http://a/g", ""},
		{base, "/../g", "http://a/g", ""},
		{base, "g.", "http://a/b/c/g.", ""},
		{base, ".g", "http://a/b/c/.g", ""},
		{base, "g..", "http://a/b/c/g..", ""},
		{base, "..g", "http://a/b/c/..g", ""},
		{base, "./../g", "http://a/b/g", ""},
		{base, "./g/.", "http://a/b/c/g/", ""},
		{base, "g/./h", "http://a/b/c/g/h", ""},
		{base, "g/../h", "http://a/b/c/h", ""},
		{base, "g;x=1/./y", "http://a/b/c/g;x=1/y", ""},
		{base, "g;x=1/../y", "http://a/b/c/y", ""},
		{base, "g?y/./x", "http://a/b/c/g?y/./x", ""},
		{base, "g?y/../x", "http://a/b/c/g?y/../x", ""},
		{base, "g#s/./x", "http://a/b/c/g#s/./x", ""},
		{base, "g#s/../x", "http://a/b/c/g#s/../x", ""},
		{base, "http:g", "http:g", "http://a/b/c/g"},
	}
	require.Len(t, examples, 42)
	t.Log(len(examples), "examples of RFC 3986 section 5.4")
	for _, row := range append(examples, []row{
		// The scheme is ignored.
		{base, "HTTP:g", "HTTP:g", "http://a/b/c/g"},
		{"HTTP://a/b", "http:", "http:", "HTTP://a/b"},
		{base, "http:", "http:", "http://a/b/c/d;p?q"},
		{base, "http:?y#s", "http:?y#s", "http://a/b/c/d;p?y#s"},
		{base, "http:/g", "http:/g", "http://a/g"},
		{base, "HTTP://g", "HTTP://g", "http://g"},
		{base, "https:g", "https:g", ""},

		// What other libraries get wrong: no authority may be gained or changed.
		{"a://foo/", "a://foo/..//", "a://foo//", ""},
		{"http://h/a", "..//evil", "http://h//evil", ""},
		{"s:/a/b", ".//evil", "s:/a//evil", ""},
		{"s:/a", ".//evil", "s:/.//evil", ""},
		{"s:/a/b", "..//evil", "s:/.//evil", ""},
		{"s:a", "b/..//evil", "s:/.//evil", ""},
		{"s:", "/.//evil", "s:/.//evil", ""},
		{base, "x:/a/..//evil", "x:/.//evil", ""},
		{"http://a/b?q#x", "#", "http://a/b?q#", ""},
		{"http://a/b?q#x", "", "http://a/b?q", ""},
		{"http://a/b?q#x", "?", "http://a/b?", ""},
		{"http://u:p@h:8/", "//other/", "http://other/", ""},
		{"http://u:p@h:8/", "/x", "http://u:p@h:8/x", ""},
		{"http://u:p@h:8", "x", "http://u:p@h:8/x", ""},
		{"http://h", "?y", "http://h?y", ""},
		{"http://@h:", "x", "http://@h:/x", ""},
		{"s:", "x", "s:x", ""},
		{"s:a/b", "..", "s:/", ""}, // follows the RFC literally
		{"s:a/b", "./x:y", "s:a/x:y", ""},
		{"s:../../a?q", "#f", "s:../../a?q#f", ""}, // the base's path does not change
		{"s:../../a", "b", "s:b", ""},
		{"http://h/%2e%2E/a", "%2e%2e/b", "http://h/%2e%2E/%2e%2e/b", ""}, // no dots
		{"http://h/[a]/%", "\\?{}#<", "http://h/[a]/\\?{}#<", ""},         // lenient
	}...) {
		for _, options := range []ResolveOption{0, BackwardCompatible} {
			want := row.want
			if options != 0 && row.compatible != "" {
				want = row.compatible
			}
			vb, wb := views(t, row.base)
			vr, wr := views(t, row.ref)
			out, why := appendedOr(t, func(dst []byte) ([]byte, error) {
				return AppendResolved(dst, &vb, &wr, options)
			})
			assert.Zero(t, why, "%q, %q", row.base, row.ref)
			assert.Equal(t, want, out, "%q, %q, options %b", row.base, row.ref, options)
			out, _ = appendedOr(t, func(dst []byte) ([]byte, error) { return AppendResolved(dst, &wb, &vr, options) })
			assert.Equal(t, want, out, "%q, %q, options %b", row.base, row.ref, options)
			slow, _ := slowResolve(slowParts(Reference, row.base), slowParts(Reference, row.ref), options == 0)
			assert.Equal(t, want, slow.text(), "slow twin: %q, %q", row.base, row.ref)
			assert.Equal(t, slow, slowParts(Reference, out), "%q, %q: what was meant", row.base, row.ref)
			dst := make([]byte, 0, len(row.base)+len(row.ref)+2)
			resolved, _ := AppendResolved(dst, &vb, &vr, options)
			assert.Equal(t, cap(dst), cap(resolved), "%q, %q: there is room", row.base, row.ref)
		}
	}

	// A request target as reference: its path may begin with "//", and must not become an authority.
	vb, _ := views(t, "s:/a")
	vr, _ := views(t, "//evil", OriginForm)
	out, why := appendedOr(t, func(dst []byte) ([]byte, error) { return AppendResolved(dst, &vb, &vr, 0) })
	assert.Zero(t, why)
	assert.Equal(t, "s:/.//evil", out)
}

func TestResolveErrors(t *testing.T) {
	for _, row := range []struct {
		base, ref string
		options   ResolveOption
		why       Error
	}{
		{"", "http://h/", 0, ErrScheme},
		{"//h/", "a", 0, ErrScheme},
		{"a/b", "c", BackwardCompatible | RejectAboveRoot, ErrScheme},
		{"http://a/b/c/d", "../../../g", RejectAboveRoot, ErrPath},
		{"http://a/b/c/d", "../../g", RejectAboveRoot, 0},
		{"http://a/b/c/d", "/../g", RejectAboveRoot, ErrPath},
		{"http://a/b/c/d", "g/../../../../h", RejectAboveRoot, ErrPath},
		{"http://a/b/c/d", "//h/..", RejectAboveRoot, ErrPath},
		{"http://a/b/c/d", "//h/a/..", RejectAboveRoot, 0},
		{"http://a/b/c/d", "x:../y", RejectAboveRoot, ErrPath},
		{"http://a/b/c/d", "x:..", RejectAboveRoot, ErrPath},
		{"http://a/b/c/d", "x:y/..", RejectAboveRoot, 0},
		{"http://a/b/c/d", "x:./y", RejectAboveRoot, 0},
		{"http://a", "..", RejectAboveRoot, ErrPath},
		{"http://a/b//", "../..", RejectAboveRoot, 0}, // an empty segment counts
		{"http://a/b//", "../../..", RejectAboveRoot, ErrPath},
		{"s:a", "..", RejectAboveRoot, ErrPath},
		{"s:a/b", "..", RejectAboveRoot, 0},
		{"http://a/../b", "?q", RejectAboveRoot, ErrPath}, // the base's path is part of the result
		{"http://a/../b", "", RejectAboveRoot, ErrPath},
		{"http://a/%2E./b", "#f", RejectAboveRoot, ErrPath},
		{"http://a/b/../c", "?q", RejectAboveRoot, 0},
		{"http://a/../b", "/c", RejectAboveRoot, 0}, // here it is not
		{"http://a/../b", "//h/c", RejectAboveRoot, 0},
		{"x:../b", "?q", RejectAboveRoot, ErrPath},
		{"x:", "..", RejectAboveRoot, ErrPath},
		{"http://a//", "../..", RejectAboveRoot, ErrPath},
		{"http://a//", "..", RejectAboveRoot, 0},
		{"http://a/../b", "c", RejectAboveRoot, ErrPath},
		{"http://a/b", "http:../../c", RejectAboveRoot, ErrPath},
		{"http://a/b", "http:./c", RejectAboveRoot | BackwardCompatible, 0},
		{"http://a/b", "http:../c", RejectAboveRoot | BackwardCompatible, ErrPath},
		{"http://a/b", "?../..#../..", RejectAboveRoot, 0},
		{"http://a/b", "%2e%2e", RejectAboveRoot, ErrPath},
		{"http://a/b/", "%2e.", RejectAboveRoot, 0},
		{"http://a/b/", ".%2E/..", RejectAboveRoot, ErrPath}, // to the RFC, ".." removes ".%2E"
		{"http://a/b/", "%2e/..", RejectAboveRoot, 0},
		{"http://a/b/", "%2e/../..", RejectAboveRoot, ErrPath},
		{"http://a/%2e%2e/b/", "c", RejectAboveRoot, ErrPath},
		{"http://a/%2e%2e/b/", "/c", RejectAboveRoot, 0},
	} {
		vb, _ := views(t, row.base)
		_, wr := views(t, row.ref)
		_, why := appendedOr(t, func(dst []byte) ([]byte, error) {
			return AppendResolved(dst, &vb, &wr, row.options)
		})
		assert.Equal(t, row.why, why, "%q, %q, options %b", row.base, row.ref, row.options)
		if row.why != ErrScheme {
			_, above := slowResolve(slowParts(Reference, row.base), slowParts(Reference, row.ref),
				row.options&BackwardCompatible == 0)
			assert.Equal(t, row.why == ErrPath, above, "slow twin: %q, %q", row.base, row.ref)
		}
	}
	for _, row := range [][2]string{{"http://h/", "/a"}, {"/a", "http://h/"}, {"", ""}} {
		vb, _ := views(t, row[0])
		vt, _ := views(t, row[1])
		_, why := appendedOr(t, func(dst []byte) ([]byte, error) { return AppendRelative(dst, &vb, &vt) })
		assert.Equal(t, ErrScheme, why, "%q, %q", row[0], row[1])
	}
}

func TestRelative(t *testing.T) {
	for _, row := range []struct{ base, target, want string }{
		{"http://h/a/b", "http://h/a/b", ""},
		{"http://h/a/b?q", "http://h/a/b", "b"},
		{"http://h/a/b?q", "http://h/a/b?q#f", "#f"},
		{"http://h/a/b?q", "http://h/a/b?r", "?r"},
		{"http://h/a/b", "http://h/a/c", "c"},
		{"http://h/a/b", "http://h/a/", "."},
		{"http://h/a/b/c", "http://h/a/", ".."},
		{"http://h/a/b", "http://h/", "/"},
		{"http://h/a/bb/cc/d", "http://h/a/bb/x", "../x"},
		{"http://h/some/long/directory/d", "http://h/some/long/directory/x", "x"},
		{"http://h/a/b", "http://g/a/b", "//g/a/b"},
		{"http://h/a/b", "https://h/a/b", "https://h/a/b"},
		{"http://h/a/b", "HTTP://h/a/b", "HTTP://h/a/b"}, // not the same scheme byte for byte
		{"http://h/a/b", "http://h/a/x:y", "./x:y"},
		{"http://h/dir/b", "http://h/dir/:a", "./:a"},
		{"http://h", "http://h/", "/"},
		{"http://h/a", "http://h", "//h"},
		{"http://h/a", "http://h//b", ".//b"},
		{"http://u@h/a", "http://h/a", "//h/a"},
		{"http://h/a/b", "http://h/a/./c/../d", "d"}, // without dot segments
		{"http://h/a/b?q", "http://h/a/b?", "?"},
		{"http://h/a?q", "http://h/a?q", ""},
		{"http://h/?q", "http://h/", "."},
		{"http://h?q", "http://h", "//h"},
		{"s:a/b", "s:a/c", "c"},
		{"s:a/b", "s:c", "s:c"}, // ".." leads to "/c"
		{"s:", "s:a", "a"},
		{"s:", "s:a:b", "./a:b"},
		{"s:a", "s:", "."},
		{"s:/a", "s:/.//b", ".//b"},
		{"s:/.//b", "s:/.//b", ""},
		{"s:/.//b?q", "s:/.//b?r", "?r"},
		{"urn:a:b", "urn:a:c", "./a:c"},
	} {
		vb, _ := views(t, row.base)
		_, wt := views(t, row.target)
		out, why := appendedOr(t, func(dst []byte) ([]byte, error) { return AppendRelative(dst, &vb, &wt) })
		assert.Zero(t, why, "%q, %q", row.base, row.target)
		assert.Len(t, out, len(row.want), "%q, %q: %q, as short as %q", row.base, row.target, out, row.want)
		want, _ := slowResolve(slowParts(Reference, row.base), slowParts(Reference, row.target), true)
		for _, ref := range []string{row.want, out} {
			back, _ := slowResolve(slowParts(Reference, row.base), slowParts(Reference, ref), true)
			assert.Equal(t, want.text(), back.text(), "%q from %q", ref, row.base)
		}
	}
}

// TestShortestRelative resolves every reference of up to five of these bytes. None that leads to the same
// target may be shorter than the one that AppendRelative finds.
func TestShortestRelative(t *testing.T) {
	var refs []string
	texts := []string{""}
	for length := range long.Sample(t, 5, 6) {
		if length > 0 {
			var longer []string
			for _, s := range texts {
				for _, c := range "ah./?#:" {
					longer = append(longer, s+string(c))
				}
			}
			texts = longer
		}
		for _, s := range texts {
			if Valid(Reference, s) {
				refs = append(refs, s)
			}
		}
	}
	for _, base := range []string{
		"h://h/a/a", "h://h", "h://h/", "h://h?a", "h:/a/a?a", "h:a/a", "h:", "h:a?a", "h:/", "h://h/a//",
		"h:/a//a", "h:/.//a", "h:a:a/h:h", "h://h/a/h/a/h?a#a",
	} {
		vb, _ := views(t, base)
		shortest := map[string]string{}
		for _, ref := range refs {
			target, _ := slowResolve(slowParts(Reference, base), slowParts(Reference, ref), true)
			if _, ok := shortest[target.text()]; !ok {
				shortest[target.text()] = ref
			}
		}
		for target, ref := range shortest {
			vt, _ := views(t, target)
			itself, _ := slowResolve(slowParts(Reference, base), slowParts(Reference, target), true)
			require.Equal(t, target, itself.text())
			out, err := AppendRelative(nil, &vb, &vt)
			require.NoError(t, err)
			require.LessOrEqual(t, len(out), len(ref), "%q from %q: %q, not %q", target, base, ref, out)
			require.True(t, Valid(Reference, out), "%q from %q: %q", target, base, out)
			back, _ := slowResolve(slowParts(Reference, base), slowParts(Reference, string(out)), true)
			require.Equal(t, target, back.text(), "%q from %q", out, base)
		}
	}
}

func TestParts(t *testing.T) {
	for _, row := range []struct {
		form                    Form
		in, without, requesting string
	}{
		{Reference, "http://h/a?b#c", "http://h/a?b", "/a?b"},
		{Reference, "http://h?b#", "http://h?b", "?b"},
		{Reference, "http://h", "http://h", ""},
		{Reference, "#", "", ""},
		{Reference, "?#a", "?", "?"},
		{Reference, "a", "a", "a"},
		{Reference, "", "", ""},
		{OriginForm, "//a?b", "//a?b", "//a?b"},
		{AsteriskForm, "*", "*", "*"},
		{HostField, "h:1", "h:1", ""},
	} {
		v, w := views(t, row.in, row.form)
		assert.Equal(t, row.without, string(v.WithoutFragment()), row.in)
		assert.Equal(t, row.without, w.WithoutFragment(), row.in)
		assert.Equal(t, row.requesting, string(v.RequestTarget()), row.in)
		assert.Equal(t, row.requesting, w.RequestTarget(), row.in)
		assert.Equal(t, len(v.WithoutFragment()), cap(v.WithoutFragment()), "clipped")
		assert.Equal(t, len(v.RequestTarget()), cap(v.RequestTarget()), "clipped")
	}
	var zero View
	assert.Empty(t, zero.WithoutFragment())
	assert.Empty(t, zero.RequestTarget())
}

func FuzzResolve(f *testing.F) {
	operands(f, func(s string) {
		for _, base := range []string{"http://a/b/c/d;p?q", "http://a", "s:a/b", "s:/a/b", "s:"} {
			f.Add(base, s, uint8(0))
			f.Add(base, s, uint8(BackwardCompatible))
		}
		f.Add(s, "..//x/../y:z", uint8(RejectAboveRoot))
		f.Add(s, "?x#y", uint8(0))
	})
	f.Fuzz(func(t *testing.T, base, ref string, bits uint8) {
		base, ref = shortened(base), shortened(ref)
		options := ResolveOption(bits) & (BackwardCompatible | RejectAboveRoot)
		vb, wb, asBase, ok := scanned(t, Reference, base)
		if !ok {
			return
		}
		vr, wr, asRef, ok := scanned(t, Reference, ref)
		if !ok {
			return
		}
		got, why := appendedOr(t, func(dst []byte) ([]byte, error) {
			return AppendResolved(dst, &wb, &wr, options)
		})
		for _, other := range []func(dst []byte) ([]byte, error){
			func(dst []byte) ([]byte, error) { return AppendResolved(dst, &vb, &wr, options) },
			func(dst []byte) ([]byte, error) { return AppendResolved(dst, &wb, &vr, options) },
			func(dst []byte) ([]byte, error) { return AppendResolved(dst, &vb, &vr, options) },
		} {
			again, whyAgain := appendedOr(t, other)
			requireEqual(t, got, again)
			requireEqual(t, why, whyAgain)
		}
		requireEqual(t, base, vb.String(), "the input is unchanged")
		requireEqual(t, ref, vr.String(), "the input is unchanged")

		target, above := slowResolve(slowParts(asBase, base), slowParts(asRef, ref),
			options&BackwardCompatible == 0)
		switch {
		case wb.IsRelative():
			requireEqual(t, ErrScheme, why, "%q, %q, options %b", base, ref, options)
			return
		case options&RejectAboveRoot != 0 && above:
			requireEqual(t, ErrPath, why, "%q, %q, options %b", base, ref, options)
			return
		}
		require.Zero(t, why, "%q, %q, options %b", base, ref, options)
		requireEqual(t, target.text(), got, "%q, %q, options %b", base, ref, options)
		require.True(t, inForm(URI|(asBase|asRef)&Lenient, got), "%q of %q and %q", got, base, ref)
		requireEqual(t, target, slowParts(Reference, got), "%q of %q and %q scans to what was meant", got, base,
			ref)
	})
}

func FuzzRelative(f *testing.F) {
	operands(f, func(s string) {
		f.Add("http://a/b/c/d;p?q", 0, s)
		f.Add("http://a/b/c/d;p?q", 12, s)
		f.Add(s, len(s)/2, "/x:y?z")
		f.Add(s, len(s), "")
		f.Add(s, 2, s)
	})
	f.Fuzz(func(t *testing.T, base string, common int, rest string) {
		const most = 2 * blockSize // there are many candidates
		base, rest = base[:min(len(base), most)], rest[:min(len(rest), most)]
		target := base[:uint(common)%uint(len(base)+1)] + rest
		vb, wb, asBase, ok := scanned(t, Reference, base)
		if !ok {
			return
		}
		vt, wt, asTarget, ok := scanned(t, Reference, target)
		if !ok {
			return
		}
		got, why := appendedOr(t, func(dst []byte) ([]byte, error) { return AppendRelative(dst, &wb, &wt) })
		for _, other := range []func(dst []byte) ([]byte, error){
			func(dst []byte) ([]byte, error) { return AppendRelative(dst, &vb, &wt) },
			func(dst []byte) ([]byte, error) { return AppendRelative(dst, &wb, &vt) },
			func(dst []byte) ([]byte, error) { return AppendRelative(dst, &vb, &vt) },
		} {
			again, whyAgain := appendedOr(t, other)
			requireEqual(t, got, again)
			requireEqual(t, why, whyAgain)
		}
		if wb.IsRelative() || wt.IsRelative() {
			requireEqual(t, ErrScheme, why, "%q, %q", base, target)
			return
		}
		require.Zero(t, why, "%q, %q", base, target)
		form := Reference | (asBase|asTarget)&Lenient
		from := slowParts(asBase, base)
		resolved, _ := slowResolve(from, slowParts(asTarget, target), true)
		want := resolved.text()
		require.True(t, inForm(form, got), "%q for %q from %q", got, target, base)
		back, _ := slowResolve(from, slowParts(form, got), true)
		requireEqual(t, want, back.text(), "%q for %q from %q", got, target, base)
		for _, shorter := range shorterReferences(got, base, want) {
			if Valid(form, shorter) {
				back, _ := slowResolve(from, slowParts(form, shorter), true)
				requireEqual(t, false, want == back.text(), "%q is shorter than %q for %q from %q", shorter, got, target,
					base)
			}
		}
	})
}

// shorterReferences returns candidates that are shorter than got: every end of the target, after each prefix
// that can make it a reference. More "../" than there are "/" in the base lead no higher.
func shorterReferences(got, base, target string) (all []string) {
	depth := strings.Count(base, "/") + 1
	for i := range len(target) + 1 {
		rest := target[i:]
		if len(rest) >= len(got) {
			continue
		}
		for _, start := range []string{"", ".", "..", "./", "../", "/", "/.", "/./", "//"} {
			for range depth {
				if len(start)+len(rest) < len(got) {
					all = append(all, start+rest)
				}
				if !strings.HasPrefix(start, "..") {
					break
				}
				start = "../" + start
			}
		}
	}
	return all
}
