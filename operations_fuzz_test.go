package uri

import (
	"bytes"
	"iter"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each fuzz target puts an operation to its slow twin, at every level of the machine, on strings and on bytes, and
// requires what holds whatever the twin says: that output scans to what was meant, and that nothing else is touched.

// shapes are the texts at which other libraries fail after parsing, and one of each kind that has its own rules.
var shapes = []string{
	"scheme:/a/..//evil", "a/../b:c", "a://foo/", "a://foo/..//", "http://h/a", "..//evil", "s:/a/b", ".//evil", "#", "http://a/b/c/d;p?q#x",
	"/a%2Fb", "?k", "?k=", "?a=1&a=2", "?a=1;b=2", "?a+b=c+d", "//%41%4a.example", "/a%zz?token=S3CRET", "/v1.2/users", "http://u:p@h/",
	"http://a/b/c/d;p?q", "http:g", "g;x=1/../y", "g#s/../x", "../../../../g", "/..g", "s:a/..//b/..", "s:/.//c:d", "s:?q", "s:", "urn:a:b",
	"A:/..//+:@?a#0", "//[2001:DB8:0:0::1]:080", "http://[::FFFF:1.2.3.4]:", "ws://h:80", "WSS://h:0443?q", "ftp://h:21#f", "http://h:0/", "//h:",
	"%2e%2E/%2e", "/%2E%2E/x", "/a/%2e./..%2F", "/%%41", "/%4%31", "/%%34%31", "/%g%41", "x:%%41%42", "/a.tar.gz", "/.x", "/..", "/...", "/a.",
	"//0x7f.1", "//%31.2.3.4", "//1.2.3.4.", "//0X.", "/a//b/", "/\\%5c%00%1f%25", "HTTP://EXAMPLE.com/", "s://%C3%a9/%c3", "*", "//h", "/a?b?c",
	"h:443", "[::1]:8080", "?sig=abc&Signature=&a=b&AWSAccessKeyId", "?%73ig=abc", "?sig%zz=abc", "//a@b@c/?sig=x", "http://user@/?X-Goog-Signature=1#sig=2",
}

// operands adds the texts of the other tests to a fuzz target.
func operands(f *testing.F, add func(s string)) {
	seeds(f, add)
	for _, s := range shapes {
		add(s)
	}
	for _, row := range scanRows {
		add(row.in)
	}
}

// shortened limits a text: the slow twins are slow.
func shortened(s string) string { return s[:min(len(s), 10*blockSize)] }

// scanned returns views of s, strict or else lenient, and the form. It is false where s is not of the form.
func scanned(t *testing.T, form Form, s string) (v View, w StringView, as Form, ok bool) {
	if w.Scan(form, s) != nil {
		form |= Lenient
		if w.Scan(form, s) != nil {
			return v, w, form, false
		}
	}
	require.NoError(t, v.Scan(form, []byte(s)))
	return v, w, form, true
}

// inForm tells whether the slow grammar has s in the form, strict or lenient.
func inForm(form Form, s string) bool {
	if form&Lenient == 0 {
		return slowValid(form, s)
	}
	return slowReadLenient(form&^Lenient, s).why == 0
}

// appended returns what f appends, at every level, whatever dst is.
func appended(t *testing.T, f func(dst []byte) []byte) string {
	out, why := appendedOr(t, func(dst []byte) ([]byte, error) { return f(dst), nil })
	requireEqual(t, 0, why)
	return out
}

// room is more than what is appended.
var room = make([]byte, 0, 1<<16)

// appendedOr returns what f appends, or why it cannot, in which case it must return dst as it was. Each kind of dst is tried at
// another level.
func appendedOr(t *testing.T, f func(dst []byte) ([]byte, error)) (appended string, why Error) {
	const before = "//before:@%2E/../?#" // to be kept, and not to be read
	for i, dst := range [][]byte{nil, slices.Clip([]byte(before)), append(room, before...), slices.Clip([]byte(before))} {
		if i == 3 {
			dst = slices.Grow(dst, len(appended)/2) // not all of it
		}
		level := levels[i%len(levels)]
		level.use()
		n := len(dst)
		out, err := f(dst)
		requireEqual(t, before[:n], string(dst), "level %s", level.name)
		requireEqual(t, true, len(out) >= n)
		requireEqual(t, before[:n], string(out[:n]), "level %s", level.name)
		var reason Error
		if err != nil {
			reason = err.(Error)
			require.Len(t, out, n, "dst is as it was")
			requireEqual(t, cap(dst), cap(out), "dst is as it was")
		}
		if i > 0 {
			requireEqual(t, appended, string(out[n:]), "level %s, dst %q", level.name, dst)
			requireEqual(t, why, reason, "level %s, dst %q", level.name, dst)
		}
		appended, why = string(out[n:]), reason
	}
	return appended, why
}

func FuzzPercent(f *testing.F) {
	operands(f, func(s string) { f.Add(s, unreserved) })
	f.Add("a b+ä%2B%", alphas+"%")
	f.Add("%4", "\x00\x7F\x80\xFF")
	f.Fuzz(func(t *testing.T, s, chars string) {
		s = shortened(s)
		b := []byte(s)
		keep := NewSet(chars)
		ascii := strings.Map(func(r rune) rune {
			if r >= 0x80 {
				return -1
			}
			return r
		}, chars)

		want := slowEncode(s, ascii)
		encoded := appended(t, func(dst []byte) []byte { return AppendEncode(dst, s, keep) })
		requireEqual(t, want, encoded)
		requireEqual(t, want, appended(t, func(dst []byte) []byte { return AppendEncode(dst, b, keep) }))
		requireEqual(t, len(want), EncodedLen(s, keep))
		requireEqual(t, len(want), EncodedLen(b, keep))
		if !strings.Contains(ascii, "%") {
			requireDecoded(t, encoded, s)
			require.True(t, EqualDecoded(encoded, b))
		}

		want, whole := slowDecode(s)
		if whole {
			requireDecoded(t, s, want)
		} else {
			for range 2 { // as string and as bytes, then in place
				out, why := appendedOr(t, func(dst []byte) ([]byte, error) { return AppendDecode(dst, b) })
				requireEqual(t, ErrPercent, why)
				require.Empty(t, out)
				out, why = appendedOr(t, func(dst []byte) ([]byte, error) { return AppendDecode(dst, s) })
				requireEqual(t, ErrPercent, why)
				require.Empty(t, out)
				same, err := DecodeInPlace(b)
				requireEqual[error](t, ErrPercent, err)
				requireEqual(t, s, string(same))
				requireEqual(t, s, string(b))
			}
		}
		for _, plain := range []string{want, s, chars, want + "x", "x" + want, strings.TrimSuffix(want, "x")} {
			equal := whole && plain == want
			requireEqual(t, equal, EqualDecoded(s, plain), "%q", plain)
			requireEqual(t, equal, EqualDecoded(b, plain), "%q", plain)
			requireEqual(t, equal, EqualDecoded(s, []byte(plain)), "%q", plain)
			requireEqual(t, equal, EqualDecoded(b, []byte(plain)), "%q", plain)
		}

		form := appended(t, func(dst []byte) []byte { return AppendFormEncode(dst, b) })
		requireEqual(t, slowFormEncode(s), form)
		requireEqual(t, form, appended(t, func(dst []byte) []byte { return AppendFormEncode(dst, s) }))
		decoded, why := appendedOr(t, func(dst []byte) ([]byte, error) { return AppendFormDecode(dst, form) })
		require.Zero(t, why)
		requireEqual(t, s, decoded)
		want, whole = slowFormDecode(s)
		decoded, why = appendedOr(t, func(dst []byte) ([]byte, error) { return AppendFormDecode(dst, b) })
		requireEqual(t, whole, why == 0)
		requireEqual(t, want, decoded)
		requireEqual(t, s, string(b), "the input is as it was")
	})
}

// requireDecoded decodes encoded in every way.
func requireDecoded(t *testing.T, encoded, want string) {
	b := []byte(encoded)
	out, why := appendedOr(t, func(dst []byte) ([]byte, error) { return AppendDecode(dst, encoded) })
	require.Zero(t, why)
	requireEqual(t, want, out)
	out, why = appendedOr(t, func(dst []byte) ([]byte, error) { return AppendDecode(dst, b) })
	require.Zero(t, why)
	requireEqual(t, want, out)
	for _, level := range levels {
		level.use()
		b := []byte(encoded)
		decoded, err := DecodeInPlace(b)
		require.NoError(t, err)
		requireEqual(t, want, string(decoded))
		requireEqual(t, want, string(b[:len(want)]), "it is in place")
	}
}

func FuzzRemoveDots(f *testing.F) {
	operands(f, func(s string) { f.Add(s) })
	for _, s := range []string{"/a/b/c/./../../g", "mid/content=5/../6", "a//../..//", "../.././..", "/.../..a/.a./", "./..", "/x/../../y/./"} {
		f.Add(s)
		f.Add(strings.Repeat(s, 30))
	}
	f.Fuzz(func(t *testing.T, path string) {
		path = shortened(path)
		want, _ := slowRemoveDotSegments(path)
		b := []byte(path)
		requireEqual(t, want, appended(t, func(dst []byte) []byte { return AppendRemoveDotSegments(dst, path) }))
		requireEqual(t, want, appended(t, func(dst []byte) []byte { return AppendRemoveDotSegments(dst, b) }))
		requireEqual(t, path, string(b), "the input is as it was")
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

// addresses are those of the bytes of b.
func addresses(b []byte) (all []*byte) {
	for i := range b {
		all = append(all, &b[i])
	}
	return all
}

func FuzzNormalize(f *testing.F) {
	operands(f, func(s string) {
		f.Add(s, uint8(Reference), uint16(SchemeBased))
		f.Add(s, uint8(OriginForm), uint16(RemoveDotSegments))
		f.Add(s, uint8(HostField), uint16(SyntaxBased|ShortenAddress))
	})
	f.Fuzz(func(t *testing.T, s string, form uint8, bits uint16) {
		s = shortened(s)
		steps := Step(bits)
		v, w, as, ok := scanned(t, Form(form)&7, s)
		if !ok {
			return
		}
		want, needed := slowNormalize(as, s, steps)
		got := appended(t, func(dst []byte) []byte { return w.AppendNormalized(dst, steps) })
		requireEqual(t, want, got, "%q, steps %b", s, steps)
		requireEqual(t, want, appended(t, func(dst []byte) []byte { return v.AppendNormalized(dst, steps) }))
		for _, level := range levels {
			level.use()
			requireEqual(t, needed, w.StepsNeeded(steps), "%q, steps %b", s, steps)
			requireEqual(t, needed, v.StepsNeeded(steps))
			requireEqual(t, needed == 0, w.IsNormalized(steps))
			requireEqual(t, needed == 0, v.IsNormalized(steps))
		}
		requireEqual(t, needed == 0, got == s, "%q, steps %b", s, steps)
		requireEqual(t, s, v.String(), "the input is as it was")

		// It scans, and has what it had: the scheme and the authority are neither gained nor lost.
		if as&^Lenient == AuthorityForm && steps&DropEmptyPort != 0 && strings.HasSuffix(s, ":") {
			as = HostField // which it then is
		}
		require.True(t, inForm(as, got), "%q of %q", got, s)
		var again StringView
		require.NoError(t, again.Scan(as, got), "%q of %q", got, s)
		for _, c := range []Component{Scheme, Authority, Userinfo, Host, Query, Fragment} {
			requireEqual(t, w.Has(c), again.Has(c), "component %d of %q, which was %q", c, got, s)
		}
		require.True(t, strings.EqualFold(w.Scheme(), again.Scheme()))
		for _, part := range [][2]string{{w.Userinfo(), again.Userinfo()}, {w.Query(), again.Query()}, {w.Fragment(), again.Fragment()}} {
			before, _ := slowDecode(part[0])
			after, _ := slowDecode(part[1])
			requireEqual(t, before, after)
		}
		if w.HostKind() == IPv6 {
			requireEqual(t, w.Addr(), again.Addr())
		} else {
			before, _ := slowDecode(w.Host())
			after, _ := slowDecode(again.Host())
			require.True(t, strings.EqualFold(before, after))
		}
		if again.Has(Port) {
			requireEqual(t, w.Port(), again.Port())
		}
		requireEqual(t, got, appended(t, func(dst []byte) []byte { return again.AppendNormalized(dst, steps) }), "it is normalized")
		require.True(t, again.IsNormalized(steps))
	})
}

// disguise encodes those bytes of the path, the query and the fragment of s that a bit of the mask is set for.
func disguise(form Form, s string, mask uint64) string {
	u := slowParts(form, s)
	bit := 0
	encode := func(s string) (disguised string) {
		for _, c := range []byte(s) {
			if strings.IndexByte(unreserved, c) >= 0 && mask>>(bit%64)&1 != 0 {
				disguised += strings.ToLower(slowEncode(string([]byte{c}), ""))
			} else {
				disguised += string([]byte{c})
			}
			bit++
		}
		return disguised
	}
	var path strings.Builder // a digit of an escape is to stay
	end := 0
	for _, at := range pctEncoded.FindAllStringIndex(u.path, -1) {
		path.WriteString(encode(u.path[end:at[0]]) + u.path[at[0]:at[1]])
		end = at[1]
	}
	u.path = path.String() + encode(u.path[end:])
	if u.scheme != nil && mask>>63 != 0 {
		upper := strings.ToUpper(*u.scheme)
		u.scheme = &upper
	}
	return u.text()
}

func FuzzEquivalent(f *testing.F) {
	other := "http://example.com/"
	operands(f, func(s string) {
		f.Add(s, other, uint16(SchemeBased), uint64(0x5555555555555555))
		other = s
	})
	f.Fuzz(func(t *testing.T, a, b string, bits uint16, mask uint64) {
		a, b = shortened(a), shortened(b)
		steps := Step(bits)
		v, w, as, ok := scanned(t, Reference, a)
		if !ok {
			return
		}
		want, _ := slowNormalize(as, a, steps)
		others := []string{a, b, want, disguise(as, a, mask), disguise(as, a, ^mask), disguise(as, want, mask)}
		for _, s := range others {
			v2, w2, as2, ok := scanned(t, Reference, s)
			if !ok {
				continue
			}
			normalized, _ := slowNormalize(as2, s, steps)
			equal := normalized == want
			for _, level := range levels {
				level.use()
				requireEqual(t, equal, Equivalent(&v, &v2, steps), "%q, %q, steps %b", a, s, steps)
				requireEqual(t, equal, Equivalent(&v, &w2, steps))
				requireEqual(t, equal, Equivalent(&w, &v2, steps))
				requireEqual(t, equal, Equivalent(&w2, &w, steps))
				hash := w2.Hash(mask, steps)
				requireEqual(t, hash, v2.Hash(mask, steps))
				if equal {
					requireEqual(t, hash, v.Hash(mask, steps), "%q, %q, steps %b", a, s, steps)
				} else {
					require.NotEqual(t, hash, v.Hash(mask, steps), "%q, %q, steps %b", a, s, steps)
				}
			}
		}
	})
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
		got, why := appendedOr(t, func(dst []byte) ([]byte, error) { return AppendResolved(dst, &wb, &wr, options) })
		for _, other := range []func(dst []byte) ([]byte, error){
			func(dst []byte) ([]byte, error) { return AppendResolved(dst, &vb, &wr, options) },
			func(dst []byte) ([]byte, error) { return AppendResolved(dst, &wb, &vr, options) },
			func(dst []byte) ([]byte, error) { return AppendResolved(dst, &vb, &vr, options) },
		} {
			again, whyAgain := appendedOr(t, other)
			requireEqual(t, got, again)
			requireEqual(t, why, whyAgain)
		}
		requireEqual(t, base, vb.String(), "the input is as it was")
		requireEqual(t, ref, vr.String(), "the input is as it was")

		target, above := slowResolve(slowParts(asBase, base), slowParts(asRef, ref), options&BackwardCompatible == 0)
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
		requireEqual(t, target, slowParts(Reference, got), "%q of %q and %q scans to what was meant", got, base, ref)
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
		base, rest = base[:min(len(base), 2*blockSize)], rest[:min(len(rest), 2*blockSize)] // there are many candidates
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
				requireEqual(t, false, want == back.text(), "%q is shorter than %q for %q from %q", shorter, got, target, base)
			}
		}
	})
}

