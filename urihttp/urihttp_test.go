package urihttp

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri"
	"github.com/seed-56a50ac9/uri/internal/attacks"
)

// received returns the request that a server makes of a request line and a Host field.
func received(t *testing.T, line, host string) *http.Request {
	t.Helper()
	text := line + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n"
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
	require.NoError(t, err)
	return r
}

// serve returns the answer of the policy to r, and the request that the next handler gets. It requires Decide
// to agree with them.
func serve(t *testing.T, p Policy, r *http.Request) (answer *httptest.ResponseRecorder, next *http.Request) {
	t.Helper()
	answer = httptest.NewRecorder()
	p.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { next = r })).ServeHTTP(answer, r)
	decided, action, err := p.Decide(r)
	switch action {
	case Refuse:
		assert.Nil(t, decided)
		assert.Nil(t, next)
		assert.IsType(t, Refusal{}, err)
		assert.GreaterOrEqual(t, answer.Code, 400)
		return answer, next
	case Redirect:
		assert.Nil(t, next)
		assert.NotSame(t, r, decided)
		assert.Equal(t, http.StatusTemporaryRedirect, answer.Code)
		assert.Equal(t, answer.Header().Get("Location"), decided.RequestURI)
	default:
		assert.Equal(t, next, decided)
		assert.Equal(t, next == r, decided == r)
	}
	assert.NoError(t, err)
	return answer, next
}

// A row is a request, and what a policy does with it: the target to pass on or to redirect to, if it is not
// that of the request, or the refusal without "urihttp:", "refused" and "uri:".
type row struct {
	line, host string
	action     Action
	result     string
}

