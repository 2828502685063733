package uri

import "math"

// AppendNormalized appends the text with the steps done. It scans to the components that are meant: a
// reference gains or loses neither scheme nor authority, and to normalize it again changes nothing.
//
// Dot segments are removed from a path that has a scheme or authority before it, or begins with "/"; those of
// any other relative reference say where to go from a base that is not known here. Where a path without
// authority would come to begin with "//", it begins with "/.//". What is decoded is lower-cased, or a dot,
// as if it had been there.
//
// A view of AuthorityForm loses an empty port like any other, and scans as HostField then.
//
// dst must not share memory with v. What lies between the result's end and dst's capacity is not kept.
// AppendNormalized does not allocate if dst has room, and takes linear time.
func (v *ViewOf[T]) AppendNormalized(dst []byte, steps Step) []byte {
	if v.IsNormalized(steps) {
		return append(dst, v.src...)
	}
	var room scratch
	p := v.normalized(v.src, steps, &room, newParamOrder(steps))
	return p.appendTo(dst, maxNormalized(len(v.src), steps))
}

// AppendComponent appends the component with the steps done, and nothing if it is absent: the host for a log,
// or the path of a request whose signed query must stay as it is. The path gets what keeps the whole text
// unambiguous.
//
// dst must not share memory with v. AppendComponent does not allocate if dst has room, and takes linear time.
func (v *ViewOf[T]) AppendComponent(dst []byte, c Component, steps Step) []byte {
	start, end := v.Span(c)
	if start < 0 {
		return dst
	}
	if v.IsNormalized(steps) {
		return append(dst, v.src[start:end]...)
	}
	var room scratch
	p := v.normalized(v.src, steps, &room, newParamOrder(steps))
	p.only(&v.offsets, v.src, c, start, end)
	return p.appendTo(dst, maxNormalized(end-start, steps))
}

// newParamOrder returns what sorts parameters if that is one of the steps. It is inlined, so that it stays on
// the stack.
func newParamOrder(steps Step) *paramOrder {
	if steps&SortParams == 0 {
		return nil
	}
	return new(paramOrder)
}

// maxNormalized returns the length of the longest result for n bytes.
func maxNormalized(n int, steps Step) int {
	if steps&EncodeIllegal != 0 {
		n = min(n, (math.MaxInt-maxAddress)/len("%00")) * len("%00")
	}
	return n + maxAddress
}

// IsNormalized tells whether AppendNormalized would append the text as it is. That of most is: to ask first
// costs less than to copy and compare. It does not allocate.
func (v *ViewOf[T]) IsNormalized(steps Step) bool { return v.needed(v.src, steps) == 0 }

// StepsNeeded returns those of the steps that would change something, each after those that are done before
// it: first DecodeUnreserved and UppercaseEscapes, then the others in the order of their constants. It does
// not allocate.
func (v *ViewOf[T]) StepsNeeded(steps Step) Step { return v.needed(v.src, steps) }

// Equivalent tells whether a and b are the same text once the steps are done. Nothing is written; it does not
// allocate.
func Equivalent[A, B Text](a *ViewOf[A], b *ViewOf[B], steps Step) bool {
	if a.src == b.src && a.offsets == b.offsets || a.IsNormalized(steps) && b.IsNormalized(steps) {
		return a.src == b.src
	}
	var aroom, broom scratch
	ap := a.normalized(a.src, steps, &aroom, newParamOrder(steps))
	bp := b.normalized(b.src, steps, &broom, newParamOrder(steps))
	return ap.equal(&bp)
}

// Hash returns a hash of the text with the steps done: views that are [Equivalent] have the same. A table
// whose keys others choose needs a random seed. Nothing is written; it does not allocate. Hashes are not to
// be kept: another version may compute others.
func (v *ViewOf[T]) Hash(seed uint64, steps Step) uint64 {
	h := newHasher(seed)
	if v.IsNormalized(steps) {
		h.addBefore(v.src)
		return h.sum()
	}
	var room scratch
	p := v.normalized(v.src, steps, &room, newParamOrder(steps))
	for piece := p.pop(); piece != ""; piece = p.pop() {
		h.addBefore(piece)
	}
	return h.sum()
}
