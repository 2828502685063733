package uriotel

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seed-56a50ac9/uri/internal/long"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// builder is the version that README.md and builder.yaml name.
const builder = "go.opentelemetry.io/collector/cmd/builder@v0.158.0"

// binary returns the Collector that the environment variable URI_OTELCOL names, or nothing.
func binary() string { return os.Getenv("URI_OTELCOL") }

// TestCollector builds a Collector by builder.yaml, and runs it as a process.
func TestCollector(t *testing.T) {
	path := binary()
	if path == "" {
		if long.Time(t) < long.Minutes {
			t.Skip("building a Collector takes two minutes of CPU time: URI_LONG=1 builds one, URI_OTELCOL names one")
		}
		path = build(t)
	}
	t.Run("Attributes", func(t *testing.T) { testAttributes(t, path) })
	t.Run("Terminated", func(t *testing.T) { testTerminated(t, path) })
	t.Run("BadFields", func(t *testing.T) { testCollectorBadFields(t, path) })
	t.Run("Example", func(t *testing.T) { testExample(t, path) })
}

// build builds a Collector in a temporary folder, by builder.yaml except for its paths, which are relative
// to the root.
func build(t *testing.T) string {
	t.Helper()
	here, err := filepath.Abs(".")
	require.NoError(t, err)
	root := filepath.Dir(filepath.Dir(here))
	output := filepath.Join(t.TempDir(), "build")
	manifest, err := os.ReadFile("builder.yaml")
	require.NoError(t, err)
	assert.Contains(t, string(manifest), builder)
	for before, after := range map[string]string{
		"output_path: ./integrations/otelcol/.build": "output_path: " + output,
		"path: ./integrations/otelcol\n":             "path: " + here + "\n",
		"uri => ../../..":                            "uri => " + root,
	} {
		require.Equal(t, 1, bytes.Count(manifest, []byte(before)), before)
		manifest = bytes.Replace(manifest, []byte(before), []byte(after), 1)
	}
	config := filepath.Join(t.TempDir(), "builder.yaml")
	require.NoError(t, os.WriteFile(config, manifest, 0o600))

	start := time.Now()
	cmd := command(t, 20*time.Minute, "go", "run", builder, "--config", config)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	path := filepath.Join(output, "otelcol-uri")
	info, err := os.Stat(path)
	require.NoError(t, err)
	t.Logf("built in %.0f s, %.0f s of CPU time; %.1f MB", time.Since(start).Seconds(),
		(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), float64(info.Size())/1e6)
	return path
}

// command returns a command that ends with the test, and with the test's process.
func command(t *testing.T, limit time.Duration, name string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// A backend receives what a Collector exports over HTTP.
type backend struct {
	*httptest.Server
	delay time.Duration // how long each request takes

	mu    sync.Mutex
	logs  []plog.Logs
	spans []ptrace.Traces
}

func newBackend(t *testing.T) *backend {
	b := new(backend)
	b.Server = httptest.NewServer(b)
	t.Cleanup(b.Close)
	return b
}

func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	time.Sleep(b.delay)
	body, err := io.ReadAll(r.Body)
	if err == nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch r.URL.Path {
		case "/v1/logs":
			request := plogotlp.NewExportRequest()
			err = request.UnmarshalProto(body)
			b.logs = append(b.logs, request.Logs())
		case "/v1/traces":
			request := ptraceotlp.NewExportRequest()
			err = request.UnmarshalProto(body)
			b.spans = append(b.spans, request.Traces())
		default:
			err = fmt.Errorf("%s", r.URL.Path)
		}
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// records returns the attributes of all log records.
func (b *backend) records() (all []settings) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, logs := range b.logs {
		for _, resource := range logs.ResourceLogs().All() {
			for _, scope := range resource.ScopeLogs().All() {
				for _, record := range scope.LogRecords().All() {
					all = append(all, record.Attributes().AsRaw())
				}
			}
		}
	}
	return all
}

