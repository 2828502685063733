package uri

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNormalizeSteps shows for each step what it changes by itself, and what it keeps.
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

		{
			LowercaseHost, "HTTP://User:PW@ExAmPle.COM:80/Path?Query#Fragment",
			"HTTP://User:PW@example.com:80/Path?Query#Fragment",
		},
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
		{DecodeUnreserved, "/%%34%31", "/%%341"}, // the escape that is kept is complete
		{DecodeUnreserved, "/%g%41%", "/%gA%"},   // "%gA" is not an escape
		{DecodeUnreserved, "/%zz?%%7e", same},
		{UppercaseEscapes, "/%zz%a%aa%", "/%zz%a%AA%"},

		{RemoveDotSegments, "http://h/a/./b/../c", "http://h/a/c"},
		{RemoveDotSegments, "http://h/a/b/c/../../d/e/../..", "http://h/a/"},
		{RemoveDotSegments, "http://h/..", "http://h/"},
		{RemoveDotSegments, "//h/../a", "//h/a"},
		{RemoveDotSegments, "/a/../b", "/b"},
		{RemoveDotSegments, "a/../b", same}, // a relative reference
		{RemoveDotSegments, "a/../b:c", same},
		{RemoveDotSegments, "../a", same},
		{RemoveDotSegments, "?a/../b#/../", same},
		{RemoveDotSegments, "s:a/../b", "s:/b"}, // follows the RFC literally
		{RemoveDotSegments, "s:..", "s:"},
		{RemoveDotSegments, "s:./a:b", "s:a:b"},
		{RemoveDotSegments, "scheme:/a/..//evil", "scheme:/.//evil"},
		{RemoveDotSegments, "scheme:/.//evil", same},
		{RemoveDotSegments, "s:a/..//evil", "s:/.//evil"},
		{RemoveDotSegments, "/a/..//evil", "/.//evil"},
		{RemoveDotSegments, "/.//evil", same},
		{RemoveDotSegments, "http://h/a/..//evil", "http://h//evil"},
		{RemoveDotSegments, "http://h/%2e%2E/a", same}, // not decoded yet, so not a dot
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

		{RemoveDotSegments, "//h/.//x", "//h//x"}, // the "." is not there because of the "//" after it
		{LowercaseScheme | RemoveDotSegments, "S:%2e/a", "s:%2e/a"},
		{LowercaseScheme | RemoveDotSegments, "S:/%2e/a", "s:/%2e/a"},
		{DecodeUnreserved | RemoveDotSegments, "s:%2e/a", "s:a"},
		{LowercaseScheme, "S://[::0]", "s://[::0]"},

		{SyntaxBased, "eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "example://a/b/c/%7Bfoo%7D"}, // RFC 3986 section 6.2.2
		{SyntaxBased, "http://h:80", same},
		{SyntaxBased, "?k", same},
		{EncodeIllegal, "/a b|c%?\"%4#\xC3\xA4#%zz", "/a%20b%7Cc%25?%22%254#%C3%A4%23%25zz"},
		{EncodeIllegal, "/ä b|c", "/%C3%A4%20b%7Cc"},
		{EncodeIllegal, "http://h/%41[]\\", "http://h/%41%5B%5D%5C"},
		{EncodeIllegal, "//h/%%41?%4%31", "//h/%25%41?%254%31"},
		{EncodeIllegal | DecodeUnreserved, "//h/%%41?%4%31", "//h/%25A?%2541"},
		{EncodeIllegal | UppercaseEscapes, "/%zz%c3", "/%25zz%C3"},
		{EncodeIllegal | RemoveDotSegments, "/a b/../%%2e/c", "/%25%2e/c"},
		{EncodeIllegal, "/a?b#c", same},

		{DropFragment, "/a?b#c", "/a?b"},
		{DropFragment, "#", ""},
		{DropFragment, "/a?b", same},

		{DecodeSlashes, "/a%2fb%2Fc", "/a/b/c"},
		{DecodeSlashes, "//%2F@h%2F/%2F?%2F#%2F", "//%2F@h%2F//?%2F#%2F"}, // only in the path
		{DecodeSlashes, "/%5c%252F%2e%20", same},
		{DecodeSlashes, "%2Fa", "/a"},
		{DecodeSlashes, "/%2Fa", "/.//a"}, // no authority is gained
		{DecodeSlashes, "%2f%2fa", "/.//a"},
		{DecodeSlashes, "x:%2F/a", "x:/.//a"},
		{DecodeSlashes, "//h/%2Fa", "//h//a"},
		{DecodeSlashes, "/a%2F..", "/a/.."},
		{DecodeSlashes | UppercaseEscapes, "/a%2f%2b", "/a/%2B"},
		{DecodeSlashes | RemoveDotSegments, "/a%2F..%2Fb", "/b"},
		{DecodeSlashes | RemoveDotSegments, "/a/..%2F%2fb", "/.//b"},
		{DecodeSlashes | RemoveDotSegments, "x:/.%2F/a", "x:/.//a"},
		{DecodeSlashes | RemoveDotSegments, "x:a%2F.", "x:a/"},
		{DecodeSlashes | RemoveDotSegments, "x:..%2Fa", "x:a"},
		{DecodeSlashes | RemoveDotSegments, "..%2Fa", "../a"},
		{DecodeSlashes | RemoveDotSegments, "%2F..%2Fa", "/a"},
		{DecodeSlashes | RemoveDotSegments | DecodeUnreserved, "/a%2f%2e%2E%2fb", "/b"},
		{DecodeSlashes | SyntaxBased, "/a%2F%2e%2", "/a/.%2"},
		{DecodeSlashes, "/%%2F", "/%/"},
		{DecodeSlashes | EncodeIllegal, "/%%2F", "/%25/"},
		{MergeSlashes, "/a//b///c//", "/a/b/c/"},
		{MergeSlashes, "//h//a", "//h/a"},
		{MergeSlashes, "//h//", "//h/"},
		{MergeSlashes, "a//b?c//d#e//f", "a/b?c//d#e//f"},
		{MergeSlashes, "x:/.//a", "x:/./a"},
		{MergeSlashes, "http://h/a/%2F/b/", same},
		{MergeSlashes | DecodeSlashes, "/%2F/a%2F%2f%2Fb", "/a/b"},
		{MergeSlashes | DecodeSlashes, "x:%2F%2F", "x:/"},
		{MergeSlashes | RemoveDotSegments, "/a//../b", "/b"}, // as a file system does
		{MergeSlashes | RemoveDotSegments, "/a/..//b", "/b"},
		{MergeSlashes | RemoveDotSegments, "x:.//a", "x:a"},
		{MergeSlashes | RemoveDotSegments, "x:/.//a", "x:/a"},
		{MergeSlashes | RemoveDotSegments, "x:..///..//a//.", "x:a/"},
		{MergeSlashes | RemoveDotSegments, "//h/a//..", "//h/"},
		{MergeSlashes | DecodeSlashes | SchemeBased, "http://h/a%2F%2F%2e%2e//b", "http://h/b"},
		{SortParams, "?b=1&a=2", "?a=2&b=1"},
		{SortParams, "/p?b&a=3&b=1&a=2#f", "/p?a=3&a=2&b&b=1#f"}, // equal keys keep their order
		{SortParams, "?b&&a", "?&a&b"},
		{SortParams, "?%62&a&%61=1&B", "?B&a&%61=1&%62"}, // compared decoded, written verbatim
		{SortParams | DecodeUnreserved, "?%62&a&%61=1&B", "?B&a&a=1&b"},
		{SortParams, "?a&b&b", same},
		{SortParams, "?", same},
		{SortParams, "?" + strings.Repeat("b&", maxSorted-1) + "a", "?a" + strings.Repeat("&b", maxSorted-1)},
		{SortParams, "?" + strings.Repeat("b&", maxSorted) + "a", same},
		{SortParams | DropFragment | SchemeBased, "HTTP://H?b=%7e&a#f", "http://h/?a&b=~"},

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
		assert.Equal(t, want, appended(t, func(dst []byte) []byte { return v.AppendNormalized(dst, row.steps) }),
			"%q, steps %b", row.in, row.steps)
		assert.Equal(t, want, appended(t, func(dst []byte) []byte { return w.AppendNormalized(dst, row.steps) }),
			"%q, steps %b", row.in, row.steps)
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

	// Which of several steps are needed depends on their order.
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

	// The other forms: a path that begins with "//" is not read as an authority.
	for _, row := range []struct {
		form     Form
		in, want string
	}{
		{OriginForm, "//h/../%7e", "//~"},
		{OriginForm, "//h/..", "//"},
		{OriginForm, "/..//h", "/.//h"},
		{OriginForm, "/a/..//h?%7E", "/.//h?~"},
		{AuthorityForm, "Example.COM:080", "example.com:080"},
		{AuthorityForm, "%41:80", "a:80"},
		{HostField, "%41", "a"},
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
		{"example://a/b/c/%7Bfoo%7D", "eXAMPLE://a/./b/../b/%63/%7bfoo%7d", SyntaxBased, true}, // section 6.2.2
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

	// Equal strings of different forms are not equivalent.
	path, _ := views(t, "//H", OriginForm)
	host, _ := views(t, "//H")
	assert.False(t, Equivalent(&path, &host, SyntaxBased))
	assert.True(t, Equivalent(&path, &host, 0))

	// A good hash does not give the same value to two of these.
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

func FuzzNormalize(f *testing.F) {
	operands(f, func(s string) {
		f.Add(s, uint8(Reference), uint16(SchemeBased))
		f.Add(s, uint8(OriginForm), uint16(RemoveDotSegments))
		f.Add(s, uint8(HostField), uint16(SyntaxBased|ShortenAddress))
		f.Add(s, uint8(Reference), uint16(SchemeBased|EncodeIllegal|SortParams))
		f.Add(s, uint8(OriginForm), uint16(EncodeIllegal|DropFragment))
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
		requireEqual(t, s, v.String(), "the input is unchanged")

		// The result scans and keeps the structure: scheme and authority are neither gained nor lost.
		if as&^Lenient == AuthorityForm && steps&DropEmptyPort != 0 && strings.HasSuffix(s, ":") {
			as = HostField // without a port it has the form of a Host field
		}
		require.True(t, inForm(as, got), "%q of %q", got, s)
		var again StringView
		require.NoError(t, again.Scan(as, got), "%q of %q", got, s)
		for _, c := range []Component{Scheme, Authority, Userinfo, Host, Query, Fragment} {
			has := w.Has(c) && !(c == Fragment && steps&DropFragment != 0)
			requireEqual(t, has, again.Has(c), "%v of %q, which was %q", c, got, s)
			component := appended(t, func(dst []byte) []byte { return v.AppendComponent(dst, c, steps) })
			start, end := again.Span(c)
			if start < 0 {
				start, end = 0, 0
			}
			requireEqual(t, got[start:end], component, "%v of %q, steps %v", c, s, steps)
		}
		require.True(t, strings.EqualFold(w.Scheme(), again.Scheme()))
		requireEqual(t, slowDecodeLenient(w.Userinfo()), slowDecodeLenient(again.Userinfo()))
		if again.Has(Fragment) {
			requireEqual(t, slowDecodeLenient(w.Fragment()), slowDecodeLenient(again.Fragment()))
		}
		var params, sorted []string
		for p := range w.Params() {
			params = append(params, slowDecodeLenient(joined(p)))
		}
		for p := range again.Params() {
			sorted = append(sorted, slowDecodeLenient(joined(p)))
		}
		if steps&SortParams != 0 {
			slices.Sort(params)
			slices.Sort(sorted)
		}
		require.Equal(t, params, sorted, "%q of %q", got, s)
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
		requireEqual(t, got, appended(t, func(dst []byte) []byte { return again.AppendNormalized(dst, steps) }),
			"it is normalized")
		require.True(t, again.IsNormalized(steps))
	})
}

// disguise encodes the bytes of the path, the query and the fragment of s for which a bit of the mask is set.
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
	var path strings.Builder // a digit of an escape must not be encoded
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
				requireEqual(t, slowHash(64, mask, normalized), hash, "%q, steps %b", s, steps)
				if equal {
					requireEqual(t, hash, v.Hash(mask, steps), "%q, %q, steps %b", a, s, steps)
				} else {
					require.NotEqual(t, hash, v.Hash(mask, steps), "%q, %q, steps %b", a, s, steps)
				}
			}
		}
	})
}

