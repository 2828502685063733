package uri

import (
	"encoding/json"
	"fmt"
	"log/slog"
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
