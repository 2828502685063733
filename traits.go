package uri

import (
	"encoding/binary"
	"net/netip"
	"strings"
)

// A Trait is a set of things in a URI that a scan accepts but that other software may interpret
// differently, one bit each. A proxy can reject ambiguous URIs with one AND:
//
//	if v.Traits()&(uri.HasEncodedSlash|uri.HasDotSegment|uri.HasAddressLikeName) != 0 {
//
// [Ambiguous], [AmbiguousHost] and [AmbiguousPath] are sets for common cases. Each CVE number names
// software that was attacked in this way; testdata/traits.txt has more, with examples.
type Trait uint64

const (
	HasEscape            Trait = 1 << iota // an escape
	HasEscapedHost                         // an escape in the host: curl CVE-2022-27780
	HasEncodedSlash                        // "%2F" before the query: Envoy CVE-2021-29492
	HasEncodedBackslash                    // "%5C" before the query: Tomcat CVE-2007-0450
	HasEncodedPercent                      // "%25" before the query, for double decoding: IIS CVE-2001-0333
	HasEncodedNUL                          // "%00": Jetty CVE-2021-34429
	HasEncodedControl                      // "%00" to "%1F" or "%7F", including line ends
	HasDotSegment                          // a "." or ".." segment in the path: Envoy CVE-2019-9901
	HasEncodedDotSegment                   // a segment that is "." or ".." once decoded: httpd CVE-2021-41773
	HasDoubleSlash                         // "//" in the path: Django CVE-2018-14574
	HasUppercaseScheme                     // an upper-case letter in the scheme
	HasUppercaseHost                       // an upper-case letter in the host, outside escapes
	HasAddressLikeName                     // a reg-name that some read as IPv4: "0x7f.1", node-ip CVE-2023-42282
	HasEmptyHost                           // no host where browsers find one: "http:a", Django CVE-2017-7233
	HasTrailingDot                         // "." at the end of the host, once decoded: curl CVE-2022-30115
	HasEmbeddedIPv4                        // an IPv6 address that contains an IPv4 address: Go CVE-2024-24790
	HasNonCanonicalIPv6                    // an IPv6 address not written as in RFC 5952, ignoring case: "[0::1]"
	HasALabel                              // a label of the host begins with "xn--", once decoded
	HasUnusualPort                         // a port that is empty, zero, above 65535, or begins with "0"
	HasPathParam                           // ";" in the path: Shiro CVE-2020-1957
	HasDotSegmentParam                     // a dot segment before ";" or "%3B": "/..;/", F5 CVE-2020-5902
	HasEncodedSemicolon                    // "%3B" in the path: Shiro CVE-2020-13933
	HasEncodedDelimiter                    // "%3F" or "%23" in the path: httpd CVE-2024-38474
	HasOverlongUTF8                        // "%C0%AF" or the like before the query: Tomcat CVE-2008-2938
	HasUnicodeDelimiter                    // "%EF%BC%8F" or the like before the query: Python CVE-2019-9636
	HasWindowsSegment                      // a segment such as "a.", "a%20" or "a::$DATA": nginx CVE-2011-4963
	HasBrokenEscape                        // a "%" without two hexadecimal digits, after a lenient scan
	HasBackslash                           // "\" before the query, after a lenient scan: Django CVE-2014-3730
	HasIllegalInPath                       // another ASCII byte not allowed in a path, after a lenient scan
	HasIllegalInQuery                      // an ASCII byte illegal in a query or fragment, after a lenient scan
	HasNonASCII                            // a byte above 0x7F, after a lenient scan
)

