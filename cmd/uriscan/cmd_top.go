package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
)

func newTop(a *app) *cobra.Command {
	var by string
	var n int
	cmd := &cobra.Command{
		Use:   "top [flags] [file or URI ...]",
		Short: "Count the values of a field, and print the top ones",
		Long: `Count the values of a field, and print the most frequent. Each item of a list
counts. The counts are exact. Memory grows with the number of different values,
by about 30 bytes plus the value for each one and each worker.`,
		Example: `  uriscan top --by host urls.txt
  uriscan top --by segment.1 -n 5 --log combined access.log
  uriscan top --by param.q:decoded --where 'path=/search' --log caddy log.json`,
		Args: cobra.ArbitraryArgs,
	}
	own := newFlagSet()
	own.StringVarP(&by, "by", "b", "host", "`field` to count, see \"uriscan help fields\"")
	own.IntVarP(&n, "number", "n", 20, "print at most `N` values; 0 prints all")
	a.output.defineFormat(own)
	setWork(cmd, own, func(cmd *cobra.Command, args []string) error {
		f, err := fieldOf(by)
		if err != nil {
			return err
		}
		if n < 0 {
			return errors.New("--number must not be negative")
		}
		l := layout{fields: countFields(by)}
		if err := a.setFormat(&l); err != nil {
			return err
		}
		var all *tally
		return a.do(cmd.Context(), args, a.rows(l, job{
			newSink: func(w *worker) sink { return &topSink{worker: w, field: f} },
			finish: func(r *result) []byte {
				all = &tally{}
				for _, w := range r.workers {
					all.merge(&w.sink.(*topSink).tally)
				}
				return all.rows(nil, l, n)
			},
			summary: func(r *result) string {
				return fmt.Sprintf("%d different values of %s, %d without one", all.size, by,
					all.missing+r.absent)
			},
		}))
	})
	return cmd
}

// A topSink counts the values of a field.
type topSink struct {
	*worker
	tally
	field field
}

func (s *topSink) accept(r *record) {
	if s.field.kind == listKind {
		items := s.field.list(r)
		if len(items) == 0 {
			s.missing++
		}
		for _, item := range items {
			s.count(item)
		}
		return
	}
	if value, present := s.field.get(r); present {
		s.count(value)
		return
	}
	s.missing++
}

// reject counts an invalid URI only if its validity is what counts.
func (s *topSink) reject(r *record) {
	if s.field.name == "validity" {
		s.accept(r)
		return
	}
	s.missing++
}

// countFields are the fields of rows of counts. Their get functions read a row that is stored in the record.
func countFields(by string) []field {
	return []field{
		{name: "count", label: "count", kind: numberKind, safe: true, get: item(0)},
		{name: "percent", label: "percent", kind: numberKind, safe: true, get: item(1)},
		{name: by, label: by, get: item(2)},
	}
}

// item returns a get function for the n-th item of the record.
func item(n int) func(r *record) ([]byte, bool) {
	return func(r *record) ([]byte, bool) { return r.items[n], true }
}

// rows appends the most frequent values as rows.
func (t *tally) rows(dst []byte, l layout, n int) []byte {
	var r record
	for _, c := range t.top(n) {
		percent := float64(c.n) * 100 / float64(max(t.total, 1))
		r.items = [][]byte{
			strconv.AppendInt(nil, int64(c.n), 10), strconv.AppendFloat(nil, percent, 'f', 2, 64), []byte(c.value),
		}
		dst = l.format.row(dst, l.fields, &r)
	}
	return dst
}
