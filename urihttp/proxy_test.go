package urihttp

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/attacks"
)

// backend is a server that serves "/admin" to the readers of package attacks.
func backend(t *testing.T) *url.URL {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go attacks.Serve(listener)
	return &url.URL{Scheme: "http", Host: listener.Addr().String()}
}

// guard refuses what a plain rule finds below "/admin", or on the guarded hosts.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if r.URL.Path == "/admin" || strings.HasPrefix(r.URL.Path, "/admin/") ||
			strings.EqualFold(host, "admin.test") || host == "127.0.0.1" {
			http.Error(w, "", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// front is a reverse proxy to the backend.
func front(to *url.URL) http.Handler {
	return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
	}}
}

// send sends a request and returns the response. It follows one redirect.
func send(t *testing.T, server, target, host string) (status, body string) {
	conn, err := net.Dial("tcp", server)
	require.NoError(t, err)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", target, host)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	status = strconv.Itoa(response.StatusCode)
	if location := response.Header.Get("Location"); location != "" {
		require.Regexp(t, "^/([^/\\\\]|$)", location)
		again, body := send(t, server, location, host)
		return status + " " + again, body
	}
	return status, string(text)
}
