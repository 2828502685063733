//go:build linux && (amd64 || arm64 || s390x || ppc64 || ppc64le || riscv64 || loong64 || mips64)

package uri

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// hugeText returns 4 GiB + 7 bytes of address space, all zero.
func hugeText(t *testing.T) []byte {
	huge, err := syscall.Mmap(-1, 0, 4<<30+7, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(huge)) })
	return huge
}
