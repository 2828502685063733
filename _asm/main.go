// Command asm writes kernels_amd64.s, the kernels of package uri for amd64. To run it, use go generate in the
// root of the repository. The comments in kernels_amd64.go and scan_amd64.go say what each kernel does.
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("!purego")
	classifyAVX512()
	classifyAVX2()
	generateScan(new(reader512))
	generateScan(new(reader2))
	glance(new(avx512))
	glance(new(avx2))
	lacksAVX512()
	lacksAVX2()
	isOdd(new(avx512))
	isOdd(new(avx2))
	newlines()
	pass.Compile = pass.Concat(pass.Compile, pass.Func(includeDeclarations))
	Generate()
}

// The kernels refer to fields and constants of package uri by name. The assembler takes their values from
// go_asm.h, which the go command writes for every build, so they cannot differ from those of the package. A
// name that the package no longer declares does not assemble.

// includeDeclarations includes go_asm.h.
func includeDeclarations(f *ir.File) error {
	f.Includes = append(f.Includes, "go_asm.h")
	return nil
}

// field returns the named field of the struct at p.
func field(p Register, structure, name string) Mem {
	return Mem{Symbol: Symbol{Name: structure + "_" + name}, Base: p}
}

// An immediate is an expression for the assembler to evaluate.
type immediate struct {
	Constant   // the placeholder for which avo chose the form of the instruction
	expression string
}

func (i immediate) Asm() string { return "$" + i.expression }

// with returns a function that adds an instruction after replacing its constant operand by the expression.
func with(expression string) func(*ir.Instruction, error) {
	return func(i *ir.Instruction, err error) {
		if err != nil {
			panic(err)
		}
		for k, operand := range i.Operands {
			if c, ok := operand.(Constant); ok {
				i.Operands[k] = immediate{c, expression}
			}
		}
		Instruction(i)
	}
}

const (
	letters   = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	digits    = "0123456789"
	hexDigits = digits + "ABCDEFabcdef"
	plain     = letters + digits + "-._~!$&'()*+,;=:/?"
	unusual   = "#@%"           // what the kernels behind Scan expect less often
	legal     = plain + unusual // every byte allowed outside an IP-literal
)

// written holds the tables written so far, by their data.
var written = map[string]Mem{}

// table writes a table of constants and returns its address. If it has written the same data before, it
// returns the address of that.
func table(name string, data []byte) Mem {
	if t, ok := written[string(data)]; ok {
		return t
	}
	t := GLOBL(name, RODATA|NOPTR)
	written[string(data)] = t
	for i := 0; i < len(data); i += 8 {
		DATA(i, U64(binary.LittleEndian.Uint64(data[i:])))
	}
	return t
}

// chart writes a look-up table of the classes of each ASCII byte, one bit per class. The class "" holds the
// bytes that are not legal.
func chart(name string, classes ...string) Mem {
	var data [128]byte
	for b := range data {
		for k, class := range classes {
			if strings.IndexByte(class, byte(b)) >= 0 || class == "" && strings.IndexByte(legal, byte(b)) < 0 {
				data[b] |= 1 << k
			}
		}
	}
	return table(name, data[:])
}

// broadcast writes a table of 64 bytes, all equal to b.
func broadcast(b byte) Mem { return table(fmt.Sprintf("byte%02X", b), bytes.Repeat([]byte{b}, 64)) }

// block loads the n bytes at p, at most 64, and looks up their classes. It does not read past them. It
// returns the mask of the n bytes, the bytes, and their classes. The classes of a byte above 0x7F are those
// of its lower seven bits.
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

// load loads the two halves of a table of 128 bytes.
func load(t Mem) (low, high VecVirtual) {
	low, high = ZMM(), ZMM()
	VMOVDQU64(t, low)
	VMOVDQU64(t.Offset(64), high)
	return low, high
}

