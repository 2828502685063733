// Package urinats turns blocks of lines from a NATS JetStream work queue into results, each block exactly
// once.
//
// A [Worker] takes messages from a pull consumer, hands each to a function, publishes what the function makes
// of it, and acknowledges the message. Any number of workers, in any number of processes, share a consumer. A
// worker may be killed at any point; the message is then delivered again, to any worker:
//
//	delivered ── function ── published ── acknowledged
//	    ▲            │            │
//	    └────────────┴────────────┘ killed: delivered again after AckWait
//
// What was published already must not be stored again. Each message that a worker publishes therefore has an
// identity: the name of the work queue's stream, the block's sequence in it, and the time at which the stream
// stored the block, as in
//
//	results.LOG.17.dmc6s5z2kqw7
//
// The identity is the message's Nats-Msg-Id, so the server drops a second one within the duplicate window. It
// is also the message's subject, and the message is published on condition that no message has its subject,
// so the server refuses a second one at any later time.
//
// Lines and blocks that cannot be processed go to dead letters and are never lost.
package urinats

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A Func turns a block into results, with the methods of the block.
//
// It must make the same of a block whenever it is called, because a block may be delivered again after a part
// of its result was published. It must return when ctx is done, which is when [Worker.Timeout] has passed.
//
// An error rejects the whole block for good: the block goes to the dead letters, and nothing that the
// function made of it is published. A panic does the same. Errors must not quote the block: their texts go
// into logs. If the function fails after ctx is done, the block is delivered again.
//
// Functions are called from several goroutines. A function must not keep the block after it returns.
type Func func(ctx context.Context, b *Block) error

// A Worker processes the blocks of a work queue. Set its fields, then call [Worker.Run].
type Worker struct {
	// JetStream is the connection to the server. It must reconnect forever (nats.MaxReconnects(-1)) if the
	// worker is to survive long outages.
	JetStream jetstream.JetStream

	// Stream and Consumer name the work queue and its pull consumer. Both must exist. The consumer acknowledges
	// explicitly and has no limit of deliveries, because the server drops a block silently at its limit;
	// MaxDeliver is the worker's own.
	Stream   string
	Consumer string

	// Results and DeadLetters are the first tokens of the subjects to which the worker publishes. Streams must
	// exist that store "Results.>" and "DeadLetters.>". They keep messages (limits policy), and their duplicate
	// windows are at least MaxDeliver * (the consumer's AckWait + Timeout).
	//
	// Workers with different functions need different Results, because a block has one result for each.
	Results     string
	DeadLetters string

	// Func turns a block into results.
	Func Func

	// Parallel is how many blocks the worker processes at the same time. It holds as many again, to be processed
	// next. Zero means four per CPU.
	Parallel int

	// MaxDeliver is how often a block is delivered before the worker gives it up as a dead letter. It counts
	// deliveries that ended without a result: workers that were killed, and timeouts. Zero means 5.
	MaxDeliver int

	// Timeout is how long the function may take for a block. Until then the worker prevents another delivery,
	// however short AckWait is. It is also how long Run takes to stop, at most. Zero means a minute.
	Timeout time.Duration

	// Log receives what goes wrong. It never contains bytes of blocks. Nil means [slog.Default].
	Log *slog.Logger

	stats stats
}

// Stats are what a worker did. They count deliveries: a block that is delivered again is counted again,
// although its messages are stored once.
type Stats struct {
	Blocks        int64 // deliveries that ended with an acknowledgement, with a result or as a dead letter
	Results       int64 // records that were published
	DeadLines     int64 // rejected lines that were published as dead letters
	DeadBlocks    int64 // rejected blocks that were published as dead letters
	Duplicates    int64 // published messages that were stored already
	Redelivered   int64 // deliveries that were not the first of their block
	Abandoned     int64 // deliveries that ended without an acknowledgement: after a timeout, or at a stop
	PublishErrors int64 // errors after which a message was published again
}

type stats struct {
	blocks, results, deadLines, deadBlocks, duplicates, redelivered, abandoned, publishErrors atomic.Int64
}

// Stats returns what the worker did until now.
func (w *Worker) Stats() Stats {
	s := &w.stats
	return Stats{
		Blocks: s.blocks.Load(), Results: s.results.Load(), DeadLines: s.deadLines.Load(),
		DeadBlocks: s.deadBlocks.Load(), Duplicates: s.duplicates.Load(), Redelivered: s.redelivered.Load(),
		Abandoned: s.abandoned.Load(), PublishErrors: s.publishErrors.Load(),
	}
}

