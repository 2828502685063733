package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/seed-56a50ac9/uri/internal/long"
	"github.com/seed-56a50ac9/uri/urihttp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
)

// ordinary are targets that pass.
var ordinary = []string{
	"/",
	"/presentations/logstash-monitorama-2013/images/kibana-search.png",
	"/blog/geekery/disabling-battery-in-ubuntu-vms.html?utm_source=feedburner&utm_medium=feed",
	"/files/logstash/?C=M;O=A",
	"/wiki/Universit%C3%A4t%20Z%C3%BCrich?q=a%2Db",
	"/%7Eana/index.html",
}

// BenchmarkCheck measures what the policy and the log add to a request.
func BenchmarkCheck(b *testing.B) {
	next := func(*fasthttp.RequestCtx) {}
	for _, bench := range []struct {
		name    string
		handler fasthttp.RequestHandler
	}{
		{"none", next},
		{"Strict", check(urihttp.Strict(), next)},
		{"Envoy", check(urihttp.Envoy(), next)},
		{"log", logged(io.Discard, next)},
	} {
		b.Run("handler="+bench.name, func(b *testing.B) {
			b.ReportAllocs()
			start := cpu()
			var ctx fasthttp.RequestCtx
			ctx.Request.Header.SetMethod("GET")
			ctx.Request.Header.SetHost("front.test")
			for i := 0; b.Loop(); i++ {
				ctx.Request.SetRequestURI(ordinary[i%len(ordinary)])
				bench.handler(&ctx)
			}
			b.ReportMetric(float64(cpu()-start)/float64(b.N), "cpu-ns/op")
		})
	}
}

// TestFigures counts the requests that proxies in processes of their own serve per second of processor time.
func TestFigures(t *testing.T) {
	behind := started(t, &fasthttp.Server{Handler: func(ctx *fasthttp.RequestCtx) { ctx.WriteString("ok") }})
	kinds := []string{"fasthttp none", "fasthttp Strict", "net/http none", "net/http Strict"}
	proxies := make([]*process, len(kinds))
	for i, kind := range kinds {
		proxies[i] = newProcess(t, kind, behind)
	}
	count := long.Sample(t, 500, 10_000, 50_000)
	rates := make([][]float64, len(kinds))
	for range 1 + long.Sample(t, 3, 7) { // the first warms up
		for i, proxy := range proxies {
			before := proxy.cpu(t)
			load(t, proxy.address, count)
			rates[i] = append(rates[i], float64(count)/(proxy.cpu(t)-before).Seconds())
		}
	}
	for i, kind := range kinds {
		slices.Sort(rates[i][1:])
		r := rates[i][1:]
		t.Logf("%-16s %6.0f requests per CPU second (%.0f to %.0f)", kind, r[len(r)/2], r[0], r[len(r)-1])
	}
}

// load sends requests over a few connections.
func load(t *testing.T, address string, count int) {
	client := &fasthttp.HostClient{Addr: address, DisablePathNormalizing: true}
	const connections = 8
	var group sync.WaitGroup
	for range connections {
		group.Go(func() {
			var request fasthttp.Request
			var response fasthttp.Response
			for i := range count / connections {
				request.SetRequestURI("http://front.test" + ordinary[i%len(ordinary)])
				if !assert.NoError(t, client.DoTimeout(&request, &response, time.Minute)) ||
					!assert.Equal(t, "ok", string(response.Body())) {
					return
				}
			}
		})
	}
	group.Wait()
}

// A process is this program again, as a proxy.
type process struct {
	address string
	in      io.Writer
	out     *bufio.Reader
}

// The kind of proxy that the process is, and the address of its backend.
const kindVariable, backendVariable = "URI_TEST_PROXY", "URI_TEST_BACKEND"

func newProcess(t *testing.T, kind, backend string) *process {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), kindVariable+"="+kind, backendVariable+"="+backend)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	require.NoError(t, err)
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		in.Close() // which ends it
		command.Wait()
	})
	p := &process{in: in, out: bufio.NewReader(out)}
	p.address, err = p.out.ReadString('\n')
	require.NoError(t, err)
	p.address = strings.TrimSpace(p.address)
	return p
}

// cpu returns the processor time that the process has used.
func (p *process) cpu(t *testing.T) (used time.Duration) {
	fmt.Fprintln(p.in)
	_, err := fmt.Fscanln(p.out, &used)
	require.NoError(t, err)
	return used
}

func TestMain(m *testing.M) {
	kind := os.Getenv(kindVariable)
	if kind == "" {
		os.Exit(m.Run())
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	backend := os.Getenv(backendVariable)
	policy := urihttp.Strict()
	switch kind {
	case "fasthttp none":
		go newServer(backend, nil, io.Discard).Serve(listener)
	case "fasthttp Strict":
		go newServer(backend, &policy, io.Discard).Serve(listener)
	case "net/http none":
		go http.Serve(listener, withNetHTTP(backend))
	case "net/http Strict":
		go http.Serve(listener, policy.Handler(withNetHTTP(backend)))
	}
	fmt.Println(listener.Addr())
	for in := bufio.NewReader(os.Stdin); ; {
		if _, err := in.ReadString('\n'); err != nil {
			return
		}
		fmt.Println(cpu().Nanoseconds())
	}
}

// cpu returns the processor time that this process has used.
func cpu() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// withNetHTTP is the same proxy with net/http.
func withNetHTTP(backend string) http.Handler {
	to := &url.URL{Scheme: "http", Host: backend}
	transport := &http.Transport{MaxIdleConnsPerHost: 100}
	proxy := &httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
	}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path := r.URL.Path; path == "/admin" || strings.HasPrefix(path, "/admin/") {
			http.Error(w, "", http.StatusForbidden)
			return
		}
		io.Discard.Write(urihttp.AppendRequestLine(nil, r))
		proxy.ServeHTTP(w, r)
	})
}