func classifyAVX512() {
	// The fields of masks, in the order of the classes in the table. The rare ones start at bad.
	const bad, hex = 4, 7
	fields := [...]string{"colon", "slash", "question", "hash", bad: "bad", "at", "percent", hex: "hex"}
	t := chart("classes", ":", "/", "?", "#", "", "@", "%", hexDigits)
	var bits [len(fields)]Mem
	for k := range bits {
		bits[k] = broadcast(1 << k)
	}
	rareBits := broadcast(0x70)

	TEXT("classifyAVX512", NOSPLIT, "func(p *byte, n int, m *byte)")
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
		MOVQ(word, field(m, "masks", fields[k]))
	}
	for k := range bad {
		test(k, within)
	}
	above, rare := K(), K()
	VPMOVB2M(bytes, above)
	VPTESTMB(rareBits, classes, within, rare)
	KORTESTQ(above, rare)
	JNZ(LabelRef("rare"))
	zero := GP64()
	XORQ(zero, zero)
	for k := bad; k < hex; k++ {
		MOVQ(zero, field(m, "masks", fields[k]))
	}
	VZEROUPPER()
	RET()

	Label("rare")
	Comment("A byte above 0x7F is bad and nothing else.")
	ascii := K()
	KANDNQ(within, above, ascii)
	for k := range fields {
		if k != bad {
			test(k, ascii)
		}
	}
	mask, word := K(), GP64()
	VPTESTMB(bits[bad], classes, ascii, mask)
	KORQ(above, mask, mask)
	KMOVQ(mask, word)
	MOVQ(word, field(m, "masks", fields[bad]))
	VZEROUPPER()
	RET()
}

// A level provides the steps of glance in one instruction set.
type level interface {
	name() string

	// load loads a block: size bytes at p, at most 64.
	load(p Mem, size Register)
	// equal returns the mask of the bytes of the block that are b.
	equal(b byte) Register
	// upper returns the mask of the bytes of the block that are "A" to "Z".
	upper() Register
}

type avx512 struct {
	bytes  VecVirtual
	within Register
}

func (l *avx512) name() string { return "AVX512" }

func (l *avx512) load(p Mem, size Register) {
	l.within = K()
	KMOVQ(bytesWithin(size), l.within)
	l.bytes = ZMM()
	VMOVDQU8_Z(p, l.within, l.bytes)
}

func (l *avx512) equal(b byte) Register {
	k, word := K(), GP64()
	VPCMPEQB(broadcast(b), l.bytes, k) // the bytes past the block are zero, and b never is
	KMOVQ(k, word)
	return word
}

func (l *avx512) upper() Register {
	fromA, k, word := ZMM(), K(), GP64()
	VPSUBB(broadcast('A'), l.bytes, fromA)
	VPCMPUB(U8(1), broadcast(26), fromA, k)
	KMOVQ(k, word)
	return word
}

// halves is a block in two registers of 32 bytes.
type halves [2]VecVirtual

// nibbles is a look-up table of a class in two parts. The lower four bits of a byte are its column in the
// ASCII chart, the upper four its row. Each bit of an entry is for a row. A byte is in the class if the
// entries of its column and its row have a bit in common.
type nibbles struct{ columns, rows Mem }

func newNibbles(class, chars string) nibbles {
	var columns, rows [16]uint8
	for i := range len(chars) {
		row, column := chars[i]>>4, chars[i]&15
		columns[column] |= 1 << row
		rows[row] = 1 << row
	}
	var name strings.Builder
	name.WriteString("rows")
	for row, bits := range rows {
		if bits != 0 {
			name.WriteString(strconv.Itoa(row))
		}
	}
	// VPSHUFB looks up each half of a register in the same half of the table.
	return nibbles{
		table(class+"Columns", bytes.Repeat(columns[:], 2)),
		table(name.String(), bytes.Repeat(rows[:], 2)),
	}
}

