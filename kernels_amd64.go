//go:build !purego

package uri

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:generate go run ./_asm -out kernels_amd64.s

// instructions is an instruction set for which there are kernels.
type instructions uint8

const (
	none instructions = iota
	avx2
	avx512
)

// best is the best set that may be used on this machine. Only tests change it.
var best = usable()

// usable returns the best set that may be used: the processor must have its instructions, and the operating
// system must save its registers.
func usable() instructions {
	switch {
	case !cpu.X86.HasAVX2 || !cpu.X86.HasBMI1 || !cpu.X86.HasBMI2 || !cpu.X86.HasPOPCNT:
		return none
	case !cpu.X86.HasAVX512BW || !cpu.X86.HasAVX512VBMI:
		return avx2
	}
	return avx512
}

// classifyAVX512 makes the masks of the n bytes at p. n is at most blockSize.
//
//go:noescape
func classifyAVX512(p *byte, n int, m *masks)

// classifyAVX2 does the same, but reads blockSize bytes at p whatever n is.
//
//go:noescape
func classifyAVX2(p *byte, n int, m *masks)

// classify makes the masks of s, which has at most blockSize bytes. It chooses the kernel by a
// branch: a call through a function variable would make the masks escape to the heap.
func classify(s string, m *masks) {
	p, n := unsafe.StringData(s), len(s)
	switch {
	case best == avx512:
		classifyAVX512(p, n, m)
	case best == avx2 && (n == blockSize || n > 0 && blockInPage(p)):
		classifyAVX2(p, n, m)
	default:
		classifyGeneric(s, m)
	}
}

// glanceAVX512 and glanceAVX2 are glance for the n bytes at p. n is at least 1. The latter reads up
// to 63 bytes beyond them.
//
//go:noescape
func glanceAVX512(p *byte, n, head int) clues

//go:noescape
func glanceAVX2(p *byte, n, head int) clues

// oddAVX512 and oddAVX2 are isOdd for the n bytes at p. n is at least 1. The latter reads up to 63
// bytes beyond them.
//
//go:noescape
func oddAVX512(p *byte, n int) bool

//go:noescape
func oddAVX2(p *byte, n int) bool

// isOdd reports whether s contains ";", "$", "./" or "--". Traits takes a closer look at such text. It may
// also return true for other text that contains "." or "-".
func isOdd(s string) bool {
	p, n := unsafe.StringData(s), len(s)
	switch {
	case n == 0:
		return false
	case best == avx512:
		return oddAVX512(p, n)
	case best == avx2 && lastInPage(p, n):
		return oddAVX2(p, n)
	}
	return isOddGeneric(s)
}

// lastInPage reports whether the last block of the n bytes at p, which may be incomplete, can be read.
func lastInPage(p *byte, n int) bool {
	return n%blockSize == 0 || blockInPage((*byte)(unsafe.Add(unsafe.Pointer(p), n&^(blockSize-1))))
}

// glance looks for signs that s may be ambiguous. The first head bytes of s are the scheme and the
// authority.
func glance(s string, head int) clues {
	p, n := unsafe.StringData(s), len(s)
	switch {
	case n == 0:
		return 0
	case best == avx512:
		return glanceAVX512(p, n, head)
	case best == avx2 && lastInPage(p, n):
		return glanceAVX2(p, n, head)
	}
	return glanceGeneric(s, head)
}

// lacksAVX512 and lacksAVX2 are lacks for the n bytes at p. n is at least 1. The latter reads blockSize bytes
// whatever n is.
//
//go:noescape
func lacksAVX512(p *byte, n int, lo, hi uint64) uint64

//go:noescape
func lacksAVX2(p *byte, n int, lo, hi uint64) uint64

// lacks returns the mask of the bytes of the block that are not in s. The block has 1 to blockSize bytes.
func (s Set) lacks(block string) uint64 {
	p, n := unsafe.StringData(block), len(block)
	switch {
	case best == avx512:
		return lacksAVX512(p, n, s.lo, s.hi)
	case best == avx2 && (n == blockSize || n > 0 && blockInPage(p)):
		return lacksAVX2(p, n, s.lo, s.hi)
	}
	return s.lacksGeneric(block)
}

// kernelScans reports whether a kernel tries to scan every input before Go code does.
func kernelScans() bool { return best != none }

// newlinesAVX2 is newlines for the n bytes at p. n is a positive multiple of blockSize. It stops after the
// block in which the count reaches the limit. It writes at least two offsets for each block, and up to
// blockSize+2.
//
//go:noescape
func newlinesAVX2(p *byte, n int, at *uint16, limit int) (count, read int)

// newlines writes the offsets of the newlines in s, which has at most newlinePart bytes. It returns their
// number, and how many bytes it has read: all, or as many as it takes to reach newlineLimit, or those of
// whole blocks.
func newlines(s string, at *newlineOffsets) (count, read int) {
	if whole := len(s) &^ (blockSize - 1); best >= avx2 && whole > 0 {
		return newlinesAVX2(unsafe.StringData(s), whole, &at[0], newlineLimit)
	}
	return newlinesGeneric(s, at)
}
