package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// The kernels behind Scan. Each reads a whole reference of the shape
//
//	[ scheme ":" ] [ "//" [ userinfo "@" ] reg-name [ ":" port ] ] path [ "?" query ] [ "#" fragment ]
//
// whose scheme and authority end in the first 64 bytes. It reads them off the masks of that block. In the
// rest, it only looks for "?", "#", broken escapes and illegal bytes. Whatever a kernel cannot decide, valid
// or not, it leaves to scanInGo, which starts again.
//
// A kernel has the same code twice. The first is for blocks whose bytes are all plain. Where one of them is
// not, it goes over to the second. Forms of a host and a port are an authority as a whole, and use a part of
// it.

// A reader reads blocks in one instruction set.
type reader interface {
	name() string
	// enter leaves the kernel unless the machine is to run it.
	enter()
	// begin loads the constants that the blocks of the plain code share, or those of the other code.
	begin(rare bool)
	// short loads a block of n bytes at p, 1 to 63. It jumps to rare if one of them is not plain, and to edge
	// if it would have to read beyond the page.
	short(p, n Register, rare, edge string)
	// whole loads a block of 64 bytes.
	whole(p Mem)
	// classify looks up the classes of the block. jumpRare jumps to the label if a byte is not plain.
	classify()
	jumpRare(label string)
	// mask makes the mask of the bytes that are b. Past a short block, it is all ones for "?", else zero.
	mask(b byte, to Register)
	// nonScheme returns the mask of what a scheme cannot have, perhaps only of the first 32 bytes. Past a
	// short block it may be anything.
	nonScheme(rare bool) Register
	// rare returns the mask of the bytes that are not plain, and nonHex of those that are not HEXDIG.
	rare() Register
	nonHex() Register
	// clear ends the use of vectors, as the masks have been read.
	clear()
	// port jumps to slow unless all bytes from the offset from to the offset end are digits.
	port(p, from, end Register)
	// seek jumps to the label if a byte of the block is "?" or not plain.
	seek(hit string)
	// seekRare does so for "?" and "#" in the block at p. It jumps to slow if a byte is illegal or follows
	// a "%" and is not HEXDIG. It looks for the "%" in the two bytes before the block too, and notes any.
	seekRare(p Register, hit string)
	// noted returns whether seekRare has noted a "%": a number that is not zero if so.
	noted() Register
	// more emits further code of the kernel.
	more(k *scan)
}

// symbol returns the address of the package's variable or function.
func symbol(name string) Mem { return Mem{Symbol: Symbol{Name: "·" + name}, Base: StaticBase} }

// leave jumps to the function, which takes the same arguments.
func leave(function string) {
	Instruction(&ir.Instruction{Opcode: "JMP", Operands: []Op{symbol(function)}, IsTerminal: true})
}

// scan is the state of the generator of a kernel.
type scan struct {
	reader
	v, p, n  GPVirtual // the view, the address of the input or of a block of it, the length of the input
	query    GPVirtual // offset where the path ends
	fragment GPVirtual // offset where the query ends
	flags    GPVirtual
	i, end   GPVirtual
	x        GPVirtual
	masks
}

// masks holds the masks of the first block.
type masks struct{ colons, slashes, questions, delims, hashes, ats, percents GPVirtual }

// offset returns the address of a field of the view's offsets.
func (k *scan) offset(name string) Mem {
	return Mem{Symbol: Symbol{Name: "view_offsets+offsets_" + name}, Base: k.v}
}

// A variant is a version of the code for the first block.
type variant struct {
	label string // the prefix of its labels
	long  bool   // whether the input may go on after the block
	rare  bool   // whether the block may have unusual bytes
}

func (c variant) at(label string) string    { return c.label + "_" + label }
func (c variant) ref(label string) LabelRef { return LabelRef(c.at(label)) }

