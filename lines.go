package uri

import "iter"

// Lines scans the lines of a text, or of a stream that is read block by block. The zero value is ready for
// use, and one value can scan any number of blocks.
type Lines struct {
	view  View
	block string
	start int // of the line
	end   int // of the line, without its line end
	next  int // what follows the line end; one more if the last line has none
}

// Scan returns an iterator over the lines of the block. Each is scanned as the form: the iterator yields a
// view of the line and the result of [ViewOf.Scan].
//
// A line ends with "\n" or "\r\n", which is not part of it, so the view of an empty line is that of the empty
// reference. What follows the last "\n" is not a line but the [Lines.Rest], unless atEOF is true. It then is
// the last line, if it is not empty, and a "\r" at its end is not part of it.
//
// The view is valid until the next line, and only while the caller leaves the block unchanged. The loop may
// end early, and may contain calls of the other methods of l, which are about the current line.
//
// A range loop over the result allocates nothing, but l moves to the heap if it is a local variable.
func (l *Lines) Scan(form Form, block []byte, atEOF bool) iter.Seq2[*View, error] {
	return func(yield func(*View, error) bool) {
		s := text(block)
		l.block, l.start, l.end, l.next = s, 0, 0, 0
		var ends newlineOffsets
		for base, count, read := 0, 0, 0; base < len(s); base += read {
			count, read = lineEnds(s, base, l.next, atEOF, &ends)
			for _, end := range ends[:count] {
				end := base + int(end)
				l.start, l.next = l.next, end+1
				if uint(end-1) < uint(len(s)) && s[end-1] == '\r' { // else the line before has it, so "\n"
					end--
				}
				l.end = end
				if !yield(&l.view, l.view.Scan(form, as[[]byte](s[l.start:end]))) {
					return
				}
			}
		}
	}
}

// lineEnds writes the offsets from base at which lines of s end. The first of these lines starts at the given
// offset of s. lineEnds returns their number, and how many bytes it has read.
func lineEnds(s string, base, start int, atEOF bool, ends *newlineOffsets) (count, read int) {
	part := s[base:][:min(len(s)-base, newlinePart)]
	count, read = newlines(part, ends)
	if atEOF && len(s)-base == read {
		if count > 0 {
			start = base + int(ends[count-1]) + 1
		}
		if start < len(s) {
			ends[count] = uint16(read)
			count++
		}
	}
	return count, read
}

// Text returns the current line, valid or not, without its line end. The view of an invalid line does not
// have it.
func (l *Lines) Text() []byte { return as[[]byte](l.block[l.start:l.end]) }

// Offset returns where the current line starts in the block.
func (l *Lines) Offset() int { return l.start }

// Rest returns what follows the current line in the block. After a loop over all lines it is what the next
// block of the stream has to begin with.
func (l *Lines) Rest() []byte { return as[[]byte](l.block[min(l.next, len(l.block)):]) }
