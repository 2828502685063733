package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// newTerminal returns both ends of a terminal.
func newTerminal(t *testing.T) (screen, terminal *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	require.NoError(t, unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	return screen, terminal
}

// onTerminal runs the command with standard output, or standard error, on a terminal. It returns what the
// terminal showed, and what was written to the other stream.
func onTerminal(
	t *testing.T,
	env string,
	stdin io.Reader,
	stderr bool,
	args ...string,
) (shown, other string) {
	t.Helper()
	screen, terminal := newTerminal(t)
	cmd := command(args...)
	cmd.Env = append(cmd.Env, "TERM=xterm", env)
	cmd.Stdin = stdin
	var b strings.Builder
	cmd.Stdout, cmd.Stderr = terminal, &b
	if stderr {
		cmd.Stdout, cmd.Stderr = &b, terminal
	}
	require.NoError(t, cmd.Start())
	terminal.Close()
	all, _ := io.ReadAll(screen) // ends with an error once nobody has the other end open
	cmd.Wait()
	screen.Close()
	return strings.ReplaceAll(string(all), "\r\n", "\n"), b.String()
}

// TestTerminal requires tables and colors on a terminal, and only there.
func TestTerminal(t *testing.T) {
	in := func() io.Reader { return strings.NewReader("http://example.com/a\n//h/b\n") }
	shown, _ := onTerminal(t, "", in(), false, "-f", "host,line,path")
	assert.Equal(
		t,
		"\x1b[1mhost         line  path\x1b[0m\nexample.com     1  /a\nh               2  /b\n",
		shown,
	)
	shown, _ = onTerminal(t, "NO_COLOR=1", in(), false, "-f", "host,line,path")
	assert.Equal(t, "host         line  path\nexample.com     1  /a\nh               2  /b\n", shown)
	shown, _ = onTerminal(t, "TERM=dumb", in(), false, "-f", "host,line,path")
	assert.NotContains(t, shown, "\x1b")
	shown, _ = onTerminal(t, "", in(), false, "-f", "host,line", "--color=never", "--format=tsv")
	assert.NotContains(t, shown, "\x1b")
	assert.Equal(t, "example.com 1 h 2", strings.Join(strings.Fields(shown), " "))
	shown, _ = onTerminal(t, "", in(), false, "-f", "host,path:decoded", "-w", "line=9")
	assert.Equal(t, "\x1b[1mhost  path:decoded\x1b[0m\n", shown)
	shown, _ = onTerminal(
		t,
		"",
		strings.NewReader("/%1B%5B31m%C3%A9%0A%FF\n/b\n"),
		false,
		"-f",
		"path:decoded,line",
	)
	assert.Equal(
		t,
		"\x1b[1mpath:decoded      line\x1b[0m\n/\\x1B[31mé\\n\\xFF     1\n/b                   2\n",
		shown,
	)
	_, stderr := onTerminal(t, "", in(), false)
	assert.NotContains(t, stderr, "\x1b")
}

// slow returns a reader that pauses between two parts of its input.
func slow(first, second string, pause time.Duration) io.Reader {
	return io.MultiReader(strings.NewReader(first), reader(func([]byte) (int, error) {
		time.Sleep(pause)
		return 0, io.EOF
	}), strings.NewReader(second))
}

// TestProgress requires a progress bar on a terminal, above which reports are written, and nowhere else.
func TestProgress(t *testing.T) {
	in := func() io.Reader { return slow("/a\n", " \n/b\n", 2*patience) }
	shown, out := onTerminal(t, "", in(), true, "-f", "path")
	assert.Equal(t, "/a\n/b\n", out)
	assert.Contains(t, shown, "uriscan")
	assert.Contains(t, shown, "( 3 B, ", "the bytes so far")
	assert.Contains(t, shown, "uriscan: line 2: offset 0: invalid path\n")
	assert.Regexp(t, `uriscan: 3 lines, 2 valid, 1 invalid, .* MB/s\n$`, shown)

	shown, _ = onTerminal(t, "", in(), true, "-q")
	assert.Empty(t, shown)
	shown, _ = onTerminal(t, "", strings.NewReader("/a\n"), true, "--fields=path")
	assert.NotContains(t, shown, "\r", "a short run")
	_, _, stderr := process(t, in())
	assert.NotContains(t, stderr, "\r")
}
