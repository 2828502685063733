package uri

import "math/bits"

// A block is up to 64 bytes of the input. Classifying it produces one 64-bit mask for each class of
// bytes that the grammar depends on: bit i of a mask is set if byte i of the block is in the class.
// The state machine in scanner.go reads nothing but these masks, so a component's end is the lowest
// bit of a mask and a rule is an AND that must be zero.

// blockSize is the number of bytes that one mask covers.
const blockSize = 64

// blockAt returns the block of s at base. It adds nothing to base, because the sum could overflow a
// 32-bit int.
func blockAt(s string, base int) string { return s[base:][:min(len(s)-base, blockSize)] }

// masks holds the classes of one block. In a block of fewer than 64 bytes, the bits past its end are zero.
type masks struct {
	colon    uint64 // ":"
	slash    uint64 // "/"
	question uint64 // "?"
	hash     uint64 // "#"
	bad      uint64 // allowed nowhere, or only around an IP-literal: "[" and "]"
	at       uint64 // "@"
	percent  uint64 // "%"
	hex      uint64 // HEXDIG; valid only if percent is not zero
}

// A word holds the classes of 16 bytes in four lanes of 16 bits. A byte's entry in lanes has the lowest
// bits of some lanes set. A word combines 16 entries, each shifted by its byte's position.
//
// The first two lanes suffice for plain input: they have the delimiters of the head, and what matters in the
// tail. The other two distinguish the classes within each of them, and HEXDIG from the bytes in neither.
const (
	hd = 1 << 0  // the lane of ":" "/" "@"
	tl = 1 << 16 // the lane of "?" "#" "%" and bad bytes
	dx = 1 << 32
	dy = 1 << 48

	__ = 0            // any other byte that is allowed somewhere
	hx = dx           // HEXDIG
	lc = hd           // ":"
	ls = hd | dx      // "/"
	la = hd | dy      // "@"
	lq = tl           // "?"
	lh = tl | dx      // "#"
	lp = tl | dy      // "%"
	bd = tl | dx | dy // allowed nowhere, and "[" "]"

	lane     = 1<<16 - 1 // the bits of one lane
	allLanes = hd | tl | dx | dy
)

// lanes is the chart of RFC 3986 in the form that the classifier reads. A test proves that it agrees
// with chart.
var lanes = [256]uint64{
	//   0   1   2   3   4   5   6   7   8   9   A   B   C   D   E   F
	/*0*/ bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd,
	/*1*/ bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd,
	//       !   "   #   $   %   &   '   (   )   *   +   ,   -   .   /
	/*2*/ bd, __, bd, lh, __, lp, __, __, __, __, __, __, __, __, __, ls,
	//   0   1   2   3   4   5   6   7   8   9   :   ;   <   =   >   ?
	/*3*/ hx, hx, hx, hx, hx, hx, hx, hx, hx, hx, lc, __, bd, __, bd, lq,
	//   @   A   B   C   D   E   F   G   H   I   J   K   L   M   N   O
	/*4*/ la, hx, hx, hx, hx, hx, hx, __, __, __, __, __, __, __, __, __,
	//   P   Q   R   S   T   U   V   W   X   Y   Z   [   \   ]   ^   _
	/*5*/ __, __, __, __, __, __, __, __, __, __, __, bd, bd, bd, bd, __,
	//   `   a   b   c   d   e   f   g   h   i   j   k   l   m   n   o
	/*6*/ bd, hx, hx, hx, hx, hx, hx, __, __, __, __, __, __, __, __, __,
	//   p   q   r   s   t   u   v   w   x   y   z   {   |   }   ~ DEL
	/*7*/ __, __, __, __, __, __, __, __, __, __, __, bd, bd, bd, __, bd,
	/*8*/ bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd,
	/*9*/ bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd,
	/*A*/ bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd,
	/*B*/ bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd,
	/*C*/ bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd,
	/*D*/ bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd,
	/*E*/ bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd,
	/*F*/ bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd, bd,
}

