package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	urinats "github.com/seed-56a50ac9/uri/integrations/nats"
	"github.com/seed-56a50ac9/uri/integrations/nats/internal/queue"
	"github.com/seed-56a50ac9/uri/internal/accesslog"
	"github.com/seed-56a50ac9/uri/internal/blocks"
)

const (
	demoLines   = 100_000
	demoBlock   = 64 << 10
	demoWorkers = 3
)

// demo fills a work queue on a server of its own, runs workers until it is empty, and compares what they made
// of it with a single pass over the same lines.
func demo(ctx context.Context, c *config, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	folder, err := os.MkdirTemp("", "urinats")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	s, err := queue.Start(folder)
	if err != nil {
		return err
	}
	defer s.WaitForShutdown()
	defer s.Shutdown()
	fmt.Fprintf(out, "nats-server %s at %s, which keeps its streams in a temporary folder\n\n", server.VERSION,
		s.ClientURL())

	nc, err := nats.Connect(s.ClientURL(), c.options...)
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	if err := queue.Create(ctx, js, c.names, c.limits); err != nil {
		return err
	}
	log := accesslog.Append(nil, demoLines)
	if c.lines == "uri" { // a list of the referrers
		log = referrers(log)
	}
	n, err := queue.Send(ctx, js, c.names.Subject, queue.Cut(log, demoBlock))
	if err != nil {
		return err
	}
	// A producer's mistake: a file that is compressed.
	if _, err := js.Publish(ctx, c.names.Subject, []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00")); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d lines are in the work queue, in %d blocks, and one message with binary data\n",
		demoLines, n)

	stats, err := runWorkers(ctx, c, js)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d workers processed %d blocks: %d results, %d dead lines, %d dead blocks\n\n",
		demoWorkers,
		stats.Blocks, stats.Results, stats.DeadLines, stats.DeadBlocks)
	if c.mode == "count" {
		err = compareCounts(ctx, c, js, log, out)
	} else {
		err = compareLines(ctx, c, js, log, out)
	}
	if err != nil {
		return err
	}
	return printDead(ctx, c, js, out)
}

// referrers returns a list of URIs.
func referrers(log []byte) (list []byte) {
	for line := range bytes.Lines(log) {
		if fields := bytes.Split(line, []byte(`"`)); len(fields) > 3 && !bytes.Equal(fields[3], []byte("-")) {
			list = append(append(list, fields[3]...), '\n')
		}
	}
	return list
}

// runWorkers runs workers until the work queue is empty, and returns what they did together.
func runWorkers(ctx context.Context, c *config, js jetstream.JetStream) (sum urinats.Stats, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		running sync.WaitGroup
		workers [demoWorkers]*urinats.Worker
		faults  [demoWorkers]error
	)
	for i := range workers {
		workers[i] = c.worker(js)
		workers[i].Log = slog.New(slog.DiscardHandler) // dead letters are printed later
		running.Go(func() {
			if faults[i] = workers[i].Run(ctx); faults[i] != nil {
				cancel()
			}
		})
	}
	err = queue.Empty(ctx, js, c.names)
	cancel()
	running.Wait()
	if err := errors.Join(faults[:]...); err != nil {
		return sum, err
	}
	for _, w := range workers {
		s := w.Stats()
		sum.Blocks += s.Blocks
		sum.Results += s.Results
		sum.DeadLines += s.DeadLines
		sum.DeadBlocks += s.DeadBlocks
	}
	return sum, err
}

// compareCounts prints the most frequent values, and compares all counts with a single pass.
func compareCounts(ctx context.Context, c *config, js jetstream.JetStream, log []byte, out io.Writer) error {
	got, err := queue.Sum(ctx, js, c.names.Results)
	if err != nil {
		return err
	}
	job, err := blocks.New(c.lines, c.fields, c.lenient)
	if err != nil {
		return err
	}
	var want blocks.Counts
	job.Count(&want, log, func(int, []byte, error) {})

	for _, value := range got.Top(10) {
		fmt.Fprintf(out, "%8d  %s\n", *got.Values[value], value)
	}
	fmt.Fprintf(out, "%8d  lines without a %s\n%8d  lines that are not valid\n%8d  lines\n\n",
		got.Without, c.fields, got.Invalid, got.Lines)
	same := maps.EqualFunc(got.Values, want.Values, func(a, b *int64) bool { return *a == *b }) &&
		got.Lines == want.Lines && got.Without == want.Without && got.Invalid == want.Invalid
	return verdict(out, same, "counts")
}

// compareLines prints some lines of the results, and compares all lines with a single pass.
func compareLines(ctx context.Context, c *config, js jetstream.JetStream, log []byte, out io.Writer) error {
	var got [][]byte
	err := queue.Each(ctx, js, c.names.Results, func(msg jetstream.Msg) error {
		got = slices.AppendSeq(got, bytes.Lines(msg.Data()))
		return nil
	})
	if err != nil {
		return err
	}
	job, err := blocks.New(c.lines, c.fields, c.lenient)
	if err != nil {
		return err
	}
	want := slices.Collect(bytes.Lines(job.AppendComponents(nil, log, func(int, []byte, error) {})))
	slices.SortFunc(got, bytes.Compare)
	slices.SortFunc(want, bytes.Compare)
	for i := range 5 {
		fmt.Fprintf(out, "%.110s\n", bytes.TrimSuffix(got[len(got)*i/5], []byte("\n")))
	}
	fmt.Fprintf(out, "... %d lines\n\n", len(got))
	return verdict(out, slices.EqualFunc(got, want, bytes.Equal), "lines")
}

func verdict(out io.Writer, same bool, what string) error {
	if !same {
		return fmt.Errorf("a single pass over the same lines gives other %s", what)
	}
	fmt.Fprintf(out, "A single pass over the same lines gives the same %s.\n\n", what)
	return nil
}

// printDead prints the first dead letters, and their number for each reason.
func printDead(ctx context.Context, c *config, js jetstream.JetStream, out io.Writer) error {
	type letter struct {
		sequence, line int
		text           string
	}
	var letters []letter
	reasons := map[string]int{}
	err := queue.Each(ctx, js, c.names.DeadLetters, func(msg jetstream.Msg) error {
		h := msg.Headers()
		reason := h.Get(urinats.HeaderReason)
		reasons[reason]++
		sequence, _ := strconv.Atoi(h.Get(urinats.HeaderSequence))
		part := "the block"
		line, err := strconv.Atoi(h.Get(urinats.HeaderLine))
		if err == nil {
			part = fmt.Sprint("line ", line)
		}
		letters = append(letters, letter{sequence, line, fmt.Sprintf("dead letter: stream %s, sequence %d, %s: %s",
			h.Get(urinats.HeaderStream), sequence, part, reason)})
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(letters, func(a, b letter) int {
		return cmp.Or(a.sequence-b.sequence, a.line-b.line)
	})
	for _, l := range letters[:min(5, len(letters))] {
		fmt.Fprintln(out, l.text)
	}
	fmt.Fprintf(out, "... %d dead letters, which are kept in stream %s:\n", len(letters), c.names.DeadLetters)
	for _, reason := range slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(reasons[b]-reasons[a], strings.Compare(a, b))
	}) {
		fmt.Fprintf(out, "%8d  %s\n", reasons[reason], reason)
	}
	return nil
}
