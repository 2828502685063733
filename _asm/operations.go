package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// lacks finds the bytes of a block that are not in a set of ASCII bytes, given as two halves of a bitmap. The
// upper five bits of a byte choose an octet of the bitmap, and its lower three bits choose a bit of that
// octet. VPSHUFB looks both up; it yields no bit for a byte above 0x7F.

// powers returns a table in which entry i is the bit that the lower three bits of i choose.
func powers() Mem {
	var data [64]byte
	for i := range data {
		data[i] = 1 << (i & 7)
	}
	return table("powers", data[:])
}

const lacksSignature = "func(p *byte, n int, lo, hi uint64) uint64"

// argument returns the address of the named argument.
func argument(name string) Mem {
	basic, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return basic.Addr
}

// lacksAVX512 uses registers that no other instruction set has, so it needs no VZEROUPPER.
func lacksAVX512() {
	TEXT("lacksAVX512", NOSPLIT, lacksSignature)
	Doc("lacksAVX512 returns the mask of the bytes at p, at most 64, that are not in the set.")
	p, n := GP64(), GP64()
	Load(Param("p"), p)
	Load(Param("n"), n)
	KMOVQ(bytesWithin(n), K1)
	VMOVDQU8_Z(Mem{Base: p}, K1, Z16)
	VPBROADCASTQ(argument("lo"), Z17)
	VPBROADCASTQ(argument("hi"), Z18)
	VPUNPCKLQDQ(Z18, Z17, Z17) // the bitmap, in each quarter of the register
	VPSRLW(U8(3), Z16, Z18)
	VPANDQ(broadcast(0x0F), Z18, Z18)
	VPSHUFB(Z18, Z17, Z17)
	VMOVDQU64(powers(), Z18)
	VPSHUFB(Z16, Z18, Z18)
	VPTESTNMB(Z18, Z17, K1, K1)
	mask := GP64()
	KMOVQ(K1, mask)
	Store(mask, ReturnIndex(0))
	RET()
}

func lacksAVX2() {
	TEXT("lacksAVX2", NOSPLIT, lacksSignature)
	Doc("lacksAVX2 does the same, but reads 64 bytes at p whatever n is.")
	p, n := GP64(), GP64()
	Load(Param("p"), p)
	Load(Param("n"), n)
	set, low4, bits, zero := YMM(), YMM(), YMM(), YMM()
	high := YMM()
	VPBROADCASTQ(argument("lo"), set)
	VPBROADCASTQ(argument("hi"), high)
	VPUNPCKLQDQ(high, set, set) // the bitmap, in each half of the register
	VMOVDQU(broadcast(0x0F), low4)
	VMOVDQU(powers(), bits)
	VPXOR(zero, zero, zero)
	h := loadHalves(Mem{Base: p})
	for i, bytes := range h {
		octet, bit := YMM(), YMM()
		VPSRLW(U8(3), bytes, octet)
		VPAND(low4, octet, octet)
		VPSHUFB(octet, set, octet)
		VPSHUFB(bytes, bits, bit)
		VPAND(octet, bit, bit)
		h[i] = bit
		VPCMPEQB(zero, bit, bit)
	}
	mask := bitsOf(h)
	BZHIQ(n, mask, mask)
	VZEROUPPER()
	Store(mask, ReturnIndex(0))
	RET()
}
