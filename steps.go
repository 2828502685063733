package uri

import "strings"

// A Step is a set of normalization steps (RFC 3986 section 6.2), one bit per step.
//
// URIs that differ only in what the steps of SyntaxBased change are equivalent, whatever their
// scheme. The steps of SchemeBased also apply rules of a few schemes.
//
// DecodeSlashes and MergeSlashes are in neither set: under RFC 3986 the result may identify another resource.
// Use them only if the server does the same. DecodeSlashes leaves "%5C" unchanged.
//
// SortParams leaves a query of more than 128 parameters unchanged.
type Step uint16

const (
	LowercaseScheme   Step = 1 << iota // "HTTP:" to "http:"                                    section 6.2.2.1
	LowercaseHost                      // "//Example.COM" to "//example.com", not escapes       section 6.2.2.1
	UppercaseEscapes                   // "%c3%a4" to "%C3%A4"                                  section 6.2.2.1
	DecodeUnreserved                   // "%7Euser" to "~user"                                  section 6.2.2.2
	DecodeSlashes                      // "/a%2Fb" to "/a/b", if the server does the same
	MergeSlashes                       // "/a//b" to "/a/b", if the server does the same
	RemoveDotSegments                  // "/a/./b/../c" to "/a/c"                               section 6.2.2.3
	ShortenAddress                     // "//[0:0::1]" to "//[::1]"                             RFC 5952
	DropEmptyPort                      // "//h:/" to "//h/"                                     section 6.2.3
	DropDefaultPort                    // "http://h:80/" to "http://h/"; also for https, ws, wss and ftp
	AddRootPath                        // "http://h" to "http://h/"; for the same schemes
	EncodeIllegal                      // "/ä|%" to "/%C3%A4%7C%25": bytes that only a lenient scan allows
	DropFragment                       // "/a#b" to "/a"
	SortParams                         // "?b=1&a=2" to "?a=2&b=1", by decoded key; equal keys keep their order

	SyntaxBased = LowercaseScheme | LowercaseHost | UppercaseEscapes | DecodeUnreserved | RemoveDotSegments
	SchemeBased = SyntaxBased | ShortenAddress | DropEmptyPort | DropDefaultPort | AddRootPath
)

const stepTexts = "LowercaseScheme LowercaseHost UppercaseEscapes DecodeUnreserved DecodeSlashes " +
	"MergeSlashes RemoveDotSegments ShortenAddress DropEmptyPort DropDefaultPort AddRootPath EncodeIllegal " +
	"DropFragment SortParams"

// String returns the names of the steps, separated by "|".
func (s Step) String() string {
	text, _ := s.AppendText(nil)
	return string(text)
}

// AppendText appends the names of the steps to dst. The error is always nil.
func (s Step) AppendText(dst []byte) ([]byte, error) {
	return appendNames(dst, stepTexts, uint64(s)), nil
}

// MarshalText returns a copy of the names of the steps. The error is always nil.
func (s Step) MarshalText() ([]byte, error) { return s.AppendText(nil) }

// UnmarshalText sets s to the steps that b names, separated by "|" in any order, or to none if b is
// "0x0". Names are case-sensitive. If one is unknown, it returns [ErrName] and leaves s unchanged.
func (s *Step) UnmarshalText(b []byte) error { return parseNames(s, stepTexts, b) }

// needed returns the steps that would change s. Separate functions examine what is rarely needed.
func (o *offsets) needed(s string, steps Step) (need Step) {
	decode := false // whether escapes may become letters or dots
	if o.seen&seenPercent != 0 {
		decode = steps&DecodeUnreserved != 0
		need = o.escapesNeed(s, steps)
	}
	if o.seen&seenLoose != 0 {
		need |= EncodeIllegal
	}
	found := glance(s[:o.pathEnd], int(o.hostEnd))
	if decode || found&clueUpper != 0 {
		need |= o.lettersNeed(s, decode)
	}
	slashes := need & DecodeSlashes // if there are slashes to decode, else 0
	if decode || found&clueDot != 0 || slashes != 0 || o.pathStart < o.pathEnd && s[o.pathStart] == '.' {
		need |= o.dotsNeed(s, decode, steps&MergeSlashes|slashes)
	}
	if steps&MergeSlashes != 0 && (found&clueSlash != 0 || slashes != 0) {
		need |= slashesNeed(s[o.pathStart:o.pathEnd], slashes)
	}
	if steps&^SyntaxBased != 0 {
		if o.bit(Authority) != 0 {
			need |= o.authorityNeeds(s, steps)
		}
		if o.bit(Fragment) != 0 {
			need |= DropFragment
		}
		if steps&SortParams != 0 && !sortedParams(s[o.pathEnd:o.queryEnd]) {
			need |= SortParams
		}
	}
	return need & steps
}