func TestPolicies(t *testing.T) {
	for _, group := range []struct {
		policy Policy
		rows   []row
	}{
		{Policy{}, []row{
			{"GET /a;b/..//c%2f?x=%20", "", Keep, ""},
			{"GET /a?x=%zz", "", Refuse, "target: invalid percent-encoding at offset 6"},
			{"GET /a b", "", Refuse, "target: invalid path at offset 2"},
			{"GET /a", "[", Keep, ""},
			{"GET http://h/", "[", Refuse, "Host field: invalid IP-literal at offset 1"},
			{"GET http://h/", "H:80", Keep, ""},
			{"GET http://h/", "i", Refuse, "Host field: Host field does not agree with the target"},
			{"GET http://h/", "", Keep, ""},
			{"GET ftp://h/", "", Refuse, "target: invalid or missing scheme at offset 0"},
			{"GET http://u@h/", "", Refuse, "target: invalid userinfo at offset 7"},
			{"GET http:///", "", Refuse, "target: invalid host at offset 7"},
			{"GET http:/a", "", Refuse, "target: invalid host at offset 0"},
			{"GET http://h:65536/", "", Refuse, "target: invalid or missing port at offset 9"},
			{"CONNECT h:443", "h:443", Keep, ""},
			{"CONNECT h:443", "i:443", Refuse, "Host field: Host field does not agree with the target"},
			{"CONNECT h:", "", Refuse, "target: invalid or missing port at offset 2"},
			{"CONNECT /a", "", Refuse, "target: component not allowed in this form at offset 0"},
			{"OPTIONS *", "", Keep, ""},
		}},
		{Strict(), []row{
			{"OPTIONS *", "h", Keep, ""},
			{"CONNECT h:443", "h:443", Keep, ""},
		}},
		{Policy{LenientQuery: true}, []row{
			{"GET /a?w=100%&h=5%25", "", Rewrite, "/a?w=100%25&h=5%25"},
			{"GET /a?[b]|c", "", Rewrite, "/a?%5Bb%5D%7Cc"},
			{"GET /a?b c", "", Rewrite, "/a?b%20c"},
			{"GET /a?b#c", "", Refuse, "target: component not allowed in this form at offset 4"},
			{"GET /a|?b|c", "", Refuse, "target: invalid path at offset 2"},
			{"GET http://h?%", "", Rewrite, "http://h?%25"},
		}},
		{Policy{LenientQuery: true, RefuseTraits: uri.HasDotSegment, NormalizePath: true}, []row{
			{"GET /../?%", "", Refuse, "target: HasDotSegment"},
		}},
		{Policy{RefuseTraits: uri.HasEncodedNUL | uri.HasEscape}, []row{
			{"GET /a?b=%00", "", Keep, ""},
		}},
		{Policy{RefuseTraits: uri.HasEncodedNUL}, []row{
			{"GET /a%00?b=%00", "", Refuse, "target: HasEncodedNUL"},
		}},
		{Policy{RefuseTraits: uri.HasDoubleSlash, EscapedSlashes: Rewrite}, []row{
			{"GET /a/%2fb", "", Refuse, "target: HasDoubleSlash"},
		}},
		{Policy{RefuseTraits: uri.HasEncodedDotSegment}, []row{
			{"GET /a%2f..%5Cb%2F", "", Refuse, "target: HasEncodedDotSegment"},
			{"GET /a%2f%2e%2e;x", "", Refuse, "target: HasEncodedDotSegment"},
			{"GET /a%2f.", "", Refuse, "target: HasEncodedDotSegment"},
			{"GET /a..%2f..b%2f...%2f;..", "", Keep, ""},
		}},
		{Policy{EscapedSlashes: Keep}, []row{
			{"GET /a%2fb", "", Keep, ""},
		}},
		{Policy{EscapedSlashes: Refuse}, []row{
			{"GET /a%5cb", "", Refuse, "target: HasEncodedBackslash"},
		}},
		{Policy{EscapedSlashes: Rewrite}, []row{
			{"GET /a%2Fb%5c%20?%2f", "", Rewrite, "/a/b/%20?%2f"},
			{"GET http://h%2F/b", "h%2F", Keep, ""},
		}},
		{Policy{EscapedSlashes: Redirect}, []row{
			{"GET /a%2Fb?c", "", Redirect, "/a/b?c"},
			{"GET http://h/a%2Fb?c", "h", Redirect, "/a/b?c"},
			{"GET /%2fevil.test/", "", Refuse, "target: HasDoubleSlash"},
			{"GET /%5cevil.test/", "", Refuse, "target: HasDoubleSlash"},
		}},
		{Policy{EscapedSlashes: Redirect, MergeSlashes: true}, []row{
			{"GET /%2fevil.test/", "", Redirect, "/evil.test/"},
		}},
		{Policy{EscapedSlashes: Redirect, NormalizePath: true}, []row{
			{"GET /a/..%2f/evil.test/", "", Refuse, "target: HasDoubleSlash"},
		}},
		{Policy{PathParams: Rewrite}, []row{
			{"GET /;/a;b=c/d;/e;f?g;h", "", Rewrite, "//a/d/e?g;h"},
		}},
		{Policy{PathParams: Refuse}, []row{
			{"GET /a;b", "", Refuse, "target: HasPathParam"},
		}},
		{Policy{PathParams: Redirect}, []row{
			{"GET /a;b/c", "", Redirect, "/a/c"},
		}},
		{Policy{PathParams: Rewrite}, []row{
			{"GET /a/..;b/c", "", Rewrite, "/a/../c"},
		}},
		{Policy{NormalizePath: true}, []row{
			{"GET /a/./b/../%7euser/%c3%a4;x?%7e/../", "", Rewrite, "/a/~user/%c3%a4;x?%7e/../"},
			{"GET /a/%2e%2E;x=y/b;x/...;/", "", Rewrite, "/b;x/...;/"},
			{"GET /a//../b", "", Rewrite, "/a/b"},
		}},
		{Policy{NormalizePath: true, MergeSlashes: true}, []row{
			{"GET /a//../b//", "", Rewrite, "/a/b/"},
		}},
		{Policy{NormalizePath: true}, []row{
			{"GET http://H/a/..", "", Rewrite, "http://H/"},
			{"GET /..%3bx", "", Keep, ""},
			{"GET /%2", "", Refuse, "target: invalid percent-encoding at offset 3"},
		}},
		{Policy{MergeSlashes: true}, []row{
			{"GET ///a/////b//?c//d", "", Rewrite, "/a/b/?c//d"},
		}},
		{Policy{CheckHost: true}, []row{
			{"GET /", "", Refuse, "Host field: invalid host at offset 0"},
			{"GET /", ":80", Refuse, "Host field: invalid host at offset 0"},
			{"GET /", "h:65536", Refuse, "Host field: invalid or missing port at offset 2"},
			{"GET /", "u@h", Refuse, "Host field: component not allowed in this form at offset 1"},
		}},
		{Policy{CheckHost: true, RefuseTraits: uri.HasAddressLikeName}, []row{
			{"GET /", "0x7f.1", Refuse, "Host field: HasAddressLikeName"},
		}},
		{Policy{CheckHost: true}, []row{
			{"GET /", "0x7f.1:0", Keep, ""},
		}},
		{Policy{UTF8Path: true}, []row{
			{"GET /%c3%a4/%F0%9F%98%80%20?%ff", "", Keep, ""},
			{"GET /a%ff", "", Refuse, "target: invalid path at offset 2"},
			{"GET http://h/%c3a", "", Refuse, "target: invalid path at offset 9"},
			{"GET /a%c2%85b", "", Refuse, "target: invalid path at offset 2"},
			{"GET /%c2%a0b", "", Refuse, "target: invalid path at offset 1"},
			{"GET /b%ef%bb%bf/", "", Refuse, "target: invalid path at offset 2"},
			{"GET /b%c2%a0c%e3%80%80d", "", Keep, ""},
		}},
	} {
		p := group.policy
		for _, row := range group.rows {
			method, target, _ := strings.Cut(row.line, " ")
			out, action, err := p.AppendTarget([]byte("dst"), []byte(method), []byte(target), []byte(row.host))
			assert.Equal(t, row.action, action, row.line)
			if action == Refuse {
				said := strings.NewReplacer("urihttp: ", "", " refused", "", "uri: ", "").Replace(err.Error())
				assert.Equal(t, row.result, said, row.line)
				assert.Equal(t, "dst", string(out), row.line)
			} else {
				assert.NoError(t, err, row.line)
				assert.Equal(t, "dst"+cmp.Or(row.result, target), string(out), row.line)
			}
			slow, slowAction := slowDecide(&p, method, target, row.host)
			assert.Equal(t, action, slowAction, row.line)
			assert.Equal(t, string(out), "dst"+slow, row.line)
		}
	}
}

