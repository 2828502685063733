package uricaddy

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri"
	"github.com/seed-56a50ac9/uri/urihttp"
)

// load loads a module as Caddy does: unknown fields are errors.
func load(t testing.TB, id, config string) (any, error) {
	t.Helper()
	ctx, cancel := caddy.NewContext(caddy.Context{Context: t.Context()})
	t.Cleanup(cancel)
	return ctx.LoadModuleByID(id, json.RawMessage(config))
}

// policyOf returns the policy that JSON describes.
func policyOf(t *testing.T, config string) urihttp.Policy {
	t.Helper()
	module, err := load(t, "http.handlers.uri_policy", config)
	require.NoError(t, err)
	policy, err := module.(*Policy).resolve()
	require.NoError(t, err)
	return policy
}

// adapt returns the JSON of a Caddyfile.
func adapt(text string) (string, error) {
	out, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(text), nil)
	for _, w := range warnings {
		if !strings.Contains(w.Message, "not formatted") {
			return "", fmt.Errorf("warning: %s", w)
		}
	}
	return string(out), err
}

// parsed returns the JSON of a directive.
func parsed(t *testing.T, text string) string {
	t.Helper()
	var p Policy
	require.NoError(t, p.UnmarshalCaddyfile(caddyfile.NewTestDispenser(text)), text)
	out, err := json.Marshal(&p)
	require.NoError(t, err)
	return string(out)
}

// fields are the fields of a policy that an option sets.
func fields() (all []reflect.StructField) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[urihttp.Policy]()) {
		if field.Type.Kind() != reflect.Func {
			all = append(all, field)
		}
	}
	return all
}

// option returns the name of the option for a field of urihttp.Policy.
func option(t *testing.T, field string) string {
	t.Helper()
	f, ok := reflect.TypeFor[Policy]().FieldByName(field)
	require.True(t, ok, "Policy has no field %s", field)
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	require.NotEmpty(t, name, field)
	return name
}

// TestOptions sets each field of both presets to each of its values, in JSON and in a Caddyfile. A new field
// of urihttp.Policy fails here until it has an option.
func TestOptions(t *testing.T) {
	strict, envoy := urihttp.Strict(), urihttp.Envoy()
	presets := map[string]urihttp.Policy{"": strict, "strict": strict, "envoy": envoy}
	for preset, base := range presets {
		assert.Equal(t, base, policyOf(t, fmt.Sprintf(`{"preset": %q}`, preset)))
		assert.Equal(t, base, policyOf(t, parsed(t, "uri_policy "+preset)))
		for _, field := range fields() {
			name := option(t, field.Name)
			check := func(json, line string, value any) {
				t.Helper()
				want := base
				reflect.ValueOf(&want).Elem().FieldByIndex(field.Index).Set(reflect.ValueOf(value))
				if contradiction(&want) != nil {
					return // see TestErrors
				}
				assert.Equal(t, want, policyOf(t, fmt.Sprintf(`{"preset": %q, %q: %s}`, preset, name, json)))
				block := fmt.Sprintf("uri_policy %s {\n%s\n}", preset, line)
				assert.Equal(t, want, policyOf(t, parsed(t, block)), block)
			}
			switch reflect.Zero(field.Type).Interface().(type) {
			case bool:
				check("true", name, true)
				check("true", name+" on", true)
				check("false", name+" off", false)
			case urihttp.Action:
				for a := urihttp.Keep; a <= urihttp.Redirect; a++ {
					word := strings.ToLower(a.String())
					check(fmt.Sprintf("%q", word), name+" "+word, a)
				}
			case uri.Trait:
				for _, trait := range traits {
					check(fmt.Sprintf(`{%q: true}`, trait.name), trait.name+" refuse", base.RefuseTraits|trait.trait)
					check(fmt.Sprintf(`{%q: false}`, trait.name), trait.name+" keep", base.RefuseTraits&^trait.trait)
				}
			case int:
				check("421", name+" 421", 421)
				check("599", name+" 599", 599)
			default:
				t.Errorf("%s: %s", field.Name, field.Type)
			}
		}
	}
}

