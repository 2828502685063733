//go:build !purego

package uri

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:generate go run ./_asm -out kernels_amd64.s

// useAVX2 and useAVX512 report which kernels run here. AVX-512 takes precedence. Only tests change them.
var useAVX2, useAVX512 = usable()

// usable reports which kernels may run: the processor must have their instructions, and the
// operating system must save their registers. The AVX-512 kernels are used only if the AVX2 kernels
// may run too.
func usable() (avx2, avx512 bool) {
	avx2 = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2
	return avx2, avx2 && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI
}

// classifyAVX512 makes the masks of the n bytes at p. n is at most blockSize.
//
//go:noescape
func classifyAVX512(p *byte, n int, m *masks)

// classifyAVX2 does the same, but reads blockSize bytes at p whatever n is.
//
//go:noescape
func classifyAVX2(p *byte, n int, m *masks)

// scanPlainAVX512 and scanPlainAVX2 are scanPlain for the n bytes at p. The latter reads beyond them
// but not beyond their page; it gives up if it would have to.
//
//lint:ignore U1000 scanPlainKernel goes to it
//go:noescape
func scanPlainAVX512(p *byte, n int, o *offsets) bool

//lint:ignore U1000 scanPlainKernel goes to it
//go:noescape
func scanPlainAVX2(p *byte, n int, o *offsets) bool

// scanPlainKernel calls the better of the two kernels that may run. If Go code made the choice,
// scanPlain would not be inlined; that cost 0.5 to 1 ns of 15.
//
//go:noescape
func scanPlainKernel(p *byte, n int, o *offsets) bool

// classify makes the masks of s, at most blockSize bytes. It chooses the kernel by a branch: a call
// through a function variable would make the masks escape to the heap.
func classify(s string, m *masks) {
	p, n := unsafe.StringData(s), len(s)
	switch {
	case useAVX512:
		classifyAVX512(p, n, m)
	case useAVX2 && (n == blockSize || n > 0 && blockInPage(p)):
		classifyAVX2(p, n, m)
	default:
		classifyGeneric(s, m)
	}
}

// plainSize is the length of the longest input that scanPlain tries. Up to this length, the time
// lost by giving up at the very end is negligible.
const plainSize = 1024

// scanPlain scans s as a URI-reference in one pass, without masks in memory, if it has the most
// common shape,
//
//	[ scheme ":" ] [ "//" reg-name [ ":" port ] ] path [ "?" query ]
//
// with a head that ends in the first block and without "%", "@" and "#". It returns false for any
// other input, valid or not, and then leaves o in an unspecified state.
func (o *offsets) scanPlain(s string) bool {
	return useAVX2 && uint(len(s)-1) < plainSize && scanPlainKernel(unsafe.StringData(s), len(s), o)
}

// glanceAVX512 and glanceAVX2 are glance for the n bytes at p. n is at least 1. The latter reads up
// to 63 bytes beyond them.
//
//go:noescape
func glanceAVX512(p *byte, n, head int) clues

//go:noescape
func glanceAVX2(p *byte, n, head int) clues

// glance looks for signs that s may be ambiguous. The first head bytes of s are the scheme and the
// authority.
func glance(s string, head int) clues {
	p, n := unsafe.StringData(s), len(s)
	switch {
	case n == 0:
		return 0
	case useAVX512:
		return glanceAVX512(p, n, head)
	case useAVX2 && (n%blockSize == 0 || blockInPage((*byte)(unsafe.Add(unsafe.Pointer(p), n&^(blockSize-1))))):
		return glanceAVX2(p, n, head)
	}
	return glanceGeneric(s, head)
}
