package main

import (
	"bytes"
	"errors"

	"github.com/seed-56a50ac9/uri"
	"github.com/seed-56a50ac9/uri/internal/combined"
)

// An extractor finds the URIs of a line and calls w.scan for each, or w.without, or w.malformed.
type extractor func(line []byte, w *worker)

// scanValue scans a value of a log, unless it says that there is none.
func (w *worker) scanValue(form uri.Form, text []byte) {
	if combined.IsAbsent(text) {
		w.without()
		return
	}
	w.scan(form, text)
}

// scanTarget scans the target of a request, unless the log says that there is none.
func (w *worker) scanTarget(lenient uri.Form, method, target []byte) {
	if combined.IsAbsent(target) {
		w.without()
		return
	}
	w.scan(uri.RequestForm(method, target)|lenient, target)
}

// columnExtractor returns extractors of the n-th column, without quotation marks around it. Columns are
// separated by delimiter, or by spaces and TABs if it is empty.
func columnExtractor(form uri.Form, n int, delimiter string) func() extractor {
	missing := errors.New("the line has too few columns")
	between := []byte(delimiter)
	return func() extractor {
		return func(line []byte, w *worker) {
			column, ok := cutColumn(line, n, between)
			if !ok {
				w.malformed(missing, -1)
				return
			}
			if last := len(column) - 1; last > 0 && column[0] == '"' && column[last] == '"' {
				column = column[1:last]
			}
			w.scanValue(form, column)
		}
	}
}

func cutColumn(line []byte, n int, delimiter []byte) (column []byte, ok bool) {
	const spaces = " \t"
	for found := true; found && n > 0; n-- {
		if len(delimiter) > 0 {
			column, line, found = bytes.Cut(line, delimiter)
			ok = n == 1
			continue
		}
		line = bytes.TrimLeft(line, spaces)
		end := bytes.IndexAny(line, spaces)
		if found = end >= 0; !found {
			end = len(line)
		}
		column, line = line[:end], line[end:]
		ok = n == 1 && end > 0
	}
	return column, ok
}

// findExtractor returns an extractor of the URIs in text with one of the schemes, or with any.
func findExtractor(form uri.Form, schemes []string) extractor {
	return func(line []byte, w *worker) {
		found := false
		for _, view := range uri.Find(form, line, schemes...) {
			found = true
			w.view = view
			w.record.view = &w.view
			w.take(w.view.Text(), nil)
		}
		if !found {
			w.without()
		}
	}
}
