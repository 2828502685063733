package uri

import (
	"math/bits"
	"strings"
)

// A formRule is how a form differs from a URI-reference: the components in known are present if and only if
// they are in want.
type formRule struct{ known, want uint16 }

// formRules has the rules of the forms. The kernels read them too.
var formRules = [...]formRule{
	Reference:     {},
	URI:           {1 << Scheme, 1 << Scheme},
	AbsoluteURI:   {1<<Scheme | 1<<Fragment, 1 << Scheme},
	RelativeRef:   {1 << Scheme, 0},
	OriginForm:    {1<<Scheme | 1<<Authority | 1<<Fragment, 0}, // and the path is absolute
	AuthorityForm: {1 << Port, 1 << Port},
	AsteriskForm:  {},
	HostField:     {},
}

// fits reports whether o has the components that the form needs, and none that it forbids.
func (r formRule) fits(o *offsets) bool { return o.has&r.known == r.want }

// needs reports whether the form needs the component.
func (r formRule) needs(c Component) bool { return r.want>>c&1 != 0 }

// forbids reports whether the form does not allow the component.
func (r formRule) forbids(c Component) bool { return r.known&^r.want>>c&1 != 0 }

// scanInGo scans the input of v. If that fails, it makes v a view of the empty reference. It scans what the
// kernels cannot decide, or everything if there are no kernels.
//
//lint:ignore U1000 the kernels jump to it
func scanInGo(v *view, form Form) error {
	n, err := v.scanBlocks(form&^Lenient, form&Lenient != 0, v.src)
	v.src = v.src[:n]
	return err
}

// scanBlocks is the state machine: it reads s block by block.
//
// Unless a kernel has already tried, scanPlain reads as much as it can. The masks decide the rest.
func (o *offsets) scanBlocks(form Form, lenient bool, s string) (n int, err error) {
	n = len(s)
	*o = offsets{has: 1 << Path}
	switch {
	case uint64(n) > MaxLen:
		return o.fail(fault{ErrTooLong, maxLen, -1})
	case form >= AuthorityForm:
		return o.scanHostForms(form, s)
	case form == OriginForm && (n == 0 || s[0] != '/'):
		return o.fail(fault{ErrPath, 0, -1})
	}
	rules := formRules[form]
	read := 0
	if !kernelScans() {
		read = o.scanPlain(form, s)
		switch fits := rules.fits(o); {
		case fits && read == n:
			return n, nil
		case !fits || read == 0:
			read, *o = 0, offsets{has: 1 << Path}
		}
	}
	b := blocks{s: s, base: read, read: read}
	classify(blockAt(s, read), &b.m)
	if read == 0 && form != OriginForm {
		if f := o.scanHead(form, lenient, &b); f.why != 0 {
			return o.fail(f)
		}
	}

	// path [ "?" query ] [ "#" fragment ]
	m := &b.m
	m.bad &= b.from(max(int(o.pathStart), b.read)) // the brackets of an IP-literal precede these
	base := b.base
	query, fragment := n, n // offsets of their delimiters
	if o.has&(1<<Query) != 0 {
		query = int(o.pathEnd)
	}
	if o.has&(1<<Fragment) != 0 {
		fragment = int(o.queryEnd)
	}
	for {
		if m.percent != 0 {
			o.seen |= seenPercent
		}
		if lenient {
			o.seen |= m.allowLoose(s, base, fragment < n)
		}
		stop := m.bad
		if m.hash != 0 {
			if fragment < n || rules.forbids(Fragment) {
				stop |= m.hash
			} else {
				fragment = base + bits.TrailingZeros64(m.hash)
				stop |= m.hash & (m.hash - 1)
			}
		}
		if query == n && m.question != 0 {
			query = base + bits.TrailingZeros64(m.question)
		}
		if stop|m.percent != 0 {
			if f := tailFault(s, base, m, stop); f.why != 0 {
				switch {
				case f.why == ErrPercent:
				case s[f.at] == '#' && rules.forbids(Fragment):
					f.why = ErrForm
				case f.at > fragment:
					f.why = ErrFragment
				case f.at > query:
					f.why = ErrQuery
				}
				return o.fail(f)
			}
		}
		if n-base <= blockSize {
			break
		}
		base += blockSize
		classify(blockAt(s, base), m)
	}
	o.seen |= b.seen
	if fragment < n {
		o.has |= 1 << Fragment
	}
	if query < fragment {
		o.has |= 1 << Query
	} else { // no "?", or it is part of the fragment
		query = fragment
	}
	o.pathEnd, o.queryEnd = uint32(query), uint32(fragment)
	return n, nil
}

