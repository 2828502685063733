package uricaddy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/fcgi"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/attacks"
	"github.com/seed-56a50ac9/uri/internal/long"
	"github.com/seed-56a50ac9/uri/urihttp"
)

// targets returns the targets of a public site's log, or some that are made up.
func targets(t testing.TB) (all []string) {
	if folder := os.Getenv("URI_CORPUS"); folder != "" {
		file, err := os.Open(filepath.Join(folder, "apache_access.log"))
		require.NoError(t, err)
		defer file.Close()
		for lines := bufio.NewScanner(file); lines.Scan(); {
			_, request, _ := strings.Cut(lines.Text(), `"`)
			request, _, _ = strings.Cut(request, `"`)
			if words := strings.Fields(request); len(words) == 3 {
				all = append(all, words[1])
			}
		}
		require.NotEmpty(t, all)
		return all
	}
	random := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("/ / / / a blog index.html . .. %20 %2F %41 é ? ? & = ; [] width=100%" +
		" utm_source=x q=caf%C3%A9 1 ~")
	for range 3000 {
		var target strings.Builder
		target.WriteString("/")
		for range random.IntN(10) {
			target.WriteString(words[random.IntN(len(words))])
		}
		all = append(all, target.String())
	}
	return all
}

// TestOneTarget requires that the server behind and Caddy's placeholders see the target that was checked,
// byte for byte.
func TestOneTarget(t *testing.T) {
	type seen struct{ target, uri, path string }
	var last atomic.Pointer[seen]
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		last.Store(&seen{r.RequestURI, r.Header.Get("X-Uri"), r.Header.Get("X-Path")})
	}))
	defer server.Close()
	site := `
http://:81 {
	bind FD0
	uri_policy strict {
		lenient_query
	}
	reverse_proxy ` + server.Listener.Addr().String() + ` {
		header_up X-Uri {uri}
		header_up X-Path {path}
	}
}
`
	caddy := start(t, site+strings.NewReplacer(":81", ":82", "FD0", "FD1", "strict", "envoy").Replace(site))
	policies := []urihttp.Policy{urihttp.Strict(), urihttp.Envoy()}
	policies[0].LenientQuery = true
	all := targets(t)
	for _, a := range attacks.All {
		if strings.HasPrefix(a.Target, "/") { // net/http replaces the host by that of other targets
			all = append(all, a.Target)
		}
	}
	limit := long.Sample(t, 1000, len(all))
	passed, changed := 0, 0
	for n, i := range rand.New(rand.NewPCG(1, 2)).Perm(len(all)) {
		if n == limit {
			break
		}
		target := all[i]
		for i, policy := range policies {
			out, action, err := policy.AppendTarget(nil, []byte("GET"), []byte(target), []byte("front.test"))
			last.Store(nil)
			conn, err2 := net.Dial("tcp", caddy.sites[i])
			require.NoError(t, err2)
			fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: front.test\r\nConnection: close\r\n\r\n", target)
			response, err2 := http.ReadResponse(bufio.NewReader(conn), nil)
			require.NoError(t, err2, target)
			conn.Close()
			got := last.Load()
			switch action {
			case urihttp.Refuse:
				require.Error(t, err)
				require.Equal(t, 400, response.StatusCode, target)
				require.Nil(t, got)
				continue
			case urihttp.Redirect:
				require.Equal(t, 307, response.StatusCode, target)
				require.Equal(t, string(out), response.Header.Get("Location"))
				require.Nil(t, got)
				continue
			}
			if response.StatusCode == 502 { // a placeholder has control characters
				require.Contains(t, target, "%", target)
				continue
			}
			require.Equal(t, 200, response.StatusCode, target)
			want := strings.TrimPrefix(string(out), "http://front.test")
			path, _, _ := strings.Cut(want, "?")
			require.Equal(t, &seen{want, want, strings.Trim(attacks.Decodes(path), " \t")}, got, target)
			passed++
			if action == urihttp.Rewrite {
				changed++
			}
		}
	}
	t.Log(passed, "passed,", changed, "rewritten")
	assert.Greater(t, passed, limit/4)
	assert.Positive(t, changed)
}

