package uri

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
		{"/.a/..b/.c.d", 0},
		{"/.a/..b/.../c./", HasWindowsSegment},
		{"//.", HasTrailingDot},
		{"/%2e", HasEscape | HasEncodedDotSegment},
		{"/.%2E/", HasEscape | HasEncodedDotSegment},
		{"%2e.", HasEscape | HasEncodedDotSegment},
		{"%2e%2e/./", HasEscape | HasEncodedDotSegment | HasDotSegment},
		{"/%2e%2e%2ea/a%2eb", HasEscape},
		{"/%2e%2e%2e/a%2e", HasEscape | HasWindowsSegment},
		{"/%41/./..", HasEscape | HasDotSegment},
		{"//%2e/?/%2e/", HasEscape | HasEscapedHost | HasTrailingDot},
		{"//h//", HasDoubleSlash},
		{"a//b", HasDoubleSlash},
		{"///p", HasEmptyHost},
		{"?//", 0},
		{"Http://h", HasUppercaseScheme},
		{"ht+P:", HasUppercaseScheme},
		{"h:P", 0},
		{"//example.Com", HasUppercaseHost},
		{"//[1::A]", HasUppercaseHost},
		{"//[V1.a]", HasUppercaseHost},
		{"//%4A", HasEscape | HasEscapedHost},
		{"//%4AZ", HasEscape | HasEscapedHost | HasUppercaseHost},
		{"//U@h/P?Q#F", 0},

		// Addresses to some software, names to the RFC.
		{"//1.2.3.4", 0},
		{"//1.2.3.4.", HasAddressLikeName | HasTrailingDot},
		{"//256.1.1.1", HasAddressLikeName},
		{"//01.2.3.4", HasAddressLikeName},
		{"//0177.0.0.1", HasAddressLikeName},
		{"//1.2.3", HasAddressLikeName},
		{"//2130706433", HasAddressLikeName},
		{"//0x7f.1", HasAddressLikeName},
		{"//0X7F.0x", HasAddressLikeName | HasUppercaseHost},
		{"//0x", HasAddressLikeName},
		{"//1.", HasAddressLikeName | HasTrailingDot},
		{"//%31.2.3.4", HasAddressLikeName | HasEscape | HasEscapedHost},
		{"//1%2e2", HasAddressLikeName | HasEscape | HasEscapedHost},
		{"//1.2.3.4.5", 0},
		{"//1..2", 0},
		{"//1..", HasTrailingDot},
		{"//.1", 0},
		{"//", HasEmptyHost},
		{"//1a", 0},
		{"//0xg", 0},
		{"//x0", 0},
		{"//[::1]", 0},
		{"1.2.3", 0},

		// No host.
		{"http:///a", HasEmptyHost},
		{"http:/a", HasEmptyHost},
		{"http:a", HasEmptyHost},
		{"http:", HasEmptyHost},
		{"HTTPS:?q", HasEmptyHost | HasUppercaseScheme},
		{"ws:a", HasEmptyHost},
		{"wss:a", HasEmptyHost},
		{"ftp://u@:21/", HasEmptyHost},
		{"//:80", HasEmptyHost},
		{"//u@/", HasEmptyHost},
		{"file:///a", 0},
		{"x:", 0},
		{"x://", 0},
		{"httpx:a", 0},
		{"/a", 0},

		// Names.
		{"//example.com.", HasTrailingDot},
		{"//example.com%2e:80/", HasTrailingDot | HasEscape | HasEscapedHost},
		{"//a%2e.", HasTrailingDot | HasEscape | HasEscapedHost},
		{"//a%2eb", HasEscape | HasEscapedHost},
		{"//xn--4gbrim.example", HasALabel},
		{"//a.XN--p1ai", HasALabel | HasUppercaseHost},
		{"//%78n-%2Da", HasALabel | HasEscape | HasEscapedHost},
		{"//a%2exn--b", HasALabel | HasEscape | HasEscapedHost},
		{"//axn--b", 0},
		{"//xn-a.n--b.x--c.-xn--", 0},
		{"//xnn--a", 0},
		{"//xn.--a", 0},
		{"//xn--", HasALabel},
		{"//xn-", 0},
		{"//h/xn--a", 0},

		// Addresses.
		{"//[2001:db8::1]", 0},
		{"//[::]", 0},
		{"//[::1]", 0},
		{"//[::2]", HasEmbeddedIPv4},
		{"//[::0.0.0.1]", HasNonCanonicalIPv6},
		{"//[::127.0.0.1]", HasEmbeddedIPv4 | HasNonCanonicalIPv6},
		{"//[::1:0:0]", 0},
		{"//[::ffff:127.0.0.1]", HasEmbeddedIPv4},
		{"//[::FFFF:7f00:1]", HasEmbeddedIPv4 | HasNonCanonicalIPv6 | HasUppercaseHost},
		{"//[::fffe:0:1]", 0},
		{"//[1::ffff:0:1]", 0},
		{"//[::ffff:0:7f00:1]", HasEmbeddedIPv4},
		{"//[::ffff:1:7f00:1]", 0},
		{"//[64:ff9b::7f00:1]", HasEmbeddedIPv4},
		{"//[64:ff9b::1:7f00:1]", 0},
		{"//[64:ff9b::1:0:7f00:1]", 0},
		{"//[64:ff9c::7f00:1]", 0},
		{"//[64:ff9b:1:ffff:ffff::1]", HasEmbeddedIPv4},
		{"//[64:ff9b:2::1]", 0},
		{"//[2002:7f00:1::]", HasEmbeddedIPv4},
		{"//[2003::]", 0},
		{"//[2001::1]", HasEmbeddedIPv4},
		{"//[2001:1::1]", 0},
		{"//[0::1]", HasNonCanonicalIPv6},
		{"//[2001:DB8::1]", HasUppercaseHost},
		{"//[2001:0db8::1]", HasNonCanonicalIPv6},
		{"//[v1.0::1]", 0},

		// Ports.
		{"//h:", HasUnusualPort},
		{"//h:0", HasUnusualPort},
		{"//h:00", HasUnusualPort},
		{"//h:080", HasUnusualPort},
		{"//h:65536", HasUnusualPort},
		{"//h:99999", HasUnusualPort},
		{"//h:100000", HasUnusualPort},
		{"//h:184467440737095516160", HasUnusualPort},
		{"//h:1", 0},
		{"//h:9999", 0},
		{"//h:65535", 0},
		{"//[::1]:0", HasUnusualPort},
		{"http://:0", HasUnusualPort | HasEmptyHost},

		// Parameters of the path.
		{"/a;b", HasPathParam},
		{";", HasPathParam},
		{"//h;i/a?b;c#d;e", 0},
		{"/..;/", HasPathParam | HasDotSegmentParam},
		{"/a/.;b", HasPathParam | HasDotSegmentParam},
		{"..;", HasPathParam | HasDotSegmentParam},
		{"/%2e%2E;", HasPathParam | HasDotSegmentParam | HasEscape},
		{"/.%2e%3b", HasEncodedSemicolon | HasDotSegmentParam | HasEscape},
		{"/.%3Bx", HasEncodedSemicolon | HasDotSegmentParam | HasEscape},
		{"/...;/;/a.;/;.", HasPathParam | HasWindowsSegment},
		{"/../;x", HasPathParam | HasDotSegment},
		{"/a%3B", HasEncodedSemicolon | HasEscape},
		{"?%3B", HasEscape},
		{"//u%3B%3F%23@h", HasEscape},

		// Delimiters.
		{"/%3f", HasEncodedDelimiter | HasEscape},
		{"%23", HasEncodedDelimiter | HasEscape},
		{"?%3F%23#%3F%23", HasEscape},
		{"/%c0%af", HasOverlongUTF8 | HasEscape},
		{"/%C0%AE", HasOverlongUTF8 | HasEscape},
		{"/%c1%1c", HasOverlongUTF8 | HasEscape | HasEncodedControl},
		{"/%c0", HasOverlongUTF8 | HasEscape},
		{"/%c2%80", HasEscape},
		{"/%e0%80%af", HasOverlongUTF8 | HasEscape},
		{"/%e0%9f", HasOverlongUTF8 | HasEscape},
		{"/%e0%a0%80", HasEscape},
		{"/%e0", HasEscape},
		{"/%e1%80%80", HasEscape},
		{"/%f0%80%80%af", HasOverlongUTF8 | HasEscape},
		{"/%f0%8f", HasOverlongUTF8 | HasEscape},
		{"/%f0%90%80%80", HasEscape},
		{"/%f8%80%80%80%af", HasOverlongUTF8 | HasEscape},
		{"/%f8%87", HasOverlongUTF8 | HasEscape},
		{"/%f8%88", HasEscape},
		{"/%fc%80%80%80%80%af", HasOverlongUTF8 | HasEscape},
		{"/%fc%83", HasOverlongUTF8 | HasEscape},
		{"/%fc%84", HasEscape},
		{"//u%C0@h", HasOverlongUTF8 | HasEscape},
		{"//%C0", HasOverlongUTF8 | HasEscape | HasEscapedHost},
		{"?%c0%af#%c0%af", HasEscape},
		{"/%e0?%80", HasEscape},
		{"/%ef%bc%8f", HasUnicodeDelimiter | HasEscape},
		{"/%ef%bc%bc", HasUnicodeDelimiter | HasEscape},
		{"/%ef%b9%a8", HasUnicodeDelimiter | HasEscape},
		{"/%ef%bc%8e", HasUnicodeDelimiter | HasEscape},
		{"/%ef%b9%92", HasUnicodeDelimiter | HasEscape},
		{"/%e2%80%a4", HasUnicodeDelimiter | HasEscape},
		{"/%e2%80%a5", HasUnicodeDelimiter | HasEscape},
		{"/%e2%81%84", HasUnicodeDelimiter | HasEscape},
		{"/%e2%88%95", HasUnicodeDelimiter | HasEscape},
		{"/%e2%88%96", HasUnicodeDelimiter | HasEscape},
		{"/%e2%80%a6%ef%bc%90%ef%bc", HasEscape},
		{"//%ef%bc%8f/", HasUnicodeDelimiter | HasEscape | HasEscapedHost},
		{"?%ef%bc%8f", HasEscape},

		// Windows.
		{"/a.", HasWindowsSegment},
		{"/a./b", HasWindowsSegment},
		{"a.", HasWindowsSegment},
		{"/...", HasWindowsSegment},
		{"/..%20", HasWindowsSegment | HasEscape},
		{"/a%20/b", HasWindowsSegment | HasEscape},
		{"/%20", HasWindowsSegment | HasEscape},
		{"/a%2E", HasWindowsSegment | HasEscape},
		{"/a::$DATA", HasWindowsSegment},
		{"/a:%24i30", HasWindowsSegment | HasEscape},
		{"/a%3a$i30", HasWindowsSegment | HasEscape},
		{"/a%3A%3A%24", HasWindowsSegment | HasEscape},
		{"/%24:/$:/:/$a/b$", HasEscape},
		{"/%3a/%3a", HasEscape},
		{"/a.b/c%20d/.e", HasEscape},
		{"/?a./:$", 0},

		// Lenient.
		{"/ ", HasIllegalInPath | HasWindowsSegment},
		{"/a b", HasIllegalInPath},
		{"/a /b", HasIllegalInPath | HasWindowsSegment},
		{"/\xC0\xAF", HasNonASCII | HasOverlongUTF8},
		{"/\xC0%AF", HasNonASCII | HasOverlongUTF8 | HasEscape},
		{"/%E0\x80", HasNonASCII | HasOverlongUTF8 | HasEscape},
		{"/\xE0%80", HasNonASCII | HasOverlongUTF8 | HasEscape},
		{"/\xE0%8", HasNonASCII | HasBrokenEscape},
		{"/．．／", HasNonASCII | HasUnicodeDelimiter},
		{"?．#／", HasNonASCII},
		{"/..;%", HasBrokenEscape | HasPathParam | HasDotSegmentParam},
		{"/%.", HasBrokenEscape | HasWindowsSegment},
		{"/%%20", HasBrokenEscape | HasEscape | HasWindowsSegment},
		{"/%", HasBrokenEscape},
		{"/?a#%zz", HasBrokenEscape},
		{"/%%41", HasBrokenEscape | HasEscape},
		{"/[", HasIllegalInPath},
		{"/\\", HasBackslash},
		{"?\\", HasIllegalInQuery},
		{"#a#", HasIllegalInQuery},
		{"#\x7F", HasIllegalInQuery},
		{"/\"", HasIllegalInPath},
		{"/\x80", HasNonASCII},
		{"?ä", HasNonASCII},
		{"#%g\xFF^", HasBrokenEscape | HasNonASCII | HasIllegalInQuery},
		{"#^\xFF%g", HasBrokenEscape | HasNonASCII | HasIllegalInQuery},
		{"/\"" + strings.Repeat("a", 2*blockSize) + "%41", HasIllegalInPath | HasEscape},
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

