package main

import (
	"errors"
	"unsafe"

	"github.com/seed-56a50ac9/uri"
	"github.com/tidwall/gjson"
)

// What can be wrong with a line of JSON.
var (
	errNoJSON   = errors.New("the line is not a JSON object")
	errNoString = errors.New("the value of the key is not a string")
)

// parseObject returns the object that the line is. It is valid as long as the line.
func parseObject(line []byte) (object gjson.Result, ok bool) {
	if !gjson.ValidBytes(line) {
		return object, false
	}
	object = gjson.Parse(unsafe.String(unsafe.SliceData(line), len(line)))
	return object, object.IsObject()
}

// jsonExtractor returns an extractor of the value of a key. A "." in the key leads into an object or a list.
func jsonExtractor(form uri.Form, key string) extractor {
	return func(line []byte, w *worker) {
		object, ok := parseObject(line)
		if !ok {
			w.malformed(errNoJSON, -1)
			return
		}
		switch value := object.Get(key); value.Type {
		case gjson.Null:
			w.without()
		case gjson.String:
			w.undone = append(w.undone[:0], value.Str...)
			w.scanValue(form, w.undone)
		default:
			w.malformed(errNoString, -1)
		}
	}
}

// caddyExtractor returns an extractor of the targets of requests in the log of Caddy. Lines about something
// else have none.
func caddyExtractor(lenient uri.Form) extractor {
	return func(line []byte, w *worker) {
		object, ok := parseObject(line)
		if !ok {
			w.malformed(errNoJSON, -1)
			return
		}
		request := object.Get("request")
		target := request.Get("uri")
		if target.Type != gjson.String {
			w.without()
			return
		}
		w.undone = append(w.undone[:0], target.Str...)
		w.scanTarget(lenient, []byte(request.Get("method").Str), w.undone)
	}
}