// classifyGeneric is the classifier in portable Go. It makes the masks of s, which has at most 64
// bytes, without branching on any byte.
func classifyGeneric(s string, m *masks) {
	a, b, c, d, at := look(s)
	head, tail := join(a, b, c, d, at), join(a>>16, b>>16, c>>16, d>>16, at)
	x, y := join(a>>32, b>>32, c>>32, d>>32, at), join(a>>48, b>>48, c>>48, d>>48, at)
	m.colon = head &^ (x | y)
	m.slash = head & x
	m.question = tail &^ (x | y)
	m.hash = tail & x &^ y
	m.bad = tail & x & y
	m.at = head & y
	m.percent = tail & y &^ x
	m.hex = x &^ (head | tail)
}

// delims returns the first two lanes of s, which has at most 64 bytes.
func delims(s string) (head, tail uint64) {
	a, b, c, d, at := look(s)
	return join(a, b, c, d, at), join(a>>16, b>>16, c>>16, d>>16, at)
}

// halfSize is the number of bytes in two words.
const halfSize = blockSize / 2

// look returns the words of the first 32 bytes of s, those of its last 32 bytes, and where the latter
// begin. All lengths from 32 to 64 take the same steps, although some bytes are looked up twice: a branch
// for each word was mispredicted too often.
func look(s string) (a, b, c, d uint64, at uint) {
	n := len(s)
	if n < halfSize {
		var padded [halfSize]byte
		copy(padded[:], s)
		a, b = half(text(padded[:]))
		in := uint64(1)<<n - 1
		return a & (in & lane * allLanes), b & (in >> 16 * allLanes), 0, 0, 0
	}
	a, b = half(s)
	c, d = half(s[n-halfSize:])
	return a, b, c, d, uint(n - halfSize)
}

// half returns the two words of the first 32 bytes of s.
func half(s string) (a, b uint64) {
	s = s[:halfSize]
	a = (four(s[12:])<<4|four(s[8:]))<<8 | four(s[4:])<<4 | four(s)
	b = (four(s[28:])<<4|four(s[24:]))<<8 | four(s[20:])<<4 | four(s[16:])
	return a, b
}

// four returns the lanes of the first four bytes of s. It goes from the last byte to the first, so that
// one shift moves all the bytes read so far.
func four(s string) uint64 {
	return ((lanes[s[3]]<<1|lanes[s[2]])<<1|lanes[s[1]])<<1 | lanes[s[0]]
}

// join returns the mask of the lowest lane of the words of a block.
func join(a, b, c, d uint64, at uint) uint64 {
	return a&lane | b&lane<<16 | (c&lane|d&lane<<16)<<(at&63)
}

// outside returns the bytes of the block that are not in s. The masks alone must be able to decide
// this: see Set.classified.
func (m *masks) outside(s Set) uint64 {
	// without returns all ones if b is not in the given half of s, else zero.
	without := func(half uint64, b byte) uint64 { return half>>(b&63)&1 - 1 }
	return m.bad | m.colon&without(s.lo, ':') | m.slash&without(s.lo, '/') | m.question&without(s.lo, '?') |
		m.hash&without(s.lo, '#') | m.percent&without(s.lo, '%') | m.at&without(s.hi, '@')
}

// classified reports whether the masks suffice to decide which bytes are in s: s contains every byte
// that has no class, and no byte of the class that is allowed nowhere.
func (s Set) classified() bool {
	const lo, hi = regNameLo, unreservedHi
	const ownLo, ownHi = colonLo | slashLo | questionLo | hashLo | percentLo, atHi
	return s.lo&^ownLo == lo && s.hi&^ownHi == hi
}

// brokenPercent finds the first broken escape that begins in the block of s at base. It returns the offset of
// the first byte that should be a HEXDIG and is not, len(s) if s ends before that byte, and -1 if none is
// broken.
//
//	pct-encoded = "%" HEXDIG HEXDIG                                    RFC 3986 section 2.1
func brokenPercent(s string, base int, m *masks) int {
	if broken := (m.percent<<1 | m.percent<<2) &^ m.hex; broken != 0 {
		return min(len(s), base+bits.TrailingZeros64(broken))
	}
	// The digits of an escape that begins in the last two bytes are in the next block.
	for i := m.percent >> (blockSize - 2); i != 0; i >>= 1 {
		base++
		if at := base + blockSize - 1; at >= len(s) || !ruleHexdig.has(s[at]) {
			return at
		}
	}
	return -1
}
