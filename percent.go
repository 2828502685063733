package uri

import (
	"math/bits"
	"slices"
	"strings"
)

// formPlain is the set that application/x-www-form-urlencoded leaves unencoded. It is not based on
// the sets of RFC 3986.
var formPlain = Set{digitLo | 1<<'*' | 1<<'-' | 1<<'.', alphaHi | 1<<('_'-64)}

// AppendEncode appends s to dst with each byte that is not in keep percent-encoded (RFC 3986 section 2.1).
//
// Escapes are in upper case. "%" is encoded too, unless it is in keep; then existing escapes stay as
// they are.
//
// dst must not share memory with s: the output can be longer than the input and would overwrite
// bytes that are still to be read. AppendEncode does not allocate if dst has room.
func AppendEncode[T Text](dst []byte, s T, keep Set) []byte {
	return appendEncoded(dst, text(s), keep, false)
}

// EncodedLen returns the number of bytes that AppendEncode would append.
func EncodedLen[T Text](s T, keep Set) int {
	t := text(s)
	n := len(t)
	for t != "" {
		block := blockAt(t, 0)
		n += 2 * bits.OnesCount64(keep.lacks(block))
		t = t[len(block):]
	}
	return n
}

// AppendFormEncode appends s to dst as a key or value of application/x-www-form-urlencoded.
//
// A space becomes "+". All other bytes except letters, digits and "*-._" are percent-encoded.
//
// dst must not share memory with s: the output can be longer than the input and would overwrite
// bytes that are still to be read. AppendFormEncode does not allocate if dst has room.
func AppendFormEncode[T Text](dst []byte, s T) []byte {
	return appendEncoded(dst, text(s), formPlain, true)
}

// AppendDecode appends s to dst with each escape decoded (RFC 3986 section 2.1). A "+" stays a "+".
//
// If an escape is broken, it returns dst unchanged and [ErrPercent].
//
// dst must not share memory with s; to decode in place, use [DecodeInPlace]. AppendDecode does not
// allocate if dst has room.
//
// Decode only once, and only after splitting the URI into its components. Otherwise its meaning may
// change (section 2.4).
func AppendDecode[T Text](dst []byte, s T) ([]byte, error) {
	return appendDecoded(dst, text(s), false)
}

// AppendFormDecode is AppendDecode for a key or value of application/x-www-form-urlencoded: it also
// decodes "+" to a space. dst must not share memory with s.
func AppendFormDecode[T Text](dst []byte, s T) ([]byte, error) {
	return appendDecoded(dst, text(s), true)
}

// AppendDecodeLenient is AppendDecode for input that may have broken escapes, which it leaves unchanged.
//
// dst must not share memory with s. AppendDecodeLenient does not allocate if dst has room for len(s) bytes.
func AppendDecodeLenient[T Text](dst []byte, s T) []byte {
	t := text(s)
	start := len(dst)
	dst = slices.Grow(dst, len(t))[:start+len(t)]
	n := start
	for {
		run := strings.IndexByte(t, '%')
		if run < 0 {
			run = len(t)
		}
		n += copy(dst[n:], t[:run])
		t = t[run:]
		for len(t) > 0 && t[0] == '%' { // one escape often follows another
			if isEscape(t) {
				dst[n] = unescape(t)
				t = t[len("%00"):]
			} else {
				dst[n] = '%'
				t = t[1:]
			}
			n++
		}
		if t == "" {
			return dst[:n]
		}
	}
}

// DecodeInPlace is like AppendDecode, but decodes b in its own memory. It returns the part of b that holds
// the result.
//
// If an escape is broken, it returns b unchanged and [ErrPercent]. It does not allocate.
func DecodeInPlace(b []byte) ([]byte, error) {
	escapes := countEscapes(text(b), strings.IndexByte(text(b), '%'))
	if escapes < 0 {
		return b, ErrPercent
	}
	if escapes > 0 {
		decodeTo(b[:len(b)-2*escapes], text(b), false, false)
	}
	return b[:len(b)-2*escapes], nil
}

// EqualDecoded reports whether encoded, once decoded, equals plain. It returns false if an escape is
// broken. It writes nothing and does not allocate.
func EqualDecoded[E, P Text](encoded E, plain P) bool {
	return equalDecoded(text(encoded), text(plain), false)
}

// equalDecoded is EqualDecoded. If lenient is set, a "%" that begins no escape represents itself.
func equalDecoded(encoded, plain string, lenient bool) bool {
	i := strings.IndexByte(encoded, '%')
	if i < 0 {
		return encoded == plain
	}
	if i > len(plain) || encoded[:i] != plain[:i] {
		return false
	}
	encoded, plain = encoded[i:], plain[i:]
	for encoded != "" {
		b, n := encoded[0], 1
		if b == '%' {
			if isEscape(encoded) {
				b, n = unescape(encoded), len("%00")
			} else if !lenient {
				return false
			}
		}
		if plain == "" || b != plain[0] {
			return false
		}
		encoded, plain = encoded[n:], plain[1:]
	}
	return plain == ""
}

// equalHost reports whether encoded, once decoded, equals plain, ignoring the case of ASCII letters.
func equalHost(encoded, plain string) bool {
	for encoded != "" {
		b, n := encoded[0], 1
		if isEscape(encoded) {
			b, n = unescape(encoded), len("%00")
		}
		if plain == "" || toLower(b) != toLower(plain[0]) {
			return false
		}
		encoded, plain = encoded[n:], plain[1:]
	}
	return plain == ""
}