func generateScan(l reader) {
	TEXT(l.name(), NOSPLIT, "func(v *byte, form uint8) (ret [2]uintptr)")
	k := &scan{reader: l, v: GP64(), p: GP64(), n: GP64(), flags: GP64(), i: GP64(), end: GP64(), x: GP64()}
	k.query, k.fragment = GP64(), GP64()
	k.masks = masks{GP64(), GP64(), GP64(), GP64(), GP64(), GP64(), GP64()}
	Load(Param("v"), k.v)
	l.enter()
	k.source()
	with("const_AuthorityForm")(x86.CMPB(form, U8(0)))
	JAE(LabelRef("special"))
	Label("reference")
	LEAQ(Mem{Base: k.n, Disp: -1}, k.x)
	CMPQ(k.x, U8(63))
	JAE(LabelRef("long"))
	short, shortRare := variant{"short", false, false}, variant{"shortRare", false, true}
	l.begin(false)
	l.short(k.p, k.n, shortRare.label, "edge")
	k.readMasks(short)
	Label(short.at("masks"))
	k.head(short)
	TZCNTQ(k.questions, k.query)
	Label("done")
	k.finish(false)
	k.form()
	k.branches(short)

	Label(shortRare.label)
	k.readRare()
	k.readMasks(shortRare)
	k.head(shortRare)
	TZCNTQ(k.questions, k.query)
	Label("doneRare")
	k.finish(true)
	k.branches(shortRare)
	l.more(k)
	k.special(short)

	long, longRare := variant{"longPlain", true, false}, variant{"longRare", true, true}
	Label("long")
	Comment("Offsets must be less than 1<<31.")
	CMPQ(k.x, U32(1<<31-64))
	JAE(LabelRef("slow"))
	l.begin(false)
	l.whole(Mem{Base: k.p})
	l.classify()
	l.jumpRare(longRare.label)
	k.readMasks(long)
	k.head(long)
	TZCNTQ(k.questions, k.query)
	CMOVQCS(k.n, k.query)
	k.rest()
	k.branches(long)

	Label(longRare.label)
	k.readRare()
	k.readMasks(longRare)
	k.head(longRare)
	TZCNTQ(k.questions, k.query)
	CMOVQCS(k.n, k.query)
	k.restRare()
	k.branches(longRare)

	Label("slow")
	l.clear()
	Label("slowClear")
	leave("scanInGo")
}

// source loads the address and the length of the input.
func (k *scan) source() {
	src := Mem{Symbol: Symbol{Name: "view_src"}, Base: k.v}
	MOVQ(src, k.p)
	MOVQ(src.Offset(8), k.n)
}

// readRare reads the masks of unusual bytes. There must be no other bytes that are not plain, no broken
// escape, and one "#" at most.
func (k *scan) readRare() {
	rare := k.rare()
	k.mask('#', k.hashes)
	k.mask('@', k.ats)
	k.mask('%', k.percents)
	known := GP64()
	LEAQ(Mem{Base: k.hashes, Index: k.ats, Scale: 1}, known)
	ADDQ(k.percents, known)
	CMPQ(known, rare)
	JNE(LabelRef("slow"))

	after := GP64()
	LEAQ(Mem{Base: k.percents, Index: k.percents, Scale: 1}, after)
	LEAQ(Mem{Base: after, Index: after, Scale: 1}, k.x)
	ORQ(k.x, after)
	TESTQ(k.nonHex(), after)
	JNZ(LabelRef("slow"))
}

// readMasks reads the masks that the head needs.
func (k *scan) readMasks(c variant) {
	nonScheme := k.nonScheme(c.rare)
	k.mask(':', k.colons)
	k.mask('/', k.slashes)
	k.mask('?', k.questions)
	TZCNTQ(nonScheme, k.i)
	if !c.long {
		k.clear() // as soon as possible
	}
	if c.rare {
		MOVQ(k.n, k.fragment)
		TESTQ(k.hashes, k.hashes)
		JEQ(c.ref("whole"))
		Comment("A \"#\" ends the path and the authority too; a second one is a fault.")
		BLSRQ(k.hashes, k.x)
		JNZ(LabelRef("slow"))
		TZCNTQ(k.hashes, k.fragment)
		ORQ(k.hashes, k.questions)
		Label(c.at("whole"))
	}
	LEAQ(Mem{Base: k.slashes, Index: k.questions, Scale: 1}, k.delims)
}

// set stores the components in flags.
func (k *scan) set(components string) {
	with("(" + components + ")")(x86.MOVL(U32(0), k.flags.As32()))
}

