package urikafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Topics of the tests.
const (
	in   = "in"
	out  = "out"
	dead = "dead"
)

// A broker is an embedded cluster.
type broker struct {
	*kfake.Cluster
	t testing.TB
}

// newBroker starts a cluster of one broker with the topics. It ends with the test.
func newBroker(t testing.TB, partitions int32, options ...kfake.Opt) broker {
	t.Helper()
	options = append([]kfake.Opt{
		kfake.NumBrokers(1), kfake.GroupMinSessionTimeout(100 * time.Millisecond),
		kfake.SeedTopics(partitions, in), kfake.SeedTopics(1, out, dead),
	}, options...)
	c, err := kfake.NewCluster(options...)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return broker{c, t}
}

// client returns the options of every client of the test.
func (b broker) client(options ...kgo.Opt) []kgo.Opt {
	return append([]kgo.Opt{kgo.SeedBrokers(b.ListenAddrs()...)}, options...)
}

func (b broker) newClient(options ...kgo.Opt) *kgo.Client {
	b.t.Helper()
	client, err := kgo.NewClient(b.client(options...)...)
	require.NoError(b.t, err)
	b.t.Cleanup(client.Close)
	return client
}

// produce writes each value as a record of the topic in.
func (b broker) produce(values ...string) {
	b.t.Helper()
	client := b.newClient(kgo.DefaultProduceTopic(in), kgo.RecordPartitioner(kgo.RoundRobinPartitioner()))
	for _, value := range values {
		client.Produce(context.Background(), kgo.StringRecord(value), func(_ *kgo.Record, err error) {
			assert.NoError(b.t, err)
		})
	}
	require.NoError(b.t, client.Flush(context.Background()))
}

// read returns all records of the topic that are committed.
func (b broker) read(topic string) (records []*kgo.Record) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	client := b.newClient(kgo.ConsumeTopics(topic), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(),
		kgo.FetchMaxWait(100*time.Millisecond))
	ends, err := kadm.NewClient(client).ListCommittedOffsets(ctx, topic)
	require.NoError(b.t, err)
	left := map[int32]int64{}
	ends.Each(func(o kadm.ListedOffset) {
		if o.Offset > 0 {
			left[o.Partition] = o.Offset
		}
	})
	for len(left) > 0 {
		fetches := client.PollFetches(ctx)
		require.NoError(b.t, fetches.Err())
		fetches.EachRecord(func(r *kgo.Record) {
			if !r.Attrs.IsControl() {
				records = append(records, r)
			}
			if r.Offset+1 >= left[r.Partition] {
				delete(left, r.Partition)
			}
		})
	}
	return records
}

// values returns the values of the records of a topic, sorted.
func (b broker) values(topic string) (values []string) {
	b.t.Helper()
	for _, r := range b.read(topic) {
		values = append(values, string(r.Value))
	}
	slices.Sort(values)
	return values
}

// committed returns how many records of the topic in the group has committed.
func (b broker) committed(group string) (n int64) {
	b.t.Helper()
	offsets, err := kadm.NewClient(b.newClient()).FetchOffsets(context.Background(), group)
	require.NoError(b.t, err)
	offsets.Each(func(o kadm.OffsetResponse) { n += max(o.At, 0) })
	return n
}

// copyBlocks is a Process that copies blocks.
func copyBlocks(_ context.Context, batch *Batch) error {
	for block := range batch.Blocks() {
		if err := batch.Produce(&kgo.Record{Key: block.Key, Value: block.Value}); err != nil {
			return err
		}
	}
	return nil
}

// worker returns a worker with timeouts for tests.
func (b broker) worker(process func(context.Context, *Batch) error) *Worker {
	return &Worker{
		Client: b.client(
			kgo.SessionTimeout(2*time.Second), kgo.HeartbeatInterval(100*time.Millisecond),
			kgo.FetchMaxWait(100*time.Millisecond),
			kgo.WithLogger(kgo.BasicLogger(testWriter{b.t}, logLevel, nil)),
		),
		Group: "group", Topics: []string{in}, Out: out, DeadLetter: dead, Process: process,
		TransactionTimeout: 5 * time.Second,
	}
}

// logLevel is the level of the logs of workers in tests.
var logLevel = map[string]kgo.LogLevel{
	"": kgo.LogLevelNone, "1": kgo.LogLevelInfo,
	"2": kgo.LogLevelDebug,
}[os.Getenv("KAFKA_LOG")]

// A testWriter writes to standard error, because a client may log when the test is over.
type testWriter struct{ testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	return fmt.Fprintf(os.Stderr, "%s %s %s", time.Now().Format("05.000"), w.Name(), p)
}

