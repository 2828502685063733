package urikafka

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seed-56a50ac9/uri/internal/accesslog"
	"github.com/seed-56a50ac9/uri/internal/blocks"
	"github.com/seed-56a50ac9/uri/internal/blocks/slow"
	"github.com/seed-56a50ac9/uri/internal/long"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// processEnv is the variable that makes the test binary a worker process: its value is an assignment.
const processEnv = "URIKAFKA_TEST_PROCESS"

func TestMain(m *testing.M) {
	if text := os.Getenv(processEnv); text != "" {
		if err := runAssignment(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// An assignment says what a worker process does.
type assignment struct {
	Brokers        []string
	Group, Out, ID string
	Records        int
	Session        time.Duration
	WithoutTxn     bool          // the control: produce, then commit
	Pause          time.Duration // after the results are produced
	NetURL         bool          // parse with net/url

	File          string // the lines, to count them without Kafka
	Block, Repeat int    // the size of a block, and how often to count all of them
}

// An account is what a worker process says at its end.
type account struct {
	CPU   time.Duration // of the process, user and system
	Lines int64
	Stats Stats
}

// cpu returns the time that this process has used.
func cpu() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// A pause is a hook that waits after results are produced, so that workers are often killed between results
// and offsets.
type pause assignment

func (p pause) OnProduceRecordUnbuffered(r *kgo.Record, _ error) {
	if r.Topic == p.Out {
		time.Sleep(p.Pause)
	}
}

func runAssignment(text string) error {
	var a assignment
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return err
	}
	count := countURI()
	if a.NetURL {
		count = slow.Count
	}
	var done account
	var start atomic.Int64 // CPU time
	if a.File != "" {
		all, err := os.ReadFile(a.File)
		if err != nil {
			return err
		}
		var cuts [][]byte
		accesslog.Cut(all, a.Block, func(block []byte) { cuts = append(cuts, block) })
		start.Store(int64(cpu()))
		for range a.Repeat {
			var c blocks.Counts
			for _, block := range cuts {
				count(&c, block, func(int, []byte, error) {})
			}
			done.Lines += c.Lines
		}
	} else {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		resumed := make(chan os.Signal, 1)
		signal.Notify(resumed, syscall.SIGCONT)
		go func() {
			<-resumed
			start.Store(int64(cpu())) // joining the group is not measured
		}()
		w := &Worker{
			Client: []kgo.Opt{
				kgo.SeedBrokers(a.Brokers...), kgo.SessionTimeout(a.Session), kgo.HeartbeatInterval(a.Session / 10),
				kgo.FetchMaxWait(100 * time.Millisecond), kgo.WithLogger(kgo.BasicLogger(os.Stderr, logLevel, nil)),
				kgo.FetchMaxPartitionBytes(4 << 20), kgo.WithHooks(pause(a)),
			},
			Group: a.Group, Topics: []string{in}, Out: a.Out, DeadLetter: dead, TransactionalID: a.ID,
			MaxRecords:         a.Records,
			TransactionTimeout: 3 * time.Second,
			Process: func(_ context.Context, batch *Batch) error {
				var c blocks.Counts
				for block := range batch.Blocks() {
					count(&c, block.Value, block.RejectLine)
				}
				done.Lines += c.Lines
				values, err := c.Records(batch.Limit())
				for _, value := range values {
					err = batch.Produce(&kgo.Record{Value: value})
				}
				return err
			},
		}
		run := w.Run
		if a.WithoutTxn {
			run = w.runWithoutTransactions
		}
		if err := run(ctx); err != nil {
			return err
		}
		done.Stats = w.Stats()
	}
	done.CPU = cpu() - time.Duration(start.Load())
	return json.NewEncoder(os.Stdout).Encode(done)
}

// runWithoutTransactions is Run without what the tests are about: it produces the results, and then commits
// the offsets.
func (w *Worker) runWithoutTransactions(ctx context.Context) error {
	r := &run{Worker: w, maxRecords: w.MaxRecords, limit: defaultMaxMessageBytes, late: context.Background()}
	client, err := kgo.NewClient(append(w.Client[:len(w.Client):len(w.Client)],
		kgo.ConsumerGroup(w.Group), kgo.ConsumeTopics(w.Topics...), kgo.DefaultProduceTopic(w.Out),
		kgo.DisableAutoCommit(), kgo.ProducerLinger(0))...)
	if err != nil {
		return err
	}
	defer client.Close()
	for ctx.Err() == nil {
		records := client.PollRecords(ctx, r.maxRecords).Records()
		if len(records) == 0 {
			continue
		}
		batch, err := r.process(records)
		if err != nil {
			return err
		}
		if err := client.ProduceSync(r.late, batch.out...).FirstErr(); err != nil {
			return err
		}
		_ = client.CommitUncommittedOffsets(r.late) // a rebalance: others process these records, too
	}
	return nil
}

type counter func(c *blocks.Counts, block []byte, invalid blocks.Invalid)

// countURI returns a counter of the hosts of referrers.
func countURI() counter {
	job, err := blocks.New("referrer", "host", false)
	if err != nil {
		panic(err)
	}
	return job.Count
}

// A process is a worker process.
type process struct {
	*exec.Cmd
	out, err bytes.Buffer
}

// startProcess starts a worker process. The kernel kills it when the test ends in any way.
func startProcess(t testing.TB, a assignment) *process {
	t.Helper()
	text, err := json.Marshal(a)
	require.NoError(t, err)
	p := &process{Cmd: exec.Command(os.Args[0])}
	p.Env = append(os.Environ(), processEnv+"="+string(text))
	p.Stdout, p.Stderr = &p.out, &p.err
	if logLevel != kgo.LogLevelNone {
		p.Stderr = os.Stderr
	}
	p.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, p.Start())
	t.Cleanup(func() { _ = p.Process.Kill() })
	return p
}

// end waits until the process ends, and returns its account.
func (p *process) end(t testing.TB) (a account) {
	t.Helper()
	err := p.Wait()
	if p.ProcessState.String() == "signal: terminated" {
		return a // it had hardly begun
	}
	require.NoError(t, err, p.err.String())
	require.NoError(t, json.Unmarshal(p.out.Bytes(), &a))
	return a
}

// readLog returns n lines of the log in the folder that URI_CORPUS names, or of an invented one.
func readLog(t testing.TB, n int) []byte {
	t.Helper()
	folder := os.Getenv("URI_CORPUS")
	if folder == "" {
		return accesslog.Append(nil, n)
	}
	log, err := os.ReadFile(filepath.Join(folder, "apache_access.log"))
	require.NoError(t, err)
	log = bytes.Repeat(log, n/bytes.Count(log, []byte("\n"))+1)
	end := 0
	for range n {
		end += bytes.IndexByte(log[end:], '\n') + 1
	}
	return log[:end]
}

// fill writes the lines as blocks to the topic in, and returns the number of records.
func (b broker) fill(lines []byte, size int) (n int64) {
	b.t.Helper()
	client := b.newClient(kgo.DefaultProduceTopic(in), kgo.RecordPartitioner(kgo.RoundRobinPartitioner()),
		kgo.ProducerBatchCompression(kgo.NoCompression()))
	var failed kgo.FirstErrPromise
	accesslog.Cut(lines, size, func(block []byte) {
		n++
		client.Produce(context.Background(), &kgo.Record{Value: block}, failed.Promise())
	})
	require.NoError(b.t, client.Flush(context.Background()))
	require.NoError(b.t, failed.Err())
	return n
}

// sum adds the committed counts in a topic.
func (b broker) sum(topic string) (c blocks.Counts) {
	b.t.Helper()
	for _, record := range b.read(topic) {
		var part blocks.Counts
		require.NoError(b.t, json.Unmarshal(record.Value, &part))
		c.Add(&part)
	}
	return c
}

// watch returns a function that says how many records the group has committed.
func (b broker) watch(group string) func() int64 {
	admin := kadm.NewClient(b.newClient())
	return func() (n int64) {
		offsets, _ := admin.FetchOffsets(context.Background(), group) // fails before there is such a group
		offsets.Each(func(o kadm.OffsetResponse) { n += max(o.At, 0) })
		return n
	}
}

// stable waits until no transaction is open in the topics. That of a worker that was killed stays open until
// its time is over, and until then nobody can read the results that others committed after it.
func (b broker) stable(topics ...string) {
	b.t.Helper()
	for _, topic := range topics {
		within(b.t, func() bool {
			p := b.PartitionInfo(topic, 0)
			return p.LastStableOffset == p.HighWatermark
		}, "open transactions in %s", topic)
	}
}

// What happens in a race.
const (
	kill    = "killed"  // with SIGKILL; odd numbers start a new process with the same ID
	stop    = "stopped" // with SIGSTOP, and goes on when it is no longer in the group
	control = "control" // killed, and there are no transactions
)

// A race is three worker processes, to one of which something happens.
type race struct {
	broker
	records int64
	lines   int
	want    blocks.Counts
}

// run returns what the workers counted.
func (r *race) run(t *testing.T, number int, what string) blocks.Counts {
	t.Helper()
	const session = 2 * time.Second
	random := rand.New(rand.NewPCG(uint64(number), 0))
	victim, share, delay := random.IntN(3), 0.05+0.7*random.Float64(),
		time.Duration(random.IntN(60))*time.Millisecond

	name := fmt.Sprintf("run-%s-%d", what, number)
	require.NoError(t, r.CreateTopic(name, 1, nil))
	assigned := assignment{
		Brokers: r.ListenAddrs(), Group: name, Out: name, Records: int(max(4, r.records/200)),
		Session: session, WithoutTxn: what == control, Pause: 20 * time.Millisecond,
	}
	began := time.Now()
	var all []*process
	for i := range 3 {
		assigned.ID = fmt.Sprintf("%s-%d", name, i)
		all = append(all, startProcess(t, assigned))
	}
	committed := r.watch(name)
	wait := func(n int64) {
		for deadline := time.Now().Add(2 * time.Minute); committed() < n; time.Sleep(5 * time.Millisecond) {
			require.True(t, time.Now().Before(deadline), "the workers are stuck at %d of %d records", committed(),
				r.records)
		}
	}
	wait(int64(share * float64(r.records)))
	time.Sleep(delay)
	signal := syscall.SIGKILL
	if what == stop {
		signal = syscall.SIGSTOP
	}
	require.NoError(t, all[victim].Process.Signal(signal))
	happened, at := time.Since(began), committed()
	again := number%2 == 1
	switch {
	case what == stop:
		time.Sleep(session + time.Second)
		require.NoError(t, all[victim].Process.Signal(syscall.SIGCONT))
	case again:
		require.Error(t, all[victim].Wait())
		assigned.ID = fmt.Sprintf("%s-%d", name, victim)
		all[victim] = startProcess(t, assigned)
	default:
		require.Error(t, all[victim].Wait())
		all = append(all[:victim], all[victim+1:]...)
	}
	wait(r.records)
	aborts := int64(0)
	for _, p := range all {
		require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	}
	for _, p := range all {
		aborts += p.end(t).Stats.Aborts
	}
	r.stable(name, dead)
	got := r.sum(name)
	t.Logf("%s, run %d: worker %d after %v, at %d of %d records; started again: %t; aborts: %d; "+
		"lines counted: %d of %d; took %v",
		what, number, victim, happened.Round(time.Millisecond), at, r.records, again && what != stop, aborts,
		got.Lines, r.lines, time.Since(began).Round(time.Millisecond))
	return got
}

// TestExactlyOnce kills and stops worker processes. The counts must equal those of a single pass, and must
// not if the results and the offsets are not in a transaction.
func TestExactlyOnce(t *testing.T) {
	t.Parallel()
	lines := long.Sample(t, 20_000, 200_000, 1_000_000)
	runs := long.Sample(t, 1, 4, 20)
	log := readLog(t, lines)
	r := &race{broker: newBroker(t, 12, kfake.GroupMinSessionTimeout(time.Second)), lines: lines}
	countURI()(&r.want, log, func(int, []byte, error) {})
	r.records = r.fill(log, min(64<<10, len(log)/600))

	letters := 0
	exact := func(n int, what string) {
		got := r.run(t, n, what)
		assert.True(t, reflect.DeepEqual(r.want, got), "the counts differ from those of a single pass")
		letters += int(r.want.Invalid)
		assert.Len(t, r.read(dead), letters, "dead letters")
	}
	for n := range runs {
		exact(n, kill)
	}
	for n := range long.Sample(t, 0, 2, 5) {
		exact(n, stop)
	}
	twice := int64(0)
	for n := 0; n < runs || n < 5 && twice == 0; n++ {
		got := r.run(t, n, control)
		assert.GreaterOrEqual(t, got.Lines, r.want.Lines)
		twice += got.Lines - r.want.Lines
	}
	assert.Positive(t, twice, "without transactions nothing was counted twice, so this test cannot fail")
}
