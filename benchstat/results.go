package main

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// A key names a cell.
type key struct{ task, corpus, lib string }

func (k key) String() string { return k.task + "/corpus=" + k.corpus + "/lib=" + k.lib }

// results are the contents of a file of results.
type results struct {
	config map[string]string
	cells  map[key]*figures
}

// figures are the measurements of a cell, one per round.
type figures struct{ ns, bytes, allocs []float64 }

// readResults reads a file in Go's benchmark format, even if other programs have rewritten it.
func readResults(file string) (*results, error) {
	r := &results{config: map[string]string{}, cells: map[key]*figures{}}
	files := benchfmt.Files{Paths: []string{file}}
	for files.Scan() {
		result, ok := files.Result().(*benchfmt.Result)
		if !ok {
			continue // not a result
		}
		for _, c := range result.Config {
			r.config[c.Key] = string(c.Value)
		}
		var k key
		task, parts := result.Name.Parts()
		k.task = string(task)
		for _, part := range parts {
			name, value, _ := strings.Cut(string(part), "=")
			switch name {
			case "/corpus":
				k.corpus = value
			case "/lib":
				k.lib = value
			}
		}
		sec, ok := result.Value("sec/uri") // what the reader makes of ns/uri
		if !ok || k.corpus == "" || k.lib == "" {
			continue
		}
		if r.cells[k] == nil {
			r.cells[k] = new(figures)
		}
		f := r.cells[k]
		bytes, _ := result.Value("B/op")
		allocs, _ := result.Value("allocs/op")
		f.ns, f.bytes, f.allocs = append(f.ns, sec*1e9), append(f.bytes, bytes), append(f.allocs, allocs)
	}
	if err := files.Err(); err != nil {
		return nil, err
	}
	if len(r.cells) == 0 {
		return nil, fmt.Errorf("%s: no result with a corpus, a lib and ns/uri", file)
	}
	return r, nil
}

// corpora returns the sorted names of the corpora.
func (r *results) corpora() (names []string) {
	for k := range r.cells {
		if !slices.Contains(names, k.corpus) {
			names = append(names, k.corpus)
		}
	}
	slices.Sort(names)
	return names
}

// time returns the times as a sample.
func (f *figures) time() *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(f.ns), &benchmath.DefaultThresholds)
}

// summary returns the median and its 95% confidence interval. It assumes nothing about the distribution.
func summary(s *benchmath.Sample) benchmath.Summary { return benchmath.AssumeNothing.Summary(s, 0.95) }

func median(values []float64) float64 {
	return summary(benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)).Center
}
