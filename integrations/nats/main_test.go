package urinats_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
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

// names are those of the queue in each test's server.
var names = queue.Names{
	Stream: "LOG", Subject: "log", Consumer: "workers", Results: "results", DeadLetters: "dead",
}

// limits are so short that redeliveries happen in tests.
var limits = queue.Limits{MaxDeliver: 3, AckWait: 500 * time.Millisecond, Timeout: 5 * time.Second}

// A fixture is a server with a work queue.
type fixture struct {
	t      *testing.T
	folder string
	server *server.Server
	js     jetstream.JetStream
	limits queue.Limits
}

// start starts a server with a work queue, which ends with the test.
func start(t *testing.T) *fixture {
	t.Helper()
	f := startEmpty(t)
	require.NoError(t, queue.Create(t.Context(), f.js, names, limits))
	return f
}

// startEmpty starts a server without streams.
func startEmpty(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{t: t, folder: t.TempDir(), limits: limits}
	var err error
	f.server, err = queue.Start(f.folder)
	require.NoError(t, err)
	t.Cleanup(f.stop)
	f.js = f.connect()
	return f
}

func (f *fixture) stop() {
	f.server.Shutdown()
	f.server.WaitForShutdown()
}

// connect returns another connection to the server.
func (f *fixture) connect() jetstream.JetStream {
	f.t.Helper()
	nc, err := nats.Connect(f.server.ClientURL(), nats.MaxReconnects(-1),
		nats.ReconnectWait(50*time.Millisecond))
	require.NoError(f.t, err)
	f.t.Cleanup(nc.Close)
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(time.Second))
	require.NoError(f.t, err)
	return js
}

// worker returns a worker that calls the function.
func (f *fixture) worker(function urinats.Func) *urinats.Worker {
	return &urinats.Worker{
		JetStream: f.js, Stream: names.Stream, Consumer: names.Consumer, Results: names.Results,
		DeadLetters: names.DeadLetters, Func: function, Parallel: 4, MaxDeliver: f.limits.MaxDeliver,
		Timeout: f.limits.Timeout, Log: slog.New(slog.DiscardHandler),
	}
}

// send fills the work queue.
func (f *fixture) send(blocks ...string) {
	f.t.Helper()
	for _, block := range blocks {
		_, err := f.js.Publish(f.t.Context(), names.Subject, []byte(block))
		require.NoError(f.t, err)
	}
}

// run runs the worker until the work queue is empty.
func (f *fixture) run(w *urinats.Worker) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), 30*time.Second)
	defer cancel()
	var empty error
	go func() {
		empty = queue.Empty(ctx, f.js, names)
		cancel()
	}()
	require.NoError(f.t, w.Run(ctx))
	require.NoError(f.t, empty)
	s, err := f.js.Stream(f.t.Context(), names.Stream)
	require.NoError(f.t, err)
	require.Zero(f.t, s.CachedInfo().State.Msgs, "the work queue has blocks")
}

// results returns the bodies of the results.
func (f *fixture) results() (bodies []string) {
	f.t.Helper()
	require.NoError(f.t, queue.Each(f.t.Context(), f.js, names.Results, func(m jetstream.Msg) error {
		bodies = append(bodies, string(m.Data()))
		return nil
	}))
	return bodies
}

// letters returns the dead letters.
func (f *fixture) letters() (letters []jetstream.Msg) {
	f.t.Helper()
	require.NoError(f.t, queue.Each(f.t.Context(), f.js, names.DeadLetters, func(m jetstream.Msg) error {
		letters = append(letters, m)
		return nil
	}))
	return letters
}

// A meddler changes what a worker publishes, or what it hears of it.
type meddler struct {
	jetstream.JetStream
	publish func(ctx context.Context, m *nats.Msg, next publisher) (*jetstream.PubAck, error)
}

type publisher func(context.Context, *nats.Msg) (*jetstream.PubAck, error)

func (m *meddler) PublishMsg(
	ctx context.Context, msg *nats.Msg, opts ...jetstream.PublishOpt,
) (*jetstream.PubAck, error) {
	return m.publish(ctx, msg, func(ctx context.Context, msg *nats.Msg) (*jetstream.PubAck, error) {
		return m.JetStream.PublishMsg(ctx, msg, opts...)
	})
}

// withoutIdentity publishes as a worker without identities would.
func withoutIdentity(ctx context.Context, m *nats.Msg, next publisher) (*jetstream.PubAck, error) {
	m.Header.Del(jetstream.MsgIDHeader)
	m.Header.Del(jetstream.ExpectedLastSubjSeqHeader)
	return next(ctx, m)
}

