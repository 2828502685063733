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

// flushSize is the number of pending bytes, output and reports together, at which a job writes them.
const flushSize = 64 << 10

// A job scans lines and prints their components. Its memory does not grow with its input.
type job struct {
	form    uri.Form
	fields  []field
	format  format
	strict  bool
	quiet   bool
	maxLine int
	open    func(name string) (io.ReadCloser, error)
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer

	lines   *lines
	record  record
	out     []byte // pending, for stdout
	reports []byte // pending, for stderr
	valid   int
	invalid int
	err     error // from writing to stdout
}

// openFile opens a file of the system.
func openFile(name string) (io.ReadCloser, error) { return os.Open(name) }

// run scans the files and returns the exit status. It continues after a file that cannot be read, but stops
// when standard output cannot be written.
func (j *job) run(files []string) int {
	if len(files) == 0 {
		files = []string{"-"}
	}
	status, start := exitOK, time.Now()
	j.lines = newLines(j.maxLine, j.flush)
	for _, name := range files {
		if j.err != nil {
			break
		}
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
	case errors.Is(j.err, syscall.EPIPE): // the reader has seen enough
		return status
	case j.err != nil:
		fmt.Fprintf(j.stderr, "uriscan: %v\n", j.err)
		return exitFailure
	}
	rate := float64(j.lines.size) / 1e6 / max(time.Since(start).Seconds(), 1e-9)
	fmt.Fprintf(j.stderr, "uriscan: %d lines, %d valid, %d invalid, %.1f MB/s\n",
		j.valid+j.invalid, j.valid, j.invalid, rate)
	return status
}

// scanFile scans the lines of the named file; "-" is standard input. Each report begins with prefix.
func (j *job) scanFile(name, prefix string) error {
	if name == "-" {
		return j.scanLines(j.stdin, prefix)
	}
	f, err := j.open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return j.scanLines(f, prefix)
}

// scanLines scans lines until the input ends or standard output cannot be written.
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

// report counts an invalid line and reports its number, the offset of the fault and the reason, but never its
// content.
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

// flush writes the pending output, then the pending reports, so that no report overtakes the output of the
// lines before it. The job also flushes before each read, which may wait for input.
func (j *job) flush() {
	if len(j.out) > 0 && j.err == nil {
		_, j.err = j.stdout.Write(j.out)
	}
	if len(j.reports) > 0 {
		j.stderr.Write(j.reports)
	}
	j.out, j.reports = j.out[:0], j.reports[:0]
}