// start runs the worker until stop is called, which returns the result of Run.
func start(t testing.TB, w *Worker) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	var stopped atomic.Bool
	stop = func() error {
		if stopped.Swap(true) {
			return nil
		}
		cancel()
		select {
		case err := <-done:
			return err
		case <-time.After(30 * time.Second):
			return errors.New("the worker does not stop")
		}
	}
	t.Cleanup(func() { assert.NoError(t, stop()) })
	return stop
}

// within waits until the condition holds.
func within(t testing.TB, condition func() bool, message string, args ...any) {
	t.Helper()
	require.Eventually(t, condition, 30*time.Second, 10*time.Millisecond, append([]any{message}, args...)...)
}

// runs the worker until it has committed n records.
func (b broker) run(w *Worker, n int64) Stats {
	b.t.Helper()
	stop := start(b.t, w)
	within(b.t, func() bool { return w.Stats().Records >= n }, "all records are processed")
	require.NoError(b.t, stop())
	return w.Stats()
}

// wrong has values of each field that are not valid, with the error.
var wrong = map[string][]struct {
	value any
	want  string
}{
	"Client": {
		{[]kgo.Opt{kgo.SeedBrokers("127.0.0.1:port")}, "Client: "},
		{[]kgo.Opt{kgo.ProducerBatchMaxBytes(1)}, "Client: "},
	},
	"Group": {{"", "Group: missing"}},
	"Topics": {
		{[]string(nil), "Topics: missing"},
		{[]string{""}, "Topics: missing"},
		{[]string{in, "a b"}, `Topics: "a b" is not the name of a topic`},
		{[]string{".."}, `Topics: ".." is not the name of a topic`},
		{[]string{in, "b", in}, `Topics: "in" is there twice`},
	},
	"Out": {
		{"", "Out: missing"},
		{"a/b", `Out: "a/b" is not the name of a topic`},
		{strings.Repeat("a", 250), "is not the name of a topic"},
		{in, `Out: "in" is also read, so the worker would read what it writes`},
	},
	"DeadLetter": {
		{"", "DeadLetter: missing"},
		{"\xff", `DeadLetter: "\xff" is not the name of a topic`},
		{in, `DeadLetter: "in" is also read, so the worker would read what it writes`},
		{out, `DeadLetter: "out" is also the topic of the results`},
	},
	"TransactionalID": {
		{"a\x00", "TransactionalID: it has a character that is not printable"},
		{"\xff", "TransactionalID: it has a character that is not printable"},
	},
	"Process": {{(func(context.Context, *Batch) error)(nil), "Process: missing"}},
	"MaxRecords": {
		{-1, "MaxRecords: -1 is not from 1 to 1048576"},
		{1<<20 + 1, "MaxRecords: 1048577 is not from 1 to 1048576"},
	},
	"MaxMessageBytes": {
		{-1, "is not from 4096 to 1073741824"},
		{4095, "is not from 4096 to 1073741824"},
		{1<<30 + 1, "is not from 4096 to 1073741824"},
	},
	"TransactionTimeout": {
		{-time.Second, "is not from 1s to 24h0m0s"},
		{time.Nanosecond, "is not from 1s to 24h0m0s"},
		{25 * time.Hour, "is not from 1s to 24h0m0s"},
	},
	"StopTimeout": {{-time.Second, "StopTimeout: -1s is negative"}},
}

// TestValidate gives each field values that are not valid, and takes the list of fields from the type.
func TestValidate(t *testing.T) {
	t.Parallel()
	valid := func() *Worker {
		return &Worker{
			Client: []kgo.Opt{kgo.SeedBrokers("127.0.0.1:1")}, Group: "group", Topics: []string{in}, Out: out,
			DeadLetter: dead,
			Process:    copyBlocks,
		}
	}
	require.NoError(t, valid().Validate())
	full := valid()
	full.TransactionalID, full.MaxRecords, full.MaxMessageBytes = "ä 1", 1, 4096
	full.TransactionTimeout, full.StopTimeout = time.Second, time.Nanosecond
	require.NoError(t, full.Validate())

	left := maps.Clone(wrong)
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Worker]()) {
		if !field.IsExported() {
			continue
		}
		assert.NotEmpty(t, wrong[field.Name], field.Name)
		delete(left, field.Name)
		for _, c := range wrong[field.Name] {
			w := valid()
			reflect.ValueOf(w).Elem().FieldByName(field.Name).Set(reflect.ValueOf(c.value))
			assert.ErrorContains(t, w.Validate(), c.want)
			done, cancel := context.WithCancel(context.Background())
			cancel()
			err := w.Run(done)
			assert.ErrorContains(t, err, "urikafka: ", "Run validates")
			assert.ErrorContains(t, err, c.want, "Run validates")
		}
	}
	assert.Empty(t, left, "rows without a field")
}

