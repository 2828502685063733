package main

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

func newCheck(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [flags] [file or URI ...]",
		Short: "Show invalid URIs, each with a caret under its fault",
		Long: `Show invalid URIs, each with a caret under the byte at which it becomes invalid.
Control bytes and bytes that are not UTF-8 are shown as escapes.

The exit status is 0 if all URIs are valid, 1 if one is invalid, and 2 if
anything else failed.`,
		Example: `  uriscan check urls.txt
  uriscan check --form uri 'http://example.com/a b'
  uriscan check -q --log combined access.log || echo 'an invalid request'`,
		Args: cobra.ArbitraryArgs,
	}
	own := newFlagSet()
	a.output.defineFormat(own)
	setWork(cmd, own, func(cmd *cobra.Command, args []string) error {
		a.strict = true
		l := layout{fields: findingFields()}
		drawn := a.output.format == ""
		if err := a.setFormat(&l); err != nil {
			return err
		}
		j := job{newSink: func(w *worker) sink {
			return &checker{worker: w, layout: l, drawn: drawn, style: a.style(a.stdout)}
		}}
		if !drawn {
			j = a.rows(l, j)
		}
		return a.do(cmd.Context(), args, j)
	})
	return cmd
}

// findingFields are the fields of rows about invalid URIs.
func findingFields() []field {
	fields, _ := fieldsOf([]string{"file", "line", "validity", "text"})
	fields[2].name, fields[2].label = "reason", "reason"
	offset := field{name: "offset", label: "offset", kind: numberKind, get: func(r *record) ([]byte, bool) {
		number, _ := r.number(r.offset)
		return number, r.offset >= 0
	}}
	return []field{fields[0], fields[1], offset, fields[2], fields[3]}
}

// A checker shows invalid records.
type checker struct {
	*worker
	layout layout
	drawn  bool // as text with a caret, rather than rows
	style  style
}

func (c *checker) accept(*record) {}

func (c *checker) reject(r *record) {
	switch {
	case c.quiet:
	case c.drawn:
		c.out = c.draw(c.out, r)
	default:
		c.out = c.layout.format.row(c.out, c.layout.fields, r)
	}
}

func (c *checker) draw(dst []byte, r *record) []byte {
	dst = append(dst, c.style.bold(r.source.name+":"+strconv.Itoa(r.line)+":")...)
	if r.offset >= 0 {
		dst = append(append(dst, " offset "...), strconv.Itoa(r.offset)...)
		dst = append(dst, ':')
	}
	dst = append(append(append(dst, ' '), c.style.red(r.reason())...), '\n')
	if r.text == nil || r.offset < 0 {
		return dst
	}
	text, caret := window(r.text, r.offset)
	dst = append(append(append(dst, "  "...), text...), '\n')
	dst = append(append(dst, "  "...), strings.Repeat(" ", caret)...)
	return append(append(dst, c.style.red("^")...), '\n')
}

// The widths of what is shown around a fault, in columns of a terminal.
const (
	widthBefore = 50
	widthAfter  = 25
)

// window returns what is around the fault, and the column of the fault in it. What is cut off is "…".
func window(text []byte, offset int) (shown string, caret int) {
	before, after := text[:offset], text[offset:]
	cut := len(before) > widthBefore
	if cut {
		before = before[len(before)-widthBefore:]
		for len(before) > 0 && !utf8.RuneStart(before[0]) {
			before = before[1:]
		}
	}
	head := visible(before)
	if cut {
		head = "…" + head
	}
	if len(after) > widthAfter {
		after = after[:widthAfter]
		for len(after) > 0 && !utf8.RuneStart(text[offset+len(after)]) {
			after = after[:len(after)-1]
		}
		return head + visible(after) + "…", displayWidth([]byte(head))
	}
	return head + visible(after), displayWidth([]byte(head))
}
