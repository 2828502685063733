package uricaddy

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/standard"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/attacks"
	"github.com/seed-56a50ac9/uri/internal/long"
)

// TestMain makes the test binary the command caddy if it is told so, because it has the same modules.
func TestMain(m *testing.M) {
	if os.Getenv("URICADDY_TEST_MAIN") != "" {
		caddycmd.Main()
		os.Exit(0)
	}
	dir, err := os.MkdirTemp("", "uricaddy")
	if err != nil {
		panic(err)
	}
	os.Setenv("URICADDY_TEST_DIR", dir)
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// build builds the command that users get.
var build = sync.OnceValues(func() (path string, err error) {
	path = filepath.Join(os.Getenv("URICADDY_TEST_DIR"), "caddy")
	out, err := exec.Command("go", "build", "-o", path, "./cmd/caddy").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// command returns the command caddy: the test binary, or in long tests the one that users get.
func command(t testing.TB, args ...string) *exec.Cmd {
	path, err := os.Executable()
	require.NoError(t, err)
	if long.Time(t) >= long.Minutes {
		start := time.Now()
		path, err = build()
		require.NoError(t, err)
		if took := time.Since(start); took > time.Second {
			info, err := os.Stat(path)
			require.NoError(t, err)
			t.Logf("built in %.0f s, %.1f MB", took.Seconds(), float64(info.Size())/1e6)
		}
	}
	cmd := exec.Command(path, args...)
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "URICADDY_TEST_MAIN=1", "HOME="+home,
		"XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home)
	cmd.SysProcAttr = endsWithTest()
	return cmd
}

// A process is Caddy with some sites.
type process struct {
	dir    string   // of its logs
	sites  []string // addresses
	config string
	cmd    *exec.Cmd
	admin  *http.Client
	ended  chan struct{}
}

// options are the options of all configurations.
const options = `{
	admin unix/SOCKET
	auto_https off
	persist_config off
	grace_period 10s
	servers {
		protocols h1 h2 h2c
	}
}
`

// start starts Caddy. The configuration has the options that all tests need, and then the given sites, in
// which FD0, FD1 and so on are listeners, and DIR is a folder.
func start(t testing.TB, sites string) *process {
	t.Helper()
	p := &process{dir: t.TempDir(), ended: make(chan struct{})}
	socket := filepath.Join(p.dir, "admin.sock")
	p.cmd = command(t, "run", "--config", filepath.Join(p.dir, "Caddyfile"))
	file, err := os.Create(filepath.Join(p.dir, "output"))
	require.NoError(t, err)
	defer file.Close()
	p.cmd.Stdout, p.cmd.Stderr = file, file
	p.cmd.Dir = p.dir
	replace := []string{"DIR", p.dir}
	for i := 0; strings.Contains(sites, fmt.Sprintf("FD%d", i)); i++ {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		p.sites = append(p.sites, listener.Addr().String())
		file, err := listener.(*net.TCPListener).File()
		require.NoError(t, err)
		defer file.Close()
		require.NoError(t, listener.Close())
		replace = append(replace, fmt.Sprintf("FD%d", i), fmt.Sprintf("fd/%d", 3+i))
		p.cmd.ExtraFiles = append(p.cmd.ExtraFiles, file)
	}
	p.config = strings.NewReplacer(append(replace, "SOCKET", socket)...).Replace(options + sites)
	require.NoError(t, os.WriteFile(filepath.Join(p.dir, "Caddyfile"), []byte(p.config), 0o666))
	p.admin = &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}}
	require.NoError(t, p.cmd.Start())
	go func() {
		p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		<-p.ended
	})
	for deadline := time.After(time.Minute); ; {
		response, err := p.admin.Get("http://caddy/config/")
		if err == nil {
			response.Body.Close()
			return p
		}
		select {
		case <-time.After(20 * time.Millisecond):
			continue
		case <-deadline:
		case <-p.ended:
		}
		p.stop()
		t.Fatalf("Caddy does not start: %s", p.output(t))
	}
}

// output returns what Caddy has written to standard error.
func (p *process) output(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, "output"))
	require.NoError(t, err)
	return string(text)
}

// stop ends Caddy. Then its logs are complete.
func (p *process) stop() {
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(time.Minute):
		p.cmd.Process.Kill()
		<-p.ended
	}
}

// reload gives Caddy another configuration.
func (p *process) reload(t testing.TB, config string) {
	t.Helper()
	response, err := p.admin.Post("http://caddy/load", "text/caddyfile", strings.NewReader(config))
	require.NoError(t, err)
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	require.Equal(t, 200, response.StatusCode, "%s", text)
}

// backend starts a server of package attacks.
func backend(t testing.TB) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go attacks.Serve(listener)
	return listener.Addr().String()
}

// An answer is what a client got.
type answer struct {
	status   string // several, if there were redirects
	body     string
	requests int // that Caddy answered, not net/http
}

// send sends a request and follows redirects to the same host.
func send(t testing.TB, server, target, host, header string) answer {
	t.Helper()
	conn, err := net.Dial("tcp", server)
	require.NoError(t, err)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\n%sConnection: close\r\n\r\n", target, host, header)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	a := answer{status: fmt.Sprint(response.StatusCode), body: string(text)}
	if response.Header.Get("Server") == "Caddy" || len(response.Header["Via"]) > 0 {
		a.requests++
	}
	if location := response.Header.Get("Location"); location != "" {
		require.Regexp(t, `^/([^/\\]|$)`, location)
		again := send(t, server, location, host, header)
		return answer{a.status + " " + again.status, again.body, a.requests + again.requests}
	}
	return a
}
