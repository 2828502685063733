package uri

import (
	"net/netip"
	"strings"
)

// pieces is the normalized text of a view, to be read from its end: which segments of a path stay is known only from what
// comes after them. Each piece is part of the input or of a constant, so that nothing has to be written anywhere.
type pieces struct {
	fields [fieldTail + 1]field // with the delimiters between them
	left   int                  // number of those that are not read through: the last of them is being read

	// Of the path, where dot segments are removed from it.
	remove bool
	guard  bool // it must not begin with "//"
	low    int  // offset of the first segment that may stay
	unread int  // offset of the end of the elements that were not read
	above  int  // segments to be left out, one for each ".." that was read
	count  int  // elements that stay so far
}

// The fields of pieces.
const (
	fieldScheme   = iota
	fieldUserinfo // and what else stands between scheme and host
	fieldHost
	fieldPort
	fieldStart // what is put before the path
	fieldPath
	fieldTail // query and fragment
)

// A field is text to which steps are still to be done: DecodeUnreserved, UppercaseEscapes, and LowercaseHost if it is to
// be in lower case. What is left of it is text[from:end]; strings stay where they are, or they would move to the heap.
type field struct {
	text      string
	from, end int
	steps     Step
}

func newField(s string, steps Step) field { return field{s, 0, len(s), steps} }