// head reads the scheme and the authority. It leaves the offset where the path begins in end.
func (k *scan) head(c variant) {
	i, end, x := k.i, k.end, k.x
	Comment("scheme = ALPHA *( ALPHA / DIGIT / \"+\" / \"-\" / \".\" )")
	BTQ(i, k.colons)
	JCC(c.ref("relative"))
	CMPB(Mem{Base: k.p}, U8('A'-1)) // less are digits, "+", "-" and "."
	JB(LabelRef("slow"))
	MOVL(i.As32(), k.offset("schemeEnd"))
	SHRXQ(i, k.slashes, x)
	LEAQ(Mem{Base: i, Disp: len("://")}, i)
	k.set("1<<const_Path|1<<const_Scheme|1<<const_Authority|1<<const_Host")
	ANDL(U8(0b111), x.As32())
	CMPL(x.As32(), U8(0b110))
	JNE(c.ref("rootless"))

	Label(c.at("authority"))
	if c.long {
		CMPQ(i, U8(63))
		JHI(LabelRef("slow"))
	}
	SHRXQ(i, k.delims, end)
	SHRXQ(i, k.colons, x)
	TZCNTQ(end, end)
	if c.long {
		JCS(LabelRef("slow"))
	}
	MOVL(i.As32(), k.offset("authStart"))
	if c.rare {
		SHRXQ(i, k.ats, k.slashes)
		BZHIQ(end, k.slashes, k.slashes)
		JNZ(c.ref("userinfo"))
		Label(c.at("host"))
	}
	MOVL(i.As32(), k.offset("hostStart"))
	TZCNTQ(x, x)
	CMPQ(x, end)
	LEAQ(Mem{Base: end, Index: i, Scale: 1}, end)
	JB(c.ref("port"))
	MOVL(end.As32(), k.offset("hostEnd"))
	Label(c.at("path"))
	MOVL(end.As32(), k.offset("pathStart"))
}

// branches emits what head jumps to.
func (k *scan) branches(c variant) {
	i, end, x := k.i, k.end, k.x
	if c.rare {
		Label(c.at("userinfo"))
		Comment("slashes has the \"@\" of the authority, x the colons.")
		BLSRQ(k.slashes, k.delims)
		JNZ(LabelRef("slow"))
		TZCNTQ(k.slashes, k.slashes)
		with("(1<<const_Userinfo|1<<const_User)")(x86.ORL(U32(1<<31-1), k.flags.As32()))
		BZHIQ(k.slashes, x, k.delims)
		JEQ(c.ref("user"))
		with("(1<<const_Password)")(x86.ORL(U32(1<<31-1), k.flags.As32()))
		Label(c.at("user"))
		INCQ(k.slashes)
		ADDQ(k.slashes, i)
		SUBQ(k.slashes, end)
		SHRXQ(k.slashes, x, x)
		JMP(c.ref("host"))
	}

	Label(c.at("rootless"))
	SUBQ(U8(2), i)
	if c.long {
		CMPQ(i, U8(63))
		JAE(LabelRef("slow"))
	}
	k.set("1<<const_Path|1<<const_Scheme")
	Label(c.at("noAuthority"))
	for _, name := range [...]string{"authStart", "hostStart", "hostEnd"} {
		MOVL(i.As32(), k.offset(name))
	}
	MOVQ(i, end)
	JMP(c.ref("path"))

	Label(c.at("relative"))
	Comment("The first segment must not have a colon.")
	if c.long {
		TESTQ(k.delims, k.delims)
		JEQ(LabelRef("slow"))
	}
	BLSMSKQ(k.delims, x)
	TESTQ(k.colons, x)
	JNZ(LabelRef("slow"))
	XORL(i.As32(), i.As32())
	MOVL(i.As32(), k.offset("schemeEnd"))
	MOVL(k.slashes.As32(), x.As32())
	ANDL(U8(0b11), x.As32())
	k.set("1<<const_Path")
	CMPL(x.As32(), U8(0b11))
	JNE(c.ref("noAuthority"))
	MOVL(U32(len("//")), i.As32())
	k.set("1<<const_Path|1<<const_Authority|1<<const_Host")
	JMP(c.ref("authority"))

	Label(c.at("port"))
	ADDQ(i, x)
	MOVL(x.As32(), k.offset("hostEnd"))
	INCQ(x)
	k.port(k.p, x, end)
	with("(1<<const_Port)")(x86.ORL(U32(1<<31-1), k.flags.As32()))
	JMP(c.ref("path"))
}

