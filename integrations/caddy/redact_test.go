package uricaddy

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/logging"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/seed-56a50ac9/uri"
)

// filterOf loads a filter.
func filterOf(t testing.TB, name, config string) logging.LogFieldFilter {
	t.Helper()
	module, err := load(t, "caddy.logging.encoders.filter."+name, config)
	require.NoError(t, err)
	return module.(logging.LogFieldFilter)
}

// queryFilter is Caddy's own filter for the keys that the tests use.
func queryFilter(t testing.TB) logging.LogFieldFilter {
	return filterOf(t, "query", `{"actions": [
		{"type": "replace", "parameter": "token", "value": "REDACTED"},
		{"type": "replace", "parameter": "sig", "value": "REDACTED"}
	]}`)
}

// TestQueryFilter compares the filter with Caddy's own one, which has to know the keys. The README has the
// same rows.
func TestQueryFilter(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	ours, theirs := filterOf(t, "uri_redact", `{}`), queryFilter(t)
	for _, row := range []struct{ in, ours, theirs string }{
		{"/a?token=S3CRET", "/a?token=REDACTED", "/a?token=REDACTED"},
		{"/a?%74oken=S3CRET", "/a?%74oken=REDACTED", "/a?token=REDACTED"},
		{"/a?Token=S3CRET", "/a?Token=REDACTED", "/a?Token=S3CRET"},
		{"/a?access_token=S3CRET", "/a?access_token=REDACTED", "/a?access_token=S3CRET"},
		{"/a%zz?token=S3CRET", "/a%zz?token=REDACTED", "/a%zz?token=S3CRET"},
		{"http://h:x/?token=S3CRET", "http://h:x/?token=REDACTED", "http://h:x/?token=S3CRET"},
		{"/a b?token=S3CRET", "/a b?token=REDACTED", "/a%20b?token=REDACTED"},
		{"https://ada:S3CRET@h/", "https://REDACTED:REDACTED@h/", "https://ada:S3CRET@h/"},
		{"https://ada:S3CRET", "https://REDACTED:REDACTED", "https://ada:S3CRET"},
		{"https://h/#token=S3CRET", "https://h/#token=REDACTED", "https://h/#token=S3CRET"},
		{"/a;token=S3CRET", "/a;token=REDACTED", "/a;token=S3CRET"},
		{
			"/in?next=https%3A%2F%2Fh%2F%3Ftoken%3DS3CRET", "/in?next=https%3A%2F%2Fh%2F%3Ftoken%3DREDACTED",
			"/in?next=https%3A%2F%2Fh%2F%3Ftoken%3DS3CRET",
		},
		{"/a?b=2&a=1", "/a?b=2&a=1", "/a?a=1&b=2"},
		{"/a?x=%zz&y;z", "/a?x=%zz&y;z", "/a"},
		{"/a?x", "/a?x", "/a?x="},
	} {
		assert.Equal(t, row.ours, ours.Filter(zap.String("uri", row.in)).String)
		assert.Equal(t, row.theirs, theirs.Filter(zap.String("uri", row.in)).String)
		assert.NotContains(t, row.ours, "S3CRET")
		assert.Contains(t, string(readme), fmt.Sprintf("%-46s%-46s%s\n", row.in, row.ours, row.theirs))
	}
}

// TestRedactKeys has additional keys and another replacement.
func TestRedactKeys(t *testing.T) {
	const in = "https://u:p@h/?ticket=1&my_Ticket=2&tickets=3&token=4&%2574icket=5&x=%3Fticket%3D6#ticket=7"
	for _, row := range []struct{ config, want string }{
		{
			`{"keys": ["ticket"]}`,
			"https://REDACTED:REDACTED@h/?ticket=REDACTED&my_Ticket=REDACTED&tickets=3&token=REDACTED" +
				"&%2574icket=REDACTED&x=%3Fticket%3DREDACTED#ticket=REDACTED",
		},
		{
			`{"keys": ["ticket"], "replacement": "***"}`,
			"https://***@h/?ticket=***&my_Ticket=***&tickets=3&token=***" +
				"&%2574icket=***&x=%3Fticket%3D***#ticket=***",
		},
		{
			`{"replacement": "-"}`,
			"https://-@h/?ticket=1&my_Ticket=2&tickets=3&token=-&%2574icket=5&x=%3Fticket%3D6#ticket=7",
		},
	} {
		got := filterOf(t, "uri_redact", row.config).Filter(zap.String("", in))
		assert.Equal(t, row.want, got.String, row.config)
	}
}

// TestRedactTwin requires that another replacement replaces exactly what the library finds.
func TestRedactTwin(t *testing.T) {
	words := strings.Fields("a ticket Token sig %74 %25 % = = = & & # / : @ ? ; - _ . %3D %26 %253D é \xff" +
		" http:// https: u:p@ h")
	f := &Redact{Replacement: "***"}
	require.NoError(t, f.Provision(caddy.Context{}))
	twin := uri.RedactorOf[string]{Replace: func(dst []byte, _ string) []byte { return append(dst, "***"...) }}
	random := rand.New(rand.NewPCG(1, 2))
	redacted := 0
	for range 200_000 {
		var in strings.Builder
		for range random.IntN(12) {
			in.WriteString(words[random.IntN(len(words))])
		}
		want := string(twin.Append(nil, in.String()))
		require.Equal(t, want, f.redact(in.String()), "%q", in.String())
		if want != in.String() {
			redacted++
		}
	}
	assert.Greater(t, redacted, 50_000)
}

// TestFields requires that a field of any type loses its secrets: what is no URI becomes the replacement.
func TestFields(t *testing.T) {
	const in, out = "/?token=S3CRET", "/?token=REDACTED"
	ours := filterOf(t, "uri_redact", `{}`)
	list := caddyhttp.LoggableStringArray{in, "/", in}
	encode := func(field zapcore.Field) any {
		encoder := zapcore.NewMapObjectEncoder()
		ours.Filter(field).AddTo(encoder)
		return encoder.Fields["k"]
	}
	assert.Equal(t, out, encode(zap.String("k", in)))
	assert.Equal(t, []any{out, "/", out}, encode(zap.Array("k", list)))
	assert.Equal(t, in, list[0], "requests share the list")
	assert.Equal(t, []any{}, encode(zap.Array("k", caddyhttp.LoggableStringArray{})))
	for _, field := range []zapcore.Field{
		zap.Any("k", []string{in}), zap.Any("k", []byte(in)), zap.ByteString("k", []byte(in)), zap.Any("k", 7),
		zap.Any("k", map[string]string{"a": in}), zap.NamedError("k", errors.New(in)), zap.Any("k", nil),
		zap.Object("k", caddyhttp.LoggableHTTPHeader{Header: http.Header{"A": {in}}}),
		zap.Stringer("k", &url.URL{Path: in}),
	} {
		assert.Equal(t, "REDACTED", encode(field), "%v", field.Type)
	}
	ours = filterOf(t, "uri_redact", `{"replacement": "-"}`)
	assert.Equal(t, "-", encode(zap.Any("k", 7)))
	unchanged := "/a/b?c=d"
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { ours.Filter(zap.String("k", unchanged)) }), 1.0)
}