func FuzzTraits(f *testing.F) {
	operands(f, func(s string) {
		f.Add(s, uint8(Reference))
		f.Add(s, uint8(OriginForm))
		f.Add(s, uint8(HostField))
	})
	for _, host := range []string{
		"1", "0x", "0x.0X1f.00.9", "1.2.3.4.5", "1..2", "1.", ".1", "%30%78%2e",
		"1.2.3.4", "256.1.1.1", "0xg", "1x", "x0", "",
	} {
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
			require.Zero(t, want&(HasBrokenEscape|HasBackslash|HasIllegalInPath|HasIllegalInQuery|HasNonASCII))
		}
		for _, level := range levels {
			level.use()
			requireEqual(t, want, v.Traits(), "%q: %b, not %b", s, want, v.Traits())
			requireEqual(t, want, w.Traits(), "%q: %b, not %b", s, want, w.Traits())
		}
	})
}

// TestTraitMatrix requires testdata/traits.txt to have examples of each trait, all of which have the trait.
func TestTraitMatrix(t *testing.T) {
	matrix, err := os.ReadFile(filepath.Join("testdata", "traits.txt"))
	require.NoError(t, err)
	code, err := os.ReadFile("traits.go")
	require.NoError(t, err)
	line := regexp.MustCompile(`^(Has\w+) +(\S+) +(\w.*\S)  +(\w.*)$`)
	found := Trait(0)
	for text := range strings.Lines(string(matrix)) {
		if text = strings.TrimSpace(text); text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		m := line.FindStringSubmatch(text)
		require.NotNil(t, m, text)
		trait, example := named[Trait](t, "Trait", m[1]), m[2]
		found |= trait
		form := Reference | Lenient
		if trait == HasDoubleSlash {
			form = OriginForm // a path with two slashes at its start
		}
		v, w := scannedAs(t, form, example)
		assert.NotZero(t, v.Traits()&trait, text)
		assert.NotZero(t, w.Traits()&trait, text)
		assert.NotZero(t, slowTraits(form, example)&trait, "slow twin: %s", text)
		switch trait {
		case HasEscape, HasUppercaseScheme, HasUppercaseHost, HasALabel, HasIllegalInQuery:
			assert.Zero(t, trait&Ambiguous, text)
		default:
			assert.NotZero(t, trait&Ambiguous, text)
		}
	}
	assert.Equal(t, HasNonASCII<<1-1, found, "traits without an example: %v", (HasNonASCII<<1-1)&^found)
	documented := regexp.MustCompile(`(\w+) .*(CVE-\d+-\d+)`).FindAllStringSubmatch(string(code), -1)
	require.Greater(t, len(documented), 15)
	for _, m := range documented {
		has := regexp.MustCompile(`(?m)^` + m[1] + ` .* ` + m[2] + ` `)
		assert.Regexp(t, has, string(matrix), "%s of %s", m[2], m[1])
	}
}
