package main

import (
	"bytes"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// countHostsNetURL is countHosts with net/url.
func countHostsNetURL(block string) (*counts, error) {
	c := &counts{hosts: map[string]*int64{}}
	for line := range strings.Lines(block) {
		c.lines++
		line = strings.TrimRight(line, "\r\n")
		u, err := url.Parse(line)
		switch {
		case err != nil:
			c.invalid++
			c.invalidLines = append(append(c.invalidLines, line...), '\n')
		case u.Host != "":
			n := c.hosts[u.Host]
			if n == nil {
				n = new(int64)
				c.hosts[u.Host] = n
			}
			*n++
		}
	}
	return c, nil
}

// BenchmarkWorker compares blocks with one line per entry, and the library with net/url, by the processor
// time of one worker process and of a real server. The environment variable URI_INPUT may name a file of
// URIs.
func BenchmarkWorker(b *testing.B) {
	text := newSample(5, 100_000).text
	if name := os.Getenv("URI_INPUT"); name != "" {
		var err error
		text, err = os.ReadFile(name)
		require.NoError(b, err)
	}
	few := text[:bytes.LastIndexByte(text[:min(len(text), 256<<10)], '\n')+1]
	for _, c := range []struct {
		name, parser string
		text         []byte
		blockSize    int
	}{
		{"entries=blocks/parser=uri", "uri", text, blockSize},
		{"entries=blocks/parser=neturl", "neturl", text, blockSize},
		{"entries=lines/parser=uri", "uri", few, 1},
		{"entries=lines/parser=neturl", "neturl", few, 1},
	} {
		b.Run(c.name, func(b *testing.B) {
			db, _ := startServer(b, b.TempDir())
			var worker, server float64
			for b.Loop() {
				require.NoError(b, db.FlushAll(b.Context()).Err())
				before := serverCPU(b, db)
				w := start(b, db.Options().Addr, "worker", parserVariable+"="+c.parser, pauseVariable+"=0s")
				require.NoError(b, produce(b.Context(), db, bytes.NewReader(c.text), c.blockSize))
				drained(b, db)
				server += serverCPU(b, db) - before
				w.terminate(b)
				worker += (w.ProcessState.UserTime() + w.ProcessState.SystemTime()).Seconds()
			}
			lines := float64(b.N*bytes.Count(c.text, []byte("\n"))) / 1e6
			b.ReportMetric(lines/worker, "Mlines/worker-s")
			b.ReportMetric(lines/server, "Mlines/server-s")
		})
	}
	b.Run("no-redis/parser=uri", func(b *testing.B) {
		block := string(text[:min(len(text), blockSize)])
		before := cpu()
		for b.Loop() {
			_, _ = countHosts(block)
		}
		lines := float64(b.N*strings.Count(block, "\n")) / 1e6
		b.ReportMetric(lines/(cpu()-before), "Mlines/worker-s")
	})
}

// cpu returns the seconds of processor time that this process has used.
func cpu() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func serverCPU(b *testing.B, db *redis.Client) (seconds float64) {
	info, err := db.InfoMap(b.Context(), "cpu").Result()
	require.NoError(b, err)
	for _, name := range []string{"used_cpu_user", "used_cpu_sys"} {
		n, err := strconv.ParseFloat(info["CPU"][name], 64)
		require.NoError(b, err)
		seconds += n
	}
	return seconds
}
