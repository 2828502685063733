// Command fasthttp is a reverse proxy that keeps "/admin" to itself, whatever a client does to hide it.
//
// Without -backend it shows what happens to a few targets with a policy and without.
package main

import (
	"context"
	"flag"
	"log"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/seed-56a50ac9/uri/urihttp"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "address to listen on")
	backend := flag.String("backend", "", "address of the server behind, such as 127.0.0.1:9000")
	flag.Parse()
	if *backend == "" {
		if err := demo(os.Stdout); err != nil {
			log.Fatal(err)
		}
		return
	}

	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	policy := urihttp.Strict()
	server := newServer(*backend, &policy, os.Stderr)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		limit, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		stopped <- server.ShutdownWithContext(limit)
	}()
	if err := server.Serve(listener); err != nil {
		log.Fatal(err)
	}
	if err := <-stopped; err != nil {
		log.Fatal(err)
	}
}
