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
	name   string // as the results have it
	pass   pass
	lines  int
	passes int // in each round
}

// cells returns those whose names match, each ready to run.
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

// calibrate finds how many passes take the given time, at least one. Times with caches that are cold and
// buffers that are small count only where one pass is long enough.
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

// sink takes what passes return, so that it must be computed.
//
//lint:ignore U1000 it is never read
var sink int

func (c *cell) run() time.Duration {
	start := clock()
	for range c.passes {
		sink += c.pass()
	}
	return clock() - start
}

// measure runs the cell once. An operation is that with one line. The garbage of the cell before is not its
// own, but what it makes itself is.
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

// measureAll runs every cell once in each round, in another order each time, so that what else the machine
// does falls on all libraries alike. It writes each result at once, and calls done after each.
func measureAll(w io.Writer, all []*cell, rounds int, each time.Duration, config []benchfmt.Config,
	done func()) error {
	// One processor: who makes garbage pays for its collection.
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
