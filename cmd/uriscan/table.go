package main

import (
	"bytes"
	"io"
	"strings"

	"github.com/rivo/uniseg"
)

// maxColumn is the width that a long value makes its column. Longer values shift the rest of their row.
const maxColumn = 60

// A table is a writer of rows of tsv that aligns their columns and prints the first row, the header, in bold.
// The columns are as wide as the values so far: only the header is held back, until there is another row.
type table struct {
	to     io.Writer
	style  style
	right  []bool // align the column on the right
	widths []int
	header []byte // held back
	begun  bool   // the header has been printed
	line   []byte
}

func (t *table) Write(rows []byte) (int, error) {
	size := len(rows)
	if !t.begun && t.header == nil {
		t.header = bytes.Clone(rows)
		return size, nil
	}
	if !t.begun {
		rows = append(t.header, rows...)
	}
	return size, t.print(rows)
}

// end prints the header if there was no other row.
func (t *table) end() error {
	if t.begun {
		return nil
	}
	return t.print(t.header)
}

func (t *table) print(rows []byte) error {
	var out []byte
	for row := range bytes.Lines(rows) {
		cells := bytes.Split(bytes.TrimSuffix(row, []byte("\n")), []byte("\t"))
		for i, cell := range cells {
			if i == len(t.widths) {
				t.widths = append(t.widths, 0)
			}
			t.widths[i] = max(t.widths[i], min(displayWidth(cell), maxColumn))
		}
	}
	for row := range bytes.Lines(rows) {
		cells := bytes.Split(bytes.TrimSuffix(row, []byte("\n")), []byte("\t"))
		t.line = t.line[:0]
		for i, cell := range cells {
			if i > 0 {
				t.line = append(t.line, "  "...)
			}
			pad := strings.Repeat(" ", max(0, t.widths[i]-displayWidth(cell)))
			if t.right[i] {
				t.line = append(append(t.line, pad...), visible(cell)...)
			} else {
				t.line = append(append(t.line, visible(cell)...), pad...)
			}
		}
		line := string(bytes.TrimRight(t.line, " "))
		if !t.begun {
			line, t.begun = t.style.bold(line), true
		}
		out = append(append(out, line...), '\n')
	}
	_, err := t.to.Write(out)
	return err
}

// displayWidth returns the number of columns of a terminal that the value takes.
func displayWidth(value []byte) int {
	for _, c := range value {
		if c < ' ' || c >= 0x7F {
			return uniseg.StringWidth(visible(value))
		}
	}
	return len(value)
}
