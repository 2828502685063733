package urinats_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	urinats "github.com/seed-56a50ac9/uri/integrations/nats"
	"github.com/seed-56a50ac9/uri/integrations/nats/internal/queue"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSlow has functions that take longer than AckWait, and blocks that wait for them even longer. In the
// control nothing tells the server that the worker still has them.
func TestSlow(t *testing.T) {
	t.Parallel()
	for _, control := range []bool{false, true} {
		t.Run(fmt.Sprint("control=", control), func(t *testing.T) {
			t.Parallel()
			f := startEmpty(t)
			f.limits.AckWait = time.Second // the machine may be busy
			require.NoError(t, queue.Create(t.Context(), f.js, names, f.limits))
			var calls atomic.Int64
			slow := func(_ context.Context, b *urinats.Block) error {
				calls.Add(1)
				time.Sleep(2 * f.limits.AckWait)
				b.Add(b.Data)
				return nil
			}
			blocks := []string{"1\n", "2\n", "3\n", "4\n"}
			f.send(blocks...)
			w := f.worker(slow)
			w.Parallel = 2          // and two wait
			other := f.worker(slow) // takes what is delivered again
			if control {
				w.JetStream, other.JetStream = silent{f.js}, silent{f.js}
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var running sync.WaitGroup
			running.Go(func() {
				for f.pending() < len(blocks) {
					time.Sleep(time.Millisecond)
				}
				_ = other.Run(ctx)
			})
			f.run(w)
			cancel()
			running.Wait()
			assert.ElementsMatch(t, blocks, f.results())
			again := w.Stats().Redelivered + other.Stats().Redelivered
			if control {
				assert.Positive(t, again)
				return
			}
			assert.Zero(t, again)
			assert.EqualValues(t, len(blocks), calls.Load())
		})
	}
}

// pending returns how many blocks workers have.
func (f *fixture) pending() int {
	c, err := f.js.Consumer(f.t.Context(), names.Stream, names.Consumer)
	if err != nil {
		return 0
	}
	return c.CachedInfo().NumAckPending
}

// A silent connection hands out messages that never say that they are in progress.
type silent struct{ jetstream.JetStream }

type silentConsumer struct{ jetstream.Consumer }

type silentBatch struct{ jetstream.MessageBatch }

type silentMsg struct{ jetstream.Msg }

func (s silent) Consumer(ctx context.Context, stream, name string) (jetstream.Consumer, error) {
	c, err := s.JetStream.Consumer(ctx, stream, name)
	return silentConsumer{c}, err
}

func (c silentConsumer) Fetch(n int, opts ...jetstream.FetchOpt) (jetstream.MessageBatch, error) {
	b, err := c.Consumer.Fetch(n, opts...)
	return silentBatch{b}, err
}

func (b silentBatch) Messages() <-chan jetstream.Msg {
	out := make(chan jetstream.Msg)
	go func() {
		defer close(out)
		for m := range b.MessageBatch.Messages() {
			out <- silentMsg{m}
		}
	}()
	return out
}

func (silentMsg) InProgress() error { return nil }

// TestTimeout has a function that does not return in time for its first block, whether or not it obeys its
// context, and one that never does.
func TestTimeout(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"obeys", "late", "always"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			f := startEmpty(t)
			f.limits.Timeout = 200 * time.Millisecond
			f.limits.AckWait = 200 * time.Millisecond
			require.NoError(t, queue.Create(t.Context(), f.js, names, f.limits))
			var calls atomic.Int64
			f.send("1\n", "2\n")
			w := f.worker(func(ctx context.Context, b *urinats.Block) error {
				if string(b.Data) == "1\n" && (calls.Add(1) == 1 || kind == "always") {
					<-ctx.Done()
					if kind == "late" {
						time.Sleep(f.limits.Timeout)
						b.Add([]byte("late"))
						return nil
					}
					return ctx.Err()
				}
				b.Add(b.Data)
				return nil
			})
			f.run(w)
			if kind == "always" {
				assert.Equal(t, []string{"2\n"}, f.results())
				letters := f.letters()
				require.Len(t, letters, 1)
				assert.Equal(t, "delivered 3 times without a result", letters[0].Headers().Get(urinats.HeaderReason))
				assert.EqualValues(t, 3, w.Stats().Abandoned)
				return
			}
			assert.Equal(t, []string{"2\n", "1\n"}, f.results())
			assert.EqualValues(t, 1, w.Stats().Abandoned)
		})
	}
}

// TestRestart restarts the server while a worker runs.
func TestRestart(t *testing.T) {
	t.Parallel()
	f := start(t)
	var want []string
	for i := range 400 {
		want = append(want, fmt.Sprintf("block %d\n", i))
	}
	f.send(want...)
	w := f.worker(func(_ context.Context, b *urinats.Block) error {
		time.Sleep(5 * time.Millisecond)
		b.Add(b.Data)
		b.Reject(1, b.Data, errors.New("reason"))
		return nil
	})
	restarted := make(chan error)
	go func() {
		var err error
		for i := int64(1); i <= 2 && err == nil; i++ {
			for w.Stats().Blocks < 100*i {
				time.Sleep(time.Millisecond)
			}
			port := f.server.Addr().(*net.TCPAddr).Port
			f.stop()
			time.Sleep(300 * time.Millisecond)
			f.server, err = queue.Start(f.folder, func(o *server.Options) { o.Port = port })
		}
		restarted <- err
	}()
	f.run(w)
	require.NoError(t, <-restarted)
	assert.ElementsMatch(t, want, f.results())
	assert.Len(t, f.letters(), 400)
	t.Logf("%+v", w.Stats())
}

