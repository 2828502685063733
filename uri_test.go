package uri

import (
	"encoding"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestValuesPrint prints views and pointers to views, in structs and as map keys, in every way that uses
// TextMarshaler or Stringer.
func TestValuesPrint(t *testing.T) {
	const s = "http://h/a?b#c"
	v, err := Parse([]byte(s))
	require.NoError(t, err)
	w, err := Parse(s)
	require.NoError(t, err)
	for _, value := range []any{v, &v, w, &w} {
		require.Equal(t, s, fmt.Sprint(value))
		require.Equal(t, s+" "+s, fmt.Sprintf("%s %v", value, value))
		text, err := json.Marshal(struct{ U any }{value})
		require.NoError(t, err)
		require.JSONEq(t, `{"U":"`+s+`"}`, string(text))
		for _, handler := range []func(*strings.Builder) slog.Handler{
			func(b *strings.Builder) slog.Handler { return slog.NewTextHandler(b, nil) },
			func(b *strings.Builder) slog.Handler { return slog.NewJSONHandler(b, nil) },
		} {
			var log strings.Builder
			slog.New(handler(&log)).Info("", "u", value)
			require.Contains(t, log.String(), s)
		}
	}
	text, err := json.Marshal(map[string]View{"u": v})
	require.NoError(t, err)
	require.JSONEq(t, `{"u":"`+s+`"}`, string(text))
	var back struct{ U StringView }
	require.NoError(t, json.Unmarshal([]byte(`{"U":"`+s+`"}`), &back))
	require.Equal(t, "h", back.U.Host())
}

// TestNames prints sets of steps and of traits, and values without a name.
func TestNames(t *testing.T) {
	for want, constant := range map[string]fmt.Stringer{
		"Reference":                   Reference,
		"Reference|Lenient":           Reference | Lenient,
		"99":                          Form(99),
		"LowercaseScheme":             LowercaseScheme,
		"LowercaseHost|DropEmptyPort": LowercaseHost | DropEmptyPort,
		"0x0":                         Step(0),
		"LowercaseScheme|0x8000":      LowercaseScheme | 0x8000,
		"HasEncodedSlash|HasNonASCII": HasEncodedSlash | HasNonASCII,
		"IPvFuture":                   IPvFuture,
		"HugePort":                    HugePort,
		"200":                         Component(200),
	} {
		require.Equal(t, want, constant.String())
	}
}

// namedTypes are the types whose constants have names, each with a variable and whether its values are sets.
var namedTypes = map[string]struct {
	variable func() encoding.TextUnmarshaler
	sets     bool
}{
	"Form":      {func() encoding.TextUnmarshaler { return new(Form) }, false},
	"Component": {func() encoding.TextUnmarshaler { return new(Component) }, false},
	"HostKind":  {func() encoding.TextUnmarshaler { return new(HostKind) }, false},
	"PortKind":  {func() encoding.TextUnmarshaler { return new(PortKind) }, false},
	"Step":      {func() encoding.TextUnmarshaler { return new(Step) }, true},
	"Trait":     {func() encoding.TextUnmarshaler { return new(Trait) }, true},
}

// slowParseNames is what UnmarshalText of the type does, by the names in testdata/api.txt.
func slowParseNames(of, text string) (value uint64, ok bool) {
	constants, words := apiConstants()[of], strings.Split(text, "|")
	switch {
	case of == "Form":
		if n := len(words); n == 2 && words[1] == "Lenient" {
			value, words = constants["Lenient"], words[:1]
		}
		one, ok := constants[words[0]]
		return value | one, ok && len(words) == 1 && words[0] != "Lenient"
	case !namedTypes[of].sets:
		value, ok = constants[text]
		return value, ok
	case text == "0x0":
		return 0, true
	}
	for _, word := range words {
		one := constants[word]
		if bits.OnesCount64(one) != 1 {
			return 0, false
		}
		value |= one
	}
	return value, true
}

// TestNamesParsed reads names and sets of names of every type, and texts that differ from them a little. An
// error is ErrName and leaves the value unchanged.
func TestNamesParsed(t *testing.T) {
	random := rand.New(rand.NewPCG(3986, 0))
	parsed, failed := map[string]int{}, map[string]int{}
	for _, of := range slices.Sorted(maps.Keys(namedTypes)) {
		kind := namedTypes[of]
		judge := func(text string) {
			variable := kind.variable()
			value := reflect.ValueOf(variable).Elem()
			before := random.Uint64() >> (64 - value.Type().Bits())
			value.SetUint(before)
			in := []byte(text)
			err := variable.UnmarshalText(in)
			require.Equal(t, text, string(in), "the input is unchanged")
			want, ok := slowParseNames(of, text)
			if !ok {
				require.Equal(t, ErrName, err, "%s %q", of, text)
				require.Equal(t, before, value.Uint(), "%s %q", of, text)
				failed[of]++
				return
			}
			require.NoError(t, err, "%s %q", of, text)
			require.Equal(t, want, value.Uint(), "%s %q", of, text)
			parsed[of]++
		}

		var words []string
		for _, constants := range apiConstants() {
			words = slices.AppendSeq(words, maps.Keys(constants))
		}
		words = append(words, "", "0x0", "0x1", "0", "1", "128", "0x00", "Lenient", "|", " ")
		slices.Sort(words)
		for _, word := range words {
			for _, text := range []string{
				word, strings.ToLower(word), word + " ", " " + word, word + "\x00", word + "|", "|" + word, word + "s",
				word[:max(0, len(word)-1)], word + "|Lenient", word + "|Lenient|Lenient", "Lenient|" + word,
				word + "|0x0", word + "|0x8000", word + " " + words[random.IntN(len(words))],
			} {
				judge(text)
			}
		}
		own := slices.Sorted(maps.Keys(apiConstants()[of]))
		for range 2000 {
			var some []string
			for range 1 + random.IntN(5) {
				some = append(some, own[random.IntN(len(own))])
			}
			judge(strings.Join(some, "|"))
			if kind.sets { // what is appended is read back, unless a bit has no name
				judge(fmt.Sprint(reflect.ValueOf(random.Uint64() & random.Uint64()).Convert(
					reflect.TypeOf(kind.variable()).Elem())))
			}
		}
		for n := range 256 {
			judge(fmt.Sprint(reflect.ValueOf(n).Convert(reflect.TypeOf(kind.variable()).Elem())))
		}
	}
	for of := range namedTypes {
		require.Greater(t, parsed[of], len(apiConstants()[of])/2, of)
		require.Greater(t, failed[of], 1000, of)
	}
	t.Log(parsed, failed)
}
