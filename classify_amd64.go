//go:build !purego

package uri

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:generate go run ./_asm -out kernels_amd64.s

// useAVX512 tells whether the kernels may run here: the processor has their instructions and the operating system
// keeps the registers. Only tests change it.
var useAVX512 = cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI && cpu.X86.HasBMI1 && cpu.X86.HasBMI2

// classifyAVX512 makes the masks of the n bytes at p, at most blockSize.
//
//go:noescape
func classifyAVX512(p *byte, n int, m *masks)

// scanPlainAVX512 is scanPlain for the n bytes at p.
//
//go:noescape
func scanPlainAVX512(p *byte, n int, o *offsets) bool

// classify makes the masks of s, at most blockSize bytes. The choice is a branch: through a function variable the masks
// would escape to the heap.
func classify(s string, m *masks) {
	if useAVX512 {
		classifyAVX512(unsafe.StringData(s), len(s), m)
		return
	}
	classifyGeneric(s, m)
}

// plainSize is the length of the longest text that scanPlain tries: what it gives up at the very end has cost nothing
// that counts.
const plainSize = 1024

// scanPlain scans s as a URI-reference in one go, without masks in memory, if it is of the shape that most are,
//
//	[ scheme ":" ] [ "//" reg-name [ ":" port ] ] path [ "?" query ]
//
// with a head that ends in the first block and without "%", "@" and "#". It returns false for any other text, be it
// valid or not, and leaves o in no particular state.
func (o *offsets) scanPlain(s string) bool {
	return useAVX512 && len(s) <= plainSize && scanPlainAVX512(unsafe.StringData(s), len(s), o)
}