// appendEncoded is AppendEncode or, if plus is set, AppendFormEncode.
func appendEncoded(dst []byte, s string, keep Set, plus bool) []byte {
	written := 0 // the number of bytes of s already written
	for base, n := 0, 0; base < len(s); base += n {
		block := blockAt(s, base)
		n = len(block)
		for lacks := keep.lacks(block); lacks != 0; lacks &= lacks - 1 {
			i := base + bits.TrailingZeros64(lacks)
			if written < i {
				dst = append(dst, s[written:i]...)
			}
			if written = i + 1; plus && s[i] == ' ' {
				dst = append(dst, '+')
			} else {
				dst = append(dst, escape(s[i])...)
			}
		}
	}
	return append(dst, s[written:]...)
}

// in returns the mask of the bytes of the block that are in s. The block is not empty.
func (s Set) in(block string) uint64 { return ^s.lacks(block) & (^uint64(0) >> (-len(block) & 63)) }

// appendDecoded is AppendDecode or, if plus is set, AppendFormDecode.
func appendDecoded(dst []byte, s string, plus bool) ([]byte, error) {
	first := strings.IndexByte(s, '%')
	if first < 0 && !(plus && strings.IndexByte(s, '+') >= 0) {
		return append(dst, s...), nil
	}
	escapes := countEscapes(s, first)
	if escapes < 0 {
		return dst, ErrPercent
	}
	start, n := len(dst), len(s)-2*escapes
	dst = slices.Grow(dst, n)[:start+n]
	decodeTo(dst[start:], s, plus, true)
	return dst, nil
}

// countEscapes returns the number of escapes in s, or -1 if one is broken. The first one is at the given
// offset, which is negative if there is none.
func countEscapes(s string, first int) (n int) {
	if first < 0 {
		return 0
	}
	var m masks
	for base, size := first, 0; base < len(s); base += size {
		block := blockAt(s, base)
		size = len(block)
		classify(block, &m)
		if brokenPercent(s, base, &m) >= 0 {
			return -1
		}
		n += bits.OnesCount64(m.percent)
	}
	return n
}

// decodeTo decodes s, in which no escape is broken, to dst, which has the length of the result. dst may
// begin where s does, but then apart must be false.
func decodeTo(dst []byte, s string, plus, apart bool) {
	encoded := Set{lo: percentLo}
	if plus {
		encoded.lo |= 1 << '+'
	}
	n, read := 0, 0 // s[:read] has been decoded to dst[:n]
	for base, size := 0, 0; base < len(s); base += size {
		block := blockAt(s, base)
		size = len(block)
		for found := encoded.in(block); found != 0; found &= found - 1 {
			at := base + bits.TrailingZeros64(found)
			// The text between escapes is usually short: two words are copied whatever its length.
			if run := at - read; apart && run <= 16 && len(s)-read >= 16 && len(dst)-n >= 16 {
				to, from := dst[n:n+16], s[read:read+16]
				store(to, load(from))
				store(to[8:], load(from[8:]))
				n += run
			} else if run > 0 {
				n += copy(dst[n:], s[read:at])
			}
			if read = at + 1; s[at] == '+' {
				dst[n] = ' '
			} else {
				dst[n] = unescape(s[at:])
				read = at + len("%00")
			}
			n++
		}
	}
	copy(dst[n:], s[read:])
}

// isEscape reports whether s begins with an escape.
//
//	pct-encoded = "%" HEXDIG HEXDIG                                    RFC 3986 section 2.1
func isEscape(s string) bool {
	return len(s) > 2 && s[0] == '%' && ruleHexdig.has(s[1]) && ruleHexdig.has(s[2])
}

// unescape returns the byte that the escape at the start of s represents.
func unescape(s string) byte {
	digits := uint(s[1]) | uint(s[2])<<8
	digits = digits&0x0F0F + digits>>6&0x0101*9
	return byte(digits<<4 | digits>>8)
}

// escape returns b as an escape, in upper case.
func escape(b byte) string { return escapes[3*int(b):][:3] }

const escapes = "" +
	"%00%01%02%03%04%05%06%07%08%09%0A%0B%0C%0D%0E%0F%10%11%12%13%14%15%16%17%18%19%1A%1B%1C%1D%1E%1F" +
	"%20%21%22%23%24%25%26%27%28%29%2A%2B%2C%2D%2E%2F%30%31%32%33%34%35%36%37%38%39%3A%3B%3C%3D%3E%3F" +
	"%40%41%42%43%44%45%46%47%48%49%4A%4B%4C%4D%4E%4F%50%51%52%53%54%55%56%57%58%59%5A%5B%5C%5D%5E%5F" +
	"%60%61%62%63%64%65%66%67%68%69%6A%6B%6C%6D%6E%6F%70%71%72%73%74%75%76%77%78%79%7A%7B%7C%7D%7E%7F" +
	"%80%81%82%83%84%85%86%87%88%89%8A%8B%8C%8D%8E%8F%90%91%92%93%94%95%96%97%98%99%9A%9B%9C%9D%9E%9F" +
	"%A0%A1%A2%A3%A4%A5%A6%A7%A8%A9%AA%AB%AC%AD%AE%AF%B0%B1%B2%B3%B4%B5%B6%B7%B8%B9%BA%BB%BC%BD%BE%BF" +
	"%C0%C1%C2%C3%C4%C5%C6%C7%C8%C9%CA%CB%CC%CD%CE%CF%D0%D1%D2%D3%D4%D5%D6%D7%D8%D9%DA%DB%DC%DD%DE%DF" +
	"%E0%E1%E2%E3%E4%E5%E6%E7%E8%E9%EA%EB%EC%ED%EE%EF%F0%F1%F2%F3%F4%F5%F6%F7%F8%F9%FA%FB%FC%FD%FE%FF"
