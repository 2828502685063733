package main

import (
	"bytes"
	"io"
)

// blockSize is how much is read at a time.
const blockSize = 256 << 10

// readLines calls f with every line of r, less its line end ("\n" or "\r\n") and a byte order mark before the first. The
// last need not have a line end. A line is valid until f returns. Of a line longer than maxLine bytes f gets the beginning,
// once, with tooLong set. n is the number of bytes that the line took, its end included.
func readLines(r io.Reader, maxLine int, f func(line []byte, tooLong bool, n int64) error) error {
	var (
		buffer  = make([]byte, blockSize+maxLine+len("\r\n"))
		start   int // of the line, in buffer
		end     int // of what is read
		first   = true
		skipped int64 // bytes of a line that is too long, which are gone
	)
	deliver := func(line []byte, n int) error {
		tooLong := skipped > 0
		if !tooLong {
			if first {
				line = bytes.TrimPrefix(line, []byte("\uFEFF"))
			}
			line = bytes.TrimSuffix(line, []byte("\r"))
			tooLong = len(line) > maxLine
		}
		first = false
		took := skipped + int64(n)
		skipped = 0
		return f(line[:min(len(line), maxLine)], tooLong, took)
	}
	for {
		if len(buffer)-end < blockSize {
			end = copy(buffer, buffer[start:end])
			start = 0
		}
		n, err := r.Read(buffer[end : end+blockSize])
		fresh := end // nothing before it has a line end
		end += n
		for {
			i := bytes.IndexByte(buffer[fresh:end], '\n')
			if i < 0 {
				break
			}
			fresh += i + 1
			if err := deliver(buffer[start:fresh-1], fresh-start); err != nil {
				return err
			}
			start = fresh
		}
		// What is over the limit already need not be kept, but for as much as is reported.
		if over := end - start - maxLine - len("\r\n"); over > 0 {
			skipped += int64(over)
			end -= over
		}
		if err == io.EOF {
			if end > start {
				return deliver(buffer[start:end], end-start)
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
}