// rest reads the blocks after the first one as long as they are plain.
func (k *scan) rest() {
	left := k.i
	MOVQ(k.n, left)
	SUBQ(U8(64), left)
	JEQ(LabelRef("cleared"))
	ADDQ(U8(64), k.p)
	CMPQ(left, U8(64))
	JAE(LabelRef("next"))

	Label("last")
	Comment("The last 64 bytes, the first of which have been read before.")
	k.whole(Mem{Base: k.p, Index: left, Scale: 1, Disp: -64})
	k.classify()
	k.jumpRare("rest")
	k.mask('?', k.x)
	TZCNTQ(k.x, k.x)
	LEAQ(Mem{Base: k.n, Index: k.x, Scale: 1, Disp: -64}, k.x)
	CMPQ(k.x, k.query)
	CMOVQLT(k.x, k.query)
	Label("cleared")
	k.clear()
	JMP(LabelRef("done"))

	Label("next")
	k.whole(Mem{Base: k.p})
	k.classify()
	k.seek("hit")
	Label("onward")
	ADDQ(U8(64), k.p)
	SUBQ(U8(64), left)
	JEQ(LabelRef("cleared"))
	CMPQ(left, U8(64))
	JAE(LabelRef("next"))
	JMP(LabelRef("last"))

	Label("hit")
	k.jumpRare("rest")
	k.mask('?', k.x)
	k.first(k.x, left)
	CMPQ(k.x, k.query)
	CMOVQLT(k.x, k.query)
	JMP(LabelRef("onward"))
}

// first stores in x the offset of the first byte of the mask, that of a block of which left bytes are left.
func (k *scan) first(mask, left Register) {
	TZCNTQ(mask, k.x)
	SUBQ(left, k.x)
	ADDQ(k.n, k.x)
}

// restRare reads the blocks after the first one, of any kind.
func (k *scan) restRare() {
	left := k.i
	MOVQ(k.n, left)
	ADDQ(U8(64), k.p)
	SUBQ(U8(64), left)
	k.begin(true)
	JEQ(LabelRef("end"))
	JMP(LabelRef("block"))

	Label("rest")
	Comment("Goes on for the plain code. All before p has been read, and left bytes are left.")
	MOVQ(k.n, k.fragment)
	XORL(k.percents.As32(), k.percents.As32())
	k.begin(true)
	Label("block")
	CMPQ(left, U8(64))
	JAE(LabelRef("nextRare"))
	Label("lastRare")
	Comment("The last 64 bytes, the first of which have been read before. There must be two bytes before them.")
	CMPQ(k.n, U8(65))
	JEQ(LabelRef("slow"))
	LEAQ(Mem{Base: k.p, Index: left, Scale: 1, Disp: -64}, k.p)
	MOVL(U32(64), left.As32())
	Label("nextRare")
	k.whole(Mem{Base: k.p})
	k.seekRare(k.p, "hitRare")
	Label("onwardRare")
	ADDQ(U8(64), k.p)
	SUBQ(U8(64), left)
	JEQ(LabelRef("end"))
	CMPQ(left, U8(64))
	JAE(LabelRef("nextRare"))
	JMP(LabelRef("lastRare"))

	Label("hitRare")
	k.mask('?', k.x)
	k.first(k.x, left) // without a "?", it is after the block and so after the "#" that the block has
	CMPQ(k.x, k.query)
	CMOVQLT(k.x, k.query)
	k.mask('#', k.hashes)
	TESTQ(k.hashes, k.hashes)
	JEQ(LabelRef("onwardRare"))
	k.first(k.hashes, left)
	BLSRQ(k.hashes, k.hashes)
	JNZ(LabelRef("slow"))
	CMPQ(k.x, k.fragment)
	JEQ(LabelRef("onwardRare")) // one that the last block has again
	CMPQ(k.fragment, k.n)
	JNE(LabelRef("slow"))
	MOVQ(k.x, k.fragment)
	JMP(LabelRef("onwardRare"))

	Label("end")
	CMPB(Mem{Base: k.p, Disp: -1}, U8('%'))
	JEQ(LabelRef("slow"))
	CMPB(Mem{Base: k.p, Disp: -2}, U8('%'))
	JEQ(LabelRef("slow"))
	ORQ(k.noted(), k.percents)
	k.clear()
	CMPQ(k.fragment, k.query)
	CMOVQLT(k.fragment, k.query)
	JMP(LabelRef("doneRare"))
}

