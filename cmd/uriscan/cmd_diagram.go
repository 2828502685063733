package main

import (
	"fmt"
	"strings"

	"github.com/seed-56a50ac9/uri"
	"github.com/spf13/cobra"
)

func newDiagram(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diagram [flags] [URI ...]",
		Short: "Draw the parts of URIs under them, with their offsets",
		Long: `Draw the parts of URIs under them, with their offsets. All arguments are URIs.
Without arguments, read URIs from standard input.`,
		Example: `  uriscan diagram 'https://user@example.com:8080/over/there?name=ferret#nose'
  uriscan diagram --form authority example.com:443`,
		Args: cobra.ArbitraryArgs,
	}
	setWork(cmd, newFlagSet(), func(cmd *cobra.Command, args []string) error {
		a.reading.uris = len(args) > 0
		a.strict = true
		return a.do(cmd.Context(), args, job{
			newSink: func(w *worker) sink { return &drawer{w, a.style(a.stdout)} },
			quietly: true,
		})
	})
	return cmd
}

// A drawer draws records.
type drawer struct {
	*worker
	style style
}

// drawn are the parts that a diagram has a bracket for. They do not overlap.
var drawn = []uri.Component{
	uri.Scheme, uri.Userinfo, uri.Host, uri.Port, uri.Path, uri.Query, uri.Fragment,
}

func (d *drawer) accept(r *record) {
	text := visible(r.text) // valid URIs have no control bytes: one byte is one column, except if lenient
	column := func(offset int) int { return displayWidth(r.text[:offset]) }
	brackets := []rune(strings.Repeat(" ", displayWidth(r.text)+1))
	var rows strings.Builder
	for _, c := range drawn {
		start, end := r.view.Span(c)
		if start < 0 {
			continue
		}
		bracket(brackets[column(start):], column(end)-column(start))
		value := visible(r.text[start:end])
		rows.WriteString(fmt.Sprintf("%-9s %4d to %-4d %s\n", c, start, end, d.style.cyan(value)))
	}
	line := strings.TrimRight(string(brackets), " ")
	d.out = append(d.out, d.style.bold(text)+"\n"+d.style.green(line)+"\n"+rows.String()+"\n"...)
}

// bracket draws a bracket of that width. An empty part is a point between two columns.
func bracket(at []rune, width int) {
	switch width {
	case 0:
		if at[0] == ' ' {
			at[0] = '╵'
		}
		return
	case 1:
		at[0] = '╨'
		return
	}
	for i := range width {
		at[i] = '─'
	}
	at[0], at[width-1] = '└', '┘'
}

func (d *drawer) reject(r *record) {
	c := checker{worker: d.worker, style: d.style}
	d.out = append(c.draw(d.out, r), '\n')
}
