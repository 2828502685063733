package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/seed-56a50ac9/uri/urihttp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
)

// attacks are targets that some server takes for one below "/admin".
var attacks = []string{
	"/public/../admin/x",
	"/public/a/../../admin/x",
	"/./admin/x",
	"//admin/x",
	"/public/..//admin/x",
	"/public/%2e%2e/admin/x",
	"/public/.%2e/admin/x",
	"/%2fadmin/x",
	"/public/..%2fadmin/x",
	"/public%2f..%2fadmin%2fx",
	"/public/..%5cadmin/x",
	`/public/..\admin/x`,
	`/\admin/x`,
	"/%2561dmin/x",
	"/public/%252e%252e/admin/x",
	"/public/..%252fadmin/x",
	"/admin%252fx",
	"/public/..;/admin/x",
	"/public/..;a=b/admin/x",
	"/public/%2e%2e;/admin/x",
	"/public/..%3b/admin/x",
	"/admin;a=b/x",
	"/;/admin/x",
	"/admin%00/x",
	"/public/../admin%00.png",
	"/admin./x",
	"/admin%20/x",
	"/admin%2e%20/x",
	"/admin#/x",
	"/public/../admin#/x",
	"/admin%3fx",
	"http://front.test/public/..;/admin/x",
	"http://front.test//admin;/x",
	"http://other.test/admin;/x",
	"http://u:p@front.test/admin;/x",
}

// started serves until the test ends.
func started(t testing.TB, server *fasthttp.Server) (address string) {
	t.Helper()
	address, stop, err := serve(server)
	require.NoError(t, err)
	t.Cleanup(stop)
	return address
}

// get sends a GET request verbatim.
func get(t testing.TB, address, target string) (status int, body string) {
	t.Helper()
	status, body, err := send(address, "GET "+target+" HTTP/1.1\r\nHost: front.test\r\n\r\n")
	require.NoError(t, err, target)
	return status, body
}

// TestAttacks counts the attacks that reach "/admin" on a careless server: none if Strict precedes the guard.
func TestAttacks(t *testing.T) {
	behind := started(t, &fasthttp.Server{Handler: careless})
	strict, envoy := urihttp.Strict(), urihttp.Envoy()
	envoy.EscapedSlashes = urihttp.Rewrite
	reached := map[*urihttp.Policy]int{}
	for _, policy := range []*urihttp.Policy{nil, &strict, &envoy} {
		front := started(t, newServer(behind, policy, io.Discard))
		for _, target := range attacks {
			status, body := get(t, front, target)
			if policy == &strict {
				assert.Contains(t, []int{400, 403}, status, target)
			}
			if strings.HasPrefix(body, "/admin") {
				reached[policy]++
			}
		}
	}
	t.Logf("of %d attacks %d reach what is guarded, %d with Strict, %d with Envoy",
		len(attacks), reached[nil], reached[&strict], reached[&envoy])
	assert.Zero(t, reached[&strict])
	assert.Greater(t, reached[nil], 20)
	assert.Less(t, reached[&envoy], reached[nil])
}

// verbatim is a server of a few lines, so that no library changes what it receives. It answers with the
// request line and the Host field, and keeps all fields.
func verbatim(t testing.TB) (address string, fields func() string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	var mu sync.Mutex
	var all strings.Builder
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for in := bufio.NewReader(conn); ; {
					first, err := in.ReadString('\n')
					if err != nil {
						return
					}
					host := ""
					for line := first; line != "\r\n"; {
						if line, err = in.ReadString('\n'); err != nil {
							return
						}
						if rest, ok := strings.CutPrefix(line, "Host: "); ok {
							host = rest
						}
						mu.Lock()
						all.WriteString(line)
						mu.Unlock()
					}
					body := strings.TrimSpace(first) + "|" + strings.TrimSpace(host)
					fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
				}
			}()
		}
	}()
	return listener.Addr().String(), func() string {
		mu.Lock()
		defer mu.Unlock()
		return all.String()
	}
}

// TestSent compares what the backend receives with what the policy decided.
func TestSent(t *testing.T) {
	behind, fields := verbatim(t)
	policy := urihttp.Strict()
	front := started(t, newServer(behind, &policy, io.Discard))
	for _, test := range []struct{ method, target, want string }{
		{"GET", "/", "/"},
		{"GET", "/a/b.html?c=d&e=%2F..%2f//;\\", ""}, // "\" is illegal
		{"GET", "/a/b.html?c=d&e=%2F..%2f//;+", "/a/b.html?c=d&e=%2F..%2f//;+"},
		{"GET", "/?u=http://other.test/admin", "/?u=http://other.test/admin"},
		{"GET", "/wiki/Universit%C3%A4t%20Z%c3%bcrich", "/wiki/Universit%C3%A4t%20Z%c3%bcrich"},
		{"GET", "/%7Eana/%2D?q=%7E", "/~ana/-?q=%7E"},
		{"GET", "/a!$&'()*+,=:@", "/a!$&'()*+,=:@"},
		{"POST", "/a?", "/a"}, // fasthttp drops an empty query
		{"GET", "http://Front.Test:80/a?b", "/a?b"},
		{"GET", "HTTP://front.test:80", "/"},
		{"GET", "http://other.test:80/a?b", ""}, // not what the Host field says
		{"OPTIONS", "*", "*"},
		{"CONNECT", "front.test:80", "405"},
		{"CONNECT", "/a", ""},
	} {
		request := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: Front.test:80\r\nContent-Length: 0\r\n"+
			"Connection: keep-alive\r\nX-Original-URL: /admin\r\nX-Kept: kept\r\n\r\n", test.method, test.target)
		status, body, err := send(front, request)
		require.NoError(t, err)
		switch test.want {
		case "":
			assert.Equal(t, 400, status, test)
		case "405":
			assert.Equal(t, 405, status, test)
		default:
			assert.Equal(t, test.method+" "+test.want+" HTTP/1.1|Front.test:80", body, test)
		}
	}
	assert.Contains(t, fields(), "X-Kept: kept")
	assert.NotContains(t, strings.ToLower(fields()), "x-original-url")
}

