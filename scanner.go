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

// scanInGo scans the input of v. If that fails, it makes v a view of the empty reference. It gets what the
// kernels cannot decide, and everything if there are none.
//
//lint:ignore U1000 the kernels jump to it
func scanInGo(v *view, form Form) error {
	n, err := v.scanBlocks(form&^Lenient, form&Lenient != 0, v.src)
	v.src = v.src[:n]
	return err
}

// scanBlocks is the state machine: it reads s block by block.
//
// It reads the head (scheme and authority) off the masks of the first block if the head has the
// common shape. Otherwise scanHead reads it and finds its faults. The tail (path, query, fragment)
// is always read off the masks.
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

	base := 0 // offset of the block whose masks m holds
	var m masks
	classify(blockAt(s, 0), &m)
	if form != OriginForm && !(o.scanPlainHead(s, &m) && rules.fits(o) &&
		!(lenient && o.bit(Authority) != 0 && m.percent != 0)) {
		*o = offsets{has: 1 << Path}
		if f := o.scanHead(form, lenient, s); f.why != 0 {
			return o.fail(f)
		}
		base = int(o.pathStart)
		o.seePercent(s[:base])
		classify(blockAt(s, base), &m)
	}

	// path [ "?" query ] [ "#" fragment ]
	query, fragment := n, n // offsets of their delimiters
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
			if f := tailFault(s, base, &m, stop); f.why != 0 {
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
		classify(blockAt(s, base), &m)
	}
	if fragment < n {
		o.has |= 1 << Fragment
	}
	if query < fragment {
		o.has |= 1 << Query
	} else { // no "?", or one that is the fragment's
		query = fragment
	}
	o.pathEnd, o.queryEnd = uint32(query), uint32(fragment)
	return n, nil
}

// scanPlainHead reads the head of s off the masks of the first block if it ends in that block and matches
//
//	[ scheme ":" ] [ "//" reg-name [ ":" port ] ]
//
// It returns false for any other head, valid or not.
func (o *offsets) scanPlainHead(s string, m *masks) bool {
	n := len(s)
	i := 0
	delims := m.slash | m.question | m.hash

	// scheme ":"
	if first := m.colon & (delims ^ (delims - 1)); first != 0 {
		i = bits.TrailingZeros64(first)
		if !isScheme(s[:i]) {
			return false
		}
		o.schemeEnd = uint32(i)
		o.has |= 1 << Scheme
		i++
	} else if delims == 0 && n > blockSize {
		return false
	}

	// "//" authority
	end := i
	if i >= blockSize-2 {
		return false
	}
	if m.slash>>uint(i)&3 == 3 {
		i += 2
		after := ^uint64(0) << uint(i&63)
		in := delims & after
		end = bits.TrailingZeros64(in)
		if in == 0 {
			if n > blockSize {
				return false
			}
			end = n
		}
		in = after & (in - 1) &^ in // the authority's own bytes
		if (m.at|m.bad)&in != 0 {
			return false
		}
		o.has |= 1<<Authority | 1<<Host
		o.authStart, o.hostStart, o.hostEnd = uint32(i), uint32(i), uint32(end)
		if in &= m.colon; in != 0 {
			host := bits.TrailingZeros64(in)
			if digits(s[:end], host+1) != end {
				return false
			}
			o.has |= 1 << Port
			o.hostEnd = uint32(host)
		}
	} else {
		o.authStart, o.hostStart, o.hostEnd = uint32(i), uint32(i), uint32(i)
	}
	o.pathStart = uint32(end)
	return true
}

// scanHead reads the scheme and authority of s, of any shape, and returns their fault if there is one.
func (o *offsets) scanHead(form Form, lenient bool, s string) fault {
	rules := formRules[form]
	i := 0

	// URI          = scheme ":" hier-part [ "?" query ] [ "#" fragment ]              RFC 3986 section 3
	// relative-ref = relative-part [ "?" query ] [ "#" fragment ]                     RFC 3986 section 4.2
	if rules.needs(Scheme) {
		if s != "" && ruleAlpha.has(s[0]) {
			i = schemeRun(s)
		}
		if i == 0 || i == len(s) || s[i] != ':' {
			return fault{ErrScheme, i, -1}
		}
	} else {
		var whole bool
		if i, whole = skip(s, 0, colonEnds, lenient); !whole {
			return fault{ErrPercent, i, percentBefore(s, i)}
		}
	}
	if i < len(s) && s[i] == ':' {
		scheme := i > 0 && ruleAlpha.has(s[0]) && schemeRun(s[:i]) == i
		if rules.forbids(Scheme) || !scheme {
			// path-noscheme: the first segment of a relative reference has no ":"          RFC 3986 section 4.2
			if rules.forbids(Scheme) && scheme {
				return fault{ErrForm, i, i}
			}
			return fault{ErrScheme, i, i}
		}
		o.schemeEnd = uint32(i)
		o.has |= 1 << Scheme
		i++
	} else {
		i = 0
	}

	// hier-part = "//" authority path-abempty / ...                                   RFC 3986 section 3
	if strings.HasPrefix(s[i:], "//") {
		return o.scanAuthority(form, s, i+2)
	}
	o.authStart, o.hostStart, o.hostEnd, o.pathStart = uint32(i), uint32(i), uint32(i), uint32(i)
	return fault{}
}

