package uri

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The slow twin reads a text by the grammar as the RFCs print it, and shares nothing with the scanner but the names of
// its types. It follows every way to match at once, so it needs neither look-ahead nor knowledge of which rule wins.
// It judges every row of the tests and every input of the fuzzer.

// RFC 3986 Appendix A, verbatim.
const rfc3986 = `
URI           = scheme ":" hier-part [ "?" query ] [ "#" fragment ]

hier-part     = "//" authority path-abempty
              / path-absolute
              / path-rootless
              / path-empty

URI-reference = URI / relative-ref

absolute-URI  = scheme ":" hier-part [ "?" query ]

relative-ref  = relative-part [ "?" query ] [ "#" fragment ]

relative-part = "//" authority path-abempty
              / path-absolute
              / path-noscheme
              / path-empty

scheme        = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )

authority     = [ userinfo "@" ] host [ ":" port ]
userinfo      = *( unreserved / pct-encoded / sub-delims / ":" )
host          = IP-literal / IPv4address / reg-name
port          = *DIGIT

IP-literal    = "[" ( IPv6address / IPvFuture  ) "]"

IPvFuture     = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )

IPv6address   =                            6( h16 ":" ) ls32
              /                       "::" 5( h16 ":" ) ls32
              / [               h16 ] "::" 4( h16 ":" ) ls32
              / [ *1( h16 ":" ) h16 ] "::" 3( h16 ":" ) ls32
              / [ *2( h16 ":" ) h16 ] "::" 2( h16 ":" ) ls32
              / [ *3( h16 ":" ) h16 ] "::"    h16 ":"   ls32
              / [ *4( h16 ":" ) h16 ] "::"              ls32
              / [ *5( h16 ":" ) h16 ] "::"              h16
              / [ *6( h16 ":" ) h16 ] "::"

h16           = 1*4HEXDIG
ls32          = ( h16 ":" h16 ) / IPv4address
IPv4address   = dec-octet "." dec-octet "." dec-octet "." dec-octet
dec-octet     = DIGIT                 ; 0-9
              / %x31-39 DIGIT         ; 10-99
              / "1" 2DIGIT            ; 100-199
              / "2" %x30-34 DIGIT     ; 200-249
              / "25" %x30-35          ; 250-255

reg-name      = *( unreserved / pct-encoded / sub-delims )

path          = path-abempty    ; begins with "/" or is empty
              / path-absolute   ; begins with "/" but not "//"
              / path-noscheme   ; begins with a non-colon segment
              / path-rootless   ; begins with a segment
              / path-empty      ; zero characters

path-abempty  = *( "/" segment )
path-absolute = "/" [ segment-nz *( "/" segment ) ]
path-noscheme = segment-nz-nc *( "/" segment )
path-rootless = segment-nz *( "/" segment )
path-empty    = 0<pchar>

segment       = *pchar
segment-nz    = 1*pchar
segment-nz-nc = 1*( unreserved / pct-encoded / sub-delims / "@" )
              ; non-zero-length segment without any colon ":"

pchar         = unreserved / pct-encoded / sub-delims / ":" / "@"

query         = *( pchar / "/" / "?" )

fragment      = *( pchar / "/" / "?" )

pct-encoded   = "%" HEXDIG HEXDIG

unreserved    = ALPHA / DIGIT / "-" / "." / "_" / "~"
reserved      = gen-delims / sub-delims
gen-delims    = ":" / "/" / "?" / "#" / "[" / "]" / "@"
sub-delims    = "!" / "$" / "&" / "'" / "(" / ")"
              / "*" / "+" / "," / ";" / "="
`

// RFC 9110 sections 4.1 and 7.2, RFC 9112 section 3.2: what stands in a request line and in a Host field. The rules
// they take from RFC 3986 are those above.
const rfc911x = `
uri-host       = host
absolute-path  = 1*( "/" segment )
Host           = uri-host [ ":" port ]
origin-form    = absolute-path [ "?" query ]
authority-form = uri-host ":" port
asterisk-form  = "*"
`

