package uri

import "iter"

// Lines scans input line by line, as a whole or as a stream that is read block by block. The zero value is
// ready for use, and one value can scan any number of blocks, one after the other.
//
// After the loop over a block, copy its [Lines.Rest] to the start of the next block.
type Lines struct {
	view  View
	block string
	start int // of the line
	end   int // of the line, without its line end
	next  int // what follows the line end; one more if the last line has none
}

// Scan returns an iterator over the lines of the block. It scans each line as the form with [ViewOf.Scan],
// and yields a view of the line and the error.
//
// A line ends with "\n" or "\r\n", which is not part of it. An empty line is a line too; as a Reference it
// is valid.
//
// If atEOF is false, what follows the last "\n" is an unfinished line: Scan leaves it out, and [Lines.Rest]
// returns it. If atEOF is true, it is the last line, unless it is empty, and a "\r" at its end is not part of
// it.
//
// The view is valid until the next line, and only while the caller leaves the block unchanged. The loop may
// end early. The other methods of l describe the current line, during the loop and after it.
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

// Text returns the current line, valid or not, without its line end. The Text of the view is empty if the
// line is invalid.
func (l *Lines) Text() []byte { return as[[]byte](l.block[l.start:l.end]) }

// Offset returns where the current line starts in the block.
func (l *Lines) Offset() int { return l.start }

// Rest returns what follows the current line in the block. After a loop over all lines that is the unfinished
// line, with which the next block of the stream must begin. Rest shares the memory of the block.
func (l *Lines) Rest() []byte { return as[[]byte](l.block[min(l.next, len(l.block)):]) }
