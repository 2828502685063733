package uri

import (
	"iter"
	"strings"
)

// Segments returns the path as the sequence of segments between its slashes: "/a/b" is "", "a", "b", so the path is
// absolute if the first is empty, and "a/" is "a", "". An empty path has none. A range loop over it does not
// allocate; to pass it on to a function that is not inlined may.
func (v *ViewOf[T]) Segments() iter.Seq[T] {
	path := v.src[v.pathStart:v.pathEnd]
	return func(yield func(T) bool) {
		rest := path
		for more := rest != ""; more; {
			var segment string
			if segment, rest, more = cutByte(rest, '/'); !yield(as[T](segment)) {
				return
			}
		}
	}
}

// SegmentsBackward returns what Segments does from the last segment to the first.
func (v *ViewOf[T]) SegmentsBackward() iter.Seq[T] {
	path := v.src[v.pathStart:v.pathEnd]
	return func(yield func(T) bool) {
		if path == "" {
			return
		}
		for rest := path; ; {
			i := strings.LastIndexByte(rest, '/')
			if !yield(as[T](rest[i+1:])) || i < 0 {
				return
			}
			rest = rest[:i]
		}
	}
}

// LastSegment returns what stands after the path's last "/": "c" in "/a/b/c", nothing in "/a/b/".
func (v *ViewOf[T]) LastSegment() T {
	path := v.src[v.pathStart:v.pathEnd]
	return as[T](path[strings.LastIndexByte(path, '/')+1:])
}

// Extension returns what stands after the last "." of the last segment: "gz" in "/v1.2/a.tar.gz". It is empty where there
// is no "." but the segment's first byte, and for the segment "..".
func (v *ViewOf[T]) Extension() T {
	segment := text(v.LastSegment())
	i := strings.LastIndexByte(segment, '.')
	if i <= 0 || segment == ".." {
		i = len(segment) - 1
	}
	return as[T](segment[i+1:])
}

// AppendRemoveDotSegments appends path less its segments "." and "..", the latter with the segment that each takes back
// (RFC 3986 section 5.2.4). That is done to the letter, whatever path is the path of: "a/../b" becomes "/b", and "/.//b"
// becomes "//b". "%2E" is not a dot here. It takes time linear in len(path) and does not allocate if dst has room.
func AppendRemoveDotSegments[T Text](dst []byte, path T) []byte {
	dst, _ = appendDotless(dst, text(path))
	return dst
}

// RemoveDotSegmentsInPlace is AppendRemoveDotSegments to where the path stands: it returns the first part of path. It does
// not allocate.
func RemoveDotSegmentsInPlace(path []byte) []byte {
	path, _ = appendDotless(path[:0], text(path))
	return path
}

// appendDotless is AppendRemoveDotSegments. dst may be where path is, from its start. It also tells whether a ".." had no
// segment to take back.
func appendDotless(dst []byte, path string) (_ []byte, above bool) {
	start := len(dst)
	// Dot segments that no "/" stands before can only be the first ones.
	for {
		dots, n := dotSegment(path, false)
		if dots == 0 {
			break
		}
		above = above || dots == 2
		if path = path[n:]; path == "" {
			return dst, above
		}
		path = path[1:]
	}
	for {
		i := strings.Index(path, "/.")
		if i < 0 {
			return append(dst, path...), above
		}
		dst = append(dst, path[:i]...)
		path = path[i:]
		dots, n := dotSegment(path[1:], false)
		if dots == 0 { // a segment that only begins with a dot
			dst = append(dst, "/."...)
			path = path[2:]
			continue
		}
		if dots == 2 {
			above = above || len(dst) == start
			dst = dst[:start+max(0, strings.LastIndexByte(text(dst[start:]), '/'))]
		}
		if path = path[1+n:]; path == "" {
			return append(dst, '/'), above // a dot segment at the end leaves its "/"
		}
	}
}

// dotSegment returns the number of dots and of bytes of the segment that path begins with, if it is "." or "..", else zero
// dots. With decode, "%2E" is a dot too.
func dotSegment(path string, decode bool) (dots, n int) {
	for ; n < len(path) && path[n] != '/'; dots++ {
		switch {
		case dots == 2:
			return 0, 0
		case path[n] == '.':
			n++
		case decode && isEscape(path[n:]) && unescape(path[n:]) == '.':
			n += len("%00")
		default:
			return 0, 0
		}
	}
	return dots, n
}