// RFC 5234 Appendix B.1: the core rules that the others use.
const rfc5234 = `
ALPHA  =  %x41-5A / %x61-7A   ; A-Z / a-z
DIGIT  =  %x30-39             ; 0-9
HEXDIG =  DIGIT / "A" / "B" / "C" / "D" / "E" / "F"
`

// formRuleName names the rule that a form is.
var formRuleName = map[Form]string{
	Reference:     "URI-reference",
	URI:           "URI",
	AbsoluteURI:   "absolute-URI",
	RelativeRef:   "relative-ref",
	OriginForm:    "origin-form",
	AuthorityForm: "authority-form",
	AsteriskForm:  "asterisk-form",
	HostField:     "Host",
}

// A production is a rule or a part of one: it maps all the places where a text of it may start to all where such a text
// may end; both ascend. Every alternative is followed, but no place twice, so time is polynomial in the length of the
// text, and linear for URIs, where few places are open at once.
type production interface {
	ends(t *attempt, starts []int) []int
}

// attempt is a text, and the furthest place where a byte of it was asked for. What stands before such a place begins
// some valid text, because there is no production that nothing matches.
type attempt struct {
	text     string
	furthest int
}

type (
	octets     [256]bool // any one of these
	sequence   []production
	choice     []production
	repetition struct {
		min, max int
		of       production // does not match the empty text
	}
)

func (r *octets) ends(t *attempt, starts []int) (ends []int) {
	for _, i := range starts {
		t.furthest = max(t.furthest, i)
		if i < len(t.text) && r[t.text[i]] {
			ends = append(ends, i+1)
		}
	}
	return ends
}

func (r sequence) ends(t *attempt, starts []int) []int {
	for _, next := range r {
		starts = next.ends(t, starts)
	}
	return starts
}

func (r choice) ends(t *attempt, starts []int) (ends []int) {
	for _, alternative := range r {
		ends = union(ends, alternative.ends(t, starts))
	}
	return ends
}

func (r repetition) ends(t *attempt, starts []int) (ends []int) {
	for range r.min {
		starts = r.of.ends(t, starts)
	}
	if r.max < math.MaxInt {
		ends = starts
		for range r.max - r.min {
			starts = r.of.ends(t, starts)
			ends = union(ends, starts)
		}
		return ends
	}
	// What a place leads to lies behind it, so the first is always done.
	for len(starts) > 0 {
		ends = append(ends, starts[0])
		starts = union(starts[1:], r.of.ends(t, starts[:1]))
	}
	return ends
}

// union merges two ascending lists into one without duplicates.
func union(a, b []int) []int {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	merged := slices.Concat(a, b)
	slices.Sort(merged)
	return slices.Compact(merged)
}

// grammar holds all the rules above by name.
var grammar = parseABNF(rfc3986 + rfc911x + rfc5234)

// abnf parses ABNF, RFC 5234 section 4. No rule of a URI is recursive, so a name can be replaced by what it stands for.
type abnf struct {
	definitions map[string]string
	productions map[string]production
	tokens      []string // those that are left of the definition at hand
}

var (
	abnfRule  = regexp.MustCompile(`(?m)^([\w-]+) +=(.*(?:\n +.*)*)`)
	abnfToken = regexp.MustCompile(`;.*|"[^"]*"|%x[\w-]+|<?[A-Za-z][\w-]*>?|[0-9]*\*[0-9]*|[0-9]+|[][()/]`)
)

func parseABNF(text string) map[string]production {
	g := &abnf{make(map[string]string), make(map[string]production), nil}
	for _, m := range abnfRule.FindAllStringSubmatch(text, -1) {
		g.definitions[m[1]] = m[2]
	}
	for name := range g.definitions {
		g.production(name)
	}
	return g.productions
}

func (g *abnf) production(name string) production {
	if g.productions[name] == nil {
		definition, ok := g.definitions[name]
		if !ok {
			panic("no rule " + name)
		}
		outer := g.tokens
		g.tokens = slices.DeleteFunc(abnfToken.FindAllString(definition, -1), func(token string) bool {
			return token[0] == ';'
		})
		g.productions[name] = g.alternation()
		g.tokens = outer
	}
	return g.productions[name]
}

