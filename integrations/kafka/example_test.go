package urikafka_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os/signal"
	"syscall"
	"time"

	"github.com/seed-56a50ac9/uri"
	urikafka "github.com/seed-56a50ac9/uri/integrations/kafka"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A worker that counts the hosts of URIs, on an embedded broker.
func ExampleWorker() {
	broker, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "uris", "hosts", "dead"))
	if err != nil {
		log.Fatal(err)
	}
	defer broker.Close()
	client, err := kgo.NewClient(kgo.SeedBrokers(broker.ListenAddrs()...), kgo.ConsumeTopics("hosts", "dead"))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	worker := &urikafka.Worker{
		Client:     []kgo.Opt{kgo.SeedBrokers(broker.ListenAddrs()...)},
		Group:      "count-hosts",
		Topics:     []string{"uris"},
		Out:        "hosts",
		DeadLetter: "dead",
		Process: func(_ context.Context, batch *urikafka.Batch) error {
			counts := map[string]int{}
			for block := range batch.Blocks() {
				var lines uri.Lines
				number := 0
				for view, err := range lines.Scan(uri.URI, block.Value, true) {
					number++
					if err != nil {
						block.RejectLine(number, lines.Text(), view.Err())
						continue
					}
					counts[string(view.Host())]++
				}
			}
			value, err := json.Marshal(counts)
			if err != nil {
				return err
			}
			return batch.Produce(&kgo.Record{Value: value})
		},
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	done := make(chan error)
	go func() { done <- worker.Run(ctx) }()

	block := "http://example.com/a\nhttp://example.com/b\nhttp://h/%zz\nhttp://[::1]/\n"
	client.ProduceSync(ctx, &kgo.Record{Topic: "uris", Value: []byte(block)})
	read := map[string]string{}
	for len(read) < 2 && ctx.Err() == nil {
		client.PollFetches(ctx).EachRecord(func(r *kgo.Record) {
			read[r.Topic] = string(r.Value)
			for _, h := range r.Headers {
				read[r.Topic] += fmt.Sprintf("\n  %s: %s", h.Key, h.Value)
			}
		})
	}
	fmt.Println("hosts:", read["hosts"])
	fmt.Println("dead:", read["dead"])

	cancel() // or SIGTERM
	stop()
	fmt.Println("stopped:", <-done)
	// Output:
	// hosts: {"[::1]":1,"example.com":2}
	// dead: http://h/%zz
	//   uri-topic: uris
	//   uri-partition: 0
	//   uri-offset: 0
	//   uri-reason: uri: invalid percent-encoding at offset 10
	//   uri-line: 3
	// stopped: <nil>
}

// Each line is produced again after its host and path.
func ExampleBatch_ProduceLines() {
	process := func(_ context.Context, batch *urikafka.Batch) error {
		var lines uri.Lines
		for block := range batch.Blocks() {
			value, number := []byte(nil), 0
			for view, err := range lines.Scan(uri.URI, block.Value, true) {
				number++
				if err != nil {
					block.RejectLine(number, lines.Text(), view.Err())
					continue
				}
				value = fmt.Appendf(value, "%s\t%s\t%s\n", view.Host(), view.Path(), view.Text())
			}
			if err := batch.ProduceLines(&kgo.Record{Key: block.Key, Value: value}); err != nil {
				return err
			}
		}
		return nil
	}
	worker := &urikafka.Worker{
		Group: "add-fields", Topics: []string{"uris"}, Out: "fields", DeadLetter: "dead",
		Process: process,
	}
	fmt.Println(worker.Validate())
	// Output: <nil>
}
