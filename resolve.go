package uri

import (
	"cmp"
	"strings"
)

// ResolveOption is a set of departures from RFC 3986 section 5.2, one bit each. Zero means none.
type ResolveOption uint8

const (
	// BackwardCompatible ignores the scheme of a reference if it equals that of the base. This is the
	// non-strict algorithm of section 5.2.2.
	BackwardCompatible ResolveOption = 1 << iota
	// RejectAboveRoot reports an error if a ".." has no segment left to remove. Here "%2E" is a dot, and the
	// path of the base counts as far as it is part of the result.
	RejectAboveRoot
)

// AppendResolved appends to dst the URI that ref refers to, given the base URI (RFC 3986 section 5.2).
//
// The result scans to the components that the RFC's algorithm gives. To ensure that, it departs from
// the RFC in one case: a path without an authority that would begin with "//" begins with "/.//"
// instead.
//
// It fails with [ErrScheme] if base has no scheme, with [ErrPath] if RejectAboveRoot is set and a
// ".." has no segment to remove, and with [ErrTooLong] if the result would be too long. It also
// fails if the last Scan of either view failed, with that Error. On failure it returns dst
// unchanged.
//
// dst must not share memory with the views. AppendResolved does not allocate if dst has room for
// both inputs and two more bytes, and takes linear time.
func AppendResolved[B, R Text](
	dst []byte, base *ViewOf[B], ref *ViewOf[R], options ResolveOption,
) ([]byte, error) {
	out, why := appendResolved(dst, &base.view, &ref.view, options)
	if why = tooLong(why, len(out)-len(dst), MaxLen); why != 0 {
		return dst, why
	}
	return out, nil
}

// AppendRelative appends to dst the shortest reference from base to target: "../c?q" for
// "http://h/a/b/" and "http://h/a/c?q".
//
// Resolving that reference with [AppendResolved] and no options gives the target without its dot segments.
//
// It fails with [ErrScheme] unless both views have a scheme, and with [ErrTooLong] if the result would be too
// long. It also fails if the last Scan of either view failed, with that Error. On failure it returns dst
// unchanged.
//
// dst must not share memory with the views. AppendRelative does not allocate if dst has room for the
// result and for those paths of the views that have dot segments.
func AppendRelative[B, T Text](dst []byte, base *ViewOf[B], target *ViewOf[T]) ([]byte, error) {
	if why := cmp.Or(base.why, target.why); why != 0 {
		return dst, why
	}
	out, why := appendShortest(dst, base.components(base.src), target.components(target.src))
	if why = tooLong(why, len(out)-len(dst), MaxLen); why != 0 {
		return dst, why
	}
	return out, nil
}

// WithoutFragment returns the URI without the fragment and its "#". The result is part of the input.
func (v *ViewOf[T]) WithoutFragment() T { return as[T](v.src[:v.queryEnd]) }

// RequestTarget returns the path and, with its "?", the query. The result is part of the input.
//
// It is the origin-form of a request (RFC 9112 section 3.2.1), except that a request sends an empty
// path as "/".
func (v *ViewOf[T]) RequestTarget() T { return as[T](v.src[v.pathStart:v.queryEnd]) }