// TestStrict has a request for each trait that Strict refuses, one that only this trait refuses if there is
// one, and requests that differ from them in that.
func TestStrict(t *testing.T) {
	for _, row := range []struct {
		trait        uri.Trait
		target, host string
	}{
		{uri.HasEscapedHost, "/", "h%41"},
		{uri.HasAddressLikeName, "/", "0x7f.1"},
		{uri.HasTrailingDot, "/", "h."},
		{uri.HasEmbeddedIPv4, "/", "[::ffff:1.2.3.4]"},
		{uri.HasNonCanonicalIPv6, "/", "[0::1]"},
		{uri.HasUnusualPort, "/", "h:080"},
		{uri.HasEncodedSlash, "/a%2f", "h"},
		{uri.HasEncodedBackslash, "/a%5c", "h"},
		{uri.HasEncodedPercent, "/a%25", "h"},
		{uri.HasEncodedControl | uri.HasEncodedNUL, "/a%00", "h"},
		{uri.HasEncodedControl, "/a%0a", "h"},
		{uri.HasDotSegment, "/a/../b", "h"},
		{uri.HasEncodedDotSegment, "/a/.%2e", "h"},
		{uri.HasDoubleSlash, "/a//b", "h"},
		{uri.HasPathParam, "/a;b", "h"},
		{uri.HasPathParam | uri.HasDotSegmentParam, "/..;b", "h"},
		{uri.HasEncodedSemicolon, "/a%3b", "h"},
		{uri.HasEncodedDelimiter, "/a%3f", "h"},
		{uri.HasEncodedDelimiter, "/a%23", "h"},
		{uri.HasUnicodeDelimiter, "/a%ef%bc%8f", "h"},
		{uri.HasWindowsSegment, "/a./b", "h"},
		{uri.HasWindowsSegment, "/a::$DATA", "h"},
	} {
		_, _, err := Strict().AppendTarget(nil, []byte("GET"), []byte(row.target), []byte(row.host))
		assert.Equal(t, Refusal{Host: row.host != "h", Traits: row.trait}, err, "%s %s", row.target, row.host)
	}
	for _, target := range []string{
		"/a.b/c~d/e$:f?..//;%00%2f%25", "/%c3%a4%20b/%22", "/A", "http://xn--4ca.test:8080/",
	} {
		host := "h"
		if strings.HasPrefix(target, "http") {
			host = "xn--4ca.test:8080"
		}
		_, action, err := Strict().AppendTarget(nil, []byte("GET"), []byte(target), []byte(host))
		assert.Equal(t, Keep, action, "%s %v", target, err)
	}
}