// shorterReferences are candidates that are shorter than got: every end of the target, after what can make a reference
// of it. More "../" than the base has "/" lead no higher.
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

func FuzzQuery(f *testing.F) {
	operands(f, func(s string) { f.Add(s, "token", byte(';'), uint64(5)) })
	for _, query := range []string{"a=1&b&c=&=d&&a=2", "&", "a&&b", "%61=1&a%zz=2&a%2=3&a+b=4", "a=b=c"} {
		f.Add("http://h/?"+query+"#f", "a", byte('='), uint64(9))
	}
	f.Fuzz(func(t *testing.T, s, key string, separator byte, mask uint64) {
		s, key = shortened(s), shortened(key)
		v, w, as, ok := scanned(t, Reference, s)
		if !ok {
			return
		}
		u := slowParts(as, s)
		for _, separator := range []string{"&", string([]byte{separator})} {
			want := slowParams(orEmpty(u.query), separator)
			requireParams(t, &v, separator, want)
			requireParams(t, &w, separator, want)
		}

		params := slowParams(orEmpty(u.query), "&")
		keys := []string{key, "", "a"}
		for _, param := range params {
			decoded, _ := slowDecode(param[0])
			keys = append(keys, param[0], decoded)
		}
		for _, key := range keys[:min(len(keys), 20)] {
			i := slices.IndexFunc(params, func(param []string) bool { return slowIs(param[0], key) })
			p, ok := v.Param(key)
			q, okToo := w.Param(key)
			requireEqual(t, i >= 0, ok, "%q in %q", key, s)
			requireEqual(t, ok, okToo)
			if ok {
				requireEqual(t, strings.Join(params[i], "="), joined(p))
				require.True(t, p.Is(key))
			}
			requireEqual(t, joined(q), joined(p))
			for _, param := range params {
				requireEqual(t, slowIs(param[0], key), ParamOf[string]{Key: param[0]}.Is(key), "%q, %q", param[0], key)
				requireEqual(t, slowIs(param[0], key), Param{Key: []byte(param[0])}.Is(key), "%q, %q", param[0], key)
			}
		}

		n := 0
		drop := func(param []string) bool {
			n++
			return mask>>((n-1)%64)&1 != 0
		}
		want := slowWithoutParams(as, s, drop)
		dropped := func(joined string) bool { return drop(strings.SplitN(joined, "=", 2)) }
		requireEqual(t, want, appended(t, func(dst []byte) []byte {
			n = 0
			return v.AppendWithoutParams(dst, func(p Param) bool { return dropped(joined(p)) })
		}))
		requireEqual(t, want, appended(t, func(dst []byte) []byte {
			n = 0
			return w.AppendWithoutParams(dst, func(p ParamOf[string]) bool { return dropped(joined(p)) })
		}))
		require.True(t, inForm(as, want), "%q of %q", want, s)
		if all := appended(t, func(dst []byte) []byte {
			return w.AppendWithoutParams(dst, func(p ParamOf[string]) bool { return slowIs(p.Key, key) })
		}); !slices.ContainsFunc(params, func(param []string) bool { return slowIs(param[0], key) }) {
			requireEqual(t, s, all)
		} else {
			var left StringView
			require.NoError(t, left.Scan(as, all))
			_, ok := left.Param(key)
			require.False(t, ok, "%q is gone from %q", key, all)
		}
	})
}