// echo makes the block its own result.
func echo(_ context.Context, b *urinats.Block) error {
	b.Add(b.Data)
	return nil
}

func TestWorker(t *testing.T) {
	t.Parallel()
	f := start(t)
	var want []string
	for i := range 100 {
		want = append(want, fmt.Sprintf("block %d\n", i))
	}
	f.send(want...)
	w := f.worker(echo)
	f.run(w)
	assert.ElementsMatch(t, want, f.results())
	assert.Empty(t, f.letters())
	assert.Equal(t, urinats.Stats{Blocks: 100, Results: 100}, w.Stats())
}

// TestIdentity holds the names that other programs rely on.
func TestIdentity(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.send("a")
	f.run(f.worker(func(_ context.Context, b *urinats.Block) error {
		b.Add([]byte("1"))
		b.Add([]byte("2"))
		b.Reject(7, []byte("x"), errors.New("reason"))
		return nil
	}))
	var subjects []string
	for _, stream := range []string{names.Results, names.DeadLetters} {
		require.NoError(t, queue.Each(t.Context(), f.js, stream, func(m jetstream.Msg) error {
			assert.Equal(t, m.Subject(), m.Headers().Get(jetstream.MsgIDHeader))
			subjects = append(subjects, m.Subject())
			return nil
		}))
	}
	require.Len(t, subjects, 3)
	assert.Regexp(t, `^results\.LOG\.1\.[0-9a-z]+\.2$`, subjects[0], "the first record is published last")
	assert.Equal(t, strings.TrimSuffix(subjects[0], ".2"), subjects[1])
	assert.Equal(t, "dead"+strings.TrimPrefix(subjects[1], "results")+".line1", subjects[2])
}

// TestSameSequence fills a work queue that is deleted and created again. The second stream's blocks have the
// sequences of the first one's, but are others.
func TestSameSequence(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.send("first\n")
	f.run(f.worker(echo))
	require.NoError(t, f.js.DeleteStream(t.Context(), names.Stream))
	require.NoError(t, queue.Create(t.Context(), f.js, names, limits))
	f.send("second\n")
	f.run(f.worker(echo))
	assert.Equal(t, []string{"first\n", "second\n"}, f.results())

	// Another work queue, with the same sequences.
	other := names
	other.Stream, other.Subject = "OTHER", "other"
	require.NoError(t, queue.Create(t.Context(), f.js, other, limits))
	_, err := f.js.Publish(t.Context(), "other", []byte("third\n"))
	require.NoError(t, err)
	w := f.worker(echo)
	w.Stream = other.Stream
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	go func() {
		_ = queue.Empty(ctx, f.js, other)
		cancel()
	}()
	require.NoError(t, w.Run(ctx))
	assert.Equal(t, []string{"first\n", "second\n", "third\n"}, f.results())
}

