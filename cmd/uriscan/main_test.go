package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// uriscan runs the command and returns what it leaves, less the rate at the end of the summary.
func uriscan(stdin string, args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(args, strings.NewReader(stdin), &out, &err)
	stderr = err.String()
	if i := strings.LastIndex(stderr, " invalid, "); i >= 0 {
		stderr = stderr[:i] + " invalid\n"
	}
	return status, out.String(), stderr
}

const sample = "http://u:p@h:80/p?q#f\r\n//[::1]\n\nx:a\n/?"

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "http\th\t80\t/p\tq\tf\n\t[::1]\t\t\t\t\n\t\t\t\t\t\nx\t\t\ta\t\t\n\t\t\t/\t\t\n"},
		{
			[]string{"--fields", "line,relative,authority,userinfo,user,password,hostkind,text"},
			"1\tfalse\tu:p@h:80\tu:p\tu\tp\treg-name\thttp://u:p@h:80/p?q#f\n" +
				"2\ttrue\t[::1]\t\t\t\tIPv6address\t//[::1]\n3\ttrue\t\t\t\t\t\t\n4\tfalse\t\t\t\t\t\tx:a\n5\ttrue\t\t\t\t\t\t/?\n",
		},
		{
			[]string{"--fields", "line,relative,host,hostkind,path,query", "--format", "jsonl", "-"},
			`{"line":1,"relative":false,"host":"h","hostkind":"reg-name","path":"/p","query":"q"}
{"line":2,"relative":true,"host":"[::1]","hostkind":"IPv6address","path":""}
{"line":3,"relative":true,"path":""}
{"line":4,"relative":false,"path":"a"}
{"line":5,"relative":true,"path":"/","query":""}
`,
		},
		{[]string{"--format", "jsonl", "--fields", "port"}, "{\"port\":\"80\"}\n{}\n{}\n{}\n{}\n"},
	} {
		status, stdout, stderr := uriscan(sample, c.args...)
		assert.Equal(t, exitOK, status)
		assert.Equal(t, c.want, stdout)
		assert.Equal(t, "uriscan: 5 lines, 5 valid, 0 invalid\n", stderr)
	}
}

// TestJSON decodes what appendJSON wrote without escapes, for every byte that a URI may have.
func TestJSON(t *testing.T) {
	const all = "x://-._~!$&'()*+,;=:@h/:@%22%5C?/?:@-._~!$&'()*+,;=#azAZ09%00"
	_, stdout, _ := uriscan(all, "--format", "jsonl", "--fields", strings.Join(fieldNames(), ","))
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(stdout), &got), stdout)
	assert.Equal(t, all, got["text"])
}

func TestInvalidLines(t *testing.T) {
	const in = "http://h h/\n/ok\n%zz\n"
	const reports = "uriscan: line 1, offset 8: uri: invalid host\nuriscan: line 3, offset 1: uri: invalid percent-encoding\n"
	const summary = "uriscan: 3 lines, 1 valid, 2 invalid\n"
	status, stdout, stderr := uriscan(in, "--fields", "path")
	assert.Equal(t, exitOK, status)
	assert.Equal(t, "/ok\n", stdout)
	assert.Equal(t, reports+summary, stderr)

	status, _, stderr = uriscan(in, "--quiet", "--strict")
	assert.Equal(t, exitInvalid, status)
	assert.Equal(t, summary, stderr)

	status, _, _ = uriscan("/ok", "--strict")
	assert.Equal(t, exitOK, status)

	status, stdout, stderr = uriscan("/a\n//h\n/a#b\n", "--form", "origin", "--fields", "path")
	assert.Equal(t, exitOK, status)
	assert.Equal(t, "/a\n//h\n", stdout)
	assert.Contains(t, stderr, "line 3, offset 2: uri: component not in this form")
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	require.NoError(t, os.WriteFile(a, []byte("\uFEFFx:\n \n"), 0o600))
	require.NoError(t, os.WriteFile(b, []byte(" \ny:"), 0o600))
	status, stdout, stderr := uriscan("z:", "--fields", "scheme", a, b, "-")
	assert.Equal(t, exitOK, status)
	assert.Equal(t, "x\ny\nz\n", stdout)
	assert.Equal(t, "uriscan: "+a+":line 2, offset 0: uri: invalid path\nuriscan: "+b+
		":line 1, offset 0: uri: invalid path\nuriscan: 5 lines, 3 valid, 2 invalid\n", stderr)
}

func TestBundledCorpus(t *testing.T) {
	status, stdout, stderr := uriscan("", "--strict", filepath.Join("..", "..", "testdata", "uris.txt"))
	assert.Equal(t, exitOK, status)
	assert.Greater(t, strings.Count(stdout, "\n"), 100)
	assert.Contains(t, stderr, " 0 invalid")

	status, stdout, _ = uriscan("", "--strict", filepath.Join("..", "..", "testdata", "invalid.txt"))
	assert.Equal(t, exitInvalid, status)
	assert.Empty(t, stdout)
}

