package uri

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// views returns views of s by the first of the forms, strict or else lenient, that it is of.
func views(t *testing.T, s string, forms ...Form) (v View, w StringView) {
	t.Helper()
	for _, form := range append(forms, Reference) {
		if v, w, _, ok := scanned(t, form, s); ok {
			return v, w
		}
	}
	require.Fail(t, "of no form", "%q", s)
	return v, w
}

func TestSets(t *testing.T) {
	requireSet := func(set Set, chars string, name any) {
		t.Helper()
		for b := range 256 {
			require.Equal(t, strings.IndexByte(chars, byte(b)) >= 0, set.Contains(byte(b)), "%v, byte %#02x", name, b)
		}
		require.Equal(t, set, NewSet(chars), "%v", name)
	}
	requireSet(Set{}, "", "the zero value")
	requireSet(Unreserved(), unreserved, "unreserved")
	requireSet(SubDelims(), subDelims, "sub-delims")
	requireSet(GenDelims(), genDelims, "gen-delims")
	requireSet(Pchar(), pchars, "pchar")
	for c := Scheme; c <= Fragment; c++ {
		requireSet(c.Set(), slowSets[c], c)
	}
	requireSet(Component(99).Set(), "", "no component")
	requireSet(SubDelims().Or(GenDelims()), subDelims+genDelims, "reserved")
	requireSet(Pchar().Sub(Unreserved()).Sub(NewSet("@")), subDelims+":", "sub-delims and colon")
	requireSet(NewSet("%").Or(NewSet("\x00\x7F")), "%\x00\x7F", "what is in no rule")
	requireSet(Unreserved().Sub(Unreserved()), "", "nothing")

	every := make([]byte, 256)
	for b := range every {
		every[b] = byte(b)
	}
	for b := range 128 {
		assert.True(t, NewSet(string(every)).Contains(byte(b)))
		assert.False(t, NewSet(string(every)).Contains(byte(b)+128), "only ASCII")
	}
}

func TestPercentEncoding(t *testing.T) {
	for _, row := range []struct {
		in   string
		keep Set
		want string
	}{
		{"", Unreserved(), ""},
		{"a b", Unreserved(), "a%20b"},
		{"a/b", Path.Set(), "a/b"},
		{"a/b", Pchar(), "a%2Fb"},
		{"100%", Query.Set(), "100%25"},
		{"%41%zz%", Query.Set().Or(NewSet("%")), "%41%zz%"},
		{"k&v=+", Query.Set().Sub(NewSet("&=+")), "k%26v%3D%2B"},
		{"ä\x00\xFF\x7F", Unreserved(), "%C3%A4%00%FF%7F"},
		{"abc", Set{}, "%61%62%63"},
		{"a b", NewSet("ab "), "a b"},
		{"~", Pchar().Sub(NewSet("~")), "%7E"},
	} {
		assert.Equal(t, row.want, appended(t, func(dst []byte) []byte { return AppendEncode(dst, row.in, row.keep) }), "%q", row.in)
		assert.Equal(t, len(row.want), EncodedLen([]byte(row.in), row.keep), "%q", row.in)
	}
	for _, row := range []struct{ in, want, form string }{
		{"", "", ""},
		{"a+b%20c", "a+b c", "a b c"},
		{"+a", "+a", " a"},
		{"%2B+", "++", "+ "},
		{"%41%4a%4A", "AJJ", "AJJ"},
		{"%25%34%31", "%41", "%41"}, // not decoded twice
		{"%00%FF", "\x00\xFF", "\x00\xFF"},
	} {
		requireDecoded(t, row.in, row.want)
		out, why := appendedOr(t, func(dst []byte) ([]byte, error) { return AppendFormDecode(dst, []byte(row.in)) })
		assert.Zero(t, why)
		assert.Equal(t, row.form, out)
		assert.True(t, EqualDecoded(row.in, []byte(row.want)))
		assert.False(t, EqualDecoded([]byte(row.in), row.want+"x"))
	}
	assert.Equal(t, "a+b*-._%7E%2B%25%C3%A4", appended(t, func(dst []byte) []byte { return AppendFormEncode(dst, "a b*-._~+%ä") }))

	// A broken escape, wherever blocks of 64 bytes meet, and one that is whole.
	for i := range 3*blockSize + 3 {
		filler := strings.Repeat("x", i)
		for _, tail := range []string{"%", "%4", "%4g", "%g4", "%%41", "%zz"} {
			for _, more := range []string{"", "yy", strings.Repeat("y", 70)} {
				s := filler + tail + more
				if strings.HasSuffix(tail, "%4") && more != "" {
					s = filler + tail + "-" + more
				}
				out, why := appendedOr(t, func(dst []byte) ([]byte, error) { return AppendDecode(dst, s) })
				require.Equal(t, ErrPercent, why, "%q", s)
				require.Empty(t, out)
				_, why = appendedOr(t, func(dst []byte) ([]byte, error) { return AppendDecode(dst, "%41"+s) })
				require.Equal(t, ErrPercent, why, "%q", s)
				_, why = appendedOr(t, func(dst []byte) ([]byte, error) { return AppendFormDecode(dst, "+"+s) })
				require.Equal(t, ErrPercent, why, "%q", s)
				b := []byte("%41" + s)
				same, err := DecodeInPlace(b)
				require.Equal(t, ErrPercent, err)
				require.Equal(t, "%41"+s, string(b), "b as it was")
				require.Equal(t, "%41"+s, string(same))
				require.False(t, EqualDecoded(s, s))
			}
		}
		requireDecoded(t, "%41"+filler+"%4a%20"+filler, "A"+filler+"J "+filler)
		require.Equal(t, filler+"%20"+filler, string(AppendEncode(nil, filler+" "+filler, Unreserved())))
		require.Equal(t, filler+"%20"+filler, string(AppendEncode(nil, filler+" "+filler, Path.Set())))
	}
}

func TestParams(t *testing.T) {
	for _, row := range []struct {
		in   string
		want []Param
	}{
		{"/", nil},
		{"/?", nil},
		{"/#a=b", nil},
		{"?k", []Param{{Key: []byte("k")}}},
		{"?k=", []Param{{Key: []byte("k"), HasValue: true}}},
		{"?=v", []Param{{Value: []byte("v"), HasValue: true}}},
		{"?a&&b", []Param{{Key: []byte("a")}, {}, {Key: []byte("b")}}},
		{"?&", []Param{{}, {}}},
		{"?a=1&a=2", []Param{{[]byte("a"), []byte("1"), true}, {[]byte("a"), []byte("2"), true}}},
		{"?a=1;b=2", []Param{{[]byte("a"), []byte("1;b=2"), true}}}, // "&" separates, nothing else
		{"?a=b=c?d/#&x", []Param{{[]byte("a"), []byte("b=c?d/"), true}}},
		{"?%61+=%3D%26", []Param{{[]byte("%61+"), []byte("%3D%26"), true}}}, // raw
	} {
		v, w := views(t, row.in)
		var found []Param
		for p := range v.Params() {
			assert.Equal(t, len(p.Key), cap(p.Key), "clipped")
			assert.Equal(t, len(p.Value), cap(p.Value), "clipped")
			found = append(found, p)
		}
		require.Len(t, found, len(row.want), row.in)
		i := 0
		for p := range w.Params() {
			for _, p := range []Param{found[i], {[]byte(p.Key), []byte(p.Value), p.HasValue}} {
				assert.Equal(t, string(row.want[i].Key), string(p.Key), row.in)
				assert.Equal(t, string(row.want[i].Value), string(p.Value), row.in)
				assert.Equal(t, row.want[i].HasValue, p.HasValue, row.in)
			}
			i++
		}
		assert.Equal(t, len(row.want), i)
	}

	_, w := views(t, "?a=1;b=2&c;;")
	var by []string
	for p := range w.ParamsBy(';') {
		by = append(by, joined(p))
	}
	assert.Equal(t, []string{"a=1", "b=2&c", "", ""}, by)

	_, w = views(t, "?x&%61=1&a=2&b+c=3&a%zz=4&a%zz")
	for _, row := range []struct {
		key, want string
		ok        bool
	}{
		{"a", "%61=1", true},
		{"x", "x", true},
		{"b+c", "b+c=3", true},
		{"b c", "", false},       // "+" is a space only in form decoding
		{"%61", "", false},       // the key given is data
		{"a%zz", "a%zz=4", true}, // broken: byte for byte
		{"A", "", false},
		{"", "", false},
	} {
		p, ok := w.Param(row.key)
		assert.Equal(t, row.ok, ok, row.key)
		assert.Equal(t, row.want, joined(p), row.key)
	}
	assert.True(t, Param{Key: []byte("%61%62")}.Is("ab"))
	assert.False(t, Param{Key: []byte("%61%6")}.Is("a"))
	assert.True(t, Param{Key: []byte("%61%6")}.Is("a%6")) // a "%" that begins no escape stands for itself
	assert.False(t, Param{Key: []byte("%61%6")}.Is("%61%6"))
	assert.True(t, Param{}.Is(""))
}

