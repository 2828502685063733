package uri

import "strings"

// A Step is a set of steps of normalization (RFC 3986 section 6.2), one bit each. Texts that differ only by what the steps
// of SyntaxBased change are the same URI; those of SchemeBased know a few schemes besides.
type Step uint16

const (
	LowercaseScheme   Step = 1 << iota // "HTTP:" to "http:"                                    RFC 3986 section 6.2.2.1
	LowercaseHost                      // "//Example.COM" to "//example.com", not escapes       section 6.2.2.1
	UppercaseEscapes                   // "%c3%a4" to "%C3%A4"                                  section 6.2.2.1
	DecodeUnreserved                   // "%7Euser" to "~user"                                  section 6.2.2.2
	RemoveDotSegments                  // "/a/./b/../c" to "/a/c"                               section 6.2.2.3
	ShortenAddress                     // "//[0:0::1]" to "//[::1]"                             RFC 5952
	DropEmptyPort                      // "//h:/" to "//h/"                                     RFC 3986 section 6.2.3
	DropDefaultPort                    // "http://h:80/" to "http://h/", also of https, ws, wss and ftp
	AddRootPath                        // "http://h" to "http://h/", of the same schemes

	SyntaxBased = LowercaseScheme | LowercaseHost | UppercaseEscapes | DecodeUnreserved | RemoveDotSegments
	SchemeBased = SyntaxBased | ShortenAddress | DropEmptyPort | DropDefaultPort | AddRootPath
)

// AppendNormalized appends the text with the steps done. It scans to the components that are meant: a reference gains or
// loses neither scheme nor authority, and to normalize it again changes nothing.
//
// Dot segments are removed from a path that has a scheme or authority before it, or begins with "/"; those of any other
// relative reference say where to go from a base that is not known here. Where a path without authority would come to
// begin with "//", it begins with "/.//". What is decoded is lower-cased, or a dot, as if it had been there.
//
// A view of AuthorityForm loses an empty port like any other, and scans as HostField then.
//
// dst must not share memory with v. What lies between the result's end and dst's capacity is not kept. AppendNormalized does
// not allocate if dst has room, and takes linear time.
func (v *ViewOf[T]) AppendNormalized(dst []byte, steps Step) []byte {
	if v.IsNormalized(steps) {
		return append(dst, v.src...)
	}
	var room scratch
	p := v.normalized(v.src, steps, &room)
	return p.appendTo(dst, len(v.src)+maxAddress)
}

// IsNormalized tells whether AppendNormalized would append the text as it is. That of most is: to ask first costs less
// than to copy and compare. It does not allocate.
func (v *ViewOf[T]) IsNormalized(steps Step) bool { return v.needed(v.src, steps) == 0 }

// StepsNeeded returns those of the steps that would change something, each after those that are done before it: first
// DecodeUnreserved and UppercaseEscapes, then the others in the order of their constants. It does not allocate.
func (v *ViewOf[T]) StepsNeeded(steps Step) Step { return v.needed(v.src, steps) }

// Equivalent tells whether a and b are the same text once the steps are done. Nothing is written; it does not allocate.
func Equivalent[A, B Text](a *ViewOf[A], b *ViewOf[B], steps Step) bool {
	if a.src == b.src && a.offsets == b.offsets || a.IsNormalized(steps) && b.IsNormalized(steps) {
		return a.src == b.src
	}
	var aroom, broom scratch
	ap, bp := a.normalized(a.src, steps, &aroom), b.normalized(b.src, steps, &broom)
	return ap.equal(&bp)
}

// Hash returns a hash of the text with the steps done: views that are [Equivalent] have the same. A table whose keys
// others choose needs a random seed. Nothing is written; it does not allocate. Hashes are not to be kept: another version
// may compute others.
func (v *ViewOf[T]) Hash(seed uint64, steps Step) uint64 {
	h := newHasher(seed)
	if v.IsNormalized(steps) {
		h.addBefore(v.src)
		return h.sum()
	}
	var room scratch
	p := v.normalized(v.src, steps, &room)
	for piece := p.last(); piece != ""; piece = p.last() {
		h.addBefore(piece)
	}
	return h.sum()
}

// needed returns those of the steps that would change s. What is needed seldom is looked into by functions of its own.
func (o *offsets) needed(s string, steps Step) (need Step) {
	decode := false // are there escapes that become letters or dots
	if o.met&metPercent != 0 {
		decode = steps&DecodeUnreserved != 0
		need = escapesNeed(s, decode)
	}
	found := glance(s[:o.pathEnd], int(o.hostEnd))
	if decode || found&clueUpper != 0 {
		need |= o.lettersNeed(s, decode)
	}
	if decode || found&clueDot != 0 || o.pathStart < o.pathEnd && s[o.pathStart] == '.' {
		need |= o.dotsNeed(s, decode)
	}
	if steps&^SyntaxBased != 0 && o.bit(Authority) != 0 {
		need |= o.authorityNeeds(s, steps)
	}
	return need & steps
}