// normalized returns the pieces of s with the steps done. A host that is shortened is written to address.
func (o *offsets) normalized(s string, steps Step, address []byte) pieces {
	escapes := steps & (DecodeUnreserved | UppercaseEscapes)
	if o.met&metPercent == 0 {
		escapes = 0
	}
	p := pieces{
		fields: [...]field{
			fieldScheme:   newField(s[:o.schemeEnd], 0),
			fieldUserinfo: newField(s[o.schemeEnd:o.hostStart], escapes),
			fieldHost:     newHostField(s[o.hostStart:o.hostEnd], steps, address),
			fieldPort:     newField(s[o.hostEnd:o.pathStart], 0),
			fieldPath:     newField(s[o.pathStart:o.pathEnd], escapes),
			fieldTail:     newField(s[o.pathEnd:], escapes),
		},
		left: fieldTail + 1,
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
	if steps&RemoveDotSegments != 0 && o.losesDots(s) {
		p.removeDots(o.bit(Authority) == 0)
	}
	return p
}

// newHostField returns the field of a host. One that is shortened is written to address.
func newHostField(host string, steps Step, address []byte) field {
	if steps&ShortenAddress != 0 && hostKind(host) == IPv6 {
		return newField(text(appendShort(address, host)), 0)
	}
	return newField(host, steps&(DecodeUnreserved|UppercaseEscapes|LowercaseHost))
}

// hostPieces returns the pieces of a host alone.
func hostPieces(host string, steps Step, address []byte) (p pieces) {
	p.fields[fieldHost] = newHostField(host, steps, address)
	p.left = fieldHost + 1
	return p
}

// last takes the last piece, "" where there is none.
func (p *pieces) last() string {
	for p.left > 0 {
		if piece := p.fields[p.left-1].last(); piece != "" {
			return piece
		}
		if p.left-1 != fieldPath || !p.remove || !p.elements() {
			p.left--
		}
	}
	return ""
}

// size returns the number of bytes in all pieces.
func (p pieces) size() (n int) {
	for piece := p.last(); piece != ""; piece = p.last() {
		n += len(piece)
	}
	return n
}

// equal tells whether p and q are the same text, and uses them up.
func (p *pieces) equal(q *pieces) bool {
	var s, t string
	for {
		if s == "" {
			s = p.last()
		}
		if t == "" {
			t = q.last()
		}
		n := min(len(s), len(t))
		if n == 0 || s[len(s)-n:] != t[len(t)-n:] {
			return n == 0 && s == t
		}
		s, t = s[:len(s)-n], t[:len(t)-n]
	}
}

// removeDots sets p to leave dot segments out of the path.
func (p *pieces) removeDots(guard bool) {
	f := &p.fields[fieldPath]
	p.remove = true
	p.guard = guard && !strings.HasPrefix(f.text, "//")
	// Those that no "/" stands before go by themselves.                               RFC 3986 section 5.2.4, 2A and 2D
	for {
		dots, n := dotSegment(f.text[p.low:], f.steps&DecodeUnreserved != 0)
		if dots == 0 {
			break
		}
		p.low = min(p.low+n+1, len(f.text))
	}
	p.unread = len(f.text)
	f.from, f.end = p.unread, p.unread
}

// elements goes to the last run of elements of the path that stay, of those that were not read. An element is a segment with
// the "/" before it, if there is one.
func (p *pieces) elements() bool {
	f := &p.fields[fieldPath]
	f.from, f.end = p.unread, p.unread
	for p.unread > p.low {
		end := p.unread
		for p.unread--; p.unread > p.low && f.text[p.unread] != '/'; {
			p.unread--
		}
		stays := p.above == 0
		if dots := f.dots(p.unread, end); dots > 0 {
			p.above += dots - 1
			if stays = end == len(f.text); stays {
				f.end = p.unread + 1 // a dot segment at the end leaves its "/"
			}
		} else if !stays {
			p.above--
		}
		switch {
		case stays:
			p.count++
			// A path without authority does not begin with "//".                      RFC 3986 section 3.3
			p.fields[fieldStart].end = 0
			if p.guard && p.count > 1 && end-p.unread == len("/") && f.text[p.unread] == '/' {
				p.fields[fieldStart] = newField("/.", 0)
			}
			f.from = p.unread
		case f.from < f.end:
			return true
		default:
			f.from, f.end = p.unread, p.unread
		}
	}
	return f.from < f.end
}

// dots returns the number of dots of the element text[start:end] if it is a dot segment, else 0. One that no "/" stands
// before is none.
func (f *field) dots(start, end int) (dots int) {
	if end-start < 2 || f.text[start] != '/' {
		return 0
	}
	decode := f.steps&DecodeUnreserved != 0
	if first := f.text[start+1]; first == '.' || first == '%' && decode {
		dots, _ = dotSegment(f.text[start+1:end], decode)
	}
	return dots
}

// last takes the last piece of a field: an escape, a letter, or all that needs nothing.
func (f *field) last() string {
	if f.end == f.from || f.steps == 0 {
		s := f.text[f.from:f.end]
		f.end = f.from
		return s
	}
	s := f.text[f.from:f.end]
	if i := len(s) - len("%00"); i >= 0 && isEscape(s[i:]) {
		f.end -= len("%00")
		b := unescape(s[i:])
		switch {
		case f.steps&DecodeUnreserved != 0 && isUnreserved(b) && decodable(s, i):
			if f.steps&LowercaseHost != 0 {
				b = lower(b)
			}
			return asciiByte(b)
		case f.steps&UppercaseEscapes != 0:
			return escape(b)
		}
		return s[i:]
	}

	i := len(s) // where the run begins that needs nothing
	if f.steps&LowercaseHost == 0 {
		if i = strings.LastIndexByte(s, '%'); i < 0 {
			i = 0
		} else if isEscape(s[i:]) {
			i += len("%00")
		}
	} else {
		if isUpper(s[i-1]) {
			f.end--
			return asciiByte(lower(s[i-1]))
		}
		for i > 0 && !isUpper(s[i-1]) && !(i > 2 && s[i-3] == '%') {
			i--
		}
	}
	f.end = f.from + i
	return s[i:]
}

// maxAddress is the length of the longest IPv6address in its short form, in brackets.
const maxAddress = len("[::ffff:255.255.255.255]") + len("ffff:ffff:ffff:ffff")

// appendShort appends an IPv6 host in the form of RFC 5952.
func appendShort(dst []byte, host string) []byte {
	addr, _ := netip.ParseAddr(host[1 : len(host)-1])
	dst, _ = AppendAddr(dst, addr)
	return dst
}

// lower returns b in lower case, if it is a letter.
func lower(b byte) byte {
	if isUpper(b) {
		b |= 0x20
	}
	return b
}

// asciiByte returns b, which is unreserved, as a string of one byte.
func asciiByte(b byte) string {
	const from, ascii = '-', "-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"
	return ascii[b-from:][:1]
}