func TestWithoutParams(t *testing.T) {
	for _, row := range []struct{ in, drop, want string }{
		{"http://h/p?a=1&b=2&a=3#f", "a", "http://h/p?b=2#f"},
		{"http://h/p?a=1&b=2&a=3#f", "b", "http://h/p?a=1&a=3#f"},
		{"http://h/p?a=1&b=2&a=3#f", "c", "http://h/p?a=1&b=2&a=3#f"},
		{"http://h/p?a=1&%61&a#f", "a", "http://h/p#f"},
		{"?a", "a", ""},
		{"?", "", "?"},
		{"?#", "a", "?#"},
		{"?a&", "a", "?"}, // the empty one stays
		{"?&&a&&", "", "?a"},
		{"?&&", "", ""},
		{"p", "p", "p"},
		{"?a;b", "a", "?a;b"},
		{"?b=%zz&a=%", "a", "?b=%zz"},
	} {
		v, w := views(t, row.in)
		assert.Equal(t, row.want, appended(t, func(dst []byte) []byte {
			return v.AppendWithoutParams(dst, func(p Param) bool { return p.Is(row.drop) })
		}), row.in)
		assert.Equal(t, row.want, appended(t, func(dst []byte) []byte {
			return w.AppendWithoutParams(dst, func(p ParamOf[string]) bool { return p.Is(row.drop) })
		}), row.in)
	}
}

// TestSequences walks each sequence twice, and stops it anywhere.
func TestSequences(t *testing.T) {
	v, _ := views(t, "/a/b?k&l")
	segments, backward, params, by := v.Segments(), v.SegmentsBackward(), v.Params(), v.ParamsBy('k')
	for range 2 {
		assert.Equal(t, [][]byte{{}, []byte("a"), []byte("b")}, slices.Collect(segments))
		assert.Equal(t, [][]byte{[]byte("b"), []byte("a"), {}}, slices.Collect(backward))
		assert.Len(t, slices.Collect(params), 2)
		assert.Len(t, slices.Collect(by), 2)
		for range segments {
			break
		}
		for range backward {
			break
		}
		for range params {
			break
		}
		for range by {
			break
		}
	}
}

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
		"a/..":               "/", // to the letter
		"a/../b":             "/b",
		"a/b/../c":           "a/c",
		"/a/../":             "/",
		"/a//../b":           "/a/b",
		"/a/..//b":           "//b", // to the letter; who writes it after no authority must guard it
		"/.//b":              "//b",
		"//..":               "/",
		"/...":               "/...",
		"/.a/..b/c./d..":     "/.a/..b/c./d..",
		"/%2e%2E/.":          "/%2e%2E/",
		"../a/../../b":       "/b",
		"a/.b/..":            "a/",
		"./a234567890123456": "a234567890123456", // longer than what is looked at at a glance
	} {
		assert.Equal(t, want, appended(t, func(dst []byte) []byte { return AppendRemoveDotSegments(dst, path) }), path)
		assert.Equal(t, want, appended(t, func(dst []byte) []byte { return AppendRemoveDotSegments(dst, []byte(path)) }), path)
		assert.Equal(t, want, string(RemoveDotSegmentsInPlace([]byte(path))), path)
		dst := make([]byte, 0, len(path))
		assert.Equal(t, cap(dst), cap(AppendRemoveDotSegments(dst, path)), "%s: there is room", path)
		slow, _ := slowRemoveDotSegments(path)
		assert.Equal(t, want, slow, "slow twin: %s", path)
	}
}

