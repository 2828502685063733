// Urinats reads blocks of lines from a NATS JetStream work queue, and publishes counts of a component of
// their URIs, or the lines with components added.
//
//	urinats                              a demo on a server of its own
//	urinats -url nats://queue:4222 ...   a worker
//
// It stops on SIGTERM and SIGINT after it has finished the blocks at hand.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	urinats "github.com/seed-56a50ac9/uri/integrations/nats"
	"github.com/seed-56a50ac9/uri/integrations/nats/internal/queue"
)

func main() {
	// Little is alive while blocks come and go, so the garbage collector would run all the time.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	context.AfterFunc(ctx, stop) // the second signal kills
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the command. It returns its exit status.
func run(ctx context.Context, args []string, out, faults io.Writer) int {
	c, err := parse(args, faults)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(faults, "urinats:", err)
		return 2
	}
	if c.url == "" {
		err = demo(ctx, c, out)
	} else {
		err = work(ctx, c, faults)
	}
	if err != nil {
		fmt.Fprintln(faults, "urinats:", strings.TrimPrefix(err.Error(), "urinats: "))
		return 1
	}
	return 0
}

// work runs a worker.
func work(ctx context.Context, c *config, faults io.Writer) error {
	log := slog.New(slog.NewTextHandler(faults, nil))
	nc, err := nats.Connect(c.url, append(c.options,
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil { // it is nil at the end
				log.Warn("disconnected", "error", err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { log.Info("connected again") }),
	)...)
	if err != nil {
		return fmt.Errorf("-url: cannot connect: %w", err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	if c.create {
		if err := queue.Create(ctx, js, c.names, c.limits); err != nil {
			return err
		}
	}
	w := c.worker(js)
	w.Log = log
	if c.untilEmpty {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		go func() {
			if queue.Empty(ctx, js, c.names) == nil {
				cancel()
			}
		}()
	}
	if c.report > 0 {
		ticker := time.NewTicker(c.report)
		defer ticker.Stop()
		go func() {
			for range ticker.C {
				log.Info("working", "stats", w.Stats())
			}
		}()
	}
	if err := w.Run(ctx); err != nil {
		return err
	}
	log.Info("stopped", "stats", w.Stats())
	return nil
}

// worker returns a worker as configured.
func (c *config) worker(js jetstream.JetStream) *urinats.Worker {
	return &urinats.Worker{
		JetStream:   js,
		Stream:      c.names.Stream,
		Consumer:    c.names.Consumer,
		Results:     c.names.Results,
		DeadLetters: c.names.DeadLetters,
		Func:        c.function,
		Parallel:    c.parallel,
		MaxDeliver:  c.limits.MaxDeliver,
		Timeout:     c.limits.Timeout,
	}
}
