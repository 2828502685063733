package uri

import (
	"cmp"
	"strings"
)

// RequestForm returns the form that the target of a request with the given method must match (RFC
// 9112 section 3.2). [ViewOf.Scan] reports whether it does.
//
// A proxy receives absolute-form and a server nearly always origin-form, but both must accept either.
func RequestForm[M, T Text](method M, target T) Form {
	m, t := text(method), text(target)
	switch {
	case m == "CONNECT":
		return AuthorityForm
	case m == "OPTIONS" && t == "*":
		return AsteriskForm
	case strings.HasPrefix(t, "/"):
		return OriginForm
	}
	return AbsoluteURI
}

// AppendTargetURI appends the target URI of a request to dst (RFC 9112 section 3.3, RFC 9110
// section 7.1).
//
// target is the view of the request's target, scanned as form; host is that of its Host field,
// scanned as HostField. scheme is "https" if the connection is secured, else "http". If form is
// AbsoluteURI, the result is the target itself: scheme only has to be valid, and host is not used.
// [CheckTarget] also checks whether host agrees with the target.
//
// It fails with [ErrScheme] if scheme is not a scheme, with [ErrForm] if form is not the form of a
// request target, with [ErrPort] if form is AuthorityForm and the [PortKind] is not NumericPort
// (RFC 9110 section 9.3.6), and with [ErrTooLong] if the result would be too long. For http and
// https (RFC 9110 section 4.2) it also fails with [ErrHost] if the host is empty and with
// [ErrUserinfo] if there is userinfo. If the last Scan of either view failed, it returns that
// Error. On failure it returns dst unchanged.
//
// dst must not share memory with the views. AppendTargetURI does not allocate if dst has room.
func AppendTargetURI[T, H Text](
	dst []byte, scheme string, form Form, target *ViewOf[T], host *ViewOf[H],
) ([]byte, error) {
	why := cmp.Or(target.why, host.why)
	if why == 0 && !isScheme(scheme) {
		why = ErrScheme
	}
	head, authority, rest := "://", host.src, ""
	name := host.src[host.hostStart:host.hostEnd]
	switch form &^ Lenient {
	case AbsoluteURI:
		scheme, head, authority, rest = target.src[:target.schemeEnd], "", "", target.src[target.schemeEnd:]
		name = target.src[target.hostStart:target.hostEnd]
	case AuthorityForm:
		authority = target.src
		name = target.src[:target.hostEnd]
		if target.PortKind() != NumericPort {
			why = cmp.Or(why, ErrPort)
		}
	case OriginForm:
		rest = target.src
	case AsteriskForm:
	default:
		why = cmp.Or(why, ErrForm)
	}
	if strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https") {
		if name == "" {
			why = cmp.Or(why, ErrHost)
		}
		if target.Has(Userinfo) {
			why = cmp.Or(why, ErrUserinfo)
		}
	}
	if why = tooLong(why, len(scheme)+len(head)+len(authority)+len(rest), MaxLen); why != 0 {
		return dst, why
	}
	return append(append(append(append(dst, scheme...), head...), authority...), rest...), nil
}

// CheckTarget returns an [Error] if a server or a proxy must not act on a request with the given
// method, target and Host field, else nil. It scans the target as its [RequestForm] and the Host
// field as HostField, both strictly.
//
// Besides the Errors of the scans, it returns the first of these that applies:
//
//   - [ErrScheme]: a target in absolute-form has a scheme other than http and https.
//   - [ErrUserinfo]: a target in absolute-form has userinfo (RFC 9110 section 4.2.4).
//   - [ErrHost]: the host is empty (sections 4.2.1 and 4.2.2). It is that of the target, or of the Host
//     field if the target has none.
//   - [ErrPort]: the port after that host is above 65535, or empty in the target of CONNECT (section 9.3.6).
//   - [ErrHostField]: the Host field does not agree with the target, as [HostAgrees] reports.
//
// It accepts any method, even an invalid one. A proxy should also check the [ViewOf.Traits] of both
// inputs. CheckTarget does not allocate.
func CheckTarget[M, T, H Text](method M, target T, host H) error {
	if why := checkTarget(RequestForm(method, target), text(target), text(host)); why != 0 {
		return why
	}
	return nil
}

func checkTarget(form Form, target, host string) Error {
	var t, h StringView
	_ = t.Scan(form, target)
	_ = h.Scan(HostField, host)
	if why := cmp.Or(t.why, h.why); why != 0 {
		return why
	}
	named := &t // the view that has the host
	if form == OriginForm || form == AsteriskForm {
		named = &h
	}
	kind := named.PortKind()
	switch {
	case form == AbsoluteURI && !t.SchemeIs("http") && !t.SchemeIs("https"):
		return ErrScheme
	case t.Has(Userinfo):
		return ErrUserinfo
	case named.Host() == "":
		return ErrHost
	case kind == HugePort, form == AuthorityForm && kind == EmptyPort:
		return ErrPort
	case named == &t && !HostAgrees(&t, &h):
		return ErrHostField
	}
	return 0
}

// HostAgrees reports whether the target of a request, in absolute-form or authority-form, and its
// Host field name the same host and port.
//
// It compares the hosts as if normalized and the ports as numbers. If a port is missing, it uses the default
// port of the target's scheme. If the target is in authority-form, the Host field may lack the port. If the
// last Scan of either view failed, it returns false. It does not allocate.
//
// A proxy must follow the target (RFC 9112 section 3.2.2), but software behind it may follow the
// Host field.
func HostAgrees[T, H Text](target *ViewOf[T], host *ViewOf[H]) bool {
	const steps = LowercaseHost | UppercaseEscapes | DecodeUnreserved | ShortenAddress
	if target.fault != 0 || host.fault != 0 {
		return false
	}
	var aroom, broom scratch
	a := hostPieces(target.src[target.hostStart:target.hostEnd], steps, &aroom)
	b := hostPieces(host.src[host.hostStart:host.hostEnd], steps, &broom)
	known := defaultPort(target.src[:target.schemeEnd])
	if target.bit(Scheme) == 0 {
		known = portOr(text(target.Port()), "") // RFC 9112 section 3.2.3 has an example
	}
	return portOr(text(target.Port()), known) == portOr(text(host.Port()), known) && a.equal(&b)
}

// portOr returns the port without leading zeros, but keeps its last digit. If port is empty, it
// returns other.
func portOr(port, other string) string {
	if port == "" {
		return other
	}
	zeros := len(port) - len(strings.TrimLeft(port, "0"))
	return port[min(zeros, len(port)-1):]
}
