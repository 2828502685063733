// Package uri scans, views and builds URIs by RFC 3986, strictly, without allocating.
//
// A [View] holds a text and the offsets of its components; [ViewOf.Scan] fills it by reading the text once.
// Nothing is copied and nothing is decoded, on success or on failure. A [Builder] appends a formatted URI to
// a buffer that the caller owns. Both work on []byte and on string alike.
//
// All offsets are in bytes from the start of the input. All functions are safe for concurrent use; a View may
// be read, but not scanned into, by several goroutines at once.
package uri

import (
	"math"
	"strconv"
	"strings"
	"unsafe"
)

// Text is what can be scanned: bytes that stay the caller's, or a string.
type Text interface{ ~string | ~[]byte }

// text returns the bytes of s as a string that shares them.
func text[T Text](s T) string {
	// A slice begins with the two words that a string is.
	return *(*string)(unsafe.Pointer(&s))
}

// as returns s as a T that shares its bytes; a slice gets no capacity beyond its length.
func as[T Text](s string) T {
	// The three words of a slice, of which a string has the first two.
	words := struct {
		string
		cap int
	}{s, len(s)}
	return *(*T)(unsafe.Pointer(&words))
}

// MaxLen is the length in bytes of the longest text that can be scanned; longer texts get [ErrTooLong].
const MaxLen = math.MaxUint32 - 1

const maxLen = min(MaxLen, math.MaxInt) // where an int has 32 bits, no text is longer

// tooLong returns why, or ErrTooLong where there is no reason yet and n is over the limit.
func tooLong(why Error, n int, limit uint64) Error {
	if why == 0 && uint64(n) > limit {
		return ErrTooLong
	}
	return why
}

// A Form is the production that the whole of a text must match.
type Form uint8

const (
	Reference     Form = iota // URI-reference                  RFC 3986 section 4.1
	URI                       // URI                            RFC 3986 section 3
	AbsoluteURI               // absolute-URI                   RFC 3986 section 4.3
	RelativeRef               // relative-ref                   RFC 3986 section 4.2
	OriginForm                // absolute-path [ "?" query ]    RFC 9112 section 3.2.1; "//h" is a path here
	AuthorityForm             // uri-host ":" port              RFC 9112 section 3.2.3
	AsteriskForm              // "*", seen as a path            RFC 9112 section 3.2.4
	HostField                 // uri-host [ ":" port ]          RFC 9110 section 7.2
)

const formTexts = "Reference URI AbsoluteURI RelativeRef OriginForm AuthorityForm AsteriskForm HostField"

// String returns the name of the constant: "Reference", or "Reference|Lenient".
func (f Form) String() string {
	text, _ := f.AppendText(nil)
	return string(text)
}

// AppendText appends the name to dst. The error is always nil.
func (f Form) AppendText(dst []byte) ([]byte, error) {
	dst = appendName(dst, formTexts, uint8(f&^Lenient))
	if f&Lenient != 0 {
		dst = append(dst, "|Lenient"...)
	}
	return dst, nil
}

// Lenient is a flag to add to a form, for text that is to be looked at rather than obeyed: Reference|Lenient.
// Path, query and fragment may then have any byte above 0x20 but their delimiters: a segment all but "/", "?"
// and "#", a query all but "#", a fragment all; "%" needs no digits after it. Scheme, userinfo, host and port
// are read as ever, and the first segment of a relative reference still has no ":". [ViewOf.Traits] tells
// what was let through.
const Lenient Form = 0x80

// An Error is the reason why a text is not of a form, or why a [Builder] cannot write what it was given. It
// is one byte and holds no input. The reason for a failed scan names the component that the byte at
// [ViewOf.ErrorOffset] would have to continue, an authority being divided at its first "@" and its host's
// ":".
type Error uint8

const (
	ErrScheme    Error = iota + 1 // the scheme is missing, or no scheme stands before the first segment's ":"
	ErrUserinfo                   // a byte that userinfo cannot have
	ErrHost                       // a byte that a host cannot have
	ErrIPLiteral                  // not an IPv6address or IPvFuture in brackets
	ErrPort                       // the port has another byte than digits, or is missing where the form has one
	ErrPath                       // a byte that a path cannot have, or a path that cannot stand here
	ErrQuery                      // a byte that a query cannot have
	ErrFragment                   // a byte that a fragment cannot have
	ErrPercent                    // "%" without two hexadecimal digits after it
	ErrForm                       // a component that the form does not have
	ErrTooLong                    // longer than MaxLen
)

// Error returns a text that is constant for each reason.
func (e Error) Error() string {
	if int(e) >= len(errorTexts) {
		e = 0
	}
	return errorTexts[e]
}

