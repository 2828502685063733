package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"time"

	urikafka "github.com/seed-56a50ac9/uri/integrations/kafka"
	"github.com/seed-56a50ac9/uri/internal/accesslog"
	"github.com/seed-56a50ac9/uri/internal/blocks"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// demo runs everything in one process.
type demo struct {
	lines, block, workers int
}

func (d *demo) flags(f *flag.FlagSet) {
	f.IntVar(&d.lines, "n", 200_000, "`NUMBER` of lines in the log")
	f.IntVar(&d.block, "block", 16<<10, "`BYTES` of a block")
	f.IntVar(&d.workers, "workers", 3, "`NUMBER` of workers")
}

// Names in the demo.
const (
	demoIn, demoOut, demoDead = "log", "hosts", "dead-letters"
	demoPartitions            = 8
	demoLetters               = 5
)

func (d *demo) run(ctx context.Context, a app) error {
	for name, n := range map[string]int{"n": d.lines, "block": d.block, "workers": d.workers} {
		if n < 1 {
			return fmt.Errorf("%w: -%s must be at least 1", errUsage, name)
		}
	}
	broker, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(demoPartitions, demoIn),
		kfake.SeedTopics(1, demoOut, demoDead))
	if err != nil {
		return err
	}
	defer broker.Close()
	fmt.Fprintf(a.stdout, "An embedded broker listens on %s. Topics: %s with %d partitions, %s, %s.\n",
		broker.ListenAddrs()[0], demoIn, demoPartitions, demoOut, demoDead)

	log := accesslog.Append(nil, d.lines)
	records, err := d.produce(ctx, broker, log)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "Produced an invented access log of %d lines as %d records.\n\n", d.lines, records)

	w := work{
		connection: connection{brokers: broker.ListenAddrs()[0]}, job: job{"count", "referrer", "host", false},
		group: "demo", in: demoIn, out: demoOut, dead: demoDead, workers: d.workers, records: 50,
	}
	options, err := w.options(a)
	if err != nil {
		return err
	}
	began := time.Now()
	stats, err := d.work(ctx, &w, options, int64(records))
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "%d workers counted the hosts of referrers, in %v:\n", d.workers,
		time.Since(began).Round(10*time.Millisecond))
	for i, s := range stats {
		fmt.Fprintf(a.stdout,
			"  worker %d: %d records in %d transactions, %d aborted, %d results, %d dead letters\n",
			i+1, s.Records, s.Batches, s.Aborts, s.Results, s.DeadLines+s.DeadRecords)
	}

	client, err := kgo.NewClient(append(options, reading...)...)
	if err != nil {
		return err
	}
	defer client.Close()
	counts, results, err := add(ctx, client, demoOut)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "\n%s has %d records, together %d lines, %d without a referrer:\n", demoOut, results,
		counts.Lines, counts.Without)
	printTop(a.stdout, counts, 5)

	found := int64(0)
	fmt.Fprintf(a.stdout, "\n%s, the first %d:\n", demoDead, demoLetters)
	err = readAll(ctx, client, demoDead, func(record *kgo.Record) error {
		if found++; found <= demoLetters {
			fmt.Fprintln(a.stdout, " ", letter(record, 46))
		}
		return nil
	})
	if err != nil {
		return err
	}

	single, err := w.single(log)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "\nA single pass over the lines counts %d, %d without a referrer, %d invalid",
		single.Lines, single.Without, single.Invalid)
	if !same(single, counts) || found != single.Invalid {
		fmt.Fprintln(a.stdout, ".")
		return errors.New("the workers' counts differ from those of a single pass")
	}
	fmt.Fprintln(a.stdout, ": the same.")
	return nil
}

// produce writes the log as blocks, and returns their number.
func (d *demo) produce(ctx context.Context, broker *kfake.Cluster, log []byte) (n int, err error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(broker.ListenAddrs()...), kgo.DefaultProduceTopic(demoIn),
		kgo.RecordPartitioner(kgo.RoundRobinPartitioner()))
	if err != nil {
		return 0, err
	}
	defer client.Close()
	var failed kgo.FirstErrPromise
	accesslog.Cut(log, d.block, func(block []byte) {
		n++
		client.Produce(ctx, &kgo.Record{Value: block}, failed.Promise())
	})
	return n, errors.Join(client.Flush(ctx), failed.Err())
}

// work runs workers until they have committed all records.
func (d *demo) work(ctx context.Context, w *work, client []kgo.Opt, records int64) (stats []urikafka.Stats,
	err error,
) {
	var workers []*urikafka.Worker
	for i := range d.workers {
		worker, err := w.worker(client, i)
		if err != nil {
			return nil, err
		}
		workers = append(workers, worker)
	}
	all, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for all.Err() == nil {
			sum := int64(0)
			for _, worker := range workers {
				sum += worker.Stats().Records
			}
			if sum >= records {
				cancel()
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	if err := runAll(all, workers); err != nil {
		return nil, err
	}
	for _, worker := range workers {
		stats = append(stats, worker.Stats())
	}
	return stats, ctx.Err()
}

// single counts the lines without Kafka.
func (j *job) single(lines []byte) (*blocks.Counts, error) {
	b, err := blocks.New(j.lines, j.fields, j.lenient)
	if err != nil {
		return nil, err
	}
	counts := new(blocks.Counts)
	b.Count(counts, lines, func(int, []byte, error) {})
	return counts, nil
}

// same reports whether the counts are equal.
func same(a, b *blocks.Counts) bool {
	return a.Lines == b.Lines && a.Without == b.Without && a.Invalid == b.Invalid &&
		maps.EqualFunc(a.Values, b.Values, func(m, n *int64) bool { return *m == *n })
}
