package main

import (
	"bytes"
	"errors"

	"github.com/seed-56a50ac9/uri"
)

// A line of the combined format, the default of Apache httpd and nginx, and of the common format, its
// beginning:
//
//	192.0.2.7 - - [17/May/2015:10:05:03 +0000] "GET /a?b HTTP/1.1" 200 1234 "http://example.com/" "agent"
//	└────────────────── common format ──────────────────────────────────┘
//
// Within quotes, both servers escape quotes, backslashes and control bytes.

// errMalformed reports a line that does not have the format of the log.
var errMalformed = errors.New("the line does not have the format of the log")

// requestExtractor returns an extractor of the targets of requests.
func requestExtractor(lenient uri.Form) extractor {
	return func(line []byte, w *worker) {
		request, _, ok := cutRequest(line)
		if !ok {
			w.malformed(errMalformed, -1)
			return
		}
		w.scanRequest(lenient, w.undo(request))
	}
}

// refererExtractor returns an extractor of the referrers.
func refererExtractor(form uri.Form) extractor {
	return func(line []byte, w *worker) {
		if _, rest, ok := cutRequest(line); ok {
			if i := bytes.IndexByte(rest, '"'); i >= 0 {
				if referer, _, ok := cutQuoted(rest[i:]); ok {
					w.scanValue(form, w.undo(referer))
					return
				}
			}
		}
		w.malformed(errMalformed, -1)
	}
}

// cutRequest returns what the quotes around the request contain, and what follows them.
func cutRequest(line []byte) (request, rest []byte, ok bool) {
	i := bytes.IndexByte(line, '"')
	if i < len("[] ") || line[i-2] != ']' {
		return nil, nil, false
	}
	if request, rest, ok = cutQuoted(line[i:]); !ok {
		return nil, nil, false
	}
	// The status follows.
	ok = len(rest) >= 4 && rest[0] == ' ' && isDigit(rest[1]) && isDigit(rest[2]) && isDigit(rest[3])
	return request, rest, ok
}

func isDigit(c byte) bool { return c-'0' < 10 }

// cutQuoted returns what is between the quote that text begins with and the next one, and what follows that.
// A quote after an odd number of backslashes is part of the value.
func cutQuoted(text []byte) (value, rest []byte, ok bool) {
	for end := 1; ; end++ {
		i := bytes.IndexByte(text[end:], '"')
		if i < 0 {
			return nil, nil, false
		}
		end += i
		backslashes := 0
		for text[end-1-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			return text[1:end], text[end+1:], true
		}
	}
}

// undo returns the value without the escapes of the log. The result is valid until the next call.
func (w *worker) undo(value []byte) []byte {
	i := bytes.IndexByte(value, '\\')
	if i < 0 {
		return value
	}
	w.undone = append(w.undone[:0], value[:i]...)
	for i < len(value) {
		c, size := unescapeByte(value[i:])
		w.undone = append(w.undone, c)
		i += size
	}
	return w.undone
}

// unescapeByte returns the byte that text begins with, which may be an escape, and the number of bytes that
// it takes.
func unescapeByte(text []byte) (c byte, size int) {
	if text[0] != '\\' || len(text) < 2 {
		return text[0], 1
	}
	if text[1] == 'x' && len(text) >= 4 {
		high, low := hexDigit(text[2]), hexDigit(text[3])
		if high >= 0 && low >= 0 {
			return byte(high<<4 | low), 4
		}
	}
	const names, values = `"\nrtbvf`, "\"\\\n\r\t\b\v\f"
	if i := bytes.IndexByte([]byte(names), text[1]); i >= 0 {
		return values[i], 2
	}
	return text[0], 1
}

// hexDigit returns the value of the digit, or -1.
func hexDigit(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// guessLog returns the value of --log for what a file begins with, or "".
func guessLog(head []byte) string {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	if request, rest, ok := cutRequest(line); ok && bytes.IndexByte(request, ' ') > 0 {
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
