package urinats_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os/signal"
	"syscall"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/seed-56a50ac9/uri"
	urinats "github.com/seed-56a50ac9/uri/integrations/nats"
)

// A worker writes the host of each URI in front of it. SIGTERM stops it after the blocks that it has.
func ExampleWorker() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	nc, err := nats.Connect("nats://queue.example.com:4222", nats.MaxReconnects(-1))
	if err != nil {
		log.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		log.Fatal(err)
	}
	w := &urinats.Worker{
		JetStream:   js,
		Stream:      "LOG",
		Consumer:    "hosts",
		Results:     "results",
		DeadLetters: "dead",
		Func:        addHosts,
	}
	if err := w.Run(ctx); err != nil {
		log.Fatal(err)
	}
	log.Printf("%+v", w.Stats())
}

// addHosts makes "HOST TAB URI" of each line.
func addHosts(_ context.Context, b *urinats.Block) error {
	var lines uri.Lines
	var result bytes.Buffer
	n := 0
	for view, err := range lines.Scan(uri.URI, b.Data, true) {
		n++
		if err != nil {
			b.Reject(n, lines.Text(), view.Err())
			continue
		}
		result.Write(view.Host())
		result.WriteByte('\t')
		result.Write(lines.Text())
		result.WriteByte('\n')
	}
	b.AddLines(result.Bytes())
	return nil
}

// Counts as JSON, one record per block.
func ExampleFunc() {
	count := func(_ context.Context, b *urinats.Block) error {
		hosts := map[string]int{}
		var lines uri.Lines
		n := 0
		for view, err := range lines.Scan(uri.URI, b.Data, true) {
			if n++; err != nil {
				b.Reject(n, lines.Text(), view.Err())
				continue
			}
			hosts[string(view.Host())]++
		}
		record, err := json.Marshal(hosts)
		if err != nil {
			return err // the block becomes a dead letter
		}
		b.Add(record)
		return nil
	}
	w := &urinats.Worker{Func: count}
	_ = w.Run
}

// What a worker did until now, for a page of metrics.
func ExampleWorker_Stats() {
	var w urinats.Worker
	stats := w.Stats()
	fmt.Printf("blocks %d\ndead_lines %d\ndead_blocks %d\n", stats.Blocks, stats.DeadLines, stats.DeadBlocks)
	// Output:
	// blocks 0
	// dead_lines 0
	// dead_blocks 0
}
