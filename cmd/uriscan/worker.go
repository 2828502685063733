package main

import (
	"bytes"
	"strconv"

	"github.com/seed-56a50ac9/uri"
	"github.com/seed-56a50ac9/uri/internal/combined"
)

// outputSize is how much output a worker collects before it waits for its turn to write it.
const outputSize = 512 << 10

// A sink is what a command does with records. Each worker has its own.
type sink interface {
	accept(r *record) // r is valid, and selected
	reject(r *record) // r is invalid
}

// A committer is a sink with work that must be done in the order of the input. commit is called before the
// pending output is written.
type committer interface{ commit() }

// Counts are the numbers of lines and of URIs by what became of them.
type counts struct {
	read     int // lines
	absent   int // lines without a URI
	valid    int
	invalid  int
	selected int // valid, and matched by --where
}

func (c *counts) add(d counts) {
	c.read += d.read
	c.absent += d.absent
	c.valid += d.valid
	c.invalid += d.invalid
	c.selected += d.selected
}

// A worker turns blocks into output.
type worker struct {
	input   *input
	order   *order
	form    uri.Form
	limit   int       // length of the longest line
	extract extractor // nil if each line is a URI
	where   condition // nil if all are selected
	quiet   bool
	sink    sink
	copier  *copier // the sink, or nil
	commit  func()  // of the sink, or nil

	block   block
	record  record
	lines   uri.Lines
	view    uri.View // of what was extracted
	log     combined.Line
	undone  []byte // the URI of a line of JSON, without escapes
	out     []byte // pending, for stdout
	reports []byte // pending, for stderr
	failed  bool   // a source could not be read
	counts
}

// use makes the worker hand its records to the sink.
func (w *worker) use(s sink) {
	w.sink = s
	w.copier, _ = s.(*copier)
	if c, ok := s.(committer); ok {
		w.commit = c.commit
	}
}

// run works until there is nothing left to read or nothing more can be written.
func (w *worker) run() {
	for w.order.failure() == nil && w.input.next(&w.block) {
		w.record.source, w.record.line = w.block.source, w.block.before
		switch {
		case w.block.err != nil:
			w.failed = true
			w.reports = append(append(append(w.reports, "uriscan: "...), w.block.err.Error()...), '\n')
		case w.block.tooLong:
			w.startLine()
			w.malformed(errTooLong, w.limit)
		case w.extract != nil:
			w.extractLines()
		case w.copier != nil:
			w.copier.scanLines()
		default:
			w.scanLines()
		}
		w.flush()
		w.order.pass(w.block.seq)
	}
}

// scanLines scans each line of the block.
func (w *worker) scanLines() {
	for view, err := range w.lines.Scan(w.form, w.block.data, true) {
		w.startLine()
		w.takeLine(view, w.lines.Text(), err)
	}
}

// takeLine hands a line to the sink that is a URI.
func (w *worker) takeLine(view *uri.View, text []byte, err error) {
	if len(text) > w.limit {
		w.malformed(errTooLong, w.limit)
		return
	}
	w.record.view = view
	w.take(text, err)
}

// extractLines scans the URIs in each line of the block.
func (w *worker) extractLines() {
	for data := w.block.data; len(data) > 0; {
		var line []byte
		line, data = cutLine(data)
		w.startLine()
		if len(line) > w.limit {
			w.malformed(errTooLong, w.limit)
			continue
		}
		w.extract(line, w)
	}
}

// cutLine returns the first line, without its line end, and what follows it.
func cutLine(data []byte) (line, rest []byte) {
	i := bytes.IndexByte(data, '\n')
	line, rest = data[:i], data[i+1:]
	if i > 0 && line[i-1] == '\r' {
		line = line[:i-1]
	}
	return line, rest
}

func (w *worker) startLine() {
	w.read++
	w.record.line++
}

// scan scans a URI and hands it to the sink.
func (w *worker) scan(form uri.Form, text []byte) {
	err := w.view.Scan(form, text)
	w.record.view = &w.view
	w.take(text, err)
}

// take hands a scanned URI to the sink.
func (w *worker) take(text []byte, err error) {
	r := &w.record
	r.text = text
	if err != nil {
		w.reject(err, r.view.ErrorOffset())
		return
	}
	w.valid++
	if w.where != nil {
		if !w.where(r) {
			return
		}
		w.selected++
	}
	r.err = nil
	w.sink.accept(r)
	if len(w.out) >= outputSize {
		w.flush()
	}
}

// without counts a line that has no URI.
func (w *worker) without() { w.absent++ }

// malformed hands a line to the sink from which no URI can be taken.
func (w *worker) malformed(err error, offset int) {
	w.view = uri.View{}
	w.record.text, w.record.view = nil, &w.view
	w.reject(err, offset)
}

func (w *worker) reject(err error, offset int) {
	w.invalid++
	w.record.err, w.record.offset = err, offset
	w.sink.reject(&w.record)
	if len(w.out)+len(w.reports) >= outputSize {
		w.flush()
	}
}

// report reports an invalid URI by its place and the reason, but never its content.
func (w *worker) report(r *record) {
	if w.quiet {
		return
	}
	b := append(w.reports, "uriscan: "...)
	b = append(b, r.source.prefix...)
	b = strconv.AppendInt(b, int64(r.line), 10)
	b = append(b, ": "...)
	if r.offset >= 0 {
		b = append(b, "offset "...)
		b = strconv.AppendInt(b, int64(r.offset), 10)
		b = append(b, ": "...)
	}
	b = append(b, r.reason()...)
	w.reports = append(b, '\n')
}

// flush writes what is pending, in turn.
func (w *worker) flush() {
	if len(w.out)+len(w.reports) == 0 {
		return
	}
	if w.order.await(w.block.seq) {
		if w.commit != nil {
			w.commit()
		}
		w.order.write(w.out, w.reports)
	}
	w.out, w.reports = w.out[:0], w.reports[:0]
}
