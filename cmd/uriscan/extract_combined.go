package main

import (
	"bytes"

	"github.com/seed-56a50ac9/uri"
	"github.com/seed-56a50ac9/uri/internal/combined"
)

// requestExtractor returns an extractor of the targets of requests.
func requestExtractor(lenient uri.Form) extractor {
	return func(line []byte, w *worker) {
		method, target, err := w.log.Request(line)
		if err != nil {
			w.malformed(err, -1)
			return
		}
		w.scanTarget(lenient, method, target)
	}
}

// refererExtractor returns an extractor of the referrers.
func refererExtractor(form uri.Form) extractor {
	return func(line []byte, w *worker) {
		referrer, err := w.log.Referrer(line)
		if err != nil {
			w.malformed(err, -1)
			return
		}
		w.scanValue(form, referrer)
	}
}

// guessLog returns the value of --log for what a file begins with, or "".
func guessLog(head []byte) string {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	if request, rest, ok := combined.CutRequest(line); ok && bytes.IndexByte(request, ' ') > 0 {
		if bytes.Count(rest, []byte(`"`)) >= 4 {
			return "combined"
		}
		return "common"
	}
	switch {
	case !bytes.HasPrefix(line, []byte("{")):
		return ""
	case bytes.Contains(head, []byte(`"http.log.access`)):
		return "caddy"
	}
	return "jsonl:KEY"
}
