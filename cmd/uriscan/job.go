package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"

	"github.com/seed-56a50ac9/uri"
)

// grace is how long an interrupted program waits for a write to end.
const grace = 2 * time.Second

// An app is the program: its streams, its flags and its exit status.
type app struct {
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	open   func(name string) (io.ReadCloser, error)
	status int

	reading reading
	output  output
	quiet   bool
	strict  bool
	color   choice[colorMode]
}

// A result is what a job counted.
type result struct {
	counts
	workers []*worker
	bytes   int64
	elapsed time.Duration
}

// A job is one run over all inputs.
type job struct {
	newSink func(w *worker) sink
	header  []byte // written first
	finish  func(r *result) []byte
	summary func(r *result) string // follows the counts; may be nil
	quietly bool                   // print no summary
	table   *table                 // instead of stdout; may be nil
}

// do runs a job over the arguments. The error is one of usage: everything else is reported, and becomes part
// of the exit status.
func (a *app) do(ctx context.Context, args []string, j job) error {
	read, err := a.reading.plan()
	if err != nil {
		return err
	}
	where, err := parseWhere(a.reading.where)
	if err != nil {
		return err
	}
	all := a.arguments(args, a.reading.uris)
	if err := a.checkOutput(all); err != nil {
		a.fail(err)
		return nil
	}
	in := &input{
		open: a.open, stdin: a.stdin, arguments: all, single: len(all) == 1,
		anything: a.reading.text, hints: read.extractor == nil, cutter: cutter{limit: a.reading.maxLine},
	}
	bar := a.newProgress(in, all, j)
	o := newOrder(a.stdout, bar)
	if j.table != nil {
		o.stdout = j.table
	}
	if len(j.header) > 0 {
		o.write(j.header, nil)
	}

	res := &result{}
	start := time.Now()
	var group sync.WaitGroup
	for range a.reading.workers() {
		w := &worker{
			input: in, order: o, form: read.form, limit: a.reading.maxLine, where: where, quiet: a.quiet,
		}
		if read.extractor != nil {
			w.extract = read.extractor()
		}
		w.sink = j.newSink(w)
		w.copier, _ = w.sink.(*copier)
		if c, ok := w.sink.(committer); ok {
			w.commit = c.commit
		}
		res.workers = append(res.workers, w)
		group.Add(1)
		go func() {
			defer group.Done()
			w.run()
		}()
	}
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
		a.interrupt(context.Cause(ctx), o, bar)
		return nil
	}
	res.elapsed = time.Since(start)
	in.stop()
	res.bytes = in.text
	for _, w := range res.workers {
		res.add(w.counts)
		if w.failed {
			a.status = exitFailure
		}
	}
	if j.finish != nil && o.failure() == nil {
		o.write(j.finish(res), nil)
	}
	if j.table != nil && o.failure() == nil {
		if err := j.table.end(); err != nil {
			o.fail(err)
		}
	}
	bar.finish()
	if err := o.failure(); err != nil {
		a.fail(fmt.Errorf("standard output: %w", pathless(err)))
		return nil
	}
	if a.strict && res.invalid > 0 {
		a.status = max(a.status, exitInvalid)
	}
	if !a.quiet && !j.quietly {
		a.summarize(res, where != nil, j.summary)
	}
	return nil
}

// fail reports an error that is not one of usage.
func (a *app) fail(err error) {
	fmt.Fprintf(a.stderr, "uriscan: %v\n", err)
	a.status = exitFailure
}

// pathless returns the error without the name of the file.
func pathless(err error) error {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number
	}
	return err
}

// interrupt ends the program after a signal: the write that is going on ends, with a whole line, and no other
// one begins. Workers may wait for input for ever, so nobody waits for them.
func (a *app) interrupt(cause error, o *order, bar *progress) {
	ended := make(chan struct{})
	go func() {
		o.writing.Lock() // for good
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(grace):
	}
	o.fail(cause)
	bar.finish()
	a.status = exitFailure
	if i := (interruption{}); errors.As(cause, &i) {
		a.status = exitSignal + int(i.number)
	}
	if !a.quiet {
		fmt.Fprintf(a.stderr, "uriscan: %v\n", cause)
	}
}

// summarize prints what was counted.
func (a *app) summarize(r *result, selecting bool, more func(*result) string) {
	text := fmt.Sprintf("uriscan: %d lines, %d valid, %d invalid", r.read, r.valid, r.invalid)
	if r.absent > 0 {
		text += fmt.Sprintf(", %d without a URI", r.absent)
	}
	if selecting {
		text += fmt.Sprintf(", %d selected", r.selected)
	}
	if more != nil {
		text += ", " + more(r)
	}
	rate := float64(r.bytes) / 1e6 / max(r.elapsed.Seconds(), 1e-9)
	fmt.Fprintf(a.stderr, "%s, %.1f MB/s\n", text, rate)
}

// form returns the form with lenience, if wanted.
func (r *reading) formOf(form uri.Form) uri.Form {
	if r.lenient {
		form |= uri.Lenient
	}
	return form
}