// appendResolved is the pseudocode of RFC 3986 section 5.2.2 and the recomposition of section 5.3.
// Adjacent components of base or ref are copied together, with their delimiters.
func appendResolved(dst []byte, b, r *view, options ResolveOption) ([]byte, Error) {
	base, ref := b.src, r.src
	if why := cmp.Or(b.why, r.why); why != 0 {
		return dst, why
	}
	if b.bit(Scheme) == 0 {
		return dst, ErrScheme
	}
	sameScheme := r.bit(Scheme) == 0 ||
		options&BackwardCompatible != 0 && strings.EqualFold(ref[:r.schemeEnd], base[:b.schemeEnd])
	path := ref[r.pathStart:r.pathEnd]
	authority := b.bit(Authority) != 0
	start := len(dst)
	switch {
	case !sameScheme:
		authority = r.bit(Authority) != 0
		dst = append(dst, ref[:r.pathStart]...)
		start = len(dst)
	case r.bit(Authority) != 0:
		authority = true
		dst = append(append(dst, base[:b.schemeEnd+1]...), "//"...)
		dst = append(dst, ref[r.authStart:r.pathStart]...)
		start = len(dst)
	case path == "":
		if options&RejectAboveRoot != 0 && climbsAbove(base[b.pathStart:b.pathEnd], "") {
			return dst, ErrPath
		}
		end := b.queryEnd
		if r.bit(Query) != 0 {
			end = b.pathEnd
		}
		return append(append(dst, base[:end]...), ref[r.pathEnd:]...), 0
	case path[0] == '/':
		dst = append(dst, base[:b.pathStart]...)
		start = len(dst)
	case b.pathStart == b.pathEnd && authority: //                                   RFC 3986 section 5.2.3
		dst = append(append(dst, base[:b.pathStart]...), '/')
		start = len(dst) - 1
	default:
		start += int(b.pathStart)
		dst = append(dst, base[:strings.LastIndexByte(base[b.pathStart:b.pathEnd], '/')+1+int(b.pathStart)]...)
	}

	if options&RejectAboveRoot != 0 && climbsAbove(text(dst[start:]), path) {
		return dst, ErrPath
	}
	if len(path) < longPath {
		dst = append(dst, ref[r.pathStart:]...) // with query and fragment, which rarely have to be moved
		end := len(dst) - int(uint32(len(ref))-r.pathEnd)
		if n := removeDots(dst[start:end]); start+n < end {
			dst = append(dst[:start+n], dst[end:]...)
		}
	} else {
		dst = appendPath(dst, start, path)
		dst = append(dst, ref[r.pathEnd:]...)
	}
	// A path that begins with "//" would be read as an authority.        RFC 3986 section 3.3
	if !authority && strings.HasPrefix(text(dst[start:]), "//") {
		dst = append(dst, "/."...)
		copy(dst[start+len("/."):], dst[start:])
		copy(dst[start:], "/.")
	}
	return dst, 0
}

// climbsAbove reports whether a "..", encoded or not, of a path has no segment to remove. The path is in
// two parts, of which the first ends with "/" unless it is empty.
func climbsAbove(directory, path string) bool {
	depth := 0 // the number of segments that may be removed
	for _, part := range [...]string{directory, path} {
		for part = strings.TrimPrefix(part, "/"); part != ""; {
			var segment string
			segment, part, _ = cutByte(part, '/')
			switch dots, _ := dotSegment(segment, true); {
			case dots == 0:
				depth++
			case dots == 2:
				if depth--; depth < 0 {
					return true
				}
			}
		}
	}
	return false
}

// components holds the five components of RFC 3986 section 5.2. All except authority and path
// include their delimiters, which distinguishes absent from empty.
type components struct {
	scheme, authority, path, query, fragment string

	hasAuthority bool
	directory    string // what a relative path is appended to
}

func (o *offsets) components(s string) components {
	p := components{
		scheme:       s[:o.schemeEnd+o.bit(Scheme)],
		authority:    s[o.authStart:o.pathStart],
		path:         s[o.pathStart:o.pathEnd],
		query:        s[o.pathEnd:o.queryEnd],
		fragment:     s[o.queryEnd:],
		hasAuthority: o.bit(Authority) != 0,
	}
	p.directory = p.path[:strings.LastIndexByte(p.path, '/')+1]
	if p.path == "" && p.hasAuthority {
		p.directory = "/"
	}
	return p
}

// appendHead appends the scheme and the authority.
func (p *components) appendHead(dst []byte) []byte {
	dst = append(dst, p.scheme...)
	if p.hasAuthority {
		dst = append(append(dst, "//"...), p.authority...)
	}
	return dst
}