// peek returns the next token, "" at the end; next takes it.
func (g *abnf) peek() string {
	if len(g.tokens) == 0 {
		return ""
	}
	return g.tokens[0]
}

func (g *abnf) next() string {
	token := g.tokens[0]
	g.tokens = g.tokens[1:]
	return token
}

// alternation = concatenation *( "/" concatenation )
func (g *abnf) alternation() production {
	r := choice{g.concatenation()}
	for g.peek() == "/" {
		g.next()
		r = append(r, g.concatenation())
	}
	return r.simplify()
}

// simplify makes one of all alternatives that are one byte long. It changes no match, and halves the time.
func (r choice) simplify() production {
	single := new(octets)
	others := slices.DeleteFunc(r, func(alternative production) bool {
		set, ok := alternative.(*octets)
		for c := range single {
			single[c] = single[c] || ok && set[c]
		}
		return ok
	})
	if *single != (octets{}) {
		others = append(others, single)
	}
	if len(others) == 1 {
		return others[0]
	}
	return others
}

// concatenation = repetition *( repetition )
func (g *abnf) concatenation() production {
	var r sequence
	for !strings.Contains("/)]", g.peek()) { // nor at the end
		r = append(r, g.repetition())
	}
	if len(r) == 1 {
		return r[0]
	}
	return r
}

// repetition = [ 1*DIGIT / ( *DIGIT "*" *DIGIT ) ] element
func (g *abnf) repetition() production {
	if !strings.ContainsAny(g.peek()[:1], "*0123456789") {
		return g.element()
	}
	least, most, ranged := strings.Cut(g.next(), "*")
	r := repetition{0, math.MaxInt, g.element()}
	if least != "" {
		r.min, _ = strconv.Atoi(least)
	}
	if !ranged {
		r.max = r.min
	} else if most != "" {
		r.max, _ = strconv.Atoi(most)
	}
	return r
}

// element = rulename / group / option / char-val / num-val / prose-val, of which the last is a rule's name here
func (g *abnf) element() production {
	token := g.next()
	switch token[0] {
	case '(':
		defer g.next()
		return g.alternation()
	case '[':
		defer g.next()
		return repetition{0, 1, g.alternation()}
	case '"':
		return quoted(strings.Trim(token, `"`))
	case '%':
		var first, last byte
		fmt.Sscanf(token, "%%x%x-%x", &first, &last)
		set := new(octets)
		for c := int(first); c <= int(last); c++ {
			set[c] = true
		}
		return set
	}
	return g.production(strings.Trim(token, "<>"))
}

// quoted is text in ABNF's quotes, which has no case.
func quoted(text string) production {
	var r sequence
	for _, c := range []byte(text) {
		set := new(octets)
		set[strings.ToLower(string(c))[0]] = true
		set[strings.ToUpper(string(c))[0]] = true
		r = append(r, set)
	}
	if len(r) == 1 {
		return r[0]
	}
	return r
}

// slowMatch puts s to a rule of the grammar. It returns the length of the longest prefix of s that the rule matches,
// -1 where there is none, and the length of the longest that begins a text which the rule matches.
func slowMatch(name, s string) (match, viable int) { return slowMatchIn(grammar, name, s) }

func slowMatchIn(grammar map[string]production, name, s string) (match, viable int) {
	t := attempt{text: s}
	ends := grammar[name].ends(&t, []int{0})
	if len(ends) == 0 {
		return -1, t.furthest
	}
	match = ends[len(ends)-1]
	return match, max(match, t.furthest)
}

func slowValid(form Form, s string) bool {
	match, _ := slowMatch(formRuleName[form], s)
	return match == len(s)
}

// reading is all that a scan of a text as a form can tell.
type reading struct {
	why    Error // 0 where the text is of the form
	offset int   // of the fault, -1 where there is none
	prefix int   // length of the longest prefix that is of the form, -1 where there is none
	host   HostKind
	spans  [Fragment + 1][2]int // -1, -1 where absent; on failure those of the empty reference
}

