package uri

import (
	"math/bits"
	"net/netip"
)

// An IP-literal is read byte by byte, except for the part that may be long: most literals are short,
// and nothing in them repeats. Each matcher returns the end of what it read and true. If it fails,
// it returns false and the offset of the first byte that no valid input has there, which is len(s)
// if s is merely cut off.

// scanIPLiteral reads the IP-literal of s whose "[" is at i.
//
//	IP-literal = "[" ( IPv6address / IPvFuture ) "]"                   RFC 3986 section 3.2.2
func scanIPLiteral(s string, i int) (end int, ok bool) {
	i++
	if i < len(s) && s[i]|0x20 == 'v' {
		i, ok = scanIPvFuture(s, i)
	} else {
		i, ok = scanIPv6(s, i)
	}
	if !ok || i == len(s) || s[i] != ']' {
		return i, false
	}
	return i + 1, true
}

// scanIPvFuture reads the IPvFuture of s whose "v" is at i.
//
//	IPvFuture = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )
func scanIPvFuture(s string, i int) (end int, ok bool) {
	i++
	version := i
	i = ruleHexdig.run(s, i)
	if i == version || i == len(s) || s[i] != '.' {
		return i, false
	}
	i++
	address := i
	var m masks
	for n := 0; i < len(s); i += n {
		block := blockAt(s, i)
		n = len(block)
		classify(block, &m)
		if stop := m.bad | m.slash | m.question | m.hash | m.at | m.percent; stop != 0 {
			i += bits.TrailingZeros64(stop)
			break
		}
	}
	return i, i > address
}

// scanIPv6 reads the IPv6address of s that starts at i.
//
//	IPv6address =                            6( h16 ":" ) ls32
//	            /                       "::" 5( h16 ":" ) ls32
//	            / [               h16 ] "::" 4( h16 ":" ) ls32
//	            / [ *1( h16 ":" ) h16 ] "::" 3( h16 ":" ) ls32
//	            / [ *2( h16 ":" ) h16 ] "::" 2( h16 ":" ) ls32
//	            / [ *3( h16 ":" ) h16 ] "::"    h16 ":"   ls32
//	            / [ *4( h16 ":" ) h16 ] "::"              ls32
//	            / [ *5( h16 ":" ) h16 ] "::"              h16
//	            / [ *6( h16 ":" ) h16 ] "::"
//	ls32        = ( h16 ":" h16 ) / IPv4address
//	h16         = 1*4HEXDIG
//
// In other words: eight groups of 16 bits, where an IPv4address at the end counts as two, or at most
// seven groups and one "::" anywhere.
func scanIPv6(s string, i int) (end int, ok bool) {
	groups := 8 // the number that may still follow
	elided := false
	for {
		// This is the start of a group, which may be elided.
		if i < len(s) && s[i] == ':' && !elided {
			if groups == 8 { // a "::" at the very start follows no group and its ":"
				if i++; i == len(s) || s[i] != ':' {
					return i, false
				}
			}
			i++
			elided = true
			groups-- // "::" replaces at least one group
			if groups == 0 || i == len(s) || !ruleHexdig.has(s[i]) {
				return i, i < len(s) && s[i] == ']'
			}
		}

		start := i
		for i < len(s) && i < start+4 && ruleHexdig.has(s[i]) {
			i++
		}
		if i == start {
			return i, false
		}
		if i < len(s) && s[i] == '.' && (groups == 2 || elided && groups > 2) {
			end, ok := scanIPv4(s, start)
			return max(i, end), ok
		}
		groups--
		switch {
		case i == len(s):
			return i, false
		case s[i] == ']':
			return i, elided || groups == 0
		case s[i] != ':' || groups == 0:
			return i, false
		}
		i++
	}
}

// scanIPv4 reads the IPv4address of s that starts at i.
//
//	IPv4address = dec-octet "." dec-octet "." dec-octet "." dec-octet
//	dec-octet   = DIGIT                 ; 0-9
//	            / %x31-39 DIGIT         ; 10-99
//	            / "1" 2DIGIT            ; 100-199
//	            / "2" %x30-34 DIGIT     ; 200-249
//	            / "25" %x30-35          ; 250-255
func scanIPv4(s string, i int) (end int, ok bool) {
	for octet := 1; ; octet++ {
		start, value := i, 0
		for i < len(s) && ruleDigit.has(s[i]) && (i == start || value > 0) && value*10+int(s[i]-'0') <= 255 {
			value = value*10 + int(s[i]-'0')
			i++
		}
		switch {
		case i == start:
			return i, false
		case octet == 4:
			return i, true
		case i == len(s) || s[i] != '.':
			return i, false
		}
		i++
	}
}

// hostKind returns the rule that a valid host matches.
func hostKind(host string) HostKind {
	if len(host) > 2 && host[0] == '[' {
		if host[1]|0x20 == 'v' {
			return IPvFuture
		}
		return IPv6
	}
	if end, ok := scanIPv4(host, 0); ok && end == len(host) {
		return IPv4
	}
	return RegName
}

// AppendAddr appends an address as the host of a URI: IPv4 in decimal, IPv6 in brackets and in the
// canonical form of RFC 5952.
//
// It fails with [ErrIPLiteral] and returns dst unchanged for the zero Addr and for an address with a
// zone, which a URI cannot have (RFC 9844). It does not allocate if dst has room.
func AppendAddr(dst []byte, addr netip.Addr) ([]byte, error) {
	switch {
	case !addr.IsValid() || addr.Zone() != "":
		return dst, ErrIPLiteral
	case addr.Is4():
		return addr.AppendTo(dst), nil
	}
	return append(addr.AppendTo(append(dst, '[')), ']'), nil
}

// maxAddress is the length of the longest host that appendShort appends.
const maxAddress = len("[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]")

// appendShort appends an IPv6 host in the canonical form of RFC 5952.
func appendShort(dst []byte, host string) []byte {
	addr, _ := netip.ParseAddr(host[1 : len(host)-1])
	dst, _ = AppendAddr(dst, addr)
	return dst
}
