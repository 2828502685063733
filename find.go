package uri

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Find returns an iterator over the URIs in running text and the offsets at which they start. It looks for
// URIs with one of the given schemes or, if none is given, with any scheme followed by "//".
//
// The form is [URI], or URI|Lenient to find URIs with illegal characters too, or AbsoluteURI to leave out
// fragments. All views match this form.
//
// Text rarely has the delimiters that RFC 3986 Appendix C recommends, so Find follows common practice:
//
//   - A URI begins with its scheme, which must not follow an ASCII letter or digit.
//   - It ends before the first character that cannot continue it. Even if the form is lenient, these include
//     spaces, "<", ">", quotation marks, "\", and a closing bracket that was not opened in the URI. They
//     include "'" if the URI follows one.
//   - Trailing punctuation is left out: .,:;!?'*@ and opening brackets.
//   - Something must follow "//" or, if a scheme is given, ":". An authority must be valid as a whole, and it
//     must have a host if [ViewOf.EffectivePort] knows the default port of the scheme.
//   - A URI that a letter or digit outside ASCII would continue is an IRI, and is left out. If the form is
//     lenient, the path, query and fragment include such characters.
//
// Find does not understand markup. In Markdown, "_" and "~" after a URI become part of it; in HTML, "&amp;"
// is not decoded.
//
// The offsets in a view count from the start of its own text, which shares the memory of s. URIs longer than
// MaxLen are left out.
//
// Find takes linear time for each scheme. A range loop over the result does not allocate.
func Find[T Text](form Form, s T, schemes ...string) iter.Seq2[int, ViewOf[T]] {
	return func(yield func(int, ViewOf[T]) bool) {
		t := text(s)
		var v ViewOf[T]
		for start, end, next := 0, 0, 0; next < len(t); {
			start, end, next = findNext(form, t, next, schemes)
			if start < end && v.Scan(form, as[T](t[start:end])) == nil && !yield(start, v) {
				return
			}
		}
	}
}

// findNext returns the offsets of the first URI in s at or after from, and where to look for the next one. If
// there is none, they are equal.
func findNext(form Form, s string, from int, schemes []string) (start, end, next int) {
	for {
		colon := strings.IndexByte(s[from:], ':')
		if colon < 0 {
			return len(s), len(s), len(s)
		}
		colon += from
		slashes := strings.HasPrefix(s[colon+1:], "//")
		if start = colon; len(schemes) > 0 {
			start = namedScheme(s[:colon], from, schemes)
		} else if slashes {
			start = anyScheme(s[:colon], from)
		}
		from = colon + 1 // no scheme has a ":"
		if start < colon {
			c := candidate{form: form, s: s, start: start, quoted: start > 0 && s[start-1] == '\''}
			if end, next = c.end(colon, slashes); next > 0 {
				return start, end, next
			}
		}
	}
}

// namedScheme returns where the longest of the schemes starts that s ends with, at or after from. It returns
// len(s) if there is none.
func namedScheme(s string, from int, schemes []string) (start int) {
	start = len(s)
	for _, scheme := range schemes {
		i := len(s) - len(scheme)
		if from <= i && i < start && strings.EqualFold(s[i:], scheme) && !wordBefore(s, i) {
			start = i
		}
	}
	return start
}

// anyScheme is namedScheme for any scheme.
func anyScheme(s string, from int) int {
	i := len(s)
	for i > from && ruleScheme.has(s[i-1]) {
		i--
	}
	for i < len(s) && (!ruleAlpha.has(s[i]) || wordBefore(s, i)) {
		i++
	}
	return i
}

// wordBefore reports whether the byte before s[i] is a letter or a digit.
func wordBefore(s string, i int) bool { return i > 0 && (ruleAlpha | ruleDigit).has(s[i-1]) }

