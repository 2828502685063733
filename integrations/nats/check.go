package urinats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// What a consumer and streams must allow at least.
const (
	minAckWait = 100 * time.Millisecond
	minLimit   = 4 << 10 // bytes of a message
)

// prepare checks the configuration of the worker, and then that of the streams and the consumer.
func (w *Worker) prepare(ctx context.Context) (*run, error) {
	r := &run{
		Worker:     w,
		parallel:   cmp.Or(w.Parallel, 4*runtime.GOMAXPROCS(0)),
		maxDeliver: cmp.Or(w.MaxDeliver, 5),
		timeout:    cmp.Or(w.Timeout, time.Minute),
		log:        cmp.Or(w.Log, slog.Default()),
		expires:    30 * time.Second,
		held:       map[*delivery]struct{}{},
	}
	if err := w.check(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 4*answer)
	defer cancel()
	r.nc = w.JetStream.Conn()
	r.batch = r.parallel
	if err := r.checkConsumer(ctx); err != nil {
		return nil, err
	}
	for _, t := range []struct {
		target *target
		prefix string
		field  string
	}{
		{&r.results, w.Results, "Results"},
		{&r.dead, w.DeadLetters, "DeadLetters"},
	} {
		if err := r.checkTarget(ctx, t.target, t.prefix); err != nil {
			return nil, fmt.Errorf("%s %q: %w", t.field, t.prefix, err)
		}
	}
	r.request.Store(&request{func() {}})
	r.slots = make(chan struct{}, r.parallel+r.batch)
	r.queue = make(chan *delivery, r.parallel+r.batch)
	return r, nil
}

// check checks each field of the worker.
func (w *Worker) check() error {
	switch {
	case w.JetStream == nil:
		return errors.New("JetStream is nil")
	case w.Func == nil:
		return errors.New("Func is nil")
	case w.Parallel < 0:
		return fmt.Errorf("negative Parallel %d", w.Parallel)
	case w.MaxDeliver < 0:
		return fmt.Errorf("negative MaxDeliver %d", w.MaxDeliver)
	case w.Timeout < 0:
		return fmt.Errorf("negative Timeout %v", w.Timeout)
	}
	for _, name := range []struct{ field, value string }{{"Stream", w.Stream}, {"Consumer", w.Consumer}} {
		if err := checkToken(name.value); err != nil {
			return fmt.Errorf("%s %q: %w", name.field, name.value, err)
		}
	}
	for _, subject := range []struct{ field, value string }{
		{"Results", w.Results},
		{"DeadLetters", w.DeadLetters},
	} {
		for token := range strings.SplitSeq(subject.value, ".") {
			if err := checkToken(token); err != nil {
				return fmt.Errorf("%s %q: each token of the subject: %w", subject.field, subject.value, err)
			}
		}
	}
	if within(w.Results, w.DeadLetters) || within(w.DeadLetters, w.Results) {
		return fmt.Errorf("DeadLetters %q: one of DeadLetters and Results begins with the other, %q", w.DeadLetters,
			w.Results)
	}
	return nil
}

// within reports whether a subject begins with all tokens of another.
func within(subject, prefix string) bool { return strings.HasPrefix(subject+".", prefix+".") }

func checkToken(token string) error {
	if token == "" {
		return errors.New("must not be empty")
	}
	if strings.ContainsFunc(token,
		func(c rune) bool { return c <= ' ' || c == 0x7F || strings.ContainsRune(".*>/\\", c) }) {
		return errors.New("must not contain a dot, wildcard, slash, backslash, space or control character")
	}
	return nil
}

