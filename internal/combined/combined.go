// Package combined reads lines of the combined log format, which Apache httpd and nginx write by default, and
// of the common format, its beginning:
//
//	192.0.2.7 - - [17/May/2015:10:05:03 +0000] "GET /a?b HTTP/1.1" 200 1234 "http://example.com/" "agent"
//	└────────────────── common format ──────────────────────────────────┘
//
// Within quotes, both servers escape quotes, backslashes and control bytes.
package combined

import (
	"bytes"
	"errors"
)

// ErrFormat reports a line that does not have the format of the log.
var ErrFormat = errors.New("the line does not have the format of the log")

// ErrRequest reports a request without a method and a target.
var ErrRequest = errors.New("the request has no method and target")

// A Line reads one line at a time. What its methods return is valid until the next call.
type Line struct {
	unescaped []byte
}

// Request returns the method and the target of a line's request, without the escapes of the log. The target
// is empty if the log says that there is none.
func (l *Line) Request(line []byte) (method, target []byte, err error) {
	request, _, ok := CutRequest(line)
	if !ok {
		return nil, nil, ErrFormat
	}
	if request = l.unescape(request); IsAbsent(request) {
		return nil, nil, nil
	}
	method, target, _ = bytes.Cut(request, []byte(" "))
	if len(method) == 0 || len(method) == len(request) {
		return nil, nil, ErrRequest
	}
	if i := bytes.LastIndexByte(target, ' '); i >= 0 && bytes.HasPrefix(target[i+1:], []byte("HTTP/")) {
		target = target[:i]
	}
	if IsAbsent(target) {
		return method, nil, nil
	}
	return method, target, nil
}

// Referrer returns the referrer of a line, without the escapes of the log. It is empty if the log says that
// there is none.
func (l *Line) Referrer(line []byte) (referrer []byte, err error) {
	_, rest, ok := CutRequest(line)
	if !ok {
		return nil, ErrFormat
	}
	i := bytes.IndexByte(rest, '"')
	if i < 0 {
		return nil, ErrFormat
	}
	if referrer, _, ok = cutQuoted(rest[i:]); !ok {
		return nil, ErrFormat
	}
	if referrer = l.unescape(referrer); IsAbsent(referrer) {
		return nil, nil
	}
	return referrer, nil
}

// IsAbsent reports whether a value of a log says that there is none.
func IsAbsent(value []byte) bool {
	return len(value) == 0 || len(value) == 1 && value[0] == '-'
}

// CutRequest returns what the quotes around the request contain, and what follows them.
func CutRequest(line []byte) (request, rest []byte, ok bool) {
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

// unescape returns the value without the escapes of the log.
func (l *Line) unescape(value []byte) []byte {
	i := bytes.IndexByte(value, '\\')
	if i < 0 {
		return value
	}
	l.unescaped = append(l.unescaped[:0], value[:i]...)
	for i < len(value) {
		c, size := unescapeByte(value[i:])
		l.unescaped = append(l.unescaped, c)
		i += size
	}
	return l.unescaped
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
