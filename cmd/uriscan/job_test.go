package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newJob returns a job that prints the numbers of valid lines.
func newJob(t *testing.T, stdout, stderr io.Writer) *job {
	t.Helper()
	fields, err := fieldsOf([]string{"line"})
	require.NoError(t, err)
	return &job{fields: fields, format: appendTSV, maxLine: 1 << 10, stdout: stdout, stderr: stderr}
}

// A folder has files in memory and counts those that are open.
type folder struct {
	t      *testing.T
	files  map[string]func() io.Reader
	open   int
	opened []string
}

func (f *folder) openFile(name string) (io.ReadCloser, error) {
	assert.Zero(f.t, f.open, "files open when %s is opened", name)
	content := f.files[name]
	if content == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	f.opened = append(f.opened, name)
	f.open++
	return &memoryFile{Reader: content(), folder: f}, nil
}

type memoryFile struct {
	io.Reader
	folder *folder
	closed bool
}

func (m *memoryFile) Close() error {
	assert.False(m.folder.t, m.closed, "closed twice")
	m.closed = true
	m.folder.open--
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

// TestCloses requires that each file is closed before the next one is opened, whether or not reading it
// succeeds.
func TestCloses(t *testing.T) {
	broken := iotest.ErrReader(errors.New("unplugged"))
	dir := &folder{t: t, files: map[string]func() io.Reader{
		"valid":   func() io.Reader { return strings.NewReader("x:\n/y\n") },
		"invalid": func() io.Reader { return strings.NewReader(" \n") },
		"empty":   func() io.Reader { return strings.NewReader("") },
		"broken":  func() io.Reader { return broken },
		"cut off": func() io.Reader { return io.MultiReader(strings.NewReader("x:\ny"), broken) },
	}}
	var names, opened []string
	for range 100 {
		names = append(names, "valid", "broken", "missing", "-", "empty", "cut off", "invalid")
		opened = append(opened, "valid", "broken", "empty", "cut off", "invalid")
	}
	j := newJob(t, io.Discard, io.Discard)
	j.open, j.stdin = dir.openFile, notClosed{strings.NewReader("/z\n"), t}
	assert.Equal(t, exitFailure, j.run(names))
	assert.Zero(t, dir.open, "files left open")
	assert.Equal(t, opened, dir.opened)
	assert.Equal(t, 100*(2+1)+1, j.valid)
	assert.Equal(t, 100, j.invalid)
}

// TestStopsWithoutOutput requires that nothing more is opened, read or written once writing has failed.
func TestStopsWithoutOutput(t *testing.T) {
	for err, status := range map[error]int{io.ErrShortWrite: exitFailure, syscall.EPIPE: exitOK} {
		dir := &folder{t: t, files: map[string]func() io.Reader{
			"a": func() io.Reader { return strings.NewReader("x:\ny:") },
			"b": func() io.Reader { return strings.NewReader("z:\n") },
		}}
		stdout := &failingOnce{err: err}
		j := newJob(t, stdout, io.Discard)
		j.open, j.stdin = dir.openFile, iotest.ErrReader(errors.New("read"))
		assert.Equal(t, status, j.run([]string{"a", "b", "-"}))
		assert.Zero(t, dir.open, "files left open")
		assert.Equal(t, []string{"a"}, dir.opened)
		assert.Equal(t, 1, stdout.writes)
	}
}

// failingOnce is a writer whose first write fails.
type failingOnce struct {
	err    error
	writes int
}

func (w *failingOnce) Write(p []byte) (int, error) {
	if w.writes++; w.writes == 1 {
		return 0, w.err
	}
	return len(p), nil
}

// order checks what is written to two outputs: each line of stderr must follow the lines of stdout that
// belong before it, and no write may be much larger than flushSize.
type order struct {
	t      *testing.T
	before []int // for each line of stderr, how many lines of stdout belong before it
	lines  int   // of stdout so far
	writes int   // to stdout so far
}

func (o *order) stdout(p []byte) {
	assert.Less(o.t, len(p), flushSize+100)
	o.lines += bytes.Count(p, []byte("\n"))
	o.writes++
}

func (o *order) stderr(p []byte) {
	assert.Less(o.t, len(p), flushSize+100)
	for line := range bytes.Lines(p) {
		require.NotEmpty(o.t, o.before, "more than expected: %s", line)
		require.GreaterOrEqual(o.t, o.lines, o.before[0], "lines printed before: %s", line)
		o.before = o.before[1:]
	}
}

// writer is a function as an io.Writer.
type writer func(p []byte)

func (w writer) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}

// TestOrder requires that no report overtakes the output of the lines before it.
func TestOrder(t *testing.T) {
	whole := func(r io.Reader) io.Reader { return r }
	for name, c := range map[string]struct {
		runs, length int // of valid and of invalid lines in turn
		wrap         func(io.Reader) io.Reader
	}{
		"single lines": {400, 1, whole},
		"byte by byte": {400, 1, iotest.OneByteReader},
		"line by line": {400, 1, func(r io.Reader) io.Reader {
			return reader(func(p []byte) (int, error) { return r.Read(p[:len("x:\n")]) })
		}},
		"short runs": {200, 300, whole},
		"long runs":  {6, 30000, whole},
		"in parts":   {200, 300, iotest.HalfReader},
	} {
		t.Run(name, func(t *testing.T) {
			dir := &folder{t: t, files: map[string]func() io.Reader{}}
			var names []string
			var valid int
			var before []int
			for i := range 3 {
				var content strings.Builder
				for run := range c.runs {
					for range c.length {
						if run%2 == 0 {
							content.WriteString("x:\n")
							valid++
						} else {
							content.WriteString(" x\n")
							before = append(before, valid)
						}
					}
				}
				content.WriteString("x:") // read no earlier than the end of the input
				valid++
				file := fmt.Sprint("file", i)
				dir.files[file] = func() io.Reader { return c.wrap(strings.NewReader(content.String())) }
				names = append(names, file, "missing")
				before = append(before, valid)
			}
			before = append(before, valid) // the summary

			o := &order{t: t, before: before}
			j := newJob(t, writer(o.stdout), writer(o.stderr))
			j.open = dir.openFile
			assert.Equal(t, exitFailure, j.run(names))
			assert.Empty(t, o.before, "lines of standard error")
			assert.Equal(t, valid, o.lines)
			assert.Greater(t, o.writes, 2, "writes to standard output")
		})
	}
}