// AmbiguousHost is the set of traits that have made two programs see different hosts or ports in one
// URI. Software that connects only to some hosts should reject them:
//
//   - HasEscapedHost: some programs decode the host, some compare it verbatim.
//   - HasAddressLikeName: some connect to 127.0.0.1 for "0x7f.1", which a list of forbidden hosts does not
//     contain.
//   - HasEmptyHost: browsers skip any slashes after http, https, ws, wss and ftp, and in a reference
//     relative to them. To them the host is "a" in "http:///a", "http:/a", "http:a" and "///a".
//   - HasTrailingDot: "example.com." is the same host to DNS, but another one to lists, cookies and HSTS.
//   - HasEmbeddedIPv4: connections go to the IPv4 address of IPv4-mapped, IPv4-compatible, NAT64 and other
//     addresses, which a list of forbidden addresses does not contain.
//   - HasNonCanonicalIPv6: some compare addresses as text.
//   - HasUnusualPort: some use the default port, some the lowest 16 bits.
//   - HasEncodedNUL, HasEncodedControl: C strings end at NUL, and line ends forge headers.
const AmbiguousHost = HasEscapedHost | HasAddressLikeName | HasEmptyHost | HasTrailingDot |
	HasEmbeddedIPv4 | HasNonCanonicalIPv6 | HasUnusualPort | HasEncodedNUL | HasEncodedControl

// AmbiguousPath is the set of traits that have made two programs see different paths in one URI. A
// proxy that decides by path should reject them:
//
//   - HasEncodedSlash, HasEncodedBackslash, HasBackslash: some programs split the path there.
//   - HasEncodedPercent: software that decodes twice sees another path.
//   - HasEncodedNUL: C strings end there.
//   - HasEncodedControl: line ends forge headers and log lines.
//   - HasDotSegment, HasEncodedDotSegment, HasDoubleSlash: some clean the path before they look at it.
//   - HasPathParam, HasDotSegmentParam, HasEncodedSemicolon: servlets drop a ";" and what follows it in
//     the segment. A site that uses path parameters must allow HasPathParam.
//   - HasEncodedDelimiter: some decode the path, then look for its end.
//   - HasOverlongUTF8: some decode it to "/", "\" or ".".
//   - HasUnicodeDelimiter: Unicode normalization and some conversions yield "/", "\" or ".".
//   - HasWindowsSegment: Windows ignores dots and spaces at the end of a name, and "::$DATA".
//   - HasBrokenEscape, HasIllegalInPath, HasNonASCII: some reject them, some repair them, some drop them.
const AmbiguousPath = HasEncodedSlash | HasEncodedBackslash | HasBackslash | HasEncodedPercent |
	HasEncodedNUL | HasEncodedControl | HasDotSegment | HasEncodedDotSegment | HasDoubleSlash |
	HasPathParam | HasDotSegmentParam | HasEncodedSemicolon | HasEncodedDelimiter | HasOverlongUTF8 |
	HasUnicodeDelimiter | HasWindowsSegment | HasBrokenEscape | HasIllegalInPath | HasNonASCII

// Ambiguous is the union of [AmbiguousHost] and [AmbiguousPath]. A proxy that decides by host or path
// should reject these traits.
const Ambiguous = AmbiguousHost | AmbiguousPath

const traitTexts = "HasEscape HasEscapedHost HasEncodedSlash HasEncodedBackslash HasEncodedPercent " +
	"HasEncodedNUL HasEncodedControl HasDotSegment HasEncodedDotSegment " +
	"HasDoubleSlash HasUppercaseScheme HasUppercaseHost HasAddressLikeName " +
	"HasEmptyHost HasTrailingDot HasEmbeddedIPv4 HasNonCanonicalIPv6 HasALabel HasUnusualPort " +
	"HasPathParam HasDotSegmentParam HasEncodedSemicolon HasEncodedDelimiter " +
	"HasOverlongUTF8 HasUnicodeDelimiter HasWindowsSegment " +
	"HasBrokenEscape HasBackslash HasIllegalInPath HasIllegalInQuery HasNonASCII"

// String returns the names of the traits, separated by "|", for a log.
func (t Trait) String() string {
	text, _ := t.AppendText(nil)
	return string(text)
}

// AppendText appends the names of the traits to dst. The error is always nil.
func (t Trait) AppendText(dst []byte) ([]byte, error) {
	return appendNames(dst, traitTexts, uint64(t)), nil
}

// MarshalText returns a copy of the names of the traits. The error is always nil.
func (t Trait) MarshalText() ([]byte, error) { return t.AppendText(nil) }