// without returns 0xFF for each byte that is not in the class, and zero for the others.
func (t nibbles) without(h halves) (out halves) {
	low4 := YMM()
	VMOVDQU(broadcast(0x0F), low4)
	for i, bytes := range h {
		row, lower := YMM(), YMM()
		VPSRLW(U8(4), bytes, row)
		VPAND(low4, row, row)
		upper := YMM()
		VMOVDQU(t.rows, upper)
		VPSHUFB(row, upper, row)
		VMOVDQU(t.columns, lower)
		VPSHUFB(bytes, lower, lower) // zero for a byte above 0x7F
		VPAND(row, lower, lower)
		zero := YMM()
		VPXOR(zero, zero, zero)
		out[i] = YMM()
		VPCMPEQB(zero, lower, out[i])
	}
	return out
}

// bitsOf returns the mask of the bytes whose highest bit is set.
func bitsOf(h halves) Register {
	low, high := GP64(), GP64()
	VPMOVMSKB(h[0], low.As32())
	VPMOVMSKB(h[1], high.As32())
	SHLQ(U8(32), high)
	ORQ(high, low)
	return low
}

// equal returns the mask of the bytes that are b.
func equal(h halves, b byte) Register {
	constant := broadcast(b)
	out := halves{YMM(), YMM()}
	for i, bytes := range h {
		VPCMPEQB(constant, bytes, out[i])
	}
	return bitsOf(out)
}

// between returns the mask of the bytes from low to high, both ASCII.
func between(h halves, low, high byte) Register {
	out := halves{YMM(), YMM()}
	for i, bytes := range h { // signed, so bytes above high wrap to below low
		VPADDB(broadcast(127-high), bytes, out[i])
		VPCMPGTB(broadcast(127-high+low-1), out[i], out[i])
	}
	return bitsOf(out)
}

// loadHalves loads 64 bytes at p.
func loadHalves(p Mem) halves {
	h := halves{YMM(), YMM()}
	VMOVDQU(p, h[0])
	VMOVDQU(p.Offset(32), h[1])
	return h
}

// bytesWithin returns the mask of the first n bytes of a block.
func bytesWithin(n Register) Register {
	within := GP64()
	MOVQ(I32(-1), within)
	BZHIQ(n, within, within)
	return within
}

type avx2 struct {
	bytes  halves
	within Register
}

func (l *avx2) name() string { return "AVX2" }

func (l *avx2) load(p Mem, size Register) {
	l.bytes = loadHalves(p)
	l.within = bytesWithin(size)
}

func (l *avx2) equal(b byte) Register {
	word := equal(l.bytes, b)
	ANDQ(l.within, word)
	return word
}

func (l *avx2) upper() Register {
	word := between(l.bytes, 'A', 'Z')
	ANDQ(l.within, word)
	return word
}

func classifyAVX2() {
	good, hex := newNibbles("legal", legal), newNibbles("hex", hexDigits)
	TEXT("classifyAVX2", NOSPLIT, "func(p *byte, n int, m *byte)")
	Doc("classifyAVX2 makes the masks of the n bytes at p, at most 64. It always reads 64 bytes.")
	p, n, m := GP64(), GP64(), GP64()
	Load(Param("p"), p)
	Load(Param("n"), n)
	Load(Param("m"), m)
	h := loadHalves(Mem{Base: p})
	within := bytesWithin(n)
	store := func(name string, word Register) {
		ANDQ(within, word)
		MOVQ(word, field(m, "masks", name))
	}
	store("colon", equal(h, ':'))
	store("slash", equal(h, '/'))
	store("question", equal(h, '?'))
	store("hash", equal(h, '#'))
	store("bad", bitsOf(good.without(h)))
	store("at", equal(h, '@'))
	store("percent", equal(h, '%'))
	JZ(LabelRef("plain"))
	digits := bitsOf(hex.without(h))
	NOTQ(digits)
	store("hex", digits)
	Label("plain")
	VZEROUPPER()
	RET()
}

