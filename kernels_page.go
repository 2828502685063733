//go:build (amd64 || arm64) && !purego

package uri

import "unsafe"

// blockInPage reports whether the blockSize bytes at p are in one page of memory. If so, they can
// all be read if the first can.
func blockInPage(p *byte) bool {
	const pageSize = 4096 // or a multiple of it
	return uintptr(unsafe.Pointer(p))%pageSize <= pageSize-blockSize
}