// A collector is a Collector that runs.
type collector struct {
	*exec.Cmd
	log                 *output
	http, grpc, metrics string // addresses
}

// output collects what a process writes.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// freeAddress returns an address that nothing listens on, by the kernel's choice.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().String()
}

// start starts a Collector that exports to the backend. The processor has the given configuration, which is
// JSON.
func start(t *testing.T, path, processor, backend string) *collector {
	t.Helper()
	for range 5 { // as another program may take a free port
		c := &collector{log: new(output), http: freeAddress(t), grpc: freeAddress(t), metrics: freeAddress(t)}
		host, port, err := net.SplitHostPort(c.metrics)
		require.NoError(t, err)
		config := filepath.Join(t.TempDir(), "collector.yaml")
		require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, `
receivers:
  otlp: {protocols: {http: {endpoint: %q}, grpc: {endpoint: %q}}}
processors:
  uri: %s
  batch: {timeout: 50ms}
exporters:
  otlp_http: {endpoint: %q, compression: none}
service:
  pipelines:
    logs: {receivers: [otlp], processors: [uri, batch], exporters: [otlp_http]}
    traces: {receivers: [otlp], processors: [uri, batch], exporters: [otlp_http]}
  telemetry:
    metrics: {readers: [{pull: {exporter: {prometheus: {host: %q, port: %s}}}}]}
`, c.http, c.grpc, processor, backend, host, port), 0o600))
		c.Cmd = command(t, 5*time.Minute, path, "--config", config)
		c.Stdout, c.Stderr = c.log, c.log
		require.NoError(t, c.Start())
		if c.ready() {
			t.Cleanup(func() { _ = c.Process.Kill() })
			return c
		}
		_ = c.Process.Kill()
		_ = c.Wait()
		require.Contains(t, c.log.String(), "address already in use")
	}
	require.Fail(t, "no free address")
	return nil
}

// ready waits until the Collector has started, and reports whether it has.
func (c *collector) ready() bool {
	for range 600 {
		if strings.Contains(c.log.String(), "Everything is ready") {
			return true
		}
		if c.Process.Signal(syscall.Signal(0)) != nil || strings.Contains(c.log.String(), "Error: ") {
			return false
		}
		time.Sleep(50 * time.Millisecond)
	}
	return false
}

// stop sends SIGTERM and waits for the end.
func (c *collector) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, c.Process.Signal(syscall.SIGTERM))
	require.NoError(t, c.Wait(), c.log.String())
}

// post sends a request over HTTP. It returns an error unless the Collector accepts it.
func (c *collector) post(path string, body []byte) error {
	response, err := http.Post("http://"+c.http+path, "application/x-protobuf", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s", response.Status)
	}
	return nil
}

