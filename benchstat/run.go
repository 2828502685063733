package main

import (
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"time"

	"golang.org/x/perf/benchfmt"
)

// A cell is one benchmark: a library does a task with all lines of a corpus.
type cell struct {
	name   string // as in the results
	pass   pass
	lines  int // per pass
	passes int // per round
}

// cells returns the cells whose names match.
func cells(corpora []*corpus, only *regexp.Regexp) (all []*cell) {
	for _, t := range tasks {
		for _, c := range corpora {
			for _, l := range libraries {
				name := key{t.name, c.name, l.name}.String()
				if work := l.works[t.name]; work != nil && c.count(t.name) > 0 && only.MatchString(name) {
					all = append(all, &cell{name: name, pass: work(c), lines: c.count(t.name)})
				}
			}
		}
	}
	return all
}

// calibrate finds the number of passes that take the given time, at least one. The first pass, with cold
// caches and small buffers, does not count unless it takes that long by itself.
func (c *cell) calibrate(d time.Duration) {
	c.passes = 1
	took := c.run()
	for took < d {
		if took = c.run(); took >= d/8 {
			c.passes = max(1, int(math.Round(float64(c.passes)*float64(d)/float64(took))))
			return
		}
		c.passes *= 2
	}
}

// clock is what measurements read. Tests replace it.
var clock = elapsed

// sink keeps the compiler from dropping the results of passes.
//
//lint:ignore U1000 never read
var sink int

func (c *cell) run() time.Duration {
	start := clock()
	for range c.passes {
		sink += c.pass()
	}
	return clock() - start
}

// measure runs the cell once. An operation is the task with one line. The cell does not pay for collecting
// the garbage of the one before it.
func (c *cell) measure(config []benchfmt.Config) *benchfmt.Result {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	took := c.run()
	runtime.ReadMemStats(&after)
	n := c.passes * c.lines
	per := func(x float64) float64 { return math.Round(x/float64(n)*100) / 100 }
	return &benchfmt.Result{
		Config: config,
		Name:   benchfmt.Name(c.name),
		Iters:  n,
		Values: []benchfmt.Value{
			{Value: per(float64(took.Nanoseconds())), Unit: "ns/uri"},
			{Value: per(float64(after.TotalAlloc - before.TotalAlloc)), Unit: "B/op"},
			{Value: per(float64(after.Mallocs - before.Mallocs)), Unit: "allocs/op"},
		},
	}
}

// measureAll runs every cell once per round, in a new random order each time, so that disturbances of the
// machine affect all libraries alike. It writes each result at once, then calls done.
func measureAll(w io.Writer, all []*cell, rounds int, each time.Duration, config []benchfmt.Config,
	done func(),
) error {
	// With one processor a library pays for collecting its own garbage.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, c := range all {
		c.calibrate(each)
	}
	out := benchfmt.NewWriter(w)
	order := slices.Clone(all)
	for range rounds {
		rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, c := range order {
			if err := out.Write(c.measure(config)); err != nil {
				return err
			}
			done()
		}
	}
	return nil
}
