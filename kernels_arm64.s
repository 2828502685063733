//go:build !purego

#include "go_asm.h"
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

// CONSTANTS loads what BLOCK looks up.
#define CONSTANTS \
	MOVD   $classes<>(SB), R0; \
	VLD1.P 64(R0), [V16.B16, V17.B16, V18.B16, V19.B16]; \
	VLD1   (R0), [V20.B16, V21.B16, V22.B16, V23.B16]; \
	VMOVI  $0x40, V24.B16; \
	VMOVI  $0x55, V25.B16; \
	VMOVI  $0x33, V26.B16

// BLOCK makes the masks of the 64 bytes at p: 0 and 1 in V28, 2 and 3 in V29, 4 and 5 in V30, 6 and 7 in V31. The fifth is
// still turned round.
//
// The bytes' classes are a matrix of bits that has to be turned: from 64 bytes of 8 classes to 8 masks of 64 bytes. As
// byte 4i+j of the block is loaded to place i of register j, four registers have at each place the classes of
// neighbours, and two rounds of swaps bring together the neighbours' bits of one class. A last round does so for the
// halves of each mask's bytes. That takes 26 instructions; to test, weigh by AND and add up by pairs for each class would
// take some 90.
//
// After the look-ups, place i of V0 has, from the lowest bit, the classes 01234567 of byte 4i, that of V1, V2 and V3 those
// of the next three bytes. After the swaps, what is at even places is the lower half of a byte of its mask, what is at odd
// ones the upper. One register takes two masks: the lower eight places are of one, the others of the other.
#define BLOCK(p) \
	VLD4  (p), [V0.B16, V1.B16, V2.B16, V3.B16]; \
	LOOKUP(V0); \
	LOOKUP(V1); \
	LOOKUP(V2); \
	LOOKUP(V3); \
	SWAP(1, V25, V0, V1, V5); /* V5 00224466   V1 11335577   of bytes 4i and 4i+1 by turns */ \
	SWAP(1, V25, V2, V3, V6); /* V6 00224466   V3 11335577   of bytes 4i+2 and 4i+3 */ \
	SWAP(2, V26, V5, V6, V0); /* V0 00004444   V6 22226666   of all four */ \
	SWAP(2, V26, V1, V3, V2); /* V2 11115555   V3 33337777 */ \
	VUZP1 V2.B16, V0.B16, V28.B16; \
	VUZP2 V2.B16, V0.B16, V30.B16; \
	VUZP1 V3.B16, V6.B16, V29.B16; \
	VUZP2 V3.B16, V6.B16, V31.B16; \
	VMOV  V28.B16, V4.B16; \
	VMOV  V29.B16, V5.B16; \
	VSLI  $4, V30.B16, V28.B16; \
	VSLI  $4, V31.B16, V29.B16; \
	VSRI  $4, V4.B16, V30.B16; \
	VSRI  $4, V5.B16, V31.B16

// func classifyNEON(p *byte, n int, m *masks)
TEXT ·classifyNEON(SB), NOSPLIT, $0-24
	MOVD p+0(FP), R1
	MOVD n+8(FP), R2
	MOVD m+16(FP), R3
	CONSTANTS
	BLOCK(R1)

	// Turn the fifth class round again, and clear what is at and past n.
	MOVD $-1, R4
	VEOR V7.B16, V7.B16, V7.B16
	VMOV R4, V7.D[0]
	VEOR V7.B16, V30.B16, V30.B16
	NEG  R2, R2
	LSR  R2, R4, R4               // by 64 - n
	VDUP R4, V7.D2
	VAND V7.B16, V28.B16, V28.B16
	VAND V7.B16, V29.B16, V29.B16
	VAND V7.B16, V30.B16, V30.B16
	VAND V7.B16, V31.B16, V31.B16
	VST1 [V28.D2, V29.D2, V30.D2, V31.D2], (R3)
	RET

#define view      R1  // the view
#define p         R2  // the address of a block
#define n         R3  // the length of the input
#define colons    R4
#define slashes   R5
#define questions R6
#define hashes    R7
#define ats       R8
#define percents  R9
#define hexes     R10
#define delims    R10 // when the escapes have been checked
#define query     R11 // where the path ends
#define fragment  R12 // where the query ends
#define flags     R13 // the components found
#define base      R14 // the offset of a block, or of what it has that is new
#define carry     R15 // the first two bytes of the next block, if they belong to an escape
#define within    R19
#define i         R20
#define end       R21
#define met       R23 // has a bit if there is a "%"
#define x         R22
#define y         R24
#define z         R25