func TestUsage(t *testing.T) {
	for args, want := range map[string]string{
		"--fields nose":       `no field "nose"`,
		"--format xml":        `no format "xml"`,
		"--form url":          `no form "url"`,
		"--max-line 0":        "--max-line",
		"--nose":              "unknown flag",
		"/nonexistent/file":   "no such file",
		"--fields host,,path": `no field ""`,
	} {
		status, _, stderr := uriscan("", strings.SplitN(args, " ", 2)...)
		assert.Equal(t, exitFailure, status, args)
		assert.Contains(t, stderr, want, args)
	}
	status, stdout, _ := uriscan("", "--version")
	assert.Equal(t, exitOK, status)
	assert.Contains(t, stdout, version)
}

// failing is a writer that fails.
type failing struct{ err error }

func (w failing) Write([]byte) (int, error) { return 0, w.err }

func TestOutputFails(t *testing.T) {
	for _, n := range []int{1, 100000} { // at the end, and on the way
		in := strings.Repeat("x:y\n", n)
		var stderr bytes.Buffer
		assert.Equal(t, exitFailure, run(nil, strings.NewReader(in), failing{errors.New("disk full")}, &stderr))
		assert.Contains(t, stderr.String(), "disk full")
		assert.Equal(t, exitOK, run(nil, strings.NewReader(in), failing{syscall.EPIPE}, io.Discard))
	}
	assert.Equal(t, exitFailure, run(nil, iotest.ErrReader(errors.New("unplugged")), io.Discard, io.Discard))
}

// TestReadLines splits the same text however it comes in.
func TestReadLines(t *testing.T) {
	const limit = 20
	long := strings.Repeat("y", 3*blockSize)
	for _, c := range []struct {
		in   string
		want []string // a line over the limit ends in "…"
	}{
		{"", nil},
		{"\n", []string{""}},
		{"a", []string{"a"}},
		{"a\nb\r\n\r\n\n", []string{"a", "b", "", ""}},
		{"\uFEFFa\n\uFEFFb", []string{"a", "\uFEFFb"}},
		{"a\rb\r", []string{"a\rb"}},
		{long[:limit] + "\n" + long[:limit] + "\r\n" + long[:limit], []string{long[:limit], long[:limit], long[:limit]}},
		{long[:limit+1] + "\nb", []string{long[:limit] + "…", "b"}},
		{long + "\nb\n" + long, []string{long[:limit] + "…", "b", long[:limit] + "…"}},
		{long + "\r\n", []string{long[:limit] + "…"}},
	} {
		readers := map[string]io.Reader{"whole": strings.NewReader(c.in), "half": iotest.HalfReader(strings.NewReader(c.in)),
			"error with data": iotest.DataErrReader(strings.NewReader(c.in))}
		if len(c.in) < blockSize {
			readers["bytes"] = iotest.OneByteReader(strings.NewReader(c.in))
		}
		for name, r := range readers {
			var got []string
			var total int64
			require.NoError(t, readLines(r, limit, func(line []byte, tooLong bool, n int64) error {
				s := string(line)
				if tooLong {
					s += "…"
				}
				got = append(got, s)
				total += n
				return nil
			}))
			assert.Equal(t, c.want, got, name)
			assert.EqualValues(t, len(c.in), total, name)
		}
	}
}

func TestTooLongLine(t *testing.T) {
	_, stdout, stderr := uriscan("/"+strings.Repeat("a", 100)+"\n/b\n", "--max-line", "50", "--fields", "path")
	assert.Equal(t, "/b\n", stdout)
	assert.Equal(t, "uriscan: line 1, offset 50: uri: text too long\nuriscan: 2 lines, 1 valid, 1 invalid\n", stderr)
}

// endless is n bytes of lines.
type endless struct{ n int }

func (e *endless) Read(p []byte) (int, error) {
	const lines = "https://user@example.com:8080/over/there?name=ferret#nose\nnot valid\n"
	if e.n <= 0 {
		return 0, io.EOF
	}
	p = p[:len(p)/len(lines)*len(lines)]
	for i := 0; i < len(p); i += len(lines) {
		copy(p[i:], lines)
	}
	e.n -= len(p)
	return len(p), nil
}

func TestConstantMemory(t *testing.T) {
	allocated := func(n int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		require.Equal(t, exitOK, run([]string{"--quiet"}, &endless{n}, io.Discard, io.Discard))
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	small := allocated(1 << 20)
	assert.Less(t, allocated(128<<20), small+1<<20, "all that is ever allocated, for 128 times the input")
}
