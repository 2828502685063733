package uri

import "strings"

// Bytes looked at by eight.

const (
	ones = ^uint64(0) / 0xFF // 1 in each byte
	tops = ones << 7         // the top bit of each byte
)

// load returns the first eight bytes of s, the first lowest.
func load(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// zeros returns the top bit of each byte of x that is zero.
func zeros(x uint64) uint64 { return ^((x&^tops + ^tops) | x | ^tops) }

// between returns the top bit of each byte of x that is from low to high, which are ASCII. A byte that is not
// ASCII gives none, but those after it may be wrong.
func between(x uint64, low, high byte) uint64 {
	// The top bit is set by what is added to a byte from low on, and by what is added to one beyond high.
	return (x + ones*uint64(0x80-low)) &^ (x + ones*uint64(0x7F-high)) & tops
}

// digits returns the end of the run of digits in s that starts at i.
func digits(s string, i int) int {
	for i < len(s) && ruleDigit.has(s[i]) {
		i++
	}
	return i
}

// digitRun returns the end of the run of digits in s that starts at i.
func digitRun(s string, i int) int {
	for ; len(s)-i >= 8; i += 8 {
		if between(load(s[i:]), '0', '9') != tops {
			break
		}
	}
	return digits(s, i)
}

// isScheme tells whether s is a scheme.
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

// schemeRun returns the end of the run of bytes that a scheme can have in s.
func schemeRun(s string) (i int) {
	for ; len(s)-i >= 8; i += 8 {
		x := load(s[i:])
		letters := between(x|ones*0x20, 'a', 'z')
		if letters|between(x, '0', '9')|between(x, '-', '.')|zeros(x^ones*'+') != tops {
			break
		}
	}
	for i < len(s) && ruleScheme.has(s[i]) {
		i++
	}
	return i
}

// cutByte is strings.Cut for one byte.
func cutByte(s string, b byte) (before, after string, found bool) {
	if i := strings.IndexByte(s, b); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}

// indexAny is strings.IndexAny, but len(s) where there is none. One byte is looked for without detours.
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
