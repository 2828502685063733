package uri

import (
	"cmp"
	"strings"
)

// RequestForm returns the form that the target of a request with that method has to be of (RFC 9112 section
// 3.2). Whether it is, [ViewOf.Scan] tells. A proxy gets absolute-form, a server nearly always origin-form;
// both must accept either.
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

// AppendTargetURI appends the URI that a request is for (RFC 9112 section 3.3, RFC 9110 section 7.1), from
// its target, which was scanned as the form, and its Host field, which was scanned as HostField. The scheme
// is "https" where the connection is secured, else "http". An absolute-form is the URI by itself; Host counts
// for nothing then, and [HostAgrees] tells whether it says something else.
//
// It fails, and returns dst as it was, with [ErrScheme] if scheme is none, with [ErrForm] for a form that no
// target has, with [ErrTooLong], and, for http and https (RFC 9110 section 4.2), with [ErrHost] if the host
// is empty and with [ErrUserinfo] if there is userinfo. dst must not share memory with the views. It does not
// allocate if dst has room.
func AppendTargetURI[T, H Text](
	dst []byte, scheme string, form Form, target *ViewOf[T], host *ViewOf[H],
) ([]byte, error) {
	why := target.why
	if form&^Lenient != AbsoluteURI {
		why = cmp.Or(why, host.why)
	}
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

// HostAgrees tells whether the target of a request, in absolute-form, and its Host field name the same host
// and port: the hosts once normalized, the ports as numbers, that of the target's scheme where there is none.
// A proxy has to go by the target (RFC 9112 section 3.2.2); what comes after it may not. It does not
// allocate.
func HostAgrees[T, H Text](target *ViewOf[T], host *ViewOf[H]) bool {
	const steps = LowercaseHost | UppercaseEscapes | DecodeUnreserved | ShortenAddress
	if target.fault != 0 || host.fault != 0 {
		return false
	}
	var aroom, broom scratch
	a := hostPieces(target.src[target.hostStart:target.hostEnd], steps, &aroom)
	b := hostPieces(host.src[host.hostStart:host.hostEnd], steps, &broom)
	known := defaultPort(target.src[:target.schemeEnd])
	return portOr(text(target.Port()), known) == portOr(text(host.Port()), known) && a.equal(&b)
}

// portOr returns the port less leading zeros but the last digit, and the other one where it is empty.
func portOr(port, other string) string {
	if port == "" {
		return other
	}
	zeros := len(port) - len(strings.TrimLeft(port, "0"))
	return port[min(zeros, len(port)-1):]
}
