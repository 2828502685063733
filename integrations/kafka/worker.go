// Package urikafka reads blocks of lines from Kafka, and produces what a function makes of them, exactly
// once.
//
// A record holds a block: lines that end with "\n". With blocks of 16 KiB or more, what a record costs no
// longer matters. Records of a single line work too.
//
// A [Worker] is a member of a consumer group. It polls records, hands them to a function as a [Batch], and
// produces the results, the dead letters and the offsets in one transaction. A worker that is killed, fenced
// or cut off from the brokers has changed nothing that a consumer with read_committed isolation can see, and
// its blocks go to another worker.
package urikafka

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A Worker is a member of a consumer group that processes blocks of lines. Group, Topics, Out, DeadLetter and
// Process are required; zero values of the other fields choose their defaults.
//
// A worker processes one batch at a time, in one goroutine. For more cores, run more workers, up to the
// number of partitions.
type Worker struct {
	// Client has the options of the Kafka client: seed brokers, TLS, SASL, logger, hooks for metrics, sizes of
	// fetches, timeouts of the group. The worker owns the client, because it replaces it after errors that a
	// client does not survive. What the other fields say, and what exactly-once depends on, overrides these
	// options: the group, the topics, the transactional ID, isolation, acknowledgements and the end of
	// transactions.
	Client []kgo.Opt

	// Group is the consumer group.
	Group string

	// Topics are the topics to read. Out and DeadLetter must not be among them. All topics must exist.
	Topics []string

	// Out is the topic of the results.
	Out string

	// DeadLetter is the topic of the lines and records that could not be processed. See [HeaderTopic].
	DeadLetter string

	// TransactionalID identifies this worker to the brokers. No two workers that run at the same time may have
	// the same. A worker that starts with the ID of one that was killed ends its transaction at once;
	// otherwise the brokers end it after TransactionTimeout. The default is the group and random letters,
	// new for each call of Run.
	TransactionalID string

	// Process makes results of the batch. It is called in one goroutine. Meanwhile the client keeps up the
	// heartbeats to the group, and no transaction is open, so it may take its time.
	//
	// If it returns an error or panics, it is called again with each record alone, and the records for which
	// it fails again become dead letters. If the error is an [ErrRetry], nothing becomes a dead letter, and the
	// batch is processed again after a pause. If the context is done, the batch is abandoned: the next worker
	// gets it.
	//
	// It may be called several times for the same records, so it should not have effects of its own.
	Process func(ctx context.Context, batch *Batch) error

	// MaxRecords is the most records that a batch has. The default is 500. The option [kgo.FetchMaxBytes],
	// 16 MiB unless Client says otherwise, limits the size of a batch for each broker.
	MaxRecords int

	// MaxMessageBytes is the size of the largest batch of records that the topics Out and DeadLetter accept
	// (max.message.bytes). The default is 1,000,000. The worker halves it when the brokers accept less.
	MaxMessageBytes int

	// TransactionTimeout is how long producing and committing the results may take before the brokers abort
	// the transaction. The default is 15 s. The brokers' transaction.max.timeout.ms must not be less.
	TransactionTimeout time.Duration

	// StopTimeout is how long Run may finish its batch after its context is done. The default is 10 s. Leaving
	// the group may take another 5 s, if the brokers do not answer.
	StopTimeout time.Duration

	stats stats
}

// ErrRetry is what an error of Process wraps if trying again may help, such as that of a database that is not
// reachable.
var ErrRetry = errors.New("try again")

// Stats are what a worker has done since it was made. All but Aborts and Restarts are of committed
// transactions.
type Stats struct {
	Batches     int64 // committed transactions
	Records     int64 // records read
	Bytes       int64 // of their values
	Results     int64 // records produced to Out
	DeadLines   int64 // lines that were rejected
	DeadRecords int64 // records that were rejected as a whole
	Aborts      int64 // transactions that were aborted, mostly because of a rebalance
	Restarts    int64 // clients that were replaced after an error
}

