//go:build !purego

package uri

import "unsafe"

// useNEON is true: every processor for which Go compiles has NEON. Only tests change it.
var useNEON = true

// classifyNEON makes the masks of the n bytes at p, at most blockSize and at least one, but reads blockSize
// bytes whatever n is.
//
//go:noescape
func classifyNEON(p *byte, n int, m *masks)

// classify makes the masks of s, at most blockSize bytes.
func classify(s string, m *masks) {
	p, n := unsafe.StringData(s), len(s)
	if useNEON && (n == blockSize || n > 0 && blockInPage(p)) {
		classifyNEON(p, n, m)
	} else {
		classifyGeneric(s, m)
	}
}

// scanPlain is for machines that have a kernel for it.
func (o *offsets) scanPlain(string) bool { return false }

// glance looks for what may make s ambiguous, whose first head bytes are of the scheme and the authority.
func glance(s string, head int) clues { return glanceGeneric(s, head) }
