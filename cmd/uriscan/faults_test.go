package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// gzipped returns the text compressed with gzip.
func gzipped(t testing.TB, text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

// zstdCompressed returns the text compressed with zstd.
func zstdCompressed(t testing.TB, text string) string {
	w, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	return string(w.EncodeAll([]byte(text), nil))
}

// TestFiles runs the command on files of every kind, as a process of its own.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	many := strings.Repeat("http://h/a\n", 50000)
	long := gzipped(t, many)
	for name, content := range map[string]string{
		"a":           "\uFEFFx:\n \n",
		"b":           " \r\ny:",
		"empty":       "",
		"bom":         "\uFEFF",
		"bom part":    "\xEF\xBB",
		"a.gz":        gzipped(t, "x:\n"),
		"two.gz":      gzipped(t, "x:\n") + gzipped(t, "y:\n"),
		"bom.gz":      gzipped(t, "\uFEFFx:\n"),
		"empty.gz":    gzipped(t, ""),
		"a.zst":       zstdCompressed(t, "x:\n"),
		"two.zst":     zstdCompressed(t, "x:\n") + zstdCompressed(t, "y:\n"),
		"many.zst":    zstdCompressed(t, many),
		"cut.gz":      long[:len(long)-20],
		"head.gz":     long[:5],
		"broken.gz":   long[:len(long)-6] + "xx" + long[len(long)-4:],
		"tail.gz":     gzipped(t, "x:\n") + "tail",
		"cut.zst":     zstdCompressed(t, many)[:40],
		"not.zst":     "\x28\xB5\x2F\xFDnot",
		"twice.gz":    gzipped(t, gzipped(t, "x:\n")),
		"utf16le":     "\xFF\xFEx\x00:\x00\n\x00",
		"utf16be":     "\xFE\xFF\x00x\x00:\x00\n",
		"utf16":       "h\x00t\x00t\x00p\x00:\x00\n\x00",
		"utf16b":      "\x00h\x00t\x00t\x00p\x00:\x00\n",
		"binary":      "\x7fELF\x02\x01\x01\x00",
		"bz2":         "BZh91AY&SY",
		"xz":          "\xFD7zXZ\x00",
		"lz4":         "\x04\x22\x4D\x18",
		"zip":         "PK\x03\x04",
		"combined":    combinedLine("GET /a HTTP/1.1", "-"),
		"common":      `192.0.2.7 - - [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 1234` + "\n",
		"caddy":       caddyLine,
		"jsonl":       `{"url":"http://example.com/"}` + "\n",
		"combined.gz": gzipped(t, strings.Repeat(combinedLine("GET /a HTTP/1.1", "-"), 10000)),
	} {
		require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
	}
	require.NoError(t, os.Mkdir("dir", 0o700))
	const log = "; use --log %s, or --text to read one URI per line"
	for _, c := range []struct {
		files, stdout, stderr string
		status                int
	}{
		{"a", "1|x|a", "line 2: offset 0: invalid path", 0},
		{"a b", "1|x|a 2|y|b", "a:2: offset 0: invalid path uriscan: b:1: offset 0: invalid path", 0},
		{
			"a - b", "1|x|a 1|z|- 2|y|b",
			"a:2: offset 0: invalid path uriscan: -:2: offset 1: invalid percent-encoding " +
				"uriscan: b:1: offset 0: invalid path", 0,
		},
		{"empty bom empty.gz", "", "", 0},
		{"bom-part", "", "open bom-part: no such file or directory", 2},
		{"a.gz two.gz bom.gz", "1|x|a.gz 1|x|two.gz 2|y|two.gz 1|x|bom.gz", "", 0},
		{"a.zst two.zst", "1|x|a.zst 1|x|two.zst 2|y|two.zst", "", 0},
		{"missing a.zst", "1|x|a.zst", "open missing: no such file or directory", 2},
		{"dir a.zst", "1|x|a.zst", "read dir: is a directory", 2},
		{"head.gz", "", "head.gz: unexpected EOF", 2},
		{"tail.gz", "1|x|tail.gz", "tail.gz: unexpected EOF", 2},
		{"not.zst", "", "not.zst: ", 2},
		{"twice.gz", "", "twice.gz: compressed twice; decompress it first", 2},
		{"utf16le", "", "utf16le: this is UTF-16 text; convert it with: iconv -f UTF-16 -t UTF-8", 2},
		{"utf16be", "", "utf16be: this is UTF-16 text; convert it with: iconv -f UTF-16 -t UTF-8", 2},
		{"utf16", "", "utf16: this is UTF-16 text; convert it with: iconv -f UTF-16LE -t UTF-8", 2},
		{"utf16b", "", "utf16b: this is UTF-16 text; convert it with: iconv -f UTF-16BE -t UTF-8", 2},
		{"binary", "", "binary: this is binary data: byte 7 is NUL; use --text to read it anyway", 2},
		{"bz2", "", "bz2: this is bzip2 data; decompress it with: bzip2 -dc", 2},
		{"xz", "", "xz: this is xz data; decompress it with: xz -dc", 2},
		{"lz4", "", "lz4: this is lz4 data; decompress it with: lz4 -dc", 2},
		{"zip", "", "zip: this is a zip archive; decompress it with: unzip -p", 2},
		{"combined", "", "combined: this looks like a log" + fmt.Sprintf(log, "combined"), 2},
		{"combined.gz", "", "combined.gz: this looks like a log" + fmt.Sprintf(log, "combined"), 2},
		{"common", "", "common: this looks like a log" + fmt.Sprintf(log, "common"), 2},
		{"caddy", "", "caddy: this looks like a log" + fmt.Sprintf(log, "caddy"), 2},
		{"jsonl", "", "jsonl: this looks like a log" + fmt.Sprintf(log, "jsonl:KEY"), 2},
		{"--text binary", "", "line 1: offset 0: invalid path", 0},
		{"--text jsonl", "", "line 1: offset 0: invalid path", 0},
		{"--log=combined binary", "", "binary: this is binary data", 2},
		{"http://h/ mailto:a@b a.gz", "1|http|argument 2|mailto|argument 1|x|a.gz", "", 0},
		{"http://h/%zz", "", "argument 1: offset 10: invalid percent-encoding", 0},
		{"c:/a", "", "open c:/a: no such file or directory", 2},
		{"1a:/a", "", "open 1a:/a: no such file or directory", 2},
		{"--uris a /b %", "1||argument 2||argument", "argument 3: offset 1: invalid percent-encoding", 0},
		{"--log=common http://h/", "", "argument 1: the line does not have the format of the log", 0},
	} {
		status, stdout, stderr := process(
			t,
			strings.NewReader("z:\n%"),
			append([]string{"-f=line,scheme,file"}, strings.Split(c.files, " ")...)...)
		assert.Equal(t, c.status, status, c.files)
		assert.Equal(t, c.stdout, strings.Join(strings.Fields(strings.ReplaceAll(stdout, "\t", "|")), " "), c.files)
		reports, _, found := cutLast(stderr, "uriscan: ")
		assert.True(t, found, c.files)
		reports = strings.Join(strings.Fields(reports), " ")
		if c.stderr == "" {
			assert.Empty(t, reports, c.files)
		} else {
			assert.True(t, strings.HasPrefix(reports, "uriscan: "+c.stderr), "%s: %s", c.files, reports)
		}
		if c.status == exitFailure {
			assert.NotContains(t, stderr, "--help", c.files)
		}
	}

	// What could be read before the error is printed.
	for _, name := range []string{"cut.gz", "broken.gz"} {
		status, stdout, stderr := process(t, nil, "-f=path", name)
		assert.Equal(t, exitFailure, status)
		assert.Regexp(t, `^(/a\n)+$`, stdout)
		assert.Regexp(t, `^uriscan: `+name+`: .*\nuriscan: \d+ lines, \d+ valid, 0 invalid\n$`, stderr)
	}
	status, stdout, _ := process(t, nil, "-f=path", "many.zst")
	assert.Equal(t, exitOK, status)
	assert.Equal(t, 50000, strings.Count(stdout, "\n"))
	status, _, stderr := process(t, strings.NewReader(caddyLine), "stats")
	assert.Equal(t, exitFailure, status)
	assert.Contains(t, stderr, "standard input: this looks like a log")
}