// TestAppendComponent normalizes each component separately. The result must be the same as in the whole URI.
func TestAppendComponent(t *testing.T) {
	steps := []Step{0, SyntaxBased, SchemeBased, EncodeIllegal, SchemeBased | EncodeIllegal | SortParams}
	for _, s := range append([]string{
		"HTTP://U%7e:P%3a@%48:080/a/../%7e?b=%7e&a#%7e", "s:/..//a", "http://h", "//[0:0::1]:?", "/a b?c d#e f",
		"?b&a", "",
		"s:a/../../b", "s:/a/..//b/..",
	}, shapes...) {
		for _, form := range []Form{Reference, OriginForm, HostField} {
			v, w, as, ok := scanned(t, form, s)
			if !ok {
				continue
			}
			for _, steps := range steps {
				whole, _ := slowNormalize(as, s, steps)
				if as&^Lenient == AuthorityForm {
					continue
				}
				var n StringView
				if n.Scan(as, whole) != nil {
					require.NoError(t, n.Scan(as|Lenient, whole), "%q of %q", whole, s)
				}
				for c := Scheme; c <= Fragment; c++ {
					start, end := n.Span(c)
					want := ""
					if start >= 0 {
						want = whole[start:end]
					}
					if start, _ := v.Span(c); start < 0 && c != Path {
						want = ""
					}
					got := appended(t, func(dst []byte) []byte { return v.AppendComponent(dst, c, steps) })
					require.Equal(t, want, got, "%v of %q, steps %v", c, s, steps)
					require.Equal(t, want, string(w.AppendComponent(nil, c, steps)), "%v of %q, steps %v", c, s, steps)
				}
			}
		}
	}
}

