package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// A worker process is this test binary with these environment variables.
const (
	nameVariable   = "TEST_WORKER" // name of the consumer
	addrVariable   = "TEST_REDIS"
	commitVariable = "TEST_COMMIT" // key of commits
	stopVariable   = "TEST_STOP"   // the process stops itself (SIGSTOP) at this block
	pauseVariable  = "TEST_PAUSE"  // for each block
	parserVariable = "TEST_PARSER" // uri or neturl
)

const (
	testBlockSize = 2 << 10
	testMinIdle   = 200 * time.Millisecond
	poison        = "http://poison/" // kills the worker that counts it
	poisoned      = "poisoned"       // name of that worker
)

var commits = map[string]func(context.Context, redis.UniversalClient, string, *counts) error{
	"script":   commitOnce,
	"multi":    commitMulti,
	"commands": commitCommands,
}

// commitMulti commits in a transaction, but does not ask whether the entry is still pending.
func commitMulti(ctx context.Context, db redis.UniversalClient, id string, c *counts) error {
	_, err := db.TxPipelined(ctx, func(p redis.Pipeliner) error {
		increment(ctx, p, c)
		p.XAck(ctx, blocksKey, group, id)
		p.XDel(ctx, blocksKey, id)
		return nil
	})
	return err
}

// commitCommands commits in two steps. The pause between them makes it likely that a worker is killed there.
func commitCommands(ctx context.Context, db redis.UniversalClient, id string, c *counts) error {
	_, err := db.Pipelined(ctx, func(p redis.Pipeliner) error {
		increment(ctx, p, c)
		return nil
	})
	if err != nil {
		return err
	}
	time.Sleep(5 * time.Millisecond)
	_, err = db.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.XAck(ctx, blocksKey, group, id)
		p.XDel(ctx, blocksKey, id)
		return nil
	})
	return err
}

func increment(ctx context.Context, p redis.Pipeliner, c *counts) {
	p.HIncrBy(ctx, totalsKey, "lines", c.lines)
	p.HIncrBy(ctx, totalsKey, "invalid", c.invalid)
	for host, n := range c.hosts {
		p.HIncrBy(ctx, hostsKey, host, *n)
	}
}

func TestMain(m *testing.M) {
	if name := os.Getenv(nameVariable); name != "" {
		if err := work(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// work is the main function of a worker process.
func work(name string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	db := redis.NewClient(&redis.Options{Addr: os.Getenv(addrVariable)})
	defer db.Close()
	stopAt, _ := strconv.Atoi(os.Getenv(stopVariable))
	pause, _ := time.ParseDuration(os.Getenv(pauseVariable))
	w := newWorker(db, name)
	w.minIdle = testMinIdle
	if name != poisoned {
		w.maxDeliveries = 100 // a worker that a busy machine delays is not dead
	}
	w.commit = commits[os.Getenv(commitVariable)]
	w.count = func(block string) (*counts, error) {
		if strings.Contains(block, poison) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		if stopAt--; stopAt == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			time.Sleep(time.Second) // it may take a moment until all threads stop
		}
		time.Sleep(pause)
		if os.Getenv(parserVariable) == "neturl" {
			return countHostsNetURL(block)
		}
		return countHosts(block)
	}
	return w.run(ctx)
}

// A process ends with the test, however the test ends.
type process struct {
	*exec.Cmd
	exited chan struct{}
	err    error // once it has exited
}

func launch(t testing.TB, cmd *exec.Cmd) *process {
	p := &process{Cmd: cmd, exited: make(chan struct{})}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, cmd.Start())
	go func() {
		p.err = cmd.Wait()
		close(p.exited)
	}()
	t.Cleanup(p.kill)
	return p
}

func (p *process) kill() {
	_ = p.Process.Kill()
	<-p.exited
}

// terminate ends the process with SIGTERM, and requires that it exits with status 0.
func (p *process) terminate(t testing.TB) {
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	<-p.exited
	require.NoError(t, p.err)
}

// start starts a worker process.
func start(t testing.TB, addr, name string, environment ...string) *process {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), nameVariable+"="+name, addrVariable+"="+addr, commitVariable+"=script",
		pauseVariable+"=1ms"), environment...)
	cmd.Stderr = t.Output()
	return launch(t, cmd)
}

// onServers runs the test on miniredis, and on a real server if there is one.
func onServers(t *testing.T, test func(t *testing.T, db *redis.Client, addr string)) {
	t.Run("miniredis", func(t *testing.T) {
		t.Parallel()
		db := redis.NewClient(&redis.Options{Addr: miniredis.RunT(t).Addr()})
		t.Cleanup(func() { _ = db.Close() })
		test(t, db, db.Options().Addr)
	})
	t.Run("redis-server", func(t *testing.T) {
		t.Parallel()
		db, _ := startServer(t, t.TempDir())
		test(t, db, db.Options().Addr)
	})
}