// MASKS moves the masks to general registers, legal to x.
#define MASKS \
	VMOV V28.D[0], colons; \
	VMOV V28.D[1], slashes; \
	VMOV V29.D[0], questions; \
	VMOV V29.D[1], hashes; \
	VMOV V30.D[0], x; \
	VMOV V30.D[1], ats; \
	VMOV V31.D[0], percents; \
	VMOV V31.D[1], hexes

// FIRST is the offset of the lowest bit of the mask, 64 if it has none.
#define FIRST(mask, offset) \
	RBIT mask, offset; \
	CLZ  offset, offset

// ESCAPES jumps to inGo if a pct-encoded is broken. after has the bits of carry for this block.
#define ESCAPES(after) \
	ORR  percents<<1, after, x; \
	ORR  percents<<2, x, x; \
	BIC  hexes, x, x; \
	CBNZ x, inGo; \
	LSR  $63, percents, carry; \
	ORR  percents>>62, carry, carry; \
	ORR  percents, met, met

// func scan(v *view, form Form) error
//
// It reads a whole reference whose scheme and authority end in the first 64 bytes. It reads them off the masks of that
// block. In the rest, it only looks for "?", "#", broken escapes and illegal bytes. Whatever it cannot decide, valid or
// not, it leaves to scanInGo, which starts again.
TEXT ·scan(SB), NOSPLIT, $0-32
	MOVD  v+0(FP), view
	MOVBU ·useNEON(SB), x
	CBZ   x, inGo
	MOVBU form+8(FP), x
	AND   $(const_Lenient^0xFF), x, x
	CMP   $const_OriginForm, x
	BHI   inGo
	MOVD  view_src(view), p
	MOVD  view_src+8(view), n
	SUB   $1, n, x
	MOVD  $const_MaxLen, y
	CMP   y, x
	BHS   inGo                  // empty, or too long
	MOVD  $-1, within
	CMP   $64, n
	BHS   load
	AND   $4095, p, x
	CMP   $(4096-64), x
	BHI   inGo                  // there may be no page after the input's
	NEG   n, x
	LSR   x, within, within     // by 64 - n

load:
	CONSTANTS
	BLOCK(p)
	MASKS
	BIC  x, within, x
	CBNZ x, inGo
	AND  within, colons, colons
	AND  within, slashes, slashes
	AND  within, questions, questions
	AND  within, hashes, hashes
	AND  within, ats, ats
	AND  within, percents, percents
	AND  within, hexes, hexes
	MOVD ZR, met
	ESCAPES(ZR)

	// A "#" ends the path and the authority too. No "?" after it counts; a second "#" is a fault.
	MOVD n, fragment
	CBZ  hashes, whole
	SUB  $1, hashes, x
	TST  x, hashes
	BNE  inGo
	AND  x, questions, questions
	FIRST(hashes, fragment)

whole:
	ORR  slashes, questions, delims
	ORR  hashes, delims, delims
	MOVD $(1<<const_Path), flags
	MOVD ZR, i
	CBZ  colons, relative
	FIRST(colons, end)
	FIRST(delims, x)
	CMP  x, end
	BHI  relative
	CMP  $24, end               // a scheme that is read byte by byte
	BHI  inGo
	CBZ  end, inGo

	// scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )
scheme:
	MOVBU (p)(i), x
	ORR   $0x20, x, y
	SUB   $'a', y, y
	CMP   $('z'-'a'), y
	BLS   next
	CBZ   i, inGo
	SUB   $'0', x, y
	CMP   $9, y
	BLS   next
	CMP   $'+', x
	BEQ   next
	CMP   $'-', x
	BEQ   next
	CMP   $'.', x
	BNE   inGo

next:
	ADD  $1, i
	CMP  end, i
	BNE  scheme
	MOVW i, view_offsets+offsets_schemeEnd(view)
	ADD  $1, i
	ORR  $(1<<const_Scheme), flags, flags
	B    hier

relative:
	MOVW ZR, view_offsets+offsets_schemeEnd(view)
	CBNZ delims, hier
	CMP  $64, n
	BHI  inGo                   // the next block may have a colon before the first delimiter

