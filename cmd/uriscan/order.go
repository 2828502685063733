package main

import (
	"io"
	"sync"
)

// An order lets the workers write what they made of their blocks in the order of the blocks.
type order struct {
	stdout, stderr io.Writer

	mu      sync.Mutex
	changed *sync.Cond
	turn    uint64          // the block whose worker may write
	passed  map[uint64]bool // blocks after turn that have nothing to write
	err     error           // why nothing more may be written
	failed  chan struct{}   // closed if there is such an error

	writing sync.Mutex // held during a write to stdout
}

func newOrder(stdout, stderr io.Writer) *order {
	o := &order{stdout: stdout, stderr: stderr, passed: map[uint64]bool{}, failed: make(chan struct{})}
	o.changed = sync.NewCond(&o.mu)
	return o
}

// await waits for the turn of the block. It returns false if nothing more may be written.
func (o *order) await(seq uint64) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.turn != seq && o.err == nil {
		o.changed.Wait()
	}
	return o.err == nil
}

// pass ends the block. Its worker need not wait for its turn if it has nothing more to write.
func (o *order) pass(seq uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.passed[seq] = true
	for o.passed[o.turn] {
		delete(o.passed, o.turn)
		o.turn++
	}
	o.changed.Broadcast()
}

// write writes whole lines of output, and then the reports, so that no report overtakes the output of the
// lines before it.
func (o *order) write(out, reports []byte) {
	o.writing.Lock()
	defer o.writing.Unlock()
	if len(out) > 0 && o.failure() == nil {
		if _, err := o.stdout.Write(out); err != nil {
			o.fail(err)
		}
	}
	if len(reports) > 0 {
		o.stderr.Write(reports)
	}
}

// fail stops all writing to stdout. The first error counts.
func (o *order) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = err
		close(o.failed)
	}
	o.changed.Broadcast()
}

// failure returns why nothing more may be written, or nil.
func (o *order) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
