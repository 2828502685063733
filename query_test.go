package uri

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
		{"?a=1;b=2", []Param{{[]byte("a"), []byte("1;b=2"), true}}}, // only "&" separates
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
		{"%61", "", false},       // the given key is data
		{"a%zz", "a%zz=4", true}, // broken: compared byte for byte
		{"A", "", false},
		{"", "", false},
	} {
		p, ok := w.Param(row.key)
		assert.Equal(t, row.ok, ok, row.key)
		assert.Equal(t, row.want, joined(p), row.key)
	}
	assert.True(t, Param{Key: []byte("%61%62")}.KeyIs("ab"))
	assert.False(t, Param{Key: []byte("%61%6")}.KeyIs("a"))
	assert.True(t, Param{Key: []byte("%61%6")}.KeyIs("a%6")) // a "%" that does not begin an escape is literal
	assert.False(t, Param{Key: []byte("%61%6")}.KeyIs("%61%6"))
	assert.True(t, Param{}.KeyIs(""))
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
		{"?a&", "a", "?"}, // the empty parameter stays
		{"?&&a&&", "", "?a"},
		{"?&&", "", ""},
		{"p", "p", "p"},
		{"?a;b", "a", "?a;b"},
		{"?b=%zz&a=%", "a", "?b=%zz"},
	} {
		v, w := views(t, row.in)
		assert.Equal(t, row.want, appended(t, func(dst []byte) []byte {
			return appendWithoutParams(&v, dst, func(p Param) bool { return p.KeyIs(row.drop) })
		}), row.in)
		assert.Equal(t, row.want, appended(t, func(dst []byte) []byte {
			return appendWithoutParams(&w, dst, func(p ParamOf[string]) bool { return p.KeyIs(row.drop) })
		}), row.in)
	}
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
				require.True(t, p.KeyIs(key))
			}
			requireEqual(t, joined(q), joined(p))
			for _, param := range params {
				requireEqual(t, slowIs(param[0], key), ParamOf[string]{Key: param[0]}.KeyIs(key), "%q, %q", param[0], key)
				requireEqual(t, slowIs(param[0], key), Param{Key: []byte(param[0])}.KeyIs(key), "%q, %q", param[0], key)
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
			return appendWithoutParams(&v, dst, func(p Param) bool { return dropped(joined(p)) })
		}))
		requireEqual(t, want, appended(t, func(dst []byte) []byte {
			n = 0
			return appendWithoutParams(&w, dst, func(p ParamOf[string]) bool { return dropped(joined(p)) })
		}))
		require.True(t, inForm(as, want), "%q of %q", want, s)
		if all := appended(t, func(dst []byte) []byte {
			return appendWithoutParams(&w, dst, func(p ParamOf[string]) bool { return slowIs(p.Key, key) })
		}); !slices.ContainsFunc(params, func(param []string) bool { return slowIs(param[0], key) }) {
			requireEqual(t, s, all)
		} else {
			var left StringView
			require.NoError(t, left.Scan(as, all))
			_, ok := left.Param(key)
			require.False(t, ok, "%q is gone from %q", key, all)
		}

		// Data cannot become another parameter, whatever it is.
		replaced, why := appendedOr(t, func(dst []byte) ([]byte, error) {
			return v.AppendMappedParams(dst, func(Param) (ParamAction, Part) { return ReplaceValue, Data(key) })
		})
		require.Zero(t, why)
		var r StringView
		require.NoError(t, r.Scan(as, replaced), "%q of %q", replaced, s)
		i := 0
		for p := range r.Params() {
			requireEqual(t, params[i][0], p.Key, "%q of %q", replaced, s)
			require.True(t, EqualDecoded(p.Value, key), "%q of %q", replaced, s)
			i++
		}
		requireEqual(t, len(params), i, "%q of %q", replaced, s)

		built, why := appendedOr(t, func(dst []byte) ([]byte, error) {
			b := Builder{Params: []Pair{{Key: Data(s), Value: Data(key)}, {Key: Data(key), NoValue: true}}}
			return b.Append(dst)
		})
		require.Zero(t, why)
		require.NoError(t, r.Scan(Reference, built), "%q", built)
		got := slices.Collect(r.Params())
		require.Len(t, got, 2, "%q", built)
		require.True(t, EqualDecoded(got[0].Key, s) && EqualDecoded(got[0].Value, key), "%q", built)
		require.True(t, EqualDecoded(got[1].Key, key) && !got[1].HasValue, "%q", built)
	})
}

// joined returns a parameter as it is written in a query.
func joined[T Text](p ParamOf[T]) string {
	if !p.HasValue {
		return string(p.Key)
	}
	return string(p.Key) + "=" + string(p.Value)
}

