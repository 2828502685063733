package uricaddy

import (
	"bufio"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri"
	"github.com/seed-56a50ac9/uri/urihttp"
)

func writeFile(path, text string) error { return os.WriteFile(path, []byte(text), 0o666) }

// receive returns a request as Caddy has it if it begins with the line.
func receive(line, host string) (*http.Request, error) {
	text := line + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n"
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
	if err != nil {
		return nil, err
	}
	return caddyhttp.PrepareRequest(r, caddy.NewReplacer(), httptest.NewRecorder(), nil), nil
}

// received is receive for a request that net/http does not refuse.
func received(t testing.TB, line, host string) *http.Request {
	t.Helper()
	r, err := receive(line, host)
	require.NoError(t, err)
	return r
}

// serve gives the request to a handler. It returns what the next handler got, or nil.
func serve(
	t testing.TB, config string, r *http.Request,
) (next *http.Request, w *httptest.ResponseRecorder, err error) {
	t.Helper()
	module, err := load(t, "http.handlers.uri_policy", config)
	require.NoError(t, err)
	w = httptest.NewRecorder()
	err = module.(caddyhttp.MiddlewareHandler).ServeHTTP(w, r, caddyhttp.HandlerFunc(
		func(_ http.ResponseWriter, r *http.Request) error {
			next = r
			return nil
		}))
	return next, w, err
}

func replace(r *http.Request, text string) string {
	return r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer).ReplaceAll(text, "?")
}

// TestOutcomes has one row for each thing that a handler does.
func TestOutcomes(t *testing.T) {
	const (
		strict = `{}`
		envoy  = `{"preset": "envoy"}`
	)
	for _, row := range []struct {
		config, line, host string
		target             string // for the next handler
		action, reason     string
		status             int
	}{
		{strict, "GET /a?b", "h", "/a?b", "keep", "", 200},
		{strict, "GET /%61?b", "h", "/a?b", "rewrite", "", 200},
		{strict, "GET /a/../b", "h", "", "refuse", "dot_segment", 400},
		{`{"status": 421}`, "GET /a//../b", "h", "", "refuse", "dot_segment", 421},
		{strict, "GET /a%zz?b", "h", "", "refuse", "", 0}, // net/http refuses it
		{strict, "GET /a?b[]", "h", "", "refuse", "invalid query", 400},
		{`{"lenient_query": true}`, "GET /a?b[]=100%", "h", "/a?b%5B%5D=100%25", "rewrite", "", 200},
		{strict, "GET /", "a b", "", "refuse", "Host field: invalid host", 400},
		{strict, "GET /", "127.1", "", "refuse", "Host field: address_like_name", 400},
		{strict, "GET /", "", "", "refuse", "Host field: invalid host", 400},
		{`{"check_host": false}`, "GET /", "", "/", "keep", "", 200},
		{envoy, "GET /a/../b//c", "h", "/b/c", "rewrite", "", 200},
		{envoy, "GET /a%2Fb?c", "h", "/a/b?c", "redirect", "", 307},
		{envoy, "GET /%2Fb", "h", "/b", "redirect", "", 307},
		{`{"preset": "envoy", "merge_slashes": false}`, "GET /%2Fb", "h", "", "refuse", "double_slash", 400},
		{envoy, "GET http://h/a/../b", "h", "http://h/b", "rewrite", "", 200},
		{envoy, "GET http://h", "h", "http://h", "keep", "", 200},
		{envoy, "GET ftp://h/", "h", "", "refuse", "invalid or missing scheme", 400},
		{envoy, "GET http://u@h/", "h", "", "refuse", "invalid userinfo", 400},
		{envoy, "OPTIONS *", "h", "*", "keep", "", 200},
		{envoy, "GET *", "h", "", "refuse", "", 0}, // net/http
		{strict, "CONNECT h:443", "h:443", "h:443", "keep", "", 200},
		{strict, "CONNECT h", "h", "", "refuse", "invalid or missing port", 400},
		{strict, "CONNECT /a", "h", "", "refuse", "", 400},
	} {
		r, err := receive(row.line, row.host)
		if row.status == 0 {
			_, target, _ := strings.Cut(row.line, " ")
			assert.True(t, err != nil || target == "*", row.line)
			continue
		}
		require.NoError(t, err, row.line)
		next, w, err := serve(t, row.config, r)
		assert.Equal(t, row.action, replace(r, "{http.uri_policy.action}"), row.line)
		if row.reason != "" {
			assert.Equal(t, row.reason, replace(r, "{http.uri_policy.reason}"), row.line)
		}
		switch row.action {
		case "refuse":
			assert.Nil(t, next)
			var failed caddyhttp.HandlerError
			require.ErrorAs(t, err, &failed)
			assert.Equal(t, row.status, failed.StatusCode, row.line)
			assert.ErrorAs(t, err, new(urihttp.Refusal))
			assert.Empty(t, w.Header())
		case "redirect":
			require.NoError(t, err)
			assert.Nil(t, next)
			assert.Equal(t, row.status, w.Code)
			assert.Equal(t, row.target, w.Header().Get("Location"))
		default:
			require.NoError(t, err)
			// Placeholders read the request that Caddy began with.
			require.Same(t, r, next)
			assert.Equal(t, row.target, r.RequestURI, row.line)
			if strings.HasPrefix(row.target, "/") {
				assert.Equal(t, row.target, r.URL.RequestURI())
				assert.Equal(t, row.target, replace(r, "{http.request.uri}"))
				path, _, _ := strings.Cut(row.target, "?")
				assert.Equal(t, path, replace(r, "{http.request.uri.path}"))
				_, received, _ := strings.Cut(row.line, " ")
				assert.Equal(t, received, replace(r, "{http.request.orig_uri}"))
			}
		}
	}
}