// TestHandleErrors requires that error routes see the reason and, as Caddy has it, the target as received.
// The metric must count what happened.
func TestHandleErrors(t *testing.T) {
	caddy := start(t, `
http://:81 {
	bind FD0
	uri_policy {
		status 421
	}
	respond {http.uri_policy.action}
	handle_errors 421 {
		respond "{err.status_code} {http.uri_policy.action} {http.uri_policy.reason} {err.message} {uri}"
	}
}
http://:82 {
	bind FD1
	uri_policy envoy
	handle /admin/* {
		respond "guarded" 403
	}
	handle {
		respond "{uri}"
	}
}
`)
	got := send(t, caddy.sites[0], "/a/../b", "h", "")
	assert.Equal(t, "421 refuse dot_segment urihttp: target refused: HasDotSegment /a/../b", got.body)
	assert.Equal(t, "421", got.status)
	assert.Equal(t, "keep", send(t, caddy.sites[0], "/a", "h", "").body)
	assert.Equal(t, "rewrite", send(t, caddy.sites[0], "/%61", "h", "").body)
	assert.Equal(t, "guarded", send(t, caddy.sites[1], "/x/../admin/y", "h", "").body)
	assert.Equal(t, "/y", send(t, caddy.sites[1], "/admin/../y", "h", "").body)
	assert.Equal(t, "307 200", send(t, caddy.sites[1], "/a%2fb", "h", "").status)

	response, err := caddy.admin.Get("http://caddy/metrics")
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	for _, line := range []string{
		`{action="keep",reason=""} 2`, `{action="rewrite",reason=""} 3`, `{action="redirect",reason=""} 1`,
		`{action="refuse",reason="dot_segment"} 1`,
	} {
		assert.Contains(t, string(text), "\ncaddy_uri_policy_requests_total"+line+"\n")
	}
}

// TestFastCGI requires that FastCGI, and the error route after another handler failed, see the target that
// was checked. Caddy gives them the one that was received.
func TestFastCGI(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	go fcgi.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.RequestURI+" "+r.URL.RequestURI())
	}))
	caddy := start(t, `
http://:81 {
	bind FD0
	uri_policy envoy
	@fails path /fails
	error @fails 500
	reverse_proxy `+listener.Addr().String()+` {
		transport fastcgi
	}
	handle_errors {
		respond "{err.status_code} {uri} {path} {http.request.orig_uri}"
	}
}
`)
	for target, want := range map[string]string{
		"/a/../b?c":     " /b?c",
		"/b?c":          " /b?c",
		"/a/../fails?b": "500 /fails?b /fails /a/../fails?b",
	} {
		got := send(t, caddy.sites[0], target, "h", "")
		assert.Equal(t, want, got.body)
	}
}

// TestForms sends targets in other forms over HTTP/1.1.
func TestForms(t *testing.T) {
	site := `
http://:81 {
	bind FD0
	uri_policy
	respond "{method} {http.request.orig_uri} {http.uri_policy.reason}"
	handle_errors {
		respond "{http.uri_policy.reason}"
	}
}
`
	caddy := start(t, site)
	for line, want := range map[string]string{
		"GET http://h/a":          "200 GET http://h/a ",
		"GET http://H/a":          "200 GET http://H/a ",
		"GET http://h":            "200 GET http://h ",
		"GET http://h/a/../b":     "400 dot_segment",
		"GET http://u@h/a":        "400 invalid userinfo",
		"GET ftp://h/a":           "400 invalid or missing scheme",
		"GET http://h:99999/a":    "400 invalid or missing port",
		"GET //h/a":               "400 double_slash",
		"CONNECT h:443":           "200 CONNECT h:443 ",
		"CONNECT h":               "400 invalid or missing port",
		"OPTIONS *":               "200 ", // net/http answers
		"GET http://127.1/":       "400 address_like_name",
		"GET http://h/a?b=%5B[]=": "400 invalid query",
	} {
		conn, err := net.Dial("tcp", caddy.sites[0])
		require.NoError(t, err)
		fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", line)
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		conn.Close()
		assert.Equal(t, want, fmt.Sprintf("%d %s", response.StatusCode, body), line)
	}
}