// TestCopy copies many blocks through several batches and partitions.
func TestCopy(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 4)
	var want []string
	for i := range 1000 {
		want = append(want, fmt.Sprintf("block %04d\n", i))
	}
	b.produce(want...)
	w := b.worker(copyBlocks)
	w.MaxRecords = 64
	stats := b.run(w, 1000)
	assert.Equal(t, want, b.values(out))
	assert.Empty(t, b.values(dead))
	assert.EqualValues(t, 1000, b.committed("group"))
	assert.GreaterOrEqual(t, stats.Batches, int64(1000/64))
	stats.Batches = 0
	assert.Equal(t, Stats{Records: 1000, Bytes: 11 * 1000, Results: 1000}, stats)
}

// headers returns the headers of a dead letter as "reason" or "reason line" with the value.
func header(r *kgo.Record, key string) string {
	for _, h := range r.Headers {
		if h.Key == key {
			return string(h.Value)
		}
	}
	return ""
}

func describe(r *kgo.Record) string {
	return fmt.Sprintf("%s/%s/%s line %q part %q: %s: %s", header(r, HeaderTopic), header(r, HeaderPartition),
		header(r, HeaderOffset), header(r, HeaderLine), header(r, HeaderPart), header(r, HeaderReason), r.Value)
}

// TestPoison has lines that Process rejects, records that it rejects, and records for which it fails.
func TestPoison(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 1)
	blocks := []string{"a\nb\n", "a\nbad\nc\nbad", "whole", "fails", "panics", "strange", "", "bad\n"}
	b.produce(blocks...)
	var index []int
	calls := 0
	w := b.worker(func(_ context.Context, batch *Batch) error {
		calls++
		for block := range batch.Blocks() {
			switch string(block.Value) {
			case "whole":
				block.Reject(errors.New("rejected"))
				continue
			case "fails":
				return errors.New("it fails")
			case "panics":
				_ = index[len(block.Value)]
			case "strange":
				panic("with what was read: " + string(block.Value))
			}
			for i, line := range strings.Split(string(block.Value), "\n") {
				if line == "bad" {
					block.RejectLine(i+1, []byte(line), errors.New("bad line"))
				}
			}
			if err := batch.Produce(&kgo.Record{Value: block.Value}); err != nil {
				return err
			}
		}
		return nil
	})
	stats := b.run(w, int64(len(blocks)))
	assert.Equal(t, []string{"", "a\nb\n", "a\nbad\nc\nbad", "bad\n"}, b.values(out))
	var letters []string
	for _, r := range b.read(dead) {
		letters = append(letters, describe(r))
	}
	assert.ElementsMatch(t, []string{
		`in/0/1 line "2" part "": bad line: bad`,
		`in/0/1 line "4" part "": bad line: bad`,
		`in/0/2 line "" part "": rejected: whole`,
		`in/0/3 line "" part "": it fails: fails`,
		`in/0/4 line "" part "": panic: runtime error: index out of range [6] with length 0: panics`,
		`in/0/5 line "" part "": panic: string: strange`,
		`in/0/7 line "1" part "": bad line: bad`,
	}, letters)
	assert.Equal(t, Stats{
		Batches: 1, Records: 8, Bytes: int64(len(strings.Join(blocks, ""))), Results: 4,
		DeadLines: 3, DeadRecords: 4,
	}, stats)
	assert.Equal(t, 1+len(blocks), calls, "together, then each alone")
	assert.EqualValues(t, len(blocks), b.committed("group"))
}

// A lockedBuffer collects a log.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

// TestLogs looks for what was read in everything that is logged.
func TestLogs(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 1)
	b.produce("s3cret line\n", "s3cret block", "s3cret panic", "s3cret fault")
	var log lockedBuffer
	w := b.worker(func(_ context.Context, batch *Batch) error {
		for block := range batch.Blocks() {
			switch text := string(block.Value); text {
			case "s3cret line\n":
				block.RejectLine(1, block.Value, errors.New(text))
			case "s3cret panic":
				panic(text)
			case "s3cret fault":
				_ = block.Value[len(text)]
			default:
				return errors.New(text)
			}
		}
		return nil
	})
	w.Client = append(w.Client, kgo.WithLogger(kgo.BasicLogger(&log, kgo.LogLevelDebug, nil)))
	stats := b.run(w, 4)
	assert.EqualValues(t, 1, stats.DeadLines)
	assert.EqualValues(t, 3, stats.DeadRecords)
	text := log.String()
	for _, message := range []string{
		"worker started", "Process panics; ", "error: panic: string", "records became dead letters",
		"batch committed",
		"worker stopped", "group: group",
	} {
		assert.Contains(t, text, message)
	}
	assert.NotContains(t, text, "s3cret")
}