// testAttributes sends logs and traces over HTTP and gRPC, and checks what comes out, and the metrics.
func testAttributes(t *testing.T, path string) {
	b := newBackend(t)
	c := start(t, path, `{
    traits_attribute: url.traits, normalized_attribute: url.normalized, error_attribute: url.error,
    from: [url.full, http.url], set: [url.scheme, url.domain, url.port, url.path, url.query, url.extension],
    secret_keys: [pin]}`, b.URL)

	logs := logsOf(t,
		settings{
			"url.full":            "HTTPS://u:p@[2001:db8::1]:8443/a.png?sig=1&pin=2#f",
			"http.request.method": "GET",
		},
		settings{"http.url": "/v1.2/users"},
		settings{"url.full": "https://u:p a@h/%zz"},
		settings{"url.full": int64(7), "url.original": "http://u:p@h/"},
	)
	want := []settings{
		{
			"url.full":            "HTTPS://REDACTED:REDACTED@[2001:db8::1]:8443/a.png?sig=REDACTED&pin=REDACTED#f",
			"http.request.method": "GET", "url.scheme": "HTTPS", "url.domain": "[2001:db8::1]",
			"url.port": int64(8443),
			"url.path": "/a.png", "url.query": "sig=REDACTED&pin=REDACTED", "url.extension": "png",
			"url.normalized": "https://REDACTED:REDACTED@[2001:db8::1]:8443/a.png?sig=REDACTED&pin=REDACTED#f",
			"url.traits":     []any{"HasUppercaseScheme"},
		},
		{"http.url": "/v1.2/users", "url.path": "/v1.2/users", "url.normalized": "/v1.2/users"},
		{"url.full": "https://REDACTED:REDACTED@h/%zz", "url.error": "invalid userinfo"},
		{"url.full": int64(7), "url.original": "http://u:p@h/"},
	}
	body, err := plogotlp.NewExportRequestFromLogs(logs).MarshalProto()
	require.NoError(t, err)
	require.NoError(t, c.post("/v1/logs", body))
	require.Eventually(t, func() bool { return len(b.records()) == len(want) }, time.Minute, 10*time.Millisecond)
	assert.Equal(t, want, b.records())

	conn, err := grpc.NewClient(c.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	_, err = plogotlp.NewGRPCClient(conn).Export(context.Background(), plogotlp.NewExportRequestFromLogs(logs))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(b.records()) == 2*len(want) }, time.Minute,
		10*time.Millisecond)
	assert.Equal(t, want, b.records()[len(want):])

	traces := ptrace.NewTraces()
	span := traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetName("GET")
	span.Attributes().PutStr("url.full", "http://h/a.png?sig=1")
	span.Events().AppendEmpty().Attributes().PutStr("url.full", "http://u:p@h/")
	body, err = ptraceotlp.NewExportRequestFromTraces(traces).MarshalProto()
	require.NoError(t, err)
	require.NoError(t, c.post("/v1/traces", body))
	require.Eventually(t, func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return len(b.spans) == 1
	}, time.Minute, 10*time.Millisecond)
	span = b.spans[0].ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
	assert.Equal(t, "GET", span.Name())
	assert.Equal(t, settings{
		"url.full": "http://h/a.png?sig=REDACTED", "url.scheme": "http", "url.domain": "h", "url.path": "/a.png",
		"url.query": "sig=REDACTED", "url.extension": "png", "url.normalized": "http://h/a.png?sig=REDACTED",
	}, span.Attributes().AsRaw())
	assert.Equal(t, "http://REDACTED:REDACTED@h/", span.Events().At(0).Attributes().AsRaw()["url.full"])

	response, err := http.Get("http://" + c.metrics + "/metrics")
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	for _, line := range []string{
		`otelcol_processor_uri_records{item="log_record",otel_signal="logs",outcome="invalid",processor="uri"} 2`,
		`otelcol_processor_uri_records{item="log_record",otel_signal="logs",outcome="parsed",processor="uri"} 4`,
		`otelcol_processor_uri_records{item="log_record",otel_signal="logs",outcome="without_url",` +
			`processor="uri"} 2`,
		`otelcol_processor_uri_records{item="span",otel_signal="traces",outcome="parsed",processor="uri"} 1`,
		`otelcol_processor_uri_records{item="span_event",otel_signal="traces",outcome="parsed",processor="uri"} 1`,
		`otelcol_processor_uri_redacted{item="log_record",otel_signal="logs",processor="uri"} 4`,
		`otelcol_processor_uri_redacted{item="span_event",otel_signal="traces",processor="uri"} 1`,
		`otelcol_processor_uri_not_string{item="log_record",otel_signal="logs",processor="uri"} 2`,
	} {
		assert.Contains(t, string(text), line)
	}
	c.stop(t)
	assert.NotContains(t, c.log.String(), "u:p", "the log has no input")
}