// requireParams requires the view to have these parameters, each a key and, if it has one, a value.
func requireParams[T Text](t *testing.T, v *ViewOf[T], separator string, want [][]string) {
	for _, level := range levels {
		level.use()
		seqs := []func() iter.Seq[ParamOf[T]]{func() iter.Seq[ParamOf[T]] { return v.ParamsBy(separator[0]) }}
		if separator == "&" {
			seqs = append(seqs, v.Params)
		}
		for _, seq := range seqs {
			for stop := range min(4, len(want)) + 1 { // stop after so many; 0 means never
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

// appendWithoutParams appends the text of a view without the parameters for which drop returns true.
func appendWithoutParams[T Text](v *ViewOf[T], dst []byte, drop func(ParamOf[T]) bool) []byte {
	out, err := v.AppendMappedParams(dst, func(p ParamOf[T]) (ParamAction, Part) {
		if drop(p) {
			return DropParam, Part{}
		}
		return KeepParam, Part{}
	})
	if err != nil {
		return dst // the view of a failed scan
	}
	return out
}

func TestKeyHasPrefix(t *testing.T) {
	for _, row := range []struct {
		key, prefix string
		want        bool
	}{
		{"utm_source", "utm_", true},
		{"%75tm_", "utm_", true},
		{"utm", "utm_", false},
		{"%75t", "utm_", false},
		{"x%75tm_", "utm_", false},
		{"", "", true},
		{"a", "", true},
		{"%", "%", true}, // a broken escape is literal
		{"%zz", "%z", true},
		{"%41", "%", false},
	} {
		assert.Equal(t, row.want, Param{Key: []byte(row.key)}.KeyHasPrefix(row.prefix), "%q, %q", row.key,
			row.prefix)
		assert.Equal(t, row.want, strings.HasPrefix(slowDecodeLenient(row.key), row.prefix), "%q, %q", row.key,
			row.prefix)
	}
}

// TestMappedParams replaces every value with data and with raw text. The result must scan and have the same
// number of parameters.
func TestMappedParams(t *testing.T) {
	for _, s := range []string{
		"?a", "?a=1", "/p?a=1&b=2&&c#f", "http://h?=&=", "?&", "?", "", "#f",
		"?%61=%zz",
	} {
		v, _, as, ok := scanned(t, Reference, s)
		require.True(t, ok)
		count := 0
		for range v.Params() {
			count++
		}
		for _, value := range []string{"", "x", "a&b", "a=b", "#", "+;", "%41", "\xFF\x00 ", "a&b=c#d%zz"} {
			replace := func(part Part) func(Param) (ParamAction, Part) {
				return func(Param) (ParamAction, Part) { return ReplaceValue, part }
			}
			out, err := v.AppendMappedParams(nil, replace(Data(value)))
			require.NoError(t, err, "%q, %q", s, value)
			var w View
			require.NoError(t, w.Scan(as, out), "%q of %q, %q", out, s, value)
			require.Equal(t, string(v.Path()), string(w.Path()))
			require.Equal(t, string(v.Fragment()), string(w.Fragment()))
			params := 0
			for p := range w.Params() {
				require.True(t, EqualDecoded(p.Value, value), "%q of %q, %q", out, s, value)
				params++
			}
			require.Equal(t, count, params, "%q of %q, %q", out, s, value)

			out, err = v.AppendMappedParams([]byte("x"), replace(Raw(value)))
			if count > 0 && (strings.Contains(value, "&") || !Valid(Reference, "?"+value) ||
				strings.Contains(value, "#")) {
				require.Error(t, err, "%q, %q", s, value)
				require.Equal(t, "x", string(out))
				continue
			}
			require.NoError(t, err, "%q, %q", s, value)
			require.NoError(t, w.Scan(as, out[1:]))
		}
		out := appendWithoutParams(&v, nil, func(Param) bool { return true })
		if count > 0 {
			require.NotContains(t, string(out), "?", "%q", s)
		}
	}
}

// TestBuilderParams builds queries from parameters. No data can add a parameter.
func TestBuilderParams(t *testing.T) {
	values := []string{"", "a", "a&b=c", "#", "?", "=", "+", ";", "%26", "\x00\xFF", "a b"}
	for _, key := range values {
		for _, value := range values {
			b := Builder{PathText: Data("/p"), Params: []Pair{
				{Key: Data(key), Value: Data(value)}, {Key: Data(value), NoValue: true}, {Key: Raw("k"), Value: Raw("v")},
			}}
			for _, query := range []string{"", "x=y"} {
				b.Query = Raw(query)
				out, err := b.Append(nil)
				require.NoError(t, err)
				v, err := Parse(out)
				require.NoError(t, err, "%q", out)
				var got []string
				for p := range v.Params() {
					k, err := AppendFormDecode(nil, p.Key)
					require.NoError(t, err)
					w, err := AppendFormDecode(nil, p.Value)
					require.NoError(t, err)
					got = append(got, fmt.Sprintf("%q %q %v", k, w, p.HasValue))
				}
				want := []string{
					fmt.Sprintf("%q %q true", key, value), fmt.Sprintf("%q \"\" false", value),
					`"k" "v" true`,
				}
				if query != "" {
					want = append([]string{`"x" "y" true`}, want...)
				}
				require.Equal(t, want, got, "%q", out)
			}
		}
	}
	for _, pair := range []Pair{
		{Key: Raw("a=b")},
		{Key: Raw("a&b")},
		{Key: Data("a"), Value: Raw("b&c")},
		{Value: Raw("#")},
		{Key: Raw("%")},
		{Key: Raw(" ")},
	} {
		out, err := (&Builder{Params: []Pair{pair}}).Append([]byte("x"))
		require.Error(t, err, "%+v", pair)
		require.Equal(t, "x", string(out))
	}
}