// escapesNeed tells whether there are escapes to decode, and others to write in upper case.
func escapesNeed(s string, decode bool) (need Step) {
	for i := 0; ; {
		if i == len(s) || s[i] != '%' { // others often follow one
			next := strings.IndexByte(s[i:], '%')
			if next < 0 {
				return need
			}
			i += next
		}
		if !isEscape(s[i:]) {
			i++
			continue
		}
		switch {
		case isUnreserved(unescape(s[i:])) && decodable(s, i) && decode:
			need |= DecodeUnreserved
		case s[i+1] >= 'a' || s[i+2] >= 'a':
			need |= UppercaseEscapes
		}
		i += len("%00")
	}
}

// lettersNeed tells whether the scheme or the host have letters in upper case, the latter outside of escapes.
func (o *offsets) lettersNeed(s string, decode bool) (need Step) {
	if glanceGeneric(s[:o.schemeEnd], int(o.schemeEnd)) != 0 {
		need |= LowercaseScheme
	}
	for host := s[o.hostStart:o.hostEnd]; host != ""; {
		b, n := host[0], 1
		if b == '%' {
			n = len("%00")
			if b = unescape(host); !decode {
				b = 0
			}
		}
		if isUpper(b) {
			return need | LowercaseHost
		}
		host = host[n:]
	}
	return need
}

// authorityNeeds tells what the host, the port and an empty path need.
func (o *offsets) authorityNeeds(s string, steps Step) (need Step) {
	if host := s[o.hostStart:o.hostEnd]; hostKind(host) == IPv6 {
		var address [maxAddress]byte
		short := appendShort(address[:0], host)
		if string(short) != host && (steps&LowercaseHost == 0 || !strings.EqualFold(text(short), host)) {
			need |= ShortenAddress
		}
	}
	if o.bit(Port) != 0 {
		need |= portNeeds(s[o.hostEnd+1:o.pathStart], s[:o.schemeEnd])
	}
	if o.needsRoot(s) {
		need |= AddRootPath
	}
	return need
}

// needsRoot tells whether the path is empty and means the same as "/".
func (o *offsets) needsRoot(s string) bool {
	return o.bit(Authority) != 0 && o.pathStart == o.pathEnd && defaultPort(s[:o.schemeEnd]) != ""
}

// portNeeds tells which step would drop the port.
func portNeeds(port, scheme string) Step {
	if port == "" {
		return DropEmptyPort
	}
	if known := defaultPort(scheme); known != "" && strings.TrimLeft(port, "0") == known {
		return DropDefaultPort
	}
	return 0
}

// defaultPort returns the port that the scheme has where none is given, "" for a scheme that is not known here. All that
// are known are those of URIs with an authority, whose empty path means the same as "/".
func defaultPort(scheme string) string {
	switch len(scheme) {
	case 2:
		if strings.EqualFold(scheme, "ws") {
			return "80"
		}
	case 3:
		if strings.EqualFold(scheme, "wss") {
			return "443"
		}
		if strings.EqualFold(scheme, "ftp") {
			return "21"
		}
	case 4:
		if strings.EqualFold(scheme, "http") {
			return "80"
		}
	case 5:
		if strings.EqualFold(scheme, "https") {
			return "443"
		}
	}
	return ""
}

// dotsNeed tells whether the path has dot segments to remove, beyond the one that keeps it from beginning with "//".
func (o *offsets) dotsNeed(s string, decode bool) Step {
	path := s[o.pathStart:o.pathEnd]
	if !o.losesDots(s) {
		return 0
	}
	if o.bit(Authority) == 0 && path[0] == '/' {
		if dots, n := dotSegment(path[1:], decode); dots == 1 && strings.HasPrefix(path[1+n:], "//") {
			path = path[1+n:]
		}
	}
	if hasDotSegments(path, decode) {
		return RemoveDotSegments
	}
	return 0
}

// losesDots tells whether the path is one that dot segments are removed from.
func (o *offsets) losesDots(s string) bool {
	return o.pathStart < o.pathEnd && (o.has&(1<<Scheme|1<<Authority) != 0 || s[o.pathStart] == '/')
}

// decodable tells whether the escape of s at i may be decoded: not where that could make a new one, after a "%" that a
// lenient scan let through.
func decodable(s string, i int) bool {
	return !(i > 0 && s[i-1] == '%' || i > 1 && s[i-2] == '%' && ruleHexdig.has(s[i-1]))
}

func isUnreserved(b byte) bool { return ruleUnreserved.has(b) }

func isUpper(b byte) bool { return b-'A' < 26 }