func TestPassedOn(t *testing.T) {
	for _, p := range []Policy{{}, Strict(), Envoy()} {
		for _, target := range append([]string{
			"/a?", "/a??", "/a?b", "/!$&'()*+,;=:@", "/%21%2C", "/%c3%a4", "http://h", "http://h/a?b", "/%20!",
		}, ordinary...) {
			r := received(t, "GET "+target, "h")
			before, u := *r, *r.URL
			answer, next := serve(t, p, r)
			if p.PathParams == Refuse && strings.Contains(r.URL.Path, ";") {
				assert.Equal(t, http.StatusBadRequest, answer.Code)
				continue
			}
			assert.Same(t, r, next, target)
			assert.Equal(t, before, *r)
			assert.Equal(t, u, *r.URL)
		}
	}
}

func TestChanged(t *testing.T) {
	for line, want := range map[string]string{
		"GET /a/../%7eb%2Fc!%20?d=%2f":         "/~b%2Fc!%20?d=%2f",
		"GET /a//b":                            "/a/b",
		"GET /a?w=100%":                        "/a?w=100%25",
		"GET //a?":                             "/a?",
		"GET /%2e/%c3%A4":                      "/%c3%A4",
		"GET http://h:8/a/..?b":                "http://h:8/?b",
		"POST /%41":                            "/A",
		"GET /./%3Fa":                          "/%3Fa",
		"GET /.//" + strings.Repeat("x", 9000): "/" + strings.Repeat("x", 9000),
	} {
		p := Policy{LenientQuery: true, NormalizePath: true, MergeSlashes: true}
		r := received(t, line, "h")
		target, u := r.RequestURI, *r.URL
		answer, next := serve(t, p, r)
		require.NotNil(t, next, "%s: %v", line, answer)
		assert.NotSame(t, r, next)
		assert.NotSame(t, r.URL, next.URL)
		assert.Equal(t, target, r.RequestURI)
		assert.Equal(t, u, *r.URL)
		// net/http makes the same of the target that it gets.
		again := received(t, r.Method+" "+want, "h")
		assert.Equal(t, want, next.RequestURI)
		assert.Equal(t, again.URL, next.URL)
		assert.Equal(t, again.Host, next.Host)
		assert.Equal(t, r.Header, next.Header)
	}
}

