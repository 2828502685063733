package uriotel

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-56a50ac9/uri"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"
	"go.opentelemetry.io/collector/processor/processortest"
)

// generated returns URLs of the kind that a web site sees, always the same ones.
func generated(n int) []string {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	urls := make([]string, n)
	for i := range urls {
		var b strings.Builder
		b.WriteString(pick("https://", "https://", "https://", "http://"))
		if random.IntN(50) == 0 {
			b.WriteString("ada:lovelace@")
		}
		b.WriteString(pick("www.example.com", "api.example.com", "cdn.example.net", "example.org:8443",
			"[2001:db8::1]"))
		for range random.IntN(5) {
			b.WriteString("/" + pick("v1.2", "users", "assets", "posts", "a%20b", strconv.Itoa(random.IntN(10000))))
		}
		b.WriteString("/" + pick("", "index.html", "app.js", "logo.svg", "42", "archive.tar.gz"))
		for j := range random.IntN(4) {
			b.WriteString(map[bool]string{true: "?", false: "&"}[j == 0])
			b.WriteString(pick("q", "page", "utm_source", "id") + "=" + strconv.Itoa(j+random.IntN(1000)))
		}
		if random.IntN(20) == 0 {
			b.WriteString("?token=" + strconv.Itoa(random.Int()))
		}
		urls[i] = b.String()
	}
	return urls
}

// corpora returns sets of URLs: generated ones, or those in the *.txt files of the folder that URI_CORPUS
// names.
func corpora(t testing.TB, n int) map[string][]string {
	folder := os.Getenv("URI_CORPUS")
	if folder == "" {
		return map[string][]string{"generated": generated(n)}
	}
	paths, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, paths, "no *.txt in URI_CORPUS")
	sets := map[string][]string{}
	for _, path := range paths {
		file, err := os.Open(path)
		require.NoError(t, err)
		var urls []string
		for lines := bufio.NewScanner(file); lines.Scan() && len(urls) < n; {
			if lines.Text() != "" {
				urls = append(urls, lines.Text())
			}
		}
		require.NoError(t, file.Close())
		sets[strings.TrimSuffix(filepath.Base(path), ".txt")] = urls
	}
	return sets
}

// stdLogs returns a processor that does with net/url what it can. It finds fewer secrets: a userinfo, and the
// parameters that the semantic conventions list.
func stdLogs(t testing.TB) processor.Logs {
	factory := NewFactory()
	set := processortest.NewNopSettings(factory.Type())
	w, err := newWorker(factory.CreateDefaultConfig().(*Config), set)
	require.NoError(t, err)
	p, err := processorhelper.NewLogs(context.Background(), set, factory.CreateDefaultConfig(),
		consumertest.NewNop(),
		func(ctx context.Context, logs plog.Logs) (plog.Logs, error) {
			var n counts
			for _, resource := range logs.ResourceLogs().All() {
				for _, scope := range resource.ScopeLogs().All() {
					for _, record := range scope.LogRecords().All() {
						stdProcess(record.Attributes(), &n)
					}
				}
			}
			w.metrics.add(ctx, &w.record, &n)
			return logs, nil
		}, mutates)
	require.NoError(t, err)
	return p
}

// stdProcess processes the attributes of one record.
func stdProcess(m pcommon.Map, n *counts) {
	value, ok := m.Get("url.full")
	if !ok {
		n.items[withoutURL]++
		return
	}
	u, err := url.Parse(value.Str())
	if err != nil {
		n.items[invalid]++
		return
	}
	n.items[parsed]++
	redacted := u.User != nil
	if redacted {
		u.User = url.UserPassword("REDACTED", "REDACTED")
	}
	if u.RawQuery != "" {
		query := u.Query()
		found := false
		for _, key := range [...]string{
			"X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token", "sig",
			"X-Goog-Signature",
		} {
			if query.Has(key) {
				query.Set(key, "REDACTED")
				found = true
			}
		}
		if found {
			u.RawQuery = query.Encode()
			redacted = true
		}
	}
	if redacted {
		n.redacted++
		value.SetStr(u.String())
	}
	m.EnsureCapacity(m.Len() + 4)
	put := func(name, value string) {
		if value != "" {
			m.PutStr(name, value)
		}
	}
	put("url.scheme", u.Scheme)
	host := u.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	put("url.domain", host)
	if port, err := strconv.Atoi(u.Port()); err == nil {
		m.PutInt("url.port", int64(port))
	}
	path := u.EscapedPath()
	put("url.path", path)
	put("url.query", u.RawQuery)
	put("url.fragment", u.EscapedFragment())
	name := path[strings.LastIndexByte(path, '/')+1:]
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		put("url.extension", name[i+1:])
	}
}

