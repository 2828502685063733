package uri

import "strings"

// newlines finds the newlines of several lines at once, because a kernel that does this is faster than a
// search for each. It reads a part of the input at a time, so that the lines are in the processor's cache
// when they are scanned.
const (
	newlinePart  = 1 << 13 // the largest number of bytes that newlines is given
	newlineLimit = 256     // newlines stops after the block in which it has found this many
)

// newlineOffsets has room for one newline less than the limit, for a block of nothing but newlines, and for
// two more offsets: a kernel writes offsets that it does not count, and Lines adds the end of the input.
type newlineOffsets [newlineLimit - 1 + blockSize + 2]uint16

// newlinesGeneric is newlines in portable Go. Reading words of eight bytes, instead of calling IndexByte,
// which is assembly on most machines, took 1.6 to 3 times as long.
func newlinesGeneric(s string, at *newlineOffsets) (count, read int) {
	for count < newlineLimit {
		i := strings.IndexByte(s[read:], '\n')
		if i < 0 {
			return count, len(s)
		}
		at[count] = uint16(read + i)
		count++
		read += i + 1
	}
	return count, read
}