// Run processes blocks until ctx is done. It then takes no more blocks, finishes those that it has, and
// returns nil.
//
// Run returns an error if the configuration of the worker, the streams or the consumer does not allow it to
// process each block exactly once, and if the consumer is deleted or the connection is closed. All other
// faults, such as a server that is away, delay it.
func (w *Worker) Run(ctx context.Context) error {
	r, err := w.prepare(ctx)
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return fmt.Errorf("urinats: %w", err)
	}
	// Blocks that the worker has are finished after ctx is done.
	work, abandon := context.WithCancelCause(context.WithoutCancel(ctx))
	defer abandon(nil)
	defer context.AfterFunc(ctx, func() {
		time.AfterFunc(r.timeout, func() { abandon(errStopped) })
	})()

	var blocks sync.WaitGroup
	for range r.parallel {
		blocks.Go(func() {
			for d := range r.queue {
				r.process(work, d)
				r.release(d)
			}
		})
	}
	beats := make(chan struct{})
	go r.keep(beats)
	changes := r.nc.StatusChanged(nats.RECONNECTING, nats.CLOSED)
	go func() {
		for range changes {
			r.request.Load().cancel()
		}
	}()
	err = r.fetch(ctx)
	r.nc.RemoveStatusListener(changes)
	if err != nil {
		time.AfterFunc(r.timeout, func() { abandon(errStopped) })
	}
	close(r.queue)
	finished := make(chan struct{})
	go func() {
		blocks.Wait()
		close(finished)
	}()
	select {
	case <-finished:
	case <-work.Done():
		select {
		case <-finished:
		case <-time.After(time.Second):
			err = errors.Join(err, errors.New("a function did not return after its timeout"))
		}
	}
	close(beats)
	// The server has all acknowledgements before Run returns.
	flush, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = r.nc.FlushWithContext(flush)
	if err != nil {
		return fmt.Errorf("urinats: %w", err)
	}
	return nil
}

var (
	errStopped = errors.New("the worker stopped")
	errTimeout = errors.New("the function took too long")
)

// A run is one call of Run.
type run struct {
	*Worker
	parallel   int
	maxDeliver int
	timeout    time.Duration
	log        *slog.Logger
	nc         *nats.Conn

	consumer jetstream.Consumer
	ackWait  time.Duration // the shortest of the consumer
	batch    int           // how many blocks to ask for
	expires  time.Duration // of a request for blocks
	results  target
	dead     target

	request atomic.Pointer[request] // for blocks, which is lost when the connection is
	queue   chan *delivery
	slots   chan struct{} // one for each block at hand or asked for
	mu      sync.Mutex
	held    map[*delivery]struct{}
}

type request struct{ cancel context.CancelFunc }

// A delivery is a block at hand.
type delivery struct {
	msg  jetstream.Msg
	meta *jetstream.MsgMetadata
	id   string // of the block

	mu      sync.Mutex
	kept    time.Time // when the server last heard of it
	expires time.Time // of the function, if it runs
}

// fetch hands blocks to the queue until ctx is done or there will be none. While one half of the blocks is
// processed, it asks for the other half.
func (r *run) fetch(ctx context.Context) error {
	wait := minWait
	for {
		for range r.batch {
			select {
			case r.slots <- struct{}{}:
			case <-ctx.Done():
				return nil
			}
		}
		n, err := r.fetchBatch(ctx)
		for range r.batch - n {
			<-r.slots
		}
		if ctx.Err() != nil {
			return nil
		}
		if err == nil || n > 0 {
			wait = minWait
		}
		if err == nil {
			continue
		}
		if r.nc.IsClosed() {
			return nats.ErrConnectionClosed
		}
		if errors.Is(err, jetstream.ErrNoHeartbeat) || errors.Is(err, context.Canceled) {
			continue // the request was lost with a connection or a server
		}
		if err := r.lost(ctx); err != nil {
			return err
		}
		r.log.Warn("urinats: cannot fetch blocks; will try again", "error", err, "after", wait)
		sleep(ctx, wait)
		wait = min(2*wait, maxWait)
	}
}

// lost returns an error if the consumer does not exist.
func (r *run) lost(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answer)
	defer cancel()
	_, err := r.consumer.Info(ctx)
	if errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("consumer %q of stream %q: %w", r.Consumer, r.Stream, err)
	}
	return nil
}

// fetchBatch asks for a batch of blocks, and returns how many it handed to the queue.
func (r *run) fetchBatch(ctx context.Context) (n int, err error) {
	ctx, cancel := context.WithTimeout(ctx, r.expires)
	defer cancel()
	r.request.Store(&request{cancel})
	if r.nc.IsClosed() {
		return 0, nats.ErrConnectionClosed
	}
	batch, err := r.consumer.Fetch(r.batch, jetstream.FetchContext(ctx), jetstream.FetchHeartbeat(heartbeat))
	if err != nil {
		return 0, err
	}
	for msg := range batch.Messages() {
		n++
		meta, err := msg.Metadata()
		if err != nil {
			return n - 1, err
		}
		d := &delivery{msg: msg, meta: meta, id: blockID(meta), kept: time.Now()}
		if meta.NumDelivered > 1 {
			r.stats.redelivered.Add(1)
		}
		r.mu.Lock()
		r.held[d] = struct{}{}
		r.mu.Unlock()
		r.queue <- d
	}
	if err = batch.Error(); errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) {
		err = nil // there were fewer
	}
	return n, err
}

// release makes room for another block.
func (r *run) release(d *delivery) {
	r.mu.Lock()
	delete(r.held, d)
	r.mu.Unlock()
	<-r.slots
}

