package uri

import (
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

		// Addresses to some software, names to the RFC.
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

		// Lenient.
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
