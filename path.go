package uri

import (
	"iter"
	"slices"
	"strings"
)

// Segments returns the path as the sequence of segments between its slashes: "/a/b" is "", "a", "b", so the
// path is absolute if the first is empty, and "a/" is "a", "". An empty path has none. A range loop over it
// does not allocate; to pass it on to a function that is not inlined may.
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

// Segment returns the n-th of the Segments, counted from zero, and whether there is one: "a" for 1 in "/a/b".
func (v *ViewOf[T]) Segment(n int) (T, bool) {
	path := v.src[v.pathStart:v.pathEnd]
	for more := path != ""; more; n-- {
		var segment string
		if segment, path, more = cutByte(path, '/'); n == 0 {
			return as[T](segment), true
		}
	}
	return as[T](path[len(path):]), false
}

// LastSegment returns what stands after the path's last "/": "c" in "/a/b/c", nothing in "/a/b/".
func (v *ViewOf[T]) LastSegment() T {
	path := v.src[v.pathStart:v.pathEnd]
	return as[T](path[strings.LastIndexByte(path, '/')+1:])
}

// Extension returns what stands after the last "." of the last segment: "gz" in "/v1.2/a.tar.gz". It is empty
// where there is no "." but the segment's first byte.
func (v *ViewOf[T]) Extension() T {
	segment := text(v.LastSegment())
	if i := strings.LastIndexByte(segment, '.'); i > 0 {
		return as[T](segment[i+1:])
	}
	return as[T](segment[len(segment):])
}

// AppendRemoveDotSegments appends path less its segments "." and "..", the latter with the segment that each
// takes back (RFC 3986 section 5.2.4). That is done to the letter, whatever path is the path of: "a/../b"
// becomes "/b", and "/.//b" becomes "//b". "%2E" is not a dot here. It takes time linear in len(path) and
// does not allocate if dst has room for as many bytes.
func AppendRemoveDotSegments[T Text](dst []byte, path T) []byte {
	dst, _ = appendPath(dst, len(dst), text(path))
	return dst
}

// RemoveDotSegmentsInPlace is AppendRemoveDotSegments to where the path stands: it returns the first part of
// path. It does not allocate.
func RemoveDotSegmentsInPlace(path []byte) []byte {
	n, _ := removeDots(path)
	return path[:n]
}

// longPath is from where on a path is looked through, in parts, while it is appended.
const longPath = 1 << 14

// appendPath appends the rest of the path that begins at start of dst, and removes the dot segments of that
// path. It also tells whether a ".." found no segment to take back. The parts of a long path are looked
// through as soon as they are appended: they are in the processor's cache then.
func appendPath(dst []byte, start int, rest string) (_ []byte, above bool) {
	next := start
	for len(rest) >= longPath {
		dst, rest = append(slices.Grow(dst, len(rest)), rest[:longPath/2]...), rest[longPath/2:]
		if !noDotsAtGlance(text(dst[next:])) {
			break
		}
		next = len(dst)
	}
	if dst = append(dst, rest...); next > start && noDotsAtGlance(text(dst[next:])) {
		return dst, false
	}
	n, above := removeDots(dst[start:])
	return dst[:start+n], above
}

// removeDots moves what is left of path without dot segments to its start, and returns the length. It also
// tells whether a ".." found no segment to take back.
func removeDots(path []byte) (n int, above bool) {
	if noDotsAtGlance(text(path)) {
		return len(path), false
	}
	done := 0 // how much of path is in path[:n], or left out
	for segment, end := 0, 0; end < len(path); segment = end + 1 {
		for end = segment; end < len(path) && path[end] != '/'; {
			end++
		}
		dots := end - segment
		if dots == 0 || dots > 2 || path[segment] != '.' || path[end-1] != '.' {
			continue
		}
		if n == done { // nothing was left out yet
			n = segment
		} else {
			n += copy(path[n:], path[done:segment])
		}
		done = min(end+1, len(path))
		if dots == 1 {
			continue
		}
		// Both n and the segment to take back are behind a "/".
		if n < 2 {
			above = true
			continue
		}
		for n--; n > 0 && path[n-1] != '/'; {
			n--
		}
		if n == 0 { // the first segment of a path that does not begin with "/" leaves the "/" behind it
			path[0] = '/'
			n = 1
		}
	}
	if done == 0 {
		return len(path), false
	}
	return n + copy(path[n:], path[done:]), above
}

// hasDotSegments tells whether the path has any, "%2E" being a dot too where decode is set.
func hasDotSegments(path string, decode bool) bool {
	if !decode && noDotsAtGlance(path) {
		return false
	}
	for i, before := 0, byte('/'); i < len(path); i++ {
		if before == '/' && (path[i] == '.' || decode && path[i] == '%') {
			if dots, _ := dotSegment(path[i:], decode); dots != 0 {
				return true
			}
		}
		before = path[i]
	}
	return false
}

// noDotsAtGlance tells that no segment of a path begins with a dot, or nothing where a loop tells as fast.
func noDotsAtGlance(path string) bool {
	return len(path) > 16 && path[0] != '.' && glance(path, 0)&clueDot == 0
}

// dotSegment returns the number of dots and of bytes of the segment that path begins with, if it is "." or
// "..", else zero dots. With decode, "%2E" is a dot too.
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