// letterAt returns the length of the character at s[i] if it is a letter, digit or mark outside ASCII, else
// zero.
func letterAt(s string, i int) int {
	if i < len(s) && s[i] >= utf8.RuneSelf {
		if r, n := utf8.DecodeRuneInString(s[i:]); unicode.In(r, unicode.Letter, unicode.Mark, unicode.Number) {
			return n
		}
	}
	return 0
}

// A candidate is what may be a URI, from its start on.
type candidate struct {
	form   Form
	s      string
	start  int
	quoted bool   // follows a "'"
	open   [4]int // the open brackets, by the upper bits of the byte: "(" has 1, "[" 2, "{" 3
}

// end returns the end of the URI whose scheme ends at colon, and where to look for the next one. If there is
// no URI, end is its start, and next is zero if one may begin after the colon.
//
// What has been read is not read again, except for an authority, in which no other authority can begin. So
// the time is linear.
func (c *candidate) end(colon int, slashes bool) (end, next int) {
	needsHost := defaultPort(c.s[c.start:colon]) != ""
	first := colon + 1
	if !slashes {
		if needsHost {
			return c.start, 0
		}
		return c.whole(first, c.tailEnd(first))
	}
	first += len("//")
	i := c.authorityEnd(first)
	inPath := i < len(c.s) && isDelim(c.s[i])
	if end = i; !inPath {
		end = c.trimmed(first, i)
	}
	head := view{src: c.s[c.start:end]}
	if scan(&head, c.form) != nil || needsHost && head.hostStart == head.hostEnd {
		return c.start, 0
	}
	if inPath {
		i = c.tailEnd(i)
	}
	return c.whole(first, i)
}

// whole returns the end of the URI, which could be continued up to next, and next. It must have something
// from first on.
func (c *candidate) whole(first, next int) (end, _ int) {
	end = c.trimmed(first, next)
	if end == first || letterAt(c.s, next) > 0 {
		end = c.start
	}
	return end, next
}

// trimmed returns the end of s[first:end] without what belongs to the sentence.
func (c *candidate) trimmed(first, end int) int {
	for end > first && strings.IndexByte(".,:;!?'*@([{", c.s[end-1]) >= 0 {
		end--
	}
	return end
}

// authorityEnd returns the end of the bytes from i on that may be an authority.
func (c *candidate) authorityEnd(i int) int {
	for first := i; i < len(c.s); i++ {
		switch b := c.s[i]; {
		case b == '%':
		case b == '/' || b == '?':
			return i
		case ruleQuery.has(b), b == '[' && (i == first || c.s[i-1] == '@'), b == ']':
			if !c.continues(b) {
				return i
			}
		default:
			return i
		}
	}
	return i
}

// tailEnd returns the end of the bytes from i on that may be a path, query and fragment.
func (c *candidate) tailEnd(i int) int {
	lenient := c.form&Lenient != 0
	hash := c.form&^Lenient != AbsoluteURI // a "#" may follow
	for i < len(c.s) {
		b, n := c.s[i], 1
		switch {
		case ruleQuery.has(b) && b-'\'' > ')'-'\'': // except "'", "(" and ")"
		case b == '#':
			if !hash {
				return i
			}
			hash = lenient
		case b == '%':
			if !lenient && !(len(c.s)-i > 2 && ruleHexdig.has(c.s[i+1]) && ruleHexdig.has(c.s[i+2])) {
				return i
			}
		case ruleQuery.has(b), lenient && strings.IndexByte("[]{}|^", b) >= 0:
			if !c.continues(b) {
				return i
			}
		default:
			if n = letterAt(c.s, i); !lenient || n == 0 {
				return i
			}
		}
		i += n
	}
	return i
}

// continues reports whether b, which the grammar allows, is part of the URI.
func (c *candidate) continues(b byte) bool {
	switch b {
	case '(', '[', '{':
		c.open[b>>5]++
	case ')', ']', '}':
		c.open[b>>5]--
		return c.open[b>>5] >= 0
	case '\'':
		return !c.quoted
	}
	return true
}
