package main

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// blockSize is the number of bytes to read at a time.
const blockSize = 256 << 10

// errTooLong reports a line longer than the limit. The lines after it can still be read.
var errTooLong = errors.New("line too long")

// A block is whole lines of one source, or an event between them.
type block struct {
	seq    uint64 // its place in the order of all blocks
	source *source
	before int    // the number of lines of the source before the block
	data   []byte // lines, each ending in "\n"

	tooLong bool  // instead of lines: one that is too long was left out
	err     error // instead of lines: the source cannot be read any further
}

// A cutter cuts a stream into blocks of whole lines. What follows the last line end of a block waits for the
// next one:
//
//	from the last block │ read       "\n" │ to the next block
//	data                                  │ rest
//
// A line longer than limit is dropped as it is read, so that a block stays smaller than the limit and two
// reads.
type cutter struct {
	limit  int // length of the longest line, without its line end
	from   io.Reader
	greedy bool // fill blocks before they are returned, because reading never waits for long
	err    error
	rest   []byte
	lines  int // returned so far
}

// open starts cutting another stream.
func (c *cutter) open(from io.Reader, greedy bool) {
	*c = cutter{limit: c.limit, from: from, greedy: greedy, rest: c.rest[:0]}
}

// next reads the next block. The error is io.EOF after the last one, or a read error. A line cut off by a
// read error is not returned.
func (c *cutter) next(b *block) error {
	b.before, b.tooLong = c.lines, false
	b.data = append(b.data[:0], c.rest...)
	c.rest = c.rest[:0]
	for searched := 0; ; c.read(b) {
		if i := bytes.LastIndexByte(b.data[searched:], '\n'); i >= 0 {
			return c.cut(b, searched+i+1)
		}
		searched = len(b.data)
		switch {
		case c.err == io.EOF && searched > 0:
			b.data = append(b.data, '\n')
			return c.cut(b, len(b.data))
		case c.err != nil:
			return c.err
		case searched > c.limit+len("\r"):
			return c.drop(b)
		}
	}
}

// cut ends the block after n bytes.
func (c *cutter) cut(b *block, n int) error {
	c.rest = append(c.rest, b.data[n:]...)
	b.data = b.data[:n]
	c.lines += bytes.Count(b.data, []byte("\n"))
	return nil
}

// drop skips a line that is too long.
func (c *cutter) drop(b *block) error {
	for c.err == nil {
		b.data = b.data[:0]
		c.read(b)
		if i := bytes.IndexByte(b.data, '\n'); i >= 0 {
			c.rest = append(c.rest, b.data[i+1:]...)
			break
		}
	}
	b.data = b.data[:0]
	if c.err != nil && c.err != io.EOF && len(c.rest) == 0 {
		return c.err
	}
	b.tooLong = true
	c.lines++
	return nil
}

// read appends up to a block. It reads until the block is full only if reading never waits for long.
func (c *cutter) read(b *block) {
	size := max(blockSize-len(b.data), blockSize/4)
	b.data = slices.Grow(b.data, size+len("\n"))
	room := b.data[len(b.data) : len(b.data)+size]
	n, err := c.from.Read(room)
	for c.greedy && err == nil && n < len(room) {
		var more int
		more, err = c.from.Read(room[n:])
		n += more
	}
	b.data, c.err = b.data[:len(b.data)+n], err
}
