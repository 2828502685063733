package main

import (
	"bytes"
	"regexp"
)

// appendixB is the regular expression of RFC 3986 Appendix B.
var appendixB = regexp.MustCompile(`^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?`)

// regexpParse returns where the path ends.
func regexpParse() func([]byte) int {
	return func(line []byte) int { return appendixB.FindSubmatchIndex(line)[11] }
}

func copyLine() func([]byte) int { return copyTo(make([]byte, 1<<16)) }

func copyTo(buffer []byte) func([]byte) int {
	return func(line []byte) int { return copy(buffer, line) }
}

func indexLine() func([]byte) int {
	return func(line []byte) int { return bytes.IndexByte(line, 0) }
}

func sumLine() func([]byte) int { return byteSum }

// byteSum adds up the bytes of the line. Inlined, the speed of its loop would depend on the code around it.
//
//go:noinline
func byteSum(line []byte) (sum int) {
	for _, c := range line {
		sum += int(c)
	}
	return sum
}
