//go:build !purego && (amd64 || arm64)

package uri

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// constants returns the memory of this program's constants and makes it writable until the test ends.
func constants(t *testing.T) []byte {
	self, err := os.Executable()
	require.NoError(t, err)
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	for line := range strings.Lines(string(maps)) {
		fields := strings.Fields(line)
		if len(fields) == 6 && fields[1] == "r--p" && fields[5] == self {
			from, to, _ := strings.Cut(fields[0], "-")
			start, err := strconv.ParseUint(from, 16, 64)
			require.NoError(t, err)
			end, err := strconv.ParseUint(to, 16, 64)
			require.NoError(t, err)
			memory := memoryAt(uintptr(start), int(end-start))
			require.NoError(t, syscall.Mprotect(memory, syscall.PROT_READ|syscall.PROT_WRITE))
			t.Cleanup(func() { require.NoError(t, syscall.Mprotect(memory, syscall.PROT_READ)) })
			return memory
		}
	}
	t.Skip("runs if /proc/self/maps shows a mapping that has only constants")
	return nil
}

// memoryAt returns the n bytes of this process's memory at the address, which must not be in Go's heap.
func memoryAt(address uintptr, n int) []byte {
	var none *byte
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(none), address)), n)
}