// escapesNeed returns the steps that would change escapes of s, and EncodeIllegal if one is broken.
func (o *offsets) escapesNeed(s string, steps Step) (need Step) {
	for i := 0; ; {
		if i == len(s) || s[i] != '%' { // one escape often follows another
			next := strings.IndexByte(s[i:], '%')
			if next < 0 {
				return need
			}
			i += next
		}
		if !isEscape(s[i:]) {
			need |= EncodeIllegal
			i++
			continue
		}
		switch {
		case steps&DecodeUnreserved != 0 && isUnreserved(unescape(s[i:])) && decodable(s, i, steps):
			need |= DecodeUnreserved
		case steps&DecodeSlashes != 0 && int(o.pathStart) <= i && i < int(o.pathEnd) && unescape(s[i:]) == '/':
			need |= DecodeSlashes
		case s[i+1] >= 'a' || s[i+2] >= 'a':
			need |= UppercaseEscapes
		}
		i += len("%00")
	}
}

// lettersNeed returns the steps that would change upper-case letters of the scheme or the host.
// If decode is set, an escape counts as the byte that it represents; otherwise it does not count.
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

// authorityNeeds returns the steps that would change the host, the port or an empty path.
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

// needsRoot reports whether the path is empty and means the same as "/".
func (o *offsets) needsRoot(s string) bool {
	return o.bit(Authority) != 0 && o.pathStart == o.pathEnd && defaultPort(s[:o.schemeEnd]) != ""
}

// portNeeds returns the step that would drop the port.
func portNeeds(port, scheme string) Step {
	if port == "" {
		return DropEmptyPort
	}
	if known := defaultPort(scheme); known != "" && strings.TrimLeft(port, "0") == known {
		return DropDefaultPort
	}
	return 0
}

// dotsNeed returns RemoveDotSegments if the path has dot segments to remove, not counting the one
// that keeps the path from beginning with "//". steps are those that change slashes.
func (o *offsets) dotsNeed(s string, decode bool, steps Step) Step {
	path := s[o.pathStart:o.pathEnd]
	if !o.losesDots(s, steps) {
		return 0
	}
	if o.bit(Authority) == 0 && steps&MergeSlashes == 0 {
		if n := slashAt(path, steps); n > 0 {
			dots, rest := firstDots(path[n:], decode, steps)
			if after := slashAt(rest, steps); dots == 1 && after > 0 && slashAt(rest[after:], steps) > 0 {
				path = rest
			}
		}
	}
	if steps&DecodeSlashes == 0 {
		if hasDotSegments(path, decode) {
			return RemoveDotSegments
		}
		return 0
	}
	for path != "" {
		dots, rest := firstDots(path, decode, steps)
		if dots > 0 {
			return RemoveDotSegments
		}
		path = rest[slashAt(rest, steps):]
	}
	return 0
}

// losesDots reports whether dot segments are removed from the path at all.
func (o *offsets) losesDots(s string, steps Step) bool {
	path := s[o.pathStart:o.pathEnd]
	return path != "" && (o.has&(1<<Scheme|1<<Authority) != 0 || slashAt(path, steps) > 0)
}

// slashesNeed returns MergeSlashes if a "/" follows another in the path.
func slashesNeed(path string, steps Step) Step {
	for before := 0; path != ""; {
		n := slashAt(path, steps)
		if n > 0 && before > 0 {
			return MergeSlashes
		}
		before, path = n, path[max(n, 1):]
	}
	return 0
}

// slashAt returns the length of the "/" that begins s, or 0 if there is none. If DecodeSlashes is one
// of the steps, "%2F" is a "/" too.
func slashAt(s string, steps Step) int {
	switch {
	case s == "":
		return 0
	case s[0] == '/':
		return 1
	case steps&DecodeSlashes != 0 && isEscape(s) && unescape(s) == '/':
		return len("%00")
	}
	return 0
}

// firstDots returns the number of dots of the first segment of path if that is "." or "..", else 0,
// and the path after that segment.
func firstDots(path string, decode bool, steps Step) (dots int, rest string) {
	end := 0
	for end < len(path) && slashAt(path[end:], steps) == 0 {
		end++
	}
	dots, _ = dotSegment(path[:end], decode)
	return dots, path[end:]
}

// decodable reports whether the escape of s at i may be decoded. It must not be decoded if the
// result could become part of a new escape, after a "%" that a lenient scan accepted and that is
// not encoded.
func decodable(s string, i int, steps Step) bool {
	return steps&EncodeIllegal != 0 ||
		!(i > 0 && s[i-1] == '%' || i > 1 && s[i-2] == '%' && ruleHexdig.has(s[i-1]))
}