// TestExtendedConnect begins a WebSocket over HTTP/2 and HTTP/3.
func TestExtendedConnect(t *testing.T) {
	for _, row := range []struct {
		major           int
		protocol, proto string
		want            bool
	}{
		{2, "websocket", "HTTP/2.0", true},
		{2, "", "HTTP/2.0", false},
		{3, "", "websocket", true},
		{3, "", "HTTP/3.0", false},
	} {
		for target, want := range map[string]bool{"/chat?x": true, "/a/../chat": false} {
			r := received(t, "GET "+target, "h")
			r.Method, r.ProtoMajor, r.Proto = "CONNECT", row.major, row.proto
			r.Header[":protocol"] = nil
			if row.protocol != "" {
				r.Header.Set(":protocol", row.protocol)
			}
			next, _, err := serve(t, `{}`, r)
			assert.Equal(t, row.want && want, err == nil, "%+v", row)
			if err == nil {
				assert.Same(t, r, next)
				assert.Equal(t, "CONNECT", r.Method)
				assert.Equal(t, target, r.RequestURI)
			}
		}
	}
	r := received(t, "GET /%61", "h")
	r.Method, r.ProtoMajor = "CONNECT", 2
	r.Header.Set(":protocol", "websocket")
	next, _, err := serve(t, `{}`, r)
	require.NoError(t, err)
	assert.Equal(t, "/a", next.RequestURI)
	assert.Equal(t, "/a", next.URL.Path)
	assert.Equal(t, "CONNECT", next.Method)
}

// TestCopiedRequest requires that placeholders see the change if another handler copied the request before.
func TestCopiedRequest(t *testing.T) {
	r := received(t, "GET /a/%62", "h")
	next, _, err := serve(t, `{}`, r.WithContext(r.Context()))
	require.NoError(t, err)
	assert.Equal(t, "/a/b", next.URL.EscapedPath())
	assert.Equal(t, "/a/b", r.URL.EscapedPath())
	assert.Equal(t, "/a/b", replace(r, "{http.request.uri}"))
}

// TestNextFails requires that the error of the next handler is returned.
func TestNextFails(t *testing.T) {
	module, err := load(t, "http.handlers.uri_policy", `{}`)
	require.NoError(t, err)
	want := errors.New("next")
	err = module.(caddyhttp.MiddlewareHandler).ServeHTTP(httptest.NewRecorder(), received(t, "GET /", "h"),
		caddyhttp.HandlerFunc(func(http.ResponseWriter, *http.Request) error { return want }))
	assert.Equal(t, want, err)
}

// TestReasons requires that there are few reasons, and that each error and trait has one.
func TestReasons(t *testing.T) {
	seen := map[string]bool{}
	for e := uri.ErrScheme; e <= uri.ErrHostField; e++ {
		text := reason(urihttp.Refusal{Reason: e, Offset: 7})
		assert.NotContains(t, text, "7")
		assert.NotContains(t, text, "unknown")
		seen[text] = true
		assert.NotContains(t, reason(urihttp.Refusal{Reason: e, Host: true}), "Host field: Host")
	}
	assert.Contains(t, (uri.ErrHostField + 1).Error(), "unknown")
	for _, trait := range traits {
		text := reason(urihttp.Refusal{Traits: trait.trait})
		assert.Equal(t, trait.name, text)
		seen[text] = true
		assert.Equal(t, "Host field: "+text, reason(urihttp.Refusal{Traits: trait.trait, Host: true}))
	}
	assert.Len(t, seen, int(uri.ErrHostField)+len(traits))
	assert.Equal(t, "dot_segment", reason(urihttp.Refusal{Traits: uri.HasDoubleSlash | uri.HasDotSegment}))
}
