package main

import (
	"bytes"
	"errors"
	"io"
)

// blockSize is the number of bytes to read at a time.
const blockSize = 256 << 10

// byteOrderMark is U+FEFF in UTF-8.
const byteOrderMark = "\xEF\xBB\xBF"

// errTooLong reports a line longer than the limit. The lines after it can still be read.
var errTooLong = errors.New("line too long")

// lines reads its input line by line, in place: a line is a slice of the buffer.
//
//	buffer  lines returned | partial line | room for at least one block
//	                       start          end
//
// The buffer has room for the longest line, its line end, and a block. It never grows: a longer line is
// dropped as it is read.
type lines struct {
	limit  int    // length of the longest line, without its line end
	idle   func() // called before each read, which may wait for input
	from   io.Reader
	err    error // from the last read
	buffer []byte
	start  int
	end    int
	number int   // of the line returned last
	size   int64 // bytes read, from all inputs
}

func newLines(limit int, idle func()) *lines {
	return &lines{limit: limit, idle: idle, buffer: make([]byte, limit+len("\r\n")+blockSize)}
}

// open starts reading another input. It skips a byte order mark at the beginning.
func (l *lines) open(from io.Reader) {
	l.from, l.err, l.start, l.end, l.number = from, nil, 0, 0, 0
	for l.err == nil && l.end < len(byteOrderMark) && string(l.buffer[:l.end]) == byteOrderMark[:l.end] {
		l.read()
	}
	if bytes.HasPrefix(l.buffer[:l.end], []byte(byteOrderMark)) {
		l.start = len(byteOrderMark)
	}
}

// next returns the next line without its line end, "\n" or "\r\n". The last line may lack a line end. The
// line is valid until the next call.
//
// The error is errTooLong, io.EOF after the last line, or a read error. A line cut off by a read error is not
// returned.
func (l *lines) next() ([]byte, error) {
	seen, tooLong := 0, false // the first seen bytes of the partial line do not contain its end
	for {
		if i := bytes.IndexByte(l.buffer[l.start+seen:l.end], '\n'); i >= 0 {
			return l.take(seen+i, len("\n"), tooLong)
		}
		seen = l.end - l.start
		switch {
		case l.err == io.EOF && (seen > 0 || tooLong):
			return l.take(seen, 0, tooLong)
		case l.err != nil:
			return nil, l.err
		case seen > l.limit+len("\r"):
			l.start, seen, tooLong = l.end, 0, true
		}
		l.read()
	}
}

// take returns the partial line once its n bytes and its line end are in the buffer.
func (l *lines) take(n, lineEnd int, tooLong bool) ([]byte, error) {
	line := l.buffer[l.start : l.start+n]
	l.start += n + lineEnd
	l.number++
	if n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	if tooLong || len(line) > l.limit {
		return nil, errTooLong
	}
	return line, nil
}

// read moves the partial line to the beginning of the buffer, then appends up to a block.
func (l *lines) read() {
	if l.start > 0 {
		l.end = copy(l.buffer, l.buffer[l.start:l.end])
		l.start = 0
	}
	l.idle()
	n, err := l.from.Read(l.buffer[l.end : l.end+blockSize])
	l.end += n
	l.size += int64(n)
	l.err = err
}
