package uri

import "strings"

// A PortKind distinguishes absent, empty, usable and oversized ports.
type PortKind uint8

const (
	NoPort      PortKind = iota // no port: "http://h/"
	EmptyPort                   // a port without digits: "http://h:/"
	NumericPort                 // a number up to 65535, perhaps with leading zeros
	HugePort                    // a number above 65535, which RFC 3986 allows
)

const portKindTexts = "NoPort EmptyPort NumericPort HugePort"

// String returns the name of the constant.
func (k PortKind) String() string {
	text, _ := k.AppendText(nil)
	return string(text)
}

// AppendText appends the name to dst. The error is always nil.
func (k PortKind) AppendText(dst []byte) ([]byte, error) {
	return appendName(dst, portKindTexts, uint8(k)), nil
}

// MarshalText returns a copy of the name. The error is always nil.
func (k PortKind) MarshalText() ([]byte, error) { return k.AppendText(nil) }

// UnmarshalText sets k to the constant that b names. Names are case-sensitive. If there is no such
// constant, it returns [ErrName] and leaves k unchanged.
func (k *PortKind) UnmarshalText(b []byte) error { return parseName(k, portKindTexts, text(b)) }

// PortKind returns the kind of the port.
func (v *ViewOf[T]) PortKind() PortKind {
	if _, ok := v.PortNumber(); ok {
		return NumericPort
	}
	switch v.hostEnd + v.bit(Port) {
	case v.hostEnd:
		return NoPort
	case v.pathStart:
		return EmptyPort
	}
	return HugePort
}

// PortNumber returns the port as a number. It returns false unless the [PortKind] is NumericPort.
// Leading zeros are ignored.
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

// EffectivePort returns the number of the port that a client connects to. If the port is absent or
// empty, that is the default port of the scheme (RFC 3986 section 3.2.3).
//
// It knows the default ports of http, https, ws, wss and ftp. It returns false for other schemes
// without a port, for a reference without an authority, and for a number above 65535.
func (v *ViewOf[T]) EffectivePort() (uint16, bool) {
	n, ok := v.PortNumber()
	if ok || !v.Has(Authority) || v.hostEnd+v.bit(Port) < v.pathStart {
		return n, ok
	}
	switch defaultPort(v.src[:v.schemeEnd]) {
	case "21":
		return 21, true
	case "80":
		return 80, true
	case "443":
		return 443, true
	}
	return 0, false
}

// defaultPort returns the default port of the scheme, or "" for a scheme that is not known here. A
// URI of any known scheme has an authority, and its empty path means the same as "/".
func defaultPort(scheme string) string {
	switch len(scheme) {
	case 2:
		if strings.EqualFold(scheme, "ws") {
			return "80"
		}
	case 3:
		if strings.EqualFold(scheme, "wss") {
			return "443"
		}
		if strings.EqualFold(scheme, "ftp") {
			return "21"
		}
	case 4:
		if strings.EqualFold(scheme, "http") {
			return "80"
		}
	case 5:
		if strings.EqualFold(scheme, "https") {
			return "443"
		}
	}
	return ""
}