// TestChangedBefore has handlers that change r.URL before the policy sees it.
func TestChangedBefore(t *testing.T) {
	for _, row := range []struct {
		target string
		change func(u *url.URL)
		want   string // the target that next gets; empty if none
		same   bool   // the request itself
	}{
		{"/v1/a%20b?c", func(u *url.URL) { u.Path = "/a b" }, "/a%20b?c", false},
		{"/v1/a", func(u *url.URL) { u.Path = "/x/../admin" }, "", false},
		{"/v1/a", func(u *url.URL) { u.Path = "a" }, "", false},
		{"/a", func(u *url.URL) { u.RawQuery = "b" }, "/a?b", false},
		{"/a?", func(u *url.URL) { u.ForceQuery = false }, "/a", false},
		{"/a", func(u *url.URL) { u.ForceQuery = true }, "/a?", false},
		{"/a", func(u *url.URL) { u.Opaque = "//evil.test/b" }, "", false},
		{"/a", func(u *url.URL) { u.Opaque = "/b%20c" }, "/b%20c", false},
		{"/a", func(u *url.URL) { u.User = url.User("u") }, "/a", true},
		{"/a", func(u *url.URL) { u.Fragment = "f" }, "/a", true},
		{"/a%2Cb", func(u *url.URL) { u.RawPath = "" }, "/a,b", false},
		{"/a%21b", func(u *url.URL) { u.RawPath = "" }, "/a%21b", true},
		{"/a%20b", func(u *url.URL) { u.RawPath = "/a b" }, "/a%20b", true},
		{"/a!b", func(u *url.URL) { u.RawPath = "/a%21c" }, "/a%21b", false},
		{"/%41", func(u *url.URL) { u.Path = "/%41" }, "", false},
		{"/%20", func(u *url.URL) { u.Path = "/%20" }, "", false},
		{"http://h/a", func(u *url.URL) { u.Host = "i" }, "/a", false},
		{"http://h/a", func(u *url.URL) { u.Scheme = "https" }, "/a", false},
		{"", func(u *url.URL) { u.Path = "/a" }, "/a", false},
	} {
		r := received(t, "GET "+max(row.target, "/"), "h")
		r.RequestURI = row.target
		row.change(r.URL)
		_, next := serve(t, Strict(), r)
		if row.want == "" {
			assert.Nil(t, next, row.target)
			continue
		}
		require.NotNil(t, next, row.target)
		assert.Equal(t, row.want, next.RequestURI)
		assert.Equal(t, row.want, next.URL.RequestURI())
		path, _, _ := strings.Cut(row.want, "?")
		assert.Equal(t, attacks.Decodes(path), next.URL.Path)
		assert.Empty(t, next.URL.Opaque)
		assert.Equal(t, row.same, r == next, row.target)
	}
	// The URL must satisfy the policy even if its changed target is that of the request.
	for _, path := range []string{"/x/../a", "/a/.", "//a", "/%61"} {
		r := received(t, "GET /a", "h")
		u, err := url.Parse("http://h" + path)
		require.NoError(t, err)
		r.URL.Path, r.URL.RawPath = u.Path, u.RawPath
		if path == "/a/." {
			r.RequestURI = "/a/"
		}
		_, next := serve(t, Policy{NormalizePath: true, MergeSlashes: true}, r)
		require.NotNil(t, next, path)
		assert.Equal(t, r.RequestURI, next.RequestURI)
		assert.Equal(t, r.RequestURI, next.URL.Path)
	}
	http.StripPrefix("/v1", Strict().Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/a%C3%A4!", r.RequestURI)
	}))).ServeHTTP(httptest.NewRecorder(), received(t, "GET /v1/a%C3%A4!", "h"))
}

func TestAnswers(t *testing.T) {
	answer, next := serve(t, Envoy(), received(t, "POST /a%2Fb//c/./d?e=%2F", "h"))
	assert.Nil(t, next)
	assert.Equal(t, http.StatusTemporaryRedirect, answer.Code)
	assert.Equal(t, "/a/b/c/d?e=%2F", answer.Header().Get("Location"))

	refused := received(t, "GET /a/../S3CRET", "h")
	answer, next = serve(t, Strict(), refused)
	assert.Nil(t, next)
	assert.Equal(t, http.StatusBadRequest, answer.Code)
	assert.Equal(t, "Bad Request\n", answer.Body.String())

	p := Strict()
	p.Status = http.StatusNotFound
	answer, _ = serve(t, p, refused)
	assert.Equal(t, http.StatusNotFound, answer.Code)
	assert.Equal(t, "Not Found\n", answer.Body.String())

	p.OnRefuse = func(w http.ResponseWriter, r *http.Request, why error) {
		assert.Same(t, refused, r)
		assert.Equal(t, Refusal{Traits: uri.HasDotSegment}, why)
		w.WriteHeader(http.StatusTeapot)
	}
	answer, _ = serve(t, p, refused)
	assert.Equal(t, http.StatusTeapot, answer.Code)
}

func TestRefusal(t *testing.T) {
	_, _, err := new(Policy).AppendTarget(nil, []byte("GET"), []byte("/%zz?S3CRET"), nil)
	assert.ErrorIs(t, err, uri.ErrPercent)
	assert.NotContains(t, err.Error(), "S3CRET")
	assert.NoError(t, errors.Unwrap(Refusal{Traits: uri.HasDotSegment}))
}

