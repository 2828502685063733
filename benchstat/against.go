package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"golang.org/x/perf/benchmath"
)

// compare writes how this library's times differ from those of an older run. It returns the number of tasks
// that take significantly longer, by more than the threshold, which is a fraction.
//
// The machine may have been slower or faster during one of the runs. To correct for that, the new times are
// divided by the drift.
func compare(w io.Writer, old, now *results, threshold float64) (regressions int) {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, corpus := range now.corpora() {
		if a, b := old.config["corpus-"+corpus], now.config["corpus-"+corpus]; a != b {
			fmt.Fprintf(out, "%s\tnot compared: %q then, %q now\n", corpus, a, b)
			continue
		}
		d := drift(old, now, corpus)
		fmt.Fprintf(out, "%s\tdrift %.3f\told\tnew / drift\tdifference\n", corpus, d)
		for _, t := range tasks {
			k := key{t.name, corpus, ours}
			if old.cells[k] == nil || now.cells[k] == nil {
				continue
			}
			before, after := old.cells[k].time(), now.cells[k].time()
			for i := range after.Values {
				after.Values[i] /= d
			}
			a, b := summary(before), summary(after)
			c := benchmath.AssumeNothing.Compare(before, after)
			verdict := ""
			if c.P < c.Alpha && b.Center > a.Center*(1+threshold) {
				verdict = "REGRESSION"
				regressions++
			}
			fmt.Fprintf(out, "\t%s\t%s\t%s\t%s (%s)\t%s\n", t.name, nanoseconds(a.Center), nanoseconds(b.Center),
				c.FormatDelta(a.Center, b.Center), c, verdict)
		}
	}
	out.Flush()
	return regressions
}

// drift returns the geometric mean of the ratios of new to old times of the floors and the peers with the
// same corpus, or 1 if there are none. Libraries that allocate do not count: the state of the machine's
// caches affects them more than others.
func drift(old, now *results, corpus string) float64 {
	var logs []float64
	for k, f := range now.cells {
		before := old.cells[k]
		if k.corpus == corpus && k.lib != ours && before != nil && median(f.allocs)+median(before.allocs) == 0 {
			logs = append(logs, math.Log(median(f.ns)/median(before.ns)))
		}
	}
	if len(logs) == 0 {
		return 1
	}
	slices.Sort(logs) // the sum depends on the order, which a map leaves open
	sum := 0.0
	for _, x := range logs {
		sum += x
	}
	return math.Exp(sum / float64(len(logs)))
}
