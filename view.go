package uri

import (
	"net/netip"
	"strings"
)

// View is a view of bytes.
type View = ViewOf[[]byte]

// StringView is a view of a string.
type StringView = ViewOf[string]

// ViewOf is a text and the offsets of its components. [ViewOf.Scan] fills it. The zero value is a view of the
// empty reference.
//
// A component that is absent is not one that is empty: "?" has a query, which is empty, and [ViewOf.Has]
// tells. Both read as empty text. Text is given as it stands, without delimiters, neither decoded nor
// changed. A []byte returned is part of the input and has no capacity beyond its length, so that appending to
// it copies. No accessor allocates.
type ViewOf[T Text] struct {
	_ [0]func(T) // one type of view does not convert to another, nor compare
	view
}

// view is what views of bytes and of a string have in common.
type view struct {
	src string // the input; where T is bytes, they are the caller's and may change
	offsets
}

// Scan reads all of s, which must be of the given form, and makes v a view of it. On failure it returns an
// [Error], and v is as if s were empty but for [ViewOf.ErrorOffset].
//
// v keeps s, not a copy: a view of bytes is valid as long as the caller leaves them as they are. Scan does
// not allocate (but the compiler keeps s off the stack, as v may live longer), and takes time linear in
// len(s).
func (v *ViewOf[T]) Scan(form Form, s T) error {
	t := text(s)
	n, err := v.scan(form, t)
	v.src = t[:n]
	return err
}

// ScanPrefix makes v a view of the longest prefix of s that is of the given form, and returns its length. The
// prefix may be empty where the form allows it. It fails, with n = 0 and an [Error], only where no prefix is
// of the form. Otherwise it is like Scan.
func (v *ViewOf[T]) ScanPrefix(form Form, s T) (n int, err error) {
	t := text(s)
	n, err = v.scanPrefix(form, t, maxLen)
	v.src = t[:n]
	return n, err
}

// Parse returns a view of s, a URI-reference. It is for convenience: to scan many texts, call Scan on one
// View. Where it fails, the offset is that of the view returned.
func Parse[T Text](s T) (ViewOf[T], error) {
	var v ViewOf[T]
	err := v.Scan(Reference, s)
	return v, err
}

// Valid tells whether s is of the given form. It does not allocate.
func Valid[T Text](form Form, s T) bool {
	var o offsets
	_, err := o.scan(form, text(s))
	return err == nil
}

// Has tells whether the component is present. A path always is, perhaps empty; a host is where an authority
// is.
func (v *ViewOf[T]) Has(c Component) bool { return (v.has|1<<Path)>>c&1 != 0 }

// IsRelative tells whether the text is a relative reference: one without a scheme.
func (v *ViewOf[T]) IsRelative() bool { return v.bit(Scheme) == 0 }

// HasPort tells whether a port is present, perhaps empty.
func (v *ViewOf[T]) HasPort() bool { return v.bit(Port) != 0 }

// ErrorOffset returns the place of the last Scan's fault: the length of the longest prefix of the input that
// some valid text of the form begins with, which is the input's length where it is merely cut off. It returns
// -1 if the last Scan did not fail.
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

// String returns the text, a copy if T is bytes.
//
// String, AppendText and MarshalText have a value receiver, so that views print as their text wherever they
// are embedded. The accessors do not: copying the view first made them 30 % slower.
func (v ViewOf[T]) String() string { return string(as[T](v.src)) }

// AppendText appends the text to dst. The error is always nil.
func (v ViewOf[T]) AppendText(dst []byte) ([]byte, error) { return append(dst, v.src...), nil }

// MarshalText returns a copy of the text. The error is always nil.
func (v ViewOf[T]) MarshalText() ([]byte, error) { return []byte(v.src), nil }

// UnmarshalText scans a copy of b as a URI-reference.
func (v *ViewOf[T]) UnmarshalText(b []byte) error {
	s := string(b)
	return v.Scan(Reference, as[T](s))
}

// Clone returns a view of a copy of the text, which stays as it is when the input changes.
func (v *ViewOf[T]) Clone() ViewOf[T] {
	clone := *v
	clone.src = strings.Clone(v.src)
	return clone
}

// Err returns a [ScanError] if the last Scan failed, and nil if it did not. Unlike Scan, it allocates.
func (v *ViewOf[T]) Err() error {
	if v.fault == 0 {
		return nil
	}
	return ScanError{Offset: v.ErrorOffset(), Reason: v.why}
}

// SchemeIs reports whether the scheme is name, ignoring case (RFC 3986 section 3.1).
func (v *ViewOf[T]) SchemeIs(name string) bool {
	return v.Has(Scheme) && equalHost(v.src[:v.schemeEnd], name)
}

// HostIs reports whether there is a host and it is name, ignoring case and decoding percent-encoding (RFC
// 3986 section 3.2.2). An IP-literal has its brackets.
func (v *ViewOf[T]) HostIs(name string) bool {
	return v.Has(Host) && equalHost(v.src[v.hostStart:v.hostEnd], name)
}

// HostPort returns the authority without the userinfo: "example.com:80" in "http://user@example.com:80/".
func (v *ViewOf[T]) HostPort() T { return as[T](v.src[v.hostStart:v.pathStart]) }