// scanPlain reads s as far as it is plain: a plain head, and a tail in which only delimiters matter. It
// returns the length of what it has read, or zero if the head is not plain.
func (o *offsets) scanPlain(form Form, s string) (read int) {
	n := len(s)
	head, tail := delims(blockAt(s, 0))
	if form != OriginForm && !o.scanPlainHead(s, head|tail) {
		return 0
	}

	// path [ "?" query ] [ "#" fragment ]
	o.pathEnd, o.queryEnd = uint32(n), uint32(n)
	for base := 0; ; {
		for ; tail != 0; tail &= tail - 1 {
			at := base + bits.TrailingZeros64(tail)
			switch {
			case s[at] == '?' && o.has&(1<<Query|1<<Fragment) == 0:
				o.has |= 1 << Query
				o.pathEnd = uint32(at)
			case s[at] == '#' && o.has&(1<<Fragment) == 0:
				o.has |= 1 << Fragment
				o.queryEnd = uint32(at)
				o.pathEnd = min(o.pathEnd, o.queryEnd)
			default:
				return at
			}
		}
		if n-base <= blockSize {
			return n
		}
		base += blockSize
		last := min(base, n-blockSize) // the last block overlaps the one before it
		_, tail = delims(s[last:][:blockSize])
		tail >>= uint(base-last) & 63
	}
}

// scanPlainHead reads the head of s if it is plain: it ends in the first block and matches
//
//	[ scheme ":" ] [ "//" reg-name [ ":" port ] ]
//
// without "%". The bytes in delims are those that may divide or end a head.
func (o *offsets) scanPlainHead(s string, delims uint64) bool {
	n := len(s)

	// scheme ":"
	i := 0
	if delims == 0 {
		if n > blockSize {
			return false
		}
	} else if first := bits.TrailingZeros64(delims); s[first] == ':' {
		if !(n >= 8 && letters(load(s), first)) && !isScheme(s[:first]) {
			return false
		}
		o.schemeEnd = uint32(first)
		o.has |= 1 << Scheme
		i = first + 1
	} else if !isDelim(s[first]) {
		return false
	}

	// "//" authority
	host, end := i, i
	if n-i >= 2 && s[i] == '/' && s[i+1] == '/' {
		i += 2
		host, end = n, n
		if delims >>= uint(i & 63); delims != 0 && i < blockSize {
			host = i + bits.TrailingZeros64(delims)
			if end = host; s[end] == ':' {
				o.has |= 1 << Port
				end = digitRun(s, end+1)
			}
			if end < n && !isDelim(s[end]) {
				return false
			}
		} else if n > blockSize {
			return false
		}
		o.has |= 1<<Authority | 1<<Host
	}
	o.authStart, o.hostStart, o.hostEnd, o.pathStart = uint32(i), uint32(i), uint32(host), uint32(end)
	return true
}

// scanHead reads the scheme and authority of b, and returns their fault if there is one.
func (o *offsets) scanHead(form Form, lenient bool, b *blocks) fault {
	rules, s := formRules[form], b.s

	// URI          = scheme ":" hier-part [ "?" query ] [ "#" fragment ]              RFC 3986 section 3
	// relative-ref = relative-part [ "?" query ] [ "#" fragment ]                     RFC 3986 section 4.2
	i := 0
	if s != "" && ruleAlpha.has(s[0]) {
		i = ruleScheme.run(s, 1)
	}
	scheme := i > 0 && i < len(s) && s[i] == ':'
	switch {
	case rules.needs(Scheme) && !scheme:
		return fault{ErrScheme, i, -1}
	case rules.forbids(Scheme) && scheme:
		return fault{ErrForm, i, i}
	case scheme:
		o.schemeEnd = uint32(i)
		o.has |= 1 << Scheme
		i++
	default:
		// path-noscheme: the first segment of a relative reference has no ":"          RFC 3986 section 4.2
		end, whole := b.skip(i, colonEnds, lenient)
		if !whole {
			return fault{ErrPercent, end, percentBefore(s, end)}
		}
		if end < len(s) && s[end] == ':' {
			return fault{ErrScheme, end, end}
		}
		i = 0
	}

	// hier-part = "//" authority path-abempty / ...                                   RFC 3986 section 3
	if strings.HasPrefix(s[i:], "//") {
		return o.scanAuthority(form, b, i+2)
	}
	o.authStart, o.hostStart, o.hostEnd, o.pathStart = uint32(i), uint32(i), uint32(i), uint32(i)
	return fault{}
}