func slowRead(form Form, s string) reading {
	match, viable := slowMatch(formRuleName[form], s)
	if match == len(s) {
		return reading{0, -1, match, slowHostKind(form, s), slowSpans(form, s)}
	}
	return reading{slowReason(form, s, viable), viable, match, NoHost, slowSpans(Reference, "")}
}

// slowSpans splits a valid text as the regular expression of RFC 3986 Appendix B does: each component ends where the
// next one's delimiter is first.
func slowSpans(form Form, s string) (spans [Fragment + 1][2]int) {
	for c := range spans {
		spans[c] = [2]int{-1, -1}
	}
	// upTo returns the place of the first of the delimiters in s[i:j], and j where there is none.
	upTo := func(delimiters string, i, j int) int {
		if k := strings.IndexAny(s[i:j], delimiters); k >= 0 {
			return i + k
		}
		return j
	}

	i, authority := 0, -1
	switch form {
	case OriginForm, AsteriskForm:
	case AuthorityForm, HostField:
		authority = 0
	default:
		if j := upTo(":/?#", 0, len(s)); j < len(s) && s[j] == ':' {
			spans[Scheme] = [2]int{0, j}
			i = j + 1
		}
		if strings.HasPrefix(s[i:], "//") {
			authority = i + 2
		}
	}

	if authority >= 0 {
		i = upTo("/?#", authority, len(s))
		spans[Authority] = [2]int{authority, i}
		host := authority
		if j := upTo("@", authority, i); j < i {
			spans[Userinfo] = [2]int{authority, j}
			k := upTo(":", authority, j)
			spans[User] = [2]int{authority, k}
			if k < j {
				spans[Password] = [2]int{k + 1, j}
			}
			host = j + 1
		}
		j := host
		if strings.HasPrefix(s[host:i], "[") {
			j = upTo("]", host, i)
		}
		j = upTo(":", j, i)
		spans[Host] = [2]int{host, j}
		if j < i {
			spans[Port] = [2]int{j + 1, i}
		}
	}

	path := i
	i = upTo("?#", i, len(s))
	spans[Path] = [2]int{path, i}
	if i < len(s) && s[i] == '?' {
		query := i + 1
		i = upTo("#", i, len(s))
		spans[Query] = [2]int{query, i}
	}
	if i < len(s) {
		spans[Fragment] = [2]int{i + 1, len(s)}
	}
	return spans
}

// slowHostKind tells which alternative of host a valid text has; RFC 3986 section 3.2.2 prefers IPv4address.
func slowHostKind(form Form, s string) HostKind {
	span := slowSpans(form, s)[Host]
	if span[0] < 0 {
		return NoHost
	}
	host := s[span[0]:span[1]]
	in := func(name, s string) bool {
		match, _ := slowMatch(name, s)
		return match == len(s)
	}
	switch {
	case in("IPv4address", host):
		return IPv4
	case in("reg-name", host):
		return RegName
	case in("IPv6address", strings.Trim(host, "[]")):
		return IPv6
	}
	return IPvFuture
}

// slowReason tells why s is not of the form, from the offset of its fault: what the byte there would have to continue.
func slowReason(form Form, s string, off int) Error {
	before := s[:off] // good as far as it goes
	at := byte(0)     // the byte that cannot follow, 0 where s is cut off
	if off < len(s) {
		at = s[off]
	}

	if form == AsteriskForm {
		return ErrForm
	}
	if strings.Contains(before[max(0, off-2):], "%") { // one that still lacks a digit
		return ErrPercent
	}
	if at == '#' && !strings.Contains(before, "#") && slowValid(form, before) {
		return ErrForm // all is well but that the form has no fragment
	}

	switch form {
	case OriginForm:
		if strings.Contains(before, "?") {
			return ErrQuery
		}
		return ErrPath

	case AuthorityForm, HostField:
		switch {
		case strings.HasPrefix(before, "[") && !strings.Contains(before, "]"):
			return ErrIPLiteral
		case at != 0 && strings.IndexByte("/?#@", at) >= 0:
			return ErrForm
		case strings.Contains(before[strings.Index(before, "]")+1:], ":"), off == len(s):
			return ErrPort
		}
		return ErrHost
	}

	start := 0 // of what follows the scheme
	if i := strings.IndexAny(before, ":/?#"); i >= 0 && before[i] == ':' {
		start = i + 1
	}
	if start == 0 {
		switch {
		case form == URI || form == AbsoluteURI:
			return ErrScheme
		case at == ':' && !strings.ContainsAny(before, "/?#"):
			if match, _ := slowMatch("scheme", before); form == RelativeRef && match == off {
				return ErrForm
			}
			return ErrScheme
		}
	}

	if strings.HasPrefix(before[start:], "//") {
		start += len("//")
		if !strings.ContainsAny(before[start:], "/?#") {
			return slowReasonInAuthority(s, start, off)
		}
	}
	switch {
	case strings.Contains(before, "#"):
		return ErrFragment
	case strings.Contains(before, "?"):
		return ErrQuery
	}
	return ErrPath
}