// cutLast cuts the text around the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

// TestOutputIsInput refuses to write to a file that is also read.
func TestOutputIsInput(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(file, []byte("/a\n"), 0o600))
	require.NoError(t, os.Link(file, link))
	for _, args := range [][]string{{file}, {link}, {"missing", link}, {"-"}, {}} {
		out, err := os.OpenFile(file, os.O_APPEND|os.O_RDWR, 0)
		require.NoError(t, err)
		cmd := command(args...)
		var stderr bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = out, out, &stderr
		assert.Error(t, cmd.Run(), args)
		assert.Equal(t, exitFailure, cmd.ProcessState.ExitCode())
		assert.Regexp(t, `^uriscan: .*: the input is also the output\n$`, stderr.String())
		out.Close()
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, "/a\n", string(content))
	}
	out, err := os.Create(filepath.Join(dir, "other"))
	require.NoError(t, err)
	defer out.Close()
	cmd := command("--fields=path", file)
	cmd.Stdout = out
	assert.NoError(t, cmd.Run())
}

// TestOutputFails requires that an error of standard output is reported.
func TestOutputFails(t *testing.T) {
	for _, n := range []int{1, 1000000} { // at the end, and before it
		in := strings.Repeat("x:y\n \n", n)
		for err, want := range map[error]string{
			io.ErrShortWrite: "short write",
			&fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}: "broken pipe",
		} {
			for _, args := range [][]string{
				{}, {"unique"}, {"check"}, {"--format=table"}, {"normalize"}, {"--header"},
			} {
				var stderr bytes.Buffer
				status := run(t.Context(), append(args, "-q"), strings.NewReader(in), failing{err}, &stderr)
				if len(args) == 1 && args[0] == "check" {
					assert.Equal(t, exitInvalid, status, "check -q writes nothing")
					continue
				}
				assert.Equal(t, exitFailure, status, args)
				assert.Equal(t, "uriscan: standard output: "+want+"\n", stderr.String(), args)
			}
			for _, args := range [][]string{{"top", "-bpath"}, {"stats"}, {"top", "--format=table"}} {
				var stderr bytes.Buffer
				status := run(t.Context(), append(args, "-q"), strings.NewReader(in), failing{err}, &stderr)
				assert.Equal(t, exitFailure, status, args)
				assert.Equal(t, "uriscan: standard output: "+want+"\n", stderr.String(), args)
			}
		}
	}
	if runtime.GOOS != "linux" {
		return
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer full.Close()
	null, err := os.Open("/dev/null") // not for writing
	require.NoError(t, err)
	defer null.Close()
	for want, file := range map[string]*os.File{"no space left on device": full, "bad file descriptor": null} {
		cmd := command("http://h/")
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = file, &stderr
		assert.Error(t, cmd.Run())
		assert.Equal(t, exitFailure, cmd.ProcessState.ExitCode())
		assert.Equal(t, "uriscan: standard output: "+want+"\n", stderr.String())
	}
}

