package urihttp

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-56a50ac9/uri"
)

const (
	escapedSlashes = uri.HasEncodedSlash | uri.HasEncodedBackslash
	dotSegments    = uri.HasDotSegment | uri.HasEncodedDotSegment | uri.HasDotSegmentParam
	// fromQuery is the set of traits that the query alone can cause.
	fromQuery = uri.HasEscape | uri.HasEncodedNUL | uri.HasEncodedControl
)

// decide applies the policy to a request. It makes v a view of the target, and appends to dst only if
// the action is Rewrite or Redirect.
func decide[T uri.Text](
	p *Policy, dst []byte, v *uri.ViewOf[T], method, target, host T,
) ([]byte, Action, Refusal) {
	form := uri.RequestForm(method, target)
	found, why := inspect(p, v, form, target)
	repair := p.LenientQuery && why.Reason != 0 && inQuery(target, why.Offset)
	if repair {
		if v.Scan(form|uri.Lenient, target) != nil {
			return dst, Refuse, why
		}
		var head uri.ViewOf[T]
		_, end := v.Span(uri.Path)
		found, why = inspect(p, &head, form, target[:end])
	}
	if why == (Refusal{}) {
		why = inspectHost(p, v, form, host)
	}
	if why != (Refusal{}) {
		return dst, Refuse, why
	}
	if !repair && !changes(p, found, v.Path()) {
		return dst, Keep, Refusal{}
	}

	start := len(dst)
	pathStart, pathEnd := v.Span(uri.Path)
	dst = append(dst, target[:pathEnd]...)
	path, action := p.rewrite(dst[start+pathStart:])
	if !repair && len(path) == pathEnd-pathStart { // every change makes it shorter
		return dst[:start], Keep, Refusal{}
	}
	dst = dst[:start+pathStart+len(path)]
	if v.Has(uri.Query) {
		dst = v.AppendComponent(append(dst, '?'), uri.Query, uri.EncodeIllegal)
	}

	var result uri.View
	if _, why = inspect(p, &result, form, dst[start:]); why != (Refusal{}) {
		return dst[:start], Refuse, why
	}
	if action == Redirect {
		// A Location that begins with "//" leads to another host.
		if bytes.HasPrefix(path, []byte("//")) {
			return dst[:start], Refuse, Refusal{Traits: uri.HasDoubleSlash}
		}
		dst = append(dst[:start], dst[start+pathStart:]...)
	}
	return dst, action, Refusal{}
}

// inQuery reports whether the offset lies in the query of the target, which the first "?" begins.
func inQuery[T uri.Text](target T, offset int) bool {
	for i := range offset {
		if target[i] == '?' {
			return true
		}
	}
	return false
}

// inspect scans the target and returns the traits that it has before its query, and the reason to
// refuse it, if any.
func inspect[T uri.Text](p *Policy, v *uri.ViewOf[T], form uri.Form, target T) (uri.Trait, Refusal) {
	if err := v.Scan(form, target); err != nil {
		return 0, Refusal{Reason: err.(uri.Error), Offset: v.ErrorOffset()}
	}
	if form == uri.AbsoluteURI || form == uri.AuthorityForm {
		if why := unfit(v, form); why != (Refusal{}) {
			return 0, why
		}
	}
	refuse := p.RefuseTraits
	if p.EscapedSlashes == Refuse {
		refuse |= escapedSlashes
	}
	if p.PathParams == Refuse {
		refuse |= uri.HasPathParam
	}
	found := v.Traits()
	if found&refuse&fromQuery != 0 && v.Has(uri.Query) {
		var head uri.ViewOf[T]
		_, end := v.Span(uri.Path)
		head.Scan(form, target[:end])
		found = head.Traits()
	}
	if p.UTF8Path && found&uri.HasEscape != 0 {
		if i := notUTF8(v.Path()); i >= 0 {
			start, _ := v.Span(uri.Path)
			return 0, Refusal{Reason: uri.ErrPath, Offset: start + i}
		}
	}
	if found&escapedSlashes != 0 && hasEscapedDots(v.Path()) {
		found |= uri.HasEncodedDotSegment
	}
	return found, Refusal{Traits: found & refuse}
}