// glance looks for what makes the input ambiguous: uppercase letters in the head, "/." anywhere, and "//"
// after the head. It combines the masks of all blocks before it tests them, so the only branch to predict is
// that of the loop.
func glance(l level) {
	TEXT("glance"+l.name(), NOSPLIT, "func(p *byte, n, head int) uint8")
	p, n, head := GP64(), GP64(), GP64()
	Load(Param("p"), p)
	Load(Param("n"), n)
	Load(Param("head"), head)

	zero, base, limit := GP64(), GP64(), GP64()
	XORQ(zero, zero)
	XORQ(base, base)
	MOVQ(U32(64), limit)
	var found [3]GPVirtual // the masks of upper, dot, and slash, combined over all blocks
	for k := range found {
		found[k] = GP64()
		XORQ(found[k], found[k])
	}
	carry := GP64() // 1 if the last byte of the previous block is "/"
	XORQ(carry, carry)

	Label("next")
	size := GP64()
	MOVQ(n, size)
	SUBQ(base, size)
	CMPQ(size, limit)
	CMOVQGT(limit, size)
	l.load(Mem{Base: p, Index: base, Scale: 1}, size)

	// before returns the bits of mask for the bytes before head+further.
	before := func(mask Register, further int) Register {
		part := GP64()
		LEAQ(Mem{Base: head, Disp: further}, part)
		SUBQ(base, part)
		CMOVQLT(zero, part)
		CMPQ(part, limit)
		CMOVQGT(limit, part)
		BZHIQ(part, mask, part)
		return part
	}
	ORQ(before(l.upper(), 0), found[0])

	slashes, after := l.equal('/'), GP64()
	LEAQ(Mem{Base: carry, Index: slashes, Scale: 2}, after)
	MOVQ(slashes, carry)
	SHRQ(U8(63), carry)
	ANDQ(after, slashes)
	XORQ(before(slashes, 1), slashes)
	ORQ(slashes, found[2])
	ANDQ(l.equal('.'), after)
	ORQ(after, found[1])

	ADDQ(limit, base)
	CMPQ(base, n)
	JLT(LabelRef("next"))

	clues := GP64()
	for k := len(found) - 1; k >= 0; k-- {
		XORQ(zero, zero)
		TESTQ(found[k], found[k])
		SETNE(zero.As8())
		if k == len(found)-1 {
			MOVQ(zero, clues)
		} else {
			LEAQ(Mem{Base: zero, Index: clues, Scale: 2}, clues)
		}
	}
	VZEROUPPER()
	Store(clues.As8(), ReturnIndex(0))
	RET()
}

// isOdd looks for ";", "$", "./" and "--". Like glance, it combines the masks of all blocks before it tests
// them.
func isOdd(l level) {
	TEXT("odd"+l.name(), NOSPLIT, "func(p *byte, n int) bool")
	p, n := GP64(), GP64()
	Load(Param("p"), p)
	Load(Param("n"), n)

	base, limit, found := GP64(), GP64(), GP64()
	XORQ(base, base)
	MOVQ(U32(64), limit)
	XORQ(found, found)
	pairs := [...]struct {
		first, second byte
		carry         Register // 1 if the last byte of the previous block is first
	}{{'.', '/', GP64()}, {'-', '-', GP64()}}
	for _, pair := range pairs {
		XORQ(pair.carry, pair.carry)
	}

	Label("next")
	size := GP64()
	MOVQ(n, size)
	SUBQ(base, size)
	CMPQ(size, limit)
	CMOVQGT(limit, size)
	l.load(Mem{Base: p, Index: base, Scale: 1}, size)

	ORQ(l.equal(';'), found)
	ORQ(l.equal('$'), found)
	for _, pair := range pairs {
		firsts, after := l.equal(pair.first), GP64()
		LEAQ(Mem{Base: pair.carry, Index: firsts, Scale: 2}, after)
		MOVQ(firsts, pair.carry)
		SHRQ(U8(63), pair.carry)
		ANDQ(l.equal(pair.second), after)
		ORQ(after, found)
	}

	ADDQ(limit, base)
	CMPQ(base, n)
	JLT(LabelRef("next"))

	is := GP64()
	TESTQ(found, found)
	SETNE(is.As8())
	VZEROUPPER()
	Store(is.As8(), ReturnIndex(0))
	RET()
}
