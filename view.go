package uri

import (
	"net/netip"
	"strings"
)

// View is a view of bytes.
type View = ViewOf[[]byte]

// StringView is a view of a string.
type StringView = ViewOf[string]

// ViewOf is a view of a URI: the input and the offsets of its components. [ViewOf.Scan] fills it.
// The zero value is a view of the empty reference.
//
// An absent component differs from an empty one: "?" has a query, which is empty, and "" has none.
// Accessors return an empty result for both; [ViewOf.Has] distinguishes them.
//
// Accessors return components without delimiters, verbatim, still percent-encoded. A returned []byte
// is part of the input and has no capacity beyond its length, so appending to it copies. No accessor
// allocates.
type ViewOf[T Text] struct {
	_ [0]func(T) // prevents comparison, and conversion between the types of views
	view
}

// Scan makes v a view of s, all of which must match the form.
//
// If it fails, it returns an [Error] and resets v to a view of the empty reference that records the
// failure. [ViewOf.ErrorOffset] and [ViewOf.Err] report it, and functions that can fail return the
// same Error if they are given v.
//
// v refers to s and does not copy it. A view of bytes is valid only while the caller leaves them unchanged.
//
// Scan takes time linear in len(s) and does not allocate. However, v may outlive the call, so the
// compiler allocates a local array on the heap if a slice of it is passed to Scan.
func (v *ViewOf[T]) Scan(form Form, s T) error {
	v.src = text(s)
	return scan(&v.view, form)
}

// ScanPrefix makes v a view of the longest prefix of s that matches the form, and returns its length.
//
// The prefix may be empty if the form allows that. ScanPrefix fails, returning zero and an [Error],
// only if no prefix matches the form or, with [ErrTooLong], if the longest one may be longer than
// MaxLen. Otherwise it is like Scan.
//
// To look for URIs in running text, use [Find]. Calling ScanPrefix at every offset takes quadratic time,
// because a prefix may be read again at each of its offsets.
func (v *ViewOf[T]) ScanPrefix(form Form, s T) (n int, err error) {
	v.src = text(s)
	err = v.scanPrefix(form, maxLen)
	return len(v.src), err
}

// scanPrefix scans the longest prefix of the input of v that matches the form, and makes that the input. It
// fails if a matching prefix may be longer than the limit.
func (v *view) scanPrefix(form Form, limit int) error {
	s := v.src
	if form&Lenient == 0 {
		// In running text, the prefix is often what precedes the first byte that no form allows.
		block := s[:min(len(s), limit, plainPrefix)]
		if end := illegal(block); end < len(block) {
			v.src = s[:end]
			if scan(v, form) == nil {
				return nil
			}
		}
	}
	v.src = s[:min(len(s), limit)]
	err := scan(v, form)
	switch {
	case len(s) > limit && (err == nil || v.fault == uint32(limit)+1):
		v.src = ""
		_, err = v.fail(fault{ErrTooLong, limit, -1})
	case err != nil && v.match != 0:
		v.src = s[:v.match-1]
		err = scan(v, form)
	}
	return err
}

// Parse returns a view of s, which must be a URI-reference.
//
// Parse is a convenience: to scan many inputs, call Scan on one View. If Parse fails, the view that
// it returns reports the [ViewOf.ErrorOffset].
func Parse[T Text](s T) (ViewOf[T], error) {
	var v ViewOf[T]
	err := v.Scan(Reference, s)
	return v, err
}

// Valid reports whether s matches the form. It does not allocate.
func Valid[T Text](form Form, s T) bool {
	v := view{src: text(s)}
	return scan(&v, form) == nil
}

// Has reports whether the component is present. A path is always present, but may be empty. A host
// is present if an authority is.
func (v *ViewOf[T]) Has(c Component) bool { return (v.has|1<<Path)>>c&1 != 0 }

// IsRelative reports whether the URI is a relative reference: one without a scheme.
func (v *ViewOf[T]) IsRelative() bool { return v.bit(Scheme) == 0 }

// HasPort reports whether a port is present, even an empty one.
func (v *ViewOf[T]) HasPort() bool { return v.bit(Port) != 0 }

// ErrorOffset returns where the last Scan failed, or -1 if it succeeded.
//
// The offset is the length of the longest prefix of the input that is also the start of some valid
// input of the form. If the input is merely incomplete, that is its whole length.
func (v *ViewOf[T]) ErrorOffset() int { return int(v.fault) - 1 }

// Text returns the input that was scanned, or its prefix after [ViewOf.ScanPrefix].
func (v *ViewOf[T]) Text() T { return as[T](v.src) }

// Scheme returns the scheme: "http" in "http://h/".
func (v *ViewOf[T]) Scheme() T { return as[T](v.src[:v.schemeEnd]) }

// Authority returns what is between "//" and the path: "u@h:1" in "http://u@h:1/".
func (v *ViewOf[T]) Authority() T { return as[T](v.src[v.authStart:v.pathStart]) }

