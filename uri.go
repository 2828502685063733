// Package uri scans, views and builds URIs strictly according to RFC 3986, without allocating.
//
// A [View] holds an input and the offsets of its components. [ViewOf.Scan] fills it in one pass; it
// copies nothing and decodes nothing, whether the input is valid or not. A [Builder] appends a
// formatted URI to a buffer that the caller owns. Both work on []byte and on string.
//
// In this documentation "URI" includes relative references and the other forms that [Form] lists,
// unless a form is named. A component is given verbatim, still percent-encoded, unless a function
// says otherwise. An escape is one percent-encoded byte, such as "%2F".
//
// A function whose name begins with Append appends its result to dst and returns the extended
// buffer, like the built-in append. All offsets are in bytes from the start of the input.
//
// There are functions
//
//   - to read a URI: [Valid], [Parse], [ViewOf.Scan]; the lines of a text: [Lines]; and the URIs in
//     running text: [Find]
//   - to write a URI: [Builder]; and to encode and decode its parts: [AppendEncode], [AppendDecode]
//   - to read paths and queries: [ViewOf.Segments], [ViewOf.Params]
//   - to normalize and compare: [ViewOf.AppendNormalized], [Equivalent], [ViewOf.Hash]
//   - to resolve references, and to shorten them: [AppendResolved], [AppendRelative]
//   - for HTTP requests: [RequestForm], [CheckTarget], [AppendTargetURI]; and package urihttp
//   - to find what other software may read differently: [ViewOf.Traits]
//   - for logs: [AppendRedacted], [RedactorOf]
//
// Parse returns a new view, and Scan fills one that you reuse. Both return an [Error], a constant
// reason; [ViewOf.ErrorOffset] is the place, and [ViewOf.Err] returns both as a [ScanError].
//
// A type whose name ends in Of has the type of the input as its parameter. [View], [Param] and
// [Redactor] are such types for []byte, and [StringView] is one for string.
//
// All functions are safe for concurrent use. Several goroutines may read the same View, but not
// while one scans into it.
package uri

import (
	"math"
	"strconv"
	"strings"
	"unsafe"
)

// Text is the type of an input: a string, or bytes that the caller still owns.
type Text interface{ ~string | ~[]byte }

// text returns the bytes of s as a string that shares its memory.
func text[T Text](s T) string {
	// The first two words of a slice have the layout of a string.
	return *(*string)(unsafe.Pointer(&s))
}

// as returns s as a T that shares its memory. A slice has no capacity beyond its length.
func as[T Text](s string) T {
	// A slice is three words, the first two of which are a string.
	words := struct {
		string
		cap int
	}{s, len(s)}
	return *(*T)(unsafe.Pointer(&words))
}

// MaxLen is the length in bytes of the longest input that can be scanned. Longer inputs fail with
// [ErrTooLong].
const MaxLen = math.MaxUint32 - 1

const maxLen = min(MaxLen, math.MaxInt) // no input is longer if int has 32 bits

// tooLong returns why, or ErrTooLong if why is zero and n exceeds the limit.
func tooLong(why Error, n int, limit uint64) Error {
	if why == 0 && uint64(n) > limit {
		return ErrTooLong
	}
	return why
}

// A Form is the grammar rule that the input must match as a whole.
type Form uint8

const (
	Reference     Form = iota // URI-reference                  RFC 3986 section 4.1
	URI                       // URI                            RFC 3986 section 3
	AbsoluteURI               // absolute-URI                   RFC 3986 section 4.3
	RelativeRef               // relative-ref                   RFC 3986 section 4.2
	OriginForm                // absolute-path [ "?" query ]    RFC 9112 section 3.2.1; "//h" is a path here
	AuthorityForm             // uri-host ":" port              RFC 9112 section 3.2.3
	AsteriskForm              // "*", read as a path            RFC 9112 section 3.2.4
	HostField                 // uri-host [ ":" port ]          RFC 9110 section 7.2
)

const formTexts = "Reference URI AbsoluteURI RelativeRef OriginForm AuthorityForm AsteriskForm HostField"

const lenientText = "|Lenient"

