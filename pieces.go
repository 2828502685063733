package uri

import (
	"slices"
	"strings"
)

// pieces is the normalized form of a view, read from its end: which segments of a path remain
// depends only on what follows them. Each piece is part of the input, or a few rewritten bytes in a
// separate buffer.
//
// A path is read element by element. An element is a segment with the "/" before it. Adjacent
// elements that remain form a run:
//
//	path       /a    /b    /c   /..   /..    /d    /e
//	ups         0     0     1     2     1     0     0    <- read in this direction
//	remains   yes    no    no    no    no   yes   yes
//	runs      \_/                            \_______/
//	         second                            first
//
// Each ".." adds one to ups. Each normal segment subtracts one and is removed, or remains if ups is
// zero. The pieces are "/d/e" and "/a".
type pieces struct {
	fields [fieldFragment + 1]field // with the delimiters between them
	left   int                      // number of fields not read completely; the last of them is being read
	room   []byte                   // holds the piece taken last if it is rewritten

	// These fields concern the path, and are used only if steps change its elements.
	elements Step    // RemoveDotSegments, DecodeSlashes and MergeSlashes, if they do
	guard    bool    // the path must not begin with "//"
	low      int     // offset of the first segment that may remain
	unread   int     // offset of the end of the elements not read yet
	ups      int     // number of segments to remove, one for each ".." read
	begin    [2]byte // the first two bytes of the elements that remain

	sorted *paramOrder // of the query, if its parameters are sorted
}

// The fields of pieces.
const (
	fieldScheme   = iota
	fieldUserinfo // with everything between scheme and host
	fieldHost
	fieldPort
	fieldStart // what is inserted before the path
	fieldPath
	fieldQuery
	fieldFragment
)

// A field is a string to which steps still have to be applied: DecodeUnreserved, UppercaseEscapes,
// DecodeSlashes, EncodeIllegal, and LowercaseHost if the field becomes lower case. What is left of it is
// text[from:end]. The string itself is never reassigned, because then what it refers to would move
// to the heap.
type field struct {
	text      string
	from, end int
	steps     Step
}

func newField(s string, steps Step) field { return field{s, 0, len(s), steps} }

// A scratch is memory for pieces that are not part of the input: a shortened host, and rewritten bytes.
type scratch struct {
	address   [maxAddress]byte
	rewritten [24]byte
}

// normalized returns the pieces of s with the steps applied.
func (o *offsets) normalized(s string, steps Step, room *scratch, sorted *paramOrder) pieces {
	escapes := steps & (DecodeUnreserved | UppercaseEscapes)
	loose := steps & (DecodeUnreserved | UppercaseEscapes | EncodeIllegal)
	slashes := steps & DecodeSlashes
	if o.seen&seenPercent == 0 {
		escapes, slashes = 0, 0
		if o.seen&seenLoose == 0 {
			loose = 0
		}
	}
	p := pieces{
		fields: [...]field{
			fieldScheme:   newField(s[:o.schemeEnd], 0),
			fieldUserinfo: newField(s[o.schemeEnd:o.hostStart], escapes),
			fieldHost:     newHostField(s[o.hostStart:o.hostEnd], steps, room),
			fieldPort:     newField(s[o.hostEnd:o.pathStart], 0),
			fieldPath:     newField(s[o.pathStart:o.pathEnd], loose|slashes),
			fieldQuery:    newField(s[o.pathEnd:o.queryEnd], loose),
			fieldFragment: newField(s[o.queryEnd:], loose),
		},
		left:   fieldFragment + 1,
		room:   room.rewritten[:],
		sorted: sorted,
	}
	if steps&LowercaseScheme != 0 {
		p.fields[fieldScheme].steps = LowercaseHost
	}
	if o.bit(Port) != 0 && steps&portNeeds(s[o.hostEnd+1:o.pathStart], s[:o.schemeEnd]) != 0 {
		p.fields[fieldPort].end = 0
	}
	if steps&AddRootPath != 0 && o.needsRoot(s) {
		p.fields[fieldStart] = newField("/", 0)
	}
	p.elements = steps&MergeSlashes | slashes
	if steps&RemoveDotSegments != 0 && o.losesDots(s, p.elements) {
		p.elements |= RemoveDotSegments
	}
	if p.elements != 0 {
		p.readElements(o.bit(Authority) == 0)
	}
	if steps&DropFragment != 0 {
		p.fields[fieldFragment].end = 0
	}
	if steps&SortParams != 0 && p.sorted.sort(s[o.pathEnd:o.queryEnd]) {
		p.fields[fieldQuery].end = 0
	}
	return p
}

