package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri"
	"github.com/seed-56a50ac9/uri/internal/long"
)

// TestMain turns the test binary into the command if the environment says so.
func TestMain(m *testing.M) {
	if os.Getenv("URISCAN_TEST_MAIN") != "" {
		main()
	}
	os.Exit(m.Run())
}

// rate is the part of the summary that differs between runs.
var rate = regexp.MustCompile(`, \d+\.\d MB/s\n$`)

// uriscan runs the command and returns its exit status and outputs, with the rate cut from the summary.
func uriscan(stdin string, args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(args, strings.NewReader(stdin), &out, &err)
	return status, out.String(), rate.ReplaceAllString(err.String(), "\n")
}

// sample has each component absent, empty and non-empty, and every kind of host.
const sample = "http://u:p:q@example.com:8080/a/b?c=d&e#f/g\r\n" +
	"//@[2001:db8::1]:\n" +
	"\n" +
	"file:///etc/hosts?#\n" +
	"urn:example:a%22b\n" +
	"//:@192.0.2.1/\n" +
	"//u@[v1.x]?q"

func TestEveryField(t *testing.T) {
	all := strings.ReplaceAll(fieldNames(), " ", "")
	assert.Equal(t, "line,text,scheme,authority,userinfo,user,password,host,hostkind,port,"+
		"path,query,fragment,relative", all)

	status, stdout, stderr := uriscan(sample, "--fields", all)
	assert.Equal(t, exitOK, status)
	assert.Equal(t, "uriscan: 7 lines, 7 valid, 0 invalid\n", stderr)
	assert.Equal(t, strings.NewReplacer("|", "\t", "\n ", "").Replace(`
1|http://u:p:q@example.com:8080/a/b?c=d&e#f/g|http|u:p:q@example.com:8080|u:p:q|u|p:q|
 example.com|reg-name|8080|/a/b|c=d&e|f/g|false
2|//@[2001:db8::1]:||@[2001:db8::1]:||||[2001:db8::1]|IPv6address|||||true
3|||||||||||||true
4|file:///etc/hosts?#|file||||||reg-name||/etc/hosts|||false
5|urn:example:a%22b|urn||||||||example:a%22b|||false
6|//:@192.0.2.1/||:@192.0.2.1|:|||192.0.2.1|IPv4address||/|||true
7|//u@[v1.x]?q||u@[v1.x]|u|u||[v1.x]|IPvFuture|||q||true
`), "\n"+stdout)

	status, stdout, stderr = uriscan(sample, "--format", "jsonl", "-f", all, "-")
	assert.Equal(t, exitOK, status)
	assert.Equal(t, "uriscan: 7 lines, 7 valid, 0 invalid\n", stderr)
	assert.Equal(t, strings.ReplaceAll(`
{"line":1,"text":"http://u:p:q@example.com:8080/a/b?c=d&e#f/g","scheme":"http",
 "authority":"u:p:q@example.com:8080","userinfo":"u:p:q","user":"u","password":"p:q",
 "host":"example.com","hostkind":"reg-name","port":"8080",
 "path":"/a/b","query":"c=d&e","fragment":"f/g","relative":false}
{"line":2,"text":"//@[2001:db8::1]:","authority":"@[2001:db8::1]:","userinfo":"","user":"",
 "host":"[2001:db8::1]","hostkind":"IPv6address","port":"","path":"","relative":true}
{"line":3,"text":"","path":"","relative":true}
{"line":4,"text":"file:///etc/hosts?#","scheme":"file","authority":"","host":"","hostkind":"reg-name",
 "path":"/etc/hosts","query":"","fragment":"","relative":false}
{"line":5,"text":"urn:example:a%22b","scheme":"urn","path":"example:a%22b","relative":false}
{"line":6,"text":"//:@192.0.2.1/","authority":":@192.0.2.1","userinfo":":","user":"","password":"",
 "host":"192.0.2.1","hostkind":"IPv4address","path":"/","relative":true}
{"line":7,"text":"//u@[v1.x]?q","authority":"u@[v1.x]","userinfo":"u","user":"u",
 "host":"[v1.x]","hostkind":"IPvFuture","path":"","query":"q","relative":true}
`, "\n ", ""), "\n"+stdout)
}

func TestFieldsInOrder(t *testing.T) {
	_, stdout, _ := uriscan("x://u@h:1/p?q#f")
	assert.Equal(t, "x\tu\th\t1\t/p\tq\tf\n", stdout, "default")
	_, stdout, _ = uriscan("x://h/p?q", "-f", "query,line", "-f", "path")
	assert.Equal(t, "q\t1\t/p\n", stdout)
	_, stdout, _ = uriscan("x:\n//h:80\n?q", "--format=jsonl", "--fields=port,query")
	assert.Equal(t, "{}\n{\"port\":\"80\"}\n{\"query\":\"q\"}\n", stdout)
}