// TestSplit publishes results that are larger than the server accepts.
func TestSplit(t *testing.T) {
	t.Parallel()
	f := startEmpty(t)
	for _, c := range []jetstream.StreamConfig{
		{Name: "results", Subjects: []string{"results.>"}, MaxMsgSize: 5000, Duplicates: time.Hour},
		{Name: "dead", Subjects: []string{"dead.>"}, MaxMsgSize: 5000, Duplicates: time.Hour},
	} {
		_, err := f.js.CreateStream(t.Context(), c)
		require.NoError(t, err)
	}
	require.NoError(t, queue.Create(t.Context(), f.js, names, limits))
	const limit = 5000 - 512 - len("LOG")

	line := strings.Repeat("x", 99) + "\n"
	tests := []struct {
		block   string
		records int // 0: the block is a dead letter
		letters int
	}{
		{strings.Repeat(line, limit/100), 1, 0},
		{strings.Repeat(line, limit/100+1), 2, 0},
		{strings.Repeat(line, 1000), (1000 + limit/100 - 1) / (limit / 100), 0},
		{strings.Repeat("y", limit), 1, 0},
		{strings.Repeat("y", limit+1), 0, 2},
		{strings.Repeat("y", limit-1) + "\nz", 2, 0},
		{"z\n" + strings.Repeat("y", limit+1), 0, 2},
		{strings.Repeat("y", 1_000_000), 0, 230},
		{"", 0, 0},
	}
	for _, test := range tests {
		s, err := f.js.Stream(t.Context(), "results")
		require.NoError(t, err)
		require.NoError(t, s.Purge(t.Context()))
		s, err = f.js.Stream(t.Context(), "dead")
		require.NoError(t, err)
		require.NoError(t, s.Purge(t.Context()))

		f.send(test.block)
		w := f.worker(func(_ context.Context, b *urinats.Block) error {
			assert.Equal(t, limit, b.Limit)
			b.AddLines(b.Data)
			return nil
		})
		f.run(w)
		results, letters := f.results(), f.letters()
		assert.Len(t, results, test.records)
		stored := 0
		require.NoError(t, queue.Each(t.Context(), f.js, "results", func(m jetstream.Msg) error {
			stored++
			if test.records < 2 {
				assert.Empty(t, m.Headers().Get(urinats.HeaderPart))
				return nil
			}
			part := "1"
			if i := strings.LastIndexByte(m.Subject(), '.'); stored < test.records {
				part = m.Subject()[i+1:]
			}
			assert.Equal(t, fmt.Sprintf("%s/%d", part, test.records), m.Headers().Get(urinats.HeaderPart))
			return nil
		}))
		if test.records > 0 { // the first is the last
			results = append(results[test.records-1:], results[:test.records-1]...)
			total := 0
			for _, r := range results {
				total += len(r)
			}
			assert.Equal(t, len(test.block), total)
			assert.Equal(t, test.block[:len(results[0])], results[0])
		}
		var whole strings.Builder
		for i, m := range letters {
			whole.WriteString(string(m.Data()))
			assert.Equal(t, fmt.Sprintf("%d/%d", i+1, len(letters)), m.Headers().Get(urinats.HeaderPart))
			assert.Regexp(t, `^a record of its result has \d+ bytes; the limit is 4485$`,
				m.Headers().Get(urinats.HeaderReason))
		}
		if test.letters > 0 {
			assert.Equal(t, test.block, whole.String())
			assert.InDelta(t, test.letters, len(letters), float64(test.letters)/10)
		} else {
			assert.Empty(t, letters)
		}
	}
}

func TestPoison(t *testing.T) {
	t.Parallel()
	f := start(t)
	_, err := f.js.PublishMsg(t.Context(), &nats.Msg{
		Subject: "log", Data: []byte("reject"), Header: nats.Header{"Host": {"www"}, "Nats-Msg-Id": {"x"}},
	})
	require.NoError(t, err)
	f.send("good\nbad\ngood\nbad\n", "panic", "index", "good\n")
	w := f.worker(func(_ context.Context, b *urinats.Block) error {
		switch string(b.Data) {
		case "reject":
			b.Add([]byte("never published"))
			b.Reject(1, b.Data, errors.New("never published"))
			return errors.New("not\nlines: \xff " + strings.Repeat("x", 300))
		case "panic":
			panic("secret")
		case "index":
			var none []byte
			_ = none[len(b.Data)]
		}
		n := 0
		for line := range strings.Lines(string(b.Data)) {
			if n++; line == "bad\n" {
				b.Reject(n, []byte(strings.TrimSpace(line)), errors.New("is bad"))
				continue
			}
			b.Add([]byte(line))
		}
		return nil
	})
	var log strings.Builder
	w.Log = slog.New(slog.NewTextHandler(&log, nil))
	f.run(w)
	assert.Equal(t, []string{"good\n", "good\n", "good\n"}, f.results())

	type letter struct{ sequence, line, reason, body string }
	var letters []letter
	for _, m := range f.letters() {
		h := m.Headers()
		assert.Equal(t, "LOG", h.Get(urinats.HeaderStream))
		assert.Equal(t, "log", h.Get(urinats.HeaderSubject))
		letters = append(letters, letter{
			h.Get(urinats.HeaderSequence), h.Get(urinats.HeaderLine),
			h.Get(urinats.HeaderReason), string(m.Data()),
		})
		if string(m.Data()) == "reject" {
			assert.Equal(t, "www", h.Get("Host"))
			assert.Regexp(t, "^dead.LOG", h.Get("Nats-Msg-Id"))
		}
	}
	assert.ElementsMatch(t, []letter{
		{"1", "", ("not?lines: ? " + strings.Repeat("x", 300))[:256], "reject"},
		{"2", "2", "is bad", "bad"},
		{"2", "4", "is bad", "bad"},
		{"3", "", "the function panicked with a string", "panic"},
		{"4", "", "the function panicked: runtime error: index out of range [5] with length 0", "index"},
	}, letters)
	assert.Equal(t, urinats.Stats{Blocks: 5, Results: 3, DeadLines: 2, DeadBlocks: 3}, w.Stats())
	assert.Contains(t, log.String(), "main_test.go", "the stack of a panic")
	assert.NotContains(t, log.String(), "secret")
}