// testTerminated ends Collectors while clients send to them. After SIGTERM, the backend must have all that
// was accepted. After SIGKILL it cannot, which shows that the test would notice a loss.
func testTerminated(t *testing.T, path string) {
	signals := []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM, syscall.SIGTERM, syscall.SIGKILL}
	for _, signal := range signals {
		b := newBackend(t)
		b.delay = 50 * time.Millisecond // so that the Collector has something in its queue
		c := start(t, path, "{}", b.URL)

		var next, accepted atomic.Int64
		var ids sync.Map
		var clients sync.WaitGroup
		for range 4 {
			clients.Go(func() {
				for {
					var records []settings
					first := next.Add(10) - 10
					for id := first; id < first+10; id++ {
						full := fmt.Sprintf("http://u:p@h/%d.png", id)
						records = append(records, settings{"id": id, "url.full": full})
					}
					body, err := plogotlp.NewExportRequestFromLogs(logsOf(t, records...)).MarshalProto()
					if err != nil || c.post("/v1/logs", body) != nil {
						return // the Collector is gone
					}
					for id := first; id < first+10; id++ {
						ids.Store(id, true)
						accepted.Add(1)
					}
				}
			})
		}
		require.Eventually(t, func() bool { return accepted.Load() > 5000 }, time.Minute, time.Millisecond)
		require.NoError(t, c.Process.Signal(signal))
		err := c.Wait()
		clients.Wait()

		got := map[int64]bool{}
		for _, record := range b.records() {
			id := record["id"].(int64)
			got[id] = true
			assert.Equal(t, settings{
				"id": id, "url.full": fmt.Sprintf("http://REDACTED:REDACTED@h/%d.png", id), "url.scheme": "http",
				"url.domain": "h", "url.path": fmt.Sprintf("/%d.png", id), "url.extension": "png",
			}, record)
		}
		lost := 0
		for id := range ids.Range {
			if !got[id.(int64)] {
				lost++
			}
		}
		t.Logf("%v: %d records accepted, %d lost", signal, accepted.Load(), lost)
		if signal == syscall.SIGTERM {
			assert.NoError(t, err)
			assert.Zero(t, lost)
		} else {
			assert.NotZero(t, lost)
		}
	}
}

// testCollectorBadFields starts a Collector with each wrong field. It must not start, and say why.
func testCollectorBadFields(t *testing.T, path string) {
	fails := func(processor, pipeline, why string) {
		config := filepath.Join(t.TempDir(), "collector.yaml")
		require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, `
receivers: {otlp: {protocols: {http: {endpoint: %q}}}}
processors: {uri: %s}
exporters: {debug: {}}
service:
  pipelines: {%s: {receivers: [otlp], processors: [uri], exporters: [debug]}}
  telemetry: {metrics: {level: none}}
`, freeAddress(t), processor, pipeline), 0o600))
		cmd := command(t, time.Minute, path, "--config", config)
		out, err := cmd.CombinedOutput()
		require.Error(t, err, processor)
		assert.Equal(t, 1, cmd.ProcessState.ExitCode(), processor)
		assert.Contains(t, string(out), "uri")
		assert.Contains(t, string(out), why)
		assert.NotContains(t, string(out), "Everything is ready")
	}
	for _, name := range fieldNames() {
		bad := badFields[name][0]
		processor, err := json.Marshal(settings{name: bad.value})
		require.NoError(t, err)
		fails(string(processor), "logs", bad.err)
	}
	fails("{sets: []}", "logs", "sets")
	fails("{}", "metrics", "telemetry type is not supported")
}

// testExample requires that the example in collector.yaml be valid, and that README.md show it.
func testExample(t *testing.T, path string) {
	out, err := command(t, time.Minute, path, "validate", "--config", "collector.yaml").CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = command(t, time.Minute, path, "components").CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Regexp(t, `name: uri\s+module: github.com/seed-56a50ac9/uri/integrations/otelcol`, string(out))
	assert.Regexp(t, `(?s)logs: Alpha.*metrics: Undefined.*traces: Alpha`, string(out))
}