// TestTraits requires that all traits have a name but those that only a lenient scan accepts.
func TestTraits(t *testing.T) {
	words := strings.NewReplacer("NUL", "Nul", "IPv4", "Ipv4", "IPv6", "Ipv6", "UTF8", "Utf8", "URI", "Uri")
	lenient := uri.HasBrokenEscape | uri.HasBackslash | uri.HasIllegalInPath | uri.HasIllegalInQuery |
		uri.HasNonASCII
	i := 0
	for trait := uri.Trait(1); !strings.HasPrefix(trait.String(), "0x"); trait <<= 1 {
		if trait&lenient != 0 {
			continue
		}
		require.Less(t, i, len(traits), trait)
		assert.Equal(t, trait, traits[i].trait)
		var name strings.Builder
		for _, c := range words.Replace(strings.TrimPrefix(trait.String(), "Has")) {
			if 'A' <= c && c <= 'Z' {
				name.WriteString("_" + string(c|0x20))
			} else {
				name.WriteString(string(c))
			}
		}
		assert.Equal(t, strings.TrimPrefix(name.String(), "_"), traits[i].name)
		i++
	}
	assert.Len(t, traits, i)
}

// TestErrors has rows of wrong values for each field of both modules.
func TestErrors(t *testing.T) {
	type row struct{ field, json, caddyfile, want string }
	check := func(id string, rows []row, unmarshal func() caddyfile.Unmarshaler) {
		seen := map[string]bool{}
		for _, row := range rows {
			if row.json != "" {
				_, err := load(t, id, row.json)
				require.Error(t, err, row.json)
				assert.Contains(t, err.Error(), row.want, row.json)
			}
			if row.caddyfile != "" {
				err := unmarshal().UnmarshalCaddyfile(caddyfile.NewTestDispenser(row.caddyfile))
				require.Error(t, err, row.caddyfile)
				assert.Contains(t, err.Error(), row.want, row.caddyfile)
				assert.Regexp(t, `Testfile:\d`, err.Error())
			}
			seen[row.field] = true
		}
		module := reflect.TypeOf(unmarshal()).Elem()
		for _, field := range reflect.VisibleFields(module) {
			if field.IsExported() {
				assert.True(t, seen[field.Name], "%s has no row", field.Name)
			}
		}
	}
	const unknown = " is not an option of uri_policy or the name of a trait"
	block := func(line string) string { return "uri_policy {\n" + line + "\n}" }
	check("http.handlers.uri_policy", []row{
		{"", `{"dot_segments": "refuse"}`, "", `unknown field "dot_segments"`},
		{"", "", block("dot_segments refuse"), `"dot_segments"` + unknown},
		{"Preset", `{"preset": "lax"}`, "uri_policy lax", `preset: "lax" is not strict or envoy`},
		{"Preset", "", "uri_policy strict envoy", "wrong argument count"},
		{"LenientQuery", `{"lenient_query": "on"}`, "", "lenient_query"},
		{"LenientQuery", "", block("lenient_query true"), `lenient_query: "true" is not on or off`},
		{"UTF8Path", `{"utf8_path": 1}`, "", "utf8_path"},
		{"UTF8Path", "", block("utf8_path 1"), `utf8_path: "1" is not on or off`},
		{"NormalizePath", `{"normalize_path": "on"}`, "", "normalize_path"},
		{"NormalizePath", "", block("normalize_path yes"), `normalize_path: "yes" is not on or off`},
		{"MergeSlashes", `{"merge_slashes": "on"}`, "", "merge_slashes"},
		{"MergeSlashes", "", block("merge_slashes on off"), "wrong argument count"},
		{
			"MergeSlashes", `{"merge_slashes": true}`, block("merge_slashes"),
			"merge_slashes: there is nothing to change if double_slash is refused",
		},
		{"CheckHost", `{"check_host": "on"}`, "", "check_host"},
		{"CheckHost", "", block("check_host no"), `check_host: "no" is not on or off`},
		{
			"RefuseTraits", `{"refuse_traits": {"backslash": false}}`, "",
			`refuse_traits: "backslash" is not the name of a trait`,
		},
		{"RefuseTraits", `{"refuse_traits": {"dot_segment": "keep"}}`, "", "refuse_traits"},
		{"RefuseTraits", "", block("backslash keep"), `"backslash"` + unknown},
		{"RefuseTraits", "", block("dot_segment rewrite"), `dot_segment: "rewrite" is not refuse or keep`},
		{"RefuseTraits", "", block("dot_segment"), "wrong argument count"},
		{"RefuseTraits", "", block("dot_segment keep\ndot_segment keep"), "dot_segment is set twice"},
		{
			"EscapedSlashes", `{"escaped_slashes": "on"}`, block("escaped_slashes on"),
			`escaped_slashes: "on" is not keep, refuse, rewrite or redirect`,
		},
		{
			"EscapedSlashes", `{"escaped_slashes": "rewrite", "refuse_traits": {"encoded_backslash": true}}`,
			block("escaped_slashes rewrite\nencoded_backslash refuse"),
			"escaped_slashes: there is nothing to change if encoded_backslash is refused",
		},
		{"EscapedSlashes", "", block("escaped_slashes"), "wrong argument count"},
		{
			"PathParams", `{"path_params": "drop"}`, block("path_params drop"),
			`path_params: "drop" is not keep, refuse, rewrite or redirect`,
		},
		{
			"PathParams", `{"path_params": "redirect", "refuse_traits": {"path_param": true}}`,
			block("path_param refuse\npath_params redirect"),
			"path_params: there is nothing to change if path_param is refused",
		},
		{"Status", `{"status": 200}`, block("status 200"), "status: 200 is not from 400 to 599"},
		{"Status", `{"status": 600}`, block("status 600"), "status: 600 is not from 400 to 599"},
		{"Status", `{"status": "400"}`, "", "status"},
		{"Status", "", block("status bad"), `status: "bad" is not from 400 to 599`},
		{"Status", "", block("status 0"), `status: "0" is not from 400 to 599`},
		{"Status", "", block("status"), "wrong argument count"},
	}, func() caddyfile.Unmarshaler { return new(Policy) })

	check("caddy.logging.encoders.filter.uri_redact", []row{
		{"", `{"key": "x"}`, "", `unknown field "key"`},
		{"", "", "uri_redact {\nkeys x\n}", `"keys" is not an option of uri_redact`},
		{"Keys", `{"keys": "sig"}`, "", "keys"},
		{"Keys", `{"keys": ["-"]}`, "uri_redact -", "keys: a key has a letter or a digit"},
		{"Keys", `{"keys": ["a=b"]}`, "uri_redact a=b", `keys: a key has no "&" or "="`},
		{"Replacement", `{"replacement": 1}`, "", "replacement"},
		{"Replacement", `{"replacement": "a&b"}`, "uri_redact {\nreplacement a&b\n}", "replacement: only letters"},
		{"Replacement", `{"replacement": "a b"}`, "uri_redact {\nreplacement \"a b\"\n}", "replacement: only"},
		{"Replacement", `{"replacement": "é"}`, "uri_redact {\nreplacement é\n}", "replacement: only letters"},
		{"Replacement", "", "uri_redact {\nreplacement\n}", "wrong argument count"},
		{"Replacement", "", "uri_redact {\nreplacement a b\n}", "wrong argument count"},
		{"Replacement", "", "uri_redact {\nreplacement a\nreplacement b\n}", "replacement is set twice"},
	}, func() caddyfile.Unmarshaler { return new(Redact) })
}