// slowReasonInAuthority is slowReason for the fault at off in the authority that starts at start. It is divided at
// its first "@", good or not, so that what stands before one is userinfo; but nothing that begins with "[" is.
func slowReasonInAuthority(s string, start, off int) Error {
	authority := s[start:]
	if i := strings.IndexAny(authority, "/?#"); i >= 0 {
		authority = authority[:i]
	}
	host := start
	if i := strings.Index(authority, "@"); i >= 0 && authority[0] != '[' {
		if off < start+i {
			return ErrUserinfo
		}
		host = start + i + 1
	}
	before := s[host:off]
	switch {
	case strings.HasPrefix(before, "[") && !strings.Contains(before, "]"):
		return ErrIPLiteral
	case strings.HasPrefix(before, "[") && before[len(before)-1] != ']':
		return ErrPort
	case !strings.HasPrefix(before, "[") && strings.Contains(before, ":"):
		return ErrPort
	}
	return ErrHost
}

// TestSlow has a row for each operator of ABNF, and for what the twin makes of them. Its other rows are those of all
// tests that compare it with the scanner.
func TestSlow(t *testing.T) {
	for _, row := range []struct {
		rule, text    string
		match, viable int
	}{
		{"ALPHA", "z1", 1, 1},           // %x41-5A / %x61-7A
		{"HEXDIG", "f", 1, 1},           // quoted letters have no case
		{"IPvFuture", "V1F.a:b/", 7, 7}, // nor has this one
		{"path-empty", "a", 0, 0},       // 0<pchar>: the end without a byte asked for
		{"segment-nz", "", -1, 0},       // 1*
		{"h16", "12345", 4, 4},          // 1*4
		{"dec-octet", "249", 3, 3},      // the longest of several ends
		{"dec-octet", "256", 2, 2},
		{"sub-delims", ";", 1, 1},                  // no comment
		{"sub-delims", "*", 1, 1},                  // no repetition
		{"pct-encoded", "%4g", -1, 2},              // a fault within
		{"pct-encoded", "%4", -1, 2},               // cut off
		{"IPv6address", "1:2:3:4:5:6:7:8", 15, 15}, // 6( ... )
		{"IPv6address", "1:2:3:4:5:6:7::", 15, 15}, // *6( ... )
		{"IPv6address", "1::1::1", 4, 5},           // what is viable goes on behind the longest match
		{"IPv6address", "::1.2.3.04", 9, 9},
		{"authority", "a:b@c:80:", 8, 8}, // one rule's ends are another's starts, of which "@" selects one
		{"URI", "http://a@b@c/", 10, 10},
		{"URI-reference", "1a:b", 2, 2},
		{"relative-ref", "//[::1", 2, 6}, // match and viable are of different alternatives
		{"origin-form", "//h?q#f", 5, 5}, // RFC 9112
		{"authority-form", ":", 1, 1},    // both may be empty
		{"Host", "", 0, 0},               // so may this
	} {
		match, viable := slowMatch(row.rule, row.text)
		assert.Equal(t, row.match, match, "match of %s in %q", row.rule, row.text)
		assert.Equal(t, row.viable, viable, "viable of %s in %q", row.rule, row.text)
	}
}
