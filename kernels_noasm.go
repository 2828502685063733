//go:build !(amd64 || arm64) || purego

package uri

// classify makes the masks of s, at most blockSize bytes.
func classify(s string, m *masks) { classifyGeneric(s, m) }

// scanPlain is for machines that have a kernel for it.
func (o *offsets) scanPlain(string) bool { return false }

// glance looks for what may make s ambiguous, whose first head bytes are of the scheme and the authority.
func glance(s string, head int) clues { return glanceGeneric(s, head) }
