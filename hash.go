package uri

import "math/bits"

// A hasher hashes text from its end to its start, because normalizing yields the last piece first. Pieces can
// have any size: the hash depends only on the text that they make up.
//
// The seed sets the state, a and b. Each step then mixes two words into it: first those of the blocks of 16
// bytes, from the last block on, then those of the front, the remaining 0 to 15 bytes padded with zeros. The
// last step mixes in the length.
//
//	http://│host/abc│d/index.│html?p=1│&q=2&r=3
//	 front │   b    │   a    │   b    │   a
//
// See mix for why no seed is weak.
type hasher struct {
	a, b  uint64
	front [2]uint64 // the bytes that make no block yet; the first one is the lowest byte of front[0]
	size  uint64    // number of bytes taken
}

// Digits of pi, and of the golden ratio.
const (
	saltSeed  = 0x243F6A8885A308D3
	saltStart = 0x9E3779B97F4A7C15
	saltFront = 0xA4093822299F31D0
	saltEnd   = 0xC0AC29B7C97C50DD

	// Both are odd. If their difference were divisible by a large power of two, mix would often be symmetric.
	factorA = 0x452821E638D01377
	factorB = 0x9216D5D98979FB1B
)

func newHasher(seed uint64) (h hasher) {
	h.a, h.b = mix(seed^saltSeed, saltStart)
	return h
}

// mix returns the 128 bits of a*b + (factorA*a+factorB*b)<<64, with the upper half rotated.
//
// The product alone would have weak seeds: a seed for which b is 0 would lose a. The sum loses nothing: if
// one operand is fixed, whatever it is, different values of the other yield different results. To see this,
// fix b, and let 1<<k be the largest power of two that divides it. The lower half determines a mod
// 1<<(64-k). Adding 1<<(64-k) to a adds b>>k + factorA<<(64-k), an odd number, to the upper half, which
// therefore determines the rest of a. If b is 0, the upper half is factorA*a. The same holds with a and b
// exchanged.
//
// The factors and the rotation protect a from the next word, which may be the same again. If b is 0 and
// factorA were 1, the XOR with that word would cancel this one. Without the rotation it would cancel some
// high bits.
func mix(a, b uint64) (uint64, uint64) {
	high, low := bits.Mul64(a, b)
	return bits.RotateLeft64(high+(a*factorA+b*factorB), 32), low
}

// hashText returns the hash that a hasher returns after it has taken s. It is faster, because it keeps the
// state in registers.
//
// If the front were the first 16 bytes, some of which are in a block too, it would need no padding. But these
// bytes could then cancel what that block did to the state: for some seeds, bits of the text had no effect.
func hashText(seed uint64, s string) uint64 {
	h := newHasher(seed)
	if len(s) < 16 {
		h.addBefore(s)
		return h.sum()
	}
	a, b := h.a, h.b
	n := len(s)
	for ; n >= 16; n -= 16 {
		a, b = mix(a^load(s[n-8:]), b^load(s[n-16:]))
	}
	return finish(a^load(s[8:])&(1<<(8*max(n-8, 0))-1), b^load(s)&(1<<(8*n)-1), uint64(len(s)))
}

// addBefore takes s, the piece before those taken so far.
func (h *hasher) addBefore(s string) {
	for s != "" {
		n := min(len(s), 8, 16-int(h.size%16))
		var word uint64 // the last n bytes
		if len(s) >= 8 {
			word = load(s[len(s)-8:]) >> (64 - 8*n)
		} else {
			for i, b := range []byte(s[len(s)-n:]) {
				word |= uint64(b) << (8 * i)
			}
		}
		h.front[1] = h.front[1]<<(8*n) | h.front[0]>>(64-8*n)
		h.front[0] = h.front[0]<<(8*n) | word
		if h.size += uint64(n); h.size%16 == 0 {
			h.a, h.b = mix(h.a^h.front[1], h.b^h.front[0])
			h.front = [2]uint64{}
		}
		s = s[:len(s)-n]
	}
}

// sum returns the hash of the text taken.
func (h *hasher) sum() uint64 { return finish(h.a^h.front[1], h.b^h.front[0], h.size) }

// finish completes the step that takes the front, mixes in the size, and returns the hash.
func finish(a, b, size uint64) uint64 {
	a, b = mix(a, b^saltFront)
	a, b = mix(a^size, b^saltEnd^bits.RotateLeft64(a, 32))
	return a ^ b
}
