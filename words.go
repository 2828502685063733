package uri

import (
	"math/bits"
	"strings"
)

// Eight bytes at a time, as a 64-bit word.

const (
	ones = ^uint64(0) / 0xFF // 1 in each byte
	tops = ones << 7         // the top bit of each byte
)

// load returns the first eight bytes of s as a word, the first byte lowest.
func load(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// store writes a word to the first eight bytes of b, the lowest byte first.
func store(b []byte, word uint64) {
	_ = b[7]
	b[0], b[1], b[2], b[3] = byte(word), byte(word>>8), byte(word>>16), byte(word>>24)
	b[4], b[5], b[6], b[7] = byte(word>>32), byte(word>>40), byte(word>>48), byte(word>>56)
}

// zeros returns a word in which the top bit of a byte is set if that byte of x is zero.
func zeros(x uint64) uint64 { return ^((x&^tops + ^tops) | x | ^tops) }

// between returns a word in which the top bit of a byte is set if that byte of x is in the range low to high,
// both ASCII. A byte of x that is not ASCII is not in the range, but the results for the bytes above it may
// be wrong.
func between(x uint64, low, high byte) uint64 {
	// The first sum sets the top bit of every byte from low on, the second that of every byte above high.
	return (x + ones*uint64(0x80-low)) &^ (x + ones*uint64(0x7F-high)) & tops
}

// equalBytes returns the mask of the bytes of the block that are b.
func equalBytes(block string, b byte) (mask uint64) {
	bitsOf := func(s string) uint64 { // moves the top bit of byte i to bit i
		return zeros(load(s)^ones*uint64(b)) >> 7 * 0x0102040810204080 >> 56
	}
	n := len(block)
	i := 0
	for ; n-i >= 8; i += 8 {
		mask |= bitsOf(block[i:]) << i
	}
	switch {
	case i == n:
	case n > 8:
		mask |= bitsOf(block[n-8:]) << (n - 8)
	default:
		for ; i < n; i++ {
			if block[i] == b {
				mask |= 1 << i
			}
		}
	}
	return mask
}

// lacksGeneric is lacks in portable Go: it returns the mask of the bytes of the block that are not in s.
func (s Set) lacksGeneric(block string) (mask uint64) {
	switch {
	case s.classified():
		var m masks
		classifyGeneric(block, &m)
		return m.outside(s)
	case s.hi == 0 && bits.OnesCount64(s.lo) == 1:
		return ^equalBytes(block, byte(bits.TrailingZeros64(s.lo))) & (^uint64(0) >> (-len(block) & 63))
	}
	for i := 0; i < len(block); i++ {
		if !s.Contains(block[i]) {
			mask |= 1 << i
		}
	}
	return mask
}

// digits returns the end of the run of digits of s that starts at i.
func digits(s string, i int) int {
	for i < len(s) && ruleDigit.has(s[i]) {
		i++
	}
	return i
}

// digitRun is digits for long runs: it reads eight bytes at a time.
func digitRun(s string, i int) int {
	for ; len(s)-i >= 8; i += 8 {
		if between(load(s[i:]), '0', '9') != tops {
			break
		}
	}
	return digits(s, i)
}

// isScheme reports whether s is a scheme.
//
//	scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )                RFC 3986 section 3.1
func isScheme(s string) bool {
	if s == "" || !ruleAlpha.has(s[0]) {
		return false
	}
	for i := 1; i < len(s); i++ {
		if !ruleScheme.has(s[i]) {
			return false
		}
	}
	return true
}

// letters reports whether the first n bytes of x are letters. They must be ASCII. It returns false if n is
// not 1 to 8.
func letters(x uint64, n int) bool {
	over := uint(8*8 - 8*n)
	return over < 64 && between(x|ones*0x20, 'a', 'z')<<over == tops<<over
}

// cutByte is strings.Cut with a single byte as separator.
func cutByte(s string, b byte) (before, after string, found bool) {
	if i := strings.IndexByte(s, b); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}

// indexAny is strings.IndexAny, except that it returns len(s) if s has none of chars. A single byte
// is searched for directly.
func indexAny(s, chars string) (i int) {
	if len(chars) == 1 {
		i = strings.IndexByte(s, chars[0])
	} else {
		i = strings.IndexAny(s, chars)
	}
	if i < 0 {
		return len(s)
	}
	return i
}
