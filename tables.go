package uri

// rule is a set of rules of RFC 3986 that allow a byte, one bit per rule. None of them includes "%": it never
// represents itself, but begins an escape (section 2.1), which the code allows where the RFC does.
type rule uint8

const (
	ruleAlpha      rule = 1 << iota // ALPHA
	ruleDigit                       // DIGIT
	ruleHexdig                      // HEXDIG, in either case
	ruleScheme                      // ALPHA / DIGIT / "+" / "-" / "."              section 3.1
	ruleUnreserved                  // ALPHA / DIGIT / "-" / "." / "_" / "~"        section 2.3
	ruleQuery                       // pchar / "/" / "?", also fragment             sections 3.4, 3.5
)

// The kinds of bytes in the chart. Any other rule of the RFC is a union of several kinds: see the
// functions that return a Set.
const (
	xx = 0                           // not allowed anywhere
	pc = 0                           // "%", only in an escape
	ge = 0                           // "#" "[" "]": delimiters only
	qu = ruleQuery                   // "/" "?" ":" "@"
	su = ruleQuery                   // sub-delims except "+"
	pl = ruleScheme | su             // "+"
	un = ruleUnreserved | ruleQuery  // "_" "~"
	ud = ruleScheme | un             // "-" "."
	az = ruleAlpha | ud              // letters
	af = ruleHexdig | az             // letters that are hexadecimal digits
	dg = ruleHexdig | ruleDigit | ud // digits
)

// chart holds the rules that allow each of the 256 bytes. Row and column are the byte's two
// hexadecimal digits.
var chart = [256]rule{
	//   0   1   2   3   4   5   6   7   8   9   A   B   C   D   E   F
	/*0*/ xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx,
	/*1*/ xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx,
	//        !   "   #   $   %   &   '   (   )   *   +   ,   -   .   /
	/*2*/ xx, su, xx, ge, su, pc, su, su, su, su, su, pl, su, ud, ud, qu,
	//    0   1   2   3   4   5   6   7   8   9   :   ;   <   =   >   ?
	/*3*/ dg, dg, dg, dg, dg, dg, dg, dg, dg, dg, qu, su, xx, su, xx, qu,
	//    @   A   B   C   D   E   F   G   H   I   J   K   L   M   N   O
	/*4*/ qu, af, af, af, af, af, af, az, az, az, az, az, az, az, az, az,
	//    P   Q   R   S   T   U   V   W   X   Y   Z   [   \   ]   ^   _
	/*5*/ az, az, az, az, az, az, az, az, az, az, az, ge, xx, ge, xx, un,
	//    `   a   b   c   d   e   f   g   h   i   j   k   l   m   n   o
	/*6*/ xx, af, af, af, af, af, af, az, az, az, az, az, az, az, az, az,
	//    p   q   r   s   t   u   v   w   x   y   z   {   |   }   ~  DEL
	/*7*/ az, az, az, az, az, az, az, az, az, az, az, xx, xx, xx, un, xx,
	/*8*/ xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx,
	/*9*/ xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx,
	/*A*/ xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx,
	/*B*/ xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx,
	/*C*/ xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx,
	/*D*/ xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx,
	/*E*/ xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx,
	/*F*/ xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx, xx,
}

// has reports whether any of the rules r allows b.
func (r rule) has(b byte) bool { return chart[b]&r != 0 }

// run returns the end of the run of bytes of s that starts at i and that r allows. It branches once for every
// eight bytes. Comparing words took longer, except for digits.
func (r rule) run(s string, i int) int {
	for ; len(s)-i >= 8; i += 8 {
		t := s[i:][:8]
		if chart[t[0]]&chart[t[1]]&chart[t[2]]&chart[t[3]]&chart[t[4]]&chart[t[5]]&chart[t[6]]&chart[t[7]]&r == 0 {
			break
		}
	}
	for i < len(s) && r.has(s[i]) {
		i++
	}
	return i
}

func isUnreserved(b byte) bool { return ruleUnreserved.has(b) }

func isUpper(b byte) bool { return b-'A' < 26 }