// failing is a writer that fails.
type failing struct{ err error }

func (w failing) Write([]byte) (int, error) { return 0, w.err }

func TestInputFails(t *testing.T) {
	in := io.MultiReader(strings.NewReader("x:\n \ny"), iotest.ErrReader(errors.New("unplugged")))
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), []string{"-f", "text", "--strict"}, in, &stdout, &stderr)
	assert.Equal(t, exitFailure, status)
	assert.Equal(t, "x:\n", stdout.String(), "not the line that was cut off")
	assert.Equal(t, "uriscan: line 2: offset 0: invalid path\nuriscan: standard input: unplugged\n"+
		"uriscan: 2 lines, 1 valid, 1 invalid\n",
		rate.ReplaceAllString(stderr.String(), "\n"))
}

// TestTruncated reads files that are shorter, or longer, than they were when they were opened.
func TestTruncated(t *testing.T) {
	f := &countedFile{ReadCloser: io.NopCloser(strings.NewReader("/a\n")), size: 4, all: &(&input{}).read}
	text, err := io.ReadAll(f)
	assert.Equal(t, errTruncated, err)
	assert.Equal(t, "/a\n", string(text))
	f = &countedFile{ReadCloser: io.NopCloser(strings.NewReader("/a\n")), size: 2, all: &(&input{}).read}
	_, err = io.ReadAll(f)
	assert.NoError(t, err, "a file that grows")
}

// TestTruncatedFile truncates a file that a process reads, while its output is not read.
func TestTruncatedFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(name, bytes.Repeat([]byte("/a\n"), 8<<20), 0o600))
	cmd := command("-f=path", name)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = stdout.Read(make([]byte, 1))
	require.NoError(t, err)
	require.NoError(t, os.Truncate(name, 3))
	_, err = io.Copy(io.Discard, stdout)
	require.NoError(t, err)
	assert.Error(t, cmd.Wait())
	assert.Equal(t, exitFailure, cmd.ProcessState.ExitCode())
	assert.Contains(t, stderr.String(), "uriscan: "+name+": the file was truncated while it was read\n")
}

