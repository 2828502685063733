package main

import (
	"strings"

	"github.com/seed-56a50ac9/uri"
)

// A record is a URI that was scanned, and where it was found. It is valid until the next one.
type record struct {
	view   *uri.View
	text   []byte
	line   int // number of its line in its source
	source *source
	err    error // why the URI is invalid, or nil
	offset int   // of the fault in text, or -1 if the fault is not at a place

	scratch []byte   // of the field that was computed last
	items   [][]byte // of the list that was computed last
}

// reason returns why the record is invalid, or "valid".
func (r *record) reason() string {
	if r.err == nil {
		return "valid"
	}
	return strings.TrimPrefix(r.err.Error(), "uri: ")
}