// finish stores what is known at the end: the path ends at query, the query at fragment.
func (k *scan) finish(rare bool) {
	x := k.x.As32()
	// flag adds a flag if the carry flag is set.
	flag := func(expression string) {
		SBBL(x, x)
		with("(" + expression + ")")(x86.ANDL(U32(1<<31-1), x))
		ORL(x, k.flags.As32())
	}
	end := k.n
	if rare {
		end = k.fragment
		NEGQ(k.percents)
		flag("const_seenPercent<<16")
		CMPQ(k.fragment, k.n)
		flag("1<<const_Fragment")
	}
	CMPQ(k.query, end)
	flag("1<<const_Query")
	MOVL(k.query.As32(), k.offset("pathEnd"))
	MOVL(end.As32(), k.offset("queryEnd"))
	MOVL(k.flags.As32(), k.offset("has")) // and seen and why
	XORL(x, x)
	MOVQ(k.x, k.offset("fault")) // and match
	MOVQ(k.x, NewParamAddr("ret_itable", 16))
	MOVQ(k.x, NewParamAddr("ret_data", 24))
	CMPB(form, U8(0))
	JNE(LabelRef("form"))
	RET()
}

// form is the address of the form.
var form = NewParamAddr("form", 8)

// loadForm returns the form, without a flag.
func loadForm() GPVirtual {
	f := GP64()
	MOVBLZX(form, f.As32())
	with("const_Lenient^0xFF")(x86.ANDL(U32(1<<31-1), f.As32()))
	return f
}

// special emits the code for what may be a form of a host and a port only: it is an authority as a whole.
func (k *scan) special(short variant) {
	Label("special")
	f := loadForm()
	with("const_AuthorityForm")(x86.CMPL(f.As32(), U32(1<<31-1)))
	JB(LabelRef("reference")) // a lenient one
	with("const_AsteriskForm")(x86.CMPL(f.As32(), U32(1<<31-1)))
	JEQ(LabelRef("slowClear"))
	LEAQ(Mem{Base: k.n, Disp: -1}, k.x)
	CMPQ(k.x, U8(63))
	JAE(LabelRef("slowClear"))
	k.begin(false)
	k.short(k.p, k.n, "slow", "slow")
	k.readMasks(short)
	TZCNTQ(k.delims, k.end)
	CMPQ(k.end, k.n)
	JNE(LabelRef("slow"))
	XORL(k.i.As32(), k.i.As32())
	MOVL(k.i.As32(), k.offset("schemeEnd"))
	k.set("1<<const_Path|1<<const_Authority|1<<const_Host")
	JMP(short.ref("authority"))
}

// form compares what was found with the rule of the form.
func (k *scan) form() {
	rule, known := GP64(), GP64()
	Label("form")
	f := loadForm()
	with("const_OriginForm")(x86.CMPL(f.As32(), U32(1<<31-1)))
	JEQ(LabelRef("origin"))
	Label("rule")
	LEAQ(symbol("formRules"), rule)
	LEAQ(Mem{Base: rule, Index: f, Scale: 4}, rule)
	MOVWLZX(field(rule, "formRule", "known"), known.As32())
	ANDL(k.flags.As32(), known.As32())
	CMPW(known.As16(), field(rule, "formRule", "want"))
	JNE(LabelRef("slowClear"))
	RET()

	Label("origin")
	Comment("An absolute path")
	k.source()
	CMPB(Mem{Base: k.p}, U8('/'))
	JEQ(LabelRef("rule"))
	JMP(LabelRef("slowClear"))
}
