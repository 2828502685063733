package uri

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-56a50ac9/uri/internal/abnf"
	"github.com/stretchr/testify/assert"
)

// The slow twin matches input against the grammar that the RFCs print, which internal/abnf parses. It shares
// nothing with the scanner except the names of types. It follows every way to match at once, so it needs
// neither look-ahead nor precedence between rules. It judges every row of the tests and every input of the
// fuzzer.

// formRuleName has the rule of each form.
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

// A production is a rule or a part of one. It maps the places where a match may start to the places where one
// may end; both ascend. It follows every alternative, but from no place twice. So the time is polynomial in
// the length of the text, and linear for URIs, where few places are open at once.
type production interface {
	ends(t *attempt, starts []int) []int
}

// attempt is a text, and the furthest place where a production asked for a byte of it. The text before such a
// place begins some valid text, because every production matches something.
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
		if len(starts) == 0 {
			break // most alternatives fail at their first byte, so this saves two thirds of the time
		}
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
	if r.max < abnf.Unbounded {
		ends = starts
		for n := r.min; n < r.max && len(starts) > 0; n++ {
			starts = r.of.ends(t, starts)
			ends = union(ends, starts)
		}
		return ends
	}
	// A place leads only to later ones, so the first is complete.
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

// grammar and lenientGrammar hold the productions of all rules by name.
var (
	grammar        = productions(abnf.URI())
	lenientGrammar = productions(abnf.LenientURI())
)

// productions makes productions of syntax trees. No rule of a URI is recursive, so the production of a rule
// replaces each reference to it.
func productions(rules abnf.Grammar) map[string]production {
	all := make(map[string]production)
	var of func(e abnf.Expression) production
	of = func(e abnf.Expression) production {
		switch e := e.(type) {
		case abnf.Alternation:
			var r choice
			for _, alternative := range e {
				r = append(r, of(alternative))
			}
			return r.simplify()
		case abnf.Concatenation:
			var r sequence
			for _, next := range e {
				r = append(r, of(next))
			}
			return r
		case abnf.Repetition:
			return repetition{e.Min, e.Max, of(e.Of)}
		case abnf.Option:
			return repetition{0, 1, of(e.Of)}
		case abnf.Literal:
			return quoted(string(e))
		case abnf.Range:
			set := new(octets)
			for c := range set {
				set[c] = int(e.Low) <= c && c <= int(e.High)
			}
			return set
		case abnf.Reference:
			name := string(e)
			if all[name] == nil {
				all[name] = of(rules[name])
			}
			return all[name]
		}
		panic(fmt.Sprintf("no production of a %T", e))
	}
	for name := range rules {
		of(abnf.Reference(name))
	}
	return all
}

// simplify merges all alternatives that are a single byte. It changes no match and halves the time.
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

// quoted returns the production of a literal, which ignores case.
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

// slowMatch matches s against a rule of the grammar. It returns the length of the longest prefix of s that
// the rule matches, -1 if there is none, and the length of the longest prefix that begins a text which the
// rule matches.
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

// reading is everything that a scan of a text as a form reports.
type reading struct {
	why    Error // 0 if the form matches the text
	offset int   // of the fault, -1 if there is none
	prefix int   // length of the longest prefix that the form matches, -1 if there is none
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

// slowSpans splits a valid text as the regular expression of RFC 3986 Appendix B does: each component ends at
// the first delimiter of the next one.
func slowSpans(form Form, s string) (spans [Fragment + 1][2]int) {
	for c := range spans {
		spans[c] = [2]int{-1, -1}
	}
	// upTo returns the place of the first delimiter in s[i:j], or j if there is none.
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

// slowHostKind returns the kind of a valid text's host. RFC 3986 section 3.2.2 prefers IPv4address.
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

// slowReason returns the reason why the form does not match s, given the offset of the fault: the part of s
// that the byte there would have to continue.
func slowReason(form Form, s string, off int) Error {
	before := s[:off] // begins a valid text
	at := byte(0)     // the byte that cannot follow, 0 where s is cut off
	if off < len(s) {
		at = s[off]
	}

	if form == AsteriskForm {
		return ErrForm
	}
	if strings.Contains(before[max(0, off-2):], "%") { // an escape that lacks a digit
		return ErrPercent
	}
	if at == '#' && !strings.Contains(before, "#") && slowValid(form, before) {
		return ErrForm // only the fragment is wrong: the form has none
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

	start := 0 // of the part after the scheme
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

// slowReasonInAuthority is slowReason for the fault at off in the authority that starts at start. The first
// "@", valid or not, ends the userinfo, unless the authority begins with "[".
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

// TestSlow has a row for each operator of ABNF. All tests that compare the twin with the scanner have more.
func TestSlow(t *testing.T) {
	for _, row := range []struct {
		rule, text    string
		match, viable int
	}{
		{"ALPHA", "z1", 1, 1},           // %x41-5A / %x61-7A
		{"HEXDIG", "f", 1, 1},           // quoted letters ignore case
		{"IPvFuture", "V1F.a:b/", 7, 7}, // so does this one
		{"path-empty", "a", 0, 0},       // 0<pchar>
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
		{"IPv6address", "1::1::1", 4, 5},           // the viable prefix is longer than the match
		{"IPv6address", "::1.2.3.04", 9, 9},
		{"authority", "a:b@c:80:", 8, 8}, // userinfo has many ends; "@" selects one
		{"URI", "http://a@b@c/", 10, 10},
		{"URI-reference", "1a:b", 2, 2},
		{"relative-ref", "//[::1", 2, 6}, // of different alternatives
		{"origin-form", "//h?q#f", 5, 5}, // RFC 9112
		{"authority-form", ":", 1, 1},    // both may be empty
		{"Host", "", 0, 0},               // so may this
	} {
		match, viable := slowMatch(row.rule, row.text)
		assert.Equal(t, row.match, match, "match of %s in %q", row.rule, row.text)
		assert.Equal(t, row.viable, viable, "viable of %s in %q", row.rule, row.text)
	}
}
