package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fakeClock makes clock return a time that only the test advances.
func fakeClock(t *testing.T) *time.Duration {
	t.Helper()
	now, real := new(time.Duration), clock
	t.Cleanup(func() { clock = real })
	clock = func() time.Duration { return *now }
	return now
}

// TestFigures requires that every pass does the task once per line, and that the figures are per line.
func TestFigures(t *testing.T) {
	now := fakeClock(t)
	const blocks, blockSize = 16, 4096 // the runtime allocates little in comparison
	var block []byte
	calls := 0
	call := func(n int) int {
		calls++
		*now += 1000 + time.Duration(n)
		for range blocks {
			block = make([]byte, blockSize)
		}
		return len(block)
	}
	all := libraries
	t.Cleanup(func() { libraries = all })
	onLine := func(line []byte) int { return call(len(line)) }
	onText := func(text string) int { return call(len(text)) }
	onElement := func(e elements) int { return call(len(e.path)) }
	libraries = []library{{name: ours, works: map[string]work{
		"Parse":    onLines(func() func([]byte) int { return onLine }),
		"Validate": onTexts(func() func(string) int { return onText }),
		"Build":    onElements(func() func(elements) int { return onElement }),
	}}}
	var lines [][]byte
	for i := range 50 {
		lines = append(lines, fmt.Append(nil, "http://h.example/", i), []byte(strings.Repeat("x", i)))
	}
	want := map[string]int{ // calls per pass
		"Parse/corpus=a/lib=uri": 100, "Validate/corpus=a/lib=uri": 100, "Build/corpus=a/lib=uri": 50,
		"Parse/corpus=b/lib=uri": 60, "Validate/corpus=b/lib=uri": 60, "Build/corpus=b/lib=uri": 30,
	}
	measured := cells([]*corpus{newCorpus("a", lines), newCorpus("b", lines[:60])}, regexp.MustCompile(""))
	require.Len(t, measured, len(want))
	for _, c := range measured {
		for _, passes := range []int{1, 2, 7} {
			c.passes = passes
			calls = 0
			start := *now
			r := c.measure(nil)
			took := *now - start

			assert.Equal(t, passes*want[c.name], calls, "calls of %s", c.name)
			assert.Equal(t, calls, r.Iters, c.name)
			for unit, want := range map[string]struct{ value, delta float64 }{
				"ns/uri":    {float64(took) / float64(calls), 0.00501}, // two decimal places
				"B/op":      {blocks * blockSize, blocks * blockSize / 10},
				"allocs/op": {blocks, blocks / 4},
			} {
				got, ok := r.Value(unit)
				require.True(t, ok, unit)
				assert.InDelta(t, want.value, got, want.delta, "%s of %s", unit, c.name)
			}
		}
	}
}

func TestCalibrate(t *testing.T) {
	now := fakeClock(t)
	for _, c := range []struct {
		first, others, each time.Duration // the time of the first pass, of every other pass, and the goal
		passes, atMost      int           // the result, and the number of passes to find it
	}{
		{10, 10, 0, 1, 1},
		{100, 100, 100, 1, 1},
		{1000, 1, 100, 1, 1},
		{60, 60, 100, 2, 2},
		{30, 30, 100, 3, 2},
		{10, 10, 100, 10, 4},
		{90, 10, 100, 10, 4}, // the first pass, with cold caches, does not count
		{1, 1, 1000, 1000, 256},
		{0, 1, 1000, 1000, 256},
	} {
		ran := 0
		x := &cell{lines: 1, pass: func() int {
			if ran++; ran == 1 {
				*now += c.first
			} else {
				*now += c.others
			}
			return 0
		}}
		x.calibrate(c.each)
		assert.Equal(t, c.passes, x.passes, "%+v", c)
		assert.LessOrEqual(t, ran, c.atMost, "%+v", c)
	}

	// A clock with coarse ticks shows no time for a few passes.
	clock = func() time.Duration { return now.Truncate(50) }
	x := &cell{lines: 1, pass: func() int {
		*now++
		return 0
	}}
	x.calibrate(1000)
	assert.InDelta(t, 1000, x.passes, 500)
}