// keep tells the server that the worker still has its blocks, so that AckWait does not expire.
func (r *run) keep(done <-chan struct{}) {
	every := r.ackWait / 4
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case now := <-ticker.C:
			r.mu.Lock()
			for d := range r.held {
				d.keep(now, every)
			}
			r.mu.Unlock()
		}
	}
}

func (d *delivery) keep(now time.Time, every time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now.Sub(d.kept) < every || !d.expires.IsZero() && now.After(d.expires) {
		return
	}
	d.kept = now
	_ = d.msg.InProgress() // if it cannot be sent, the next one may be
}

func (d *delivery) expire(at time.Time) {
	d.mu.Lock()
	d.expires = at
	d.mu.Unlock()
}

// process makes of a block what is to be made of it. It returns once the block is acknowledged, or left for
// another delivery.
func (r *run) process(work context.Context, d *delivery) {
	err := r.finish(work, d)
	if err == nil {
		r.stats.blocks.Add(1)
		return
	}
	r.stats.abandoned.Add(1)
	r.log.Warn("urinats: a block is left for another delivery", "stream", d.meta.Stream,
		"sequence", d.meta.Sequence.Stream, "delivered", d.meta.NumDelivered, "error", err)
	// Another worker may have it at once if this one stops. Otherwise it comes back later each time.
	if work.Err() != nil {
		_ = d.msg.Nak()
		return
	}
	_ = d.msg.NakWithDelay(min(minWait<<min(d.meta.NumDelivered, 10), maxWait))
}

// finish processes a block, publishes what comes of it, and acknowledges it. An error leaves the block for
// another delivery.
func (r *run) finish(work context.Context, d *delivery) error {
	if work.Err() != nil {
		return context.Cause(work)
	}
	if d.meta.NumDelivered > uint64(r.maxDeliver) {
		return r.reject(work, d, fmt.Errorf("delivered %d times without a result", r.maxDeliver))
	}
	b := newBlock(d, r.results.limit)
	err := r.call(work, d, b)
	if errors.Is(err, errTimeout) || work.Err() != nil && err != nil {
		return err
	}
	if err != nil {
		return r.reject(work, d, err)
	}
	if b.tooLong > 0 {
		return r.reject(work, d, fmt.Errorf("a record of its result has %d bytes; the limit is %d",
			b.tooLong, r.results.limit))
	}
	switch err := r.publishBlock(work, d, b); {
	case isRefused(err):
		return r.reject(work, d, err)
	case err != nil:
		return err
	}
	// A lost acknowledgement does no harm: the block is delivered again, and the server drops its result. After
	// that has happened, make sure.
	if d.meta.NumDelivered > 1 {
		if err := d.msg.DoubleAck(work); err == nil {
			return nil
		}
	}
	_ = d.msg.Ack()
	return nil
}

// call calls the function, and gives up waiting for nothing: a function that ignores its context blocks this
// worker's goroutine, but not the block, which is delivered again.
func (r *run) call(work context.Context, d *delivery, b *Block) (err error) {
	ctx, cancel := context.WithTimeoutCause(work, r.timeout, errTimeout)
	defer cancel()
	d.expire(time.Now().Add(r.timeout))
	defer d.expire(time.Time{})
	defer func() {
		if p := recover(); p != nil {
			err = r.panicked(d, p)
		}
	}()
	err = r.Func(ctx, b)
	if context.Cause(ctx) == errTimeout { // another worker may have the block
		return errTimeout
	}
	return err
}

// panicked makes an error of a panic. Errors of the runtime do not quote data; other values may.
func (r *run) panicked(d *delivery, p any) error {
	err := fmt.Errorf("the function panicked with a %T", p)
	if fault, ok := p.(runtime.Error); ok {
		err = fmt.Errorf("the function panicked: %w", fault)
	}
	stack := make([]byte, 8<<10)
	stack = stack[:runtime.Stack(stack, false)]
	r.log.Error("urinats: "+err.Error(), "stream", d.meta.Stream, "sequence", d.meta.Sequence.Stream,
		"stack", string(stack))
	return err
}

// reject makes a dead letter of a block, so that it is never delivered again. If a worker has published the
// block's result before, only its acknowledgement is missing.
func (r *run) reject(work context.Context, d *delivery, reason error) error {
	if d.meta.NumDelivered > 1 {
		switch stored, err := r.results.has(work, d.id); {
		case err != nil:
			return err
		case stored:
			return d.msg.DoubleAck(work)
		}
	}
	if err := r.publishDead(work, d, "", d.msg.Data(), reason, 0); err != nil {
		return err
	}
	r.stats.deadBlocks.Add(1)
	r.log.Warn("urinats: a block is a dead letter", "stream", d.meta.Stream,
		"sequence", d.meta.Sequence.Stream, "reason", cleanReason(reason))
	_ = d.msg.TermWithReason(cleanReason(reason))
	return nil
}

const (
	minWait   = 100 * time.Millisecond
	maxWait   = 5 * time.Second
	heartbeat = time.Second     // of the server, while the worker waits for blocks
	answer    = 5 * time.Second // the longest wait for a response, which a server that stops never sends
)

// sleep waits, unless ctx is done.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
