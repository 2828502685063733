package main

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// maxDistinct limits the number of different values of each kind that stats counts, so that its memory does
// not grow with its input.
const maxDistinct = 1 << 16

// topInStats is the number of values of each kind that stats shows.
const topInStats = 10

func newStats(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "stats [flags] [file or URI ...]",
		Short: "Sum up validity, schemes, hosts, ports and lengths",
		Long: `Sum up validity, schemes, hosts, ports and lengths. Memory does not grow: after
65,536 different hosts, new ones count as others. "uriscan top" counts them all.`,
		Example: `  uriscan stats urls.txt
  uriscan stats --log combined --uri referer access.log
  uriscan stats --format jsonl urls.txt`,
		Args: cobra.ArbitraryArgs,
	}
	own := newFlagSet()
	a.output.defineFormat(own)
	setWork(cmd, own, func(cmd *cobra.Command, args []string) error {
		l := layout{fields: statFields()}
		drawn := a.output.format == ""
		if err := a.setFormat(&l); err != nil {
			return err
		}
		fields, err := fieldsOf([]string{"scheme", "host", "effectiveport"})
		if err != nil {
			return err
		}
		j := job{
			newSink: func(w *worker) sink { return newStatSink(w, fields) },
			finish: func(r *result) []byte {
				all := newStatSink(nil, fields)
				for _, w := range r.workers {
					all.merge(w.sink.(*statSink))
				}
				if drawn {
					return all.draw(a.style(a.stdout), r)
				}
				return all.rows(l, r)
			},
		}
		if !drawn {
			j = a.rows(l, j)
		}
		return a.do(cmd.Context(), args, j)
	})
	return cmd
}

// lengthClasses is the number of classes of lengths: class n has the lengths of n bits.
const lengthClasses = 33

// A statSink counts what stats shows.
type statSink struct {
	*worker
	reasons tally
	fields  []field
	values  []tally // of each field
	lengths [lengthClasses]int
	bytes   int // of all valid URIs
	longest int
}

func newStatSink(w *worker, fields []field) *statSink {
	s := &statSink{worker: w, fields: fields, values: make([]tally, len(fields))}
	for i := range s.values {
		s.values[i].limit = maxDistinct
	}
	return s
}

func (s *statSink) accept(r *record) {
	for i := range s.fields {
		if value, present := s.fields[i].get(r); present {
			s.values[i].count(value)
		} else {
			s.values[i].missing++
		}
	}
	s.lengths[min(bits.Len(uint(len(r.text))), lengthClasses-1)]++
	s.bytes += len(r.text)
	s.longest = max(s.longest, len(r.text))
}

func (s *statSink) reject(r *record) { s.reasons.count([]byte(r.reason())) }

func (s *statSink) merge(t *statSink) {
	s.reasons.merge(&t.reasons)
	for i := range s.values {
		s.values[i].merge(&t.values[i])
	}
	for i, n := range t.lengths {
		s.lengths[i] += n
	}
	s.bytes += t.bytes
	s.longest = max(s.longest, t.longest)
}

// counted returns the number of URIs that were counted.
func (s *statSink) counted() (n int) {
	for _, m := range s.lengths {
		n += m
	}
	return n
}

// A statistic is a number with its name, and the group that it belongs to.
type statistic struct {
	group, name string
	n           int
}

// all returns all statistics, in the order in which they are shown.
func (s *statSink) all(r *result) (all []statistic) {
	add := func(group, name string, n int) { all = append(all, statistic{group, name, n}) }
	add("lines", "lines", r.read)
	add("lines", "without a URI", r.absent)
	add("lines", "valid", r.valid)
	add("lines", "invalid", r.invalid)
	if n := s.counted(); n != r.valid {
		add("lines", "selected", n)
	}
	for _, c := range s.reasons.top(0) {
		add("invalid because of", c.value, c.n)
	}
	for i, f := range s.fields {
		group := map[string]string{"scheme": "schemes", "host": "hosts", "effectiveport": "ports"}[f.name]
		t := &s.values[i]
		top := t.top(topInStats)
		others := t.total
		for _, c := range top {
			name := c.value
			if name == "" {
				name = "(empty)"
			}
			add(group, name, c.n)
			others -= c.n
		}
		if others > 0 {
			number := strconv.Itoa(t.size - len(top))
			if t.others > 0 {
				number = "more than " + number
			}
			add(group, "("+number+" others)", others)
		}
		if t.missing > 0 {
			add(group, "(none)", t.missing)
		}
	}
	for class, n := range s.lengths {
		if n > 0 {
			low, high := class, class
			if class > 1 {
				low, high = 1<<(class-1), 1<<class-1
			}
			name := fmt.Sprintf("%d to %d", low, high)
			if low == high {
				name = strconv.Itoa(low)
			}
			add("lengths", name, n)
		}
	}
	return all
}

// statFields are the fields of rows of statistics.
func statFields() []field {
	return []field{
		{name: "group", label: "group", safe: true, get: item(0)},
		{name: "name", label: "name", get: item(1)},
		{name: "count", label: "count", kind: numberKind, safe: true, get: item(2)},
	}
}

// rows returns the statistics as rows.
func (s *statSink) rows(l layout, res *result) (dst []byte) {
	var r record
	for _, stat := range s.all(res) {
		r.items = [][]byte{[]byte(stat.group), []byte(stat.name), strconv.AppendInt(nil, int64(stat.n), 10)}
		dst = l.format.row(dst, l.fields, &r)
	}
	return dst
}

// draw returns the statistics as text, with bars.
func (s *statSink) draw(st style, r *result) []byte {
	all := s.all(r)
	width, most := 0, map[string]int{}
	for _, stat := range all {
		width = max(width, min(displayWidth([]byte(stat.name)), 40))
		most[stat.group] = max(most[stat.group], stat.n)
	}
	var text strings.Builder
	group := ""
	for _, stat := range all {
		if stat.group != group {
			if group != "" {
				text.WriteByte('\n')
			}
			group = stat.group
			text.WriteString(st.bold(group) + "\n")
		}
		name := visible([]byte(stat.name))
		pad := strings.Repeat(" ", max(0, width-displayWidth([]byte(stat.name))))
		fmt.Fprintf(&text, "  %s%s %12s  %s\n", name, pad, thousands(stat.n), st.cyan(bar(stat.n, most[group], 24)))
	}
	if n := s.counted(); n > 0 {
		mean := float64(s.bytes) / float64(n)
		fmt.Fprintf(&text, "  mean %.1f, longest %s bytes\n", mean, thousands(s.longest))
	}
	return []byte(strings.ReplaceAll(text.String(), "  \n", "\n"))
}

// bar returns a bar for n of most, up to width columns, in eighths of a column.
func bar(n, most, width int) string {
	if n == 0 {
		return ""
	}
	eighths := max(1, n*width*8/most)
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string([]rune(" ▏▎▍▌▋▊▉")[rest])
	}
	return text
}

// thousands returns the digits of n in groups of three.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
