package uri

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/long"
)

// linesOf returns the lines of a block and the rest. It checks the views of the lines, and that the loop can
// end after any of them.
func linesOf(t *testing.T, form Form, block string, atEOF bool) (lines []located, rest string) {
	var l Lines
	var v View
	b := []byte(block)
	for w, err := range l.Scan(form, b, atEOF) {
		line := located{l.Offset(), string(l.Text())}
		requireEqual(t, v.Scan(form, l.Text()), err, "%q in %q", line.text, block)
		requireEqual(t, v.offsets, w.offsets, "%q in %q", line.text, block)
		requireEqual(t, string(v.Text()), string(w.Text()), "%q in %q", line.text, block)
		requireEqual(t, len(l.Text()), cap(l.Text()), "clipped")
		lines = append(lines, line)
	}
	rest = string(l.Rest())
	requireEqual(t, len(l.Rest()), cap(l.Rest()), "clipped")

	for n, last := range lines {
		for range l.Scan(form, b, atEOF) {
			if l.Offset() == last.offset {
				break
			}
		}
		requireEqual(t, last, located{l.Offset(), string(l.Text())}, "stopped in %q", block)
		after := block[last.offset:][len(last.text):]
		if end := strings.IndexByte(after, '\n'); end >= 0 || !atEOF {
			requireEqual(t, after[end+1:], string(l.Rest()), "stopped at %d in %q", n, block)
		} else {
			requireEqual(t, "", string(l.Rest()), "stopped at the end of %q", block)
		}
	}
	requireEqual(t, block, string(b), "the input is unchanged")
	return lines, rest
}

// requireLines requires the lines of a block to be those of the slow twin, at every level.
func requireLines(t *testing.T, form Form, block string) {
	for _, atEOF := range []bool{false, true} {
		want, wantRest := slowLines(block, atEOF)
		for _, level := range levels {
			level.use()
			lines, rest := linesOf(t, form, block, atEOF)
			if !slices.Equal(want, lines) || wantRest != rest {
				require.Equal(t, want, lines, "level %s, at EOF %v: %q", level.name, atEOF, block)
				require.Equal(t, wantRest, rest, "level %s, at EOF %v: %q", level.name, atEOF, block)
			}
		}
	}
}

// TestSmallLines has all blocks of a few bytes, alone and across the end of a block of 64 bytes.
func TestSmallLines(t *testing.T) {
	const alphabet = "\n\ra:"
	most := 6 + long.Sample(t, 0, 1, 2)
	blocks := []string{""}
	for first, n := 0, 0; n < most; n++ {
		last := len(blocks)
		for _, s := range blocks[first:last] {
			for i := range len(alphabet) {
				blocks = append(blocks, s+alphabet[i:i+1])
			}
		}
		first = last
	}
	long := strings.Repeat("x", 2*blockSize)
	for i, s := range blocks {
		requireLines(t, Reference, s)
		before := blockSize - i%(len(s)+1)
		requireLines(t, Reference, long[:before]+s+long[:blockSize])
	}
}

// TestLineEnds has lines of every length up to several blocks, more lines than are found at once, and lines
// that are longer than what is read at once.
func TestLineEnds(t *testing.T) {
	for n := range 3*blockSize + 2 {
		line := strings.Repeat("x", n)
		requireLines(t, URI, strings.Repeat(line+"\n", 5)+line)
		requireLines(t, Reference, line+"\r\n"+line+"\r")
	}
	for _, count := range []int{
		newlineLimit - 1, newlineLimit, newlineLimit + 1, newlineLimit + blockSize, 2 * newlineLimit,
	} {
		for _, line := range []string{"\n", "a\n", "\r\n", "a\r\n", strings.Repeat("a", 30) + "\n"} {
			requireLines(t, Reference, strings.Repeat(line, count))
			requireLines(t, Reference, strings.Repeat(line, count)+"a")
			requireLines(t, Reference, strings.Repeat(line, count-1)+strings.Repeat("\n", 70)+"a")
		}
	}
	for _, n := range []int{newlinePart - 1, newlinePart, newlinePart + 1, 2 * newlinePart, 3*newlinePart + 5} {
		for _, end := range []string{"", "\n", "\r\n", "\r", "\na", "\n\n"} {
			requireLines(t, Reference, strings.Repeat("a", n)+end)
			requireLines(t, Reference, "b\n"+strings.Repeat("a", n)+end)
		}
	}
}