// TestSlashes normalizes all short paths of slashes, dots and letters, encoded or not, by the steps that
// change elements of a path.
func TestSlashes(t *testing.T) {
	tokens := []string{"/", "%2F", ".", "%2e", "a", "%"}
	sets := []Step{
		DecodeSlashes, MergeSlashes, DecodeSlashes | MergeSlashes, DecodeSlashes | RemoveDotSegments,
		MergeSlashes | RemoveDotSegments, DecodeSlashes | MergeSlashes | RemoveDotSegments,
		DecodeSlashes | SyntaxBased, MergeSlashes | SyntaxBased,
		DecodeSlashes | MergeSlashes | SyntaxBased | EncodeIllegal,
	}
	turn := 0
	var path func(prefix string, left int)
	path = func(prefix string, left int) {
		for _, form := range []Form{Reference | Lenient, OriginForm | Lenient} {
			var v StringView
			if v.Scan(form, prefix) != nil {
				continue
			}
			turn++
			steps := sets[turn%len(sets)]
			want, needed := slowNormalize(form, prefix, steps)
			require.Equal(t, want, string(v.AppendNormalized(nil, steps)), "%q, %v", prefix, steps)
			require.Equal(t, needed, v.StepsNeeded(steps), "%q, %v", prefix, steps)
			var again StringView
			require.NoError(t, again.Scan(form, want), "%q of %q, %v", want, prefix, steps)
			require.True(t, again.IsNormalized(steps), "%q of %q, %v", want, prefix, steps)
			require.Equal(t, v.Has(Authority), again.Has(Authority), "%q of %q, %v", want, prefix, steps)
			require.True(t, Equivalent(&v, &again, steps), "%q of %q, %v", want, prefix, steps)
			require.Equal(t, again.Hash(1, steps), v.Hash(1, steps), "%q of %q, %v", want, prefix, steps)
		}
		for _, token := range tokens {
			if left > 0 {
				path(prefix+token, left-1)
			}
		}
	}
	for _, prefix := range []string{"", "x:", "//h"} {
		path(prefix, 5)
	}
}