// startServer starts a redis-server on a free port of this machine.
func startServer(t testing.TB, dir string) (*redis.Client, *process) {
	for range 3 { // another process may take the port
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		addr := listener.Addr().String()
		require.NoError(t, listener.Close())
		server := serve(t, addr, dir)
		db := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: 1000, MaxRetryBackoff: 10 * time.Millisecond})
		t.Cleanup(func() { _ = db.Close() })
		info, err := db.InfoMap(t.Context(), "server").Result()
		if err == nil && info["Server"]["process_id"] == strconv.Itoa(server.Process.Pid) {
			t.Log("redis-server", info["Server"]["redis_version"])
			return db, server
		}
	}
	require.Fail(t, "redis-server does not start")
	return nil, nil
}

// serve starts a redis-server that keeps its append-only file in the folder.
func serve(t testing.TB, addr, dir string) *process {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("redis-server is not in PATH; install the package redis-server to run this on a real server")
	}
	_, port, _ := strings.Cut(addr, ":")
	return launch(t, exec.Command(path, "--bind", "127.0.0.1", "--port", port, "--dir", dir, "--save", "",
		"--appendonly", "yes"))
}

// A sample is a text and what is in it.
type sample struct {
	text           []byte
	hosts          map[string]string
	lines, invalid int
}

func newSample(seed uint64, lines int) *sample {
	r := rand.New(rand.NewPCG(seed, 0))
	s := &sample{hosts: map[string]string{}, lines: lines}
	n := map[string]int{}
	for range lines {
		switch r.IntN(20) {
		case 0:
			s.text = append(s.text, "http://h0/%zz\n"...)
			s.invalid++
		case 1:
			s.text = append(s.text, "/path\r\n"...)
		default:
			host := fmt.Sprintf("h%d.example.com", r.IntN(20))
			s.text = fmt.Appendf(s.text, "https://%s/p/%d\n", host, r.IntN(1e9))
			n[host]++
		}
	}
	for host, n := range n {
		s.hosts[host] = strconv.Itoa(n)
	}
	return s
}

// drained waits until the stream is empty.
func drained(t testing.TB, db *redis.Client) {
	require.Eventually(t, func() bool { return db.XLen(t.Context(), blocksKey).Val() == 0 },
		time.Minute, 5*time.Millisecond)
}

// lines returns how many lines have been counted.
func lines(t *testing.T, db *redis.Client) int {
	n, err := db.HGet(t.Context(), totalsKey, "lines").Int()
	if err != redis.Nil {
		require.NoError(t, err)
	}
	return n
}

// requireExact requires that each line of the sample was counted once.
func requireExact(t *testing.T, db *redis.Client, s *sample) {
	t.Helper()
	require.Equal(t, map[string]string{"lines": strconv.Itoa(s.lines), "invalid": strconv.Itoa(s.invalid)},
		db.HGetAll(t.Context(), totalsKey).Val())
	require.Equal(t, s.hosts, db.HGetAll(t.Context(), hostsKey).Val())
	require.Zero(t, db.XPending(t.Context(), blocksKey, group).Val().Count)
}

// killOne counts the sample with three processes, of which one is killed at a random time.
func killOne(t *testing.T, db *redis.Client, addr string, s *sample, commit string) {
	require.NoError(t, db.FlushAll(t.Context()).Err())
	require.NoError(t, db.ScriptFlush(t.Context()).Err())
	require.NoError(t, produce(t.Context(), db, bytes.NewReader(s.text), testBlockSize))
	workers := make([]*process, 3)
	for i := range workers {
		workers[i] = start(t, addr, "worker-"+strconv.Itoa(i), commitVariable+"="+commit)
	}
	victim := rand.IntN(len(workers))
	goal := rand.IntN(s.lines * 9 / 10)
	require.Eventually(t, func() bool { return lines(t, db) >= goal }, time.Minute, time.Millisecond)
	time.Sleep(rand.N(3 * time.Millisecond))
	workers[victim].kill()
	killedAt := lines(t, db)
	drained(t, db)
	for i, w := range workers {
		if i != victim {
			w.terminate(t)
		}
	}
	t.Logf("%s: killed after %d lines of %d; counted %d", commit, killedAt, s.lines, lines(t, db))
}