// TestSplit has results and dead letters that are larger than a message.
func TestSplit(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 1)
	lines := strings.Repeat(strings.Repeat("x", 99)+"\n", 300)
	large := strings.Repeat("y", 20_000)
	b.produce(lines, large+"\n", lines+large, large)
	w := b.worker(func(_ context.Context, batch *Batch) error {
		for block := range batch.Blocks() {
			if len(block.Value) == len(large) {
				if err := batch.Produce(&kgo.Record{Value: block.Value}); err != nil {
					return err
				}
			}
			err := batch.ProduceLines(&kgo.Record{Key: []byte("key"), Value: block.Value})
			if err != nil {
				return err
			}
		}
		return nil
	})
	w.MaxMessageBytes = 8 << 10
	w.Client = append(w.Client, kgo.ProducerBatchCompression(kgo.NoCompression()))
	b.run(w, 4)
	var got strings.Builder
	for _, r := range b.read(out) {
		assert.LessOrEqual(t, len(r.Value), 8<<10)
		assert.True(t, bytes.HasSuffix(r.Value, []byte("\n")))
		assert.Equal(t, "key", string(r.Key))
		got.Write(r.Value)
	}
	assert.Equal(t, lines, got.String())
	letters := map[string]string{}
	for i, r := range b.read(dead) {
		letters[header(r, HeaderOffset)] += string(r.Value)
		assert.LessOrEqual(t, len(r.Value), 8<<10)
		assert.Contains(t, header(r, HeaderPart), "/")
		if i == 0 {
			assert.Equal(t, "1/3", header(r, HeaderPart))
			assert.Equal(t, "a result needs a message of 20132 bytes, the limit is 8192", header(r, HeaderReason))
		}
	}
	assert.Equal(t, map[string]string{"1": large + "\n", "2": lines + large, "3": large}, letters)
}

// TestLimit has topics that accept less than MaxMessageBytes.
func TestLimit(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 1, kfake.BrokerConfigs(map[string]string{"message.max.bytes": "20000"}))
	b.produce("small\n")
	w := b.worker(func(_ context.Context, batch *Batch) error {
		for range batch.Blocks() {
			value := bytes.Repeat([]byte("abcdefghi\n"), 10_000)
			if err := batch.ProduceLines(&kgo.Record{Value: value}); err != nil {
				return err
			}
		}
		return nil
	})
	w.MaxMessageBytes = 100_000
	w.Client = append(w.Client, kgo.ProducerBatchCompression(kgo.NoCompression()))
	stats := b.run(w, 1)
	assert.Equal(t, strings.Repeat("abcdefghi\n", 10_000), strings.Join(b.values(out), ""))
	assert.EqualValues(t, 3, stats.Restarts, "100,000 is halved to 12,500")
	assert.EqualValues(t, 3, stats.Aborts)
}

// refuse makes the broker refuse records for the topic of results that contain "refused".
func (b broker) refuse() {
	id := b.TopicInfo(out).TopicID
	b.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Produce}, Topic: out, Err: kerr.InvalidRecord, Count: -1,
		When: func(r kmsg.Request) bool {
			for _, topic := range r.(*kmsg.ProduceRequest).Topics {
				if topic.TopicID == id && bytes.Contains(topic.Partitions[0].Records, []byte("refused")) {
					return true
				}
			}
			return false
		},
	})
}

// TestRefused has results that the brokers refuse, made of one block and of several.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, merged := range []bool{false, true} {
		b := newBroker(t, 1)
		b.produce("a\n", "refused\n", "b\n", "c\n")
		b.refuse()
		w := b.worker(func(ctx context.Context, batch *Batch) error {
			if !merged {
				return copyBlocks(ctx, batch)
			}
			var value []byte
			for block := range batch.Blocks() {
				value = append(value, block.Value...)
			}
			return batch.Produce(&kgo.Record{Value: value})
		})
		w.Client = append(w.Client, kgo.ProducerBatchCompression(kgo.NoCompression()))
		stats := b.run(w, 4)
		assert.Equal(t, []string{"a\n", "b\n", "c\n"}, b.values(out))
		letters := b.read(dead)
		if assert.Len(t, letters, 1, merged) {
			assert.Contains(t, describe(letters[0]), `in/0/1 line "" part "": INVALID_RECORD`)
			assert.Equal(t, "refused\n", string(letters[0].Value))
		}
		assert.LessOrEqual(t, stats.Aborts, int64(2))
		assert.Zero(t, stats.Restarts)
	}
}

