// Command redis counts the hosts of URIs with Redis Streams, exactly, whatever happens to its workers.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

const blockSize = 64 << 10

const usage = `usage:
  redis              runs a demo with a Redis server in this process
  redis produce FILE adds the URIs of the file, one per line, to the stream
  redis work         counts them, until it gets SIGTERM; run as many as you like
  redis show         prints the counts
REDIS_URL in the environment has the server: rediss://user:password@host:port/db`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return demo(ctx)
	}
	db, err := open()
	if err != nil {
		return err
	}
	defer db.Close()
	switch {
	case args[0] == "produce" && len(args) == 2:
		file, err := os.Open(args[1])
		if err != nil {
			return err
		}
		defer file.Close()
		return produce(ctx, db, file, blockSize)
	case args[0] == "work" && len(args) == 1:
		host, err := os.Hostname()
		if err != nil {
			return err
		}
		return newWorker(db, fmt.Sprintf("%s-%d", host, os.Getpid())).run(ctx)
	case args[0] == "show" && len(args) == 1:
		return show(ctx, db)
	}
	return errors.New(usage)
}

func open() (redis.UniversalClient, error) {
	if os.Getenv("REDIS_URL") == "" {
		return nil, errors.New("the environment variable REDIS_URL is empty")
	}
	options, err := redis.ParseURL(os.Getenv("REDIS_URL"))
	if err != nil {
		return nil, errors.New("the environment variable REDIS_URL is not like redis://user:password@host:port/db")
	}
	return redis.NewClient(options), nil
}

func newWorker(db redis.UniversalClient, name string) *worker {
	return &worker{
		db: db, name: name, minIdle: 30 * time.Second, maxDeliveries: 3, count: countHosts, commit: commitOnce,
	}
}

// demo counts 100,000 lines with two workers.
func demo(ctx context.Context) error {
	server, err := miniredis.Run() // listens on 127.0.0.1
	if err != nil {
		return err
	}
	defer server.Close()
	db := redis.NewClient(&redis.Options{Addr: server.Addr()})
	defer db.Close()

	var lines []byte
	for i := range 100_000 {
		if i%1000 == 0 {
			lines = append(lines, "http://example.com/%zz\n"...) // invalid
		} else {
			lines = fmt.Appendf(lines, "https://h%d.example.com/p/%d\n", i%9*(i%7), i)
		}
	}
	if err := produce(ctx, db, bytes.NewReader(lines), blockSize); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	failed := make(chan error, 2)
	for i := range cap(failed) {
		go func() { failed <- newWorker(db, "worker-"+strconv.Itoa(i)).run(ctx) }()
	}
	for {
		n, err := db.XLen(ctx, blocksKey).Result()
		if err != nil {
			return err
		}
		if n == 0 {
			return show(ctx, db)
		}
		select {
		case err := <-failed:
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// show prints the totals and the ten most frequent hosts.
func show(ctx context.Context, db redis.UniversalClient) error {
	totals, err := db.HGetAll(ctx, totalsKey).Result()
	if err != nil {
		return err
	}
	waiting, err := db.XLen(ctx, blocksKey).Result()
	if err != nil {
		return err
	}
	dead, err := db.XLen(ctx, deadKey).Result()
	if err != nil {
		return err
	}
	fmt.Printf("%s lines, %s invalid; %d blocks are not counted yet; %d dead letters\n",
		cmp.Or(totals["lines"], "0"), cmp.Or(totals["invalid"], "0"), waiting, dead)

	type count struct {
		n    int
		host string
	}
	hosts, err := db.HGetAll(ctx, hostsKey).Result()
	if err != nil {
		return err
	}
	var counts []count
	for host, n := range hosts {
		number, err := strconv.Atoi(n)
		if err != nil {
			return err
		}
		counts = append(counts, count{number, host})
	}
	slices.SortFunc(counts, func(a, b count) int { return cmp.Or(b.n-a.n, cmp.Compare(a.host, b.host)) })
	for _, c := range counts[:min(10, len(counts))] {
		fmt.Printf("%d\t%s\n", c.n, c.host)
	}
	return nil
}