// TestManyDeadLines publishes many dead letters for a block.
func TestManyDeadLines(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.send(strings.Repeat("\n", 3000))
	f.run(f.worker(func(_ context.Context, b *urinats.Block) error {
		for i := range b.Data {
			b.Reject(i+1, nil, errors.New("empty"))
		}
		return nil
	}))
	lines := map[string]bool{}
	for _, m := range f.letters() {
		lines[m.Headers().Get(urinats.HeaderLine)] = true
	}
	assert.Len(t, lines, 3000)
}

// TestGiveUp kills workers in the middle of a block until it becomes a dead letter.
func TestGiveUp(t *testing.T) {
	t.Parallel()
	for _, published := range []bool{false, true} {
		t.Run(fmt.Sprint("published=", published), func(t *testing.T) {
			f := start(t)
			f.send("block\n")
			if published { // by a worker that did not acknowledge
				f.lose(1)
			} else {
				c, err := f.js.Consumer(t.Context(), names.Stream, names.Consumer)
				require.NoError(t, err)
				_, err = c.Next(jetstream.FetchMaxWait(5 * time.Second))
				require.NoError(t, err)
			}
			c, err := f.js.Consumer(t.Context(), names.Stream, names.Consumer)
			require.NoError(t, err)
			for range limits.MaxDeliver - 1 {
				_, err = c.Next(jetstream.FetchMaxWait(5 * time.Second))
				require.NoError(t, err)
			}
			w := f.worker(echo)
			f.run(w)
			if published {
				assert.Equal(t, []string{"block\n"}, f.results())
				assert.Empty(t, f.letters())
				return
			}
			assert.Empty(t, f.results())
			letters := f.letters()
			require.Len(t, letters, 1)
			assert.Equal(t, "block\n", string(letters[0].Data()))
			assert.Equal(t, "delivered 3 times without a result", letters[0].Headers().Get(urinats.HeaderReason))
		})
	}
}

// TestUnfinished has records of a result whose first record is not stored. They must not be counted.
func TestUnfinished(t *testing.T) {
	t.Parallel()
	f := start(t)
	store := func(subject, part, value string) {
		m := nats.NewMsg(subject)
		m.Header.Set(urinats.HeaderPart, part)
		m.Data = fmt.Appendf(nil, `{"lines":1,"values":{%q:1}}`, value)
		_, err := f.js.PublishMsg(t.Context(), m)
		require.NoError(t, err)
	}
	store("results.LOG.1.dmc6s5z2kqw7.3", "3/3", "c")
	store("results.LOG.1.dmc6s5z2kqw7.2", "2/3", "b")
	store("results.LOG.2.dmc6s5z2kqw8.2", "2/2", "x") // its block was rejected
	sum, err := queue.Sum(t.Context(), f.js, "results")
	require.NoError(t, err)
	assert.Zero(t, sum.Lines)
	store("results.LOG.1.dmc6s5z2kqw7", "1/3", "a")
	sum, err = queue.Sum(t.Context(), f.js, "results")
	require.NoError(t, err)
	assert.EqualValues(t, 3, sum.Lines)
	assert.ElementsMatch(t, []string{"a", "b", "c"}, sum.Top(3))
}

// TestRejectedLater has a result whose acknowledgement was lost, and then a function that rejects the block.
// It must not be a dead letter, since whoever sends it again would count it twice.
func TestRejectedLater(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.send("block\n")
	f.lose(1)
	w := f.worker(func(context.Context, *urinats.Block) error { return errors.New("another version") })
	f.run(w)
	assert.Equal(t, []string{"block\n"}, f.results())
	assert.Empty(t, f.letters())
	assert.Equal(t, urinats.Stats{Blocks: 1, Redelivered: 1}, w.Stats())
}