hier:
	LSR  i, slashes, x
	AND  $3, x, x
	CMP  $3, x
	BNE  rootless
	ADD  $2, i
	ORR  $(1<<const_Authority|1<<const_Host), flags, flags
	MOVW i, view_offsets+offsets_authStart(view)
	LSR  i, delims, x
	FIRST(x, end)
	CBNZ x, authority
	CMP  $63, n
	BHI  inGo                   // it goes on in the next block, or fills this one
	SUB  i, n, end

authority:
	ADD  i, end, end
	MOVD $-1, x
	LSL  i, x, y
	LSL  end, x, x
	BIC  x, y, x                // its own bytes
	AND  x, colons, colons
	AND  x, ats, ats
	CBZ  ats, host
	SUB  $1, ats, x
	TST  x, ats
	BNE  inGo
	ORR  $(1<<const_Userinfo|1<<const_User), flags, flags
	FIRST(ats, i)
	ADD  $1, i
	TST  x, colons
	BEQ  host
	ORR  $(1<<const_Password), flags, flags
	BIC  x, colons, colons

host:
	MOVW i, view_offsets+offsets_hostStart(view)
	MOVD end, x
	CBZ  colons, path
	ORR  $(1<<const_Port), flags, flags
	FIRST(colons, x)
	ADD  $1, x, i

digit:
	CMP   end, i
	BEQ   path
	MOVBU (p)(i), y
	SUB   $'0', y, y
	CMP   $9, y
	BHI   inGo
	ADD   $1, i
	B     digit

path:
	MOVW x, view_offsets+offsets_hostEnd(view)
	MOVW end, view_offsets+offsets_pathStart(view)
	B    tail

rootless:
	MOVW i, view_offsets+offsets_authStart(view)
	MOVW i, view_offsets+offsets_hostStart(view)
	MOVW i, view_offsets+offsets_hostEnd(view)
	MOVW i, view_offsets+offsets_pathStart(view)

tail:
	MOVD n, query
	CBZ  questions, first
	FIRST(questions, query)

first:
	MOVD $64, base

block:
	CMP  n, base
	BHS  done
	MOVD view_src(view), p
	MOVD base, i                // where the block begins: at base, or where it ends with the input
	SUB  $64, n, x
	CMP  x, base
	BLS  begin
	MOVD x, i

begin:
	SUB  i, base, y
	LSL  y, carry, carry
	ADD  i, p
	BLOCK(p)
	MASKS
	MVN  x, x
	CBNZ x, inGo
	ESCAPES(carry)
	CBZ  questions, noQuestion
	FIRST(questions, x)
	ADD  i, x
	CMP  query, x
	CSEL LO, x, query, query

noQuestion:
	CBZ  hashes, noHash
	SUB  $1, hashes, x
	TST  x, hashes
	BNE  inGo
	FIRST(hashes, x)
	ADD  i, x
	CMP  fragment, x
	BEQ  noHash                 // one that the last block has again
	CMP  n, fragment
	BNE  inGo
	MOVD x, fragment

noHash:
	ADD $64, base
	B   block

done:
	CBNZ carry, inGo            // an escape that the end breaks
	CMP  fragment, query
	CSEL LO, query, fragment, query
	MOVW query, view_offsets+offsets_pathEnd(view)
	MOVW fragment, view_offsets+offsets_queryEnd(view)
	ORR  $(1<<const_Query), flags, x
	CMP  fragment, query
	CSEL LO, x, flags, flags
	ORR  $(1<<const_Fragment), flags, x
	CMP  n, fragment
	CSEL LO, x, flags, flags
	ORR  $(const_seenPercent<<16), flags, x
	CMP  $0, met
	CSEL NE, x, flags, flags
	MOVW flags, view_offsets+offsets_has(view)      // and seen and why
	MOVD ZR, view_offsets+offsets_fault(view)       // and match

	// Compare what was found with the rule of the form.
	MOVBU form+8(FP), x
	AND   $(const_Lenient^0xFF), x, x
	CBZ   x, found
	CMP   $const_OriginForm, x
	BNE   rule
	MOVD  view_src(view), p
	MOVBU (p), y
	CMP   $'/', y
	BNE   inGo

rule:
	MOVD  $·formRules(SB), y
	ADD   x<<2, y, y
	MOVHU formRule_known(y), x
	MOVHU formRule_want(y), y
	AND   flags, x, x
	CMP   x, y
	BNE   inGo

found:
	MOVD ZR, ret_itable+16(FP)
	MOVD ZR, ret_data+24(FP)
	RET

inGo:
	B ·scanInGo(SB)
