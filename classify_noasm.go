//go:build !(amd64 || arm64) || purego

package uri

// classify makes the masks of s, at most blockSize bytes.
func classify(s string, m *masks) { classifyGeneric(s, m) }

// scanPlain is for machines that have a kernel for it.
func (o *offsets) scanPlain(string) bool { return false }