// TestRefusedElsewhere has results that brokers refuse, while other partitions go on.
func TestRefusedElsewhere(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 4)
	var blocks, want []string
	for i := range 100 {
		blocks = append(blocks, fmt.Sprintf("%03d\n", i))
		if i%10 == 3 {
			blocks[i] = fmt.Sprintf("%03d refused\n", i)
		} else {
			want = append(want, blocks[i])
		}
	}
	b.refuse()
	b.produce(blocks...)
	w := b.worker(copyBlocks)
	w.MaxRecords = 7
	w.Client = append(w.Client, kgo.ProducerBatchCompression(kgo.NoCompression()))
	stats := b.run(w, 100)
	assert.Equal(t, want, b.values(out))
	assert.Len(t, b.values(dead), 10)
	assert.EqualValues(t, 10, stats.DeadRecords)
	assert.Zero(t, stats.Restarts)
}

// TestBlockRebalanceOnPoll has clients whose rebalances wait for the end of a batch.
func TestBlockRebalanceOnPoll(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 4)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for i := range 2 {
		w := b.worker(copyBlocks)
		w.Client = append(w.Client, kgo.BlockRebalanceOnPoll())
		start(t, w)
		_, err := b.WaitGroupStable(ctx, "group", i+1)
		require.NoError(t, err)
		b.produce("a\n", "b\n", "c\n", "d\n")
		within(t, func() bool { return b.committed("group") == int64(4*i+4) }, "all is processed")
	}
	assert.Len(t, b.values(out), 8)
}

// TestDeadLetterRefused ends the worker: nothing may be lost.
func TestDeadLetterRefused(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 1)
	b.produce("poison\n")
	b.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: dead, Err: kerr.PolicyViolation, Count: -1})
	w := b.worker(func(context.Context, *Batch) error { return errors.New("no") })
	assert.ErrorContains(t, w.Run(t.Context()), "urikafka: the brokers refuse a dead letter: POLICY_VIOLATION")
	assert.Zero(t, b.committed("group"))
}

// TestPermanent has errors that end the worker.
func TestPermanent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		fault kfake.Fault
		set   func(*Worker)
		want  string
	}{
		{
			"input topic",
			kfake.Fault{},
			func(w *Worker) { w.Topics = []string{"none"} },
			`urikafka: topic "none" does not exist`,
		},
		{
			"output topic",
			kfake.Fault{},
			func(w *Worker) { w.Out = "none" },
			`urikafka: topic "none" does not exist`,
		},
		{
			"dead letters",
			kfake.Fault{},
			func(w *Worker) { w.DeadLetter = "none" },
			`urikafka: topic "none" does not exist`,
		},
		{
			"timeout",
			kfake.Fault{},
			func(w *Worker) { w.TransactionTimeout = time.Hour },
			"urikafka: TransactionTimeout: 1h0m0s is more than the brokers' transaction.max.timeout.ms",
		},
		{
			"read",
			kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: in, Err: kerr.TopicAuthorizationFailed},
			nil,
			"TOPIC_AUTHORIZATION_FAILED",
		},
		{
			"write",
			kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: out, Err: kerr.TopicAuthorizationFailed},
			nil,
			"TOPIC_AUTHORIZATION_FAILED",
		},
		{
			"group",
			kfake.Fault{Keys: []kmsg.Key{kmsg.JoinGroup}, Err: kerr.GroupAuthorizationFailed},
			nil,
			"GROUP_AUTHORIZATION_FAILED",
		},
		{
			"id",
			kfake.Fault{
				Keys: []kmsg.Key{kmsg.InitProducerID}, Err: kerr.TransactionalIDAuthorizationFailed,
				TopLevel: true,
			},
			nil,
			"TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBroker(t, 1)
			b.produce("a\n")
			if c.fault.Keys != nil {
				c.fault.Count = -1
				b.Fault(c.fault)
			}
			w := b.worker(copyBlocks)
			if c.set != nil {
				c.set(w)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			assert.ErrorContains(t, w.Run(ctx), c.want)
			assert.Empty(t, b.values(out))
		})
	}
}