// joined is the text of a parameter.
func joined[T Text](p ParamOf[T]) string {
	if !p.HasValue {
		return string(p.Key)
	}
	return string(p.Key) + "=" + string(p.Value)
}

// requireParams requires the parameters of a view: key, and value if it has one.
func requireParams[T Text](t *testing.T, v *ViewOf[T], separator string, want [][]string) {
	for _, level := range levels {
		level.use()
		seqs := []func() iter.Seq[ParamOf[T]]{func() iter.Seq[ParamOf[T]] { return v.ParamsBy(separator[0]) }}
		if separator == "&" {
			seqs = append(seqs, v.Params)
		}
		for _, seq := range seqs {
			for stop := range min(4, len(want)) + 1 { // after so many; 0 is never
				i := 0
				for p := range seq() {
					require.Less(t, i, len(want), "%q by %q", v.String(), separator)
					requireEqual(t, want[i][0], string(p.Key))
					requireEqual(t, len(want[i]) == 2, p.HasValue)
					requireEqual(t, strings.Join(want[i][1:], ""), string(p.Value))
					if i++; i == stop {
						break
					}
				}
				if stop == 0 {
					require.Len(t, want, i, "%q by %q", v.String(), separator)
				} else {
					requireEqual(t, stop, i)
				}
			}
		}
	}
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

func FuzzTraits(f *testing.F) {
	operands(f, func(s string) {
		f.Add(s, uint8(Reference))
		f.Add(s, uint8(OriginForm))
		f.Add(s, uint8(HostField))
	})
	for _, host := range []string{"1", "0x", "0x.0X1f.00.9", "1.2.3.4.5", "1..2", "1.", ".1", "%30%78%2e", "1.2.3.4", "256.1.1.1", "0xg", "1x", "x0", ""} {
		f.Add("//"+host, uint8(Reference))
	}
	f.Fuzz(func(t *testing.T, s string, form uint8) {
		s = shortened(s)
		v, w, as, ok := scanned(t, Form(form)&7, s)
		if !ok {
			return
		}
		want := slowTraits(as, s)
		if as&Lenient == 0 {
			require.Zero(t, want&(HasBrokenEscape|HasIllegalByte|HasNonASCII))
		}
		for _, level := range levels {
			level.use()
			requireEqual(t, want, v.Traits(), "%q: %b, not %b", s, want, v.Traits())
			requireEqual(t, want, w.Traits(), "%q: %b, not %b", s, want, w.Traits())
		}
	})
}

// appendixB is the regular expression of RFC 3986 Appendix B, which splits any text.
var appendixB = regexp.MustCompile(`(?s)^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?`)

// secretSpans are where the secrets of any text stand: the userinfo, and the values of the parameters with the keys,
// empty ones too.
func secretSpans(s string, keys []string) (spans [][2]int) {
	at := appendixB.FindStringSubmatchIndex(s)
	if authority := at[2*4]; authority >= 0 {
		if i := strings.LastIndex(s[authority:at[2*4+1]], "@"); i >= 0 {
			spans = append(spans, [2]int{authority, authority + i})
		}
	}
	if query := at[2*7]; query >= 0 {
		for param := range strings.SplitSeq(s[query:at[2*7+1]], "&") {
			if key, value, ok := strings.Cut(param, "="); ok && slices.ContainsFunc(keys, func(k string) bool { return slowIs(key, k) }) {
				spans = append(spans, [2]int{query + len(key) + 1, query + len(key) + 1 + len(value)})
			}
			query += len(param) + 1
		}
	}
	return spans
}

func FuzzRedact(f *testing.F) {
	operands(f, func(s string) {
		f.Add(s, "sig", uint(0))
		f.Add(s+"?token=x&b=%zz&token=", "token", uint(7))
		f.Add("http://u:p "+s+"@h/"+s, s, uint(3))
	})
	for at := range uint(17) {
		f.Add("//u:p@h/a?token=x&b", "sig", at)
	}
	f.Fuzz(func(t *testing.T, s, key string, at uint) {
		const secret = "S3CRET"
		s, key = shortened(s), shortened(key)
		keys := []string{key, "token"}
		requireRedacted(t, s, keys)
		requireRedacted(t, s, []string{})
		requireRedacted(t, s, nil)

		// No part of a secret survives, whatever it holds: one is put into each, anywhere. With a space at the end, the text
		// scans as nothing.
		if strings.Contains(s+key, secret) || strings.Contains(key, "REDACTED") {
			return
		}
		for _, span := range secretSpans(s, keys) {
			before := []string{"", ";", ":", "=", "@", "%", ",", "+", " ", "\x00", "[", "\\"}
			if span[0] > 0 && s[span[0]-1] == '=' {
				before = append(before, "?", "/", "//", "//a@", "?a=")
			} else {
				before = append(before, "&", "&a=")
			}
			i := span[0] + int(at%uint(span[1]-span[0]+1))
			text := s[:i] + before[at%uint(len(before))] + secret + s[i:]
			requireRedacted(t, text, keys)
			for _, text := range []string{text, text + " "} {
				out := appended(t, func(dst []byte) []byte { return AppendRedacted(dst, text, keys) })
				require.NotContains(t, out, secret, "%q", text)
				require.Contains(t, out, "REDACTED", "%q", text)
				out = appended(t, func(dst []byte) []byte { return AppendRedacted(dst, []byte(text), keys) })
				require.NotContains(t, out, secret, "%q", text)
			}
		}
	})
}

// requireRedacted requires of a text that scans that all else but its secrets is as it was.
func requireRedacted(t *testing.T, s string, keys []string) {
	b := []byte(s)
	out := appended(t, func(dst []byte) []byte { return AppendRedacted(dst, s, keys) })
	requireEqual(t, out, appended(t, func(dst []byte) []byte { return AppendRedacted(dst, b, keys) }))
	requireEqual(t, s, string(b), "the input is as it was")
	for form := Reference; form <= HostField; form++ {
		v, w, as, ok := scanned(t, form, s)
		if !ok {
			continue
		}
		want := slowRedact(as, s, keys)
		requireEqual(t, want, appended(t, func(dst []byte) []byte { return v.AppendRedacted(dst, keys) }))
		requireEqual(t, want, appended(t, func(dst []byte) []byte { return w.AppendRedacted(dst, keys) }))
		if form == Reference {
			requireEqual(t, want, out, "%q, keys %q", s, keys)
		}
	}
}

func FuzzLenient(f *testing.F) {
	operands(f, func(s string) { f.Add(s) })
	for _, s := range []string{"/%zz[\\]?{}%#\"#\xFF", "a%:b", "[:", "a b", "//h%", "?\x7F#\x00", "http://h/\x1F", "http://h:80%/", "%", "/%", "?%4", "//h/%4"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = shortened(s)
		for form := Reference; form <= HostField; form++ {
			want := slowReadLenient(form, s)
			requireEqual(t, want, read(t, form|Lenient, s), "lenient form %d of %q", form, s)
			requireEqual(t, want, read(t, form|Lenient, []byte(s)), "lenient form %d of bytes %q", form, s)
			if strict := slowRead(form, s); strict.why == 0 {
				requireEqual(t, strict, want, "what is strict is lenient, form %d of %q", form, s)
			}
		}
	})
}

