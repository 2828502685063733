package uri

import "math/bits"

// A hasher reads its input from the end, in pieces of any size.
type hasher struct {
	state, key uint64
	word       uint64 // fewer than eight bytes that are not mixed in yet, the last one taken lowest
	size       uint64 // number of bytes taken
}

func newHasher(seed uint64) hasher {
	// The constants are digits of pi, and of the golden ratio.
	return hasher{state: seed ^ 0x243F6A8885A308D3, key: (seed+0x13198A2E03707344)*0x9E3779B97F4A7C15 | 1}
}

// mix adds a word to the state.
func (h *hasher) mix(word uint64) {
	high, low := bits.Mul64(h.state^word, h.key)
	h.state = high ^ low ^ h.state
}

// addBefore adds s, which precedes the input added so far.
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
