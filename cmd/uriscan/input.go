package main

import (
	"io"
	"sync"
	"sync/atomic"
)

// An input hands out the blocks of all sources, one after the other. One file is open at a time.
type input struct {
	open     func(name string) (io.ReadCloser, error)
	stdin    io.Reader
	single   bool // there is one source, which reports need not name
	anything bool // read binary data and logs as text
	hints    bool // refuse logs if none was announced

	mu        sync.Mutex
	arguments []argument // not yet opened
	source    *source    // open
	cutter    cutter
	decoder   decoder
	blocks    uint64 // handed out
	stopped   bool

	read atomic.Int64 // bytes, before decompression
	text int64        // bytes, after decompression
}

// next reads the next block into b. It returns false after the last one.
func (in *input) next(b *block) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	for !in.stopped {
		b.err = nil
		if in.source == nil {
			if len(in.arguments) == 0 {
				return false
			}
			in.source, b.err = in.openSource(in.arguments[0])
			in.arguments = in.arguments[1:]
			if b.err != nil {
				b.data, b.tooLong = b.data[:0], false
				return in.handOut(b)
			}
			in.cutter.open(in.source.text, in.source.greedy)
		}
		err := in.cutter.next(b)
		if err == nil {
			in.text += int64(len(b.data))
			return in.handOut(b)
		}
		s := in.source
		in.source = nil
		s.file.Close()
		if err != io.EOF {
			b.source, b.data, b.tooLong, b.err = s, b.data[:0], false, named(s, err)
			return in.handOut(b)
		}
	}
	return false
}

// handOut gives the block its number.
func (in *input) handOut(b *block) bool {
	if in.source != nil {
		b.source = in.source
	}
	b.seq = in.blocks
	in.blocks++
	return true
}

// close makes next return false, and closes the source, unless a worker waits for it.
func (in *input) close() {
	if !in.mu.TryLock() {
		return
	}
	defer in.mu.Unlock()
	in.stopped = true
	if in.source != nil {
		in.source.file.Close()
		in.source = nil
	}
}