// TestHTTP2 sends the attacks that HTTP/2 can carry, without TLS.
func TestHTTP2(t *testing.T) {
	caddy := start(t, fmt.Sprintf(guarded+`
http://:81 {
	bind FD0
	uri_policy strict
	header X-Proto {http.request.proto}
	import site none %s
}
`, backend(t)))
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", caddy.sites[0])
	}
	client := &http.Client{
		Transport: &http.Transport{Protocols: protocols, DialContext: dial}, Timeout: time.Minute,
	}
	get := func(target, host string) (int, string) {
		r := &http.Request{Method: "GET", URL: &url.URL{Scheme: "http", Host: host, Opaque: "//" + host + target}}
		response, err := client.Do(r)
		require.NoError(t, err, target)
		defer response.Body.Close()
		assert.Equal(t, 2, response.ProtoMajor)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, string(body)
	}
	status, body := get("/%61?b", "front.test")
	assert.Equal(t, 200, status)
	assert.Equal(t, "\n/a?b", body)
	sent := 0
	for _, a := range attacks.All {
		_, err := url.ParseRequestURI(a.Target)
		if err != nil || a.Host != "" || a.Target[0] != '/' ||
			strings.Contains(a.Target, " ") || !utf8.ValidString(a.Target) {
			continue // net/http resets the stream, or the client cannot send it
		}
		status, _ := get(a.Target, "front.test")
		assert.Contains(t, []int{400, 403}, status, a.Target)
		sent++
	}
	assert.Greater(t, sent, 100)
	for _, host := range []string{"127.1", "0x7f.1", "admin.test.", "[::ffff:127.0.0.1]"} {
		status, _ := get("/x", host)
		assert.Equal(t, 400, status, host)
	}
}

// TestReload changes the policy while clients send requests. None may fail. With or without the module, Caddy
// may close a connection that is opened just when it reloads, so clients send such a request again.
func TestReload(t *testing.T) {
	site := func(policy string) string {
		return `
http://:81 {
	bind FD0
	` + policy + `
	respond "{uri}"
}
`
	}
	caddy := start(t, site("uri_policy strict"))
	var requests, refused, rewritten, kept, again atomic.Int64
	ctx, stop := context.WithTimeout(t.Context(), long.Sample(t, 2*time.Second, 20*time.Second))
	defer stop()
	var clients sync.WaitGroup
	for range 4 {
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}, Timeout: time.Minute}
		clients.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				target := []string{"/a", "/a/b/../c"}[i%2]
				r := &http.Request{Method: "GET", Header: http.Header{}, URL: &url.URL{
					Scheme: "http", Host: caddy.sites[0], Path: target, // which no client cleans
				}}
				response, err := client.Do(r)
				if errors.Is(err, io.EOF) {
					again.Add(1)
					response, err = client.Do(r)
				}
				if !assert.NoError(t, err) {
					return
				}
				body, err := io.ReadAll(response.Body)
				assert.NoError(t, err)
				response.Body.Close()
				switch requests.Add(1); fmt.Sprint(response.StatusCode, " ", target, " ", string(body)) {
				case "400 /a/b/../c ":
					refused.Add(1)
				case "200 /a/b/../c /a/c":
					rewritten.Add(1)
				case "200 /a /a", "200 /a/b/../c /a/b/../c":
					kept.Add(1)
				default:
					t.Error(response.StatusCode, target, string(body))
				}
			}
		})
	}
	reloads := 0
	for ; ctx.Err() == nil; reloads++ {
		policy := []string{"uri_policy envoy", "", "uri_policy strict"}[reloads%3]
		caddy.reload(t, strings.Replace(caddy.config, "uri_policy strict", policy, 1))
		time.Sleep(50 * time.Millisecond)
	}
	clients.Wait()
	t.Log(reloads, "reloads,", requests.Load(), "requests:", refused.Load(), "refused,",
		rewritten.Load(), "rewritten,", again.Load(), "sent again")
	assert.LessOrEqual(t, again.Load(), int64(reloads))
	assert.Greater(t, reloads, 5)
	assert.Positive(t, refused.Load())
	assert.Positive(t, rewritten.Load())
	assert.Positive(t, kept.Load())
	caddy.stop()
	assert.NotContains(t, caddy.output(t), "panic")
}

// TestOtherLogs requires that the filter also works for the log of errors, which has the URI too.
func TestOtherLogs(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	nobody := listener.Addr().String()
	require.NoError(t, listener.Close())
	caddy := start(t, `
http://:81 {
	bind FD0
	reverse_proxy `+nobody+`
}
`)
	assert.Equal(t, "502", send(t, caddy.sites[0], "/?token="+secret, "h", "").status)
	filtered := strings.Replace(caddy.config, "{\n", `{
	log {
		format filter {
			request>uri uri_redact
			request>headers>Referer uri_redact
			wrap json
		}
	}
`, 1)
	caddy.reload(t, filtered)
	before := len(caddy.output(t))
	assert.Equal(t, "502", send(t, caddy.sites[0], "/?token="+secret, "h", referer).status)
	caddy.stop()
	output := caddy.output(t)
	assert.Contains(t, output[:before], secret, "this log has no filter, so that the test can fail")
	assert.NotContains(t, output[before:], secret)
	assert.Contains(t, output[before:], "token=REDACTED")
}
