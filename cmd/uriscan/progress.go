package main

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// A run shorter than patience gets no progress bar.
const (
	patience = 500 * time.Millisecond
	redraw   = 100 * time.Millisecond
)

// A progress is standard error, with a progress bar below what is written to it. Without a terminal there is
// never a bar.
type progress struct {
	stderr io.Writer
	mu     sync.Mutex
	bar    *progressbar.ProgressBar // nil before it is first drawn
	done   chan struct{}            // nil if there never is a bar
}

// newProgress returns standard error for a job. Rows that scroll by on the same terminal are progress enough.
func (a *app) newProgress(in *input, all []argument, j job) *progress {
	p := &progress{stderr: a.stderr}
	scrolls := isTerminal(a.stdout) && j.finish == nil
	if a.quiet || scrolls || !isTerminal(a.stderr) {
		return p
	}
	p.done = make(chan struct{})
	size := totalSize(all)
	go p.draw(in, size)
	return p
}

// totalSize returns the size of all files, or -1 if it is not known.
func totalSize(all []argument) (size int64) {
	for _, arg := range all {
		if arg.name == "" {
			continue
		}
		info, err := os.Stat(arg.name)
		if err != nil || !info.Mode().IsRegular() {
			return -1
		}
		size += info.Size()
	}
	return size
}

// draw draws the bar until the job is done.
func (p *progress) draw(in *input, size int64) {
	for wait := patience; ; wait = redraw {
		select {
		case <-p.done:
			return
		case <-time.After(wait):
		}
		p.mu.Lock()
		select {
		case <-p.done:
		default:
			if p.bar == nil {
				p.bar = progressbar.NewOptions64(size,
					progressbar.OptionSetWriter(p.stderr),
					progressbar.OptionSetDescription("uriscan"),
					progressbar.OptionShowBytes(true),
					progressbar.OptionShowCount(),
					progressbar.OptionSetWidth(30),
					progressbar.OptionClearOnFinish(),
					progressbar.OptionSetSpinnerChangeInterval(0), // otherwise it draws by itself, and never stops
				)
			}
			p.bar.Set64(in.read.Load())
		}
		p.mu.Unlock()
	}
}

// Write writes above the bar.
func (p *progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.bar.Clear()
	}
	return p.stderr.Write(b)
}

// finish removes the bar.
func (p *progress) finish() {
	if p.done == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.done)
	if p.bar != nil {
		p.bar.Clear()
	}
}