// batchSize is the number of records in a batch, that of the batch processor's default being 8192.
const batchSize = 1000

// batches returns the URLs in records as an HTTP client's instrumentation fills them.
func batches(urls []string) (list []plog.Logs) {
	for part := range slices.Chunk(urls, batchSize) {
		logs := plog.NewLogs()
		records := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
		records.EnsureCapacity(len(part))
		for _, s := range part {
			attributes := records.AppendEmpty().Attributes()
			attributes.EnsureCapacity(4)
			attributes.PutStr("http.request.method", "GET")
			attributes.PutInt("http.response.status_code", 200)
			attributes.PutStr("url.full", s)
			attributes.PutStr("network.protocol.version", "1.1")
		}
		list = append(list, logs)
	}
	return list
}

// recordsPerSecond returns how many records of a set the processor does in a second of CPU time, collection
// of garbage included.
func recordsPerSecond(t testing.TB, p processor.Logs, urls []string) float64 {
	list := batches(urls)
	runtime.GC()
	start := cpuTime(t)
	for _, logs := range list {
		require.NoError(t, p.ConsumeLogs(context.Background(), logs))
	}
	return float64(len(urls)) / (cpuTime(t) - start).Seconds()
}

// plainPerSecond returns the same for a loop that only removes secrets and scans.
func plainPerSecond(t testing.TB, urls []string) float64 {
	var v uri.StringView
	buffer := make([]byte, 0, 1<<16)
	length := 0
	start := cpuTime(t)
	for _, s := range urls {
		buffer = uri.AppendRedacted(buffer[:0], s, nil)
		if string(buffer) != s {
			s = string(buffer)
		}
		if v.Scan(uri.Reference|uri.Lenient, s) == nil {
			length += len(v.Scheme()) + len(v.Host()) + len(v.Path()) + len(v.Query()) + len(v.Fragment())
			length += len(v.Extension())
		}
	}
	require.NotZero(t, length)
	return float64(len(urls)) / (cpuTime(t) - start).Seconds()
}

// BenchmarkRecords measures records per second of CPU time: those of the processor, those of the same with
// net/url, and those of a plain loop. Run it with -benchtime 21x: each iteration measures all three. It
// prints a row of the table in README.md, with medians, and the lowest and highest of each.
func BenchmarkRecords(b *testing.B) {
	for name, urls := range corpora(b, 20_000) {
		b.Run("set="+name, func(b *testing.B) {
			ours := newLogs(b, nil, componenttest.NewNopTelemetrySettings(), consumertest.NewNop())
			std := stdLogs(b)
			var rates, stdRates, plainRates, ratios []float64
			for b.Loop() {
				x, y := recordsPerSecond(b, ours, urls), recordsPerSecond(b, std, urls)
				rates, stdRates, ratios = append(rates, x), append(stdRates, y), append(ratios, x/y)
				plainRates = append(plainRates, plainPerSecond(b, urls))
			}
			var row strings.Builder
			row.WriteString("| " + name)
			for _, column := range []struct {
				unit, format string
				values       []float64
			}{
				{"uri-records/s", "%.0f", rates},
				{"neturl-records/s", "%.0f", stdRates},
				{"ratio", "%.2f", ratios},
				{"plain-records/s", "%.0f", plainRates},
			} {
				v := column.values
				slices.Sort(v)
				b.ReportMetric(v[len(v)/2], column.unit)
				fmt.Fprintf(&row, " | "+column.format+" ("+column.format+" to "+column.format+")", v[len(v)/2], v[0],
					v[len(v)-1])
			}
			b.ReportMetric(0, "ns/op")
			b.Log(row.String() + " |")
		})
	}
}