// UnmarshalText sets t to the traits that b names, separated by "|" in any order, or to none if b is
// "0x0". Names are case-sensitive. If one is unknown, it returns [ErrName] and leaves t unchanged.
func (t *Trait) UnmarshalText(b []byte) error { return parseNames(t, traitTexts, b) }

// Traits returns the traits of the URI.
//
// Traits reads everything before the query again. It reads the rest again only if the scan has found escapes
// or accepted illegal bytes. It does not allocate, and takes linear time.
//
// If the last Scan failed, it returns all traits, so that a check for any of them rejects the view.
func (v *ViewOf[T]) Traits() Trait {
	if v.why != 0 {
		return HasNonASCII<<1 - 1
	}
	return v.traits(v.src)
}

func (o *offsets) traits(s string) (t Trait) {
	found := glance(s[:o.pathEnd], int(o.hostEnd))
	path := s[o.pathStart:o.pathEnd]
	if found&clueUpper != 0 {
		letters := o.lettersNeed(s, false)
		if letters&LowercaseScheme != 0 {
			t |= HasUppercaseScheme
		}
		if letters&LowercaseHost != 0 {
			t |= HasUppercaseHost
		}
	}
	if found&clueSlash != 0 {
		t |= HasDoubleSlash
	}
	if (found&clueDot != 0 || strings.HasPrefix(path, ".")) && hasDotSegments(path, false) {
		t |= HasDotSegment
	}
	t |= o.authorityTraits(s)
	odd := isOdd(s[o.hostStart:o.pathEnd])
	if odd {
		if strings.IndexByte(path, ';') >= 0 {
			t |= HasPathParam
		}
		if strings.Contains(path, ":$") {
			t |= HasWindowsSegment
		}
	}
	if (odd || o.seen&seenPercent != 0) && hasALabel(s[o.hostStart:o.hostEnd]) {
		t |= HasALabel
	}
	if o.seen&seenPercent != 0 {
		t |= o.escapeTraits(s)
	}
	if o.seen&seenLoose != 0 {
		t |= o.looseTraits(s)
	}
	if o.seen != 0 || odd || strings.HasSuffix(path, ".") {
		t |= segmentTraits(path)
	}
	return t
}

// authorityTraits returns the traits of the host and the port of s.
func (o *offsets) authorityTraits(s string) (t Trait) {
	if o.bit(Port) != 0 && isUnusualPort(s[o.hostEnd+1:o.pathStart]) {
		t = HasUnusualPort
	}
	host := s[o.hostStart:o.hostEnd]
	if host == "" {
		if o.needsHost(s) {
			t |= HasEmptyHost
		}
		return t
	}
	if host[0] == '[' {
		return t | literalTraits(host)
	}
	if looksLikeAddress(host) {
		t |= HasAddressLikeName
	}
	if host[len(host)-1] == '.' || endsWithEscape(host) && unescape(host[len(host)-len("%00"):]) == '.' {
		t |= HasTrailingDot
	}
	return t
}

// needsHost reports whether s, which has no host or an empty one, has one to browsers.
func (o *offsets) needsHost(s string) bool {
	if o.bit(Scheme) == 0 {
		return o.bit(Authority) != 0
	}
	return defaultPort(s[:o.schemeEnd]) != ""
}

// isUnusualPort reports whether the port is empty, zero, above 65535, or begins with "0".
func isUnusualPort(port string) bool {
	const most = "65535"
	return port == "" || port[0] == '0' || len(port) > len(most) || len(port) == len(most) && port > most
}

// hasALabel reports whether a label of the host, once decoded, begins with "xn--" (RFC 5890 section 2.3.2.1).
func hasALabel(host string) bool {
	const prefix = "xn--"
	for matched := 0; host != ""; { // the number of bytes of prefix, -1 if the label is another one
		b, n := firstByte(host)
		host = host[n:]
		switch {
		case b == '.':
			matched = 0
		case matched >= 0 && toLower(b) == prefix[matched]:
			if matched++; matched == len(prefix) {
				return true
			}
		default:
			matched = -1
		}
	}
	return false
}