type stats struct {
	batches, records, bytes, results, deadLines, deadRecords, aborts, restarts atomic.Int64
}

// Stats returns what the worker has done so far. It may be called at any time.
func (w *Worker) Stats() Stats {
	s := &w.stats
	return Stats{
		Batches: s.batches.Load(), Records: s.records.Load(), Bytes: s.bytes.Load(), Results: s.results.Load(),
		DeadLines: s.deadLines.Load(), DeadRecords: s.deadRecords.Load(),
		Aborts: s.aborts.Load(), Restarts: s.restarts.Load(),
	}
}

// Defaults and limits.
const (
	defaultMaxRecords         = 500
	defaultMaxMessageBytes    = 1_000_000
	defaultTransactionTimeout = 15 * time.Second
	defaultStopTimeout        = 10 * time.Second
	fetchMaxBytes             = 16 << 20

	maxRecords            = 1 << 20
	minMessageBytes       = 4 << 10
	maxMessageBytes       = 1 << 30 // as in kgo
	minTransactionTimeout = time.Second
	maxTransactionTimeout = 24 * time.Hour

	checkTimeout = 15 * time.Second       // for the brokers to answer a new client
	closeTimeout = 3 * time.Second        // to leave the group
	minPause     = 250 * time.Millisecond // before a new client
	maxPause     = 30 * time.Second
)

