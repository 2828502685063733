// Package queue has what the command and the tests share: a server in this process, a work queue in it,
// functions for the workers, and the sum of their results.
package queue

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
	urinats "github.com/seed-56a50ac9/uri/integrations/nats"
	"github.com/seed-56a50ac9/uri/internal/blocks"
)

// Start starts a server in this process, at a free port of 127.0.0.1, that keeps its streams in the folder.
// Changes are to its options.
func Start(folder string, changes ...func(*server.Options)) (*server.Server, error) {
	options := &server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: folder, NoSigs: true, NoLog: true,
	}
	for _, change := range changes {
		change(options)
	}
	s, err := server.NewServer(options)
	if err != nil {
		return nil, err
	}
	s.Start()
	if !s.ReadyForConnections(30 * time.Second) {
		s.Shutdown()
		return nil, errors.New("the embedded server does not start")
	}
	return s, nil
}

// Names are those of a work queue and of what belongs to it.
type Names struct {
	Stream      string // the work queue
	Subject     string // of the blocks
	Consumer    string
	Results     string // the first tokens of the subjects, and the name of the stream
	DeadLetters string
}

// Limits are how long a block may take.
type Limits struct {
	MaxDeliver int
	AckWait    time.Duration
	Timeout    time.Duration
}

// Create creates the streams and the consumer that are missing, as workers need them.
func Create(ctx context.Context, js jetstream.JetStream, n Names, l Limits) error {
	window := max(time.Duration(l.MaxDeliver)*(l.AckWait+l.Timeout), 2*time.Minute)
	for _, c := range []jetstream.StreamConfig{
		{Name: n.Stream, Subjects: []string{n.Subject}, Retention: jetstream.WorkQueuePolicy},
		{Name: n.Results, Subjects: []string{n.Results + ".>"}, Duplicates: window},
		{Name: n.DeadLetters, Subjects: []string{n.DeadLetters + ".>"}, Duplicates: window},
	} {
		if _, err := js.CreateStream(ctx, c); err != nil && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			return fmt.Errorf("cannot create stream %q: %w", c.Name, err)
		}
	}
	_, err := js.CreateConsumer(ctx, n.Stream, jetstream.ConsumerConfig{
		Durable: n.Consumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: l.AckWait, MaxDeliver: -1,
	})
	if err != nil && !errors.Is(err, jetstream.ErrConsumerExists) {
		return fmt.Errorf("cannot create consumer %q: %w", n.Consumer, err)
	}
	return nil
}

// Cut cuts data into blocks of at most size bytes that end where lines end. A longer line is a block.
func Cut(data []byte, size int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(data) > 0 {
			end := len(data)
			if end > size {
				if end = bytes.LastIndexByte(data[:size], '\n') + 1; end == 0 {
					if end = bytes.IndexByte(data, '\n') + 1; end == 0 {
						end = len(data)
					}
				}
			}
			if !yield(data[:end]) {
				return
			}
			data = data[end:]
		}
	}
}

