package urikafka

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-56a50ac9/uri/internal/accesslog"
	"github.com/seed-56a50ac9/uri/internal/blocks"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// measures reports whether TestThroughput measures. Otherwise it only tries a few lines.
func measures() bool { return os.Getenv("URI_MEASURE") != "" }

// A spread is what several rounds measured.
type spread []float64

func (s spread) median() float64 {
	s = slices.Sorted(slices.Values(s))
	return s[len(s)/2]
}

func (s spread) String() string {
	return fmt.Sprintf("%.3g (%.3g to %.3g)", s.median(), slices.Min(s), slices.Max(s))
}

// work runs processes that are members of the group before the topic has records, until all records are
// committed. It returns their accounts, and how long they took from the first record on.
func work(t *testing.T, a assignment, processes int, log []byte, size int) (all []account,
	wall time.Duration,
) {
	t.Helper()
	t.Run(fmt.Sprintf("block=%d,workers=%d,neturl=%t", size, processes, a.NetURL), func(t *testing.T) {
		all, wall = tryWork(t, a, processes, log, size)
	})
	require.Len(t, all, processes)
	runtime.GC() // the broker's memory
	return all, wall
}

func tryWork(t *testing.T, a assignment, processes int, log []byte, size int) (all []account,
	wall time.Duration,
) {
	b := newBroker(t, int32(processes))
	a.Brokers, a.Group, a.Out, a.Session = b.ListenAddrs(), "group", out, time.Minute
	var running []*process
	for range processes {
		running = append(running, startProcess(t, a))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := b.WaitGroupStable(ctx, a.Group, processes)
	require.NoError(t, err)
	signal := func(number syscall.Signal) {
		for _, p := range running {
			require.NoError(t, p.Process.Signal(number))
		}
	}
	signal(syscall.SIGSTOP)
	records := b.fill(log, size)
	committed := b.watch(a.Group)
	signal(syscall.SIGCONT)
	began := time.Now()
	for now := int64(0); now < records; now = committed() {
		require.Less(t, time.Since(began), 2*time.Minute, "the workers are stuck at %d of %d records", now, records)
		time.Sleep(5 * time.Millisecond)
	}
	wall = time.Since(began)
	signal(syscall.SIGTERM)
	for _, p := range running {
		all = append(all, p.end(t))
	}
	assert.EqualValues(t, bytes.Count(log, []byte("\n")), b.sum(out).Lines)
	return all, wall
}

// TestThroughput compares worker processes with net/url and with a loop without Kafka, for blocks of several
// sizes, and one with two and four workers. With URI_MEASURE it takes a few minutes, and prints tables.
func TestThroughput(t *testing.T) {
	lines, rounds := 2000, 1
	if measures() {
		lines, rounds = 1_000_000, 3
	}
	log := readLog(t, lines)
	file := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(file, log, 0o600))
	var want blocks.Counts
	countURI()(&want, log, func(int, []byte, error) {})

	var table strings.Builder
	fmt.Fprintf(&table, "| block | records | worker | with net/url | ratio | loop | with net/url | ratio "+
		"| ns per line | µs per block |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, size := range []struct {
		name    string
		bytes   int
		records int
	}{
		{"1 line", 1, 500},
		{"1 line", 1, 20_000},
		{"1 KiB", 1 << 10, 4000},
		{"16 KiB", 16 << 10, 250},
		{"64 KiB", 64 << 10, 64},
		{"256 KiB", 256 << 10, 16},
	} {
		if !measures() && size.bytes != 64<<10 {
			continue
		}
		text := log
		if size.bytes == 1 {
			text = log[:bytes.LastIndexByte(log[:len(log)/4], '\n')+1]
		}
		var rates [4]spread // worker, with net/url, loop, with net/url
		for range rounds {
			for i := range 4 {
				if !measures() && i%2 == 1 {
					continue
				}
				a := assignment{NetURL: i%2 == 1}
				var done account
				if i < 2 {
					a.Records = size.records
					all, _ := work(t, a, 1, text, size.bytes)
					done = all[0]
				} else {
					a.File, a.Block, a.Repeat = file, size.bytes, 1
					done = startProcess(t, a).end(t)
				}
				rates[i] = append(rates[i], float64(done.Lines)/done.CPU.Seconds()/1e6)
			}
		}
		if measures() {
			perLine := 1e3 / rates[0].median()
			blocks := 0
			accesslog.Cut(text, size.bytes, func([]byte) { blocks++ })
			perBlock := perLine / 1e3 * float64(bytes.Count(text, []byte("\n"))) / float64(blocks)
			fmt.Fprintf(&table, "| %s | %d | %v | %v | %.2f | %v | %v | %.2f | %.0f | %.3g |\n",
				size.name, size.records, rates[0], rates[1], rates[0].median()/rates[1].median(),
				rates[2], rates[3], rates[2].median()/rates[3].median(), perLine, perBlock)
		}
	}
	t.Logf("million lines per CPU second of the worker's process:\n%s", table.String())

	table.Reset()
	fmt.Fprintf(&table, "| workers | per second | per CPU second of the workers |\n|---:|---:|---:|\n")
	for _, processes := range []int{1, 2, 4} {
		if !measures() && processes != 2 {
			continue
		}
		var rate, perCPU spread
		for range rounds {
			all, wall := work(t, assignment{Records: 16}, processes, log, 64<<10)
			var lines int64
			var used time.Duration
			for _, done := range all {
				lines += done.Lines
				used += done.CPU
			}
			rate = append(rate, float64(want.Lines)/wall.Seconds()/1e6)
			perCPU = append(perCPU, float64(lines)/used.Seconds()/1e6)
		}
		fmt.Fprintf(&table, "| %d | %v | %v |\n", processes, rate, perCPU)
	}
	t.Logf("million lines; the broker and the workers share the cores of this machine:\n%s", table.String())
}
