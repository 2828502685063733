package uri

import (
	"net/netip"
	"strings"
	"unsafe"
)

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

// View is a view of bytes.
type View = ViewOf[[]byte]

// StringView is a view of a string.
type StringView = ViewOf[string]

// ViewOf is a text and the offsets of its components. [ViewOf.Scan] fills it. The zero value is a view of the empty
// reference.
//
// A component that is absent is not one that is empty: "?" has a query, which is empty, and [ViewOf.Has] tells. Both
// read as empty text. Text is given as it stands, without delimiters, neither decoded nor changed. A []byte returned
// is part of the input and has no capacity beyond its length, so that appending to it copies. No accessor allocates.
type ViewOf[T Text] struct {
	_ [0]func(T) // one type of view does not convert to another, nor compare
	view
}

// view is what views of bytes and of a string have in common.
type view struct {
	src string // the input; where T is bytes, they are the caller's and may change
	offsets
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
// The offsets of what is absent are those of the empty text that would stand there, so that a component is found by
// its offsets, less the delimiter if it has one.
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
	met       met    // what the scan came across
}

// met is what a scan comes across that spares later questions a look at the text.
type met uint16

const (
	metPercent met = 1 << iota // a "%"
	metLoose                   // a byte that stands where only a lenient scan lets it
)

// HostKind is the rule that a host is of.
type HostKind uint8

const (
	NoHost    HostKind = iota // no authority
	RegName                   // reg-name, may be empty
	IPv4                      // IPv4address
	IPv6                      // IPv6address, in brackets
	IPvFuture                 // IPvFuture, in brackets
)

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

// bit returns 1 if c is present, else 0: the length of its delimiter.
func (o *offsets) bit(c Component) uint32 { return uint32(o.has>>c) & 1 }

// Has tells whether the component is present. A path always is, perhaps empty; a host is where an authority is.
func (v *ViewOf[T]) Has(c Component) bool { return (v.has|1<<Path)>>c&1 != 0 }

// IsRelative tells whether the text is a relative reference: one without a scheme.
func (v *ViewOf[T]) IsRelative() bool { return v.bit(Scheme) == 0 }

// HasPort tells whether a port is present, perhaps empty.
func (v *ViewOf[T]) HasPort() bool { return v.bit(Port) != 0 }

// ErrorOffset returns the place of the last Scan's fault: the length of the longest prefix of the input that some
// valid text of the form begins with, which is the input's length where it is merely cut off. It returns -1 if the
// last Scan did not fail.
func (v *ViewOf[T]) ErrorOffset() int { return int(v.fault) - 1 }

// Text returns the whole text.
func (v *ViewOf[T]) Text() T { return as[T](v.src) }

// Scheme returns the scheme: "http" in "http://h/".
func (v *ViewOf[T]) Scheme() T { return as[T](v.src[:v.schemeEnd]) }

// Authority returns what stands between "//" and the path: "u@h:1" in "http://u@h:1/".
func (v *ViewOf[T]) Authority() T { return as[T](v.src[v.authStart:v.pathStart]) }

// Userinfo returns what stands before the "@" of the authority.
func (v *ViewOf[T]) Userinfo() T { return as[T](v.src[v.authStart : v.hostStart-v.bit(Userinfo)]) }

// User returns the userinfo up to its first ":".
func (v *ViewOf[T]) User() T {
	user, _, _ := strings.Cut(text(v.Userinfo()), ":")
	return as[T](user)
}

// Password returns the userinfo after its first ":". RFC 3986 section 3.2.1 deprecates the use of it.
func (v *ViewOf[T]) Password() T {
	_, password, _ := strings.Cut(text(v.Userinfo()), ":")
	return as[T](password)
}

// Host returns the host, an IP-literal with its brackets. It may be empty where there is an authority.
func (v *ViewOf[T]) Host() T { return as[T](v.src[v.hostStart:v.hostEnd]) }

// Port returns the digits of the port.
func (v *ViewOf[T]) Port() T { return as[T](v.src[v.hostEnd+v.bit(Port) : v.pathStart]) }

// Path returns the path.
func (v *ViewOf[T]) Path() T { return as[T](v.src[v.pathStart:v.pathEnd]) }

// Query returns what stands between "?" and the fragment.
func (v *ViewOf[T]) Query() T { return as[T](v.src[v.pathEnd+v.bit(Query) : v.queryEnd]) }

// Fragment returns what stands after "#".
func (v *ViewOf[T]) Fragment() T { return as[T](v.src[v.queryEnd+v.bit(Fragment):]) }

// Span returns the offsets of the component in the text, delimiters not included; -1, -1 where it is absent.
func (v *ViewOf[T]) Span(c Component) (start, end int) {
	if !v.Has(c) {
		return -1, -1
	}
	var i, j uint32
	switch c {
	case Scheme:
		j = v.schemeEnd
	case Authority:
		i, j = v.authStart, v.pathStart
	case Userinfo:
		i, j = v.authStart, v.hostStart-1
	case User:
		i, j = v.authStart, v.authStart+uint32(len(v.User()))
	case Password:
		i, j = v.hostStart-1-uint32(len(v.Password())), v.hostStart-1
	case Host:
		i, j = v.hostStart, v.hostEnd
	case Port:
		i, j = v.hostEnd+1, v.pathStart
	case Path:
		i, j = v.pathStart, v.pathEnd
	case Query:
		i, j = v.pathEnd+1, v.queryEnd
	case Fragment:
		i, j = v.queryEnd+1, uint32(len(v.src))
	}
	return int(i), int(j)
}

// PortNumber returns the port as a number. It is false where there is none, where it is empty, and where it is more
// than 65535. Leading zeros count for nothing.
func (v *ViewOf[T]) PortNumber() (uint16, bool) {
	port := v.src[v.hostEnd+v.bit(Port) : v.pathStart]
	n := uint32(0)
	for i := 0; i < len(port); i++ {
		if n = n*10 + uint32(port[i]-'0'); n > 0xFFFF {
			return 0, false
		}
	}
	return uint16(n), port != ""
}

// HostKind returns the rule that the host is of. A host that is an IPv4address is that, not a reg-name, as
// RFC 3986 section 3.2.2 says.
func (v *ViewOf[T]) HostKind() HostKind {
	if !v.Has(Host) {
		return NoHost
	}
	return hostKind(v.src[v.hostStart:v.hostEnd])
}

// Addr returns the host as an address, the zero Addr where the host is neither IPv4 nor IPv6.
func (v *ViewOf[T]) Addr() netip.Addr {
	host := v.src[v.hostStart:v.hostEnd]
	switch hostKind(host) {
	case IPv6:
		host = host[1 : len(host)-1]
	case IPv4:
	default:
		return netip.Addr{}
	}
	addr, _ := netip.ParseAddr(host)
	return addr
}

// String returns the whole text, a copy where T is bytes.
func (v *ViewOf[T]) String() string { return string(v.Text()) }

// AppendText appends the whole text to dst. The error is always nil.
func (v *ViewOf[T]) AppendText(dst []byte) ([]byte, error) { return append(dst, v.src...), nil }

// MarshalText returns a copy of the whole text. The error is always nil.
func (v *ViewOf[T]) MarshalText() ([]byte, error) { return v.AppendText(nil) }

// UnmarshalText scans a copy of b as a URI-reference.
func (v *ViewOf[T]) UnmarshalText(b []byte) error {
	s := string(b)
	return v.Scan(Reference, as[T](s))
}