// TestRounds requires that each round measures every cell once, in its own order, on one processor, and that
// each result is written before the next measurement.
func TestRounds(t *testing.T) {
	const n, rounds = 5, 200
	var log []string // of passes
	var all []*cell
	for i := range n {
		name := fmt.Sprint("Parse/corpus=x/lib=", i)
		all = append(all, &cell{name: name, lines: 1, pass: func() int {
			assert.Equal(t, 1, runtime.GOMAXPROCS(0))
			log = append(log, name)
			return 0
		}})
	}
	var out bytes.Buffer
	var written []string // names of results
	done := func() {
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		require.NotEmpty(t, lines)
		name, _, _ := strings.Cut(lines[len(lines)-1], " ")
		written = append(written, strings.TrimPrefix(name, "Benchmark"))
		out.Reset()
	}
	before := runtime.GOMAXPROCS(2)
	defer runtime.GOMAXPROCS(before)
	require.NoError(t, measureAll(&out, all, rounds, 0, nil, done))
	assert.Equal(t, 2, runtime.GOMAXPROCS(0), "restored")

	require.Len(t, log, n+n*rounds)
	log = log[n:] // without the calibration
	assert.Equal(t, log, written)
	follows := map[string]int{}
	for round := range rounds {
		order := log[n*round:][:n]
		once := map[string]bool{}
		for i, name := range order {
			once[name] = true
			if i > 0 {
				follows[order[i-1]+" "+name]++
			}
		}
		require.Len(t, once, n, "round %d: %v", round, order)
	}
	// Fewer than one run in 10^18 lacks a pair by chance.
	assert.Len(t, follows, n*(n-1), "each cell comes right after each other one in some round")
}

// A resultFile is an output file whose writes and Close return the given errors.
type resultFile struct {
	bytes.Buffer
	write, close error
	closed       int
}

func (f *resultFile) Write(p []byte) (int, error) {
	if f.write != nil {
		return 0, f.write
	}
	return f.Buffer.Write(p)
}

func (f *resultFile) Close() error {
	f.closed++
	return f.close
}

// TestOutputFails requires that no output error is lost, and that the results file is closed.
func TestOutputFails(t *testing.T) {
	full, broken := errors.New("full"), errors.New("broken")
	for _, f := range []*resultFile{{}, {write: full}, {close: broken}, {write: full, close: broken}} {
		j := job{
			home: ".", rounds: 2, only: "^Parse/corpus=bundled/lib=copy$", out: "x.txt", stderr: io.Discard,
			create: func(name string) (io.WriteCloser, error) {
				assert.Equal(t, "x.txt", name)
				return f, nil
			},
		}
		err := j.measure()
		for _, want := range []error{f.write, f.close} {
			if want != nil {
				assert.ErrorIs(t, err, want)
			}
		}
		if f.write == nil {
			assert.Equal(t, 2, strings.Count(f.String(), "\nBenchmark"), f.String())
			assert.Equal(t, f.close == nil, err == nil, err)
		}
		assert.Equal(t, 1, f.closed)
	}
}

// limited is a writer that fails after n bytes.
type limited int

func (l *limited) Write(p []byte) (int, error) {
	if *l -= limited(len(p)); *l < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

// TestStdoutFails makes standard output fail at each of the things printed.
func TestStdoutFails(t *testing.T) {
	old := recordFile(t, "5 lines", samples{"uri": times(20), "copy": times(6)})
	file := recordFile(t, "5 lines", samples{"uri": times(40), "copy": times(6)})
	args := []string{"--from", file, "--chart", t.TempDir() + "/x.svg", "--against", old}
	status, all, _ := program(t, args...)
	require.Equal(t, exitRegression, status)
	for n := range len(all) {
		out := limited(n)
		var stderr bytes.Buffer
		assert.Equal(t, exitFailure, run(args, &out, &stderr), "output of %d bytes", n)
		assert.Equal(t, "benchstat: short write\n", stderr.String())
	}
}