// Send publishes the blocks, and returns their number once the server has stored all.
func Send(ctx context.Context, js jetstream.JetStream, subject string, all iter.Seq[[]byte]) (n int,
	err error,
) {
	var futures []jetstream.PubAckFuture
	wait := func() error {
		for _, f := range futures {
			select {
			case <-f.Ok():
			case err := <-f.Err():
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		futures = futures[:0]
		return nil
	}
	for block := range all {
		future, err := js.PublishAsync(subject, block)
		if err != nil {
			return n, err
		}
		n++
		if futures = append(futures, future); len(futures) == 256 {
			if err := wait(); err != nil {
				return n, err
			}
		}
	}
	return n, wait()
}

// Empty waits until each block of the work queue is acknowledged.
func Empty(ctx context.Context, js jetstream.JetStream, n Names) error {
	for {
		request, cancel := context.WithTimeout(ctx, 2*time.Second) // a server that stops never responds
		stream, err := js.Stream(request, n.Stream)
		cancel()
		if err == nil && stream.CachedInfo().State.Msgs == 0 {
			return nil
		}
		// After a crash of the server, a block that was acknowledged may stay in the stream.
		request, cancel = context.WithTimeout(ctx, 2*time.Second)
		consumer, err := js.Consumer(request, n.Stream, n.Consumer)
		cancel()
		if err == nil && consumer.CachedInfo().NumPending == 0 && consumer.CachedInfo().NumAckPending == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Each calls take with each message of a stream, in order.
func Each(ctx context.Context, js jetstream.JetStream, stream string, take func(jetstream.Msg) error) error {
	s, err := js.Stream(ctx, stream)
	if err != nil {
		return err
	}
	consumer, err := s.CreateConsumer(ctx, jetstream.ConsumerConfig{AckPolicy: jetstream.AckNonePolicy})
	if err != nil {
		return err
	}
	defer func() { _ = s.DeleteConsumer(ctx, consumer.CachedInfo().Name) }()
	for left := consumer.CachedInfo().NumPending; left > 0; {
		batch, err := consumer.Fetch(int(min(left, 200)), jetstream.FetchMaxWait(5*time.Second))
		if err != nil {
			return err
		}
		for msg := range batch.Messages() {
			left--
			if err := take(msg); err != nil {
				return err
			}
		}
		if err := batch.Error(); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// Sum returns the sum of all counts in a stream of results. The first record of a result is stored last.
// Other records count only with it: if it is missing, the block is not finished, or was rejected.
func Sum(ctx context.Context, js jetstream.JetStream, stream string) (sum blocks.Counts, err error) {
	waiting := map[string]*blocks.Counts{} // by the subject of the first record
	err = Each(ctx, js, stream, func(msg jetstream.Msg) error {
		var c blocks.Counts
		if err := json.Unmarshal(msg.Data(), &c); err != nil {
			return fmt.Errorf("a result is no counts: %w", err)
		}
		subject, part := msg.Subject(), msg.Headers().Get(urinats.HeaderPart)
		if part != "" && !strings.HasPrefix(part, "1/") {
			first := subject[:strings.LastIndexByte(subject, '.')]
			if others := waiting[first]; others != nil {
				c.Add(others)
			}
			waiting[first] = &c
			return nil
		}
		if others := waiting[subject]; others != nil {
			c.Add(others)
			delete(waiting, subject)
		}
		sum.Add(&c)
		return nil
	})
	return sum, err
}

// errBinary rejects a block.
var errBinary = errors.New("binary data, not lines")

// Counter returns a function that counts the values of a component in each block. See [blocks.New].
func Counter(lines, component string, lenient bool) (urinats.Func, error) {
	return each(lines, component, lenient, func(j *blocks.Job, b *urinats.Block) error {
		var c blocks.Counts
		j.Count(&c, b.Data, b.Reject)
		records, err := c.Records(b.Limit)
		for _, record := range records {
			b.Add(record)
		}
		return err
	})
}

// Adder returns a function that adds components to the lines of each block. See [blocks.New].
func Adder(lines, components string, lenient bool) (urinats.Func, error) {
	return each(lines, components, lenient, func(j *blocks.Job, b *urinats.Block) error {
		b.AddLines(j.AppendComponents(make([]byte, 0, 2*len(b.Data)), b.Data, b.Reject))
		return nil
	})
}

// each returns a function that does the work of a job, which is for one goroutine at a time.
func each(lines, components string, lenient bool, work func(*blocks.Job, *urinats.Block) error) (urinats.Func,
	error,
) {
	if _, err := blocks.New(lines, components, lenient); err != nil {
		return nil, err
	}
	jobs := sync.Pool{New: func() any {
		j, _ := blocks.New(lines, components, lenient)
		return j
	}}
	return func(_ context.Context, b *urinats.Block) error {
		if bytes.IndexByte(b.Data, 0) >= 0 {
			return errBinary
		}
		j := jobs.Get().(*blocks.Job)
		defer jobs.Put(j)
		return work(j, b)
	}, nil
}
