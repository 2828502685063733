package uri

import "strings"

// A Trait is a set of things in a URI that a scan accepts but that other software may interpret
// differently, one bit each. A proxy can reject ambiguous URIs with one AND:
//
//	if v.Traits()&(uri.HasEncodedSlash|uri.HasDotSegment|uri.HasAddressLikeName) != 0 {
type Trait uint32

const (
	HasEscape            Trait = 1 << iota // an escape
	HasEscapedHost                         // one in the host
	HasEncodedSlash                        // "%2F" before the query
	HasEncodedBackslash                    // "%5C" before the query
	HasEncodedPercent                      // "%25" before the query: decoding twice changes it again
	HasEncodedNUL                          // "%00"
	HasEncodedControl                      // "%00" to "%1F" or "%7F", among them line ends
	HasDotSegment                          // a "." or ".." segment in the path
	HasEncodedDotSegment                   // a segment that becomes one once decoded
	HasDoubleSlash                         // "//" in the path
	HasUppercaseScheme                     // an upper-case letter in the scheme
	HasUppercaseHost                       // one in the host, not in an escape
	HasAddressLikeName                     // a reg-name that some read as an IPv4 address: "127.1", "0x7f.1"
	HasBrokenEscape                        // a "%" without two hexadecimal digits, after a lenient scan
	HasBackslash                           // "\" before the query, after a lenient scan
	HasIllegalInPath                       // another ASCII byte not allowed in a path, after a lenient scan
	HasIllegalInQuery                      // one not allowed in a query or a fragment, after a lenient scan
	HasNonASCII                            // a byte above 0x7F, after a lenient scan
)

// Ambiguous is the set of traits that have made two programs see different hosts or different paths
// in one URI. A proxy that decides by host or path should reject them:
//
//   - HasEscapedHost: some decode the host, some compare it verbatim.
//   - HasAddressLikeName: some connect to 127.0.0.1 for "0x7f.1", which a list of addresses does not contain.
//   - HasEncodedSlash, HasEncodedBackslash, HasBackslash: some split the path there.
//   - HasEncodedPercent: software that decodes twice sees another path.
//   - HasEncodedNUL: C strings end there.
//   - HasEncodedControl: line ends forge headers and log lines.
//   - HasDotSegment, HasEncodedDotSegment, HasDoubleSlash: some clean the path before they look at it.
//   - HasBrokenEscape, HasIllegalInPath, HasNonASCII: some reject them, some repair them, some drop them.
const Ambiguous = HasEscapedHost | HasAddressLikeName | HasEncodedSlash | HasEncodedBackslash | HasBackslash |
	HasEncodedPercent | HasEncodedNUL | HasEncodedControl | HasDotSegment | HasEncodedDotSegment |
	HasDoubleSlash | HasBrokenEscape | HasIllegalInPath | HasNonASCII

const traitTexts = "HasEscape HasEscapedHost HasEncodedSlash HasEncodedBackslash HasEncodedPercent " +
	"HasEncodedNUL HasEncodedControl HasDotSegment HasEncodedDotSegment " +
	"HasDoubleSlash HasUppercaseScheme HasUppercaseHost HasAddressLikeName " +
	"HasBrokenEscape HasBackslash HasIllegalInPath HasIllegalInQuery HasNonASCII"

// String returns the names of the traits, separated by "|", for a log.
func (t Trait) String() string {
	text, _ := t.AppendText(nil)
	return string(text)
}

// AppendText appends the names of the traits to dst. The error is always nil.
func (t Trait) AppendText(dst []byte) ([]byte, error) {
	return appendNames(dst, traitTexts, uint32(t)), nil
}

// Traits returns the traits of the URI.
//
// The scan has found most of them. Traits reads the head and the path again, and the rest only if
// there are escapes or a lenient scan accepted something. It does not allocate.
func (v *ViewOf[T]) Traits() Trait { return v.traits(v.src) }

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
	if looksLikeAddress(s[o.hostStart:o.hostEnd]) {
		t |= HasAddressLikeName
	}
	if o.seen&seenPercent != 0 {
		t |= o.escapeTraits(s)
	}
	if o.seen&seenLoose != 0 {
		t |= o.looseTraits(s)
	}
	return t
}

// escapeTraits returns the traits of the escapes of s.
func (o *offsets) escapeTraits(s string) (t Trait) {
	for i := 0; ; {
		next := strings.IndexByte(s[i:], '%')
		if next < 0 {
			break
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
			switch b {
			case '/':
				t |= HasEncodedSlash
			case '\\':
				t |= HasEncodedBackslash
			case '%':
				t |= HasEncodedPercent
			}
		}
		i += len("%00")
	}
	path := s[o.pathStart:o.pathEnd]
	for more := true; more; {
		var segment string
		segment, path, more = cutByte(path, '/')
		if dots, n := dotSegment(segment, true); n > dots {
			t |= HasEncodedDotSegment
		}
	}
	return t
}

// looseTraits returns the traits of what only a lenient scan accepts in the path, query and fragment of s.
func (o *offsets) looseTraits(s string) (t Trait) {
	for i := int(o.pathStart); i < len(s); i++ {
		switch b := s[i]; {
		case b > 0x7F:
			t |= HasNonASCII
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
	for digits := rule(0); host != ""; { // those it may continue with, none before it begins
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
