package main

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tooLong is what readAll returns for a line that is too long.
const tooLong = "(too long)"

// readAll returns all lines of the input.
func readAll(t *testing.T, l *lines, from io.Reader) (all []string) {
	l.open(from)
	for n := 1; ; n++ {
		line, err := l.next()
		switch err {
		case nil:
			all = append(all, string(line))
		case errTooLong:
			all = append(all, tooLong)
		default:
			require.Equal(t, io.EOF, err)
			_, err = l.next()
			require.Equal(t, io.EOF, err, "again")
			return all
		}
		require.Equal(t, n, l.number)
	}
}

// TestLines requires the same lines whatever the sizes of the reads.
func TestLines(t *testing.T) {
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
		{"\xEF\xBB\xBF", nil},
		{"\xEF\xBB\xBF\n", []string{""}},
		{"\xEF\xBB\xBFa\n\xEF\xBB\xBFb", []string{"a", "\xEF\xBB\xBFb"}},
		{"\xEF\xBB\n", []string{"\xEF\xBB"}},
		{"\xEF", []string{"\xEF"}},
		{fits + "\n" + fits + "\r\n" + fits, []string{fits, fits, fits}},
		{"\xEF\xBB\xBF" + fits + "\r\na", []string{fits, "a"}},
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
		{strings.Repeat("a\r\n", blockSize/2), repeat("a", blockSize/2)},    // a block ends within a line end
		{strings.Repeat(fits+"\n", 20000), repeat(fits, 20000)},             // lines span blocks
		{long[:blockSize] + "\nb\n", []string{tooLong, "b"}},                // the block ends before the line end,
		{long[:blockSize-1] + "\nb\n", []string{tooLong, "b"}},              // and after it
		{"b\n" + long[:blockSize-2] + "\nb\n", []string{"b", tooLong, "b"}}, // and within a block
	} {
		size := 0
		l := newLines(limit, func() {})
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"whole":         func(r io.Reader) io.Reader { return r },
			"halves":        iotest.HalfReader,
			"bytes":         iotest.OneByteReader,
			"EOF with data": iotest.DataErrReader,
		} {
			got := readAll(t, l, wrap(strings.NewReader(c.text)))
			assert.True(t, assert.ObjectsAreEqual(c.want, got), "%s: %.50q", name, c.text)
			size += len(c.text)
			assert.EqualValues(t, size, l.size)
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

func TestLinesFail(t *testing.T) {
	broken := errors.New("broken")
	for _, text := range []string{"", "\xEF\xBB", "a", strings.Repeat("a", 100)} {
		l := newLines(20, func() {})
		l.open(io.MultiReader(strings.NewReader("b\n"+text), iotest.ErrReader(broken)))
		line, err := l.next()
		require.NoError(t, err)
		assert.Equal(t, "b", string(line))
		_, err = l.next()
		assert.Equal(t, broken, err)
	}
	l := newLines(20, func() {})
	l.open(iotest.ErrReader(broken))
	_, err := l.next()
	assert.Equal(t, broken, err)
}

func TestTooLongLines(t *testing.T) {
	in := "/" + strings.Repeat("a", 50) + "\n/b\n/" + strings.Repeat("c", 49) + "\r\n/" +
		strings.Repeat("d", 1<<20)
	status, stdout, stderr := uriscan(in, "--max-line", "50", "--fields", "line", "--strict")
	assert.Equal(t, exitInvalid, status)
	assert.Equal(t, "2\n3\n", stdout)
	assert.Equal(t, "uriscan: line 1: offset 50: line too long\nuriscan: line 4: offset 50: line too long\n"+
		"uriscan: 4 lines, 2 valid, 2 invalid\n", stderr)

	in = strings.Repeat("a", 1<<20)
	status, _, _ = uriscan(in+"\n"+in+"\r\n"+in, "--strict")
	assert.Equal(t, exitOK, status, "the default limit")
	status, _, _ = uriscan(in+"a", "--strict")
	assert.Equal(t, exitInvalid, status)
}