var errorTexts = [...]string{
	0:            "uri: unknown error",
	ErrScheme:    "uri: invalid or missing scheme",
	ErrUserinfo:  "uri: invalid userinfo",
	ErrHost:      "uri: invalid host",
	ErrIPLiteral: "uri: invalid IP-literal",
	ErrPort:      "uri: invalid or missing port",
	ErrPath:      "uri: invalid path",
	ErrQuery:     "uri: invalid query",
	ErrFragment:  "uri: invalid fragment",
	ErrPercent:   "uri: invalid percent-encoding",
	ErrForm:      "uri: component not in this form",
	ErrTooLong:   "uri: text too long",
}

// A ScanError is the place and the reason of a failed scan: see [ViewOf.Err].
type ScanError struct {
	Offset int   // that of [ViewOf.ErrorOffset]
	Reason Error // what Scan returned
}

// Error returns the text of the reason, and the offset.
func (e ScanError) Error() string {
	return e.Reason.Error() + " at offset " + strconv.Itoa(e.Offset)
}

// Unwrap returns the reason.
func (e ScanError) Unwrap() error { return e.Reason }

// A Component is a part of a URI.
type Component uint8

const (
	Scheme    Component = iota // RFC 3986 section 3.1
	Authority                  // section 3.2
	Userinfo                   // section 3.2.1
	User                       // userinfo up to its first ":"
	Password                   // userinfo after its first ":"
	Host                       // section 3.2.2, with the brackets of an IP-literal
	Port                       // section 3.2.3
	Path                       // section 3.3
	Query                      // section 3.4
	Fragment                   // section 3.5
)

const componentTexts = "Scheme Authority Userinfo User Password Host Port Path Query Fragment"

// String returns the name of the constant.
func (c Component) String() string {
	text, _ := c.AppendText(nil)
	return string(text)
}

// AppendText appends the name to dst. The error is always nil.
func (c Component) AppendText(dst []byte) ([]byte, error) {
	return appendName(dst, componentTexts, uint8(c)), nil
}

// HostKind is the rule that a host is of.
type HostKind uint8

const (
	NoHost    HostKind = iota // no authority
	RegName                   // reg-name, may be empty
	IPv4                      // IPv4address
	IPv6                      // IPv6address, in brackets
	IPvFuture                 // IPvFuture, in brackets
)

const hostKindTexts = "NoHost RegName IPv4 IPv6 IPvFuture"

// String returns the name of the constant.
func (k HostKind) String() string {
	text, _ := k.AppendText(nil)
	return string(text)
}

// AppendText appends the name to dst. The error is always nil.
func (k HostKind) AppendText(dst []byte) ([]byte, error) {
	return appendName(dst, hostKindTexts, uint8(k)), nil
}

// appendName appends the n-th of the words, counted from zero, or the number if there are not as many.
func appendName(dst []byte, words string, n uint8) []byte {
	for rest, i := words, uint8(0); rest != ""; i++ {
		var word string
		if word, rest, _ = strings.Cut(rest, " "); i == n {
			return append(dst, word...)
		}
	}
	return strconv.AppendUint(dst, uint64(n), 10)
}

// appendNames appends those of the words whose bit is in the set, with "|" between them, and the other bits
// as a number.
func appendNames(dst []byte, words string, set uint32) []byte {
	start := len(dst)
	for rest, bit := words, uint32(1); rest != ""; bit <<= 1 {
		var word string
		if word, rest, _ = strings.Cut(rest, " "); set&bit != 0 {
			dst = append(append(dst, word...), '|')
			set &^= bit
		}
	}
	if set != 0 || len(dst) == start {
		return strconv.AppendUint(append(dst, "0x"...), uint64(set), 16)
	}
	return dst[:len(dst)-1]
}

// offsets are where components begin and end. Delimiters stand between them:
//
//	foo://user:word@example.com:8042/over/there?name=ferret#nose
//	   |  |         |          |    |          |           |    |
//	   |  authStart hostStart  |    pathStart  pathEnd     |    len(src)
//	   schemeEnd               hostEnd                     queryEnd
//
// 0 <= schemeEnd <= authStart <= hostStart <= hostEnd <= pathStart <= pathEnd <= queryEnd <= len(src)
//
// The offsets of what is absent are those of the empty text that would stand there, so that a component is
// found by its offsets, less the delimiter if it has one.
type offsets struct {
	schemeEnd uint32
	authStart uint32
	hostStart uint32
	hostEnd   uint32
	pathStart uint32
	pathEnd   uint32
	queryEnd  uint32
	fault     uint32 // 1 + offset of the fault of a failed scan
	match     uint32 // 1 + length of the longest prefix that a failed scan could have had, 0 where there is none
	has       uint16 // the components that are present, 1<<Component each; Path may be missing in the zero value
	seen      seen   // what the scan came across
	why       Error  // the reason of a failed scan
}

// bit returns 1 if c is present, else 0: the length of its delimiter.
func (o *offsets) bit(c Component) uint32 { return uint32(o.has>>c) & 1 }

// seen is what a scan comes across that spares later questions a look at the text.
type seen uint8

const (
	seenPercent seen = 1 << iota // a "%"
	seenLoose                    // a byte that stands where only a lenient scan lets it
)