// toLower returns an ASCII letter in lower case and any other byte unchanged.
func toLower(b byte) byte {
	if isUpper(b) {
		return b | 0x20
	}
	return b
}

// A Set is a set of ASCII bytes. It is an immutable value, so the sets that functions return cannot change.
type Set struct{ lo, hi uint64 }

// The sets of RFC 3986, as bitmaps of the two halves of ASCII. A test proves that they equal the
// RFC's lists.
const (
	digitLo = 0x3FF << '0'
	alphaHi = (1<<26-1)<<('A'-64) | (1<<26-1)<<('a'-64)

	unreservedLo = digitLo | 1<<'-' | 1<<'.'
	unreservedHi = alphaHi | 1<<('_'-64) | 1<<('~'-64)
	subDelimsLo  = 1<<'!' | 1<<'$' | 1<<'&' | 1<<'\'' | 1<<'(' | 1<<')' |
		1<<'*' | 1<<'+' | 1<<',' | 1<<';' | 1<<'='
	colonLo    = 1 << ':'
	slashLo    = 1 << '/'
	questionLo = 1 << '?'
	hashLo     = 1 << '#'
	percentLo  = 1 << '%'
	atHi       = 1 << ('@' - 64)
	bracketsHi = 1<<('['-64) | 1<<(']'-64)

	regNameLo = unreservedLo | subDelimsLo
)

// Unreserved returns the bytes that mean the same whether percent-encoded or not (RFC 3986 section 2.3).
func Unreserved() Set { return Set{unreservedLo, unreservedHi} }

// SubDelims returns the bytes that may delimit parts of a component (RFC 3986 section 2.2).
func SubDelims() Set { return Set{lo: subDelimsLo} }

// GenDelims returns the bytes that delimit components (RFC 3986 section 2.2).
func GenDelims() Set { return Set{colonLo | slashLo | questionLo | hashLo, atHi | bracketsHi} }

// Pchar returns the bytes allowed in a path segment (RFC 3986 section 3.3). Like all of these sets
// it does not contain "%", which only begins an escape.
func Pchar() Set { return Set{regNameLo | colonLo, unreservedHi | atHi} }

// Allowed returns the bytes allowed in the component. For Host they are those of a reg-name.
//
// To keep data from being mistaken for a delimiter within the component, remove that delimiter. For
// a key or a value of a query, use Query.Allowed().Minus(NewSet("&=+")).
func (c Component) Allowed() Set {
	switch c {
	case Scheme:
		return Set{digitLo | 1<<'+' | 1<<'-' | 1<<'.', alphaHi}
	case Authority:
		return Set{regNameLo | colonLo, unreservedHi | atHi | bracketsHi}
	case Userinfo, Password:
		return Set{regNameLo | colonLo, unreservedHi}
	case User, Host:
		return Set{regNameLo, unreservedHi}
	case Port:
		return Set{lo: digitLo}
	case Path:
		return Set{regNameLo | colonLo | slashLo, unreservedHi | atHi}
	case Query, Fragment:
		return Set{regNameLo | colonLo | slashLo | questionLo, unreservedHi | atHi}
	}
	return Set{}
}

// NewSet returns the set of the ASCII bytes in chars. It ignores other bytes.
func NewSet(chars string) (s Set) {
	for i := 0; i < len(chars); i++ {
		switch b := chars[i]; b >> 6 {
		case 0:
			s.lo |= 1 << b
		case 1:
			s.hi |= 1 << (b - 64)
		}
	}
	return s
}

// Union returns the bytes that are in s, in t or in both.
func (s Set) Union(t Set) Set { return Set{s.lo | t.lo, s.hi | t.hi} }

// Minus returns the bytes that are in s but not in t.
func (s Set) Minus(t Set) Set { return Set{s.lo &^ t.lo, s.hi &^ t.hi} }

// Contains reports whether b is in s. No set contains a byte that is not ASCII.
func (s Set) Contains(b byte) bool {
	half := s.lo
	if b >= 64 {
		half = s.hi
	}
	return b < 128 && half>>(b&63)&1 != 0
}
