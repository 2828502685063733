package uri

import "math/bits"

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

// clues are what a glance at a text finds that may make it ambiguous.
type clues uint8

const (
	clueUpper clues = 1 << iota // one of "A" to "Z" in the head
	clueDot                     // a "." after a "/"
	clueSlash                   // a "/" after a "/" that is not of the head
)

// glanceGeneric is glance in portable Go. The head is ASCII.
func glanceGeneric(s string, head int) (c clues) {
	i := 0
	for ; i+9 <= len(s); i += 8 {
		x := load(s[i:])
		slashes := zeros(x ^ ones*'/')
		next := load(s[i+1:])
		if slashes&zeros(next^ones*'.') != 0 {
			c |= clueDot
		}
		if both := slashes & zeros(next^ones*'/'); both != 0 && both>>(8*max(0, min(head-i, 8))) != 0 {
			c |= clueSlash
		}
		if i < head {
			if over := i + 8 - head; over > 0 {
				x = x << (8 * over) >> (8 * over)
			}
			if between(x, 'A', 'Z') != 0 {
				c |= clueUpper
			}
		}
	}
	for ; i < len(s); i++ {
		if i < head && isUpper(s[i]) {
			c |= clueUpper
		}
		if s[i] == '/' && i+1 < len(s) {
			if s[i+1] == '.' {
				c |= clueDot
			}
			if s[i+1] == '/' && i >= head {
				c |= clueSlash
			}
		}
	}
	return c
}

// zeros returns the top bit of each byte of x that is zero.
func zeros(x uint64) uint64 { return ^((x&^tops + ^tops) | x | ^tops) }

// between returns the top bit of each byte of x that is from low to high, which are ASCII. A byte that is not ASCII gives none,
// but those after it may be wrong.
func between(x uint64, low, high byte) uint64 {
	// The top bit is set by what is added to a byte from low on, and by what is added to one beyond high.
	return (x + ones*uint64(0x80-low)) &^ (x + ones*uint64(0x7F-high)) & tops
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

// A hasher takes a text from its end, in pieces of any size.
type hasher struct {
	state, key uint64
	word       uint64 // bytes that do not yet make eight, the last taken lowest
	size       uint64 // number of bytes taken
}

func newHasher(seed uint64) hasher {
	// Digits of pi, and of the golden ratio.
	return hasher{state: seed ^ 0x243F6A8885A308D3, key: (seed+0x13198A2E03707344)*0x9E3779B97F4A7C15 | 1}
}

// mix takes a word in.
func (h *hasher) mix(word uint64) {
	high, low := bits.Mul64(h.state^word, h.key)
	h.state = high ^ low ^ h.state
}

// addBefore takes what stands before the text taken so far.
func (h *hasher) addBefore(s string) {
	for s != "" {
		if h.size%8 == 0 && len(s) >= 8 {
			h.mix(load(s[len(s)-8:]))
			h.size += 8
			s = s[:len(s)-8]
			continue
		}
		h.word = h.word<<8 | uint64(s[len(s)-1])
		if h.size++; h.size%8 == 0 {
			h.mix(h.word)
			h.word = 0
		}
		s = s[:len(s)-1]
	}
}

func (h *hasher) sum() uint64 {
	h.mix(h.word)
	h.mix(h.size)
	h.mix(0xA4093822299F31D0)
	return h.state
}
