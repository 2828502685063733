package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/seed-56a50ac9/uri"
)

// flushSize is the size in bytes at which output is written.
const flushSize = 64 << 10

// job scans lines and writes what they have. It needs a constant amount of memory: one line and one buffer.
type job struct {
	form   uri.Form
	fields []field
	format format
	quiet  bool
	stdout io.Writer
	stderr io.Writer

	file    string // to begin a report with, if there are several
	view    uri.View
	out     []byte
	number  int // of the line, in its file
	lines   int
	invalid int
	bytes   int64
}

// scanFile scans the lines of a file, or of standard input if it is "-".
func (j *job) scanFile(name string, stdin io.Reader, maxLine int) error {
	in := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	j.number = 0
	return readLines(in, maxLine, j.scanLine)
}

// scanLine scans one line; tooLong says that it is but the beginning of one over the limit. n is the number of bytes of
// input that the line took.
func (j *job) scanLine(line []byte, tooLong bool, n int64) error {
	j.lines++
	j.number++
	j.bytes += n
	if tooLong {
		j.report(len(line), uri.ErrTooLong)
		return nil
	}
	if err := j.view.Scan(j.form, line); err != nil {
		j.report(j.view.ErrorOffset(), err)
		return nil
	}
	j.out = j.format(j.out, j.fields, &j.view, j.number)
	if len(j.out) >= flushSize {
		return j.flush()
	}
	return nil
}

func (j *job) report(offset int, reason error) {
	j.invalid++
	if !j.quiet {
		fmt.Fprintf(j.stderr, "uriscan: %sline %d, offset %d: %v\n", j.file, j.number, offset, reason)
	}
}

func (j *job) flush() error {
	_, err := j.stdout.Write(j.out)
	j.out = j.out[:0]
	return err
}

func (j *job) summary(took time.Duration) {
	rate := float64(j.bytes) / 1e6 / max(took.Seconds(), 1e-9)
	fmt.Fprintf(j.stderr, "uriscan: %d lines, %d valid, %d invalid, %.1f MB/s\n", j.lines, j.lines-j.invalid, j.invalid, rate)
}
