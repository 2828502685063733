package uri

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
	p := v.normalized(v.src, steps, &room)
	return p.appendTo(dst, len(v.src)+maxAddress)
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
	ap, bp := a.normalized(a.src, steps, &aroom), b.normalized(b.src, steps, &broom)
	return ap.equal(&bp)
}

// Hash returns a hash of the text with the steps done: views that are [Equivalent] have the same hash.
//
// Hash is for hash tables. If others choose the keys, use a random seed, and keep the seed and the hashes
// secret: then it is hard to choose keys that collide. No seed is weak. Hash is not cryptographic; whoever
// sees hashes may be able to compute collisions or the seed. Do not store hashes: another version of this
// package may return different ones.
//
// Hash does not allocate, and takes linear time.
func (v *ViewOf[T]) Hash(seed uint64, steps Step) uint64 {
	h := newHasher(seed)
	if v.IsNormalized(steps) {
		h.addBefore(v.src)
		return h.sum()
	}
	var room scratch
	p := v.normalized(v.src, steps, &room)
	for piece := p.pop(); piece != ""; piece = p.pop() {
		h.addBefore(piece)
	}
	return h.sum()
}