// String returns the name of the constant, such as "Reference" or "Reference|Lenient".
func (f Form) String() string {
	text, _ := f.AppendText(nil)
	return string(text)
}

// AppendText appends the name to dst. The error is always nil.
func (f Form) AppendText(dst []byte) ([]byte, error) {
	dst = appendName(dst, formTexts, uint8(f&^Lenient))
	if f&Lenient != 0 {
		dst = append(dst, lenientText...)
	}
	return dst, nil
}

// MarshalText returns a copy of the name. The error is always nil.
func (f Form) MarshalText() ([]byte, error) { return f.AppendText(nil) }

// UnmarshalText sets f to the form that b names, such as "URI" or "URI|Lenient". Names are
// case-sensitive. If there is no such form, it returns [ErrName] and leaves f unchanged.
func (f *Form) UnmarshalText(b []byte) error {
	name, lenient := strings.CutSuffix(text(b), lenientText)
	err := parseName(f, formTexts, name)
	if err == nil && lenient {
		*f |= Lenient
	}
	return err
}

// Lenient is a flag that makes a form also accept illegal bytes found in practice. Add it to a form:
// Reference|Lenient. Use it for input that you only inspect, such as lines of a log. Before you act on such
// input, repair it with [EncodeIllegal].
//
// The path, query and fragment may then contain any byte from 0x20 up, except their delimiters: "/",
// "?" and "#" in a segment, "#" in a query, none in a fragment. A "%" need not be followed by two
// hexadecimal digits.
//
// The scheme, userinfo, host and port are still read strictly, and the first segment of a relative
// reference still must not contain ":". [ViewOf.Traits] reports what was accepted.
const Lenient Form = 0x80

// An Error is the reason why input does not match a form or a name, or why a [Builder] or another function
// cannot write its result. It is one byte and holds no input.
//
// The reason for a failed scan names the component to which the byte at [ViewOf.ErrorOffset] would
// belong. For this purpose an authority is divided at its first "@" and at the ":" after the host.
type Error uint8

const (
	ErrScheme    Error = iota + 1 // the scheme is missing, or what precedes the first ":" is not a scheme
	ErrUserinfo                   // a byte not allowed in userinfo
	ErrHost                       // a byte not allowed in a host
	ErrIPLiteral                  // what is in brackets is neither an IPv6address nor an IPvFuture
	ErrPort                       // a port with a byte other than a digit, too large, or missing where required
	ErrPath                       // a byte not allowed in a path, or a path not allowed in this place
	ErrQuery                      // a byte not allowed in a query
	ErrFragment                   // a byte not allowed in a fragment
	ErrPercent                    // a "%" that is not followed by two hexadecimal digits
	ErrForm                       // a component that the form does not allow
	ErrTooLong                    // longer than MaxLen
	ErrHostField                  // the Host field of a request does not agree with its target
	ErrName                       // a text that UnmarshalText reads is not the name of a constant
)

// Error returns a message that is constant for each reason.
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
	ErrForm:      "uri: component not allowed in this form",
	ErrTooLong:   "uri: too long",
	ErrHostField: "uri: Host field does not agree with the target",
	ErrName:      "uri: unknown name",
}

// A ScanError is the offset and the reason of a failed scan. [ViewOf.Err] returns it.
type ScanError struct {
	Offset int   // as returned by [ViewOf.ErrorOffset]
	Reason Error // as returned by [ViewOf.Scan]
}

// Error returns the message of the reason, followed by the offset.
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

// MarshalText returns a copy of the name. The error is always nil.
func (c Component) MarshalText() ([]byte, error) { return c.AppendText(nil) }

// UnmarshalText sets c to the constant that b names. Names are case-sensitive. If there is no such
// constant, it returns [ErrName] and leaves c unchanged.
func (c *Component) UnmarshalText(b []byte) error { return parseName(c, componentTexts, text(b)) }

// HostKind is the grammar rule that a host matches.
type HostKind uint8