// TestNothingToEscape proves what the formats rely on: valid input of any form contains no byte that JSON
// escapes, no TAB and no line end. Each "_" is replaced with such a byte.
func TestNothingToEscape(t *testing.T) {
	const around = "_ _: x_: x:_ //_ //_@h //u:_@h //h_ //h:_ //[_] //[v1._] //[::1_] //[::1]_ //%4_ " +
		"/_ /%4_ a/_/b ?_ x:?_ #_ x:#_ /?_# h_:1 _:1 h:_ *_ _*"
	for form := uri.Reference; form <= uri.HostField; form++ {
		for b := range 256 {
			if b > ' ' && b != '"' && b != '\\' && b < 0x7F {
				continue
			}
			for place := range strings.FieldsSeq(around) {
				text := strings.ReplaceAll(place, "_", string([]byte{byte(b)}))
				assert.False(t, uri.Valid(form, text), "form %d, %q", form, text)
			}
		}
	}
}

// TestBundledURIs decodes the output for the bundled URIs and compares it with a view of each.
func TestBundledURIs(t *testing.T) {
	file := filepath.Join("..", "..", "testdata", "uris.txt")
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	want := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	require.Greater(t, len(want), 400)

	all := strings.ReplaceAll(fieldNames(), " ", "")
	status, stdout, stderr := uriscan("", "--strict", "--format=jsonl", "--fields", all, file)
	assert.Equal(t, exitOK, status)
	assert.Equal(t, fmt.Sprintf("uriscan: %d lines, %[1]d valid, 0 invalid\n", len(want)), stderr)
	components := map[string]uri.Component{
		"scheme": uri.Scheme, "authority": uri.Authority,
		"userinfo": uri.Userinfo, "user": uri.User, "password": uri.Password,
		"host": uri.Host, "port": uri.Port, "path": uri.Path, "query": uri.Query, "fragment": uri.Fragment,
	}
	decoder := json.NewDecoder(strings.NewReader(stdout))
	for i, text := range want {
		v, err := uri.Parse(text)
		require.NoError(t, err, text)
		record := map[string]any{"line": float64(i + 1), "text": text, "relative": v.IsRelative()}
		for name, c := range components {
			if start, end := v.Span(c); start >= 0 {
				record[name] = text[start:end]
			}
		}
		if v.Has(uri.Host) {
			record["hostkind"] = hostKinds[v.HostKind()]
		}
		var got map[string]any
		require.NoError(t, decoder.Decode(&got), text)
		assert.Equal(t, record, got, text)
	}
	assert.False(t, decoder.More())

	_, stdout, _ = uriscan(string(data), "--fields=text")
	assert.Equal(t, string(data), stdout)
}

func TestInvalidLines(t *testing.T) {
	const in = "http://h h/\n/ok\r\n%zz\n\nhttp://[::1\n1a:b\n/a?b c\n//h:8o/"
	const reports = `uriscan: line 1: offset 8: invalid host
uriscan: line 3: offset 1: invalid percent-encoding
uriscan: line 5: offset 11: invalid IP-literal
uriscan: line 6: offset 2: invalid or missing scheme
uriscan: line 7: offset 4: invalid query
uriscan: line 8: offset 6: invalid or missing port
`
	const summary = "uriscan: 8 lines, 2 valid, 6 invalid\n"
	for _, c := range []struct {
		args   []string
		status int
		stderr string
	}{
		{nil, exitOK, reports + summary},
		{[]string{"--strict"}, exitInvalid, reports + summary},
		{[]string{"--quiet"}, exitOK, summary},
		{[]string{"-q", "--strict"}, exitInvalid, summary},
	} {
		status, stdout, stderr := uriscan(in, append(c.args, "-f", "path")...)
		assert.Equal(t, c.status, status)
		assert.Equal(t, "/ok\n\n", stdout)
		assert.Equal(t, c.stderr, stderr)
	}

	status, stdout, stderr := uriscan("", "--strict")
	assert.Equal(t, exitOK, status)
	assert.Empty(t, stdout)
	assert.Equal(t, "uriscan: 0 lines, 0 valid, 0 invalid\n", stderr)

	status, stdout, _ = uriscan("", "--strict", filepath.Join("..", "..", "testdata", "invalid.txt"))
	assert.Equal(t, exitInvalid, status)
	assert.Empty(t, stdout)
}

