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
		if path == "" {
			return
		}
		for {
			i := strings.IndexByte(path, '/')
			if i < 0 {
				yield(as[T](path))
				return
			}
			if !yield(as[T](path[:i])) {
				return
			}
			path = path[i+1:]
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
		for {
			i := strings.LastIndexByte(path, '/')
			if !yield(as[T](path[i+1:])) || i < 0 {
				return
			}
			path = path[:i]
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
		n := dotSegment(path)
		if n == 0 {
			break
		}
		above = above || n == 2
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
		n := dotSegment(path[1:])
		if n == 0 { // a segment that only begins with a dot
			dst = append(dst, "/."...)
			path = path[2:]
			continue
		}
		if n == 2 {
			above = above || len(dst) == start
			dst = dst[:start+max(0, strings.LastIndexByte(text(dst[start:]), '/'))]
		}
		if path = path[1+n:]; path == "" {
			return append(dst, '/'), above // a dot segment at the end leaves its "/"
		}
	}
}

// dotSegment returns the length of the segment that path begins with if it is "." or "..", else 0.
func dotSegment(path string) int {
	for n := 1; n <= 2 && n <= len(path) && path[n-1] == '.'; n++ {
		if n == len(path) || path[n] == '/' {
			return n
		}
	}
	return 0
}
