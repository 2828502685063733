package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/seed-56a50ac9/uri"
)

// flushSize is the size of output in bytes at which it is written.
const flushSize = 64 << 10

// A job scans lines and writes what is to be printed of them. Its memory does not depend on how much it reads.
type job struct {
	form    uri.Form
	fields  []field
	format  format
	strict  bool
	quiet   bool
	maxLine int
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer

	lines   *lines
	record  record
	out     []byte // to be written to stdout
	reports []byte // to be written to stderr
	valid   int
	invalid int
	err     error // of writing to stdout
}

// run scans the files and returns the exit status. A file that cannot be read does not keep it from the next.
func (j *job) run(files []string) int {
	if len(files) == 0 {
		files = []string{"-"}
	}
	status, start := exitOK, time.Now()
	j.lines = newLines(j.maxLine, j.flush)
	for _, name := range files {
		prefix := "line "
		if len(files) > 1 {
			prefix = name + ":"
		}
		if err := j.scanFile(name, prefix); err != nil {
			j.flush()
			status = exitFailure
			fmt.Fprintf(j.stderr, "uriscan: %v\n", err)
		}
	}
	j.flush()
	if j.strict && j.invalid > 0 {
		status = max(status, exitInvalid)
	}
	switch {
	case errors.Is(j.err, syscall.EPIPE): // who closed the pipe has seen enough
		return status
	case j.err != nil:
		fmt.Fprintf(j.stderr, "uriscan: %v\n", j.err)
		return exitFailure
	}
	rate := float64(j.lines.size) / 1e6 / max(time.Since(start).Seconds(), 1e-9)
	fmt.Fprintf(j.stderr, "uriscan: %d lines, %d valid, %d invalid, %.1f MB/s\n", j.valid+j.invalid, j.valid, j.invalid, rate)
	return status
}

// scanFile scans the lines of a file, or of standard input if it is "-". The place in a report begins with prefix.
func (j *job) scanFile(name, prefix string) error {
	if name == "-" {
		return j.scanLines(j.stdin, prefix)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return j.scanLines(f, prefix)
}

// scanLines scans the lines of a text until its end or until nothing can be written any more.
func (j *job) scanLines(from io.Reader, prefix string) error {
	j.lines.open(from)
	for j.err == nil {
		line, err := j.lines.next()
		switch {
		case err == nil:
			if err := j.record.view.Scan(j.form, line); err != nil {
				j.report(prefix, j.record.view.ErrorOffset(), err)
				break
			}
			j.valid++
			j.record.number = j.lines.number
			j.out = j.format(j.out, j.fields, &j.record)
		case err == errTooLong:
			j.report(prefix, j.lines.limit, err)
		case err == io.EOF:
			return nil
		default:
			return err
		}
		if len(j.out)+len(j.reports) >= flushSize {
			j.flush()
		}
	}
	return nil
}

// report counts an invalid line and reports its place and the reason, which never hold what the line has.
func (j *job) report(prefix string, offset int, reason error) {
	j.invalid++
	if j.quiet {
		return
	}
	b := append(j.reports, "uriscan: "...)
	b = append(b, prefix...)
	b = strconv.AppendInt(b, int64(j.lines.number), 10)
	b = append(b, ": offset "...)
	b = strconv.AppendInt(b, int64(offset), 10)
	b = append(b, ": "...)
	b = append(b, strings.TrimPrefix(reason.Error(), "uri: ")...)
	j.reports = append(b, '\n')
}

// flush writes what is to be written. It is called before the input may have to be waited for, too.
func (j *job) flush() {
	if len(j.out) > 0 && j.err == nil {
		_, j.err = j.stdout.Write(j.out)
	}
	if len(j.reports) > 0 {
		j.stderr.Write(j.reports)
	}
	j.out, j.reports = j.out[:0], j.reports[:0]
}