func TestForms(t *testing.T) {
	const in = "x://h/#f\nx://h/\n/p\n//p?q\nh:1\nh\n*\n"
	for form, want := range map[string]string{
		"reference": "1 2 3 4 5 6 7", // "h:1" has the scheme "h"
		"uri":       "1 2 5",
		"absolute":  "2 5",
		"relative":  "3 4 6 7",
		"origin":    "3 4",
		"authority": "5",
		"asterisk":  "7",
		"host":      "5 6 7", // "*" is a reg-name
	} {
		_, stdout, _ := uriscan(in, "--form", form, "--fields", "line")
		assert.Equal(t, want, strings.Join(strings.Fields(stdout), " "), form)
	}
	_, stdout, stderr := uriscan("/a#b\n//h/p\n\n", "--form", "origin", "--fields", "host,path")
	assert.Equal(t, "\t//h/p\n", stdout)
	assert.Equal(t, "uriscan: line 1: offset 2: component not allowed in this form\n"+
		"uriscan: line 3: offset 0: invalid path\n"+
		"uriscan: 3 lines, 1 valid, 2 invalid\n", stderr)
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	a, b, missing := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "missing")
	require.NoError(t, os.WriteFile(a, []byte("\uFEFFx:\n \n"), 0o600))
	require.NoError(t, os.WriteFile(b, []byte(" \r\ny:"), 0o600))

	status, stdout, stderr := uriscan("z:\n%", "--fields", "line,scheme", a, b, "-")
	assert.Equal(t, exitOK, status)
	assert.Equal(t, "1\tx\n2\ty\n1\tz\n", stdout)
	assert.Equal(t, "uriscan: "+a+":2: offset 0: invalid path\nuriscan: "+b+":1: offset 0: invalid path\n"+
		"uriscan: -:2: offset 1: invalid percent-encoding\nuriscan: 6 lines, 3 valid, 3 invalid\n", stderr)

	status, stdout, stderr = uriscan("", "--strict", "--fields", "scheme", a, missing, dir, b)
	assert.Equal(t, exitFailure, status)
	assert.Equal(t, "x\ny\n", stdout)
	lines := strings.Split(stderr, "\n")
	require.Len(t, lines, 6, stderr)
	assert.Equal(t, "uriscan: "+a+":2: offset 0: invalid path", lines[0])
	assert.Contains(t, lines[1], missing)
	assert.Contains(t, lines[2], dir)
	assert.Equal(t, "uriscan: "+b+":1: offset 0: invalid path", lines[3])
	assert.Equal(t, "uriscan: 4 lines, 2 valid, 2 invalid", lines[4])
}

func TestUsage(t *testing.T) {
	for args, want := range map[string]string{
		"--fields nose":               `unknown field "nose"; the fields are ` + fieldNames(),
		"--fields host,,path":         `unknown field ""`,
		"--fields Host":               `unknown field "Host"`,
		"--fields host,host":          `field "host" is given twice`,
		"--fields ":                   "no field given",
		"--format xml":                "must be one of tsv, jsonl",
		"--form url":                  "must be one of reference, uri, absolute, relative, origin, ",
		"--max-line 0":                "--max-line",
		"--max-line 9999999999999999": "--max-line",
		"--nose":                      "unknown flag",
	} {
		status, stdout, stderr := uriscan("x:", strings.SplitN(args, " ", 2)...)
		assert.Equal(t, exitFailure, status, args)
		assert.Empty(t, stdout, args)
		assert.Contains(t, stderr, "uriscan: ", args)
		assert.Contains(t, stderr, want, args)
	}
	status, stdout, stderr := uriscan("", "--version")
	assert.Equal(t, exitOK, status)
	assert.Regexp(t, `^uriscan version \S+\n$`, stdout)
	assert.Empty(t, stderr)
	_, stdout, _ = uriscan("", "--help")
	for _, f := range allFields {
		assert.Regexp(t, `\b`+f.name+`\b`, stdout)
	}
}

// failing is a writer that fails.
type failing struct{ err error }

func (w failing) Write([]byte) (int, error) { return 0, w.err }

func TestOutputFails(t *testing.T) {
	for _, n := range []int{1, 1000000} { // at the end, and before it
		in := strings.Repeat("x:y\n \n", n)
		var stderr bytes.Buffer
		assert.Equal(t, exitFailure, run([]string{"-q"}, strings.NewReader(in), failing{io.ErrShortWrite}, &stderr))
		assert.Equal(t, "uriscan: short write\n", stderr.String())

		stderr.Reset()
		assert.Equal(t, exitOK, run([]string{"-q"}, strings.NewReader(in), failing{syscall.EPIPE}, &stderr))
		assert.Equal(t, exitInvalid,
			run([]string{"-q", "--strict"}, strings.NewReader(in), failing{syscall.EPIPE}, &stderr))
		assert.Empty(t, stderr.String())
	}
}