// TestValidate requires an error that names the field for each contradiction, and none for other policies.
func TestValidate(t *testing.T) {
	strict := Strict()
	for _, p := range []Policy{
		{},
		Strict(), Envoy(),
		{RefuseTraits: uri.Ambiguous | uri.HasEscape, EscapedSlashes: Refuse, PathParams: Refuse},
		{RefuseTraits: strict.RefuseTraits, EscapedSlashes: Rewrite, PathParams: Redirect, NormalizePath: true},
		{RefuseTraits: uri.HasEscape | uri.HasDotSegment, NormalizePath: true},
		{RefuseTraits: ^uri.HasDoubleSlash, MergeSlashes: true},
		{RefuseTraits: ^(uri.HasEscape | escapedSlashes), EscapedSlashes: Redirect},
		{RefuseTraits: ^uri.HasPathParam, PathParams: Rewrite},
		{RefuseTraits: uri.Ambiguous | uri.HasEscape, NormalizePath: true},
		{Status: 400},
		{Status: 451},
		{Status: 599},
	} {
		assert.NoError(t, p.Validate(), "%+v", p)
	}
	for want, p := range map[string]Policy{
		"EscapedSlashes: RefuseTraits include HasEncodedSlash": {
			RefuseTraits: uri.HasEncodedSlash | uri.HasDoubleSlash, EscapedSlashes: Rewrite,
		},
		"EscapedSlashes: RefuseTraits include HasEncodedBackslash": {
			RefuseTraits: uri.HasEncodedBackslash, EscapedSlashes: Redirect,
		},
		"EscapedSlashes: RefuseTraits include HasEscape": {RefuseTraits: uri.HasEscape, EscapedSlashes: Rewrite},
		"EscapedSlashes: 0x4 is not an Action":           {EscapedSlashes: 4},
		"PathParams: RefuseTraits include HasPathParam":  {RefuseTraits: uri.Ambiguous, PathParams: Rewrite},
		"PathParams: 0xff is not an Action":              {PathParams: 255},
		"MergeSlashes: RefuseTraits include HasDoubleSlash": {
			RefuseTraits: strict.RefuseTraits, NormalizePath: true, MergeSlashes: true,
		},
		"Status: 200 is not from 400 to 599": {Status: 200},
		"Status: 399 is not from 400 to 599": {Status: 399},
		"Status: 600 is not from 400 to 599": {Status: 600},
		"Status: -1 is not from 400 to 599":  {Status: -1},
	} {
		assert.EqualError(t, p.Validate(), "urihttp: "+want, "%+v", p)
	}
}

// TestContradictions requires that a field has no effect if RefuseTraits include all that it is to change.
func TestContradictions(t *testing.T) {
	targets := slices.Clone(ordinary)
	for _, a := range attacks.All {
		targets = append(targets, a.Target)
	}
	parts := []string{"a", ".", "..", "..;x", ".;", "a;x", "%2f", "%5C", "%61", "%2e", "%20", "%3b", ""}
	for _, b := range parts {
		for _, c := range parts {
			targets = append(targets, "/"+b+"/"+c, "/"+b+c+"/d?"+b, "http://h/"+c+b)
		}
	}
	for _, field := range []struct {
		traits uri.Trait
		set    func(p *Policy)
		reset  func(p *Policy)
	}{
		{
			uri.HasEncodedSlash | uri.HasEncodedBackslash,
			func(p *Policy) { p.EscapedSlashes = Rewrite }, func(p *Policy) { p.EscapedSlashes = Keep },
		},
		{
			uri.HasEscape,
			func(p *Policy) { p.EscapedSlashes = Redirect }, func(p *Policy) { p.EscapedSlashes = Keep },
		},
		{uri.HasPathParam, func(p *Policy) { p.PathParams = Rewrite }, func(p *Policy) { p.PathParams = Keep }},
		{uri.HasPathParam, func(p *Policy) { p.PathParams = Redirect }, func(p *Policy) { p.PathParams = Refuse }},
		{
			uri.HasEscape | uri.HasDotSegment | uri.HasDotSegmentParam,
			func(p *Policy) { p.NormalizePath = true }, func(p *Policy) { p.NormalizePath = false },
		},
		{
			uri.HasDoubleSlash, // others are made of escaped slashes and of parameters
			func(p *Policy) { p.MergeSlashes, p.EscapedSlashes, p.PathParams = true, Keep, Keep },
			func(p *Policy) { p.MergeSlashes = false },
		},
	} {
		refused := 0
		for bits := uint16(0); bits < 1<<12; bits += 37 {
			p := policyOf(bits)
			p.RefuseTraits |= field.traits
			field.set(&p)
			if !p.NormalizePath { // which the presets set too
				require.Error(t, p.Validate(), "%+v", p)
			}
			q := p
			field.reset(&q)
			for _, target := range targets {
				want, wantAction, _ := q.AppendTarget(nil, []byte("GET"), []byte(target), []byte("h"))
				got, action, _ := p.AppendTarget(nil, []byte("GET"), []byte(target), []byte("h"))
				if action != wantAction || string(got) != string(want) {
					require.Fail(t, "an effect", "%+v %q: %v %q, not %v %q", p, target, action, got, wantAction, want)
				}
				if action == Refuse {
					refused++
				}
			}
		}
		require.NotZero(t, refused)
	}
}