// TestTwoFunctions has a worker for each of two consumers of a stream, whose results are in one stream.
func TestTwoFunctions(t *testing.T) {
	t.Parallel()
	f := startEmpty(t)
	_, err := f.js.CreateStream(t.Context(), jetstream.StreamConfig{
		Name: names.Stream, Subjects: []string{names.Subject}, Retention: jetstream.InterestPolicy,
	})
	require.NoError(t, err)
	for _, consumer := range []string{"a", "b"} {
		n := names
		n.Consumer = consumer
		require.NoError(t, queue.Create(t.Context(), f.js, n, f.limits))
	}
	f.send("block\n")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, consumer := range []string{"a", "b"} {
		w := f.worker(echo)
		w.Consumer, w.Results = consumer, names.Results+"."+consumer
		go func() { _ = w.Run(ctx) }()
	}
	require.NoError(t, queue.Empty(t.Context(), f.js, names))
	assert.Equal(t, []string{"block\n", "block\n"}, f.results())
}

// lose runs a worker that is stopped after it published n results, and whose acknowledgements are lost.
func (f *fixture) lose(n int64) {
	f.t.Helper()
	js := f.connect()
	var published atomic.Int64
	w := f.worker(echo)
	w.JetStream = &meddler{
		js,
		func(ctx context.Context, m *nats.Msg, next publisher) (*jetstream.PubAck, error) {
			ack, err := next(ctx, m)
			if err == nil && published.Add(1) == n {
				js.Conn().Close()
			}
			if err == nil {
				<-ctx.Done()
				err = ctx.Err()
			}
			return ack, err
		},
	}
	w.Timeout = 100 * time.Millisecond
	require.ErrorIs(f.t, w.Run(f.t.Context()), nats.ErrConnectionClosed)
	require.EqualValues(f.t, n, published.Load())
}

// TestRedelivery stops a worker between publishing and acknowledging. The control shows that it matters.
func TestRedelivery(t *testing.T) {
	t.Parallel()
	for _, control := range []bool{false, true} {
		f := start(t)
		f.send("1\n", "2\n", "3\n")
		f.lose(3)
		w := f.worker(echo)
		if control {
			w.JetStream = &meddler{f.js, withoutIdentity}
		}
		f.run(w)
		if control {
			assert.Len(t, f.results(), 6)
			continue
		}
		assert.ElementsMatch(t, []string{"1\n", "2\n", "3\n"}, f.results())
		assert.Equal(t, urinats.Stats{Blocks: 3, Results: 3, Duplicates: 3, Redelivered: 3}, w.Stats())
	}
}

// TestOutage has all workers away until the duplicate window has passed. In the control only the window
// protects the results.
func TestOutage(t *testing.T) {
	t.Parallel()
	for _, control := range []bool{false, true} {
		f := startEmpty(t)
		f.limits = queue.Limits{MaxDeliver: 2, AckWait: 500 * time.Millisecond, Timeout: 100 * time.Millisecond}
		const window = 1200 * time.Millisecond
		for _, name := range []string{"results", "dead"} {
			_, err := f.js.CreateStream(t.Context(), jetstream.StreamConfig{
				Name: name, Subjects: []string{name + ".>"}, Duplicates: window,
			})
			require.NoError(t, err)
		}
		require.NoError(t, queue.Create(t.Context(), f.js, names, f.limits))
		f.send("1\n", "2\n", "3\n")
		f.lose(3)
		time.Sleep(2 * window)
		w := f.worker(echo)
		if control {
			w.JetStream = &meddler{
				f.js,
				func(ctx context.Context, m *nats.Msg, next publisher) (*jetstream.PubAck, error) {
					m.Header.Del(jetstream.ExpectedLastSubjSeqHeader)
					return next(ctx, m)
				},
			}
		}
		f.run(w)
		if control {
			assert.Len(t, f.results(), 6)
			continue
		}
		assert.ElementsMatch(t, []string{"1\n", "2\n", "3\n"}, f.results())
		assert.EqualValues(t, 3, w.Stats().Duplicates)
	}
}

// TestExample runs the function of the example.
func TestExample(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.send("http://example.com/a\nhttp://h/%zz\nhttps://[::1]:8443/\n")
	f.run(f.worker(addHosts))
	assert.Equal(t, []string{"example.com\thttp://example.com/a\n[::1]\thttps://[::1]:8443/\n"}, f.results())
	letters := f.letters()
	require.Len(t, letters, 1)
	assert.Equal(t, "http://h/%zz", string(letters[0].Data()))
	assert.Equal(t, "2", letters[0].Headers().Get(urinats.HeaderLine))
	assert.Equal(t, "uri: invalid percent-encoding at offset 10", letters[0].Headers().Get(urinats.HeaderReason))
}
