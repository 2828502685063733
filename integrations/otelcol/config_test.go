package uriotel

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// badFields has wrong values of each field, and what the error says. The Collector gets them too, in its
// test.
var badFields = map[string][]struct {
	value any
	err   string
}{
	"from": {
		{[]any{}, "from: names no attribute to read, such as url.full"},
		{[]any{""}, "from: an element is empty"},
		{[]any{"a", "b", "a"}, `from: "a" is in the list twice`},
		{[]any{"url.path"}, "from: url.path holds a part of a URL, not a URL"},
		{map[string]any{"a": "b"}, "'from'"},
	},
	"set": {
		{
			[]any{"url.host"},
			`set: "url.host" is not one of: url.scheme, url.domain, url.port, url.path, url.query, ` +
				`url.fragment, url.extension, url.full`,
		},
		{[]any{"url.path", "url.path"}, `set: "url.path" is in the list twice`},
	},
	"existing": {
		{"replace", `existing: "replace" is not one of: overwrite, keep`},
		{"", `existing: "" is not one of`},
	},
	"form":        {{"uri", `form: "uri" is not one of: reference, request_target`}},
	"strict":      {{"perhaps", "'strict'"}},
	"span_events": {{"perhaps", "'span_events'"}},
	"secret_keys": {
		{[]any{"a&b"}, `secret_keys: "a&b" has a character that ends a key`},
		{[]any{"a="}, `secret_keys: "a=" has a character that ends a key`},
		{[]any{"-"}, `secret_keys: "-" has no letter and no digit`},
		{[]any{""}, `secret_keys: "" has no letter and no digit`},
		{[]any{"a", "a"}, `secret_keys: "a" is in the list twice`},
	},
	"redact_original": {{"perhaps", "'redact_original'"}},
	"normalize":       {{"fully", `normalize: "fully" is not one of: syntax, scheme`}},
	"normalized_attribute": {
		{"url.full", "normalized_attribute: url.full has another use"},
		{"url.original", "normalized_attribute: url.original has another use"},
	},
	"traits_attribute": {{"url.query", "traits_attribute: url.query has another use"}},
	"error_attribute":  {{"url.port", "error_attribute: url.port has another use"}},
}

// fieldNames returns the names of the fields of the configuration.
func fieldNames() (names []string) {
	config := reflect.TypeFor[Config]()
	for i := range config.NumField() {
		names = append(names, config.Field(i).Tag.Get("mapstructure"))
	}
	return names
}

// TestReadmeFields requires that README.md have a row for each field, with its default, and one for each
// metric.
func TestReadmeFields(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	config := reflect.ValueOf(*createDefaultConfig().(*Config))
	for i, name := range fieldNames() {
		value := fmt.Sprintf("`%v`", config.Field(i))
		if list, ok := config.Field(i).Interface().([]string); ok {
			value = "`[" + strings.Join(list, ", ") + "]`"
		}
		if value == "``" {
			value = ""
		}
		assert.Contains(t, string(readme), strings.Join(strings.Fields("\n| `"+name+"` | "+value+" | "), " "))
	}
	for _, name := range []string{"records", "redacted", "not_string"} {
		assert.Contains(t, string(readme), "\n| `otelcol_processor_uri_"+name+"` | ")
	}
}

// TestBadFields requires an error for each wrong field, and only for that.
func TestBadFields(t *testing.T) {
	assert.Len(t, badFields, len(fieldNames()))
	for _, name := range fieldNames() {
		require.NotEmpty(t, badFields[name], "no wrong value of %s", name)
		for _, bad := range badFields[name] {
			_, err := load(t, settings{name: bad.value})
			require.Error(t, err, "%s: %v", name, bad.value)
			assert.Contains(t, err.Error(), bad.err)
			for _, other := range fieldNames() {
				if other != name {
					assert.NotContains(t, err.Error(), other+": ")
				}
			}
		}
	}
	_, err := load(t, settings{"sets": []any{}})
	assert.ErrorContains(t, err, "sets", "an unknown field")
}

// TestAllBadFields requires that one run report all wrong fields.
func TestAllBadFields(t *testing.T) {
	_, err := load(t, settings{
		"from": []any{}, "existing": "a", "form": "b", "normalize": "c",
		"error_attribute": "url.full",
	})
	assert.EqualError(t, err, `from: names no attribute to read, such as url.full
existing: "a" is not one of: overwrite, keep
form: "b" is not one of: reference, request_target
normalize: "c" is not one of: syntax, scheme
error_attribute: url.full has another use`)
}

// TestOwnAttributes requires that attributes that the processor adds differ from each other and from those it
// reads.
func TestOwnAttributes(t *testing.T) {
	own := []string{"normalized_attribute", "traits_attribute", "error_attribute"}
	for i, name := range own {
		for _, other := range own[:i] {
			_, err := load(t, settings{name: "x", other: "x"})
			assert.ErrorContains(t, err, name+": x has another use")
		}
		_, err := load(t, settings{"from": []any{"x"}, name: "x"})
		assert.ErrorContains(t, err, name+": x has another use")
		for _, known := range append(partNames[:], "url.full", "url.original") {
			_, err = load(t, settings{"from": []any{"x"}, name: known})
			assert.ErrorContains(t, err, name+": "+known+" has another use")
		}
		_, err = load(t, settings{name: "x"})
		assert.NoError(t, err)
	}
}

// TestLoad requires that lists in the configuration replace those of the default.
func TestLoad(t *testing.T) {
	config, err := load(t, nil)
	require.NoError(t, err)
	assert.Equal(t, NewFactory().CreateDefaultConfig(), config)

	config, err = load(t, settings{"from": []any{"http.url"}, "set": []any{}, "secret_keys": []any{"pin", "é"}})
	require.NoError(t, err)
	assert.Equal(t, []string{"http.url"}, config.From)
	assert.Empty(t, config.Set)
	assert.Equal(t, []string{"pin", "é"}, config.SecretKeys)
}