const (
	NoHost    HostKind = iota // no authority
	RegName                   // reg-name, perhaps empty
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

// MarshalText returns a copy of the name. The error is always nil.
func (k HostKind) MarshalText() ([]byte, error) { return k.AppendText(nil) }

// UnmarshalText sets k to the constant that b names. Names are case-sensitive. If there is no such
// constant, it returns [ErrName] and leaves k unchanged.
func (k *HostKind) UnmarshalText(b []byte) error { return parseName(k, hostKindTexts, text(b)) }

// appendName appends word n of words, counted from zero, or the number n if there is no such word.
func appendName(dst []byte, words string, n uint8) []byte {
	for rest, i := words, uint8(0); rest != ""; i++ {
		var word string
		if word, rest, _ = strings.Cut(rest, " "); i == n {
			return append(dst, word...)
		}
	}
	return strconv.AppendUint(dst, uint64(n), 10)
}

// appendNames appends the words whose bits are in the set, separated by "|", and then any other bits
// as a number.
func appendNames(dst []byte, words string, set uint64) []byte {
	start := len(dst)
	for rest, bit := words, uint64(1); rest != ""; bit <<= 1 {
		var word string
		if word, rest, _ = strings.Cut(rest, " "); set&bit != 0 {
			dst = append(append(dst, word...), '|')
			set &^= bit
		}
	}
	if set != 0 || len(dst) == start {
		return strconv.AppendUint(append(dst, "0x"...), set, 16)
	}
	return dst[:len(dst)-1]
}

// indexName returns the number of the name among words, counted from zero, or -1.
func indexName(words, name string) int {
	for rest, i := words, 0; rest != ""; i++ {
		var word string
		if word, rest, _ = strings.Cut(rest, " "); word == name {
			return i
		}
	}
	return -1
}

// parseName sets *to to the number of the name among words.
func parseName[E ~uint8](to *E, words, name string) error {
	n := indexName(words, name)
	if n < 0 {
		return ErrName
	}
	*to = E(n)
	return nil
}

// parseNames is the inverse of appendNames: it sets the bits of the names in *to, and no others.
func parseNames[S ~uint16 | ~uint64](to *S, words string, names []byte) error {
	rest, more := text(names), true
	if rest == "0x0" {
		*to = 0
		return nil
	}
	var set S
	for more {
		var name string
		name, rest, more = strings.Cut(rest, "|")
		n := indexName(words, name)
		if n < 0 {
			return ErrName
		}
		set |= 1 << n
	}
	*to = set
	return nil
}

// view is the part of a view that does not depend on T.
type view struct {
	src string // the input; if T is bytes, they are the caller's and may change
	offsets
}

// offsets holds where the components begin and end. Delimiters lie between them:
//
//	foo://user:word@example.com:8042/over/there?name=ferret#nose
//	   |  |         |          |    |          |           |    |
//	   |  authStart hostStart  |    pathStart  pathEnd     |    len(src)
//	   schemeEnd               hostEnd                     queryEnd
//
// 0 <= schemeEnd <= authStart <= hostStart <= hostEnd <= pathStart <= pathEnd <= queryEnd <= len(src)
//
// The offsets of an absent component are those of the empty string that would be in its place. So
// the accessors need no branches: the offsets delimit every component, and bit tells them whether
// to skip its delimiter.
type offsets struct {
	schemeEnd uint32
	authStart uint32
	hostStart uint32
	hostEnd   uint32
	pathStart uint32
	pathEnd   uint32
	queryEnd  uint32
	fault     uint32 // 1 + offset of a failed scan's fault
	match     uint32 // 1 + length of the longest prefix that matches the form, set by a failed scan; 0 if none
	has       uint16 // the components present, 1<<Component each; Path may be missing in the zero value
	seen      seen   // what the scan noticed
	why       Error  // the reason for a failed scan
}

// bit returns the length of c's delimiter: 1 if c is present, else 0.
func (o *offsets) bit(c Component) uint32 { return uint32(o.has>>c) & 1 }

// seen is what a scan notices, so that later questions need not read the input again.
type seen uint8

const (
	seenPercent seen = 1 << iota // a "%"
	seenLoose                    // a byte where only a lenient scan allows it
)