// TestClosedPipe reads one line of the output of a process, as "uriscan | head -1" does.
func TestClosedPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("runs where there is a SIGPIPE, not on Windows")
	}
	cmd := command("--fields", "line")
	cmd.Stdin = &stream{unit: "x:y\n", n: 64 << 20}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line := make([]byte, 2)
	_, err = io.ReadFull(stdout, line)
	require.NoError(t, err)
	require.NoError(t, stdout.Close())
	cmd.Wait()
	assert.Equal(t, "1\n", string(line))
	assert.Empty(t, stderr.String())
	assert.False(t, cmd.ProcessState.Success())
}

// TestSignals ends a process with a signal while it waits for input, and while it is busy.
func TestSignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("runs where processes can be sent signals, not on Windows")
	}
	for number, want := range map[syscall.Signal]string{
		syscall.SIGINT: "interrupt", syscall.SIGTERM: "terminated",
	} {
		for _, busy := range []bool{false, true} {
			cmd := command("-f", "path")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			stdin, err := cmd.StdinPipe()
			require.NoError(t, err)
			stdout, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			if busy {
				go io.Copy(stdin, &stream{unit: "/a\n/bb\n/ccc\n", n: 1 << 30})
			} else {
				_, err = io.WriteString(stdin, "/a\n/b")
				require.NoError(t, err)
			}
			out := bufio.NewReader(stdout)
			first, err := out.ReadString('\n')
			require.NoError(t, err)
			assert.Equal(t, "/a\n", first)
			require.NoError(t, cmd.Process.Signal(number))
			rest, err := io.ReadAll(out)
			require.NoError(t, err)
			assert.Error(t, cmd.Wait())
			stdin.Close()
			assert.Equal(t, exitSignal+int(number), cmd.ProcessState.ExitCode())
			assert.Equal(t, "uriscan: "+want+"\n", stderr.String())
			assert.True(t, len(rest) == 0 || rest[len(rest)-1] == '\n', "whole lines")
		}
	}
}

// TestBlockedSignal ends a process whose output nobody reads.
func TestBlockedSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("runs where processes can be sent signals, not on Windows")
	}
	cmd := command("-f", "path")
	cmd.Stdin = &stream{unit: "/a\n", n: 4 << 20}
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = stdout.Read(make([]byte, 1))
	require.NoError(t, err)
	time.Sleep(50 * time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	start := time.Now()
	_, err = cmd.Process.Wait()
	require.NoError(t, err)
	assert.Less(t, time.Since(start), 10*grace)
	stdout.Close()
}

// reader is a function as an io.Reader.
type reader func(p []byte) (int, error)

func (r reader) Read(p []byte) (int, error) { return r(p) }

// TestStopsWithoutOutput requires that nobody waits for input once writing has failed, and that files are
// closed.
func TestStopsWithoutOutput(t *testing.T) {
	waiting, release := make(chan struct{}), make(chan struct{})
	in := io.MultiReader(strings.NewReader("/a\n"), reader(func([]byte) (int, error) {
		close(waiting)
		<-release
		return 0, io.EOF
	}))
	var stderr bytes.Buffer
	status := run(t.Context(), []string{"-f=path", "-j2"}, in, failingWhile{waiting}, &stderr)
	assert.Equal(t, exitFailure, status)
	assert.Equal(t, "uriscan: standard output: short write\n", stderr.String())
	close(release)

	isOpen := 0
	a := &app{stdin: strings.NewReader(""), stdout: failing{io.ErrShortWrite}, stderr: io.Discard}
	a.open = func(string) (io.ReadCloser, error) {
		isOpen++
		return &memoryFile{&stream{unit: "/a\n", n: 64 << 20}, &isOpen, false}, nil
	}
	cmd := newRoot(a)
	cmd.SetArgs([]string{"-j1", "a", "b"})
	require.NoError(t, cmd.ExecuteContext(t.Context()))
	assert.Equal(t, exitFailure, a.status)
	assert.Zero(t, isOpen)
}

// failingWhile is a writer that fails once the channel is closed.
type failingWhile struct{ closed chan struct{} }

func (w failingWhile) Write([]byte) (int, error) {
	<-w.closed
	return 0, io.ErrShortWrite
}