// only reduces p to the component of s.
func (p *pieces) only(o *offsets, s string, c Component, start, end int) {
	first, last := fieldScheme, fieldScheme
	switch c {
	case Authority:
		first, last = fieldUserinfo, fieldPort
	case Userinfo, User, Password:
		first, last = fieldUserinfo, fieldUserinfo
	case Host:
		first, last = fieldHost, fieldHost
	case Port:
		first, last = fieldPort, fieldPort
	case Path:
		first, last = fieldStart, fieldPath
	case Query:
		first, last = fieldQuery, fieldQuery
	case Fragment:
		first, last = fieldFragment, fieldFragment
	}
	for i := range p.fields {
		if i < first || i > last {
			p.fields[i] = field{}
		}
	}
	p.left = last + 1
	if c != Path {
		p.elements = 0
	}
	// The delimiters are left out too.
	switch c {
	case Authority, Userinfo, User, Password:
		f := &p.fields[fieldUserinfo]
		f.from, f.end = start-int(o.schemeEnd), min(end, int(o.hostStart))-int(o.schemeEnd)
	case Port, Query, Fragment:
		if f := &p.fields[last]; f.from < f.end {
			f.from++
		}
	}
	if c != Query {
		p.sorted = nil
	} else if p.sorted != nil {
		p.sorted.bare = true
	}
}

// newHostField returns the field of a host.
func newHostField(host string, steps Step, room *scratch) field {
	if steps&ShortenAddress != 0 && hostKind(host) == IPv6 {
		return newField(text(appendShort(room.address[:0], host)), 0)
	}
	return newField(host, steps&(DecodeUnreserved|UppercaseEscapes|LowercaseHost))
}

// hostPieces returns the pieces of a host alone.
func hostPieces(host string, steps Step, room *scratch) (p pieces) {
	p.fields[fieldHost] = newHostField(host, steps, room)
	p.room = room.rewritten[:]
	p.left = fieldHost + 1
	return p
}

// pop takes the last piece, or "" if there is none. The piece is valid until the next call.
func (p *pieces) pop() string {
	for p.left > 0 {
		f := &p.fields[p.left-1]
		if f.from < f.end || p.left-1 == fieldPath && p.elements != 0 && p.nextRun() ||
			p.left-1 == fieldQuery && p.nextParam() {
			return f.pop(p.room)
		}
		p.left--
	}
	return ""
}

// appendTo appends the pieces to dst. Their total length must not exceed most.
func (p *pieces) appendTo(dst []byte, most int) []byte {
	start := len(dst)
	spare := dst[start:min(cap(dst), start+most)] // the pieces fill it from its end
	end := len(spare)
	for piece := p.pop(); piece != ""; piece = p.pop() {
		if len(piece) > end {
			dst = slices.Grow(dst, most)
			written := spare[end:]
			spare = dst[start : start+most]
			end = most - copy(spare[most-len(written):], written)
		}
		end -= len(piece)
		if len(piece) == 1 {
			spare[end] = piece[0] // without a call
		} else {
			copy(spare[end:], piece)
		}
	}
	return append(dst, spare[end:]...)
}

// equal reports whether p and q yield the same bytes. It consumes both.
func (p *pieces) equal(q *pieces) bool {
	var s, t string
	for {
		if s == "" {
			s = p.pop()
		}
		if t == "" {
			t = q.pop()
		}
		n := min(len(s), len(t))
		if n == 0 || s[len(s)-n:] != t[len(t)-n:] {
			return n == 0 && s == t
		}
		s, t = s[:len(s)-n], t[:len(t)-n]
	}
}

// readElements makes p read the path element by element.
func (p *pieces) readElements(guard bool) {
	f := &p.fields[fieldPath]
	p.guard = guard && !strings.HasPrefix(f.text, "//")
	// A dot segment without a "/" before it is simply removed.      RFC 3986 section 5.2.4, 2A, 2D
	for rest := f.text; p.elements&RemoveDotSegments != 0; {
		var dots int
		if dots, rest = firstDots(rest, f.steps&DecodeUnreserved != 0, p.elements); dots == 0 {
			break
		}
		rest = rest[slashAt(rest, p.elements):]
		for p.elements&MergeSlashes != 0 && slashAt(rest, p.elements) > 0 {
			rest = rest[slashAt(rest, p.elements):]
		}
		p.low = len(f.text) - len(rest)
	}
	p.unread = len(f.text)
	f.from, f.end = p.unread, p.unread
}

// nextRun moves to the last run of the elements not read yet. It returns false if none of them remains.
func (p *pieces) nextRun() bool {
	f := &p.fields[fieldPath]
	path, unread := f.text, p.unread
	from, to := unread, unread // the run
	for unread > p.low {
		end := unread
		for unread--; unread > p.low && path[unread] != '/' && !p.isEncodedSlash(path[unread:]); {
			unread--
		}
		dots := p.dots(path[unread:end])
		switch {
		case dots == 0 && p.ups == 0:
			from = unread
			continue
		case dots == 0:
			p.ups--
		default:
			p.ups += dots - 1
		}
		if end == len(path) {
			from, to = unread, unread+slashAt(path[unread:], p.elements) // a dot segment at the end leaves its "/"
		} else if from < to {
			break
		} else {
			from, to = unread, unread
		}
	}
	p.unread, f.from, f.end = unread, from, to
	if from == to {
		// A path without an authority must not begin with "//".         RFC 3986 section 3.3
		if p.guard && p.begin == [2]byte{'/', '/'} {
			p.fields[fieldStart] = newField("/.", 0)
		}
		return false
	}
	p.begin[1] = p.begin[0]
	n := max(1, slashAt(path[from:to], p.elements))
	if from+n < to {
		p.begin[1] = path[from+n]
		if p.isEncodedSlash(path[from+n : to]) {
			p.begin[1] = '/'
		}
	}
	p.begin[0] = path[from]
	if p.isEncodedSlash(path[from:to]) {
		p.begin[0] = '/'
	}
	return true
}