// TestRetry has requests that fail for a while: nothing is lost, and nothing is there twice.
func TestRetry(t *testing.T) {
	t.Parallel()
	all := func(key kmsg.Key, err *kerr.Error, top bool) kfake.Fault {
		return kfake.Fault{Keys: []kmsg.Key{key}, Err: err, TopLevel: top, Count: 1}
	}
	for _, c := range []struct {
		name     string
		fault    kfake.Fault
		restarts bool
	}{
		{"produce fenced", all(kmsg.Produce, kerr.InvalidProducerEpoch, false), true},
		{"produce twice in order", all(kmsg.Produce, kerr.OutOfOrderSequenceNumber, false), true},
		{"produced with an unknown result", all(kmsg.Produce, kerr.RequestTimedOut, false), false},
		{"produce unknown", all(kmsg.Produce, kerr.UnknownServerError, false), true},
		{"offsets fenced", all(kmsg.TxnOffsetCommit, kerr.ProducerFenced, false), true},
		{"offsets of another generation", all(kmsg.TxnOffsetCommit, kerr.IllegalGeneration, false), false},
		{"offsets of an unknown member", all(kmsg.TxnOffsetCommit, kerr.UnknownMemberID, false), false},
		{"commit fenced", all(kmsg.EndTxn, kerr.ProducerFenced, true), true},
		{"commit of an unknown server", all(kmsg.EndTxn, kerr.UnknownServerError, true), false},
		{"commit must abort", all(kmsg.EndTxn, kerr.TransactionAbortable, true), false},
		{"coordinator moves", all(kmsg.EndTxn, kerr.NotCoordinator, true), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBroker(t, 2)
			var want []string
			for i := range 20 {
				want = append(want, fmt.Sprintf("%02d\n", i))
			}
			b.produce(want...)
			w := b.worker(copyBlocks)
			w.MaxRecords = 5
			handle := b.Fault(c.fault)
			stats := b.run(w, 20)
			assert.EqualValues(t, 1, handle.Hits())
			assert.Equal(t, want, b.values(out))
			assert.Empty(t, b.values(dead))
			t.Log(stats)
		})
	}
}

// TestErrRetry has a Process that asks for another try.
func TestErrRetry(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 1)
	b.produce("a\n", "b\n")
	tries := 0
	w := b.worker(func(ctx context.Context, batch *Batch) error {
		if tries++; tries < 3 {
			return fmt.Errorf("the database: %w", ErrRetry)
		}
		return copyBlocks(ctx, batch)
	})
	stats := b.run(w, 2)
	assert.Equal(t, []string{"a\n", "b\n"}, b.values(out))
	assert.Zero(t, stats.Restarts+stats.Aborts+stats.DeadRecords)
}

// TestRebalance lets a second worker join while the first has a batch.
func TestRebalance(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 4)
	var want []string
	for i := range 40 {
		want = append(want, fmt.Sprintf("%02d\n", i))
	}
	b.produce(want...)
	working, goon := make(chan struct{}, 100), make(chan struct{})
	first := b.worker(func(ctx context.Context, batch *Batch) error {
		working <- struct{}{}
		<-goon
		return copyBlocks(ctx, batch)
	})
	first.MaxRecords = 40
	start(t, first)
	<-working
	second := b.worker(copyBlocks)
	start(t, second)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err := b.WaitGroupStable(ctx, "group", 2)
	require.NoError(t, err)
	within(t, func() bool { return second.Stats().Records > 0 }, "the second worker takes over partitions")
	close(goon)
	within(t, func() bool { return b.committed("group") == 40 }, "all is processed")
	assert.Equal(t, want, b.values(out))
	assert.Positive(t, first.Stats().Aborts, "the batch that spanned the rebalance")
}

// TestSlow has a Process that takes longer than the session and the transaction may.
func TestSlow(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 1)
	b.produce("a\n")
	w := b.worker(func(ctx context.Context, batch *Batch) error {
		time.Sleep(3 * time.Second)
		return copyBlocks(ctx, batch)
	})
	w.TransactionTimeout = time.Second
	w.Client = append(w.Client, kgo.SessionTimeout(time.Second), kgo.RebalanceTimeout(time.Second))
	stats := b.run(w, 1)
	assert.Equal(t, []string{"a\n"}, b.values(out))
	assert.Zero(t, stats.Aborts+stats.Restarts)
}

// TestFenced lets a second worker take the transactional ID of the first.
func TestFenced(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 2)
	b.produce("a\n", "b\n")
	first := b.worker(copyBlocks)
	first.TransactionalID = "same"
	stop := start(t, first)
	within(t, func() bool { return first.Stats().Records == 2 }, "the first works")
	second := b.worker(copyBlocks)
	second.TransactionalID = "same"
	start(t, second)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err := b.WaitGroupStable(ctx, "group", 2)
	require.NoError(t, err)
	b.produce("c\n", "d\n", "e\n", "f\n")
	within(t, func() bool { return b.committed("group") == 6 }, "all is processed")
	assert.Equal(t, []string{"a\n", "b\n", "c\n", "d\n", "e\n", "f\n"}, b.values(out))
	require.NoError(t, stop())
}