// TestLongPaths has paths that are looked through in parts while they are appended: with a segment that begins with a dot, or
// none, wherever a part may end. A path that begins with "//", as that of a request may, is guarded.
func TestLongPaths(t *testing.T) {
	const part = longPath / 2
	lengths := []int{longPath - 1, longPath, 3 * part, 4*part + 1}
	for _, n := range byEffort(lengths[2:3], lengths, lengths) {
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
						out, why := appendedOr(t, func(dst []byte) ([]byte, error) { return AppendResolved(dst, &vb, &vr, options) })
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

// TestNormalizeSteps has for each step what it alone changes, and what it leaves.
func TestNormalizeSteps(t *testing.T) {
	const same = "="
	for _, row := range []struct {
		steps    Step
		in, want string
	}{
		{0, "HTTP://%41@H%41:80/%7e/./?%7e#%7e", same},

		{LowercaseScheme, "HtTp+A://U@H/P?Q#F", "http+a://U@H/P?Q#F"},
		{LowercaseScheme, "A/B:C", same},
		{LowercaseScheme, "//H", same},

		{LowercaseHost, "HTTP://User:PW@ExAmPle.COM:80/Path?Query#Fragment", "HTTP://User:PW@example.com:80/Path?Query#Fragment"},
		{LowercaseHost, "//[2001:DB8::A]", "//[2001:db8::a]"},
		{LowercaseHost, "//[V1A.Zz]", "//[v1a.zz]"},
		{LowercaseHost, "//A%4AB%c3", "//a%4Ab%c3"}, // neither decoded nor changed
		{LowercaseHost, "A", same},
		{LowercaseHost, "//H/./a", "//h/./a"},

		{UppercaseEscapes, "//%c3%aa@%aB/%ff?%fF#%Ff", "//%C3%AA@%AB/%FF?%FF#%FF"},
		{UppercaseEscapes, "%7e", "%7E"},
		{UppercaseEscapes, "%a0", "%A0"},
		{UppercaseEscapes, "%0a", "%0A"},
		{UppercaseEscapes, "//abc:1/ab?ab#ab", same},

		{DecodeUnreserved, "//%41%7e@%42/%2D%2e?%5F#%39", "//A~@B/-.?_#9"},
		{DecodeUnreserved, "%2f%2F%3a%25%20%c3%a4", same}, // "/a%2Fb" is never "/a/b"
		{DecodeUnreserved, "%2541", same},                 // not decoded twice
		{DecodeUnreserved | LowercaseHost, "//%41%4A%c3", "//aj%c3"},
		{DecodeUnreserved | UppercaseEscapes, "/%7e%c3%7E", "/~%C3~"},
		{DecodeUnreserved, "/%%41%42", "/%%41B"}, // lenient: "%A" followed by "B" would be an escape
		{DecodeUnreserved, "/%4%31", same},       // "%41" would be one
		{DecodeUnreserved, "/%%34%31", "/%%341"}, // what is left alone is whole
		{DecodeUnreserved, "/%g%41%", "/%gA%"},   // "%gA" is none
		{DecodeUnreserved, "/%zz?%%7e", same},
		{UppercaseEscapes, "/%zz%a%aa%", "/%zz%a%AA%"},

		{RemoveDotSegments, "http://h/a/./b/../c", "http://h/a/c"},
		{RemoveDotSegments, "http://h/a/b/c/../../d/e/../..", "http://h/a/"},
		{RemoveDotSegments, "http://h/..", "http://h/"},
		{RemoveDotSegments, "//h/../a", "//h/a"},
		{RemoveDotSegments, "/a/../b", "/b"},
		{RemoveDotSegments, "a/../b", same}, // of a relative reference
		{RemoveDotSegments, "a/../b:c", same},
		{RemoveDotSegments, "../a", same},
		{RemoveDotSegments, "?a/../b#/../", same},
		{RemoveDotSegments, "s:a/../b", "s:/b"}, // to the letter
		{RemoveDotSegments, "s:..", "s:"},
		{RemoveDotSegments, "s:./a:b", "s:a:b"},
		{RemoveDotSegments, "scheme:/a/..//evil", "scheme:/.//evil"},
		{RemoveDotSegments, "scheme:/.//evil", same},
		{RemoveDotSegments, "s:a/..//evil", "s:/.//evil"},
		{RemoveDotSegments, "/a/..//evil", "/.//evil"},
		{RemoveDotSegments, "/.//evil", same},
		{RemoveDotSegments, "http://h/a/..//evil", "http://h//evil"},
		{RemoveDotSegments, "http://h/%2e%2E/a", same}, // no dot yet
		{RemoveDotSegments | DecodeUnreserved, "http://h/a/%2e%2E/%2E", "http://h/"},

		{ShortenAddress, "//[2001:0DB8:0:0:0:0:0:1]", "//[2001:db8::1]"},
		{ShortenAddress, "//[1:0:0:2:0:0:0:3]", "//[1:0:0:2::3]"},
		{ShortenAddress, "//[::FFFF:1.2.3.4]", "//[::ffff:1.2.3.4]"},
		{ShortenAddress, "//[::]", same},
		{ShortenAddress, "//[V1.A]", same},
		{ShortenAddress, "//1.2.3.4", same},
		{ShortenAddress, "//EXAMPLE", same},

		{DropEmptyPort, "http://h:/", "http://h/"},
		{DropEmptyPort, "//h:", "//h"},
		{DropEmptyPort, "//[::1]:", "//[::1]"},
		{DropEmptyPort, "//u:@h", same},
		{DropEmptyPort, "http://h:80", same},

		{DropDefaultPort, "http://h:80", "http://h"},
		{DropDefaultPort, "HTTPS://h:443/", "HTTPS://h/"},
		{DropDefaultPort, "ws://h:080", "ws://h"},
		{DropDefaultPort, "wss://h:000443?q", "wss://h?q"},
		{DropDefaultPort, "ftp://h:21#f", "ftp://h#f"},
		{DropDefaultPort, "http://h:443", same},
		{DropDefaultPort, "http://h:", same},
		{DropDefaultPort, "http://h:0", same},
		{DropDefaultPort, "http://h:65616", same}, // 80 in 16 bits
		{DropDefaultPort, "http://h:18446744073709551696", same},
		{DropDefaultPort, "//h:80", same},
		{DropDefaultPort, "httpx://h:80", same},
		{DropDefaultPort, "foo://h:80", same},

		{AddRootPath, "http://h", "http://h/"},
		{AddRootPath, "HTTPS://h?q", "HTTPS://h/?q"},
		{AddRootPath, "ws://h#f", "ws://h/#f"},
		{AddRootPath, "wss://u@[::1]:1", "wss://u@[::1]:1/"},
		{AddRootPath, "ftp://", "ftp:///"},
		{AddRootPath, "foo://h", same},
		{AddRootPath, "//h", same},
		{AddRootPath, "http:", same},
		{AddRootPath, "http:?q", same},

		{RemoveDotSegments, "//h/.//x", "//h//x"}, // the "." is not there for the "//" after it
		{LowercaseScheme | RemoveDotSegments, "S:%2e/a", "s:%2e/a"},
		{LowercaseScheme | RemoveDotSegments, "S:/%2e/a", "s:/%2e/a"},
		{DecodeUnreserved | RemoveDotSegments, "s:%2e/a", "s:a"},
		{LowercaseScheme, "S://[::0]", "s://[::0]"},

		{SyntaxBased, "eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "example://a/b/c/%7Bfoo%7D"}, // RFC 3986 section 6.2.2
		{SyntaxBased, "http://h:80", same},
		{SyntaxBased, "?k", same},
		{SyntaxBased, "?k=", same},
		{SyntaxBased, "?b=2&a=1;&&b=1+1", same},
		{SyntaxBased, "?#", same},
		{SchemeBased, "http://example.com:/", "http://example.com/"}, // section 6.2.3
		{SchemeBased, "http://example.com:80", "http://example.com/"},
		{SchemeBased, "HTTP://[::0:1]:0080?", "http://[::1]/?"},
		{SchemeBased, "file:///x", same},
	} {
		want := row.want
		if want == same {
			want = row.in
		}
		v, w := views(t, row.in)
		assert.Equal(t, want, appended(t, func(dst []byte) []byte { return v.AppendNormalized(dst, row.steps) }), "%q, steps %b", row.in, row.steps)
		assert.Equal(t, want, appended(t, func(dst []byte) []byte { return w.AppendNormalized(dst, row.steps) }), "%q, steps %b", row.in, row.steps)
		needed := v.StepsNeeded(row.steps)
		assert.Equal(t, needed, w.StepsNeeded(row.steps))
		assert.Equal(t, want == row.in, needed == 0, "%q, steps %b", row.in, row.steps)
		assert.Equal(t, want == row.in, w.IsNormalized(row.steps), "%q, steps %b", row.in, row.steps)
		assert.Zero(t, needed&^row.steps, "%q", row.in)
		if want != row.in && row.steps&(row.steps-1) == 0 {
			assert.Equal(t, row.steps, needed, "%q", row.in)
		}
		slow, slowNeeded := slowNormalize(Reference, row.in, row.steps)
		assert.Equal(t, want, slow, "slow twin: %q, steps %b", row.in, row.steps)
		assert.Equal(t, slowNeeded, needed, "%q, steps %b", row.in, row.steps)
	}

	// Which of several steps are needed goes by their order.
	for _, row := range []struct {
		in            string
		steps, needed Step
	}{
		{"//%41", LowercaseHost | DecodeUnreserved | UppercaseEscapes, DecodeUnreserved | LowercaseHost},
		{"//%61", SchemeBased, DecodeUnreserved},
		{"//%4a", SchemeBased, DecodeUnreserved | LowercaseHost}, // no escape is left
		{"//[::A]", SchemeBased, LowercaseHost},
		{"//[::A]", ShortenAddress, ShortenAddress},
		{"//[::0:A]", SchemeBased, LowercaseHost | ShortenAddress},
		{"http://h:", SchemeBased, DropEmptyPort | AddRootPath},
		{"http://h:80", SchemeBased, DropDefaultPort | AddRootPath},
		{"http://h/%2e", SchemeBased, DecodeUnreserved | RemoveDotSegments},
		{"HTTP://h/", SchemeBased, LowercaseScheme},
		{"s:/.//x", SchemeBased, 0},
		{"HTTP://%c3:/..", 0, 0},
	} {
		v, _ := views(t, row.in)
		assert.Equal(t, row.needed, v.StepsNeeded(row.steps), "%q", row.in)
		_, needed := slowNormalize(Reference, row.in, row.steps)
		assert.Equal(t, row.needed, needed, "slow twin: %q", row.in)
	}

	// The other forms: what stands for nothing else is no authority.
	for _, row := range []struct {
		form     Form
		in, want string
	}{
		{OriginForm, "//h/../%7e", "//~"},
		{OriginForm, "//h/..", "//"},
		{OriginForm, "/..//h", "/.//h"},
		{OriginForm, "/a/..//h?%7E", "/.//h?~"},
		{AuthorityForm, "Example.COM:080", "example.com:080"},
		{HostField, "[::0:1]:", "[::1]"},
		{HostField, "", ""},
		{AsteriskForm, "*", "*"},
	} {
		v, _ := views(t, row.in, row.form)
		assert.Equal(t, row.want, string(v.AppendNormalized(nil, SchemeBased)), "form %d of %q", row.form, row.in)
		slow, _ := slowNormalize(row.form, row.in, SchemeBased)
		assert.Equal(t, row.want, slow, "slow twin: form %d of %q", row.form, row.in)
	}
}

func TestEquivalent(t *testing.T) {
	for _, row := range []struct {
		a, b  string
		steps Step
		equal bool
	}{
		{"example://a/b/c/%7Bfoo%7D", "eXAMPLE://a/./b/../b/%63/%7bfoo%7d", SyntaxBased, true}, // RFC 3986 section 6.2.2
		{"http://example.com", "http://example.com/", SchemeBased, true},                       // section 6.2.3
		{"http://example.com:/", "http://example.com:80/", SchemeBased, true},
		{"http://example.com", "http://example.com/", SyntaxBased, false},
		{"http://a/", "https://a/", SchemeBased, false},
		{"", "", 0, true},
		{"a", "A", SchemeBased, false},
		{"?", "", SchemeBased, false},
		{"#", "", SchemeBased, false},
		{"?k", "?k=", SchemeBased, false},
		{"?a=1&b=2", "?b=2&a=1", SchemeBased, false},
		{"/a%2Fb", "/a/b", SchemeBased, false},
		{"/a+b", "/a%20b", SchemeBased, false},
		{"//u@h", "//h", SchemeBased, false},
		{"//@h", "//h", SchemeBased, false},
		{"//%41", "//a", SyntaxBased, true},
		{"//%41", "//a", DecodeUnreserved, false},
		{"s:/a/..//b", "s://b", SchemeBased, false},
		{"s:/a/..//b", "s:/.//b", SchemeBased, true},
		{"//[::1]", "//[0:0:0:0:0:0:0:1]", SchemeBased, true},
		{"http://h/" + strings.Repeat("a/../", 40), "http://h/", SyntaxBased, true},
		{"http://h/" + strings.Repeat("%61", 60), "http://h/" + strings.Repeat("a", 60), SyntaxBased, true},
		{"http://h/" + strings.Repeat("%61", 60), "http://h/" + strings.Repeat("a", 61), SyntaxBased, false},
	} {
		v, vs := views(t, row.a)
		w, ws := views(t, row.b)
		assert.Equal(t, row.equal, Equivalent(&v, &w, row.steps), "%q, %q", row.a, row.b)
		assert.Equal(t, row.equal, Equivalent(&ws, &v, row.steps), "%q, %q", row.a, row.b)
		assert.Equal(t, row.equal, Equivalent(&vs, &ws, row.steps), "%q, %q", row.a, row.b)
		assert.Equal(t, row.equal, v.Hash(1, row.steps) == ws.Hash(1, row.steps), "%q, %q", row.a, row.b)
		assert.Equal(t, v.Hash(7, row.steps), vs.Hash(7, row.steps), "%q", row.a)
		assert.NotEqual(t, v.Hash(7, row.steps), v.Hash(8, row.steps), "the seed counts")
	}

	// The same text is not the same in another form.
	path, _ := views(t, "//H", OriginForm)
	host, _ := views(t, "//H")
	assert.False(t, Equivalent(&path, &host, SyntaxBased))
	assert.True(t, Equivalent(&path, &host, 0))

	// A hash that is any good does not give two of these the same.
	seen := map[uint64]string{}
	for _, line := range readLines(t, "testdata/uris.txt") {
		v, err := Parse(line)
		require.NoError(t, err)
		hash, normalized := v.Hash(0, SchemeBased), string(v.AppendNormalized(nil, SchemeBased))
		if other, ok := seen[hash]; ok {
			assert.Equal(t, other, normalized)
		}
		seen[hash] = normalized
	}
}

// TestResolve has all examples of RFC 3986 section 5.4, and what others get wrong. A reference that begins with the
// base's scheme has another target where that is ignored; where none is given, it is the same.
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
		// the scheme ignored
		{base, "HTTP:g", "HTTP:g", "http://a/b/c/g"},
		{"HTTP://a/b", "http:", "http:", "HTTP://a/b"},
		{base, "http:", "http:", "http://a/b/c/d;p?q"},
		{base, "http:?y#s", "http:?y#s", "http://a/b/c/d;p?y#s"},
		{base, "http:/g", "http:/g", "http://a/g"},
		{base, "HTTP://g", "HTTP://g", "http://g"},
		{base, "https:g", "https:g", ""},

		// what others get wrong: no authority is gained, none is kept that was changed
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
		{"s:a/b", "..", "s:/", ""}, // to the letter
		{"s:a/b", "./x:y", "s:a/x:y", ""},
		{"s:../../a?q", "#f", "s:../../a?q#f", ""}, // the base's path is as it is
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
			out, why := appendedOr(t, func(dst []byte) ([]byte, error) { return AppendResolved(dst, &vb, &wr, options) })
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

	// A target of a request as reference: its path may begin with "//", and must not become an authority.
	vb, _ := views(t, "s:/a")
	vr, _ := views(t, "//evil", OriginForm)
	out, why := appendedOr(t, func(dst []byte) ([]byte, error) { return AppendResolved(dst, &vb, &vr, 0) })
	assert.Zero(t, why)
	assert.Equal(t, "s:/.//evil", out)
}

// TestLongBuffer appends to a buffer whose content is longer than any text may be: that does not count.
func TestLongBuffer(t *testing.T) {
	dst := hugeText(t)
	dst = dst[:len(dst)-4]
	base, _ := views(t, "a:/b")
	ref, _ := views(t, "c")
	for name, test := range map[string]struct {
		want string
		run  func() ([]byte, error)
	}{
		"Append":         {"/a", func() ([]byte, error) { return (&Builder{PathText: Data("/a")}).Append(dst) }},
		"AppendResolved": {"a:/c", func() ([]byte, error) { return AppendResolved(dst, &base, &ref, 0) }},
		"AppendRelative": {"", func() ([]byte, error) { return AppendRelative(dst, &base, &base) }},
	} {
		out, err := test.run()
		require.NoError(t, err, name)
		require.Equal(t, test.want, string(out[len(dst):]), name)
	}
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
		{"http://a/b//", "../..", RejectAboveRoot, 0}, // an empty segment is one
		{"http://a/b//", "../../..", RejectAboveRoot, ErrPath},
		{"s:a", "..", RejectAboveRoot, ErrPath},
		{"s:a/b", "..", RejectAboveRoot, 0},
		{"http://a/../b", "?q", RejectAboveRoot, 0}, // the base's path is as it is
		{"http://a/../b", "c", RejectAboveRoot, ErrPath},
		{"http://a/b", "http:../../c", RejectAboveRoot, ErrPath},
		{"http://a/b", "http:./c", RejectAboveRoot | BackwardCompatible, 0},
		{"http://a/b", "http:../c", RejectAboveRoot | BackwardCompatible, ErrPath},
		{"http://a/b", "?../..#../..", RejectAboveRoot, 0},
		{"http://a/b", "%2e%2e", RejectAboveRoot, 0},
	} {
		vb, _ := views(t, row.base)
		_, wr := views(t, row.ref)
		_, why := appendedOr(t, func(dst []byte) ([]byte, error) { return AppendResolved(dst, &vb, &wr, row.options) })
		assert.Equal(t, row.why, why, "%q, %q, options %b", row.base, row.ref, row.options)
		if row.why != ErrScheme {
			_, above := slowResolve(slowParts(Reference, row.base), slowParts(Reference, row.ref), row.options&BackwardCompatible == 0)
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
		{"http://h/a/b", "HTTP://h/a/b", "HTTP://h/a/b"}, // another text
		{"http://h/a/b", "http://h/a/x:y", "./x:y"},
		{"http://h/dir/b", "http://h/dir/:a", "./:a"},
		{"http://h", "http://h/", "/"},
		{"http://h/a", "http://h", "//h"},
		{"http://h/a", "http://h//b", ".//b"},
		{"http://u@h/a", "http://h/a", "//h/a"},
		{"http://h/a/b", "http://h/a/./c/../d", "d"}, // less its dot segments
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

// TestShortestRelative resolves every reference of up to five of these bytes: to what it leads, there is none shorter
// than the one that AppendRelative finds.
func TestShortestRelative(t *testing.T) {
	var refs []string
	texts := []string{""}
	for length := range 6 {
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
		"h://h/a/a", "h://h", "h://h/", "h://h?a", "h:/a/a?a", "h:a/a", "h:", "h:a?a", "h:/", "h://h/a//", "h:/a//a", "h:/.//a", "h:a:a/h:h", "h://h/a/h/a/h?a#a",
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

func TestRequestForm(t *testing.T) {
	for _, row := range []struct {
		method, target string
		form           Form
	}{
		{"GET", "/where?q=now", OriginForm},                                    // RFC 9112 section 3.2.1
		{"GET", "http://www.example.org/pub/WWW/TheProject.html", AbsoluteURI}, // 3.2.2
		{"CONNECT", "www.example.com:80", AuthorityForm},                       // 3.2.3
		{"OPTIONS", "*", AsteriskForm},                                         // 3.2.4
		{"GET", "//h", OriginForm},
		{"OPTIONS", "/", OriginForm},
		{"OPTIONS", "**", AbsoluteURI},
		{"GET", "*", AbsoluteURI},
		{"CONNECT", "*", AuthorityForm},
		{"CONNECT", "/", AuthorityForm},
		{"connect", "h:1", AbsoluteURI}, // methods have case
		{"options", "*", AbsoluteURI},
		{"GET", "", AbsoluteURI},
		{"", "/", OriginForm},
	} {
		assert.Equal(t, row.form, RequestForm(row.method, row.target), "%s %s", row.method, row.target)
		assert.Equal(t, row.form, RequestForm([]byte(row.method), row.target), "%s %s", row.method, row.target)
		assert.Equal(t, row.form, RequestForm(row.method, []byte(row.target)), "%s %s", row.method, row.target)
		assert.Equal(t, row.form, slowRequestForm(row.method, row.target), "slow twin: %s %s", row.method, row.target)
	}
}

func TestTargetURI(t *testing.T) {
	for _, row := range []struct {
		scheme       string
		form         Form
		target, host string
		want         string
		why          Error
	}{
		// RFC 9112 section 3.3: its examples, and the other forms
		{"http", OriginForm, "/pub/WWW/TheProject.html", "www.example.org:8080", "http://www.example.org:8080/pub/WWW/TheProject.html", 0},
		{"http", AsteriskForm, "*", "www.example.org:8001", "http://www.example.org:8001", 0},
		{"http", AuthorityForm, "www.example.com:80", "www.example.com", "http://www.example.com:80", 0},
		{"https", AbsoluteURI, "https://a/p?q", "b", "https://a/p?q", 0},
		{"https", OriginForm, "//p?q", "[::1]:", "https://[::1]://p?q", 0},
		{"x+y", OriginForm, "/", "", "x+y:///", 0},
		{"x", AsteriskForm, "*", "", "x://", 0},
		{"x", AbsoluteURI, "x://u@/", "", "x://u@/", 0},
		{"x", AbsoluteURI, "x:p", "", "x:p", 0},
		{"x", AuthorityForm, ":1", "", "x://:1", 0},

		{"", OriginForm, "/", "h", "", ErrScheme},
		{"1x", OriginForm, "/", "h", "", ErrScheme},
		{"http:", OriginForm, "/", "h", "", ErrScheme},
		{"h ttp", AsteriskForm, "*", "h", "", ErrScheme},
		{"http", OriginForm, "/", "", "", ErrHost}, // RFC 9110 section 4.2.1
		{"HTTPS", OriginForm, "/", ":80", "", ErrHost},
		{"Http", AsteriskForm, "*", "", "", ErrHost},
		{"https", AuthorityForm, ":443", "h", "", ErrHost},
		{"http", AbsoluteURI, "http:///", "h", "", ErrHost},
		{"http", AbsoluteURI, "http://:80/", "h", "", ErrHost},
		{"http", AbsoluteURI, "HTTP:p", "h", "", ErrHost},
		{"http", AbsoluteURI, "http://u@h/", "h", "", ErrUserinfo}, // section 4.2.4
		{"https", AbsoluteURI, "HTTPS://u:p@h/", "h", "", ErrUserinfo},
		{"http", Reference, "/", "h", "", ErrForm},
		{"http", URI, "http://h", "h", "", ErrForm},
		{"http", HostField, "h", "h", "", ErrForm},
		{"http", RelativeRef, "/", "h", "", ErrForm},
		{"http", Form(99), "/", "h", "", ErrForm},
	} {
		v, w := views(t, row.target, min(row.form, HostField))
		h, hs := views(t, row.host, HostField)
		for _, append := range []func(dst []byte) ([]byte, error){
			func(dst []byte) ([]byte, error) { return AppendTargetURI(dst, row.scheme, row.form, &v, &hs) },
			func(dst []byte) ([]byte, error) { return AppendTargetURI(dst, row.scheme, row.form, &w, &h) },
		} {
			out, why := appendedOr(t, append)
			assert.Equal(t, row.why, why, "%s, form %d, %q, %q", row.scheme, row.form, row.target, row.host)
			assert.Equal(t, row.want, out, "%s, form %d, %q, %q", row.scheme, row.form, row.target, row.host)
		}
		slow, why := slowTargetURI(row.scheme, row.form, row.target, row.host)
		assert.Equal(t, row.why, why, "slow twin: %s, form %d, %q, %q", row.scheme, row.form, row.target, row.host)
		assert.Equal(t, row.want, slow, "slow twin: %s, form %d, %q, %q", row.scheme, row.form, row.target, row.host)
	}
}

func TestHostAgrees(t *testing.T) {
	for _, row := range []struct {
		target, host string
		agree        bool
	}{
		{"http://example.com/", "example.com", true},
		{"http://EXAMPLE.com:80/p?q", "example.COM", true},
		{"http://example.com", "example.com:", true},
		{"http://example.com:", "example.com:0080", true},
		{"HTTPS://h", "h:443", true},
		{"ws://h:80", "h", true},
		{"wss://h", "h:0443", true},
		{"ftp://h:21", "h:", true},
		{"http://%65xample.com/", "e%78ample.com", true},
		{"http://%c3/", "%C3", true},
		{"http://[::1]:8080/", "[0:0::0:1]:8080", true},
		{"http://u@h/", "h", true},
		{"foo://h", "h", true},
		{"foo://h:1", "h:01", true},
		{"foo://h:", "h", true},
		{"http://h:99999999999999999999", "h:099999999999999999999", true},
		{"x:p", "", true}, // no authority: an empty field, RFC 9110 section 7.2
		{"file:///p", "", true},

		{"http://example.com/", "example.org", false},
		{"http://example.com/", "example.com.", false},
		{"http://h/", "h:443", false},
		{"https://h:80", "h", false},
		{"https://h/", "h:80", false},
		{"foo://h", "h:80", false},
		{"foo://h:0", "h", false},
		{"http://h:80", "h:65616", false}, // 80 in 16 bits
		{"http://h:80", "h:18446744073709551696", false},
		{"http://h:99999999999999999999", "h:99999999999999999998", false},
		{"http://[::1]/", "[::2]", false},
		{"http://1.2.3.4/", "[::ffff:1.2.3.4]", false},
		{"http://a%2Fb/", "a%2fc", false},
		{"http://h/", "", false},
		{"x:p", "h", false},
	} {
		v, w := views(t, row.target, AbsoluteURI)
		h, hs := views(t, row.host, HostField)
		assert.Equal(t, row.agree, HostAgrees(&v, &hs), "%q, %q", row.target, row.host)
		assert.Equal(t, row.agree, HostAgrees(&w, &h), "%q, %q", row.target, row.host)
		assert.Equal(t, row.agree, slowHostAgrees(row.target, row.host), "slow twin: %q, %q", row.target, row.host)
	}
}

func TestTraits(t *testing.T) {
	for _, row := range []struct {
		in     string
		traits Trait
	}{
		{"", 0},
		{"http://u:p@example.com:80/a/b.c?D=//../#E", 0},
		{"/%41", HasEscape},
		{"?%41", HasEscape},
		{"#%41", HasEscape},
		{"//%41@h", HasEscape},
		{"//h%41/", HasEscape | HasEscapedHost},
		{"/a%2Fb", HasEscape | HasEncodedSlash},
		{"//u%2f@h", HasEscape | HasEncodedSlash},
		{"//%2F", HasEscape | HasEscapedHost | HasEncodedSlash},
		{"?%2F#%2F", HasEscape},
		{"/%5c", HasEscape | HasEncodedBackslash},
		{"/%5C", HasEscape | HasEncodedBackslash},
		{"?%5C", HasEscape},
		{"/%2541", HasEscape | HasEncodedPercent},
		{"?%25", HasEscape},
		{"/%00", HasEscape | HasEncodedNUL | HasEncodedControl},
		{"?%00", HasEscape | HasEncodedNUL | HasEncodedControl},
		{"#%0d%0A", HasEscape | HasEncodedControl},
		{"/%1f", HasEscape | HasEncodedControl},
		{"/%7F", HasEscape | HasEncodedControl},
		{"/%7f", HasEscape | HasEncodedControl},
		{"/%20%80", HasEscape},
		{".", HasDotSegment},
		{"/a/../b", HasDotSegment},
		{"http://h/..", HasDotSegment},
		{"/.a/..b/.../c./", 0},
		{"//.", 0},
		{"/%2e", HasEscape | HasEncodedDotSegment},
		{"/.%2E/", HasEscape | HasEncodedDotSegment},
		{"%2e.", HasEscape | HasEncodedDotSegment},
		{"%2e%2e/./", HasEscape | HasEncodedDotSegment | HasDotSegment},
		{"/%2e%2e%2e/a%2e", HasEscape},
		{"/%41/./..", HasEscape | HasDotSegment},
		{"//%2e/?/%2e/", HasEscape | HasEscapedHost},
		{"//h//", HasDoubleSlash},
		{"a//b", HasDoubleSlash},
		{"///p", 0},
		{"?//", 0},
		{"Http:", HasUppercaseScheme},
		{"ht+P:", HasUppercaseScheme},
		{"h:P", 0},
		{"//example.Com", HasUppercaseHost},
		{"//[::A]", HasUppercaseHost},
		{"//[V1.a]", HasUppercaseHost},
		{"//%4A", HasEscape | HasEscapedHost},
		{"//%4AZ", HasEscape | HasEscapedHost | HasUppercaseHost},
		{"//U@h/P?Q#F", 0},

		// addresses to some, names to the RFC
		{"//1.2.3.4", 0},
		{"//1.2.3.4.", HasAddressLikeName},
		{"//256.1.1.1", HasAddressLikeName},
		{"//01.2.3.4", HasAddressLikeName},
		{"//0177.0.0.1", HasAddressLikeName},
		{"//1.2.3", HasAddressLikeName},
		{"//2130706433", HasAddressLikeName},
		{"//0x7f.1", HasAddressLikeName},
		{"//0X7F.0x", HasAddressLikeName | HasUppercaseHost},
		{"//0x", HasAddressLikeName},
		{"//1.", HasAddressLikeName},
		{"//%31.2.3.4", HasAddressLikeName | HasEscape | HasEscapedHost},
		{"//1%2e2", HasAddressLikeName | HasEscape | HasEscapedHost},
		{"//1.2.3.4.5", 0},
		{"//1..2", 0},
		{"//1..", 0},
		{"//.1", 0},
		{"//.", 0},
		{"//", 0},
		{"//1a", 0},
		{"//0xg", 0},
		{"//x0", 0},
		{"//[::1]", 0},
		{"1.2.3", 0},

		// lenient
		{"/%", HasBrokenEscape},
		{"/?a#%zz", HasBrokenEscape},
		{"/%%41", HasBrokenEscape | HasEscape},
		{"/[", HasIllegalByte},
		{"?\\", HasIllegalByte},
		{"#a#", HasIllegalByte},
		{"#\x7F", HasIllegalByte},
		{"/\"", HasIllegalByte},
		{"/\x80", HasNonASCII},
		{"?ä", HasNonASCII},
		{"#%g\xFF^", HasBrokenEscape | HasNonASCII | HasIllegalByte},
		{"#^\xFF%g", HasBrokenEscape | HasNonASCII | HasIllegalByte},
		{"/\"" + strings.Repeat("a", 2*blockSize) + "%41", HasIllegalByte | HasEscape},
		{"/%2e%", HasBrokenEscape | HasEscape},
	} {
		v, w := views(t, row.in)
		assert.Equal(t, row.traits, v.Traits(), "%q: %b, not %b", row.in, v.Traits(), row.traits)
		assert.Equal(t, row.traits, w.Traits(), "%q", row.in)
		assert.Equal(t, row.traits, slowTraits(Reference, row.in), "slow twin: %q", row.in)
	}
	v, _ := views(t, "//a", OriginForm)
	assert.Equal(t, HasDoubleSlash, v.Traits())
	v, _ = views(t, "1.2:80", HostField)
	assert.Equal(t, HasAddressLikeName, v.Traits())
	assert.Zero(t, new(View).Traits())
}

func TestRedact(t *testing.T) {
	for _, row := range []struct {
		in   string
		keys []string
		want string
	}{
		{"", nil, ""},
		{"http://u:p@h:1/a?b#c", nil, "http://REDACTED:REDACTED@h:1/a?b#c"},
		{"http://u@h/", nil, "http://REDACTED:REDACTED@h/"},
		{"//:@h", nil, "//REDACTED:REDACTED@h"},
		{"//@h", nil, "//@h"},
		{"mailto:u:p@h", nil, "mailto:u:p@h"},
		{"http://h/u:p@", nil, "http://h/u:p@"},
		{"?sig=1&a=2&Signature=3&AWSAccessKeyId=4&X-Goog-Signature=5", nil, "?sig=REDACTED&a=2&Signature=REDACTED&AWSAccessKeyId=REDACTED&X-Goog-Signature=REDACTED"},
		{"?sig=1&sig=2=3", nil, "?sig=REDACTED&sig=REDACTED"},
		{"?%73ig=1", nil, "?%73ig=REDACTED"},
		{"?sig=&sig&SIG=1&sigx=2", nil, "?sig=&sig&SIG=1&sigx=2"},
		{"?a=1;sig=2", nil, "?a=1;sig=2"},
		{"#sig=1", nil, "#sig=1"},
		{"/sig=1", nil, "/sig=1"},
		{"?sig=1#sig=1", nil, "?sig=REDACTED#sig=1"},
		{"http://u:p@h/?token=1&sig=2", []string{"token"}, "http://REDACTED:REDACTED@h/?token=REDACTED&sig=2"},
		{"http://u:p@h/?sig=2", []string{}, "http://REDACTED:REDACTED@h/?sig=2"},
		{"?a+b=1", []string{"a b"}, "?a+b=1"},
		{"?=1", []string{""}, "?=REDACTED"},

		// lenient: every other byte is as it was
		{"/a%zz?token=S3CRET&x=%", []string{"token"}, "/a%zz?token=REDACTED&x=%"},
		{"/[a]?token=S3%CRET#{}", []string{"token"}, "/[a]?token=REDACTED#{}"},
		{"?tok%zz=1", []string{"tok%zz"}, "?tok%zz=REDACTED"},
	} {
		assert.Equal(t, row.want, appended(t, func(dst []byte) []byte { return AppendRedacted(dst, row.in, row.keys) }), row.in)
		assert.Equal(t, row.want, appended(t, func(dst []byte) []byte { return AppendRedacted(dst, []byte(row.in), row.keys) }), row.in)
		v, w := views(t, row.in)
		assert.Equal(t, row.want, appended(t, func(dst []byte) []byte { return v.AppendRedacted(dst, row.keys) }), row.in)
		assert.Equal(t, row.want, appended(t, func(dst []byte) []byte { return w.AppendRedacted(dst, row.keys) }), row.in)
		assert.Equal(t, row.want, slowRedact(Reference, row.in, row.keys), "slow twin: %s", row.in)
	}
	v, _ := views(t, "//u:p@h?sig=1", OriginForm)
	assert.Equal(t, "//u:p@h?sig=REDACTED", string(v.AppendRedacted(nil, nil)), "there is no userinfo in a path")

	// What scans as nothing loses its secrets all the same.
	for _, s := range []string{
		"http://u:S3CRET @h/", "http://u:S3CRET@h/ a", "http://u:S3\x00CRET@h/", "http://S3CRET@x@h/", "http://x@S3CRET@h/", "http://u:S3CRET%@h/",
		"1http://u:S3CRET@h/", " http://u:S3CRET@h/", "http://u:S3CRET@[::1/", "http://u:S3CRET@h:x/", "//u:S3CRET@h\\",
		"http://h h/?token=S3CRET", "/a b?token=S3CRET", "/a?b c&token=S3CRET&d", "/a?token=x S3CRET#f", "/a?token= S3CRET", "\x00?%74oken=S3CRET",
		"http://h:x?token=S3CRET", "a b:c?token=S3CRET", "?token=a?token=S3CRET b",
		"/a b?token=a;S3CRET", "/a b?token=a?S3CRET&d", "/a b?d&token=a;b?c;S3CRET#f",
	} {
		assert.False(t, Valid(Reference|Lenient, s), "%q", s)
		for _, out := range []string{
			appended(t, func(dst []byte) []byte { return AppendRedacted(dst, s, []string{"token"}) }),
			appended(t, func(dst []byte) []byte { return AppendRedacted(dst, []byte(s), []string{"token"}) }),
		} {
			assert.NotContains(t, out, "S3", "%q", s)
			assert.NotContains(t, out, "CRET", "%q", s)
			assert.Contains(t, out, "REDACTED", "%q", s)
		}
	}
	for in, want := range map[string]string{
		"u:p@ ":      "REDACTED:REDACTED@ ",
		"@ ":         "REDACTED:REDACTED@ ",
		"//u:p@ ":    "//REDACTED:REDACTED@ ",
		"x://u:p@ @": "x://REDACTED:REDACTED@",
	} {
		assert.Equal(t, want, string(AppendRedacted(nil, in, nil)), "%q", in)
	}
}

// TestLenient has texts that only a lenient form has, and what no form has. Parts are written as scanRows does.
func TestLenient(t *testing.T) {
	for _, row := range []struct {
		form  Form
		in    string
		parts string
		at    int
		why   Error
	}{
		{Reference, "/%zz[\\]?{}%[?]#\"#/?\xFF", "P</%zz[\\]>q<{}%[?]>f<\"#/?\xFF>", -1, 0},
		{Reference, "%", "P<%>", -1, 0},
		{Reference, "a[b]\x7F", "P<a[b]\x7F>", -1, 0},
		{Reference, "http://u@h:1/ä|", "s<http>u<u>h<h>p<1>P</ä|>", -1, 0},
		{Reference, "x:[", "s<x>P<[>", -1, 0},
		{Reference, "x:%", "s<x>P<%>", -1, 0},
		{Reference, "##", "P<>f<#>", -1, 0},
		{Reference, "/a b", "", 2, ErrPath},
		{Reference, "/?\t", "", 2, ErrQuery},
		{Reference, "#\x00", "", 1, ErrFragment},
		{Reference, "%41:b", "", 3, ErrScheme},
		{Reference, "[::1]:80", "", 1, ErrScheme},
		{Reference, "1a:b", "", 2, ErrScheme},
		{Reference, "//h\\", "", 3, ErrHost},
		{Reference, "//h%4", "", 5, ErrPercent},
		{Reference, "http://h%zz/", "", 9, ErrPercent},
		{Reference, "//u%@h", "", 4, ErrPercent},
		{Reference, "//[::1%25]/", "", 6, ErrIPLiteral},
		{Reference, "//h:8%", "", 6, ErrPercent},
		{Reference, "http://a@b@c/", "", 10, ErrHost},
		{URI, "h[p:", "", 1, ErrScheme},
		{AbsoluteURI, "x:/%?[#", "", 6, ErrForm},
		{RelativeRef, "x:[", "", 1, ErrForm},
		{OriginForm, "//[?%", "P<//[>q<%>", -1, 0},
		{OriginForm, "/%#", "", 2, ErrForm},
		{AuthorityForm, "h%zz:1", "", 2, ErrPercent},
		{AsteriskForm, "*", "P<*>", -1, 0},
		{AsteriskForm, "[", "", 0, ErrForm},
		{HostField, "[a]", "", 2, ErrIPLiteral},
		{HostField, "h|", "", 1, ErrHost},
	} {
		var v StringView
		err := v.Scan(row.form|Lenient, row.in)
		if row.why != 0 {
			assert.Equal(t, row.why, err, "form %d of %q", row.form, row.in)
		} else if assert.NoError(t, err, "form %d of %q", row.form, row.in) {
			assert.Equal(t, row.parts, parts(&v), "form %d of %q", row.form, row.in)
		}
		assert.Equal(t, row.at, v.ErrorOffset(), "form %d of %q", row.form, row.in)
		slow := slowReadLenient(row.form, row.in)
		assert.Equal(t, row.why, slow.why, "slow twin: form %d of %q", row.form, row.in)
		assert.Equal(t, row.at, slow.offset, "slow twin: form %d of %q", row.form, row.in)
	}

	// At every place of the first blocks.
	for i := range 2*blockSize + 3 {
		filler := strings.Repeat("x", i)
		for _, s := range []string{
			filler + "%", filler + "[", filler + "%:", filler + "[:", "/" + filler + "%4?%[", "//" + filler + "%4", "//" + filler + "%4/%", "//h/" + filler + "%zz",
			"x://" + filler + "%41/%", "#" + filler + "#", filler + "?#" + filler + "#", filler + "#%#", "/" + filler + " ", "/" + filler + "\x7F%\xFF ",
			"//" + filler + "@h%/", "//u%@" + filler, "//h:" + filler, "x:" + filler + "%[", "#" + filler + "%", "//" + filler + "%4:80/[", "//" + filler + "[",
		} {
			for _, form := range []Form{Reference, AbsoluteURI, OriginForm, HostField} {
				require.Equal(t, slowReadLenient(form, s), read(t, form|Lenient, s), "lenient form %d of %q", form, s)
			}
		}
	}
}

// TestOperationAllocations has every operation: none allocates where dst has room, on failure neither.
func TestOperationAllocations(t *testing.T) {
	buffer := make([]byte, 0, 8192)
	texts := append([]string{
		"HTTP://User:Pw@%45xample.COM:0080/a/./b/%7e/../c%2f.tar.gz?sig=1&b&%61=2&&c=%zz#%c3[", "s:/a/..//evil", "//[2001:DB8:0:0:0:0:0:1]:?", "x:%%41%4%31",
	}, shapes...)
	var base StringView
	require.NoError(t, base.Scan(URI, "http://User@a/b/c/d;p?q"))
	var host StringView
	require.NoError(t, host.Scan(HostField, "%41.Example:080"))
	keys := []string{"sig", "b"}
	failures := 0
	use := func(out []byte, err error) {
		used += len(out)
		if err != nil {
			failures++
		}
	}
	for _, s := range texts {
		for _, form := range []Form{Reference, OriginForm, AbsoluteURI, HostField} {
			v, w, _, ok := scanned(t, form, s)
			if !ok {
				continue
			}
			readOperations(t, s, &v)
			readOperations(t, s, &w)
			for _, steps := range []Step{0, SyntaxBased, SchemeBased, LowercaseHost, RemoveDotSegments, DecodeUnreserved, ShortenAddress} {
				allocates(t, s, func() {
					use(v.AppendNormalized(buffer, steps), nil)
					used += int(w.StepsNeeded(steps)) + int(v.Hash(1, steps))
					if v.IsNormalized(steps) || Equivalent(&v, &w, steps) || Equivalent(&base, &v, steps) {
						used++
					}
				})
			}
			allocates(t, s, func() {
				for options := range ResolveOption(4) {
					use(AppendResolved(buffer, &base, &v, options))
					use(AppendResolved(buffer, &v, &base, options))
				}
				use(AppendRelative(buffer, &base, &v))
				use(AppendRelative(buffer, &w, &v))
				use(v.AppendRedacted(buffer, nil), nil)
				use(w.AppendRedacted(buffer, keys), nil)
				use(AppendTargetURI(buffer, "http", form, &v, &host))
				use(AppendTargetURI(buffer, "1", form, &w, &host))
				if form == AbsoluteURI && HostAgrees(&v, &host) {
					used++
				}
			})
		}

		b := []byte(s)
		path := []byte(s)
		allocates(t, s, func() {
			use(AppendEncode(buffer, s, Query.Set()), nil)
			use(AppendEncode(buffer, b, NewSet("a%").Or(Unreserved()).Sub(SubDelims())), nil)
			use(AppendEncode(buffer, b, Pchar().Sub(GenDelims())), nil)
			use(AppendDecode(buffer, s))
			use(AppendDecode(buffer, b))
			use(AppendFormEncode(buffer, b), nil)
			use(AppendFormDecode(buffer, b))
			use(DecodeInPlace(path))
			copy(path, s)
			use(AppendRemoveDotSegments(buffer, s), nil)
			use(AppendRemoveDotSegments(buffer, b), nil)
			use(RemoveDotSegmentsInPlace(path), nil)
			copy(path, s)
			use(AppendRedacted(buffer, s, nil), nil)
			use(AppendRedacted(buffer, b, keys), nil)
			used += EncodedLen(b, Path.Set()) + int(RequestForm("GET", b)) + int(RequestForm(b, s))
			if EqualDecoded(s, b) || NewSet(s).Contains('?') {
				used++
			}
			if (ParamOf[string]{Key: s}).Is("sig") {
				used++
			}
		})
	}
	assert.NotZero(t, failures)
	for _, s := range []string{"http://u:p @h/?sig=1", "/a b?sig=x&b=2", "\x00", "//u@p@h"} {
		allocates(t, s, func() { use(AppendRedacted(buffer, s, nil), nil) })
	}
	allocates(t, "lenient scan", func() {
		var v StringView
		if v.Scan(Reference|Lenient, "/%zz[?{#") != nil || v.Scan(Reference|Lenient, "//h%") == nil {
			panic("misread")
		}
	})
}

// readOperations calls all that reads from a view.
func readOperations[T Text](t *testing.T, s string, v *ViewOf[T]) {
	t.Helper()
	buffer := make([]byte, 0, 8192)
	allocates(t, s, func() {
		for segment := range v.Segments() {
			used += len(segment)
		}
		for segment := range v.SegmentsBackward() {
			used += len(segment)
		}
		for p := range v.Params() {
			used += len(p.Key) + len(p.Value)
		}
		for p := range v.ParamsBy(';') {
			used += len(p.Key) + len(p.Value)
		}
		p, ok := v.Param("sig")
		if ok || p.Is("a") {
			used++
		}
		used += len(v.LastSegment()) + len(v.Extension()) + len(v.WithoutFragment()) + len(v.RequestTarget()) + int(v.Traits())
		used += len(v.AppendWithoutParams(buffer, func(p ParamOf[T]) bool { return p.Is("sig") }))
	})
}

// TestOperationsConcurrently is for the race detector: a view is read only.
func TestOperationsConcurrently(t *testing.T) {
	v, w := views(t, "HTTP://u:p@%45xample.COM:80/a/../b%2f?sig=1&b#%c3")
	want := string(v.AppendNormalized(nil, SchemeBased))
	done := make(chan bool)
	for range 4 {
		go func() {
			defer func() { done <- true }()
			for range 50 {
				assert.Equal(t, want, string(v.AppendNormalized(nil, SchemeBased)))
				assert.True(t, Equivalent(&v, &w, SyntaxBased))
				assert.Equal(t, v.Hash(1, SchemeBased), w.Hash(1, SchemeBased))
				out, err := AppendResolved(nil, &v, &w, 0)
				assert.NoError(t, err)
				assert.NotEmpty(t, out)
				assert.NotContains(t, string(v.AppendRedacted(nil, nil)), "u:p")
				assert.NotZero(t, v.Traits())
			}
		}()
	}
	for range 4 {
		<-done
	}
}

// TestOperationBlockEdges puts what the operations look for at every place of the first blocks.
func TestOperationBlockEdges(t *testing.T) {
	for i := range 2*blockSize + 10 {
		filler := strings.Repeat("x", i)
		for _, s := range []string{
			"http://h/" + filler + "/..", "http://h/" + filler + "/../" + filler, "/" + filler + "/./y", filler + "/.", "s:" + filler + "/..//" + filler, "/" + filler + "//y",
			"//" + filler + "A", "//a" + filler + "%41:80/", "//h/" + filler + "%7e" + filler, "/" + filler + "/%2e%2E/y", "?" + filler + "%c3%a4", "#" + filler + "%5f%00",
			filler + "%2f", "//u" + filler + "@h/?sig=" + filler + "&b#" + filler, "?" + filler + "&sig=" + filler, "x" + filler + "X://h/", "//h" + filler + ":/..", "/" + filler + "%%41%4",
			"//" + strings.Repeat("0", i) + "1", "http://h:" + strings.Repeat("0", i) + "80", "/" + filler + "[", "#" + filler + "#", "?" + filler + "\xFF", "http://" + filler, "//%41" + filler + "B",
		} {
			v, w, as, ok := scanned(t, Reference, s)
			require.True(t, ok, "%q", s)
			traits := slowTraits(as, s)
			redacted := slowRedact(as, s, nil)
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

// TestRewrittenRuns normalizes runs of what is rewritten and of what is not, of all lengths up to beyond what is rewritten at
// once. A buffer with room for the result and not a byte more is enough.
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
						requireEqual(t, want, appended(t, func(dst []byte) []byte { return v.AppendNormalized(dst, steps) }), "%q", s)
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

// TestSmallTexts normalizes all texts of a few tokens each: where dots, slashes, escapes and colons meet, and may come to
// mean something else.
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
		for range kind.most {
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
				for _, steps := range []Step{SchemeBased, RemoveDotSegments, DecodeUnreserved, LowercaseHost | UppercaseEscapes} {
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
