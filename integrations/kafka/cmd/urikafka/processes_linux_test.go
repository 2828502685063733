package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/seed-56a50ac9/uri/internal/accesslog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
)

// A command's process.
type process struct {
	*exec.Cmd
	mu     sync.Mutex
	stderr bytes.Buffer
}

func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr.Write(b)
}

func (p *process) log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr.String()
}

// TestCluster runs every command against a cluster that needs a certificate and a password, as processes.
func TestCluster(t *testing.T) {
	t.Parallel()
	f := newFiles(t)
	for _, mechanism := range []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"} {
		t.Run(mechanism, func(t *testing.T) {
			t.Parallel()
			broker, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.TLS(f.server), kfake.EnableSASL(),
				kfake.Superuser(mechanism, "me", f.secret), kfake.SeedTopics(4, "in"),
				kfake.SeedTopics(1, "counts", "lines", "dead", "dead2"))
			require.NoError(t, err)
			defer broker.Close()
			connect := []string{
				"-brokers", broker.ListenAddrs()[0], "-tls", "-tls-ca", f.ca, "-tls-cert", f.cert, "-tls-key", f.key,
				"-sasl", strings.ToLower(mechanism), "-sasl-user", "me", "-sasl-password-file", f.password,
			}
			call := func(stdin, name string, args ...string) string {
				t.Helper()
				status, stdout, stderr := execute(stdin, append(append([]string{name}, connect...), args...)...)
				require.Zero(t, status, stderr)
				return stdout
			}
			log := string(accesslog.Append(nil, 5000))
			assert.Regexp(t, `^\d\d blocks\n$`, call(log, "produce", "-topic", "in", "-block", "10000"))

			work := func(args ...string) *process {
				p := &process{Cmd: exec.Command(os.Args[0], append(append([]string{"work"}, connect...), args...)...)}
				p.Env = append(os.Environ(), "URIKAFKA_TEST_MAIN=1")
				p.Stderr = p
				p.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
				require.NoError(t, p.Start())
				t.Cleanup(func() { _ = p.Process.Kill() })
				return p
			}
			counts := work("-group", "g1", "-in", "in", "-out", "counts", "-dead", "dead", "-workers", "2", "-id", "a")
			lines := work("-group", "g2", "-in", "in", "-out", "lines", "-dead", "dead2", "-mode", "add", "-fields",
				"host,path")
			for _, topic := range []string{"dead", "dead2"} {
				require.Eventually(t, func() bool { return strings.Count(call("", "dead", "-topic", topic), "\n") == 5 },
					30*time.Second, 50*time.Millisecond)
			}
			require.Eventually(t, func() bool {
				return strings.HasPrefix(call("", "total", "-topic", "counts"),
					"5000 lines")
			}, 30*time.Second, 50*time.Millisecond)
			assert.Regexp(t, `^5000 lines in \d+ records: \d+ without the field, 5 invalid, 8 different values\n`+
				` +\d+  search.example.org\n$`,
				call("", "total", "-topic", "counts", "-n", "1"))
			assert.Regexp(t, `^in/\d offset \d+ line \d+: uri: .*"\n$`, call("", "dead", "-topic", "dead", "-n", "1"))

			for _, p := range []*process{counts, lines} {
				require.NoError(t, p.Process.Signal(syscall.SIGTERM))
				assert.NoError(t, p.Wait())
				assert.NotContains(t, p.log(), f.secret)
				assert.NotContains(t, p.log(), "192.0.2.")
			}
			assert.Contains(t, counts.log(), "worker 1: ")
			assert.Regexp(t, `worker 0: \d+ transactions, \d+ records, .*, 5 dead lines, 0 dead records`, lines.log())

			status, _, stderr := execute("",
				append(append([]string{"work"}, connect...), "-in", "none", "-out", "counts", "-dead", "dead")...)
			assert.Equal(t, exitFailure, status)
			assert.Contains(t, stderr, `topic "none" does not exist`)
			for _, name := range []string{"produce", "total", "dead"} {
				status, _, stderr := execute("", append(append([]string{name}, connect...), "-topic", "none")...)
				assert.Equal(t, exitFailure, status)
				assert.Equal(t, "urikafka "+name+": topic \"none\" does not exist\n", stderr)
			}
			wrong := append(connect[:len(connect):len(connect)], "-sasl-user", "you", "-topic", "in")
			status, _, stderr = execute("", append([]string{"total"}, wrong...)...)
			assert.Equal(t, exitFailure, status)
			assert.Contains(t, stderr, "urikafka total: ")
			assert.NotContains(t, stderr, f.secret)
		})
	}
}