// scanAuthority reads the authority of s that starts at i.
//
//	authority = [ userinfo "@" ] host [ ":" port ]                     RFC 3986 section 3.2
//
// Until it finds an "@", the bytes may belong to the userinfo as well as to the host and port. If
// they match neither, the fault is at the first byte that userinfo could not have had either.
func (o *offsets) scanAuthority(form Form, s string, i int) fault {
	hasUserinfo := form < AuthorityForm
	o.authStart = uint32(i)
	o.has |= 1<<Authority | 1<<Host

	// userinfo = *( unreserved / pct-encoded / sub-delims / ":" )      RFC 3986 section 3.2.1
	viable, whole := i, true // the end of the bytes that may be userinfo
	if hasUserinfo {
		viable, whole = skip(s, i, atEnds, false)
		if whole && viable < len(s) && s[viable] == '@' {
			o.has |= 1<<Userinfo | 1<<User
			if strings.IndexByte(s[i:viable], ':') >= 0 {
				o.has |= 1 << Password
			}
			i = viable + 1
			hasUserinfo = false
		}
	}

	// host     = IP-literal / IPv4address / reg-name                   RFC 3986 section 3.2.2
	o.hostStart = uint32(i)
	literal := i < len(s) && s[i] == '['
	if literal {
		end, ok := scanIPLiteral(s, i)
		if !ok {
			return fault{ErrIPLiteral, end, i}
		}
		i, hasUserinfo = end, false
	} else {
		// reg-name = *( unreserved / pct-encoded / sub-delims )
		end, ok := skip(s, i, colonEnds|atEnds, false)
		if !ok {
			return fault{ErrPercent, end, percentBefore(s, end)}
		}
		i = end
	}
	o.hostEnd = uint32(i)

	// port     = *DIGIT                                                RFC 3986 section 3.2.3
	why := ErrHost
	if i < len(s) && s[i] == ':' {
		why = ErrPort
		o.has |= 1 << Port
		i = digitRun(s, i+1)
	}
	o.pathStart = uint32(i)

	// In forms with a path, the authority ends at the end of s or before "/", "?" or "#". In the other
	// forms it is all of s.
	if i == len(s) || form < AuthorityForm && isDelim(s[i]) {
		return fault{}
	}
	f := fault{why, i, i}
	switch {
	case form >= AuthorityForm && (s[i] == '@' || isDelim(s[i])):
		f.why = ErrForm
	case hasUserinfo:
		f.at = viable
		if !whole {
			f.why = ErrPercent
		} else if rest := strings.IndexAny(s[viable:], "@/?#"); rest >= 0 && s[viable+rest] == '@' {
			f.why = ErrUserinfo
		}
	}
	return f
}

// scanHostForms scans the forms that have neither path nor query.
func (o *offsets) scanHostForms(form Form, s string) (n int, err error) {
	switch form {
	case AuthorityForm, HostField:
		f := o.scanAuthority(form, s, 0)
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
	o.seePercent(s)
	o.pathEnd, o.queryEnd = uint32(len(s)), uint32(len(s))
	return len(s), nil
}

// seePercent records whether a head that was not read off the masks contains "%".
func (o *offsets) seePercent(head string) {
	if strings.IndexByte(head, '%') >= 0 {
		o.seen |= seenPercent
	}
}

// plainPrefix is the number of bytes in which the first illegal one is looked for before a prefix is scanned.
// Looking in more would take long if there is none.
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
// bracket, one of ends, or a byte that no component allows. If a pct-encoded is broken before that
// byte, skip returns the offset of the break and false.
func skip(s string, i int, ends ends, lenient bool) (end int, whole bool) {
	var m masks
	for n := 0; i < len(s); i += n {
		block := blockAt(s, i)
		n = len(block)
		classify(block, &m)
		if lenient {
			m.allowLoose(s, i, false)
		}
		stop := m.bad | m.slash | m.question | m.hash
		if ends&colonEnds != 0 {
			stop |= m.colon
		}
		if ends&atEnds != 0 {
			stop |= m.at
		}
		if f := tailFault(s, i, &m, stop); f.why != 0 {
			return f.at, f.why != ErrPercent
		}
	}
	return len(s), true
}

// allowLoose removes from the masks of the block of s at base what a lenient scan allows: bytes
// from 0x20 on, "%" and, in a fragment, "#". The fragment may begin in this block.
func (m *masks) allowLoose(s string, base int, inFragment bool) (found seen) {
	bad, hash := m.bad, m.hash
	for rest := bad; rest != 0; rest &= rest - 1 {
		if s[base+bits.TrailingZeros64(rest)] >= ' ' {
			m.bad &^= rest & -rest
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
	at    int // length of the longest prefix that begins some valid input of the form
	match int // length of the longest prefix that matches the form, -1 if none does
}

// fail sets o to the offsets of an empty input, and records the fault in it.
func (o *offsets) fail(f fault) (n int, err error) {
	*o = offsets{has: 1 << Path, fault: uint32(f.at) + 1, match: uint32(f.match + 1), why: f.why}
	return 0, f.why
}

// tailFault returns the first fault in the block of s at base, whose masks are m. The fault is a
// byte of stop or, before it, a broken pct-encoded. It is attributed to the path; the caller
// corrects that if necessary.
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

// percentBefore returns the offset of the "%" of the pct-encoded that is broken at the given offset.
func percentBefore(s string, at int) int {
	if s[at-1] == '%' {
		return at - 1
	}
	return at - 2
}