// literalTraits returns the traits of an IP-literal.
func literalTraits(host string) (t Trait) {
	if hostKind(host) != IPv6 {
		return 0
	}
	addr, _ := netip.ParseAddr(host[1 : len(host)-1])
	if embedsIPv4(addr.As16()) {
		t = HasEmbeddedIPv4
	}
	var room [maxAddress]byte
	if short, _ := AppendAddr(room[:0], addr); !strings.EqualFold(text(short), host) {
		t |= HasNonCanonicalIPv6
	}
	return t
}

// embedsIPv4 reports whether an IPv6 address contains an IPv4 address:
//
//	::/96 except :: and ::1                  IPv4-compatible           RFC 4291 section 2.5.5.1
//	::ffff:0:0/96                            IPv4-mapped               RFC 4291 section 2.5.5.2
//	::ffff:0:0:0/96                          IPv4-translated           RFC 2765 section 2.1
//	64:ff9b::/96 and 64:ff9b:1::/48          NAT64                     RFC 6052 section 2.1, RFC 8215
//	2002::/16                                6to4                      RFC 3056 section 2
//	2001::/32                                Teredo                    RFC 4380 section 4
func embedsIPv4(addr [16]byte) bool {
	high, low := binary.BigEndian.Uint64(addr[:8]), binary.BigEndian.Uint64(addr[8:])
	switch {
	case high == 0:
		prefix := low >> 32
		return prefix == 0 && low > 1 || prefix == 0xFFFF || prefix == 0xFFFF_0000
	case high == 0x64_FF9B<<32:
		return low>>32 == 0
	}
	return high>>16 == 0x64_FF9B_0001 || high>>48 == 0x2002 || high>>32 == 0x2001_0000
}

// escapeTraits returns the traits of the escapes of s.
func (o *offsets) escapeTraits(s string) (t Trait) {
	for i := 0; ; {
		next := strings.IndexByte(s[i:], '%')
		if next < 0 {
			return t
		}
		if i += next; !isEscape(s[i:]) {
			t |= HasBrokenEscape
			i++
			continue
		}
		t |= HasEscape
		if int(o.hostStart) <= i && i < int(o.hostEnd) {
			t |= HasEscapedHost
		}
		b := unescape(s[i:])
		if b < ' ' || b == 0x7F {
			t |= HasEncodedControl
			if b == 0 {
				t |= HasEncodedNUL
			}
		}
		if i < int(o.pathEnd) {
			switch {
			case b == '/':
				t |= HasEncodedSlash
			case b == '\\':
				t |= HasEncodedBackslash
			case b == '%':
				t |= HasEncodedPercent
			case b >= 0xC0:
				t |= characterTraits(s[i:o.pathEnd])
			case i >= int(o.pathStart):
				t |= delimiterTraits(s[o.pathStart:o.pathEnd], i-int(o.pathStart))
			}
		}
		i += len("%00")
	}
}

// delimiterTraits returns the traits of the escape of path at i if it represents a delimiter.
func delimiterTraits(path string, i int) Trait {
	rest := path[i+len("%00"):]
	switch unescape(path[i:]) {
	case ';':
		return HasEncodedSemicolon
	case '?', '#':
		return HasEncodedDelimiter
	case ':':
		if b, _ := firstByte(rest); b == '$' {
			return HasWindowsSegment
		}
	case '$':
		if i > 0 && path[i-1] == ':' {
			return HasWindowsSegment
		}
	}
	return 0
}

// characterTraits returns the traits of the character that begins s. Its bytes may be encoded.
func characterTraits(s string) Trait {
	var c [3]byte // its first bytes
	for i := range c {
		b, n := firstByte(s)
		c[i], s = b, s[n:]
	}
	switch first, second := c[0], c[1]; {
	//   Char. number range  |        UTF-8 octet sequence             RFC 3629 section 3
	//   --------------------+------------------------------------
	//   0000 0080-0000 07FF | 110xxxxx 10xxxxxx
	//   0000 0800-0000 FFFF | 1110xxxx 10xxxxxx 10xxxxxx
	//   0001 0000-0010 FFFF | 11110xxx 10xxxxxx 10xxxxxx 10xxxxxx
	//
	// and the longer sequences of RFC 2279.
	case first|1 == 0xC1, // whatever follows: some ignore the top bits
		first == 0xE0 && second&^0x1F == 0x80,
		first == 0xF0 && second&^0x0F == 0x80,
		first == 0xF8 && second&^0x07 == 0x80,
		first == 0xFC && second&^0x03 == 0x80:
		return HasOverlongUTF8
	}
	switch string(c[:]) {
	// Unicode normalization (NFKC) yields a delimiter, or two dots.
	case "\uFF0F", "\uFF3C", "\uFE68", "\uFF0E", "\uFE52", "\u2024", "\u2025":
		return HasUnicodeDelimiter
	// Conversion to character sets of Windows yields a delimiter.
	case "\u2044", "\u2215", "\u2216":
		return HasUnicodeDelimiter
	}
	return 0
}