// TestLinesInBlocks cuts a text into blocks, so that each begins with the rest of the one before it.
func TestLinesInBlocks(t *testing.T) {
	text := "http://a/\r\n\nhttp://b b/\nc\r\n" + strings.Repeat("/long", 30) + "\n\r\nlast"
	want, _ := slowLines(text, true)
	for size := 1; size <= len(text); size++ {
		var l Lines
		var got []located
		var block []byte
		start := 0 // of the block
		for i := 0; i < len(text); i += size {
			block = append(block, text[i:min(i+size, len(text))]...)
			for range l.Scan(Reference, block, i+size >= len(text)) {
				got = append(got, located{start + l.Offset(), string(l.Text())})
			}
			start += len(block) - len(l.Rest())
			block = block[:copy(block, l.Rest())]
		}
		require.Equal(t, want, got, "blocks of %d bytes", size)
		require.Empty(t, l.Rest())
	}
}

// TestLinesState calls the methods before, between and after loops.
func TestLinesState(t *testing.T) {
	var l Lines
	requireState := func(text string, offset int, rest string) {
		t.Helper()
		require.Equal(t, text, string(l.Text()))
		require.Equal(t, offset, l.Offset())
		require.Equal(t, rest, string(l.Rest()))
	}
	requireState("", 0, "")
	seq := l.Scan(Reference, []byte("a\nb\r\nc"), false)
	requireState("", 0, "") // the loop has not begun
	for range seq {
		requireState("a", 0, "b\r\nc")
		break
	}
	requireState("a", 0, "b\r\nc")
	n := 0
	for range seq { // from the start
		n++
	}
	require.Equal(t, 2, n)
	requireState("b", 2, "c")
	for range l.Scan(Reference, []byte("unfinished"), false) {
		t.Fatal("no line ends")
	}
	requireState("", 0, "unfinished")
	for range l.Scan(Reference, nil, true) {
		t.Fatal("there is no line")
	}
	requireState("", 0, "")
}

// TestLinesAllocate shows that a loop does not allocate, whether its body is inlined or not.
func TestLinesAllocate(t *testing.T) {
	var l Lines
	block := bytes.Repeat([]byte("http://a/\nb b\r\n\n"), 100)
	visit := func(v *View, err error) bool { used += len(v.Path()); return true }
	allocates(t, "lines", func() {
		for v, err := range l.Scan(Reference, block, true) {
			if err == nil {
				used += len(v.Path())
			}
		}
		l.Scan(Reference, block, false)(visit)
	})
}

// TestNewlineOffsets has as many newlines as can be found at once, and requires that no offset is written
// beyond the array.
func TestNewlineOffsets(t *testing.T) {
	for _, level := range levels {
		level.use()
		for before := newlineLimit - 2; before <= newlineLimit+1; before++ {
			for in := range blockSize + 1 { // newlines in the last block
				s := strings.Repeat(" ", -before&(blockSize-1)) + strings.Repeat("\n", before) +
					strings.Repeat("\n", in) + strings.Repeat(" ", blockSize)
				var room struct {
					at    newlineOffsets
					after [blockSize]uint16
				}
				count, read := newlines(s, &room.at)
				require.Equal(t, strings.Count(s[:read], "\n"), count, "level %s", level.name)
				require.Less(t, count, len(room.at))
				require.Zero(t, room.after, "level %s", level.name)
			}
		}
	}
}

// requireNewlines requires every level to find the newlines of s. They are the same wherever s is.
func requireNewlines(t *testing.T, s []byte, elsewhere string) {
	for _, level := range levels {
		level.use()
		var want, got []int
		for base := 0; base < len(s); {
			var at newlineOffsets
			count, read := newlines(text(s)[base:], &at)
			require.Positive(t, read)
			for _, offset := range at[:count] {
				got = append(got, base+int(offset))
			}
			base += read
		}
		for i := range len(elsewhere) {
			if elsewhere[i] == '\n' {
				want = append(want, i)
			}
		}
		if !slices.Equal(want, got) {
			assert.Equal(t, want, got, "level %s, %q", level.name, elsewhere)
		}
	}
}