// TestOpenTransaction starts a worker with the ID of one that is gone in a transaction.
func TestOpenTransaction(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 1)
	b.produce("a\n")
	gone := b.newClient(kgo.TransactionalID("id"), kgo.TransactionTimeout(10*time.Minute),
		kgo.DefaultProduceTopic(out))
	require.NoError(t, gone.BeginTransaction())
	require.NoError(t, gone.ProduceSync(t.Context(), kgo.StringRecord("half")).FirstErr())
	w := b.worker(copyBlocks)
	w.TransactionalID = "id"
	b.run(w, 1)
	assert.Equal(t, []string{"a\n"}, b.values(out))
	assert.Error(t, gone.EndTransaction(t.Context(), kgo.TryCommit), "it is fenced")
}

// TestInputInTransactions reads a topic that is written in transactions.
func TestInputInTransactions(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 1)
	producer := b.newClient(kgo.TransactionalID("input"), kgo.DefaultProduceTopic(in))
	for i, end := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryAbort, kgo.TryCommit} {
		require.NoError(t, producer.BeginTransaction())
		require.NoError(t, producer.ProduceSync(t.Context(), kgo.StringRecord(strconv.Itoa(i))).FirstErr())
		require.NoError(t, producer.EndTransaction(t.Context(), end))
	}
	b.run(b.worker(copyBlocks), 2)
	assert.Equal(t, []string{"0", "2"}, b.values(out))
}

// TestStop stops workers in each state.
func TestStop(t *testing.T) {
	t.Parallel()
	t.Run("while it waits", func(t *testing.T) {
		b := newBroker(t, 1)
		w := b.worker(copyBlocks)
		stop := start(t, w)
		time.Sleep(300 * time.Millisecond)
		began := time.Now()
		require.NoError(t, stop())
		assert.Less(t, time.Since(began), 5*time.Second)
	})
	for _, c := range []struct {
		name    string
		timeout time.Duration
		done    bool
	}{
		{"in Process, and finishes", 20 * time.Second, true},
		{"in Process, and abandons", time.Millisecond, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBroker(t, 1)
			b.produce("a\n")
			working := make(chan struct{})
			w := b.worker(func(ctx context.Context, batch *Batch) error {
				close(working)
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-time.After(time.Second):
					return copyBlocks(ctx, batch)
				}
			})
			w.StopTimeout = c.timeout
			stop := start(t, w)
			<-working
			require.NoError(t, stop())
			assert.Equal(t, c.done, len(b.values(out)) == 1)
			assert.Equal(t, c.done, b.committed("group") == 1)
			assert.Empty(t, b.values(dead))
		})
	}
	t.Run("without a broker", func(t *testing.T) {
		worker := &Worker{
			Client: []kgo.Opt{kgo.SeedBrokers("127.0.0.1:1")}, Group: "g", Topics: []string{in}, Out: out,
			DeadLetter: dead, Process: copyBlocks,
		}
		stop := start(t, worker)
		time.Sleep(300 * time.Millisecond)
		began := time.Now()
		require.NoError(t, stop())
		assert.Less(t, time.Since(began), 5*time.Second)
	})
	t.Run("when the broker does not answer", func(t *testing.T) {
		t.Parallel()
		b := newBroker(t, 1)
		b.produce("a\n")
		b.ControlKey(int16(kmsg.LeaveGroup), func(kmsg.Request) (kmsg.Response, error, bool) {
			b.KeepControl()
			return nil, nil, true
		})
		w := b.worker(copyBlocks)
		stop := start(t, w)
		within(t, func() bool { return w.Stats().Records == 1 }, "it works")
		began := time.Now()
		require.NoError(t, stop())
		assert.Less(t, time.Since(began), closeTimeout+3*time.Second)
	})
	t.Run("when the broker is gone in a transaction", func(t *testing.T) {
		b := newBroker(t, 1)
		b.produce("a\n")
		gone := make(chan struct{})
		b.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
			go func() { b.Close(); close(gone) }()
			return nil, errors.New("gone"), true
		})
		w := b.worker(copyBlocks)
		w.StopTimeout = time.Second
		stop := start(t, w)
		<-gone
		time.Sleep(300 * time.Millisecond)
		began := time.Now()
		require.NoError(t, stop())
		assert.Less(t, time.Since(began), 10*time.Second)
	})
}

