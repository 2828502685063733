package main

import (
	"bytes"
	"regexp"
)

// appendixB is the regular expression of RFC 3986 Appendix B.
var appendixB = regexp.MustCompile(`^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?`)

func regexpParse() func([]byte) int {
	return func(line []byte) int { return len(appendixB.FindSubmatchIndex(line)) }
}

func copyLine() func([]byte) int {
	buffer := make([]byte, 1<<16)
	return func(line []byte) int { return copy(buffer, line) }
}

func indexLine() func([]byte) int {
	return func(line []byte) int { return bytes.IndexByte(line, 0) }
}