func FuzzRequest(f *testing.F) {
	operands(f, func(s string) {
		f.Add("GET", s, "Example.com:80", "http")
		f.Add("CONNECT", "example.com:443", s, "https")
	})
	f.Add("OPTIONS", "*", "h:0080", "HTTP")
	f.Add("options", "*", "", "x")
	f.Add("CONNECT", "*", "[::1]", "1x")
	f.Add("GET", "http://u@h/", "h", "http")
	f.Add("GET", "HTTP://%41:/p", "a:80", "http")
	f.Add("GET", "x://[::0:1]", "[::1]:", "http")
	f.Fuzz(func(t *testing.T, method, target, host, scheme string) {
		target, host = shortened(target), shortened(host)
		form := slowRequestForm(method, target)
		requireEqual(t, form, RequestForm(method, target))
		requireEqual(t, form, RequestForm([]byte(method), []byte(target)))

		v, w, _, ok := scanned(t, form, target)
		if !ok {
			return
		}
		var vh View
		var wh StringView
		if wh.Scan(HostField, host) != nil || vh.Scan(HostField, []byte(host)) != nil {
			return
		}
		want, reason := slowTargetURI(scheme, form, target, host)
		for _, append := range []func(dst []byte) ([]byte, error){
			func(dst []byte) ([]byte, error) { return AppendTargetURI(dst, scheme, form, &v, &vh) },
			func(dst []byte) ([]byte, error) { return AppendTargetURI(dst, scheme, form, &v, &wh) },
			func(dst []byte) ([]byte, error) { return AppendTargetURI(dst, scheme, form, &w, &vh) },
			func(dst []byte) ([]byte, error) { return AppendTargetURI(dst, scheme, form, &w, &wh) },
		} {
			got, why := appendedOr(t, append)
			requireEqual(t, reason, why, "form %d, %q, %q, %q", form, scheme, target, host)
			requireEqual(t, want, got, "form %d, %q, %q, %q", form, scheme, target, host)
		}
		if reason == 0 {
			require.True(t, Valid(AbsoluteURI|Lenient, want), "%q", want)
		}
		if form == AbsoluteURI {
			agree := slowHostAgrees(target, host)
			for _, level := range levels {
				level.use()
				requireEqual(t, agree, HostAgrees(&v, &vh), "%q, %q", target, host)
				requireEqual(t, agree, HostAgrees(&v, &wh), "%q, %q", target, host)
				requireEqual(t, agree, HostAgrees(&w, &vh), "%q, %q", target, host)
				requireEqual(t, agree, HostAgrees(&w, &wh), "%q, %q", target, host)
			}
		}
		requireEqual(t, target, v.String(), "the input is as it was")
		require.True(t, bytes.Equal([]byte(host), vh.Text()), "the input is as it was")
	})
}