// Each line is counted once though a worker is killed. With two commands instead of the script, some are
// counted twice.
func TestKilled(t *testing.T) {
	s := newSample(1, 10_000)
	runs := 3
	if os.Getenv("URI_LONG") != "" {
		runs = 20
	}
	onServers(t, func(t *testing.T, db *redis.Client, addr string) {
		for range runs {
			killOne(t, db, addr, s, "script")
			requireExact(t, db, s)
		}
		for range 20 {
			killOne(t, db, addr, s, "commands")
			if lines(t, db) > s.lines {
				return
			}
		}
		require.Fail(t, "no line was counted twice")
	})
}

// Each line is counted once though a worker pauses so long that others take its entries. With MULTI instead
// of the script, some are counted twice.
func TestStopped(t *testing.T) {
	s := newSample(2, 1000)
	onServers(t, func(t *testing.T, db *redis.Client, addr string) {
		for _, commit := range []string{"script", "multi"} {
			require.NoError(t, db.FlushAll(t.Context()).Err())
			require.NoError(t, produce(t.Context(), db, bytes.NewReader(s.text), testBlockSize))
			slow := start(t, addr, "slow", commitVariable+"="+commit, stopVariable+"=3")
			require.Eventually(t, func() bool {
				status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", slow.Process.Pid))
				return err == nil && bytes.Contains(status, []byte(") T "))
			}, 10*time.Second, time.Millisecond)
			other := start(t, addr, "other", commitVariable+"="+commit)
			drained(t, db)
			require.NoError(t, slow.Process.Signal(syscall.SIGCONT))
			slow.terminate(t)
			other.terminate(t)
			t.Log(commit, "counted", lines(t, db), "of", s.lines)
			if commit == "script" {
				requireExact(t, db, s)
			} else {
				require.Greater(t, lines(t, db), s.lines)
			}
		}
	})
}

// Each line is counted once though the server is killed again and again. Its workers exit, and are started
// again.
func TestServerKilled(t *testing.T) {
	s := newSample(5, 10_000)
	dir := t.TempDir()
	db, server := startServer(t, dir)
	addr := db.Options().Addr
	require.NoError(t, produce(t.Context(), db, bytes.NewReader(s.text), testBlockSize))
	var workers [3]*process
	goal, kills, exits := rand.IntN(s.lines/5), 0, 0
	for db.XLen(t.Context(), blocksKey).Val() > 0 {
		for i, w := range workers {
			if w != nil {
				select {
				case <-w.exited:
					require.Equal(t, 1, w.ProcessState.ExitCode())
					exits++
				default:
					continue
				}
			}
			workers[i] = start(t, addr, "worker-"+strconv.Itoa(i), pauseVariable+"=5ms")
		}
		if kills < 5 && lines(t, db) >= goal {
			server.kill()
			kills++
			time.Sleep(rand.N(time.Second / 2))
			server = serve(t, addr, dir)
			goal = lines(t, db) + rand.IntN(s.lines/5)
		}
		time.Sleep(time.Millisecond)
	}
	t.Logf("the server was killed %d times; workers gave up %d times", kills, exits)
	require.Positive(t, kills)
	requireExact(t, db, s)
}

// A worker that is told to stop at any time returns no error, and leaves no entry pending.
func TestStop(t *testing.T) {
	s := newSample(7, 10_000)
	onServers(t, func(t *testing.T, db *redis.Client, addr string) {
		require.NoError(t, produce(t.Context(), db, bytes.NewReader(s.text), testBlockSize))
		for commands := 0; db.XLen(t.Context(), blocksKey).Val() > 0; commands = (commands + 1) % 20 {
			ctx, cancel := context.WithCancel(t.Context())
			connection := redis.NewClient(&redis.Options{Addr: addr})
			connection.AddHook(&countdown{commands, cancel})
			w := newWorker(connection, "worker")
			w.minIdle = 2 * time.Millisecond // it claims all the time
			require.NoError(t, w.run(ctx), "before command %d", commands)
			require.NoError(t, connection.Close())
			require.Zero(t, db.XPending(t.Context(), blocksKey, group).Val().Count)
		}
		requireExact(t, db, s)
	})
}

// A countdown cancels a context before a command.
type countdown struct {
	commands int
	cancel   context.CancelFunc
}

func (c *countdown) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		if c.commands--; c.commands < 0 {
			c.cancel()
		}
		return next(ctx, command)
	}
}

func (c *countdown) DialHook(next redis.DialHook) redis.DialHook { return next }