// BenchmarkProcess is the work on one record, without that of the Collector.
func BenchmarkProcess(b *testing.B) {
	urls := generated(1000)
	w, err := newWorker(createDefaultConfig().(*Config), processortest.NewNopSettings(NewFactory().Type()))
	require.NoError(b, err)
	p := pass{worker: w}
	maps := make([]pcommon.Map, len(urls))
	for _, impl := range []string{"uri", "net/url"} {
		b.Run("impl="+impl, func(b *testing.B) {
			b.ReportAllocs()
			var n counts
			for i := 0; b.Loop(); i++ {
				if i%len(urls) == 0 {
					b.StopTimer()
					for j, s := range urls {
						maps[j] = pcommon.NewMap()
						maps[j].PutStr("url.full", s)
					}
					b.StartTimer()
				}
				if impl == "uri" {
					p.process(maps[i%len(urls)], &n)
				} else {
					stdProcess(maps[i%len(urls)], &n)
				}
			}
		})
	}
}

// TestFaster requires that the processor be faster than the same with net/url.
func TestFaster(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector is on")
	}
	ours := newLogs(t, nil, componenttest.NewNopTelemetrySettings(), consumertest.NewNop())
	std := stdLogs(t)
	urls := generated(5000)
	best := 0.0
	for range 50 { // as long as other programs disturb
		best = max(best, recordsPerSecond(t, ours, urls)/recordsPerSecond(t, std, urls))
		if best > 1.3 {
			return
		}
	}
	assert.Greater(t, best, 1.3)
}

// TestAllocations requires that a record cost what its new attributes cost in pdata: one allocation for each
// value, one for the list, and a string and its value if there was a secret. The processor itself does not
// allocate.
func TestAllocations(t *testing.T) {
	w, err := newWorker(createDefaultConfig().(*Config), processortest.NewNopSettings(NewFactory().Type()))
	require.NoError(t, err)
	for full, attributes := range map[string]int{
		"https://example.com:8443/a/b.png?c=d#e": 7,
		"https://example.com/a":                  3,
		"/":                                      1,
		"http://h h/":                            0,
	} {
		secret := strings.Replace(full, "/a", "/sig=1", 1)
		for _, s := range []string{full, secret} {
			p := pass{worker: w}
			var n counts
			var set []pcommon.Map
			const runs = 100
			for range runs + 2 {
				m := pcommon.NewMap()
				m.PutStr("url.full", s)
				set = append(set, m)
			}
			p.process(set[runs+1], &n) // makes the buffers
			i := 0
			got := testing.AllocsPerRun(runs, func() { p.process(set[i], &n); i++ })
			want := attributes
			if attributes > 0 {
				want++
			}
			if s != full {
				want += 2 // the string and its place
				if strings.Contains(full, ".png") {
					want -= 2 // the secret takes the query and the extension with it
				}
			}
			assert.Equal(t, want, int(got), "%s: %v", s, set[0].AsRaw())
		}
	}
}

// TestLinear requires that a long URL cost about as much per byte as a short one.
func TestLinear(t *testing.T) {
	w, err := newWorker(createDefaultConfig().(*Config), processortest.NewNopSettings(NewFactory().Type()))
	require.NoError(t, err)
	perByte := func(s string, runs int) float64 {
		best := time.Duration(1 << 62)
		for range 5 {
			p := pass{worker: w}
			var n counts
			set := make([]pcommon.Map, runs)
			for i := range set {
				set[i] = pcommon.NewMap()
				set[i].PutStr("url.full", s)
			}
			start := time.Now()
			for _, m := range set {
				p.process(m, &n)
			}
			best = min(best, time.Since(start))
		}
		return float64(best) / float64(runs*len(s))
	}
	for _, part := range []string{
		"/a", "/..", "?a=b", "&sig=1", "%41", "@", "://u:p@h", ";", "#", "é", "\x00",
		".",
	} {
		short := perByte("http://h/"+strings.Repeat(part, 100/len(part)), 1000)
		long := perByte("http://h/"+strings.Repeat(part, 1_000_000/len(part)), 1)
		assert.Less(t, long, 20*short, fmt.Sprintf("%q", part))
	}
}
