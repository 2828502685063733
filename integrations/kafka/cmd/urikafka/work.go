package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"time"

	urikafka "github.com/seed-56a50ac9/uri/integrations/kafka"
	"github.com/seed-56a50ac9/uri/internal/blocks"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A job says what to do with lines.
type job struct {
	mode    string
	lines   string
	fields  string
	lenient bool
}

func (j *job) flags(f *flag.FlagSet) {
	f.StringVar(&j.mode, "mode", "count",
		"`WHAT` to produce: count (of the values of a field, one record for each batch)\n"+
			"or add (each line after its fields, separated by TABs)")
	f.StringVar(&j.lines, "lines", "referrer", "`KIND` of line: uri, or of a combined log: target or referrer")
	f.StringVar(&j.fields, "fields", "host", "`NAMES` of the components to count or add: "+blocks.ComponentNames)
	f.BoolVar(&j.lenient, "lenient", false, "accept what browsers accept, and percent-encode it")
}

// process returns the function for a worker.
func (j *job) process() (func(context.Context, *urikafka.Batch) error, error) {
	if _, err := blocks.New(j.lines, "host", j.lenient); err != nil {
		return nil, fmt.Errorf("%w: -lines: %v", errUsage, err)
	}
	b, err := blocks.New(j.lines, j.fields, j.lenient)
	if err != nil {
		return nil, fmt.Errorf("%w: -fields: %v", errUsage, err)
	}
	switch j.mode {
	case "count":
		if strings.Contains(j.fields, ",") {
			return nil, fmt.Errorf("%w: -fields: -mode count counts one field, not %q", errUsage, j.fields)
		}
		return func(_ context.Context, batch *urikafka.Batch) error {
			var counts blocks.Counts
			for block := range batch.Blocks() {
				b.Count(&counts, block.Value, block.RejectLine)
			}
			values, err := counts.Records(batch.Limit())
			if err != nil {
				return err
			}
			for _, value := range values {
				if err := batch.Produce(&kgo.Record{Value: value}); err != nil {
					return err
				}
			}
			return nil
		}, nil
	case "add":
		return func(_ context.Context, batch *urikafka.Batch) error {
			for block := range batch.Blocks() {
				value := b.AppendComponents(nil, block.Value, block.RejectLine)
				if len(value) == 0 {
					continue
				}
				err := batch.ProduceLines(&kgo.Record{Key: block.Key, Headers: block.Headers, Value: value})
				if err != nil {
					return err
				}
			}
			return nil
		}, nil
	}
	return nil, fmt.Errorf("%w: -mode: unknown mode %q; use count or add", errUsage, j.mode)
}

// work runs workers.
type work struct {
	connection
	job
	group, in, out, dead, id string
	workers, records, bytes  int
	timeout, stop, session   time.Duration
}

func (w *work) flags(f *flag.FlagSet) {
	w.connection.flags(f)
	w.job.flags(f)
	f.StringVar(&w.group, "group", "urikafka", "consumer group")
	f.StringVar(&w.in, "in", "", "`TOPICS` to read, separated by commas")
	f.StringVar(&w.out, "out", "", "`TOPIC` of the results")
	f.StringVar(&w.dead, "dead", "", "`TOPIC` of the dead letters")
	f.StringVar(&w.id, "id", "",
		"`ID` of this process for transactions; must be stable and unique (default random)")
	f.IntVar(&w.workers, "workers", 1, "`NUMBER` of workers in this process")
	f.IntVar(&w.records, "records", 0, "largest `NUMBER` of records for each transaction (default 500)")
	f.IntVar(&w.bytes, "message-bytes", 0, "largest message in `BYTES` that the topics accept (default 1000000)")
	f.DurationVar(&w.timeout, "transaction-timeout", 0,
		"`TIME` that producing and committing may take (default 15s)")
	f.DurationVar(&w.stop, "stop-timeout", 0, "`TIME` to finish after SIGTERM (default 10s)")
	f.DurationVar(&w.session, "session-timeout", 0,
		"`TIME` after which the group misses a worker that was killed (default 45s)")
}

// worker returns a worker of its own job.
func (w *work) worker(client []kgo.Opt, number int) (*urikafka.Worker, error) {
	process, err := w.process()
	if err != nil {
		return nil, err
	}
	if w.session != 0 {
		client = append(client, kgo.SessionTimeout(w.session), kgo.HeartbeatInterval(w.session/10))
	}
	worker := &urikafka.Worker{
		Client: client, Group: w.group, Out: w.out, DeadLetter: w.dead, Process: process, MaxRecords: w.records,
		MaxMessageBytes: w.bytes, TransactionTimeout: w.timeout, StopTimeout: w.stop,
	}
	if w.in != "" {
		worker.Topics = strings.Split(w.in, ",")
	}
	if w.id != "" {
		worker.TransactionalID = fmt.Sprintf("%s-%d", w.id, number)
	}
	if err := worker.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %v", errUsage, byFlag(err))
	}
	return worker, nil
}

// flagNames are the flags for the fields of a worker.
var flagNames = map[string]string{
	"Client": "-brokers", "Group": "-group", "Topics": "-in", "Out": "-out", "DeadLetter": "-dead",
	"TransactionalID": "-id", "MaxRecords": "-records", "MaxMessageBytes": "-message-bytes",
	"TransactionTimeout": "-transaction-timeout", "StopTimeout": "-stop-timeout",
}

// byFlag returns the error of a worker with the name of the flag for the field.
func byFlag(err error) error {
	field, problem, _ := strings.Cut(err.Error(), ": ")
	if name := flagNames[field]; name != "" {
		return fmt.Errorf("%s: %s", name, problem)
	}
	return err
}

func (w *work) run(ctx context.Context, a app) error {
	client, err := w.options(a)
	if err != nil {
		return err
	}
	if w.workers < 1 || w.workers > 1024 {
		return fmt.Errorf("%w: -workers must be from 1 to 1024", errUsage)
	}
	if w.session != 0 && w.session < time.Second {
		return fmt.Errorf("%w: -session-timeout must be at least 1s", errUsage)
	}
	var workers []*urikafka.Worker
	for i := range w.workers {
		worker, err := w.worker(client, i)
		if err != nil {
			return err
		}
		workers = append(workers, worker)
	}
	err = runAll(ctx, workers)
	report(a, workers)
	return err
}

// runAll runs the workers until the context is done or one of them fails.
func runAll(ctx context.Context, workers []*urikafka.Worker) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan error)
	for _, worker := range workers {
		go func() {
			err := worker.Run(ctx)
			cancel(err)
			done <- err
		}()
	}
	var all []error
	for range workers {
		all = append(all, <-done)
	}
	return errors.Join(all...)
}

// report prints what workers did.
func report(a app, workers []*urikafka.Worker) {
	for i, worker := range workers {
		s := worker.Stats()
		fmt.Fprintf(a.stderr, "worker %d: %d transactions, %d records, %d bytes, %d results, "+
			"%d dead lines, %d dead records, %d aborts, %d restarts\n",
			i, s.Batches, s.Records, s.Bytes, s.Results, s.DeadLines, s.DeadRecords, s.Aborts, s.Restarts)
	}
}