var topicName = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,249}$`)

// invalid returns an error about a field.
func invalid(field, format string, args ...any) error {
	return fmt.Errorf("%s: %s", field, fmt.Sprintf(format, args...))
}

// checkTopic returns an error if the field has a name that no topic can have.
func checkTopic(field, name string) error {
	switch {
	case name == "":
		return invalid(field, "missing")
	case !topicName.MatchString(name) || name == "." || name == "..":
		return invalid(field, "%q is not the name of a topic", name)
	}
	return nil
}

// Validate returns an error that names the first field that is not valid. It connects to nothing.
func (w *Worker) Validate() error {
	if err := kgo.ValidateOpts(w.Client...); err != nil {
		return invalid("Client", "%v", err)
	}
	if w.Group == "" {
		return invalid("Group", "missing")
	}
	if len(w.Topics) == 0 {
		return invalid("Topics", "missing")
	}
	for i, name := range w.Topics {
		if err := checkTopic("Topics", name); err != nil {
			return err
		}
		if slices.Contains(w.Topics[:i], name) {
			return invalid("Topics", "%q is there twice", name)
		}
	}
	for _, written := range []struct{ field, name string }{{"Out", w.Out}, {"DeadLetter", w.DeadLetter}} {
		if err := checkTopic(written.field, written.name); err != nil {
			return err
		}
		if slices.Contains(w.Topics, written.name) {
			return invalid(written.field, "%q is also read, so the worker would read what it writes", written.name)
		}
	}
	if w.DeadLetter == w.Out {
		return invalid("DeadLetter", "%q is also the topic of the results", w.Out)
	}
	if !utf8.ValidString(w.TransactionalID) || strings.ContainsFunc(w.TransactionalID, unicode.IsControl) {
		return invalid("TransactionalID", "it has a character that is not printable")
	}
	if w.Process == nil {
		return invalid("Process", "missing")
	}
	return w.validateLimits()
}

func (w *Worker) validateLimits() error {
	switch bytes, timeout := w.MaxMessageBytes, w.TransactionTimeout; {
	case w.MaxRecords < 0 || w.MaxRecords > maxRecords:
		return invalid("MaxRecords", "%d is not from 1 to %d", w.MaxRecords, maxRecords)
	case bytes != 0 && (bytes < minMessageBytes || bytes > maxMessageBytes):
		return invalid("MaxMessageBytes", "%d is not from %d to %d", bytes, minMessageBytes, maxMessageBytes)
	case timeout != 0 && (timeout < minTransactionTimeout || timeout > maxTransactionTimeout):
		return invalid("TransactionTimeout", "%v is not from %v to %v",
			timeout, minTransactionTimeout, maxTransactionTimeout)
	case w.StopTimeout < 0:
		return invalid("StopTimeout", "%v is negative", w.StopTimeout)
	}
	return nil
}

// Run processes records until the context is done, then finishes or abandons its batch, leaves the group and
// returns nil.
//
// It returns an error if a field is not valid, or if the brokers refuse what trying again does not change: a
// topic does not exist, a user may not use it, a timeout is too long, a dead letter is not accepted. After
// every other error it waits and tries again with a new client.
//
// A worker must not run more than once at the same time.
func (w *Worker) Run(ctx context.Context) error {
	if err := w.Validate(); err != nil {
		return fmt.Errorf("urikafka: %w", err)
	}
	r := &run{
		Worker: w, id: w.TransactionalID,
		maxRecords: cmp.Or(w.MaxRecords, defaultMaxRecords),
		limit:      cmp.Or(w.MaxMessageBytes, defaultMaxMessageBytes),
		timeout:    cmp.Or(w.TransactionTimeout, defaultTransactionTimeout),
		refused:    map[place]error{},
	}
	if r.id == "" {
		r.id = w.Group + "-" + rand.Text()
	}
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	r.late = late
	defer context.AfterFunc(ctx, func() {
		time.AfterFunc(cmp.Or(w.StopTimeout, defaultStopTimeout), cancel)
	})()

	pause := minPause
	for {
		before := w.stats.batches.Load()
		err := r.session(ctx)
		var p permanent
		switch {
		case ctx.Err() != nil:
			r.log(kgo.LogLevelInfo, "worker stopped", "records", w.stats.records.Load(), "abandoned", err)
			return nil
		case errors.As(err, &p):
			return fmt.Errorf("urikafka: %w", p.error)
		case w.stats.batches.Load() > before:
			pause = minPause
		}
		w.stats.restarts.Add(1)
		wait := pause/2 + mathrand.N(pause) // so that workers do not come back all at once
		r.log(kgo.LogLevelWarn, "starting over with a new client", "error", err, "in", wait.Round(time.Millisecond))
		sleep(ctx, wait)
		pause = min(2*pause, maxPause)
	}
}

// sleep waits until the time is over or the context is done.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// A run is the state of Run, for all its clients.
type run struct {
	*Worker
	id         string
	maxRecords int
	limit      int // of the size of a message
	timeout    time.Duration
	late       context.Context // is done when the time to stop is over
	logger     kgo.Logger

	// Brokers that refuse a result refuse everything that was sent with it. The next single records are then
	// each a batch, so that it is known whose results are refused. Those records become dead letters.
	single  int
	refused map[place]error
}

// A place is where a record is.
type place struct {
	topic     string
	partition int32
	offset    int64
}

func placeOf(r *kgo.Record) place {
	return place{r.Topic, r.Partition, r.Offset}
}

// A permanent is an error that trying again does not change.
type permanent struct{ error }

// Unwrap returns the error.
func (p permanent) Unwrap() error { return p.error }

// log writes to the logger of the client.
func (r *run) log(level kgo.LogLevel, message string, pairs ...any) {
	if r.logger != nil && r.logger.Level() >= level {
		r.logger.Log(level, message, append([]any{"group", r.Group, "transactional_id", r.id}, pairs...)...)
	}
}

// options returns the options of a client. Later options override earlier ones.
func (r *run) options(ctx context.Context) []kgo.Opt {
	defaults := []kgo.Opt{
		kgo.FetchMaxBytes(fetchMaxBytes),
		kgo.ProducerLinger(0), // a transaction ends with a flush
	}
	return append(append(defaults, r.Client...),
		kgo.WithContext(ctx),
		kgo.ConsumerGroup(r.Group),
		kgo.ConsumeTopics(r.Topics...),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.TransactionalID(r.id),
		kgo.TransactionTimeout(r.timeout),
		kgo.ProducerBatchMaxBytes(int32(r.limit)),
	)
}

// session processes batches with one client, until the context is done or the client fails.
func (r *run) session(ctx context.Context) error {
	client, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s, err := kgo.NewGroupTransactSession(r.options(client)...)
	if err != nil {
		return permanent{err}
	}
	defer func() {
		defer time.AfterFunc(closeTimeout, cancel).Stop()
		s.CloseAllowingRebalance()
	}()
	r.logger, _ = s.Client().OptValue(kgo.WithLogger).(kgo.Logger)
	if err := r.check(ctx, s.Client()); err != nil {
		return classify(err)
	}
	r.log(kgo.LogLevelInfo, "worker started", "topics", r.Topics, "out", r.Out, "dead_letter", r.DeadLetter)
	for ctx.Err() == nil {
		if err := r.poll(ctx, s); err != nil {
			return classify(err)
		}
		s.AllowRebalance() // if Client has kgo.BlockRebalanceOnPoll
	}
	return nil
}

// check asks the brokers for the topics and for the producer ID. The latter fences a worker with the same
// transactional ID, and ends its transaction.
func (r *run) check(ctx context.Context, client *kgo.Client) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	names := append(slices.Clone(r.Topics), r.Out, r.DeadLetter)
	topics, err := kadm.NewClient(client).ListTopics(ctx, names...)
	if err != nil {
		return fmt.Errorf("topics: %w", err)
	}
	for _, name := range names {
		switch err := topics[name].Err; {
		case errors.Is(err, kerr.UnknownTopicOrPartition):
			return permanent{fmt.Errorf("topic %q does not exist", name)}
		case err != nil:
			return fmt.Errorf("topic %q: %w", name, err)
		}
	}
	if _, _, err := client.ProducerID(ctx); err != nil {
		if errors.Is(err, kerr.InvalidTransactionTimeout) {
			return permanent{invalid("TransactionTimeout",
				"%v is more than the brokers' transaction.max.timeout.ms", r.timeout)}
		}
		return fmt.Errorf("producer ID: %w", err)
	}
	return nil
}

// classify makes an error permanent if trying again does not change it.
func classify(err error) error {
	for _, e := range []error{
		kerr.TopicAuthorizationFailed, kerr.GroupAuthorizationFailed, kerr.ClusterAuthorizationFailed,
		kerr.TransactionalIDAuthorizationFailed, kerr.SaslAuthenticationFailed, kerr.UnsupportedSaslMechanism,
		kerr.InvalidTransactionTimeout, kerr.InvalidGroupID, kerr.InvalidSessionTimeout, kerr.UnsupportedVersion,
		kerr.InconsistentGroupProtocol,
	} {
		if errors.Is(err, e) {
			return permanent{err}
		}
	}
	return err
}

// poll processes one batch. An error ends the session.
func (r *run) poll(ctx context.Context, s *kgo.GroupTransactSession) error {
	most := r.maxRecords
	if r.single > 0 {
		most = 1
	}
	fetches := s.PollRecords(ctx, most)
	var pause time.Duration // unless other partitions can be read
	for _, e := range fetches.Errors() {
		var loss *kgo.ErrDataLoss
		var group *kgo.ErrGroupSession
		var p permanent
		switch err := classify(e.Err); {
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &p), errors.As(err, &group), errors.Is(err, kgo.ErrClientClosed):
			return err
		case errors.As(err, &loss):
			r.log(kgo.LogLevelError, "the brokers lost records", "error", err)
		default:
			r.log(kgo.LogLevelWarn, "a partition cannot be read", "topic", e.Topic, "partition", e.Partition, "error",
				err)
			pause = minPause
		}
	}
	records := fetches.Records()
	if len(records) == 0 {
		sleep(ctx, pause)
		return nil
	}
	batch, err := r.process(records)
	for pause := minPause; errors.Is(err, ErrRetry) && ctx.Err() == nil; pause = min(2*pause, maxPause) {
		r.log(kgo.LogLevelWarn, "Process asks for another try", "in", pause)
		sleep(ctx, pause)
		batch, err = r.process(records)
	}
	if err != nil {
		return errors.New("interrupted in Process") // its own error may hold what was read
	}
	return r.commit(s, batch)
}

// commit produces what the batch has, and commits it with the offsets.
func (r *run) commit(s *kgo.GroupTransactSession, batch *Batch) error {
	if err := s.Begin(); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	ctx, cancel := context.WithTimeout(r.late, r.timeout)
	defer cancel()
	done := make(chan kgo.ProduceResults, 1)
	go func() { done <- s.ProduceSync(ctx, batch.out...) }()
	var results kgo.ProduceResults
	select {
	case results = <-done:
	case <-ctx.Done(): // ProduceSync returns when the client is closed
		r.stats.aborts.Add(1)
		return fmt.Errorf("produce: %w", ctx.Err())
	}
	if results.FirstErr() != nil {
		r.stats.aborts.Add(1)
		err := r.refuse(batch, results)
		if _, abort := s.End(ctx, kgo.TryAbort); abort != nil {
			return cmp.Or(err, fmt.Errorf("abort: %w", abort))
		}
		return err
	}
	committed, err := s.End(ctx, kgo.TryCommit)
	switch {
	case err != nil:
		r.stats.aborts.Add(1)
		return fmt.Errorf("commit: %w", err)
	case !committed:
		r.stats.aborts.Add(1)
		r.log(kgo.LogLevelInfo, "batch aborted because of a rebalance; its records will be read again",
			"records", len(batch.records))
		return nil
	}
	for _, record := range batch.records {
		delete(r.refused, placeOf(record))
	}
	r.single = max(0, r.single-len(batch.records))
	r.stats.batches.Add(1)
	r.stats.records.Add(int64(len(batch.records)))
	r.stats.bytes.Add(batch.size())
	r.stats.results.Add(int64(batch.results))
	r.stats.deadLines.Add(int64(batch.deadLines))
	r.stats.deadRecords.Add(int64(batch.deadRecords))
	if batch.deadRecords > 0 {
		r.log(kgo.LogLevelWarn, "records became dead letters", "records", batch.deadRecords)
	}
	r.log(kgo.LogLevelInfo, "batch committed",
		"records", len(batch.records), "results", batch.results, "dead_lines", batch.deadLines)
	return nil
}

// refuse remembers which records' results the brokers refused. It returns an error if the client cannot go
// on.
func (r *run) refuse(batch *Batch, results kgo.ProduceResults) error {
	for _, result := range results {
		if errors.Is(result.Err, kerr.MessageTooLarge) {
			r.limit /= 2
			if r.limit < minMessageBytes {
				return permanent{fmt.Errorf("the brokers accept less than %d bytes: %w", 2*r.limit, result.Err)}
			}
			return fmt.Errorf("the brokers accept less than %d bytes (MaxMessageBytes): %w", 2*r.limit, result.Err)
		}
	}
	for _, result := range results {
		switch {
		case !isRefusal(result.Err):
			continue
		case result.Record.Topic == r.DeadLetter:
			return permanent{fmt.Errorf("the brokers refuse a dead letter: %w", result.Err)}
		case len(batch.records) == 1:
			r.refused[placeOf(batch.records[0])] = result.Err
		default:
			r.single = len(batch.records)
		}
		r.log(kgo.LogLevelWarn, "the brokers refuse a result", "error", result.Err, "records", len(batch.records))
		return nil
	}
	return fmt.Errorf("produce: %w", results.FirstErr())
}

// isRefusal reports whether brokers refuse a record because of what it is.
func isRefusal(err error) bool {
	return errors.Is(err, kerr.InvalidRecord) || errors.Is(err, kerr.InvalidTimestamp) ||
		errors.Is(err, kerr.PolicyViolation)
}