// TestNoLeader has a server that refuses to publish for a while.
func TestNoLeader(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.send("1\n", "2\n", "3\n", "4\n", "5\n", "6\n")
	var calls atomic.Int64
	w := f.worker(echo)
	w.JetStream = &meddler{
		f.js,
		func(ctx context.Context, m *nats.Msg, next publisher) (*jetstream.PubAck, error) {
			switch calls.Add(1) {
			case 1:
				return nil, jetstream.ErrNoStreamResponse
			case 2:
				return nil, fmt.Errorf("nats: %w",
					&jetstream.APIError{Code: 503, ErrorCode: 10008, Description: "unavailable"})
			case 3: // the acknowledgement is lost
				_, _ = next(ctx, m)
				return nil, nats.ErrTimeout
			case 4: // the server could not look for a message with the subject
				return nil, fmt.Errorf("nats: %w", &jetstream.APIError{
					Code: 400, ErrorCode: 10071, Description: "wrong last sequence: 0",
				})
			case 5: // another message with the subject is being stored
				return nil, fmt.Errorf("nats: %w", &jetstream.APIError{Code: 400, ErrorCode: 10164})
			}
			return next(ctx, m)
		},
	}
	f.run(w)
	assert.ElementsMatch(t, []string{"1\n", "2\n", "3\n", "4\n", "5\n", "6\n"}, f.results())
	assert.EqualValues(t, 5, w.Stats().PublishErrors)
	assert.EqualValues(t, 1, w.Stats().Duplicates)
}

// TestRefused has a server that refuses a result for good, after its limits were changed.
func TestRefused(t *testing.T) {
	t.Parallel()
	f := start(t)
	big := strings.Repeat("x", 10_000)
	w := f.worker(func(ctx context.Context, b *urinats.Block) error {
		s, err := f.js.Stream(ctx, names.Results)
		if err != nil {
			return err
		}
		c := s.CachedInfo().Config
		c.MaxMsgSize = 5000
		if _, err := f.js.UpdateStream(ctx, c); err != nil {
			return err
		}
		b.Add(b.Data)
		return nil
	})
	f.send(big)
	f.run(w)
	assert.Empty(t, f.results())
	letters := f.letters()
	require.Len(t, letters, 1)
	assert.Equal(t, big, string(letters[0].Data()))
	assert.Contains(t, letters[0].Headers().Get(urinats.HeaderReason), "message size exceeds maximum allowed")
}

// TestStop stops a worker that has blocks, and one whose server is away.
func TestStop(t *testing.T) {
	t.Parallel()
	t.Run("finishes", func(t *testing.T) {
		t.Parallel()
		f := start(t)
		f.send("1\n", "2\n", "3\n", "4\n", "5\n", "6\n")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		w := f.worker(func(_ context.Context, b *urinats.Block) error {
			cancel()
			time.Sleep(100 * time.Millisecond)
			b.Add(b.Data)
			return nil
		})
		w.Parallel = 1 // and one more at hand
		require.NoError(t, w.Run(ctx))
		stats := w.Stats()
		assert.Positive(t, stats.Blocks)
		assert.Zero(t, stats.Abandoned)
		assert.Len(t, f.results(), int(stats.Blocks))
		c, err := f.js.Consumer(t.Context(), names.Stream, names.Consumer)
		require.NoError(t, err)
		assert.EqualValues(t, 6-stats.Blocks, c.CachedInfo().NumPending+uint64(c.CachedInfo().NumAckPending))

		f.run(f.worker(echo))
		assert.ElementsMatch(t, []string{"1\n", "2\n", "3\n", "4\n", "5\n", "6\n"}, f.results())
	})
	t.Run("abandons", func(t *testing.T) {
		t.Parallel()
		f := start(t)
		f.limits.Timeout = 300 * time.Millisecond
		f.send("1\n")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		w := f.worker(func(_ context.Context, b *urinats.Block) error {
			f.stop()
			cancel()
			b.Add(b.Data)
			return nil
		})
		begun := time.Now()
		require.NoError(t, w.Run(ctx))
		assert.Less(t, time.Since(begun), 10*time.Second)
		assert.EqualValues(t, 1, w.Stats().Abandoned)
		assert.Zero(t, w.Stats().Blocks)
	})
	t.Run("hangs", func(t *testing.T) {
		t.Parallel()
		f := start(t)
		f.limits.Timeout = 300 * time.Millisecond
		f.send("1\n")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		forever := make(chan struct{})
		defer close(forever)
		w := f.worker(func(context.Context, *urinats.Block) error {
			cancel()
			<-forever
			return nil
		})
		assert.EqualError(t, w.Run(ctx), "urinats: a function did not return after its timeout")
	})
	t.Run("at once", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		assert.NoError(t, start(t).worker(echo).Run(ctx))
	})
}

// TestGone deletes what a worker needs, and closes its connection.
func TestGone(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]struct {
		remove func(f *fixture) error
		want   error
	}{
		"consumer": {func(f *fixture) error {
			return f.connect().DeleteConsumer(t.Context(), names.Stream, names.Consumer)
		}, jetstream.ErrConsumerNotFound},
		"stream": {func(f *fixture) error {
			return f.connect().DeleteStream(t.Context(), names.Stream)
		}, jetstream.ErrStreamNotFound},
		"connection": {func(f *fixture) error {
			f.js.Conn().Close()
			return nil
		}, nats.ErrConnectionClosed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := start(t)
			done := make(chan error)
			go func() { done <- f.worker(echo).Run(t.Context()) }()
			time.Sleep(200 * time.Millisecond)
			require.NoError(t, gone.remove(f))
			select {
			case err := <-done:
				assert.ErrorIs(t, err, gone.want)
			case <-time.After(10 * time.Second):
				assert.Fail(t, "the worker still runs")
			}
		})
	}
}