// unfit returns the reason why a view that names a host is not valid for http or https, or for CONNECT, if
// there is one (RFC 9110 sections 4.2 and 9.3.6).
func unfit[T uri.Text](v *uri.ViewOf[T], form uri.Form) Refusal {
	refuse := func(reason uri.Error, c uri.Component) Refusal {
		offset, _ := v.Span(c)
		return Refusal{Reason: reason, Offset: max(offset, 0)}
	}
	switch {
	case form == uri.AbsoluteURI && !v.SchemeIs("http") && !v.SchemeIs("https"):
		return refuse(uri.ErrScheme, uri.Scheme)
	case v.Has(uri.Userinfo):
		return refuse(uri.ErrUserinfo, uri.Userinfo)
	case len(v.Host()) == 0:
		return refuse(uri.ErrHost, uri.Host)
	case v.PortKind() == uri.HugePort, form == uri.AuthorityForm && v.PortKind() == uri.EmptyPort:
		return refuse(uri.ErrPort, uri.Port)
	}
	return Refusal{}
}

// inspectHost returns the reason to refuse the Host field, if any.
func inspectHost[T uri.Text](p *Policy, v *uri.ViewOf[T], form uri.Form, host T) Refusal {
	named := form == uri.AbsoluteURI || form == uri.AuthorityForm
	if !p.CheckHost && (!named || len(host) == 0) {
		return Refusal{}
	}
	var h uri.ViewOf[T]
	if err := h.Scan(uri.HostField, host); err != nil {
		return Refusal{Host: true, Reason: err.(uri.Error), Offset: h.ErrorOffset()}
	}
	if named && !uri.HostAgrees(v, &h) {
		return Refusal{Host: true, Reason: uri.ErrHostField}
	}
	if !p.CheckHost {
		return Refusal{}
	}
	if why := unfit(&h, uri.HostField); why != (Refusal{}) {
		why.Host = true
		return why
	}
	if traits := h.Traits() & p.RefuseTraits; traits != 0 {
		return Refusal{Host: true, Traits: traits}
	}
	return Refusal{}
}

// changes reports whether the policy may change the path, which has the traits found.
func changes[T uri.Text](p *Policy, found uri.Trait, path T) bool {
	return p.EscapedSlashes >= Rewrite && found&escapedSlashes != 0 ||
		p.PathParams >= Rewrite && found&uri.HasPathParam != 0 ||
		p.MergeSlashes && found&uri.HasDoubleSlash != 0 ||
		p.NormalizePath && (found&dotSegments != 0 || found&uri.HasEscape != 0 && hasEscapedUnreserved(path))
}

// rewrite changes the path in place. It returns the result, and Redirect if the client must be redirected,
// otherwise Rewrite.
func (p *Policy) rewrite(path []byte) ([]byte, Action) {
	action := Rewrite
	if n := len(path); p.EscapedSlashes >= Rewrite {
		if path = decodeSlashes(path); len(path) < n {
			action = max(action, p.EscapedSlashes)
		}
	}
	if p.NormalizePath {
		path = decodeUnreserved(path)
	}
	if n := len(path); p.PathParams >= Rewrite {
		if path = removeParams(path, false); len(path) < n {
			action = max(action, p.PathParams)
		}
	}
	if p.NormalizePath {
		path = uri.RemoveDotSegmentsInPlace(removeParams(path, true))
	}
	if p.MergeSlashes {
		path = mergeSlashes(path)
	}
	return path, action
}

// escaped returns the byte that the escape at the start of s represents. s must be part of a path that
// has been scanned, so the digits follow.
func escaped[T uri.Text](s T) byte {
	digit := func(b byte) byte { return b&15 + 9*(b>>6) }
	return digit(s[1])<<4 | digit(s[2])
}