// scanAuthority reads the authority of b that starts at i.
//
//	authority = [ userinfo "@" ] host [ ":" port ]                     RFC 3986 section 3.2
//
// Until it finds an "@", the bytes may belong to the userinfo as well as to the host and port. If
// they match neither, the fault is at the first byte that could not be part of a userinfo either.
func (o *offsets) scanAuthority(form Form, b *blocks, i int) fault {
	s, n := b.s, len(b.s)
	o.authStart = uint32(i)
	o.has |= 1<<Authority | 1<<Host
	end, whole := b.skip(i, colonEnds|atEnds, false)
	port := portEnd(s, end)

	// userinfo = *( unreserved / pct-encoded / sub-delims / ":" )      RFC 3986 section 3.2.1
	literal := i < n && s[i] == '['
	hasUserinfo := form < AuthorityForm && whole && port < n && !isDelim(s[port]) && !literal
	viable, viableWhole := port, true // the end of the bytes that may be userinfo
	if hasUserinfo {
		viable, viableWhole = b.skip(port, atEnds, false)
		if viableWhole && viable < n && s[viable] == '@' {
			o.has |= 1<<Userinfo | 1<<User
			if end < viable {
				o.has |= 1 << Password
			}
			i = viable + 1
			end, whole = b.skip(i, colonEnds|atEnds, false)
			port = portEnd(s, end)
			hasUserinfo = false
			literal = i < n && s[i] == '['
		}
	}

	// host     = IP-literal / IPv4address / reg-name                   RFC 3986 section 3.2.2
	o.hostStart = uint32(i)
	if literal {
		var ok bool
		if end, ok = scanIPLiteral(s, i); !ok {
			return fault{ErrIPLiteral, end, i}
		}
		port = portEnd(s, end)
	} else if !whole { // reg-name = *( unreserved / pct-encoded / sub-delims )
		return fault{ErrPercent, end, percentBefore(s, end)}
	}
	o.hostEnd = uint32(end)

	// port     = *DIGIT                                                RFC 3986 section 3.2.3
	why := ErrHost
	if port > end {
		why = ErrPort
		o.has |= 1 << Port
	}
	end = port
	o.pathStart = uint32(end)

	// In forms with a path, the authority ends at the end of s or before "/", "?" or "#". In the other
	// forms it is all of s.
	if end == n || form < AuthorityForm && isDelim(s[end]) {
		return fault{}
	}
	f := fault{why, end, end}
	switch {
	case form >= AuthorityForm && (s[end] == '@' || isDelim(s[end])):
		f.why = ErrForm
	case hasUserinfo:
		f.at = viable
		if !viableWhole {
			f.why = ErrPercent
		} else if hasAt(s[viable:]) {
			f.why = ErrUserinfo
		}
	}
	return f
}

// scanHostForms scans the forms that have neither path nor query.
func (o *offsets) scanHostForms(form Form, s string) (n int, err error) {
	switch form {
	case AuthorityForm, HostField:
		b := blocks{s: s}
		classify(blockAt(s, 0), &b.m)
		f := o.scanAuthority(form, &b, 0)
		o.seen = b.seen
		if !formRules[form].fits(o) {
			f.match = -1
			if f.why == 0 {
				f.why, f.at = ErrPort, len(s)
			}
		}
		if f.why != 0 {
			return o.fail(f)
		}
	case AsteriskForm:
		if s != "*" {
			if strings.HasPrefix(s, "*") {
				return o.fail(fault{ErrForm, 1, 1})
			}
			return o.fail(fault{ErrForm, 0, -1})
		}
	default:
		return o.fail(fault{ErrForm, 0, -1})
	}
	o.pathEnd, o.queryEnd = uint32(len(s)), uint32(len(s))
	return len(s), nil
}

// portEnd returns the end of the port of s whose ":" is at i, or i if there is none.
func portEnd(s string, i int) int {
	if i == len(s) || s[i] != ':' {
		return i
	}
	return digitRun(s, i+1)
}

// hasAt reports whether s has an "@" before any byte that ends an authority.
func hasAt(s string) bool {
	s, _, _ = cutByte(s, '/')
	s, _, _ = cutByte(s, '?')
	s, _, _ = cutByte(s, '#')
	return strings.IndexByte(s, '@') >= 0
}

// blocks is an input and the masks of one of its blocks.
type blocks struct {
	s    string
	base int   // the offset of the block
	m    masks // of the block
	seen seen  // what skip noticed
	read int   // the offset where skip stopped
}

// next moves to the next block. It returns false if there is none.
func (b *blocks) next() bool {
	if len(b.s)-b.base <= blockSize {
		return false
	}
	b.seek(b.base + blockSize)
	return true
}

// seek moves to the block that begins at i.
func (b *blocks) seek(i int) {
	b.base = i
	classify(blockAt(b.s, i), &b.m)
}

// from moves to a block that contains the byte at i or ends there. It returns the mask of the bytes at i
// and after it.
func (b *blocks) from(i int) uint64 {
	if uint(i-b.base) > blockSize {
		b.seek(i)
	}
	return ^uint64(0) << uint(i-b.base)
}

