package main

import (
	"bytes"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// reader512 is the reader for AVX-512. It uses none of the registers that AVX2 has, so nothing needs
// clearing.
type reader512 struct{}

var (
	chart512   = Z16 // the chart that classify looks up
	question   = Z17 // "?" everywhere
	block512   = Z18 // the block
	quarter    = Z19 // bit 7 for the bytes from 0x40 to 0x7F, bit 6 for those below
	found      = Z20
	illegal512 = Z21 // charts that seekRare looks up
	nonHex512  = Z22
	percent    = Z23 // "%" everywhere

	high = K1 // the bytes above 0x7F
	odd  = K2 // the other bytes that are not plain
	seen = K7 // "%" that seekRare has met
)

// quarters writes a chart of 64 bytes. Bit 6 of an entry says whether the byte is in the class, bit 7 whether
// the byte that is 0x40 greater is.
func quarters(name string, in func(b byte) bool) Mem {
	var data [64]byte
	for i := range data {
		b := byte(i)
		if in(b) {
			data[i] |= 0x40
		}
		if in(b + 0x40) {
			data[i] |= 0x80
		}
	}
	return table(name, data[:])
}

// without returns whether a byte is not one of chars.
func without(chars string) func(b byte) bool {
	return func(b byte) bool { return strings.IndexByte(chars, b) < 0 }
}

const schemeChars = letters + digits + "+-."

func (l *reader512) name() string { return "scan" }

func (l *reader512) enter() {
	with("const_avx512")(x86.CMPB(symbol("best"), U8(0)))
	JEQ(LabelRef("enter"))
	leave("scanAVX2")
	Label("enter")
}

func (l *reader512) begin(rare bool) {
	if !rare {
		VMOVDQU64(quarters("notPlain", without(plain)), chart512)
		VMOVDQU64(broadcast('?'), question)
		return
	}
	VMOVDQU64(quarters("illegal", without(legal)), illegal512)
	VMOVDQU64(quarters("notHex", without(hexDigits)), nonHex512)
	VMOVDQU64(broadcast('%'), percent)
	KXORQ(seen, seen, seen)
}

func (l *reader512) short(p, n Register, rare, _ string) {
	k := K3
	KMOVQ(bytesWithin(n), k)
	VMOVDQA64(question, block512)
	VMOVDQU8(Mem{Base: p}, k, block512)
	l.classify()
	l.jumpRare(rare)
}

func (l *reader512) whole(p Mem) { VMOVDQU64(p, block512) }

func (l *reader512) classify() {
	VPADDB(broadcast(0x40), block512, quarter)
	VPERMB(chart512, block512, found)
	VPMOVB2M(block512, high)
	VPTESTMB(quarter, found, odd)
}

func (l *reader512) jumpRare(label string) {
	KORTESTQ(high, odd)
	JNZ(LabelRef(label))
}

func (l *reader512) rare() Register {
	KORQ(high, odd, odd)
	return word(odd)
}

// word returns the mask in a general register.
func word(k Register) Register {
	r := GP64()
	KMOVQ(k, r)
	return r
}

func (l *reader512) mask(b byte, to Register) {
	VPCMPEQB(broadcast(b), block512, K3)
	KMOVQ(K3, to)
}

// lookUp returns the mask of the bytes in the class of the chart.
func (l *reader512) lookUp(chart Op) Register {
	VPERMB(chart, block512, found)
	VPTESTMB(quarter, found, K3)
	return word(K3)
}

func (l *reader512) nonScheme(bool) Register {
	return l.lookUp(quarters("notScheme", without(schemeChars)))
}

func (l *reader512) nonHex() Register { return l.lookUp(quarters("notHex", without(hexDigits))) }

func (l *reader512) clear() {}

func (l *reader512) port(_, from, end Register) {
	VPSUBB(broadcast('0'), block512, found)
	VPCMPUB(U8(5), broadcast(10), found, K3) // not less
	others := word(K3)
	SHRXQ(from, others, others)
	SUBQ(end, from)
	NEGQ(from)
	BZHIQ(from, others, others)
	JNZ(LabelRef("slow"))
}

func (l *reader512) seek(hit string) {
	VPCMPEQB(question, block512, K3)
	KORQ(high, K3, K3)
	KORTESTQ(odd, K3)
	JNZ(LabelRef(hit))
}

func (l *reader512) seekRare(p Register, hit string) {
	VPADDB(broadcast(0x40), block512, quarter)
	VPMOVB2M(block512, high)
	VPERMB(illegal512, block512, found)
	VPTESTMB(quarter, found, odd)
	VPERMB(nonHex512, block512, found)
	VPCMPEQB(Mem{Base: p, Disp: -1}, percent, K3)
	VPCMPEQB(Mem{Base: p, Disp: -2}, percent, K4)
	KORQ(K3, seen, seen)
	KORQ(K3, K4, K3)
	VPTESTMB(quarter, found, K3, K4)
	KORQ(high, odd, odd)
	KORTESTQ(odd, K4)
	JNZ(LabelRef("slow"))
	VPCMPEQB(broadcast('?'), block512, K3)
	VPCMPEQB(broadcast('#'), block512, K4)
	KORTESTQ(K3, K4)
	JNZ(LabelRef(hit))
}

func (l *reader512) noted() Register { return word(seen) }

func (l *reader512) more(*scan) {}

// reader2 is the reader for AVX2.
type reader2 struct {
	block     halves
	rows      halves        // what the upper four bits of each byte look up
	rectangle halves        // the rectangle of each byte, zero if it is not plain
	tables    [3]VecVirtual // what the upper and the lower four bits look up, and HEXDIG for the lower ones
	met       VecVirtual    // where seekRare has met "%"
	past      Register      // the mask of what is past a short block; nil for a whole block
	odd       Register      // the bytes that are not plain, if rare or short has found them
}

// rectangles are the plain bytes as rows by columns of the ASCII chart, one bit each. The first
// schemeRectangles of them are those of a scheme. No byte is in two of them.
var rectangles = []struct {
	rows    []byte
	columns string // as they are in the first row
}{
	{[]byte{4, 6}, "ABCDEFGHIJKLMNO"},
	{[]byte{5, 7}, "PQRSTUVWXYZ"},
	{[]byte{2}, "+-."},
	{[]byte{3}, digits},
	{[]byte{2}, "!$&'()*,/"},
	{[]byte{3}, ":;=?"},
	{[]byte{5}, "_"},
	{[]byte{7}, "~"},
}

const schemeRectangles = 4

// hexRectangles has the columns of HEXDIG by the index of the rectangle in whose rows they are.
var hexRectangles = map[int]string{0: "ABCDEF", 3: digits}

// rectangleTables returns what the upper four bits of a byte look up, and what the lower four bits do. A byte
// is in the rectangles whose bits both have.
func rectangleTables() (upper, lower, hexLower Mem) {
	var rows, columns, hex [16]byte
	for k, r := range rectangles {
		for _, row := range r.rows {
			rows[row] |= 1 << k
		}
		for _, c := range []byte(r.columns) {
			columns[c&15] |= 1 << k
		}
		for _, c := range []byte(hexRectangles[k]) {
			hex[c&15] |= 1 << k
		}
	}
	twice := func(name string, t [16]byte) Mem { return table(name, bytes.Repeat(t[:], 2)) }
	return twice("rectangleRows", rows), twice("rectangleColumns", columns), twice("rectangleHex", hex)
}

func (l *reader2) name() string { return "scanAVX2" }

func (l *reader2) enter() {
	with("const_avx2")(x86.CMPB(symbol("best"), U8(0)))
	JNE(LabelRef("slowClear"))
	for _, h := range [...]*halves{&l.block, &l.rows, &l.rectangle} {
		*h = halves{YMM(), YMM()}
	}
	l.tables = [3]VecVirtual{YMM(), YMM(), YMM()}
	l.met = YMM()
}

func (l *reader2) begin(rare bool) {
	upper, lower, _ := rectangleTables()
	if rare {
		legal, hex := newNibbles("legal", legal), newNibbles("hex", hexDigits)
		upper, lower = legal.rows, legal.columns
		VMOVDQU(hex.columns, l.tables[2])
		VPXOR(l.met, l.met, l.met)
	}
	VMOVDQU(upper, l.tables[0])
	VMOVDQU(lower, l.tables[1])
}

func (l *reader2) short(p, n Register, rare, edge string) {
	x := GP64()
	Comment("A load reads 32 bytes at least. Those past the input must be in the same page.")
	MOVL(p.(GPVirtual).As32(), x.As32())
	ANDL(U32(4095), x.As32())
	CMPL(x.As32(), U32(4096-64))
	JHI(LabelRef(edge))
	l.whole(Mem{Base: p})
	l.classify()
	l.odd = l.notPlain()
	l.past = l.after(n)
	ANDNQ(l.odd, l.past, l.odd)
	JNZ(LabelRef(rare))
}

// after returns the mask of what is past n bytes.
func (l *reader2) after(n Register) Register {
	past := GP64()
	MOVQ(I32(-1), past)
	SHLXQ(n, past, past)
	return past
}

func (l *reader2) whole(p Mem) {
	l.past = nil
	VMOVDQU(p, l.block[0])
	VMOVDQU(p.Offset(32), l.block[1])
}

func (l *reader2) classify() {
	l.lookUpRows()
	for i, bytes := range l.block {
		VPSHUFB(bytes, l.tables[1], l.rectangle[i])
		VPAND(l.rows[i], l.rectangle[i], l.rectangle[i])
	}
}

// lookUpRows looks up the upper four bits of each byte.
func (l *reader2) lookUpRows() {
	for i, bytes := range l.block {
		VPSRLW(U8(4), bytes, l.rows[i])
	}
	for i := range l.block {
		VPAND(broadcast(0x0F), l.rows[i], l.rows[i])
	}
	for i := range l.block {
		VPSHUFB(l.rows[i], l.tables[0], l.rows[i])
	}
}

// zeros returns 0xFF for each byte that is zero, and zero for the others.
func zeros(h halves) (out halves) {
	zero := YMM()
	VPXOR(zero, zero, zero)
	for i := range h {
		out[i] = YMM()
		VPCMPEQB(zero, h[i], out[i])
	}
	return out
}

// either returns the bits that one half or the other has.
func either(h halves) VecVirtual {
	out := YMM()
	VPOR(h[0], h[1], out)
	return out
}

// jumpIf jumps to the label if the highest bit of a byte is set.
func jumpIf(v VecVirtual, label string) {
	x := GP32()
	VPMOVMSKB(v, x)
	TESTL(x, x)
	JNZ(LabelRef(label))
}

// notPlain returns the mask of the bytes of a block that are not plain.
func (l *reader2) notPlain() Register { return bitsOf(zeros(l.rectangle)) }

func (l *reader2) jumpRare(label string) {
	least := YMM()
	VPMINUB(l.rectangle[0], l.rectangle[1], least)
	jumpIf(zeros(halves{least, least})[0], label)
}

func (l *reader2) rare() Register {
	if l.past == nil {
		l.odd = l.notPlain()
	}
	return l.odd
}

func (l *reader2) mask(b byte, to Register) {
	m := equal(l.block, b)
	switch {
	case l.past == nil:
		MOVQ(m, to)
	case b == '?':
		ORQ(l.past, m)
		MOVQ(m, to)
	default:
		ANDNQ(m, l.past, to)
	}
}

func (l *reader2) nonScheme(rare bool) Register {
	out, m := YMM(), GP64()
	VPADDB(broadcast(0x80-1<<schemeRectangles), l.rectangle[0], out)
	VPMOVMSKB(out, m.As32())
	if rare {
		ORQ(l.odd, m)
	}
	return m
}

func (l *reader2) nonHex() Register {
	_, _, hex := rectangleTables()
	var out halves
	for i, bytes := range l.block {
		lower := YMM()
		VMOVDQU(hex, lower)
		VPSHUFB(bytes, lower, lower)
		VPAND(l.rows[i], lower, lower)
		out[i] = lower
	}
	m := bitsOf(zeros(out))
	if l.past != nil {
		ORQ(l.past, m)
	}
	return m
}

func (l *reader2) clear() { VZEROUPPER() }

// port reads the eight bytes before the end of the port, which must have at most eight digits. If it has
// none, the last of them is the ":".
func (l *reader2) port(p, from, end Register) {
	n := from
	SUBQ(end, n)
	NEGQ(n)
	CMPQ(n, U8(8))
	JHI(LabelRef("slow"))
	CMPQ(end, U8(8))
	JB(LabelRef("slow"))
	SHLL(U8(3), n.(GPVirtual).As32())
	NEGL(n.(GPVirtual).As32())
	word, over := GP64(), GP64()
	MOVQ(U64(0x3030303030303030), word)
	XORQ(Mem{Base: p, Index: end, Scale: 1, Disp: -8}, word)
	SHRXQ(n, word, word)
	MOVQ(U64(0x7676767676767676), over)
	ADDQ(word, over)
	ORQ(word, over)
	MOVQ(U64(0x8080808080808080), word)
	TESTQ(word, over)
	JNZ(LabelRef("slow"))
}

func (l *reader2) seek(hit string) {
	least, stops := YMM(), halves{YMM(), YMM()}
	VPMINUB(l.rectangle[0], l.rectangle[1], least)
	for i, bytes := range l.block {
		VPCMPEQB(broadcast('?'), bytes, stops[i])
	}
	VPOR(stops[0], stops[1], stops[0])
	VPOR(zeros(halves{least, least})[0], stops[0], stops[0])
	jumpIf(stops[0], hit)
}

func (l *reader2) seekRare(p Register, hit string) {
	l.classify()
	illegal := zeros(l.rectangle)
	var hex halves
	for i, bytes := range l.block {
		hex[i] = YMM()
		VPSHUFB(bytes, l.tables[2], hex[i])
		VPAND(l.rows[i], hex[i], hex[i])
	}
	percent := YMM()
	VMOVDQU(broadcast('%'), percent)
	for i, nonHex := range zeros(hex) {
		one, two := YMM(), YMM()
		VPCMPEQB(Mem{Base: p, Disp: 32*i - 1}, percent, one)
		VPCMPEQB(Mem{Base: p, Disp: 32*i - 2}, percent, two)
		VPOR(one, l.met, l.met)
		VPOR(one, two, two)
		VPAND(nonHex, two, two)
		VPOR(two, illegal[i], illegal[i])
	}
	jumpIf(either(illegal), "slow")
	var stops [2]halves
	for k, b := range []byte("?#") {
		for i, bytes := range l.block {
			stops[k][i] = YMM()
			VPCMPEQB(broadcast(b), bytes, stops[k][i])
		}
	}
	jumpIf(either(halves{either(stops[0]), either(stops[1])}), hit)
}

func (l *reader2) noted() Register {
	m := GP64()
	VPMOVMSKB(l.met, m.As32())
	return m
}

// more emits the code for a short block that a page may end in. It reads the 64 bytes that end where the
// block ends.
func (l *reader2) more(k *scan) {
	Label("edge")
	l.whole(Mem{Base: k.p, Index: k.n, Scale: 1, Disp: -64})
	l.classify()
	before := GP64() // 64 - n, modulo 64
	MOVQ(k.n, before)
	NEGQ(before)
	odd := l.notPlain()
	SHRXQ(before, odd, odd)
	TESTQ(odd, odd)
	JNZ(LabelRef("slow"))

	past := l.after(k.n)
	for i := range l.rectangle {
		VPADDB(broadcast(0x80-1<<schemeRectangles), l.rectangle[i], l.rectangle[i])
	}
	nonScheme := bitsOf(l.rectangle)
	SHRXQ(before, nonScheme, nonScheme)
	SHRXQ(before, equal(l.block, ':'), k.colons)
	SHRXQ(before, equal(l.block, '/'), k.slashes)
	SHRXQ(before, equal(l.block, '?'), k.questions)
	ORQ(past, k.questions)
	l.clear()
	TZCNTQ(nonScheme, k.i)
	LEAQ(Mem{Base: k.slashes, Index: k.questions, Scale: 1}, k.delims)
	JMP(LabelRef("short_masks"))
}
