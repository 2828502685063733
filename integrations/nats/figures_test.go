//go:build unix

package urinats_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-56a50ac9/uri/integrations/nats/internal/queue"
	"github.com/seed-56a50ac9/uri/internal/blocks"
	"github.com/seed-56a50ac9/uri/internal/blocks/slow"
	"github.com/stretchr/testify/require"
)

// TestFigures measures what the README says. By default it only shows that it works.
//
//	URI_FIGURES=1 go test -run TestFigures -v -timeout 30m .
//
// takes five minutes on a quiet machine.
func TestFigures(t *testing.T) {
	lines, rounds := 5000, 1
	if os.Getenv("URI_FIGURES") != "" {
		lines, rounds = 1_000_000, 5
	}
	log := accessLog(t, lines)
	type setup struct {
		function string
		size     int // of blocks in bytes; 0 is a line
		workers  int
	}
	setups := []setup{
		{"uri", 64 << 10, 1},
		{"neturl", 64 << 10, 1},
		{"none", 64 << 10, 1},
		{"uri", 64 << 10, 2},
		{"uri", 64 << 10, 4},
	}
	for _, size := range []int{0, 1 << 10, 16 << 10, 256 << 10} {
		setups = append(setups, setup{"uri", size, 1}, setup{"none", size, 1})
	}
	measured := map[setup][]figure{}
	plain := map[string][]figure{}
	for range rounds {
		for _, function := range []string{"uri", "neturl"} {
			plain[function] = append(plain[function], plainLoop(t, function, log))
		}
		for _, s := range setups {
			part := log
			if s.size == 0 { // messages take much longer than their lines
				part = accessLog(t, max(1, lines/10))
			}
			measured[s] = append(measured[s], measure(t, s.function, part, s.size, s.workers))
		}
	}
	t.Logf("%d lines, medians of %d rounds, ranges in parentheses; CPU time of the worker processes", lines,
		rounds)
	for function, figures := range plain {
		t.Logf("plain loop, %-7s %s million lines per CPU second", function, spread(figures, figure.perSecond))
	}
	for _, s := range setups {
		figures := measured[s]
		t.Logf("%-7s %d workers, blocks of %6d bytes: %s million lines per CPU second, %s µs per block, "+
			"%s µs per block in the server, %s million lines per second",
			s.function, s.workers, s.size, spread(figures, figure.perSecond), spread(figures, figure.perBlock),
			spread(figures, figure.server), spread(figures, figure.rate))
	}
}

// A figure is one measurement.
type figure struct {
	lines, blocks          int
	cpu, serverCPU, passed time.Duration
}

func (f figure) perSecond() float64 { return float64(f.lines) / f.cpu.Seconds() / 1e6 }
func (f figure) perBlock() float64  { return f.cpu.Seconds() * 1e6 / float64(f.blocks) }
func (f figure) server() float64    { return f.serverCPU.Seconds() * 1e6 / float64(f.blocks) }
func (f figure) rate() float64      { return float64(f.lines) / f.passed.Seconds() / 1e6 }

// spread returns the median and the range.
func spread(figures []figure, of func(figure) float64) string {
	var values []float64
	for _, f := range figures {
		values = append(values, of(f))
	}
	slices.Sort(values)
	return strings.TrimSpace(fmt.Sprintf("%.3g (%.3g to %.3g)", values[len(values)/2], values[0],
		values[len(values)-1]))
}

// plainLoop does the work of a function for each block, without a work queue.
func plainLoop(t *testing.T, function string, log []byte) figure {
	t.Helper()
	job, err := blocks.New("referrer", "host", false)
	require.NoError(t, err)
	all := slices.Collect(queue.Cut(log, 64<<10))
	ignore := func(int, []byte, error) {}
	begun, before := time.Now(), cpu(syscall.RUSAGE_SELF)
	for _, block := range all {
		var c blocks.Counts
		if function == "uri" {
			job.Count(&c, block, ignore)
		} else {
			slow.Count(&c, block, ignore)
		}
		_, err := c.Records(1 << 20)
		require.NoError(t, err)
	}
	return figure{
		lines: bytes.Count(log, []byte("\n")), blocks: len(all),
		cpu: cpu(syscall.RUSAGE_SELF) - before, passed: time.Since(begun),
	}
}

// measure has worker processes empty a work queue.
func measure(t *testing.T, function string, log []byte, size, workers int) figure {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	f := startEmpty(t)
	defer f.stop()
	l := queue.Limits{MaxDeliver: 5, AckWait: 30 * time.Second, Timeout: time.Minute}
	require.NoError(t, queue.Create(ctx, f.js, names, l))
	n, err := queue.Send(ctx, f.js, names.Subject, queue.Cut(log, max(size, 1)))
	require.NoError(t, err)

	begun, before := time.Now(), cpu(syscall.RUSAGE_SELF)
	var processes []*process
	for range workers {
		processes = append(processes, startProcess(ctx, t, task{
			URL: f.server.ClientURL(), Names: names, Limits: l, Function: function,
		}))
	}
	require.NoError(t, queue.Empty(ctx, f.js, names))
	result := figure{
		lines: bytes.Count(log, []byte("\n")), blocks: n,
		serverCPU: cpu(syscall.RUSAGE_SELF) - before, passed: time.Since(begun),
	}
	for _, p := range processes {
		o := p.stop(t)
		result.cpu += o.CPU
		require.Zero(t, o.Stats.Redelivered)
	}
	return result
}
