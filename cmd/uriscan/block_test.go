package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tooLong is what readAll returns for a line that is too long.
const tooLong = "(too long)"

// readAll returns all lines of the input, as a worker would see them.
func readAll(t *testing.T, c *cutter, from io.Reader, greedy bool) (all []string) {
	t.Helper()
	c.open(from, greedy)
	var b block
	for {
		err := c.next(&b)
		if err != nil {
			require.Equal(t, io.EOF, err)
			require.Equal(t, io.EOF, c.next(&b), "again")
			return all
		}
		require.Equal(t, len(all), b.before)
		if b.tooLong {
			require.Empty(t, b.data)
			all = append(all, tooLong)
			continue
		}
		require.NotEmpty(t, b.data)
		require.LessOrEqual(t, len(b.data), c.limit+2*blockSize+2)
		require.Equal(t, byte('\n'), b.data[len(b.data)-1])
		for data := b.data; len(data) > 0; {
			var line []byte
			if line, data = cutLine(data); len(line) > c.limit {
				all = append(all, tooLong)
			} else {
				all = append(all, string(line))
			}
		}
	}
}

// TestCutter requires the same lines whatever the sizes of the reads.
func TestCutter(t *testing.T) {
	const limit = 20
	fits := strings.Repeat("y", limit)
	long := strings.Repeat("z", 3*blockSize)
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"\n", []string{""}},
		{"\r\n", []string{""}},
		{"a", []string{"a"}},
		{"a\n", []string{"a"}},
		{"a\nb\r\n\r\n\nc", []string{"a", "b", "", "", "c"}},
		{"a\rb\r\r\nc\r", []string{"a\rb\r", "c"}},
		{fits + "\n" + fits + "\r\n" + fits, []string{fits, fits, fits}},
		{fits + "\r", []string{fits}},
		{fits + "\ry\n\n", []string{tooLong, ""}},
		{fits + "\r\r\n", []string{tooLong}},
		{fits + "y\nb", []string{tooLong, "b"}},
		{fits + "y", []string{tooLong}},
		{fits + "yy", []string{tooLong}},
		{fits + "yyy\r\n" + fits + "\n", []string{tooLong, fits}},
		{long, []string{tooLong}},
		{long + "\r\n", []string{tooLong}},
		{long + "\nb\n" + long + "\n" + long, []string{tooLong, "b", tooLong, tooLong}},
		{"b\n" + long + "\nb", []string{"b", tooLong, "b"}},
		{strings.Repeat("a\r\n", blockSize/2), repeat("a", blockSize/2)},    // a block ends within a line end
		{strings.Repeat(fits+"\n", 20000), repeat(fits, 20000)},             // lines span blocks
		{long[:blockSize] + "\nb\n", []string{tooLong, "b"}},                // the block ends before the line end,
		{long[:blockSize-1] + "\nb\n", []string{tooLong, "b"}},              // and after it
		{"b\n" + long[:blockSize-2] + "\nb\n", []string{"b", tooLong, "b"}}, // and within a block
	} {
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"whole":         func(r io.Reader) io.Reader { return r },
			"halves":        iotest.HalfReader,
			"bytes":         iotest.OneByteReader,
			"EOF with data": iotest.DataErrReader,
		} {
			if name == "bytes" && len(c.text) > blockSize {
				continue
			}
			for _, greedy := range []bool{false, true} {
				got := readAll(t, &cutter{limit: limit}, wrap(strings.NewReader(c.text)), greedy)
				assert.True(t, assert.ObjectsAreEqual(c.want, got), "%s: %.50q", name, c.text)
			}
		}
	}
}

// repeat returns the line n times.
func repeat(line string, n int) (all []string) {
	for range n {
		all = append(all, line)
	}
	return all
}

// TestCutterFails requires that a line cut off by an error is not returned.
func TestCutterFails(t *testing.T) {
	broken := errors.New("broken")
	for _, text := range []string{"", "a", strings.Repeat("a", 100), strings.Repeat("a", 3*blockSize)} {
		for _, greedy := range []bool{false, true} {
			c := cutter{limit: 20}
			c.open(io.MultiReader(strings.NewReader("b\n"+text), iotest.ErrReader(broken)), greedy)
			var b block
			require.NoError(t, c.next(&b))
			assert.Equal(t, "b\n", string(b.data))
			assert.Equal(t, broken, c.next(&b))
			assert.Equal(t, broken, c.next(&b))
		}
	}
}

func TestTooLongLines(t *testing.T) {
	in := "/" + strings.Repeat("a", 50) + "\n/b\n/" + strings.Repeat("c", 49) + "\r\n/" +
		strings.Repeat("d", 1<<20)
	for _, args := range [][]string{nil, {"--column=1"}, {"--format=jsonl"}} {
		args = append([]string{"--max-line", "50", "--strict", "--fields", "line"}, args...)
		status, stdout, stderr := uriscan(in, args...)
		assert.Equal(t, exitInvalid, status)
		assert.Equal(t, "23", strings.NewReplacer("\n", "", `{"line":`, "", "}", "").Replace(stdout))
		assert.Equal(t, "uriscan: line 1: offset 50: line too long\nuriscan: line 4: offset 50: line too long\n"+
			"uriscan: 4 lines, 2 valid, 2 invalid\n", stderr)
	}

	in = strings.Repeat("a", 1<<20)
	status, _, _ := uriscan(in+"\n"+in+"\r\n"+in, "--strict")
	assert.Equal(t, exitOK, status, "the default limit")
	status, _, _ = uriscan(in+"a", "--strict")
	assert.Equal(t, exitInvalid, status)
}

// TestOrder requires that the output of all workers is in the order of the input, with each report after the
// output of the lines before it.
func TestOrder(t *testing.T) {
	var in, want strings.Builder
	for i := range 200000 {
		line := strings.Repeat("/a", i%7) + "/x"
		in.WriteString(line + "\n")
		want.WriteString(line + "\n")
		if i%1000 == 0 {
			in.WriteString(" \n")
		}
	}
	for _, jobs := range []string{"1", "2", "7"} {
		var stdout bytes.Buffer
		printed, reports := 0, 0
		out := writer(func(p []byte) {
			stdout.Write(p)
			printed += bytes.Count(p, []byte("\n"))
		})
		err := writer(func(p []byte) {
			for line := range bytes.Lines(p) {
				var number int
				if _, err := fmt.Sscanf(string(line), "uriscan: line %d:", &number); err != nil {
					assert.Contains(t, string(line), "uriscan: 200200 lines, 200000 valid, 200 invalid")
					continue
				}
				assert.Equal(t, reports*1001+2, number)
				reports++
				assert.GreaterOrEqual(t, printed, number-reports, "output before the report of line %d", number)
			}
		})
		status := run(t.Context(), []string{"-j", jobs, "-f", "path", "--strict"}, strings.NewReader(in.String()),
			out, err)
		assert.Equal(t, exitInvalid, status)
		assert.True(t, want.String() == stdout.String(), "output with %s workers", jobs)
		assert.Equal(t, 200, reports)
	}
}
