package uri

import (
	"iter"
	"math/bits"
	"slices"
	"strings"
)

// Segments returns the segments of the path, which are separated by "/".
//
// "/a/b" has the segments "", "a" and "b": a path is absolute if its first segment is empty. "a/"
// has "a" and "". An empty path has none.
//
// A range loop over the result does not allocate. Passing the result to a function that is not inlined may.
func (v *ViewOf[T]) Segments() iter.Seq[T] {
	path := v.src[v.pathStart:v.pathEnd]
	return func(yield func(T) bool) {
		start := 0
		for base := 0; base < len(path); base += blockSize {
			for slashes := slashesAt(path, base); slashes != 0; slashes &= slashes - 1 {
				end := base + bits.TrailingZeros64(slashes)
				if !yield(as[T](path[start:end])) {
					return
				}
				start = end + 1
			}
		}
		if path != "" {
			yield(as[T](path[start:]))
		}
	}
}

// SegmentsBackward returns the Segments from last to first.
func (v *ViewOf[T]) SegmentsBackward() iter.Seq[T] {
	path := v.src[v.pathStart:v.pathEnd]
	return func(yield func(T) bool) {
		end := len(path)
		for base := (end - 1) &^ (blockSize - 1); base >= 0; base -= blockSize {
			for slashes := slashesAt(path, base); slashes != 0; {
				i := bits.Len64(slashes) - 1
				slashes ^= 1 << i
				if !yield(as[T](path[base+i+1 : end])) {
					return
				}
				end = base + i
			}
		}
		if path != "" {
			yield(as[T](path[:end]))
		}
	}
}

// slashesAt returns the mask of the "/" of the block of path at base.
func slashesAt(path string, base int) uint64 {
	return Set{lo: slashLo}.in(blockAt(path, base))
}

// Segment returns the n-th of the Segments, counted from zero, and whether there is one: segment 1
// of "/a/b" is "a".
func (v *ViewOf[T]) Segment(n int) (T, bool) {
	path := v.src[v.pathStart:v.pathEnd]
	if path == "" || n < 0 {
		return as[T](path[len(path):]), false
	}
	for base := 0; n > 0; base += blockSize {
		if base >= len(path) {
			return as[T](path[len(path):]), false
		}
		slashes := slashesAt(path, base)
		if count := bits.OnesCount64(slashes); n > count {
			n -= count
			continue
		}
		for ; n > 1; n-- {
			slashes &= slashes - 1
		}
		path, n = path[base+bits.TrailingZeros64(slashes)+1:], 0
	}
	segment, _, _ := cutByte(path, '/')
	return as[T](segment), true
}

// LastSegment returns what follows the last "/" of the path: "c" in "/a/b/c", nothing in "/a/b/".
func (v *ViewOf[T]) LastSegment() T {
	path := v.src[v.pathStart:v.pathEnd]
	return as[T](path[strings.LastIndexByte(path, '/')+1:])
}

// Extension returns what follows the last "." of the last segment: "gz" in "/v1.2/a.tar.gz". It is
// empty if the segment has no "." after its first byte.
//
// It is verbatim, so escapes and parameters are part of it: "gz;v=3" in "/a.gz;v=3". The url.extension
// of OpenTelemetry's conventions has neither.
func (v *ViewOf[T]) Extension() T {
	segment := text(v.LastSegment())
	if i := strings.LastIndexByte(segment, '.'); i > 0 {
		return as[T](segment[i+1:])
	}
	return as[T](segment[len(segment):])
}

// AppendRemoveDotSegments appends path to dst without its dot segments (RFC 3986 section 5.2.4).
//
// It removes each segment "." and each "..", the latter with the segment before it. It follows the
// RFC literally, whatever the path belongs to: "a/../b" becomes "/b", and "/.//b" becomes "//b".
// "%2E" is not a dot here.
//
// dst must not share memory with path; to work in place, use [RemoveDotSegmentsInPlace].
// AppendRemoveDotSegments does not allocate if dst has room for len(path) bytes, and takes linear
// time.
func AppendRemoveDotSegments[T Text](dst []byte, path T) []byte {
	return appendPath(dst, len(dst), text(path))
}

// RemoveDotSegmentsInPlace is like AppendRemoveDotSegments, but changes path in its own memory. It returns
// the part of path that holds the result. It does not allocate.
func RemoveDotSegmentsInPlace(path []byte) []byte {
	return path[:removeDots(path)]
}

// longPath is the length from which a path is examined in parts while it is appended.
const longPath = 1 << 14

// appendPath appends the rest of the path that begins at dst[start], and removes the dot segments of
// that path. It examines the parts of a long path as soon as they are appended, while they are in the
// processor's cache.
func appendPath(dst []byte, start int, rest string) []byte {
	next := start
	for len(rest) >= longPath {
		dst, rest = append(slices.Grow(dst, len(rest)), rest[:longPath/2]...), rest[longPath/2:]
		if !noDotsAtGlance(text(dst[next:])) {
			break
		}
		next = len(dst)
	}
	if dst = append(dst, rest...); next > start && noDotsAtGlance(text(dst[next:])) {
		return dst
	}
	return dst[:start+removeDots(dst[start:])]
}

// removeDots removes the dot segments of path in place and returns the length of the result.
func removeDots(path []byte) (n int) {
	if noDotsAtGlance(text(path)) {
		return len(path)
	}
	done := 0 // the bytes path[:done] are either in path[:n] or removed
	for segment, end := 0, 0; end < len(path); segment = end + 1 {
		for end = segment; end < len(path) && path[end] != '/'; {
			end++
		}
		dots := end - segment
		if dots == 0 || dots > 2 || path[segment] != '.' || path[end-1] != '.' {
			continue
		}
		if n == done { // nothing has been removed yet
			n = segment
		} else {
			n += copy(path[n:], path[done:segment])
		}
		done = min(end+1, len(path))
		if dots == 1 {
			continue
		}
		// Both n and the segment to remove come after a "/".
		if n < 2 {
			continue
		}
		for n--; n > 0 && path[n-1] != '/'; {
			n--
		}
		if n == 0 { // removing a first segment without "/" before it leaves the "/" after it
			path[0] = '/'
			n = 1
		}
	}
	if done == 0 {
		return len(path)
	}
	return n + copy(path[n:], path[done:])
}

// hasDotSegments reports whether the path has any dot segments. If decode is set, "%2E" is a dot too.
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

// noDotsAtGlance reports whether a glance shows that no segment of the path begins with a dot. It
// returns false for short paths, which a loop examines just as fast.
func noDotsAtGlance(path string) bool {
	return len(path) > 16 && path[0] != '.' && glance(path, 0)&clueDot == 0
}

// dotSegment returns the numbers of dots and of bytes of the first segment of path if that is "." or
// "..". It returns zero dots for any other segment. If decode is set, "%2E" is a dot too.
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