func TestInputFails(t *testing.T) {
	in := io.MultiReader(strings.NewReader("x:\n \ny"), iotest.ErrReader(errors.New("unplugged")))
	var stdout, stderr bytes.Buffer
	assert.Equal(t, exitFailure, run([]string{"-f", "text", "--strict"}, in, &stdout, &stderr))
	assert.Equal(t, "x:\n", stdout.String(), "not the line that was cut off")
	assert.Equal(t, "uriscan: line 2: offset 0: invalid path\nuriscan: unplugged\n"+
		"uriscan: 2 lines, 1 valid, 1 invalid\n",
		rate.ReplaceAllString(stderr.String(), "\n"))
}

// TestClosedPipe reads one line of the output of a process, as "uriscan | head -1" does.
func TestClosedPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no SIGPIPE")
	}
	cmd := exec.Command(os.Args[0], "--fields", "line")
	cmd.Env = append(os.Environ(), "URISCAN_TEST_MAIN=1")
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
	assert.NotEqual(t, exitFailure, cmd.ProcessState.ExitCode())
}

// reader is a function as an io.Reader.
type reader func(p []byte) (int, error)

func (r reader) Read(p []byte) (int, error) { return r(p) }

// TestPrompt requires that output and reports are written before more input is waited for.
func TestPrompt(t *testing.T) {
	var stdout, stderr bytes.Buffer
	steps := []struct{ line, stdout, stderr string }{
		{"a\n", "a\n", ""},
		{"x:y\n", "x:y\n", ""},
		{" \n", "", "uriscan: line 3: offset 0: invalid path\n"},
		{"//h\n ?\n", "//h\n", "uriscan: line 5: offset 0: invalid path\n"},
	}
	var next int
	in := reader(func(p []byte) (int, error) {
		if next > 0 {
			assert.Equal(t, steps[next-1].stdout, stdout.String())
			assert.Equal(t, steps[next-1].stderr, stderr.String())
			stdout.Reset()
			stderr.Reset()
		}
		if next == len(steps) {
			return 0, io.EOF
		}
		next++
		return copy(p, steps[next-1].line), nil
	})
	assert.Equal(t, exitOK, run([]string{"-f", "text"}, in, &stdout, &stderr))
	assert.Equal(t, len(steps), next)
}

// A stream repeats a unit, up to n bytes in all.
type stream struct {
	unit string
	n    int // bytes left
	at   int // in the unit
}

func (s *stream) Read(p []byte) (n int, err error) {
	if s.n <= 0 {
		return 0, io.EOF
	}
	p = p[:min(len(p), s.n)]
	for n < len(p) {
		m := copy(p[n:], s.unit[s.at:])
		s.at = (s.at + m) % len(s.unit)
		n += m
	}
	s.n -= n
	return n, nil
}

// TestConstantMemory requires that all allocations of a run are a few buffers, whatever the input.
func TestConstantMemory(t *testing.T) {
	shorter := long.Sample(t, 16, 1)
	for _, c := range []struct {
		name, unit string
		n          int
		args       []string
	}{
		{"lines", "https://user@example.com:8080/over/there?name=ferret#nose\nnot valid\n", 64 << 20, nil},
		{
			"JSON", "https://user@example.com:8080/over/there?name=ferret#nose\n", 32 << 20,
			[]string{"--format=jsonl", "--fields=text,path,line"},
		},
		{"invalid lines", " http://h\n", 8 << 20, nil},
		{"empty lines", "\n", 2 << 20, nil},
		{"one line", strings.Repeat("x", 4093), 256 << 20, nil},
		{"lines that are too long", strings.Repeat("x", 1<<20+1) + "\n", 128 << 20, nil},
		{"lines as long as can be", strings.Repeat("x", 1<<20) + "\n", 64 << 20, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			require.Equal(t, exitOK, run(c.args, &stream{unit: c.unit, n: c.n / shorter}, io.Discard, io.Discard))
			runtime.ReadMemStats(&after)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20), "bytes")
			assert.Less(t, after.Mallocs-before.Mallocs, uint64(2000))
		})
	}
}

// TestHeader prints the names of the fields once, before the lines of all files.
func TestHeader(t *testing.T) {
	file := filepath.Join(t.TempDir(), "uris.txt")
	require.NoError(t, os.WriteFile(file, []byte("http://h/a\n"), 0o600))
	var out, reports bytes.Buffer
	require.Equal(t, exitOK, run([]string{"--header", "--fields", "host,path", file, file}, nil, &out, &reports))
	require.Equal(t, "host\tpath\nh\t/a\nh\t/a\n", out.String())
	require.Equal(t, exitFailure, run([]string{"--header", "--format", "jsonl", file}, nil, &out, &reports))
}