// segmentTraits returns the traits of the segments of a path.
func segmentTraits(path string) (t Trait) {
	for more := true; more; {
		var segment string
		segment, path, more = cutByte(path, '/')
		if segment == "" {
			continue
		}
		if dots, n := dotSegment(segment, true); dots > 0 {
			if n > dots {
				t |= HasEncodedDotSegment
			}
			continue
		}
		if isDotSegmentParam(segment) {
			t |= HasDotSegmentParam
		}
		last := segment[len(segment)-1]
		if endsWithEscape(segment) {
			last = unescape(segment[len(segment)-len("%00"):])
		}
		if last == '.' || last == ' ' {
			t |= HasWindowsSegment
		}
	}
	return t
}

// isDotSegmentParam reports whether the segment, once decoded, begins with ".;" or "..;".
func isDotSegmentParam(segment string) bool {
	for dots := 0; ; dots++ {
		b, n := firstByte(segment)
		if b != '.' || dots == 2 {
			return b == ';' && dots > 0
		}
		segment = segment[n:]
	}
}

// firstByte returns the first byte of s, decoded if an escape begins s, and its length. It returns
// zeros if s is empty.
func firstByte(s string) (b byte, n int) {
	switch {
	case s == "":
		return 0, 0
	case isEscape(s):
		return unescape(s), len("%00")
	}
	return s[0], 1
}

// endsWithEscape reports whether s ends with an escape.
func endsWithEscape(s string) bool { return len(s) >= len("%00") && isEscape(s[len(s)-len("%00"):]) }

// looseTraits returns the traits of what only a lenient scan accepts in the path, query and fragment of s.
func (o *offsets) looseTraits(s string) (t Trait) {
	for i := int(o.pathStart); i < len(s); i++ {
		switch b := s[i]; {
		case b > 0x7F:
			t |= HasNonASCII
			if i < int(o.pathEnd) {
				t |= characterTraits(s[i:o.pathEnd])
			}
		case b == '%' || ruleQuery.has(b):
		case b == '\\' && i < int(o.pathEnd):
			t |= HasBackslash
		case i < int(o.pathEnd):
			t |= HasIllegalInPath
		case b != '#' || i != int(o.queryEnd):
			t |= HasIllegalInQuery
		}
	}
	return t
}

// looksLikeAddress reports whether a host that is not an IPv4address consists, once decoded, of one
// to four numbers in decimal, octal or hexadecimal, separated by dots, perhaps with one more dot at
// the end. That is how inet_aton and the URL Standard read addresses.
func looksLikeAddress(host string) bool {
	if host == "" || host[0] != '%' && !ruleDigit.has(host[0]) || hostKind(host) != RegName {
		return false
	}
	numbers, zero := 0, false            // how many have begun; whether the last is just "0"
	for digits := rule(0); host != ""; { // the digits that it may have, none before it begins
		b, n := host[0], 1
		if b == '%' {
			b, n = unescape(host), len("%00")
		}
		host = host[n:]
		switch {
		case digits == 0:
			if numbers++; numbers > 4 || !ruleDigit.has(b) {
				return false
			}
			digits, zero = ruleDigit, b == '0'
		case zero && b|0x20 == 'x':
			digits, zero = ruleHexdig, false
		case b == '.':
			digits = 0
		case !digits.has(b):
			return false
		default:
			zero = false
		}
	}
	return true
}
