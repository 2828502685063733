//go:build !purego

#include "textflag.h"

// The classes of a byte, one bit each, in the order of masks. The fifth is turned round: it is of what may stand, so that
// a byte that is not in the chart, and for which a look-up gives zero, may not.
#define xx 0x00 // may stand nowhere, and "[" "]"
#define co 0x11 // ":"
#define sl 0x12 // "/"
#define qu 0x14 // "?"
#define ha 0x18 // "#"
#define __ 0x10 // any other byte that may stand somewhere
#define at 0x30 // "@"
#define pc 0x50 // "%"
#define hx 0x90 // HEXDIG

#define ROW(r, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, bA, bB, bC, bD, bE, bF) \
	DATA classes<>+(16*r)(SB)/8, $(b0 | b1<<8 | b2<<16 | b3<<24 | b4<<32 | b5<<40 | b6<<48 | b7<<56); \
	DATA classes<>+(16*r+8)(SB)/8, $(b8 | b9<<8 | bA<<16 | bB<<24 | bC<<32 | bD<<40 | bE<<48 | bF<<56)

// The chart of ASCII, as lanes in classify.go has it.
//      0   1   2   3   4   5   6   7   8   9   A   B   C   D   E   F
ROW(0, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx)
ROW(1, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx)
//          !   "   #   $   %   &   '   (   )   *   +   ,   -   .   /
ROW(2, xx, __, xx, ha, __, pc, __, __, __, __, __, __, __, __, __, sl)
//      0   1   2   3   4   5   6   7   8   9   :   ;   <   =   >   ?
ROW(3, hx, hx, hx, hx, hx, hx, hx, hx, hx, hx, co, __, xx, __, xx, qu)
//      @   A   B   C   D   E   F   G   H   I   J   K   L   M   N   O
ROW(4, at, hx, hx, hx, hx, hx, hx, __, __, __, __, __, __, __, __, __)
//      P   Q   R   S   T   U   V   W   X   Y   Z   [   \   ]   ^   _
ROW(5, __, __, __, __, __, __, __, __, __, __, __, xx, xx, xx, xx, __)
//      `   a   b   c   d   e   f   g   h   i   j   k   l   m   n   o
ROW(6, xx, hx, hx, hx, hx, hx, hx, __, __, __, __, __, __, __, __, __)
//      p   q   r   s   t   u   v   w   x   y   z   {   |   }   ~ DEL
ROW(7, __, __, __, __, __, __, __, __, __, __, __, xx, xx, xx, __, xx)

GLOBL classes<>(SB), RODATA|NOPTR, $128

// LOOKUP replaces 16 bytes by their classes. Each look-up is in one half of the chart, and gives zero for an index that is
// not in its 64 bytes: the bytes of the other half, and all that are not ASCII.
#define LOOKUP(bytes) \
	VEOR V24.B16, bytes.B16, V4.B16; \
	VTBL bytes.B16, [V16.B16, V17.B16, V18.B16, V19.B16], bytes.B16; \
	VTBL V4.B16, [V20.B16, V21.B16, V22.B16, V23.B16], V4.B16; \
	VORR V4.B16, bytes.B16, bytes.B16

// SWAP takes turns between the units of a and b, 1 or 2 bits wide: those at even places go to even, those at odd places
// to b. mask has the units at even places; a is lost.
#define SWAP(width, mask, a, b, even) \
	VSHL $width, b.B16, even.B16; \
	VBIT mask.B16, a.B16, even.B16; \
	VUSHR $width, a.B16, a.B16; \
	VBIT mask.B16, a.B16, b.B16

// func classifyNEON(p *byte, n int, m *masks)
//
// The bytes' classes are a matrix of bits that has to be turned: from 64 bytes of 8 classes to 8 masks of 64 bytes. As
// byte 4i+j of the block is loaded to place i of register j, four registers have at each place the classes of
// neighbours, and two rounds of swaps bring together the neighbours' bits of one class. A last round does so for the
// halves of each mask's bytes. That takes 26 instructions; to test, weigh by AND and add up by pairs for each class would
// take some 90.
TEXT ·classifyNEON(SB), NOSPLIT, $0-24
	MOVD p+0(FP), R0
	MOVD n+8(FP), R1
	MOVD m+16(FP), R2
	MOVD $classes<>(SB), R3

	VLD4   (R0), [V0.B16, V1.B16, V2.B16, V3.B16]
	VLD1.P 64(R3), [V16.B16, V17.B16, V18.B16, V19.B16]
	VLD1   (R3), [V20.B16, V21.B16, V22.B16, V23.B16]
	VMOVI  $0x40, V24.B16
	LOOKUP(V0)
	LOOKUP(V1)
	LOOKUP(V2)
	LOOKUP(V3)

	// Place i of V0 has, from the lowest bit, the classes 01234567 of byte 4i, that of V1, V2 and V3 those of the next
	// three bytes.
	VMOVI $0x55, V25.B16
	VMOVI $0x33, V26.B16
	SWAP(1, V25, V0, V1, V5) // V5 00224466   V1 11335577   of bytes 4i and 4i+1 by turns
	SWAP(1, V25, V2, V3, V6) // V6 00224466   V3 11335577   of bytes 4i+2 and 4i+3
	SWAP(2, V26, V5, V6, V0) // V0 00004444   V6 22226666   of all four
	SWAP(2, V26, V1, V3, V2) // V2 11115555   V3 33337777

	// What is at even places is the lower half of a byte of its mask, what is at odd ones the upper. One register takes
	// two masks: the lower eight places are of one, the others of the other.
	VUZP1 V2.B16, V0.B16, V16.B16
	VUZP2 V2.B16, V0.B16, V18.B16
	VUZP1 V3.B16, V6.B16, V17.B16
	VUZP2 V3.B16, V6.B16, V19.B16
	VMOV  V16.B16, V20.B16
	VMOV  V17.B16, V21.B16
	VSLI  $4, V18.B16, V16.B16 // masks 0 and 1
	VSLI  $4, V19.B16, V17.B16 // 2 and 3
	VSRI  $4, V20.B16, V18.B16 // 4 and 5
	VSRI  $4, V21.B16, V19.B16 // 6 and 7

	// Turn the fifth class round again, and clear what is at and past n.
	MOVD $-1, R4
	VEOR V7.B16, V7.B16, V7.B16
	VMOV R4, V7.D[0]
	VEOR V7.B16, V18.B16, V18.B16
	NEG  R1, R1
	LSR  R1, R4, R4 // by 64 - n
	VDUP R4, V7.D2
	VAND V7.B16, V16.B16, V16.B16
	VAND V7.B16, V17.B16, V17.B16
	VAND V7.B16, V18.B16, V18.B16
	VAND V7.B16, V19.B16, V19.B16
	VST1 [V16.D2, V17.D2, V18.D2, V19.D2], (R2)
	RET
