//go:build !linux || !(amd64 || arm64 || s390x || ppc64 || ppc64le || riscv64 || loong64 || mips64)

package uri

import "testing"

// hugeText is for where address space costs nothing.
func hugeText(t *testing.T) []byte {
	t.Skip("runs on Linux in 64 bits: a mapping of 4 GiB without memory behind it")
	return nil
}
