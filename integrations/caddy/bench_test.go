package uricaddy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// BenchmarkPolicy measures the handler alone. "none" is the next handler without it.
func BenchmarkPolicy(b *testing.B) {
	next := caddyhttp.HandlerFunc(func(http.ResponseWriter, *http.Request) error { return nil })
	for _, row := range []struct{ name, config, target string }{
		{"none", "", "/blog/2026/uri-or-url?utm_source=newsletter"},
		{"keep", `{}`, "/blog/2026/uri-or-url?utm_source=newsletter"},
		{"rewrite", `{}`, "/blog/2026/%75ri-or-url?utm_source=newsletter"},
		{"refuse", `{}`, "/blog/../admin/x"},
	} {
		b.Run("action="+row.name, func(b *testing.B) {
			handler := caddyhttp.MiddlewareHandler(nil)
			if row.config != "" {
				module, err := load(b, "http.handlers.uri_policy", row.config)
				require.NoError(b, err)
				module.(*Policy).logger = zap.NewNop()
				handler = module.(caddyhttp.MiddlewareHandler)
			}
			r := received(b, "GET "+row.target, "example.com")
			was := *r.URL
			w := httptest.NewRecorder()
			for b.Loop() {
				*r.URL, r.RequestURI = was, row.target
				if handler == nil {
					next.ServeHTTP(w, r)
				} else {
					handler.ServeHTTP(w, r, next)
				}
			}
		})
	}
}

// BenchmarkFilter measures filters on the targets of a log, as ns per line, alone and in Caddy's encoder.
func BenchmarkFilter(b *testing.B) {
	all := targets(b)
	for i := range all {
		if i%10 == 0 {
			all[i] += "?user=ada&token=S3CRET"
		}
	}
	for _, row := range []struct{ name, config string }{
		{"uri_redact", `{"filter": "uri_redact"}`},
		{"uri_redact keys", `{"filter": "uri_redact", "keys": ["ticket", "invite"]}`},
		{"query", `{"filter": "query", "actions": [
			{"type": "replace", "parameter": "token", "value": "REDACTED"},
			{"type": "replace", "parameter": "sig", "value": "REDACTED"}]}`},
		{"none", ""},
	} {
		name, _, _ := strings.Cut(row.name, " ")
		if row.config != "" {
			b.Run("what=field/filter="+row.name, func(b *testing.B) {
				filter := filterOf(b, name, regexp.MustCompile(`"filter": "\w+",?`).ReplaceAllString(row.config, ""))
				i := 0
				for b.Loop() {
					filter.Filter(zap.String("uri", all[i%len(all)]))
					i++
				}
			})
		}
		b.Run("what=line/filter="+row.name, func(b *testing.B) {
			fields := ""
			if row.config != "" {
				fields = `"request>uri": ` + row.config
			}
			config := `{"wrap": {"format": "json"}, "fields": {` + fields + `}}`
			module, err := load(b, "caddy.logging.encoders.filter", config)
			require.NoError(b, err)
			encoder := module.(zapcore.Encoder)
			requests := make([]zap.Field, len(all))
			for i, target := range all {
				r := received(b, "GET /", "example.com")
				r.RequestURI = target
				requests[i] = zap.Object("request", caddyhttp.LoggableHTTPRequest{Request: r})
			}
			i := 0
			for b.Loop() {
				line, err := encoder.EncodeEntry(zapcore.Entry{Message: "handled request"}, requests[i%len(all):][:1])
				if err != nil {
					b.Fatal(err)
				}
				line.Free()
				i++
			}
		})
	}
}

// cpuTime returns the processor time that a process has used.
func cpuTime(b *testing.B, pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skip("needs /proc")
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// BenchmarkThroughput measures requests per second of processor time of a Caddy process that is a reverse
// proxy, at sites that differ by one module. One iteration visits all sites; the metrics are medians. For a
// table:
//
//	go test -run '^$' -bench Throughput -benchtime 15x
func BenchmarkThroughput(b *testing.B) {
	to := backend(b)
	sites := []struct{ name, lines string }{
		{"none", ""},
		{"strict", "uri_policy strict"},
		{"envoy", "uri_policy envoy"},
		{"log", "log {\noutput file DIR/a.log\n}"},
		{"log+query", "log {\noutput file DIR/b.log\nformat filter {\nrequest>uri query {\n" +
			"replace token REDACTED\nreplace sig REDACTED\n}\n}\n}"},
		{"log+uri_redact", "log {\noutput file DIR/c.log\nformat filter {\nrequest>uri uri_redact\n}\n}"},
	}
	var config strings.Builder
	for i, site := range sites {
		fmt.Fprintf(&config, "http://:%d {\nbind FD%d\n%s\nreverse_proxy %s\n}\n", 81+i, i, site.lines, to)
	}
	server := start(b, config.String())
	rates := make([][]float64, len(sites))
	for range b.N {
		for i := range sites {
			const clients, each = 8, 1000
			before := cpuTime(b, server.cmd.Process.Pid)
			var group sync.WaitGroup
			for range clients {
				group.Go(func() { assert.NoError(b, knock(server.sites[i], each)) })
			}
			group.Wait()
			used := cpuTime(b, server.cmd.Process.Pid) - before
			rates[i] = append(rates[i], clients*each/max(used.Seconds(), 0.01))
		}
	}
	for i, site := range sites {
		slices.Sort(rates[i])
		b.ReportMetric(rates[i][len(rates[i])/2], site.name+"-req/cpu-s")
		b.Logf("%s: %.0f to %.0f", site.name, rates[i][0], rates[i][len(rates[i])-1])
	}
	b.ReportMetric(0, "ns/op")
}

// knock sends n requests over one connection.
func knock(server string, n int) error {
	conn, err := net.Dial("tcp", server)
	if err != nil {
		return err
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	for i := range n {
		fmt.Fprintf(conn, "GET /blog/2026/uri-or-url?utm_source=newsletter&page=%d&token=S3CRET HTTP/1.1\r\n"+
			"Host: example.com\r\nUser-Agent: knock\r\n\r\n", i)
		response, err := http.ReadResponse(in, nil)
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != 200 {
			return fmt.Errorf("status %d: %w", response.StatusCode, err)
		}
	}
	return nil
}
