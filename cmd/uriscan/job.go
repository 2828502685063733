package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"
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
	if len(args) == 0 && isTerminal(a.stdin) && !a.quiet {
		fmt.Fprintln(a.stderr, "uriscan: reading from the terminal, until Ctrl-D; \"uriscan --help\" prints help")
	}
	in := &input{
		open: a.open, stdin: a.stdin, arguments: all, single: len(all) == 1,
		anything: a.reading.text, hints: read.extractor == nil, cutter: cutter{limit: a.reading.maxLine},
	}
	widen(a.stdin)
	widen(a.stdout)
	bar := a.newProgress(in, all, j)
	o := newOrder(a.stdout, bar)
	if j.table != nil {
		o.stdout = j.table
	}
	if len(j.header) > 0 {
		o.write(j.header, nil)
	}
	res := &result{}
	for range a.reading.workers() {
		w := &worker{
			input: in, order: o, form: read.form, limit: a.reading.maxLine, where: where, quiet: a.quiet,
		}
		if read.extractor != nil {
			w.extract = read.extractor()
		}
		w.use(j.newSink(w))
		res.workers = append(res.workers, w)
	}
	err = res.run(ctx, o)
	bar.finish()
	if err == nil {
		err = a.conclude(res, in, o, j)
	}
	in.close()
	switch i := (interruption{}); {
	case errors.As(err, &i):
		a.interrupt(i, o)
	case err != nil:
		a.fail(fmt.Errorf("standard output: %w", pathless(err)))
	case !a.quiet && !j.quietly:
		a.summarize(res, where != nil, j.summary)
	}
	return nil
}

// run lets the workers work. It returns early if nothing more can be written or after a signal: workers may
// wait for input for ever, so nobody waits for them.
func (r *result) run(ctx context.Context, o *order) error {
	start := time.Now()
	var group sync.WaitGroup
	for _, w := range r.workers {
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
	case <-o.failed:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	r.elapsed = time.Since(start)
	return o.failure()
}

// conclude adds up what the workers counted, and writes what the job has to say at its end. The error is one
// of writing.
func (a *app) conclude(r *result, in *input, o *order, j job) error {
	r.bytes = in.text
	for _, w := range r.workers {
		r.add(w.counts)
		if w.failed {
			a.status = exitFailure
		}
	}
	if a.strict && r.invalid > 0 {
		a.status = max(a.status, exitInvalid)
	}
	if j.finish != nil {
		o.write(j.finish(r), nil)
	}
	if err := o.failure(); err != nil || j.table == nil {
		return err
	}
	return j.table.end()
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
// one begins.
func (a *app) interrupt(i interruption, o *order) {
	ended := make(chan struct{})
	go func() {
		o.writing.Lock() // for good
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(grace):
	}
	a.status = exitSignal + int(i.number)
	if !a.quiet {
		fmt.Fprintf(a.stderr, "uriscan: %v\n", i)
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
