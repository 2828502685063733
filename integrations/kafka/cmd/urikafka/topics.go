package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	urikafka "github.com/seed-56a50ac9/uri/integrations/kafka"
	"github.com/seed-56a50ac9/uri/internal/blocks"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A topic is one topic of a cluster.
type topic struct {
	connection
	name string
}

func (t *topic) flags(f *flag.FlagSet) {
	t.connection.flags(f)
	f.StringVar(&t.name, "topic", "", "`NAME` of the topic")
}

// connectTimeout is how long the brokers may take to answer the first request.
const connectTimeout = 15 * time.Second

// client returns a client for the topic, which exists.
func (t *topic) client(ctx context.Context, a app, more ...kgo.Opt) (*kgo.Client, error) {
	options, err := t.options(a)
	if err != nil {
		return nil, err
	}
	if t.name == "" {
		return nil, fmt.Errorf("%w: -topic is required", errUsage)
	}
	client, err := kgo.NewClient(append(options, more...)...)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", errUsage, err)
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	topics, err := kadm.NewClient(client).ListTopics(ctx, t.name)
	switch {
	case err != nil:
	case errors.Is(topics[t.name].Err, kerr.UnknownTopicOrPartition):
		err = fmt.Errorf("topic %q does not exist", t.name)
	default:
		err = topics[t.name].Err
	}
	if err != nil {
		client.Close()
		return nil, err
	}
	return client, nil
}

// produce writes lines to a topic.
type produce struct {
	topic
	size int
}

func (p *produce) flags(f *flag.FlagSet) {
	p.topic.flags(f)
	f.IntVar(&p.size, "block", 64<<10, "`BYTES` of a block; a longer line is a block of its own")
}

func (p *produce) run(ctx context.Context, a app) error {
	if p.size < 1 || p.size > 900_000 {
		return fmt.Errorf("%w: -block must be from 1 to 900000", errUsage)
	}
	client, err := p.client(ctx, a, kgo.DefaultProduceTopic(p.name),
		kgo.RecordPartitioner(kgo.RoundRobinPartitioner()),
		kgo.UnknownTopicRetries(0))
	if err != nil {
		return err
	}
	defer client.Close()
	input := a.stdin
	if len(a.args) > 0 {
		file, err := os.Open(a.args[0])
		if err != nil {
			return err
		}
		defer file.Close()
		input = file
	}
	failed := make(chan error, 1)
	n := 0
	err = cut(input, p.size, func(block []byte) error {
		n++
		client.Produce(ctx, &kgo.Record{Value: block}, func(_ *kgo.Record, err error) {
			if err != nil {
				select {
				case failed <- err:
				default:
				}
			}
		})
		select {
		case err := <-failed:
			return err
		default:
			return ctx.Err()
		}
	})
	if err == nil {
		err = client.Flush(ctx)
	}
	select {
	case err := <-failed:
		return err
	default:
	}
	if err == nil {
		fmt.Fprintf(a.stdout, "%d blocks\n", n)
	}
	return err
}

