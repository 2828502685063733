//go:build unix

package urinats_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	urinats "github.com/seed-56a50ac9/uri/integrations/nats"
	"github.com/seed-56a50ac9/uri/integrations/nats/internal/queue"
	"github.com/seed-56a50ac9/uri/internal/accesslog"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	if task := os.Getenv(taskVariable); task != "" {
		os.Exit(runTask(task))
	}
	flag.Parse()
	if flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = flag.Set("test.parallel", "8") // the tests wait more than they compute
	}
	os.Exit(m.Run())
}

// Tests run this binary again as worker processes. The variable has the task of such a process, as JSON.
const taskVariable = "URINATS_TASK"

// A task is what a worker process does until SIGTERM.
type task struct {
	URL      string
	Names    queue.Names
	Limits   queue.Limits
	Function string // of the worker: uri, neturl, empty
	Parallel int
	Pause    time.Duration // between publishing and acknowledging
	Control  bool          // publish without identities
}

// An outcome is what a worker process prints at its end.
type outcome struct {
	Stats urinats.Stats
	CPU   time.Duration // of the process, without its start
	Wall  time.Duration
}

// runTask is the main function of a worker process. It returns its exit status.
func runTask(text string) int {
	debug.SetGCPercent(400) // as the command does
	if err := runWorker(text); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func runWorker(text string) error {
	var work task
	if err := json.Unmarshal([]byte(text), &work); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	nc, err := nats.Connect(work.URL, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	function, err := functions[work.Function]()
	if err != nil {
		return err
	}
	w := &urinats.Worker{
		JetStream: js, Stream: work.Names.Stream, Consumer: work.Names.Consumer, Results: work.Names.Results,
		DeadLetters: work.Names.DeadLetters, Func: function, Parallel: work.Parallel,
		MaxDeliver: work.Limits.MaxDeliver, Timeout: work.Limits.Timeout, Log: slog.New(slog.DiscardHandler),
	}
	if work.Pause > 0 || work.Control {
		w.JetStream = &meddler{
			js,
			func(ctx context.Context, m *nats.Msg, next publisher) (*jetstream.PubAck, error) {
				publish := next
				if work.Control {
					publish = func(ctx context.Context, m *nats.Msg) (*jetstream.PubAck, error) {
						return withoutIdentity(ctx, m, next)
					}
				}
				ack, err := publish(ctx, m)
				time.Sleep(work.Pause)
				return ack, err
			},
		}
	}
	started, before := time.Now(), cpu(syscall.RUSAGE_SELF)
	if err := w.Run(ctx); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(outcome{
		w.Stats(), cpu(syscall.RUSAGE_SELF) - before, time.Since(started),
	})
}

// cpu returns the CPU time that was used until now.
func cpu(who int) time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(who, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A process is a worker process.
type process struct {
	command *exec.Cmd
	out     bytes.Buffer
}

// startProcess starts a worker process, which ends with the context, the test and this process.
func startProcess(ctx context.Context, t *testing.T, work task) *process {
	t.Helper()
	text, err := json.Marshal(work)
	require.NoError(t, err)
	executable, err := os.Executable()
	require.NoError(t, err)
	p := &process{command: exec.CommandContext(ctx, executable)}
	p.command.Env = append(os.Environ(), taskVariable+"="+string(text))
	p.command.Stdout = &p.out
	p.command.Stderr = os.Stderr
	dieWithParent(p.command)
	require.NoError(t, p.command.Start())
	t.Cleanup(func() {
		_ = p.command.Process.Kill()
		_ = p.command.Wait()
	})
	return p
}

// stop stops the process as an operator would, and returns its outcome.
func (p *process) stop(t *testing.T) (o outcome) {
	t.Helper()
	require.NoError(t, p.command.Process.Signal(syscall.SIGTERM))
	require.NoError(t, p.command.Wait(), "a worker process")
	require.NoError(t, json.Unmarshal(p.out.Bytes(), &o))
	return o
}

// accessLog returns a log of n lines: those of the corpus, or others of the same kind, again and again.
func accessLog(t testing.TB, n int) (log []byte) {
	t.Helper()
	part := accesslog.Append(nil, min(n, 10_000))
	if folder := os.Getenv("URI_CORPUS"); folder != "" {
		text, err := os.ReadFile(filepath.Join(folder, "apache_access.log"))
		require.NoError(t, err)
		part = text
	}
	for n > 0 {
		for line := range bytes.Lines(part) {
			if n == 0 {
				break
			}
			log = append(log, line...)
			n--
		}
	}
	return log
}