// Userinfo returns what precedes the "@" of the authority.
func (v *ViewOf[T]) Userinfo() T { return as[T](v.src[v.authStart : v.hostStart-v.bit(Userinfo)]) }

// User returns the userinfo up to its first ":".
func (v *ViewOf[T]) User() T {
	user, _, _ := strings.Cut(text(v.Userinfo()), ":")
	return as[T](user)
}

// Password returns the userinfo after its first ":". RFC 3986 section 3.2.1 deprecates its use.
func (v *ViewOf[T]) Password() T {
	_, password, _ := strings.Cut(text(v.Userinfo()), ":")
	return as[T](password)
}

// Host returns the host. An IP-literal includes its brackets. The host of an authority may be empty.
func (v *ViewOf[T]) Host() T { return as[T](v.src[v.hostStart:v.hostEnd]) }

// Port returns the digits of the port.
func (v *ViewOf[T]) Port() T { return as[T](v.src[v.hostEnd+v.bit(Port) : v.pathStart]) }

// Path returns the path.
func (v *ViewOf[T]) Path() T { return as[T](v.src[v.pathStart:v.pathEnd]) }

// Query returns what is between "?" and the fragment.
func (v *ViewOf[T]) Query() T { return as[T](v.src[v.pathEnd+v.bit(Query) : v.queryEnd]) }

// Fragment returns what follows "#".
func (v *ViewOf[T]) Fragment() T { return as[T](v.src[v.queryEnd+v.bit(Fragment):]) }

// Span returns the offsets of the component in the input, excluding delimiters. It returns -1, -1 if
// the component is absent.
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

// Component returns the component, verbatim, as the accessor of that name does: empty if the component is
// absent, which [ViewOf.Has] distinguishes. It is also empty if c is not one of the constants.
func (v *ViewOf[T]) Component(c Component) T {
	start, end := v.Span(c)
	return as[T](v.src[max(start, 0):max(end, 0)])
}

// HostKind returns the rule that the host matches. A host that matches both IPv4address and reg-name
// is IPv4, as RFC 3986 section 3.2.2 says.
func (v *ViewOf[T]) HostKind() HostKind {
	if !v.Has(Host) {
		return NoHost
	}
	return hostKind(v.src[v.hostStart:v.hostEnd])
}

// Addr returns the host as an address. It returns the zero Addr if the host is neither IPv4 nor IPv6.
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

// The methods that print a view, String, AppendText and MarshalText, have a value receiver so that
// an embedded view prints as its text. The accessors have a pointer receiver: copying the view first
// made them 30 % slower.

// String returns the URI. It is a copy if T is bytes.
func (v ViewOf[T]) String() string { return string(as[T](v.src)) }

// AppendText appends the URI to dst. If the last Scan failed, it returns dst unchanged and that Error.
// dst must not share memory with v.
func (v ViewOf[T]) AppendText(dst []byte) ([]byte, error) {
	if v.why != 0 {
		return dst, v.why
	}
	return append(dst, v.src...), nil
}

// MarshalText returns a copy of the URI. If the last Scan failed, it returns that Error: otherwise an
// invalid URI would become the empty reference, which is valid.
func (v ViewOf[T]) MarshalText() ([]byte, error) {
	if v.why != 0 {
		return nil, v.why
	}
	return []byte(v.src), nil
}

// UnmarshalText scans a copy of b as a URI-reference.
func (v *ViewOf[T]) UnmarshalText(b []byte) error {
	s := string(b)
	return v.Scan(Reference, as[T](s))
}

// Clone returns a view of a copy of the input. The clone is unaffected if the input changes.
func (v *ViewOf[T]) Clone() ViewOf[T] {
	clone := *v
	clone.src = strings.Clone(v.src)
	return clone
}

// Err returns a [ScanError] if the last Scan failed, else nil. Unlike Scan, it allocates.
func (v *ViewOf[T]) Err() error {
	if v.fault == 0 {
		return nil
	}
	return ScanError{Offset: v.ErrorOffset(), Reason: v.why}
}

// SchemeIs reports whether the scheme is present and equals name, ignoring case (RFC 3986 section 3.1).
func (v *ViewOf[T]) SchemeIs(name string) bool {
	return v.Has(Scheme) && equalHost(v.src[:v.schemeEnd], name)
}

// HostIs reports whether the host is present and, once decoded, equals name, ignoring case (RFC 3986
// section 3.2.2). The name of an IP-literal includes its brackets.
func (v *ViewOf[T]) HostIs(name string) bool {
	return v.Has(Host) && equalHost(v.src[v.hostStart:v.hostEnd], name)
}

// HostPort returns the authority without the userinfo: "example.com:80" in "http://user@example.com:80/".
func (v *ViewOf[T]) HostPort() T { return as[T](v.src[v.hostStart:v.pathStart]) }