func TestActions(t *testing.T) {
	for a, name := range []string{"Keep", "Refuse", "Rewrite", "Redirect", "0x4"} {
		assert.Equal(t, name, Action(a).String())
		appended, err := Action(a).AppendText([]byte("x"))
		require.NoError(t, err)
		assert.Equal(t, "x"+name, string(appended))
		object, err := json.Marshal(Action(a))
		require.NoError(t, err)
		assert.Equal(t, `"`+name+`"`, string(object))

		read := Redirect + 1
		if err = json.Unmarshal(object, &read); a > int(Redirect) {
			assert.Equal(t, uri.ErrName, err)
			assert.Equal(t, Redirect+1, read)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, Action(a), read)
		for _, wrong := range []string{strings.ToLower(name), name + " ", name[1:], "", strconv.Itoa(a)} {
			assert.Equal(t, uri.ErrName, read.UnmarshalText([]byte(wrong)), wrong)
			assert.Equal(t, Action(a), read)
		}
	}
}

func TestRequestLine(t *testing.T) {
	r := received(t, "GET /a?sig=S3CRET", "h")
	assert.Equal(t, "> GET /a?sig=REDACTED HTTP/1.1", string(AppendRequestLine([]byte("> "), r)))
	r.RequestURI = `/a"b`
	assert.Equal(t, `GET /a"b HTTP/1.1`, string(AppendRequestLine(nil, r)), "as the documentation warns")
}

func TestAllocations(t *testing.T) {
	next := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	all := append([]string{"/" + strings.Repeat("%20x", 100) + "?" + strings.Repeat("%7e", 100)}, ordinary...)
	for _, p := range []Policy{{}, Strict(), Envoy()} {
		handler := p.Handler(next)
		for _, r := range requests(all) {
			assert.Zero(t, testing.AllocsPerRun(10, func() { handler.ServeHTTP(discard{}, r) }), r.RequestURI)
			assert.Zero(t, testing.AllocsPerRun(10, func() { p.Decide(r) }), r.RequestURI)
		}
	}

	p := Policy{
		LenientQuery: true, EscapedSlashes: Rewrite, PathParams: Rewrite, NormalizePath: true, MergeSlashes: true,
	}
	dst := make([]byte, 0, 4096)
	for _, target := range append([]string{"/a/../b%2f//c;d?%", "/%2e/" + strings.Repeat("%7e", 200)}, all...) {
		method, target, host := []byte("GET"), []byte(target), []byte("h")
		assert.Zero(t, testing.AllocsPerRun(10, func() { p.AppendTarget(dst, method, target, host) }), "%s", target)
	}
	name := []byte("Redirect")
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		var a Action
		if err := a.UnmarshalText(name); err != nil {
			panic(err)
		}
		a.AppendText(dst)
		if a.UnmarshalText(dst) == nil {
			panic(a)
		}
	}))
	method, target, host := []byte("GET"), []byte("/%00"), []byte("h")
	refuse := func() { Strict().AppendTarget(dst, method, target, host) }
	assert.EqualValues(t, 1, testing.AllocsPerRun(10, refuse), "the Refusal")
	r := requests(ordinary)[1]
	assert.Zero(t, testing.AllocsPerRun(10, func() { AppendRequestLine(dst, r) }))
}