// TestPrompt requires that output and reports are written while more input is waited for.
func TestPrompt(t *testing.T) {
	steps := []struct{ line, stdout, stderr string }{
		{"a\n", "a\n", ""},
		{"x:y\n", "x:y\n", ""},
		{" \n", "", "uriscan: line 3: offset 0: invalid path\n"},
		{"//h\n ?\n", "//h\n", "uriscan: line 5: offset 0: invalid path\n"},
	}
	for _, jobs := range []string{"1", "2"} {
		outputs := make(chan string, 10)
		next := 0
		in := reader(func(p []byte) (int, error) {
			if next > 0 {
				want := steps[next-1]
				for _, expected := range []string{want.stdout, want.stderr} {
					if expected == "" {
						continue
					}
					select {
					case got := <-outputs:
						assert.Equal(t, expected, got)
					case <-time.After(time.Minute):
						assert.Fail(t, "nothing was written")
					}
				}
			}
			if next == len(steps) {
				return 0, io.EOF
			}
			next++
			return copy(p, steps[next-1].line), nil
		})
		out := writer(func(p []byte) { outputs <- string(p) })
		assert.Equal(t, exitOK, run(t.Context(), []string{"-f", "text", "-j", jobs}, in, out, out))
		assert.Equal(t, len(steps), next)
		assert.Contains(t, <-outputs, "5 lines")
	}
}

// writer is a function as an io.Writer.
type writer func(p []byte)

func (w writer) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}

// A stream repeats a unit, up to n bytes in all.
type stream struct {
	unit string
	n    int64 // bytes left
	at   int   // in the unit
}

func (s *stream) Read(p []byte) (n int, err error) {
	if s.n <= 0 {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), s.n)]
	for n < len(p) {
		m := copy(p[n:], s.unit[s.at:])
		s.at = (s.at + m) % len(s.unit)
		n += m
	}
	s.n -= int64(n)
	return n, nil
}

// TestCloses requires that each file is closed before the next one is opened, and after every error.
func TestCloses(t *testing.T) {
	broken := iotest.ErrReader(errors.New("unplugged"))
	files := map[string]func() io.Reader{
		"valid":   func() io.Reader { return strings.NewReader("x:\n/y\n") },
		"invalid": func() io.Reader { return strings.NewReader(" \n") },
		"empty":   func() io.Reader { return strings.NewReader("") },
		"gzip":    func() io.Reader { return strings.NewReader(gzipped(t, "/z\n")) },
		"cut":     func() io.Reader { return strings.NewReader(gzipped(t, "/z\n")[:15]) },
		"binary":  func() io.Reader { return strings.NewReader("\x00") },
		"broken":  func() io.Reader { return broken },
		"cut off": func() io.Reader { return io.MultiReader(strings.NewReader("x:\ny"), broken) },
	}
	isOpen := 0
	var args, opened, want []string
	for range 50 {
		args = append(
			args,
			"valid",
			"broken",
			"missing",
			"-",
			"empty",
			"gzip",
			"cut",
			"binary",
			"cut off",
			"invalid",
		)
		want = append(want, "valid", "broken", "empty", "gzip", "cut", "binary", "cut off", "invalid")
	}
	var stderr bytes.Buffer
	a := &app{stdin: notClosed{strings.NewReader("/z\n"), t}, stdout: io.Discard, stderr: &stderr}
	a.open = func(name string) (io.ReadCloser, error) {
		assert.Zero(t, isOpen, "files open when %s is opened", name)
		if files[name] == nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		opened = append(opened, name)
		isOpen++
		return &memoryFile{files[name](), &isOpen, false}, nil
	}
	cmd := newRoot(a)
	cmd.SetArgs(append(args, "-j3", "-fpath"))
	require.NoError(t, cmd.ExecuteContext(t.Context()))
	assert.Equal(t, exitFailure, a.status)
	assert.Zero(t, isOpen, "files left open")
	assert.Equal(t, want, opened)
	assert.Contains(t, stderr.String(), "uriscan: 251 lines, 201 valid, 50 invalid")
}

// A memoryFile counts those that are open.
type memoryFile struct {
	io.Reader
	open   *int
	closed bool
}

func (m *memoryFile) Close() error {
	if m.closed {
		return errors.New("closed twice")
	}
	m.closed = true
	*m.open--
	return nil
}

// notClosed is a reader that must not be closed.
type notClosed struct {
	io.Reader
	t *testing.T
}

func (n notClosed) Close() error {
	assert.Fail(n.t, "closed")
	return nil
}
