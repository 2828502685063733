//go:build !purego

package uri

import "unsafe"

// useNEON is true because every processor that Go supports has NEON. Only tests change it.
var useNEON = true

// classifyNEON makes the masks of the n bytes at p. n is at least 1 and at most blockSize. It reads
// blockSize bytes whatever n is.
//
//go:noescape
func classifyNEON(p *byte, n int, m *masks)

// classify makes the masks of s, which has at most blockSize bytes.
func classify(s string, m *masks) {
	p, n := unsafe.StringData(s), len(s)
	if useNEON && (n == blockSize || n > 0 && blockInPage(p)) {
		classifyNEON(p, n, m)
	} else {
		classifyGeneric(s, m)
	}
}

// glance looks for signs that s may be ambiguous. The first head bytes of s are the scheme and the
// authority.
func glance(s string, head int) clues { return glanceGeneric(s, head) }

// lacks returns the mask of the bytes of the block that are not in s.
func (s Set) lacks(block string) uint64 {
	if !s.classified() {
		return s.lacksGeneric(block)
	}
	var m masks
	classify(block, &m)
	return m.outside(s)
}

// isOdd reports whether s contains ";", "$", "./" or "--". Traits takes a closer look at such text. It may
// also return true for other text that contains "." or "-".
func isOdd(s string) bool { return isOddGeneric(s) }

// kernelScans reports whether a kernel tries to scan every input before Go code does.
func kernelScans() bool { return useNEON }

// newlines writes the offsets of the newlines in s, which has at most newlinePart bytes. It returns their
// number, and how many bytes it has read: all, or as many as it takes to reach newlineLimit.
func newlines(s string, at *newlineOffsets) (count, read int) { return newlinesGeneric(s, at) }