func (c *countdown) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// A block that kills its workers, and an entry without a block, become dead letters. Everything else is
// counted.
func TestPoison(t *testing.T) {
	s := newSample(3, 1000)
	onServers(t, func(t *testing.T, db *redis.Client, addr string) {
		ctx := t.Context()
		poisons := [][]string{{"block", poison}, {"blok", "x"}}
		for i, values := range poisons { // the worker gets them together with good blocks
			id := fmt.Sprintf("0-%d", i+1)
			require.NoError(t, db.XAdd(ctx, &redis.XAddArgs{Stream: blocksKey, ID: id, Values: values}).Err())
		}
		require.NoError(t, produce(ctx, db, bytes.NewReader(s.text), testBlockSize))

		deaths := 0
		worker := start(t, addr, poisoned)
		for db.XLen(ctx, blocksKey).Val() > 0 {
			select {
			case <-worker.exited:
				deaths++
				require.Less(t, deaths, 10)
				worker = start(t, addr, poisoned) // as a supervisor does
			case <-time.After(5 * time.Millisecond):
			}
		}
		require.Equal(t, 3, deaths)
		requireExact(t, db, s)

		letters, invalid := map[string]any{}, 0
		for _, e := range db.XRange(ctx, deadKey, "-", "+").Val() {
			if e.Values["reason"] == "invalid lines" {
				invalid += strings.Count(e.Values["block"].(string), "http://h0/%zz\n")
				continue
			}
			require.Equal(t, "delivered 3 times", e.Values["reason"])
			for _, field := range []string{"block", "blok"} {
				if value, ok := e.Values[field]; ok {
					letters[field] = value
				}
			}
		}
		require.Equal(t, map[string]any{"block": poison, "blok": "x"}, letters)
		require.Equal(t, s.invalid, invalid)
	})
}

// A producer that fails anywhere and starts again adds each block once.
func TestProduceAgain(t *testing.T) {
	s := newSample(4, 2000)
	db, _ := startServer(t, t.TempDir()) // miniredis forgets the last ID of a stream
	ctx := t.Context()
	for {
		file := &failing{bytes.NewReader(s.text), rand.IntN(20)}
		if produce(ctx, db, file, testBlockSize) == nil {
			break
		}
		if rand.IntN(2) == 0 { // a worker has counted everything
			for _, e := range db.XRange(ctx, blocksKey, "-", "+").Val() {
				db.XDel(ctx, blocksKey, e.ID)
				db.Append(ctx, "text", e.Values["block"].(string))
			}
		}
	}
	require.NoError(t, add(ctx, db, int64(len(s.text)), []byte("again")))
	var text strings.Builder
	text.WriteString(db.Get(ctx, "text").Val())
	for _, e := range db.XRange(ctx, blocksKey, "-", "+").Val() {
		text.WriteString(e.Values["block"].(string))
	}
	require.Equal(t, string(s.text), text.String())
}

type failing struct {
	*bytes.Reader
	reads int
}

func (f *failing) Read(p []byte) (int, error) {
	if f.reads--; f.reads < 0 {
		return 0, os.ErrClosed
	}
	return f.Reader.Read(p)
}

func TestCommands(t *testing.T) {
	s := newSample(6, 10_000)
	server := miniredis.RunT(t)
	t.Setenv("REDIS_URL", "redis://"+server.Addr())
	name := filepath.Join(t.TempDir(), "uris.txt")
	require.NoError(t, os.WriteFile(name, s.text, 0o600))
	require.NoError(t, run(t.Context(), []string{"produce", name}))

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan error)
	go func() { done <- run(ctx, []string{"work"}) }()
	db := redis.NewClient(&redis.Options{Addr: server.Addr()})
	t.Cleanup(func() { _ = db.Close() })
	drained(t, db)
	stop()
	require.NoError(t, <-done)
	requireExact(t, db, s)
	require.NoError(t, run(t.Context(), []string{"show"}))
	require.NoError(t, run(t.Context(), nil)) // the demo
}

func TestArguments(t *testing.T) {
	for args, want := range map[string]string{
		"work extra": "usage:",
		"produce":    "usage:",
		"nose":       "usage:",
	} {
		t.Setenv("REDIS_URL", "redis://127.0.0.1:1")
		require.ErrorContains(t, run(t.Context(), strings.Fields(args)), want)
	}
	t.Setenv("REDIS_URL", "")
	require.EqualError(t, run(t.Context(), []string{"work"}), "the environment variable REDIS_URL is empty")
	t.Setenv("REDIS_URL", "redis://:SECRET@%zz")
	require.EqualError(t, run(t.Context(), []string{"work"}),
		"the environment variable REDIS_URL is not like redis://user:password@host:port/db")
}
