package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// newlines finds the newlines of many blocks before any line is scanned. A search for one newline would keep
// the scan of its line waiting.
//
// Most blocks have at most two newlines, so two offsets are written for every block, without a branch that
// depends on how many there are. Four, or VPCOMPRESSB with AVX-512, took up to 30 % longer.
func newlines() {
	const few, more = 2, 4 // offsets written at once: for every block, and as often as needed for dense ones
	TEXT("newlinesAVX2", NOSPLIT, "func(p *byte, n int, at *uint16, limit int) (count, read int)")
	Doc("newlinesAVX2 writes the offsets of the newlines in the n bytes at p. n is a positive multiple of 64.")
	p, n, first, limit := GP64(), GP64(), GP64(), GP64()
	Load(Param("p"), p)
	Load(Param("n"), n)
	Load(Param("at"), first)
	Load(Param("limit"), limit)
	LEAQ(Mem{Base: first, Index: limit, Scale: 2}, limit)
	read, next := GP64(), GP64()
	XORQ(read, read)
	MOVQ(first, next)

	Label("block")
	mask := equal(loadHalves(Mem{Base: p, Index: read, Scale: 1}), '\n')
	count, to, offset := GP64(), GP64(), GP64()
	POPCNTQ(mask, count)
	MOVQ(next, to)
	LEAQ(Mem{Base: next, Index: count, Scale: 2}, next)
	write := func(k int) {
		TZCNTQ(mask, offset)
		ADDQ(read, offset)
		MOVW(offset.As16(), Mem{Base: to, Disp: 2 * k})
		BLSRQ(mask, mask)
	}
	for k := range few {
		write(k)
	}
	JZ(LabelRef("written"))
	Label("dense")
	for k := range more {
		write(few + k)
	}
	LEAQ(Mem{Base: to, Disp: 2 * more}, to) // keeps the flag of BLSRQ
	JNZ(LabelRef("dense"))

	Label("written")
	ADDQ(U8(64), read)
	CMPQ(next, limit)
	JCC(LabelRef("done"))
	CMPQ(read, n)
	JLT(LabelRef("block"))

	Label("done")
	VZEROUPPER()
	SUBQ(first, next)
	SHRQ(U8(1), next)
	Store(next, Return("count"))
	Store(read, Return("read"))
	RET()
}