// cut reads lines and calls yield with blocks that are not longer than size, or a single line.
func cut(r io.Reader, size int, yield func(block []byte) error) error {
	reader := bufio.NewReaderSize(r, 256<<10)
	var block []byte
	for {
		line, err := reader.ReadBytes('\n')
		if len(block) > 0 && (len(block)+len(line) > size || err != nil && len(line) == 0) {
			if err := yield(block); err != nil {
				return err
			}
			block = nil
		}
		block = append(block, line...)
		switch {
		case err == io.EOF && len(block) > 0:
			return yield(block)
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

// readAll calls take with each committed record that the topic has now.
func readAll(ctx context.Context, client *kgo.Client, name string, take func(*kgo.Record) error) error {
	admin := kadm.NewClient(client)
	starts, err := admin.ListStartOffsets(ctx, name)
	if err == nil {
		err = starts.Error()
	}
	if err != nil {
		return err
	}
	ends, err := admin.ListCommittedOffsets(ctx, name)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return err
	}
	left := map[int32]int64{}
	offsets := map[int32]kgo.Offset{}
	ends.Each(func(end kadm.ListedOffset) {
		if start, _ := starts.Lookup(name, end.Partition); start.Offset < end.Offset {
			left[end.Partition] = end.Offset
			offsets[end.Partition] = kgo.NewOffset().At(start.Offset)
		}
	})
	client.AddConsumePartitions(map[string]map[int32]kgo.Offset{name: offsets})
	for len(left) > 0 {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return err
		}
		for iter := fetches.RecordIter(); !iter.Done(); {
			record := iter.Next()
			end, wanted := left[record.Partition]
			if wanted && record.Offset < end && !record.Attrs.IsControl() {
				if err := take(record); err != nil {
					return err
				}
			}
			if record.Offset+1 >= end {
				delete(left, record.Partition)
			}
		}
	}
	return nil
}

// reading are the options of a client that reads a topic to its end.
var reading = []kgo.Opt{
	kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
	kgo.FetchMaxWait(200 * time.Millisecond),
}

// total adds up counts.
type total struct {
	topic
	n int
}

func (t *total) flags(f *flag.FlagSet) {
	t.topic.flags(f)
	f.IntVar(&t.n, "n", 10, "`NUMBER` of values to print")
}

func (t *total) run(ctx context.Context, a app) error {
	if t.n < 0 {
		return fmt.Errorf("%w: -n is negative", errUsage)
	}
	client, err := t.client(ctx, a, reading...)
	if err != nil {
		return err
	}
	defer client.Close()
	counts, records, err := add(ctx, client, t.name)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "%d lines in %d records: %d without the field, %d invalid, %d different values\n",
		counts.Lines, records, counts.Without, counts.Invalid, len(counts.Values))
	printTop(a.stdout, counts, t.n)
	return nil
}

// add returns the sum of the counts in a topic.
func add(ctx context.Context, client *kgo.Client, name string) (counts *blocks.Counts, records int,
	err error,
) {
	counts = new(blocks.Counts)
	err = readAll(ctx, client, name, func(record *kgo.Record) error {
		var part blocks.Counts
		if err := json.Unmarshal(record.Value, &part); err != nil {
			return fmt.Errorf("partition %d, offset %d: not a record of counts", record.Partition, record.Offset)
		}
		counts.Add(&part)
		records++
		return nil
	})
	return counts, records, err
}

func printTop(w io.Writer, counts *blocks.Counts, n int) {
	for _, value := range counts.Top(n) {
		fmt.Fprintf(w, "%8d  %s\n", *counts.Values[value], value)
	}
}

// letters prints dead letters.
type letters struct {
	topic
	n int
}

func (l *letters) flags(f *flag.FlagSet) {
	l.topic.flags(f)
	f.IntVar(&l.n, "n", 0, "`NUMBER` of dead letters to print (default all)")
}

var errEnough = errors.New("enough")

func (l *letters) run(ctx context.Context, a app) error {
	if l.n < 0 {
		return fmt.Errorf("%w: -n is negative", errUsage)
	}
	client, err := l.client(ctx, a, reading...)
	if err != nil {
		return err
	}
	defer client.Close()
	n := 0
	err = readAll(ctx, client, l.name, func(record *kgo.Record) error {
		isReason := func(h kgo.RecordHeader) bool { return h.Key == urikafka.HeaderReason }
		if !slices.ContainsFunc(record.Headers, isReason) {
			return fmt.Errorf("partition %d, offset %d: not a dead letter", record.Partition, record.Offset)
		}
		fmt.Fprintln(a.stdout, letter(record, math.MaxInt))
		if n++; n == l.n {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return err
}

// letter describes a dead letter, with at most so many bytes of it. What was read is quoted, so that it
// cannot forge lines.
func letter(record *kgo.Record, most int) string {
	header := map[string]string{}
	for _, h := range record.Headers {
		header[h.Key] = string(h.Value)
	}
	where := fmt.Sprintf("%s/%s offset %s",
		header[urikafka.HeaderTopic], header[urikafka.HeaderPartition], header[urikafka.HeaderOffset])
	if line := header[urikafka.HeaderLine]; line != "" {
		where += " line " + line
	}
	if part := header[urikafka.HeaderPart]; part != "" {
		where += " part " + part
	}
	value, more := bytes.TrimSuffix(record.Value, []byte("\n")), ""
	if len(value) > most {
		value, more = value[:most], "..."
	}
	return fmt.Sprintf("%s: %s: %q%s", where, header[urikafka.HeaderReason], value, more)
}
