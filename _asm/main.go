// Command asm writes the kernels of package uri for amd64: see the comment at the head of what it writes.
//
//	go generate    in the root of the repository
package main

import (
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The text flag of runtime/textflag.h.
const nosplit = 4

func main() {
	ConstraintExpr("!purego")
	classify()
	scanPlain()
	Generate()
}

const (
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	digits  = "0123456789"
	legal   = letters + digits + "-._~!$&'()*+,;=:@/?#%" // all that may stand outside an IP-literal
)

// table writes a look-up table of ASCII: the byte's classes, one bit each. The last class, "", is of what is not legal.
func table(name string, classes ...string) Mem {
	t := GLOBL(name, 8|16) // RODATA, NOPTR
	for b := range 128 {
		var bits uint8
		for k, class := range classes {
			if strings.IndexByte(class, byte(b)) >= 0 || class == "" && strings.IndexByte(legal, byte(b)) < 0 {
				bits |= 1 << k
			}
		}
		DATA(b, U8(bits))
	}
	return t
}

// broadcast writes 64 bytes of one value.
func broadcast(name string, value uint8) Mem {
	t := GLOBL(name, 8|16)
	for i := range 8 {
		DATA(8*i, U64(0x0101010101010101*uint64(value)))
	}
	return t
}

// block loads up to 64 bytes at p, n of which are the text's, and looks their classes up. Bytes past the end are not read. It
// returns the mask of the bytes that are the text's, the bytes and their classes; of a byte above 0x7F, the classes are of
// its lower seven bits.
func block(p Mem, n Register, low, high VecVirtual) (within Register, bytes, classes VecVirtual) {
	mask := GP64()
	MOVQ(I32(-1), mask)
	BZHIQ(n, mask, mask)
	k := K()
	KMOVQ(mask, k)
	bytes, classes = ZMM(), ZMM()
	VMOVDQU8_Z(p, k, bytes)
	VMOVDQA64(bytes, classes)
	VPERMI2B(high, low, classes)
	return k, bytes, classes
}

// load returns the two halves of a table of 128 bytes.
func load(t Mem) (low, high VecVirtual) {
	low, high = ZMM(), ZMM()
	VMOVDQU64(t, low)
	VMOVDQU64(t.Offset(64), high)
	return low, high
}

func classify() {
	t := table("classes", ":", "/", "?", "#", "", "@", "%", "0123456789ABCDEFabcdef")
	var bits [8]Mem
	for k := range bits {
		bits[k] = broadcast("bit"+string(rune('0'+k)), 1<<k)
	}
	rareBits := broadcast("rareBits", 0x70)

	TEXT("classifyAVX512", nosplit, "func(p *byte, n int, m *byte)")
	Doc("classifyAVX512 makes the masks of the n bytes at p, at most 64.")
	p, n, m := GP64(), GP64(), GP64()
	Load(Param("p"), p)
	Load(Param("n"), n)
	Load(Param("m"), m)
	low, high := load(t)
	within, bytes, classes := block(Mem{Base: p}, n, low, high)
	test := func(k int, within Register) {
		mask, word := K(), GP64()
		VPTESTMB(bits[k], classes, within, mask)
		KMOVQ(mask, word)
		MOVQ(word, Mem{Base: m, Disp: 8 * k})
	}
	for k := range 4 {
		test(k, within)
	}
	above, rare := K(), K()
	VPMOVB2M(bytes, above)
	VPTESTMB(rareBits, classes, within, rare)
	KORTESTQ(above, rare)
	JNZ(LabelRef("rare"))
	zero := GP64()
	XORQ(zero, zero)
	for k := 4; k < 7; k++ {
		MOVQ(zero, Mem{Base: m, Disp: 8 * k})
	}
	VZEROUPPER()
	RET()

	Label("rare")
	Comment("A byte above 0x7F is bad and nothing else.")
	ascii := K()
	KANDNQ(within, above, ascii)
	for k := range 8 {
		if k != 4 {
			test(k, ascii)
		}
	}
	bad, word := K(), GP64()
	VPTESTMB(bits[4], classes, ascii, bad)
	KORQ(above, bad, bad)
	KMOVQ(bad, word)
	MOVQ(word, Mem{Base: m, Disp: 8 * 4})
	VZEROUPPER()
	RET()
}

// scanPlain is the state machine of scanner.go for what most texts are, without a mask that goes through memory.
func scanPlain() {
	const (
		colon = iota
		slash
		question
		scheme
		digit
	)
	t := table("plainClasses", ":", "/", "?", letters+digits+"+-.", digits, "#@%", "")
	var bits [5]Mem
	for k := range bits {
		bits[k] = broadcast("plainBit"+string(rune('0'+k)), 1<<k)
	}
	rareBits := broadcast("plainRareBits", 1<<5|1<<6)

	// The offsets of view.go, and the bits of its has.
	const (
		schemeEnd, authStart, hostStart, hostEnd, pathStart, pathEnd, queryEnd, faultAndMatch, has = 0, 4, 8, 12, 16, 20, 24, 28, 36

		hasScheme, hasAuthority, hasHost, hasPort, hasPath, hasQuery = 1 << 0, 1 << 1, 1 << 5, 1 << 6, 1 << 7, 8
	)

	TEXT("scanPlainAVX512", nosplit, "func(p *byte, n int, o *byte) bool")
	p, n, o := GP64(), GP64(), GP64()
	Load(Param("p"), p)
	Load(Param("n"), n)
	Load(Param("o"), o)
	at := func(offset int) Mem { return Mem{Base: o, Disp: offset} }
	low, high := load(t)
	rareVector := ZMM()
	VMOVDQU64(rareBits, rareVector)

	Comment("The first block: no byte that is not plain.")
	size, blockSize := GP64(), GP64()
	MOVQ(U32(64), blockSize)
	MOVQ(blockSize, size)
	CMPQ(n, size)
	CMOVQLT(n, size)
	within, bytes, classes := block(Mem{Base: p}, size, low, high)
	above, rare := K(), K()
	VPMOVB2M(bytes, above)
	VPTESTMB(rareVector, classes, within, rare)
	KORTESTQ(above, rare)
	JNZ(LabelRef("no"))
	mask := func(class int) Register {
		k, word := K(), GP64()
		VPTESTMB(bits[class], classes, within, k)
		KMOVQ(k, word)
		return word
	}
	colons, slashes, questions, schemes := mask(colon), mask(slash), mask(question), mask(scheme)
	delims := GP64()
	MOVQ(slashes, delims)
	ORQ(questions, delims)

	Comment("scheme = ALPHA *( ALPHA / DIGIT / \"+\" / \"-\" / \".\" ), where a colon is before the first delimiter.")
	i, flags, x := GP64(), GP64(), GP64()
	BLSMSKQ(delims, i)
	ANDQ(colons, i)
	JZ(LabelRef("relative"))
	TZCNTQ(i, i)
	NOTQ(schemes)
	BZHIQ(i, schemes, schemes)
	JNZ(LabelRef("no"))
	MOVBLZX(Mem{Base: p}, x.As32())
	ORL(U8(0x20), x.As32())
	SUBL(U8('a'), x.As32())
	CMPL(x.As32(), U8('z'-'a'))
	JHI(LabelRef("no"))
	MOVL(i.As32(), at(schemeEnd))
	INCQ(i)
	MOVQ(U32(hasPath|hasScheme), flags)
	JMP(LabelRef("hier"))
	Label("relative")
	XORQ(i, i)
	MOVL(i.As32(), at(schemeEnd))
	MOVQ(U32(hasPath), flags)
	Comment("A first segment longer than the block may have its colon later.")
	TESTQ(delims, delims)
	JNZ(LabelRef("hier"))
	CMPQ(n, blockSize)
	JGT(LabelRef("no"))

	Label("hier")
	Comment("\"//\" authority, all of it in the block")
	CMPQ(i, U8(61))
	JGT(LabelRef("no"))
	end := GP64()
	MOVQ(i, end)
	SHRXQ(i, slashes, x)
	ANDL(U8(3), x.As32())
	CMPL(x.As32(), U8(3))
	host := GP64()
	MOVQ(i, host)
	JNE(LabelRef("path"))
	ADDQ(U8(2), i)
	ORQ(U8(hasAuthority|hasHost), flags)
	own := GP64()
	MOVQ(I32(-1), own)
	SHLXQ(i, own, own)
	ANDQ(own, delims)
	LEAQ(Mem{Base: delims, Disp: -1}, x)
	ANDQ(x, own)
	ANDNQ(own, delims, own)
	TZCNTQ(delims, end)
	CMPQ(n, end)
	CMOVQLT(n, end)
	CMPQ(end, blockSize)
	JEQ(LabelRef("full"))
	Label("host")
	MOVQ(end, host)
	ANDQ(own, colons)
	JZ(LabelRef("path"))
	Comment("port = *DIGIT")
	TZCNTQ(colons, host)
	BLSMSKQ(colons, x)
	ANDNQ(own, x, own)
	BZHIQ(end, own, own)
	digitMask := mask(digit)
	ANDNQ(own, digitMask, own)
	JNZ(LabelRef("no"))
	ORQ(U8(hasPort), flags)

	Label("path")
	Comment("path [ \"?\" query ]")
	MOVL(i.As32(), at(authStart))
	MOVL(i.As32(), at(hostStart))
	MOVL(host.As32(), at(hostEnd))
	MOVL(end.As32(), at(pathStart))
	query := GP64()
	TZCNTQ(questions, query)
	CMOVQCS(n, query)
	base := blockSize
	CMPQ(n, base)
	JLE(LabelRef("done"))

	Label("next")
	MOVQ(n, size)
	SUBQ(base, size)
	limit := GP64()
	MOVQ(U32(64), limit)
	CMPQ(size, limit)
	CMOVQGT(limit, size)
	within, bytes, classes = block(Mem{Base: p, Index: base, Scale: 1}, size, low, high)
	VPMOVB2M(bytes, above)
	VPTESTMB(rareVector, classes, within, rare)
	KORTESTQ(above, rare)
	JNZ(LabelRef("no"))
	found := mask(question)
	TZCNTQ(found, x)
	LEAQ(Mem{Base: x, Index: base, Scale: 1}, x)
	TESTQ(found, found)
	CMOVQEQ(n, x)
	CMPQ(x, query)
	CMOVQLT(x, query)
	ADDQ(U8(64), base)
	CMPQ(base, n)
	JLT(LabelRef("next"))

	Label("done")
	XORQ(x, x)
	MOVQ(x, at(faultAndMatch))
	CMPQ(query, n)
	SETLT(x.As8())
	SHLQ(U8(hasQuery), x)
	ORQ(x, flags)
	MOVL(query.As32(), at(pathEnd))
	MOVL(n.As32(), at(queryEnd))
	MOVW(flags.As16(), at(has))
	VZEROUPPER()
	MOVB(U8(1), NewParamAddr("ret", 24))
	RET()

	Label("full")
	Comment("The authority reaches the end of the block: good if that is the end of the text.")
	CMPQ(n, end)
	JEQ(LabelRef("host"))

	Label("no")
	VZEROUPPER()
	MOVB(U8(0), NewParamAddr("ret", 24))
	RET()
}
