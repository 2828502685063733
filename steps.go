package uri

import "strings"

// A Step is a set of steps of normalization (RFC 3986 section 6.2), one bit each. Texts that differ only by
// what the steps of SyntaxBased change are the same URI; those of SchemeBased know a few schemes besides.
type Step uint16

const (
	LowercaseScheme   Step = 1 << iota // "HTTP:" to "http:"                                      section 6.2.2.1
	LowercaseHost                      // "//Example.COM" to "//example.com", not escapes        section 6.2.2.1
	UppercaseEscapes                   // "%c3%a4" to "%C3%A4"                                   section 6.2.2.1
	DecodeUnreserved                   // "%7Euser" to "~user"                                   section 6.2.2.2
	RemoveDotSegments                  // "/a/./b/../c" to "/a/c"                                section 6.2.2.3
	ShortenAddress                     // "//[0:0::1]" to "//[::1]"                              RFC 5952
	DropEmptyPort                      // "//h:/" to "//h/"                                      section 6.2.3
	DropDefaultPort                    // "http://h:80/" to "http://h/", also of https, ws, wss and ftp
	AddRootPath                        // "http://h" to "http://h/", of the same schemes

	SyntaxBased = LowercaseScheme | LowercaseHost | UppercaseEscapes | DecodeUnreserved | RemoveDotSegments
	SchemeBased = SyntaxBased | ShortenAddress | DropEmptyPort | DropDefaultPort | AddRootPath
)

// needed returns those of the steps that would change s. What is needed seldom is looked into by functions of
// its own.
func (o *offsets) needed(s string, steps Step) (need Step) {
	decode := false // are there escapes that become letters or dots
	if o.seen&seenPercent != 0 {
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

// defaultPort returns the port that the scheme has where none is given, "" for a scheme that is not known
// here. All that are known are those of URIs with an authority, whose empty path means the same as "/".
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

// dotsNeed tells whether the path has dot segments to remove, beyond the one that keeps it from beginning
// with "//".
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
