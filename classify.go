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

// A word holds the masks of eight bytes in eight lanes, one lane of eight bits for each class. A
// byte's entry in lanes has the lowest bit of its class's lane set. A word combines eight entries,
// each shifted by its byte's position. The lower half of a word holds the classes that every scan
// reads, the upper half the rare ones.
const (
	__ = 0       // any other byte that is allowed somewhere
	lc = 1 << 0  // ":"
	ls = 1 << 8  // "/"
	lq = 1 << 16 // "?"
	lh = 1 << 24 // "#"
	bd = 1 << 32 // allowed nowhere, and "[" "]"
	la = 1 << 40 // "@"
	lp = 1 << 48 // "%"
	hx = 1 << 56 // HEXDIG

	all  = lc | ls | lq | lh | bd | la | lp | hx
	rare = (bd | la | lp) * 0xFF
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
// bytes, without branching on any byte. One look-up per byte turns every eight bytes into a word,
// and transposing the lanes turns the words into masks.
func classifyGeneric(s string, m *masks) {
	var w [8]uint64
	n := len(s)
	for i, t := 0, s; len(t) >= 8; i++ {
		w[i&7] = fourLanes(t[4:])<<4 | fourLanes(t)
		t = t[8:]
	}
	switch over := -n & 7; {
	case over == 0:
	case n > 8:
		// The last word is read from the last eight bytes, without those that the word before it holds.
		t := s[n-8:]
		w[n>>3] = (fourLanes(t[4:])<<4 | fourLanes(t)) >> over & (0xFF >> over * all)
	default:
		for i := n - 1; i >= 0; i-- {
			w[0] = w[0]<<1 | lanes[s[i]]
		}
	}

	// The lower halves of the words: those of the first four words and of the last four fit into four words.
	const low = 1<<32 - 1
	ab0, ab1 := interleave(w[0]&low|w[4]<<32, w[1]&low|w[5]<<32, 8)
	cd0, cd1 := interleave(w[2]&low|w[6]<<32, w[3]&low|w[7]<<32, 8)
	m.colon, m.question = interleave(ab0, cd0, 16)
	m.slash, m.hash = interleave(ab1, cd1, 16)

	// The upper halves, which are usually all zero.
	if (w[0]|w[1]|w[2]|w[3]|w[4]|w[5]|w[6]|w[7])&rare == 0 {
		m.bad, m.at, m.percent = 0, 0, 0
		return
	}
	ab0, ab1 = interleave(w[0]>>32|w[4]&^low, w[1]>>32|w[5]&^low, 8)
	cd0, cd1 = interleave(w[2]>>32|w[6]&^low, w[3]>>32|w[7]&^low, 8)
	m.bad, m.percent = interleave(ab0, cd0, 16)
	m.at, m.hex = interleave(ab1, cd1, 16)
}

// fourLanes returns the lanes of the first four bytes of s. It goes from the last byte to the first,
// so that one shift moves all the bytes read so far.
func fourLanes(s string) uint64 {
	return ((lanes[s[3]]<<1|lanes[s[2]])<<1|lanes[s[1]])<<1 | lanes[s[0]]
}

// interleave alternates the units of a and b, which are 8 or 16 bits wide. It returns the units at
// even places and those at odd places.
func interleave(a, b uint64, width uint) (even, odd uint64) {
	mask := ^uint64(0) / (1<<width + 1) // the even units
	return a&mask | b&mask<<width, a>>width&mask | b&^mask
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

// brokenPercent finds the first broken pct-encoded that begins in the block of s at base. It returns
// the offset of the first byte that should be a HEXDIG and is not, len(s) if s ends before that
// byte, and -1 if none is broken.
//
//	pct-encoded = "%" HEXDIG HEXDIG                                    RFC 3986 section 2.1
func brokenPercent(s string, base int, m *masks) int {
	if m.percent == 0 {
		return -1
	}
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
