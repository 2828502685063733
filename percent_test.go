package uri

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPercentEncoding(t *testing.T) {
	for _, row := range []struct {
		in   string
		keep Set
		want string
	}{
		{"", Unreserved(), ""},
		{"a b", Unreserved(), "a%20b"},
		{"a/b", Path.Allowed(), "a/b"},
		{"a/b", Pchar(), "a%2Fb"},
		{"100%", Query.Allowed(), "100%25"},
		{"%41%zz%", Query.Allowed().Union(NewSet("%")), "%41%zz%"},
		{"k&v=+", Query.Allowed().Minus(NewSet("&=+")), "k%26v%3D%2B"},
		{"ä\x00\xFF\x7F", Unreserved(), "%C3%A4%00%FF%7F"},
		{"abc", Set{}, "%61%62%63"},
		{"a b", NewSet("ab "), "a b"},
		{"~", Pchar().Minus(NewSet("~")), "%7E"},
	} {
		assert.Equal(t, row.want, appended(t,
			func(dst []byte) []byte { return AppendEncode(dst, row.in, row.keep) }), "%q", row.in)
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
		{"ä%41\xFF+%C3%A4\x80", "äA\xFF+ä\x80", "äA\xFF ä\x80"},
	} {
		requireDecoded(t, row.in, row.want)
		out, why := appendedOr(t, func(dst []byte) ([]byte, error) { return AppendFormDecode(dst, []byte(row.in)) })
		assert.Zero(t, why)
		assert.Equal(t, row.form, out)
		assert.True(t, EqualDecoded(row.in, []byte(row.want)))
		assert.False(t, EqualDecoded([]byte(row.in), row.want+"x"))
	}
	assert.Equal(t, "a+b*-._%7E%2B%25%C3%A4",
		appended(t, func(dst []byte) []byte { return AppendFormEncode(dst, "a b*-._~+%ä") }))

	// Escapes with fewer and more bytes between them than are copied at once.
	for i := range 40 {
		for j := range 20 {
			x, y := strings.Repeat("x", i), strings.Repeat("y", j)
			requireDecoded(t, x+"%41"+y+"%2B%42"+x+"%43"+y, x+"A"+y+"+B"+x+"C"+y)
			requireEqual(t, x+"A"+y+" B+"+y, appended(t, func(dst []byte) []byte {
				out, err := AppendFormDecode(dst, x+"%41"+y+"+%42%2B"+y)
				require.NoError(t, err)
				return out
			}))
		}
	}

	// A broken escape, and a complete one, across the boundaries of blocks of 64 bytes.
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
		require.Equal(t, filler+"%20"+filler, string(AppendEncode(nil, filler+" "+filler, Path.Allowed())))
	}
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
		requireEqual(t, s, string(b), "the input is unchanged")
	})
}

// requireDecoded decodes the input with every function that decodes.
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

func TestDecodeLenient(t *testing.T) {
	for _, s := range []string{"", "a", "%41", "%", "%4", "%zz", "%%41", "%4%31", "a%41%zz%42%", "%C3%A4+"} {
		require.Equal(t, slowDecodeLenient(s),
			appended(t, func(dst []byte) []byte { return AppendDecodeLenient(dst, s) }))
		if decoded, err := AppendDecode(nil, s); err == nil {
			require.Equal(t, string(decoded), string(AppendDecodeLenient(nil, []byte(s))))
		}
	}
}