// appendShortest is AppendRelative.
func appendShortest(dst []byte, base, target components) ([]byte, Error) {
	if base.scheme == "" || target.scheme == "" {
		return dst, ErrScheme
	}
	// Paths that have to be rewritten are kept at the end of dst temporarily.
	start := len(dst)
	dst, target.path = dotless(dst, target.path)
	dst, base.directory = dotless(dst, base.directory)
	rewritten := len(dst)
	if dst = appendRelative(dst, &base, &target); rewritten > start {
		dst = append(dst[:start], dst[rewritten:]...)
	}
	return dst, 0
}

// dotless returns path without its dot segments. If it has any, the result is appended to dst.
func dotless(dst []byte, path string) ([]byte, string) {
	if !hasDotSegments(path, false) {
		return dst, path
	}
	start := len(dst)
	dst = AppendRemoveDotSegments(dst, path)
	return dst, text(dst[start:])
}

// appendRelative appends the shortest reference from base to t, whose path has no dot segments.
func appendRelative(dst []byte, base, t *components) []byte {
	guard := ""
	if strings.HasPrefix(t.path, "//") {
		guard = "/." // used if there is no authority before it
	}
	switch {
	case t.scheme != base.scheme || t.hasAuthority != base.hasAuthority && !t.hasAuthority:
		dst = t.appendHead(dst)
		if !t.hasAuthority {
			dst = append(dst, guard...)
		}
		dst = append(dst, t.path...)
	case t.hasAuthority != base.hasAuthority || t.authority != base.authority:
		dst = append(append(append(dst, "//"...), t.authority...), t.path...)
	case t.samePath(base, guard) && t.query == base.query:
		return append(dst, t.fragment...)
	case t.samePath(base, guard) && t.query != "":
	default:
		dst = t.appendRelativePath(dst, base, guard)
	}
	return append(append(dst, t.query...), t.fragment...)
}

// samePath reports whether a reference with an empty path resolves to the path of t, with the guard
// if t has no authority.
func (t *components) samePath(base *components, guard string) bool {
	if t.hasAuthority {
		guard = ""
	}
	return strings.HasPrefix(base.path, guard) && base.path[len(guard):] == t.path
}

// appendRelativePath appends the shortest reference to the path of t, without query and fragment.
// The scheme and authority of t are those of the base.
func (t *components) appendRelativePath(dst []byte, base *components, guard string) []byte {
	absolute := strings.HasPrefix(t.path, "/")
	other := len(t.path) + len(guard) // the length of any other reference
	if !absolute {
		other += len(t.scheme)
	}

	if ups, rest, ok := climb(base.directory, t.path); ok {
		n := len("../")*ups + len(rest)
		here := ""
		switch first, _, _ := cutByte(rest, '/'); {
		case ups > 0 && rest == "":
			n-- // the last "/" is not needed
		case ups == 0 && rest == "":
			here = "."
		case ups == 0 && (first == "" || strings.IndexByte(first, ':') >= 0):
			here = "./" // otherwise it would be an absolute path, or have a scheme
		}
		if n += len(here); n <= other {
			end := len(dst) + n
			for range ups {
				dst = append(dst, "../"...)
			}
			return append(append(dst, here...), rest...)[:end]
		}
	}
	switch {
	case absolute:
		return append(append(dst, guard...), t.path...)
	case t.hasAuthority:
		return append(append(dst, "//"...), t.authority...)
	}
	return append(append(dst, t.scheme...), t.path...)
}

// climb returns how many segments of the directory have to be removed, and what then has to be
// appended, to get the path. It returns false if that is impossible: removing the first segment of a
// path that does not begin with "/" makes it begin with "/".
func climb(directory, path string) (ups int, rest string, ok bool) {
	common := 0 // what both have up to a "/"
	for i := 0; i < len(directory) && i < len(path) && directory[i] == path[i]; i++ {
		if path[i] == '/' {
			common = i + 1
		}
	}
	if common == 0 && (directory != "" || strings.HasPrefix(path, "/")) {
		return 0, "", false
	}
	return strings.Count(directory[common:], "/"), path[common:], true
}