// checkConsumer checks that the consumer delivers whole blocks again and again until they are acknowledged.
func (r *run) checkConsumer(ctx context.Context) (err error) {
	if _, err = r.JetStream.Stream(ctx, r.Stream); err != nil {
		return fmt.Errorf("stream %q: %w", r.Stream, err)
	}
	r.consumer, err = r.JetStream.Consumer(ctx, r.Stream, r.Consumer)
	if err != nil {
		return fmt.Errorf("consumer %q of stream %q: %w", r.Consumer, r.Stream, err)
	}
	c := r.consumer.CachedInfo().Config
	r.ackWait = c.AckWait
	if len(c.BackOff) > 0 { // it replaces AckWait
		r.ackWait = slices.Min(c.BackOff)
	}
	if c.MaxRequestBatch > 0 {
		r.batch = min(r.batch, c.MaxRequestBatch)
	}
	if c.MaxRequestExpires > 0 {
		r.expires = min(r.expires, c.MaxRequestExpires)
	}
	fault := func() error {
		switch {
		case c.AckPolicy != jetstream.AckExplicitPolicy:
			return errors.New("AckPolicy must be explicit, because blocks are acknowledged one by one")
		case c.MaxDeliver > 0:
			return fmt.Errorf("has MaxDeliver %d; it must be -1, because the server leaves a block that reaches it "+
				"unprocessed; the worker has a MaxDeliver of its own", c.MaxDeliver)
		case r.ackWait < minAckWait:
			return fmt.Errorf("has AckWait or BackOff %v; it must be at least %v, so that the worker can "+
				"extend it in time", r.ackWait, minAckWait)
		case c.HeadersOnly:
			return errors.New("HeadersOnly must not be set, because the worker would get empty blocks")
		case len(c.PriorityGroups) > 0:
			return errors.New("PriorityGroups must be empty; the worker has no group")
		case c.MaxRequestMaxBytes > 0:
			return errors.New("MaxRequestMaxBytes must not be set; the worker asks for numbers of blocks")
		case r.expires < 2*heartbeat+time.Second:
			return fmt.Errorf("has MaxRequestExpires %v; it must be at least %v", r.expires, 2*heartbeat+time.Second)
		}
		return nil
	}
	if err := fault(); err != nil {
		return fmt.Errorf("consumer %q of stream %q: %w", r.Consumer, r.Stream, err)
	}
	return nil
}

// window returns how long the server must remember identities. A worker that is killed after it has published
// a result has its block delivered again after AckWait. Then the next worker may take Timeout before it
// publishes the result again, or is killed as well, and so on.
func (r *run) window() time.Duration {
	c := r.consumer.CachedInfo().Config
	return time.Duration(r.maxDeliver) * (slices.Max(append(c.BackOff, c.AckWait)) + r.timeout)
}

// checkTarget finds the stream that stores the subjects below prefix, and checks that it stores each message
// once and keeps it.
func (r *run) checkTarget(ctx context.Context, t *target, prefix string) error {
	t.prefix = prefix
	name, err := r.JetStream.StreamNameBySubject(ctx, prefix+".x.1.1")
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("no stream stores the subject %s.>", prefix)
	}
	if err != nil {
		return err
	}
	t.stream, err = r.JetStream.Stream(ctx, name)
	if err != nil {
		return fmt.Errorf("stream %q: %w", name, err)
	}
	c := t.stream.CachedInfo().Config
	t.limit = int(min(r.nc.MaxPayload(), 1<<30))
	if c.MaxMsgSize > 0 {
		t.limit = min(t.limit, int(c.MaxMsgSize))
	}
	fault := func() error {
		switch window := r.window(); {
		case name == r.Stream:
			return errors.New("is the work queue itself")
		case !covers(c.Subjects, prefix):
			return fmt.Errorf("does not store all subjects that match %s.>", prefix)
		case c.Retention != jetstream.LimitsPolicy:
			return fmt.Errorf("has Retention %v; it must be limits, because the server forgets messages that it "+
				"removes, and would store them again", c.Retention)
		case c.Duplicates < window:
			return fmt.Errorf("has Duplicates %v; it must be at least %v = MaxDeliver %d * (AckWait or BackOff %v + "+
				"Timeout %v), so that it outlasts redeliveries", c.Duplicates, window, r.maxDeliver,
				window/time.Duration(r.maxDeliver)-r.timeout, r.timeout)
		case c.NoAck:
			return errors.New("NoAck must not be set, because the worker waits for acknowledgements")
		case c.PersistMode != jetstream.DefaultPersistMode:
			return errors.New("PersistMode must be the default, because the server would acknowledge what it " +
				"may lose")
		case c.Sealed:
			return errors.New("is sealed")
		case c.SubjectTransform != nil:
			return errors.New("SubjectTransform must not be set, because the subject identifies a message")
		case c.AllowMsgCounter:
			return errors.New("AllowMsgCounter must not be set")
		case t.limit < minLimit:
			return fmt.Errorf("has MaxMsgSize or the server's max_payload %d bytes; it must be at least %d",
				t.limit, minLimit)
		}
		return nil
	}
	if err := fault(); err != nil {
		return fmt.Errorf("stream %q: %w", name, err)
	}
	t.limit -= reserved + len(r.Stream)
	return nil
}

// covers reports whether one of the patterns matches all subjects that begin with prefix and have more
// tokens.
func covers(patterns []string, prefix string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		tokens := strings.Split(prefix, ".")
		for i, token := range strings.Split(pattern, ".") {
			switch {
			case token == ">":
				return true // i <= len(tokens) holds
			case i >= len(tokens), token != "*" && token != tokens[i]:
				return false
			}
		}
		return false
	})
}