// TestDefaults shows what this program sets: without DisablePathNormalizing, the checked path is not the one
// that is sent.
func TestDefaults(t *testing.T) {
	behind, _ := verbatim(t)
	for target, want := range map[string]string{
		"/a%2Fb":       "/a/b",
		"/a%3Fb":       "/a%3Fb",
		"/a;b//c/../d": "/a;b/d",
	} {
		var request fasthttp.Request
		var response fasthttp.Response
		request.SetRequestURI(target)
		request.Header.SetHost("front.test")
		require.NoError(t, (&fasthttp.HostClient{Addr: behind}).Do(&request, &response))
		assert.Equal(t, "GET "+want+" HTTP/1.1|front.test", string(response.Body()))
	}
}

// TestReceived checks that fasthttp hands over the target and the Host field as sent, or refuses them itself.
func TestReceived(t *testing.T) {
	front := started(t, &fasthttp.Server{Handler: func(ctx *fasthttp.RequestCtx) {
		header := &ctx.Request.Header
		ctx.Write(append(append(append([]byte(nil), header.RequestURI()...), '|'), header.Host()...))
	}, Logger: errorLog{io.Discard}})
	refused := 0
	more := []string{
		"/a\xffb", "/a%zz", "/?", "/\x7f", "a/b", "?a", "/\"<>[]^`{|}", "http://[::1]:8080/%zz?[]", "/\x01",
	}
	hosts := []string{"front.test", "FRONT.test.:80", "%66ront.test", "u@front.test", "a:80:90", "127.1"}
	for _, target := range append(more, attacks...) {
		for _, host := range hosts {
			status, body, err := send(front, "GET "+target+" HTTP/1.1\r\nHost: "+host+"\r\n\r\n")
			require.NoError(t, err)
			if status == 400 {
				refused++
				continue
			}
			assert.Equal(t, target+"|"+host, body)
		}
	}
	assert.Less(t, refused, len(attacks)*3)

	status, _, err := send(front, "GET / HTTP/1.1\r\nHost: front.test\r\nHost: admin.test\r\n\r\n")
	require.NoError(t, err)
	assert.Equal(t, 400, status)
}

func TestRedirect(t *testing.T) {
	policy := urihttp.Envoy()
	var ctx fasthttp.RequestCtx
	ctx.Request.SetRequestURI("/a%2F..%2f%2fb?c=%2F")
	ctx.Request.Header.SetHost("front.test")
	check(policy, func(*fasthttp.RequestCtx) { t.Error("passed on") })(&ctx)
	assert.Equal(t, 307, ctx.Response.StatusCode())
	assert.Equal(t, "/b?c=%2F", string(ctx.Response.Header.Peek("Location")))
}

// TestLog requires that no secret gets into the log, not even of requests that fasthttp itself refuses.
func TestLog(t *testing.T) {
	behind := started(t, &fasthttp.Server{Handler: careless})
	policy := urihttp.Strict()
	log := new(lockedBuffer)
	server := newServer(behind, &policy, log)
	server.LogAllErrors = true
	front := started(t, server)
	for _, target := range []string{
		"/a?sig=S3CRET&page=2", "/a/../b?token=S3CRET", "http://u:S3CRET@front.test/",
		"/a?x=1&password=S3CRET\x01", "?S3CRET",
	} {
		send(front, "GET "+target+" HTTP/1.1\r\nHost: front.test\r\nCookie: S3CRET\r\n\r\n")
	}
	send(front, "S3CRET\r\n\r\n")
	send(front, "GET / HTTP/1.1\r\nHost: front.test\r\nS3CRET\x01: S3CRET\r\n\r\n")
	got := func() string { return regexp.MustCompile(`\d+µs`).ReplaceAllString(log.String(), "µs") }
	require.Eventually(t, func() bool { return strings.Count(got(), "\n") >= 7 }, 10e9, 10e6, got())
	assert.Contains(t, got(), "GET /a?sig=REDACTED&page=2 HTTP/1.1 200 µs\n")
	assert.Contains(t, got(), "GET /a/../b?token=REDACTED HTTP/1.1 400 µs\n")
	assert.Contains(t, got(), "GET http://REDACTED:REDACTED@front.test/ HTTP/1.1 400 µs\n")
	assert.Contains(t, got(), "fasthttp: error when serving connection\n")
	assert.NotContains(t, got(), "S3CRET")
}

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// TestReadme compares what the demo prints with README.md.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	block := regexp.MustCompile("(?s)\\$ go run .\n(.*?)```").FindSubmatch(text)
	require.NotNil(t, block)
	var out strings.Builder
	require.NoError(t, demo(&out))
	times := regexp.MustCompile(`\d+µs`)
	assert.Equal(t, times.ReplaceAllString(string(block[1]), "µs"), times.ReplaceAllString(out.String(), "µs"))
}