// TestOutage stops the broker while workers run, and starts it again with what it had stored.
func TestOutage(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	first := newBroker(t, 2, kfake.DataDir(folder), kfake.SyncWrites())
	_, text, _ := strings.Cut(first.ListenAddrs()[0], ":")
	port, err := strconv.Atoi(text)
	require.NoError(t, err)
	var want []string
	for i := range 200 {
		want = append(want, fmt.Sprintf("%03d\n", i))
	}
	first.produce(want...)
	w := first.worker(func(ctx context.Context, batch *Batch) error {
		time.Sleep(20 * time.Millisecond)
		return copyBlocks(ctx, batch)
	})
	w.MaxRecords = 10
	w.TransactionTimeout = 2 * time.Second
	start(t, w)
	within(t, func() bool { return w.Stats().Records >= 50 }, "it works")
	first.Close()
	time.Sleep(time.Second)
	second := newBroker(t, 2, kfake.DataDir(folder), kfake.Ports(port))
	within(t, func() bool { return second.committed("group") == 200 }, "all is processed")
	assert.Equal(t, want, second.values(out))
	t.Log(w.Stats())
}

// TestIsolation holds kfake to what the other tests depend on.
func TestIsolation(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 1)
	b.produce("a\n")
	producer := b.newClient(kgo.TransactionalID("id"), kgo.DefaultProduceTopic(out))
	for i, end := range []kgo.TransactionEndTry{kgo.TryAbort, kgo.TryCommit} {
		require.NoError(t, producer.BeginTransaction())
		require.NoError(t, producer.ProduceSync(t.Context(), kgo.StringRecord(strconv.Itoa(i))).FirstErr())
		assert.Empty(t, b.values(out), "not committed")
		require.NoError(t, producer.EndTransaction(t.Context(), end))
	}
	assert.Equal(t, []string{"1"}, b.values(out), "what was aborted is not read")

	require.NoError(t, producer.BeginTransaction())
	require.NoError(t, producer.ProduceSync(t.Context(), kgo.StringRecord("2")).FirstErr())
	heir := b.newClient(kgo.TransactionalID("id"), kgo.DefaultProduceTopic(out))
	_, _, err := heir.ProducerID(t.Context())
	require.NoError(t, err)
	assert.Error(t, producer.EndTransaction(t.Context(), kgo.TryCommit), "fenced")
	assert.Equal(t, []string{"1"}, b.values(out))
}

// TestPendingOffsets holds kfake to this, too: who takes over a partition does not get its offset while a
// transaction may change it.
func TestPendingOffsets(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 1)
	b.produce("a\n")
	b.run(b.worker(copyBlocks), 1)

	producer := b.newClient(kgo.TransactionalID("id"), kgo.DefaultProduceTopic(out))
	require.NoError(t, producer.BeginTransaction())
	require.NoError(t, producer.ProduceSync(t.Context(), kgo.StringRecord("b")).FirstErr())
	id, epoch, err := producer.ProducerID(t.Context())
	require.NoError(t, err)
	commit := kmsg.NewPtrTxnOffsetCommitRequest()
	commit.TransactionalID, commit.Group, commit.ProducerID, commit.ProducerEpoch = "id", "group", id, epoch
	commit.Generation = -1
	topic := kmsg.NewTxnOffsetCommitRequestTopic()
	topic.Topic, topic.TopicID = in, b.TopicInfo(in).TopicID
	partition := kmsg.NewTxnOffsetCommitRequestTopicPartition()
	partition.Offset = 7
	topic.Partitions = append(topic.Partitions, partition)
	commit.Topics = append(commit.Topics, topic)
	answer, err := commit.RequestWith(t.Context(), producer)
	require.NoError(t, err)
	require.NoError(t, kerr.ErrorForCode(answer.Topics[0].Partitions[0].ErrorCode))

	fetch := func() (offset int64, err error) {
		request := kmsg.NewPtrOffsetFetchRequest()
		request.RequireStable = true
		group := kmsg.NewOffsetFetchRequestGroup()
		group.Group = "group"
		request.Groups = append(request.Groups, group)
		answer, err := request.RequestWith(t.Context(), b.newClient())
		require.NoError(t, err)
		if err := kerr.ErrorForCode(answer.Groups[0].ErrorCode); err != nil {
			return 0, err
		}
		p := answer.Groups[0].Topics[0].Partitions[0]
		return p.Offset, kerr.ErrorForCode(p.ErrorCode)
	}
	_, err = fetch()
	require.ErrorIs(t, err, kerr.UnstableOffsetCommit)
	require.NoError(t, producer.EndTransaction(t.Context(), kgo.TryCommit))
	offset, err := fetch()
	require.NoError(t, err)
	assert.EqualValues(t, 7, offset)
	assert.Equal(t, []string{"a\n", "b"}, b.values(out))
}
