package uri

// rule is a set of rules of RFC 3986 that a byte may stand in, one bit a rule. "%" is in none of them: it is
// never a byte by itself, only the first of a pct-encoded (section 2.1), which the code adds where the RFC does.
type rule uint8

const (
	ruleAlpha      rule = 1 << iota // ALPHA
	ruleDigit                       // DIGIT
	ruleHexdig                      // HEXDIG, in either case
	ruleScheme                      // ALPHA / DIGIT / "+" / "-" / "."              section 3.1
	ruleUnreserved                  // ALPHA / DIGIT / "-" / "." / "_" / "~"        section 2.3
	ruleQuery                       // pchar / "/" / "?", also fragment             sections 3.4, 3.5
)

// The kinds of bytes in the chart. The other rules of the RFC are sets of more of these: see Set in percent.go.
const (
	xx = 0                           // may stand nowhere
	pc = 0                           // "%", only as pct-encoded
	ge = 0                           // "#" "[" "]": delimiters only
	qu = ruleQuery                   // "/" "?" ":" "@"
	su = ruleQuery                   // sub-delims but "+"
	pl = ruleScheme | su             // "+"
	un = ruleUnreserved | ruleQuery  // "_" "~"
	ud = ruleScheme | un             // "-" "."
	az = ruleAlpha | ud              // letters
	af = ruleHexdig | az             // letters that are hexadecimal digits
	dg = ruleHexdig | ruleDigit | ud // digits
)

// chart tells which rules each of the 256 bytes is in. Row and column are the byte's two hexadecimal digits.
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

// has tells whether b may stand in one of the rules r.
func (r rule) has(b byte) bool { return chart[b]&r != 0 }
