package main

import (
	"bytes"
	"context"
	"io"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/sdf"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/seed-56a50ac9/uri"
)

func init() {
	register.DoFn4x1[context.Context, *sdf.LockRTracker, fileio.ReadableFile, func(string, int64), error](
		&countHosts{})
	register.Emitter2[string, int64]()
}

var (
	rangesRead   = beam.NewCounter("uri", "ranges")
	linesRead    = beam.NewCounter("uri", "lines")
	linesInvalid = beam.NewCounter("uri", "invalid")
)

// countHosts is a splittable DoFn. Its restrictions are byte ranges of a file; a range has the lines that
// begin in it, so each line is in exactly one range, however the runner splits the file.
type countHosts struct {
	RangeSize int64 // bytes of the ranges that are made before any is read; the runner may split them further
	BlockSize int64 // bytes that are claimed and scanned at once
}

// CreateInitialRestriction returns the whole file as one range.
func (fn *countHosts) CreateInitialRestriction(file fileio.ReadableFile) offsetrange.Restriction {
	return offsetrange.Restriction{Start: 0, End: file.Metadata.Size}
}

// SplitRestriction cuts the range into those that the runner hands to workers.
func (fn *countHosts) SplitRestriction(
	_ fileio.ReadableFile, r offsetrange.Restriction,
) []offsetrange.Restriction {
	return r.SizedSplits(fn.RangeSize)
}

// RestrictionSize returns the number of bytes, by which the runner compares ranges.
func (fn *countHosts) RestrictionSize(_ fileio.ReadableFile, r offsetrange.Restriction) float64 {
	return r.Size()
}

// CreateTracker returns a tracker that the runner may split while the range is read.
func (fn *countHosts) CreateTracker(r offsetrange.Restriction) *sdf.LockRTracker {
	return sdf.NewLockRTracker(offsetrange.NewTracker(r))
}

// ProcessElement counts the lines that begin in the range, and emits one element per host.
func (fn *countHosts) ProcessElement(
	ctx context.Context, rt *sdf.LockRTracker, file fileio.ReadableFile, emit func(string, int64),
) error {
	c := counts{hosts: map[string]*int64{}}
	if err := fn.blocks(ctx, rt, file, c.add); err != nil {
		return err
	}
	for host, n := range c.hosts {
		emit(host, *n)
	}
	rangesRead.Inc(ctx, 1)
	linesRead.Inc(ctx, c.lines)
	linesInvalid.Inc(ctx, c.invalid)
	return nil
}

// blocks passes the lines that begin in the range to add, in blocks.
func (fn *countHosts) blocks(
	ctx context.Context, rt *sdf.LockRTracker, file fileio.ReadableFile, add func(block []byte),
) error {
	f, err := file.Open(ctx)
	if err != nil {
		return err
	}
	defer f.Close()
	start, end := limits(rt)
	lines, err := linesFrom(f, start)
	if err != nil {
		return err
	}
	for start < end {
		// The claim comes before the block is counted, and covers its last byte: the runner may give what follows
		// the last claim to another worker at any time.
		next := min(start+fn.BlockSize, end)
		if !rt.TryClaim(next - 1) {
			_, next = limits(rt) // the runner has just done that, so the range ends earlier
		}
		block, err := lines.until(next)
		if err != nil {
			return err
		}
		add(block)
		start = next
		_, end = limits(rt)
	}
	return nil
}

func limits(rt *sdf.LockRTracker) (start, end int64) {
	r := rt.GetRestriction().(offsetrange.Restriction)
	return r.Start, r.End
}

// counts are the hosts of lines. A map of pointers needs a new string only for a new host.
type counts struct {
	scanner        uri.Lines
	hosts          map[string]*int64
	lines, invalid int64
}

// add counts the lines of the block.
func (c *counts) add(block []byte) {
	for v, err := range c.scanner.Scan(uri.Reference, block, true) {
		c.lines++
		switch {
		case err != nil:
			c.invalid++
		case v.Has(uri.Host):
			n := c.hosts[string(v.Host())]
			if n == nil {
				n = new(int64)
				c.hosts[string(v.Host())] = n
			}
			*n++
		}
	}
}

// lines reads a file as blocks of whole lines.
type lines struct {
	file   io.Reader
	unread bytes.Buffer // what has been read from the file, but not been returned
	offset int64        // of unread in the file
}

// linesFrom returns the lines of the file that begin at the offset or after it.
func linesFrom(file io.Reader, offset int64) (*lines, error) {
	if offset == 0 {
		return &lines{file: file}, nil
	}
	// A line begins at the offset if the byte before it is a newline.
	l := &lines{file: file, offset: offset - 1}
	var err error
	if s, ok := file.(io.Seeker); ok {
		_, err = s.Seek(l.offset, io.SeekStart)
	} else { // an object store; see README.md
		_, err = io.CopyN(io.Discard, file, l.offset)
	}
	if err == nil {
		_, err = l.until(offset)
	}
	return l, err
}

// until returns the next lines that begin before the offset. They are valid until the next call.
func (l *lines) until(offset int64) ([]byte, error) {
	if offset <= l.offset {
		return nil, nil
	}
	search := int(offset - 1 - l.offset) // here or later is the newline that ends the last of these lines
	for err := error(nil); ; {
		b := l.unread.Bytes()
		from := min(search, len(b))
		n := from + bytes.IndexByte(b[from:], '\n') + 1
		switch {
		case n > from:
		case err == io.EOF:
			n = len(b) // the last line may lack its newline
		case err != nil:
			return nil, err
		default:
			search = max(search, len(b))
			_, err = io.CopyN(&l.unread, l.file, 64<<10)
			continue
		}
		l.offset += int64(n)
		return l.unread.Next(n), nil
	}
}
