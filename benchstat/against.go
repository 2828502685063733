package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"golang.org/x/perf/benchmath"
)

// compare writes how this library's times differ from an older run's, and returns how many are longer by more
// than the threshold, a fraction, with significance.
//
// Two runs are of two times, or of two machines. What they did to all is not the library's: times are divided
// by the drift, the geometric mean of how many times as long others took with the same corpus. Those that
// allocate do not count: what the machine's caches do to them, they do to no one else.
func compare(w io.Writer, old, now *results, threshold float64) (regressions int) {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, corpus := range now.corpora() {
		if a, b := old.config["corpus-"+corpus], now.config["corpus-"+corpus]; a != b {
			fmt.Fprintf(out, "%s\tnot compared: %q then, %q now\n", corpus, a, b)
			continue
		}
		d := drift(old, now, corpus)
		fmt.Fprintf(out, "%s\tdrift %.3f\told\tnew less drift\tdifference\n", corpus, d)
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

// drift returns how many times as long what is not this library took, 1 where nothing tells.
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
	slices.Sort(logs) // a map has no order, and a sum of floats does
	sum := 0.0
	for _, x := range logs {
		sum += x
	}
	return math.Exp(sum / float64(len(logs)))
}