// plainPrefix is the number of bytes that are searched for an illegal one before a prefix is scanned.
// Searching more would take too long if there is none.
const plainPrefix = 4 * blockSize

// illegal returns the offset of the first byte of s that no form allows. It returns len(s) if there is none,
// or if it finds a bracket first, which an IP-literal may have.
func illegal(s string) int {
	const lo = regNameLo | colonLo | slashLo | questionLo | hashLo | percentLo
	legal := Set{lo, unreservedHi | atHi}
	for base, n := 0, 0; base < len(s); base += n {
		block := blockAt(s, base)
		n = len(block)
		if found := legal.lacks(block); found != 0 {
			if at := base + bits.TrailingZeros64(found); s[at] != '[' && s[at] != ']' {
				return at
			}
			break
		}
	}
	return len(s)
}

// ends are the delimiters that end a run of pchar in some places only.
type ends uint8

const (
	colonEnds ends = 1 << iota // ":"
	atEnds                     // "@"
)

// skip returns the offset of the first byte at or after i that ends a run of pchar: "/", "?", "#", a
// bracket, one of ends, or a byte that no component allows. If an escape before that byte is broken, skip
// returns the offset of the break and false.
func (b *blocks) skip(i int, ends ends, lenient bool) (end int, whole bool) {
	for from := b.from(i); ; from = ^uint64(0) {
		m := &b.m
		if m.percent != 0 {
			b.seen |= seenPercent
		}
		if lenient {
			loose := *m
			loose.allowLoose(b.s, b.base, false)
			m = &loose
		}
		stop := m.bad | m.slash | m.question | m.hash
		if ends&colonEnds != 0 {
			stop |= m.colon
		}
		if ends&atEnds != 0 {
			stop |= m.at
		}
		stop &= from
		before := from & (stop - 1) &^ stop
		if b.m.bad&before != 0 {
			b.seen |= seenLoose
		}
		if m.percent&before != 0 {
			if f := tailFault(b.s, b.base, m, stop); f.why != 0 {
				end, whole = f.at, f.why != ErrPercent
				break
			}
		} else if stop != 0 {
			end, whole = b.base+bits.TrailingZeros64(stop), true
			break
		}
		if !b.next() {
			end, whole = len(b.s), true
			break
		}
	}
	b.read = end
	return end, whole
}

// allowLoose removes from the masks of the block of s at base what a lenient scan allows: bytes
// from 0x20 on, "%" and, in a fragment, "#". The fragment may begin in this block.
func (m *masks) allowLoose(s string, base int, inFragment bool) (found seen) {
	bad, hash := m.bad, m.hash
	if bits.OnesCount64(bad) > 8 { // in text that is not ASCII, for example
		m.bad = Set{lo: 1<<' ' - 1}.in(blockAt(s, base))
	} else {
		for rest := bad; rest != 0; rest &= rest - 1 {
			if s[base+bits.TrailingZeros64(rest)] >= ' ' {
				m.bad &^= rest & -rest
			}
		}
	}
	m.percent = 0
	if m.hash &= -m.hash; inFragment {
		m.hash = 0
	}
	if m.bad != bad || m.hash != hash {
		found = seenLoose
	}
	return found
}

// isDelim reports whether b ends an authority.
func isDelim(b byte) bool { return b == '/' || b == '?' || b == '#' }

// A fault is where and why an input does not match its form.
type fault struct {
	why   Error
	at    int // length of the longest prefix that is also the start of some valid input of the form
	match int // length of the longest prefix that matches the form, -1 if none does
}

// fail sets o to the offsets of an empty input, and records the fault in it.
func (o *offsets) fail(f fault) (n int, err error) {
	*o = offsets{has: 1 << Path, fault: uint32(f.at) + 1, match: uint32(f.match + 1), why: f.why}
	return 0, f.why
}

// tailFault returns the first fault in the block of s at base, whose masks are m. The fault is a
// byte of stop or, before it, a broken escape. It is attributed to the path; the caller corrects
// that if necessary.
func tailFault(s string, base int, m *masks, stop uint64) fault {
	at := base + bits.TrailingZeros64(stop)
	if broken := brokenPercent(s, base, m); broken >= 0 && (stop == 0 || broken <= at) {
		return fault{ErrPercent, broken, percentBefore(s, broken)}
	}
	if stop == 0 {
		return fault{}
	}
	return fault{ErrPath, at, at}
}

// percentBefore returns the offset of the "%" of the escape that is broken at the given offset.
func percentBefore(s string, at int) int {
	if s[at-1] == '%' {
		return at - 1
	}
	return at - 2
}