// isUnreserved reports whether the byte never needs an escape (RFC 3986 section 2.3).
func isUnreserved(b byte) bool {
	return 'a' <= b|0x20 && b|0x20 <= 'z' || '0' <= b && b <= '9' || strings.IndexByte("-._~", b) >= 0
}

// notUTF8 returns the offset of the first escape in the path that UTF8Path refuses, or -1.
func notUTF8[T uri.Text](path T) int {
	begins := true // whether a segment begins here
	for i := 0; i < len(path); {
		if path[i] != '%' {
			begins = path[i] == '/'
			i++
			continue
		}
		var encoded [utf8.UTFMax]byte
		n := 0
		for j := i; n < len(encoded) && j < len(path) && path[j] == '%'; j += len("%00") {
			encoded[n] = escaped(path[j:])
			n++
		}
		c, size := utf8.DecodeRune(encoded[:n])
		next := i + size*len("%00")
		ends := next == len(path) || path[next] == '/'
		switch {
		case c == utf8.RuneError && size == 1, 0x80 <= c && c < 0xA0,
			c >= 0xA0 && (begins || ends) && (unicode.IsSpace(c) || c == '\uFEFF'):
			return i
		}
		begins, i = false, next
	}
	return -1
}

// hasEscapedDots reports whether the path, once decoded, has a dot segment, perhaps with parameters and
// between backslashes.
func hasEscapedDots[T uri.Text](path T) bool {
	dots := 0 // of the segment so far, or -1
	for i := 0; i < len(path); i++ {
		b := path[i]
		if b == '%' {
			b = escaped(path[i:])
			i += len("00")
		}
		switch {
		case b == '.' && dots >= 0:
			dots++
		case b == '/', b == '\\', b == ';':
			if dots == 1 || dots == 2 {
				return true
			}
			dots = 0
			if b == ';' {
				dots = -1
			}
		default:
			dots = -1
		}
	}
	return dots == 1 || dots == 2
}

// hasEscapedUnreserved reports whether decodeUnreserved would change the path.
func hasEscapedUnreserved[T uri.Text](path T) bool {
	for i := range len(path) {
		if path[i] == '%' && isUnreserved(escaped(path[i:])) {
			return true
		}
	}
	return false
}

// decodeUnreserved decodes escapes of unreserved characters in place.
func decodeUnreserved(path []byte) []byte {
	kept := path[:0]
	for i := 0; i < len(path); i++ {
		b := path[i]
		if b == '%' {
			if c := escaped(path[i:]); isUnreserved(c) {
				b = c
				i += len("00")
			}
		}
		kept = append(kept, b)
	}
	return kept
}

// decodeSlashes replaces escapes of slashes and backslashes by slashes, in place.
func decodeSlashes(path []byte) []byte {
	kept := path[:0]
	for i := 0; i < len(path); i++ {
		b := path[i]
		if b == '%' {
			if c := escaped(path[i:]); c == '/' || c == '\\' {
				b = '/'
				i += len("00")
			}
		}
		kept = append(kept, b)
	}
	return kept
}

// removeParams removes the parameters of segments in place: if dots is set, only those of dot segments.
func removeParams(path []byte, dots bool) []byte {
	kept := path[:0]
	segment := 0 // where it begins in kept
	for i := 0; i < len(path); i++ {
		if path[i] == ';' && (!dots || isDots(kept[segment:])) {
			for i < len(path) && path[i] != '/' {
				i++
			}
			if i == len(path) {
				break
			}
		}
		if kept = append(kept, path[i]); path[i] == '/' {
			segment = len(kept)
		}
	}
	return kept
}

// isDots reports whether the segment is "." or "..".
func isDots(segment []byte) bool { return string(segment) == "." || string(segment) == ".." }

// mergeSlashes replaces adjacent slashes by one, in place.
func mergeSlashes(path []byte) []byte {
	kept := path[:0]
	for _, b := range path {
		if b != '/' || len(kept) == 0 || kept[len(kept)-1] != '/' {
			kept = append(kept, b)
		}
	}
	return kept
}
