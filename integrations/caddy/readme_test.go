package uricaddy

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri"
	"github.com/seed-56a50ac9/uri/urihttp"
)

// blocks returns the code blocks of a language in README.md.
func blocks(t *testing.T, language string) (all []string) {
	t.Helper()
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile("(?s)\n```"+language+"\n(.*?)```\n").FindAllSubmatch(text, -1) {
		all = append(all, string(m[1]))
	}
	return all
}

// TestReadme provisions each example as "caddy validate" does.
func TestReadme(t *testing.T) {
	caddyfiles, jsons := blocks(t, "caddyfile"), blocks(t, "json")
	assert.Len(t, caddyfiles, 3)
	assert.Len(t, jsons, 1)
	t.Chdir(t.TempDir())
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	for _, text := range caddyfiles {
		config, err := adapt(text)
		require.NoError(t, err, text)
		assert.Contains(t, config, "uri_")
		jsons = append(jsons, config)
	}
	for _, text := range jsons {
		var config caddy.Config
		require.NoError(t, json.Unmarshal([]byte(text), &config), text)
		require.NoError(t, caddy.Validate(&config), text)
	}
}

// TestReadmeOptions requires that the table has each option with its values in the presets, and the text each
// trait.
func TestReadmeOptions(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	word := func(p urihttp.Policy, field reflect.StructField) string {
		switch value := reflect.ValueOf(p).FieldByIndex(field.Index).Interface().(type) {
		case bool:
			return map[bool]string{true: "on", false: "off"}[value]
		case urihttp.Action:
			return actionNames[value]
		default:
			return "400"
		}
	}
	for _, field := range fields() {
		name := option(t, field.Name)
		if name == "refuse_traits" {
			continue
		}
		row := fmt.Sprintf("(?m)^\\| `%s` \\| [^|]* \\| %s \\| %s \\| ", name,
			word(urihttp.Strict(), field), word(urihttp.Envoy(), field))
		assert.Regexp(t, row, string(text))
	}
	assert.Equal(t, uri.HasEncodedNUL, urihttp.Envoy().RefuseTraits)
	for _, trait := range traits {
		assert.Contains(t, string(text), "`"+trait.name+"`")
	}
	table, err := os.ReadFile("testdata/attacks.txt")
	require.NoError(t, err)
	last := regexp.MustCompile(`(\d+) targets +reach what is guarded +(\d+) +(\d+) +(\d+)`)
	m := last.FindStringSubmatch(string(table))
	require.NotNil(t, m)
	for i, row := range []string{
		"the %s targets", "without a policy | %s", "`uri_policy strict` | %s", "`uri_policy envoy` | %s",
	} {
		assert.Contains(t, string(text), fmt.Sprintf(row, m[i+1]))
	}
}