// isEncodedSlash reports whether s begins with "%2F" and that is a "/" here.
func (p *pieces) isEncodedSlash(s string) bool {
	return s[0] == '%' && slashAt(s, p.elements) > 0
}

// dots returns the number of dots of a dot segment if the element is one, and 0 if it is a normal
// segment. An empty segment to merge is like ".": it is removed, but leaves its "/" at the end.
func (p *pieces) dots(element string) (dots int) {
	n := slashAt(element, p.elements) // a segment without "/" before it is not a dot segment
	switch {
	case n == 0:
	case n == len(element):
		if p.elements&MergeSlashes != 0 {
			return 1
		}
	case p.elements&RemoveDotSegments != 0:
		dots, _ = dotSegment(element[n:], p.fields[fieldPath].steps&DecodeUnreserved != 0)
	}
	return dots
}

// pop takes the last piece of a field. That is the longest run at its end that needs no change; if
// there is none, it is as much as room holds, rewritten into the end of room.
func (f *field) pop(room []byte) string {
	s := f.text[f.from:f.end]
	if f.steps == 0 {
		f.end = f.from
		return s
	}
	i := 0 // the start of the run that needs no change
	if f.steps&EncodeIllegal != 0 {
		for i = len(s); i > 0 && f.isLegal(i-1) && !(i > 2 && s[i-3] == '%'); {
			i--
		}
	} else if f.steps&LowercaseHost != 0 {
		for i = len(s); i > 0 && !isUpper(s[i-1]) && !(i > 2 && s[i-3] == '%'); {
			i--
		}
	} else if i = strings.LastIndexByte(s, '%'); i < 0 {
		i = 0
	} else if isEscape(s[i:]) {
		i += len("%00")
	}
	if i < len(s) {
		f.end = f.from + i
		return s[i:]
	}

	n := len(room) // several bytes are rewritten at once, even those that do not change
	for i > 0 && n >= len("%00") {
		at := i - len("%00")
		if at < 0 || !isEscape(s[at:]) {
			if i--; f.steps&EncodeIllegal != 0 && !f.isLegal(i) {
				n -= copy(room[n-len("%00"):], escape(s[i]))
				continue
			}
			n--
			room[n] = f.letter(s[i])
			continue
		}
		i = at
		switch b := unescape(s[at:]); {
		case f.steps&DecodeUnreserved != 0 && isUnreserved(b) && decodable(s, at, f.steps):
			n--
			room[n] = f.letter(b)
		case f.steps&DecodeSlashes != 0 && b == '/':
			n--
			room[n] = b
		case f.steps&UppercaseEscapes != 0:
			n -= copy(room[n-len("%00"):], escape(b))
		default:
			n -= copy(room[n-len("%00"):], s[at:at+len("%00")])
		}
	}
	f.end = f.from + i
	return text(room[n:])
}

// isLegal reports whether byte i of what is left may stay unchanged: the path, the query and the
// fragment allow it, or it is the "#" before the fragment. A "%" must not, since it might not begin
// an escape.
func (f *field) isLegal(i int) bool {
	at := f.from + i
	return ruleQuery.has(f.text[at]) || at == 0 && f.text[0] == '#'
}

// letter returns b, in lower case if that is one of the steps.
func (f *field) letter(b byte) byte {
	if f.steps&LowercaseHost != 0 && isUpper(b) {
		b |= 0x20
	}
	return b
}

// nextParam moves to the last of the sorted parameters not read yet, or to the delimiter before the
// one read last. It returns false if there is neither.
func (p *pieces) nextParam() bool {
	o := p.sorted
	if o == nil || o.query == "" {
		return false
	}
	f := &p.fields[fieldQuery]
	for {
		switch {
		case o.delim && o.left > 0: // any "&" of the query
			f.from, f.end, o.delim = o.amp, o.amp+1, false
		case o.delim:
			f.from, f.end, o.delim, o.query = 0, 1, false, ""
			if o.bare {
				return false
			}
		default:
			o.left--
			f.from, f.end, o.delim = int(o.spans[o.left][0]), int(o.spans[o.left][1]), true
		}
		if f.from < f.end {
			return true
		}
	}
}
