package uri

import "math"

// AppendNormalized appends the URI to dst with the steps applied.
//
// The result scans to the intended components: a reference neither gains nor loses a scheme or an
// authority. Normalizing the result again changes nothing.
//
// Dot segments are removed from a path that follows a scheme or an authority or begins with "/".
// Those of any other relative reference are kept, because they are relative to a base that is not
// known here. A path without an authority that would begin with "//" begins with "/.//" instead.
// Decoded bytes take part in the other steps: a decoded letter of the host becomes lower case, and a
// decoded "." is a dot.
//
// If the last Scan failed, AppendNormalized appends nothing.
//
// DropEmptyPort also applies to a view of AuthorityForm, whose result then scans as HostField.
//
// dst must not share memory with v. Bytes between the end of the result and dst's capacity may be
// overwritten. AppendNormalized does not allocate if dst has room, and takes linear time.
func (v *ViewOf[T]) AppendNormalized(dst []byte, steps Step) []byte {
	if v.IsNormalized(steps) {
		return append(dst, v.src...)
	}
	var room scratch
	p := v.normalized(v.src, steps, &room, newParamOrder(steps))
	return p.appendTo(dst, maxNormalized(len(v.src), steps))
}

// AppendComponent appends the component to dst with the steps applied. It appends nothing if the
// component is absent.
//
// Use it to log a host, or to normalize the path of a request whose signed query must not change. A
// path begins with "/." if the whole URI needs that to be unambiguous.
//
// dst must not share memory with v. Bytes between the end of the result and dst's capacity may be
// overwritten. AppendComponent does not allocate if dst has room, and takes linear time.
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

// newParamOrder returns memory for sorting parameters if that is one of the steps, else nil. It is
// inlined, so the memory stays on the stack.
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

// IsNormalized reports whether AppendNormalized would append the URI unchanged. It returns false if
// the last Scan failed.
//
// Most URIs are normalized, and asking first is cheaper than copying and comparing. IsNormalized
// does not allocate.
func (v *ViewOf[T]) IsNormalized(steps Step) bool { return v.why == 0 && v.needed(v.src, steps) == 0 }

// StepsNeeded returns those of the steps that would change the URI.
//
// A step counts if it changes the result of the steps applied before it: DecodeUnreserved,
// DecodeSlashes and UppercaseEscapes come first, then the others in the order of their constants.
// If the last Scan failed, all steps count. StepsNeeded does not allocate.
func (v *ViewOf[T]) StepsNeeded(steps Step) Step {
	if v.why != 0 {
		return steps
	}
	return v.needed(v.src, steps)
}

// Equivalent reports whether a and b are equal once the steps are applied to both. It writes nothing
// and does not allocate.
//
// If the last Scan of either view failed, it returns false, even if a and b are the same view: nothing is
// known about the inputs.
func Equivalent[A, B Text](a *ViewOf[A], b *ViewOf[B], steps Step) bool {
	if a.why != 0 || b.why != 0 {
		return false
	}
	if a.src == b.src && a.offsets == b.offsets || a.IsNormalized(steps) && b.IsNormalized(steps) {
		return a.src == b.src
	}
	var aroom, broom scratch
	ap := a.normalized(a.src, steps, &aroom, newParamOrder(steps))
	bp := b.normalized(b.src, steps, &broom, newParamOrder(steps))
	return ap.equal(&bp)
}

// Hash returns a hash of the URI with the steps applied. Views that are [Equivalent] have the same hash.
//
// Hash is for hash tables. If an attacker may choose the keys, use a random seed, and keep the seed and the
// hashes secret: then it is hard to find keys that collide. No seed is weak. Hash is not cryptographic:
// anyone who sees hashes may be able to compute collisions or the seed. Do not store hashes: another version
// of this package may return different ones.
//
// Hash does not allocate, and takes linear time.
func (v *ViewOf[T]) Hash(seed uint64, steps Step) uint64 {
	if v.IsNormalized(steps) {
		return hashText(seed, v.src)
	}
	h := newHasher(seed)
	var room scratch
	p := v.normalized(v.src, steps, &room, newParamOrder(steps))
	for piece := p.pop(); piece != ""; piece = p.pop() {
		h.addBefore(piece)
	}
	return h.sum()
}
