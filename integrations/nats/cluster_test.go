package urinats_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	urinats "github.com/seed-56a50ac9/uri/integrations/nats"
	"github.com/seed-56a50ac9/uri/integrations/nats/internal/queue"
	"github.com/seed-56a50ac9/uri/internal/long"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCluster has three servers with replicated streams. While two workers run, the leaders of the results,
// of the consumer and of the work queue are shut down, one after the other, and started again.
func TestCluster(t *testing.T) {
	t.Parallel()
	shutdowns := long.Sample(t, 1, 3)
	servers := make([]*server.Server, 3)
	options := make([]func(*server.Options), 3)
	var routes []*url.URL
	var clients []string
	ports := freePorts(t, 6) // each server has to know the others, and to be where it was after a restart
	for i := range servers {
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprint("127.0.0.1:", ports[i])})
		clients = append(clients, fmt.Sprint("nats://127.0.0.1:", ports[3+i]))
	}
	for i := range servers {
		folder := t.TempDir()
		options[i] = func(o *server.Options) {
			o.ServerName = fmt.Sprint("s", i)
			o.StoreDir, o.Port = folder, ports[3+i]
			o.Cluster = server.ClusterOpts{Name: "c", Host: "127.0.0.1", Port: ports[i]}
			o.Routes = routes
		}
		var err error
		servers[i], err = queue.Start("", options[i])
		require.NoError(t, err)
		t.Cleanup(func() {
			servers[i].Shutdown()
			servers[i].WaitForShutdown()
		})
	}
	nc, err := nats.Connect(strings.Join(clients, ","), nats.MaxReconnects(-1),
		nats.ReconnectWait(50*time.Millisecond))
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(time.Second))
	require.NoError(t, err)

	f := &fixture{t: t, js: js, limits: limits}
	for _, c := range []jetstream.StreamConfig{
		{Name: names.Stream, Subjects: []string{names.Subject}, Retention: jetstream.WorkQueuePolicy},
		{Name: names.Results, Subjects: []string{names.Results + ".>"}},
		{Name: names.DeadLetters, Subjects: []string{names.DeadLetters + ".>"}},
	} {
		c.Replicas = 3
		require.Eventually(t, func() bool { // until the cluster has a leader
			_, err := js.CreateStream(t.Context(), c)
			return err == nil
		}, 30*time.Second, 100*time.Millisecond)
	}
	require.Eventually(t, func() bool { return queue.Create(t.Context(), js, names, limits) == nil },
		30*time.Second, 100*time.Millisecond)

	var want []string
	for i := range 200 * shutdowns {
		want = append(want, fmt.Sprintf("block %d\n", i))
	}
	f.send(want...)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var running sync.WaitGroup
	var workers []*urinats.Worker
	for range 2 {
		w := f.worker(func(_ context.Context, b *urinats.Block) error {
			time.Sleep(20 * time.Millisecond)
			b.Add(b.Data)
			b.Add(b.Data)
			b.Reject(1, b.Data, errors.New("reason"))
			return nil
		})
		w.MaxDeliver = 10 // elections take longer than AckWait
		workers = append(workers, w)
		running.Go(func() { assert.NoError(t, w.Run(ctx)) })
	}
	blocks := func() int64 { return workers[0].Stats().Blocks + workers[1].Stats().Blocks }
	leaders := []func() string{
		func() string { return f.stream(names.Results).Cluster.Leader },
		func() string {
			c, err := js.Consumer(t.Context(), names.Stream, names.Consumer)
			require.NoError(t, err)
			return c.CachedInfo().Cluster.Leader
		},
		func() string { return f.stream(names.Stream).Cluster.Leader },
	}
	for i, leader := range leaders[:shutdowns] {
		require.Eventually(t, func() bool { return blocks() >= int64(100*(i+1)) }, 60*time.Second, time.Millisecond)
		name := leader()
		var n int
		_, err := fmt.Sscanf(name, "s%d", &n)
		require.NoError(t, err, name)
		servers[n].Shutdown()
		servers[n].WaitForShutdown()
		time.Sleep(500 * time.Millisecond)
		servers[n], err = queue.Start("", options[n])
		require.NoError(t, err)
	}
	waiting, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	require.NoError(t, queue.Empty(waiting, js, names))
	cancel()
	running.Wait()

	t.Logf("%+v", workers[0].Stats())
	t.Logf("%+v", workers[1].Stats())
	assert.EqualValues(t, 2*len(want), f.stream(names.Results).State.Msgs)
	assert.EqualValues(t, len(want), f.stream(names.DeadLetters).State.Msgs)
	// The consumer that reads the results may be at a server that still catches up after its restart.
	var got []string
	require.Eventually(t, func() bool {
		got = nil
		err := queue.Each(t.Context(), js, names.Results, func(m jetstream.Msg) error {
			got = append(got, string(m.Data()))
			return nil
		})
		return err == nil && len(got) >= 2*len(want)
	}, time.Minute, 100*time.Millisecond)
	assert.ElementsMatch(t, slices.Concat(want, want), got)
}

// freePorts returns ports that were free just now.
func freePorts(t *testing.T, n int) (ports []int) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// stream returns what the server says of a stream.
func (f *fixture) stream(name string) *jetstream.StreamInfo {
	f.t.Helper()
	var s jetstream.Stream
	require.Eventually(f.t, func() (ok bool) {
		var err error
		s, err = f.js.Stream(f.t.Context(), name)
		return err == nil && s.CachedInfo().Cluster.Leader != ""
	}, 30*time.Second, 10*time.Millisecond)
	return s.CachedInfo()
}
