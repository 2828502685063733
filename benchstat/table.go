package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/perf/benchmath"
)

// print writes a table per task. It shows medians with their 95% confidence intervals, minima, and for each
// other library the ratio of its median to this library's, with an interval and the p-value of the
// difference.
func (r *results) print(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, t := range tasks {
		header := fmt.Sprintf("\n%s: %s\n", t.name, t.what) +
			"corpus\tlibrary\tmedian ns/URI\tminimum\tover uri\t\tB/URI\tallocations\n"
		for _, corpus := range r.corpora() {
			us := r.cells[key{t.name, corpus, ours}]
			for _, l := range libraries {
				f := r.cells[key{t.name, corpus, l.name}]
				if f == nil {
					continue
				}
				sample := f.time()
				s := summary(sample)
				name, over, p := l.name, "", ""
				if l.floor {
					name += " (floor)"
				}
				if us != nil && l.name != ours {
					base := us.time()
					over, p = ratio(s, summary(base)), benchmath.AssumeNothing.Compare(sample, base).String()
				}
				fmt.Fprintf(out, "%s%s\t%s\t%s ± %s\t%s\t%s\t%s\t%s\t%s\n", header, corpus, name, nanoseconds(s.Center),
					strings.TrimSpace(s.PctRangeString()), nanoseconds(sample.Values[0]), over, p,
					number(median(f.bytes)), number(median(f.allocs)))
				header = ""
			}
			for _, l := range r.faster(t.name, corpus) {
				fmt.Fprintf(out, "%s\tnot first: %s\n", corpus, whyFaster(t.name, l))
			}
		}
	}
	return out.Flush()
}

// ratio returns the ratio of two medians, with the widest interval that their own intervals allow.
func ratio(a, b benchmath.Summary) string {
	return fmt.Sprintf("%.2f [%.2f, %.2f]", a.Center/b.Center, a.Lo/b.Hi, a.Hi/b.Lo)
}

func nanoseconds(ns float64) string {
	if ns < 100 {
		return fmt.Sprintf("%.1f", ns)
	}
	return fmt.Sprintf("%.0f", ns)
}

func number(x float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0") }

// faster returns the names of the peers that take less time than this library.
func (r *results) faster(task, corpus string) (names []string) {
	us := r.cells[key{task, corpus, ours}]
	for _, l := range libraries {
		f := r.cells[key{task, corpus, l.name}]
		if us != nil && f != nil && !l.floor && median(f.ns) < median(us.ns) {
			names = append(names, l.name)
		}
	}
	return names
}

// markdown writes a table per task, of medians and their ratios to this library's.
func (r *results) markdown(w io.Writer) {
	for _, t := range tasks {
		var columns []library
		for _, l := range libraries {
			measured := func(corpus string) bool { return r.cells[key{t.name, corpus, l.name}] != nil }
			if slices.ContainsFunc(r.corpora(), measured) {
				columns = append(columns, l)
			}
		}
		if len(columns) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n**%s**: %s.\n\n| corpus |", t.name, t.what)
		for _, l := range columns {
			fmt.Fprintf(w, " %s |", l.name)
		}
		fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("---:|", len(columns)))
		var notes []string
		for _, corpus := range r.corpora() {
			us := r.cells[key{t.name, corpus, ours}]
			var row strings.Builder
			for _, l := range columns {
				f := r.cells[key{t.name, corpus, l.name}]
				switch {
				case f == nil:
					row.WriteString(" - |")
				case l.name == ours || us == nil:
					fmt.Fprintf(&row, " **%s** |", nanoseconds(median(f.ns)))
				default:
					fmt.Fprintf(&row, " %s (%.1f) |", nanoseconds(median(f.ns)), median(f.ns)/median(us.ns))
				}
			}
			fmt.Fprintf(w, "| %s |%s\n", corpus, row.String())
			for _, l := range r.faster(t.name, corpus) {
				if note := whyFaster(t.name, l); !slices.Contains(notes, note) {
					notes = append(notes, note)
				}
			}
		}
		for _, note := range notes {
			fmt.Fprintf(w, "\nNot first: %s\n", note)
		}
	}
}