// TestValidate requires that the command shows these errors, with the line, and that a correct file is valid.
func TestValidate(t *testing.T) {
	validate := func(line string) (string, error) {
		file := t.TempDir() + "/Caddyfile"
		text := "{\n\tauto_https off\n\tadmin off\n}\nhttp://:80 {\n\turi_policy {\n\t\t" + line + "\n\t}\n}\n"
		require.NoError(t, writeFile(file, text))
		out, err := command(t, "validate", "--config", file).CombinedOutput()
		return string(out), err
	}
	out, err := validate("status 421")
	require.NoError(t, err, out)
	assert.Contains(t, out, "Valid configuration")
	out, err = validate("status 42")
	require.Error(t, err)
	assert.Regexp(t, `status: 42 is not from 400 to 599, at .*Caddyfile:7`, out)
}

// TestOrder requires that the handler runs before those of all standard directives.
func TestOrder(t *testing.T) {
	out, err := adapt(`
example.com {
	tracing
	map {path} {x} {
		default y
	}
	vars x y
	root /srv
	log_append a b
	log_skip /a
	header X y
	request_body {
		max_size 1MB
	}
	redir /old /new
	method GET
	rewrite /a /b
	uri strip_prefix /v1
	basic_auth /secret {
		ada $2a$14$Zkx19XLiW6VYouLHR5NmfOFU0z2GTNmpkT/5qqR7hx4IjWJPDhjvG
	}
	encode
	handle /x {
		respond x
	}
	handle_path /y/* {
		respond y
	}
	route /z {
		respond z
	}
	abort /q
	error /e 500
	respond /admin 403
	reverse_proxy localhost:1
	uri_policy
}`)
	require.NoError(t, err)
	handlers := strings.Split(strings.ReplaceAll(out, `"handler":"subroute"`, ""), `"handler":"`)[1:]
	assert.True(t, strings.HasPrefix(handlers[0], `uri_policy"`), out)
	assert.Greater(t, len(handlers), 15)
}
