package uri

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/seed-56a50ac9/uri/internal/abnf"
)

// The slow twin matches input against the grammar that the RFCs print, as parsed by internal/abnf. It shares
// nothing with the scanner except the names of types. It follows all possible matches at once, so it needs
// neither look-ahead nor precedence between rules. It judges every row of the tests and every input of the
// fuzzer.

// formRuleName gives the rule of each form.
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

// A production is a rule or a part of one. It maps the offsets where a match may start to the offsets where
// one may end; both lists are in ascending order. It follows every alternative, but never twice from the same
// offset, so the time is polynomial in the length of the input, and linear for URIs, where only a few offsets
// are open at once.
type production interface {
	ends(t *attempt, starts []int) []int
}

// An attempt is an input and the furthest offset at which a production asked for a byte of it. The input
// before such an offset is a prefix of some valid input, because every production matches something.
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
		of       production // does not match the empty string
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
	// An offset leads only to later ones, so the first is complete.
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

// grammar and lenientGrammar map the name of each rule to its production.
var (
	grammar        = productions(abnf.URI())
	lenientGrammar = productions(abnf.LenientURI())
)

// productions converts syntax trees to productions. No rule of a URI is recursive, so each reference to a
// rule is replaced by the production of that rule.
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

// simplify merges all single-byte alternatives. It does not change what is matched and halves the time.
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

// quoted returns the production of a literal, which is case-insensitive.
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
// the rule matches, or -1 if there is none, and the length of the longest prefix of s that is also a prefix
// of some input that the rule matches.
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

// A reading is everything that a scan of an input as some form reports.
type reading struct {
	why    Error // 0 if the form matches the input
	offset int   // of the fault, -1 if there is none
	prefix int   // length of the longest prefix that the form matches, -1 if there is none
	host   HostKind
	spans  [Fragment + 1][2]int // -1, -1 if absent; after a failure, those of the empty reference
}

func slowRead(form Form, s string) reading {
	match, viable := slowMatch(formRuleName[form], s)
	if match == len(s) {
		return reading{0, -1, match, slowHostKind(form, s), slowSpans(form, s)}
	}
	return reading{slowReason(form, s, viable), viable, match, NoHost, slowSpans(Reference, "")}
}

// slowSpans splits valid input like the regular expression of RFC 3986 Appendix B: each component ends at the
// first delimiter of the next one.
func slowSpans(form Form, s string) (spans [Fragment + 1][2]int) {
	for c := range spans {
		spans[c] = [2]int{-1, -1}
	}
	// upTo returns the index of the first delimiter in s[i:j], or j if there is none.
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

// slowHostKind returns the kind of host in valid input. RFC 3986 section 3.2.2 prefers IPv4address.
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

// slowReason returns the reason why the form does not match s, given the offset of the fault. The reason is
// the part of s that the byte there would have to continue.
func slowReason(form Form, s string, off int) Error {
	before := s[:off] // is a prefix of some valid input
	at := byte(0)     // the byte that cannot follow, 0 if s is truncated
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

// slowReasonInAuthority is slowReason for a fault at off in the authority that starts at start. The first
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

// TestSlow has one row for each operator of ABNF. The tests that compare the twin with the scanner add many
// more.
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
		{"pct-encoded", "%4g", -1, 2},              // a fault inside
		{"pct-encoded", "%4", -1, 2},               // truncated
		{"IPv6address", "1:2:3:4:5:6:7:8", 15, 15}, // 6( ... )
		{"IPv6address", "1:2:3:4:5:6:7::", 15, 15}, // *6( ... )
		{"IPv6address", "1::1::1", 4, 5},           // the viable prefix is longer than the match
		{"IPv6address", "::1.2.3.04", 9, 9},
		{"authority", "a:b@c:80:", 8, 8}, // userinfo has many ends; "@" selects one
		{"URI", "http://a@b@c/", 10, 10},
		{"URI-reference", "1a:b", 2, 2},
		{"relative-ref", "//[::1", 2, 6}, // from different alternatives
		{"origin-form", "//h?q#f", 5, 5}, // RFC 9112
		{"authority-form", ":", 1, 1},    // both may be empty
		{"Host", "", 0, 0},               // so may this one
	} {
		match, viable := slowMatch(row.rule, row.text)
		assert.Equal(t, row.match, match, "match of %s in %q", row.rule, row.text)
		assert.Equal(t, row.viable, viable, "viable of %s in %q", row.rule, row.text)
	}
}

// The slow twins of the operations work on strings. They follow the steps as the RFCs print them, one by one,
// and use what the twin above reports about an input. They share nothing with the library except the names of
// its types.

// slowURI has the components of RFC 3986 section 5.2.2, with the authority divided into its parts. A
// component that is nil is undefined. If bare is true, there is no "//" before the authority, as in
// AuthorityForm and HostField.
type slowURI struct {
	scheme, userinfo, host, port *string
	path                         string
	query, fragment              *string
	bare                         bool
}

// slowParts splits valid input, strict or lenient.
func slowParts(form Form, s string) (u slowURI) {
	form &^= Lenient
	spans := slowSpans(form, s)
	of := func(c Component) *string {
		if spans[c][0] < 0 {
			return nil
		}
		part := s[spans[c][0]:spans[c][1]]
		return &part
	}
	return slowURI{
		of(Scheme), of(Userinfo), of(Host), of(Port), *of(Path), of(Query), of(Fragment),
		form >= AuthorityForm,
	}
}

// text is component recomposition:
//
//	if defined(scheme) then append scheme to result; append ":" to result; endif;      RFC 3986 section 5.3
//	if defined(authority) then append "//" to result; append authority to result; endif;
//	append path to result;
//	if defined(query) then append "?" to result; append query to result; endif;
//	if defined(fragment) then append "#" to result; append fragment to result; endif;
//	return result;
func (u slowURI) text() (result string) {
	if u.scheme != nil {
		result += *u.scheme + ":"
	}
	if u.host != nil {
		if !u.bare {
			result += "//"
		}
		result += u.authority()
	}
	result += u.path
	if u.query != nil {
		result += "?" + *u.query
	}
	if u.fragment != nil {
		result += "#" + *u.fragment
	}
	return result
}

// authority = [ userinfo "@" ] host [ ":" port ]                     RFC 3986 section 3.2
func (u slowURI) authority() (result string) {
	if u.host == nil {
		return ""
	}
	if u.userinfo != nil {
		result += *u.userinfo + "@"
	}
	result += *u.host
	if u.port != nil {
		result += ":" + *u.port
	}
	return result
}

// orEmpty returns the text of a part, or the empty string if it is undefined.
func orEmpty(part *string) string {
	if part == nil {
		return ""
	}
	return *part
}

// slowEncode percent-encodes every byte that is not in keep.
func slowEncode(s, keep string) (encoded string) {
	for _, c := range []byte(s) {
		if strings.IndexByte(keep, c) >= 0 {
			encoded += string([]byte{c})
		} else {
			encoded += fmt.Sprintf("%%%02X", c)
		}
	}
	return encoded
}

// slowDecode decodes every escape. It returns false if an escape is broken.
func slowDecode(s string) (decoded string, whole bool) {
	parts := strings.Split(s, "%")
	decoded = parts[0]
	for _, part := range parts[1:] {
		if len(part) < 2 {
			return "", false
		}
		c, err := hex.DecodeString(part[:2])
		if err != nil {
			return "", false
		}
		decoded += string(c) + part[2:]
	}
	return decoded, true
}

// slowFormEncode is the serializer of application/x-www-form-urlencoded in the WHATWG URL Standard, section
// 5.2.
func slowFormEncode(s string) string {
	return strings.ReplaceAll(slowEncode(s, alphas+decimals+"*-._ "), " ", "+")
}

func slowFormDecode(s string) (decoded string, whole bool) {
	return slowDecode(strings.ReplaceAll(s, "+", "%20"))
}

// slowSets are the characters of the named sets, without "%".
var slowSets = map[Component]string{
	Scheme:    alphas + decimals + "+-.",
	Authority: unreserved + subDelims + ":@[]",
	Userinfo:  unreserved + subDelims + ":",
	User:      unreserved + subDelims,
	Password:  unreserved + subDelims + ":",
	Host:      unreserved + subDelims,
	Port:      decimals,
	Path:      pchars + "/",
	Query:     pchars + "/?",
	Fragment:  pchars + "/?",
}

// slowRemoveDotSegments is remove_dot_segments of RFC 3986 section 5.2.4. It also reports whether a ".." had
// no segment to remove.
func slowRemoveDotSegments(path string) (out string, above bool) {
	// 1. The input buffer is initialized with the now-appended path components and the output buffer is
	//    initialized to the empty string.
	in := path
	// 2. While the input buffer is not empty, loop as follows:
	for in != "" {
		switch {
		// A. If the input buffer begins with a prefix of "../" or "./", then remove that prefix from the input
		//    buffer; otherwise,
		case strings.HasPrefix(in, "../"):
			in = in[len("../"):]
			above = true
		case strings.HasPrefix(in, "./"):
			in = in[len("./"):]
		// B. if the input buffer begins with a prefix of "/./" or "/.", where "." is a complete path segment, then
		//    replace that prefix with "/" in the input buffer; otherwise,
		case strings.HasPrefix(in, "/./"):
			in = "/" + in[len("/./"):]
		case in == "/.":
			in = "/"
		// C. if the input buffer begins with a prefix of "/../" or "/..", where ".." is a complete path segment,
		//    then replace that prefix with "/" in the input buffer and remove the last segment and its preceding
		//    "/" (if any) from the output buffer; otherwise,
		case strings.HasPrefix(in, "/../"), in == "/..":
			in = "/" + strings.TrimPrefix(in[len("/.."):], "/")
			above = above || out == ""
			out = out[:max(0, strings.LastIndex(out, "/"))]
		// D. if the input buffer consists only of "." or "..", then remove that from the input buffer; otherwise,
		case in == ".", in == "..":
			above = above || in == ".."
			in = ""
		// E. move the first path segment in the input buffer to the end of the output buffer, including the initial
		//    "/" character (if any) and any subsequent characters up to, but not including, the next "/" character
		//    or the end of the input buffer.
		default:
			end := len(in)
			if i := strings.Index(in[1:], "/"); i >= 0 {
				end = 1 + i
			}
			out += in[:end]
			in = in[end:]
		}
	}
	// 3. Finally, the output buffer is returned as the result of remove_dot_segments.
	return out, above
}

// slowGuard returns the path as it is written if there is no authority. A path that begins with "//" would be
// read as an authority, so it gets a prefix.
func slowGuard(path string) string {
	if strings.HasPrefix(path, "//") {
		return "/." + path
	}
	return path
}

// slowAbove reports whether a ".." of the path, encoded or not, has no segment to remove.
func slowAbove(path string) bool {
	_, above := slowRemoveDotSegments(regexp.MustCompile(`(?i)%2E`).ReplaceAllString(path, "."))
	return above
}

// slowResolve is the pseudocode of RFC 3986 section 5.2.2, with slowGuard. It also reports whether a ".." in
// the path, encoded or not, has no segment to remove.
func slowResolve(base, r slowURI, strict bool) (t slowURI, above bool) {
	// if ((not strict) and (R.scheme == Base.scheme)) then undefine(R.scheme); endif;
	if !strict && r.scheme != nil && base.scheme != nil && strings.EqualFold(*r.scheme, *base.scheme) {
		r.scheme = nil
	}
	t = r // T.query and T.fragment are R's, except for the query below
	switch {
	case r.scheme != nil:
		t.path, _ = slowRemoveDotSegments(r.path)
		above = slowAbove(r.path)
	case r.host != nil:
		t.path, _ = slowRemoveDotSegments(r.path)
		above = slowAbove(r.path)
		t.scheme = base.scheme
	default:
		if r.path == "" {
			t.path = base.path
			above = slowAbove(base.path)
			if r.query == nil {
				t.query = base.query
			}
		} else {
			path := r.path
			if !strings.HasPrefix(path, "/") {
				path = slowMerge(base, path)
			}
			t.path, _ = slowRemoveDotSegments(path)
			above = slowAbove(path)
		}
		t.userinfo, t.host, t.port = base.userinfo, base.host, base.port
		t.scheme = base.scheme
	}
	if t.host == nil {
		t.path = slowGuard(t.path)
	}
	return t, above
}

// slowMerge is RFC 3986 section 5.2.3.
func slowMerge(base slowURI, path string) string {
	// If the base URI has a defined authority component and an empty path, then return a string consisting of
	// "/" concatenated with the reference's path; otherwise,
	if base.host != nil && base.path == "" {
		return "/" + path
	}
	// return a string consisting of the reference's path component appended to all but the last segment of the
	// base URI's path (i.e., excluding any characters after the right-most "/" in the base URI path, or
	// excluding the entire base URI path if it does not contain any "/" characters).
	return base.path[:strings.LastIndex(base.path, "/")+1] + path
}

// slowSteps are the steps of normalization, in order. Each step works on the result of the previous one.
var slowSteps = []struct {
	step Step
	do   func(u *slowURI, steps Step)
}{
	{EncodeIllegal, func(u *slowURI, _ Step) {
		for _, part := range []*string{&u.path, u.query, u.fragment} {
			if part != nil {
				*part = slowEncodeIllegal(*part)
			}
		}
	}},
	{DecodeUnreserved, func(u *slowURI, _ Step) { u.escaped(slowDecodeUnreserved) }},
	{DecodeSlashes, func(u *slowURI, steps Step) {
		before := u.path
		u.path = regexp.MustCompile(`(?i)%2F`).ReplaceAllString(u.path, "/")
		if u.host == nil && !strings.HasPrefix(before, "//") && steps&MergeSlashes == 0 {
			u.path = slowGuard(u.path)
		}
	}},
	{UppercaseEscapes, func(u *slowURI, _ Step) {
		u.escaped(func(s string) string { return pctEncoded.ReplaceAllStringFunc(s, strings.ToUpper) })
	}},
	{MergeSlashes, func(u *slowURI, _ Step) {
		u.path = regexp.MustCompile(`//+`).ReplaceAllString(u.path, "/")
	}},
	{LowercaseScheme, func(u *slowURI, _ Step) {
		if u.scheme != nil {
			lower := strings.ToLower(*u.scheme)
			u.scheme = &lower
		}
	}},
	{LowercaseHost, func(u *slowURI, _ Step) {
		if u.host != nil {
			lower := regexp.MustCompile(`%..|[A-Z]`).ReplaceAllStringFunc(*u.host, func(s string) string {
				if len(s) == 1 {
					return strings.ToLower(s)
				}
				return s
			})
			u.host = &lower
		}
	}},
	{ShortenAddress, func(u *slowURI, _ Step) {
		if addr, err := netip.ParseAddr(strings.Trim(orEmpty(u.host), "[]")); err == nil && addr.Is6() {
			short := "[" + addr.String() + "]" // RFC 5952
			u.host = &short
		}
	}},
	{DropEmptyPort, func(u *slowURI, _ Step) {
		if u.port != nil && *u.port == "" {
			u.port = nil
		}
	}},
	{DropDefaultPort, func(u *slowURI, _ Step) {
		if want, ok := u.defaultPort(); ok && u.port != nil && strings.TrimLeft(*u.port, "0") == want {
			u.port = nil
		}
	}},
	{RemoveDotSegments, func(u *slowURI, _ Step) {
		if u.scheme == nil && u.host == nil && !strings.HasPrefix(u.path, "/") {
			return // of a relative reference
		}
		before := u.path
		u.path, _ = slowRemoveDotSegments(u.path)
		if u.host == nil && !strings.HasPrefix(before, "//") {
			u.path = slowGuard(u.path)
		}
	}},
	{AddRootPath, func(u *slowURI, _ Step) {
		if _, ok := u.defaultPort(); ok && u.host != nil && u.path == "" {
			u.path = "/"
		}
	}},
	{SortParams, func(u *slowURI, _ Step) {
		if u.query == nil {
			return
		}
		params := strings.Split(*u.query, "&")
		if len(params) > maxSorted {
			return
		}
		slices.SortStableFunc(params, func(a, b string) int {
			a, _, _ = strings.Cut(a, "=")
			b, _, _ = strings.Cut(b, "=")
			return strings.Compare(slowDecodeLenient(a), slowDecodeLenient(b))
		})
		query := strings.Join(params, "&")
		u.query = &query
	}},
	{DropFragment, func(u *slowURI, _ Step) { u.fragment = nil }},
}

// slowEncodeIllegal percent-encodes the bytes that are not allowed in a path, a query or a fragment.
func slowEncodeIllegal(s string) (encoded string) {
	for s != "" {
		n := 1
		switch {
		case len(pctEncoded.FindString(s[:min(3, len(s))])) == 3:
			n = 3
			encoded += s[:n]
		case strings.Contains(unreserved+subDelims+":@/?", s[:n]):
			encoded += s[:n]
		default:
			encoded += fmt.Sprintf("%%%02X", s[0])
		}
		s = s[n:]
	}
	return encoded
}

// slowDecodeLenient decodes the complete escapes and keeps every other "%".
func slowDecodeLenient(s string) string {
	return pctEncoded.ReplaceAllStringFunc(s, func(escape string) string {
		b, err := hex.DecodeString(escape[1:])
		if err != nil {
			panic(err)
		}
		return string(b)
	})
}

// pctEncoded finds the escapes. In lenient input, a "%" may also occur outside an escape.
var pctEncoded = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)

// escaped changes every component that may contain escapes.
func (u *slowURI) escaped(change func(string) string) {
	for _, part := range []**string{&u.userinfo, &u.host, &u.query, &u.fragment} {
		if *part != nil {
			changed := change(**part)
			*part = &changed
		}
	}
	u.path = change(u.path)
}

// slowDecodeUnreserved decodes the escapes of unreserved bytes. It does not decode an escape that follows a
// "%" outside an escape, or such a "%" and a digit: the decoded byte could complete a new escape.
func slowDecodeUnreserved(s string) (decoded string) {
	unbroken := 0 // end of the last escape
	for _, at := range pctEncoded.FindAllStringIndex(s, -1) {
		before := s[unbroken:at[0]]
		decoded += before
		c, _ := slowDecode(s[at[0]:at[1]])
		if strings.Contains(unreserved, c) && !regexp.MustCompile(`%[0-9A-Fa-f]?$`).MatchString(before) {
			decoded += c
		} else {
			decoded += s[at[0]:at[1]]
		}
		unbroken = at[1]
	}
	return decoded + s[unbroken:]
}

// defaultPort returns the default port of the scheme, as registered in RFC 9110 section 4.2, RFC 6455 section
// 3 and RFC 1738 section 3.2.
func (u *slowURI) defaultPort() (port string, ok bool) {
	ports := map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"}
	port, ok = ports[strings.ToLower(orEmpty(u.scheme))]
	return port, ok
}

// slowNormalize returns the normalized text, and the steps that changed something.
func slowNormalize(form Form, s string, steps Step) (text string, needed Step) {
	u := slowParts(form, s)
	text = s
	for _, step := range slowSteps {
		if steps&step.step == 0 {
			continue
		}
		step.do(&u, steps)
		if next := u.text(); next != text {
			needed |= step.step
			text = next
		}
	}
	return text, needed
}

// slowParams returns the parameters of a query, each split at its first "=".
func slowParams(query, separator string) (params [][]string) {
	if query == "" {
		return nil
	}
	for param := range strings.SplitSeq(query, separator) {
		params = append(params, strings.SplitN(param, "=", 2))
	}
	return params
}

// slowIs reports whether the key of a parameter is the given one. A "%" that does not begin an escape is
// literal.
func slowIs(raw, key string) bool {
	decoded := regexp.MustCompile("%[0-9A-Fa-f]{2}").ReplaceAllStringFunc(raw, func(escape string) string {
		b, _ := slowDecode(escape)
		return b
	})
	return decoded == key
}

// slowWithoutParams removes the parameters for which drop returns true.
func slowWithoutParams(form Form, s string, drop func(param []string) bool) string {
	u := slowParts(form, s)
	u.dropParams(drop)
	return u.text()
}

func (u *slowURI) dropParams(drop func(param []string) bool) {
	params := slowParams(orEmpty(u.query), "&")
	if len(params) == 0 {
		return
	}
	kept := []string{}
	for _, param := range params {
		if !drop(param) {
			kept = append(kept, strings.Join(param, "="))
		}
	}
	query := strings.Join(kept, "&")
	if u.query = &query; len(kept) == 0 {
		u.query = nil
	}
}

// slowExtension returns what follows the last dot of the last segment. There is no extension if that dot is
// the first byte of the segment or if the segment is "..".
func slowExtension(segment string) string {
	i := strings.LastIndex(segment, ".")
	if i <= 0 || segment == ".." {
		return ""
	}
	return segment[i+1:]
}

// slowTraits tests each trait separately.
func slowTraits(form Form, s string) (traits Trait) {
	u := slowParts(form, s)
	add := func(trait Trait, is bool) {
		if is {
			traits |= trait
		}
	}
	has := func(s, pattern string) bool { return regexp.MustCompile(pattern).MatchString(s) }
	segments := strings.Split(u.path, "/")
	// The space keeps two components from forming an escape together.
	head := orEmpty(u.userinfo) + " " + orEmpty(u.host) + " " + u.path
	text := head + " " + orEmpty(u.query) + " " + orEmpty(u.fragment)
	host := pctEncoded.ReplaceAllString(orEmpty(u.host), "")

	add(HasEscape, pctEncoded.MatchString(text))
	add(HasEscapedHost, pctEncoded.MatchString(orEmpty(u.host)))
	add(HasEncodedSlash, has(head, `(?i)%2F`))
	add(HasEncodedBackslash, has(head, `(?i)%5C`))
	add(HasEncodedPercent, has(head, `%25`))
	add(HasEncodedNUL, has(text, `%00`))
	add(HasEncodedControl, has(text, `(?i)%[01][0-9A-F]|%7F`))
	add(HasDotSegment, slices.Contains(segments, ".") || slices.Contains(segments, ".."))
	add(HasEncodedDotSegment, slices.ContainsFunc(segments, func(segment string) bool {
		decoded, _ := slowDecode(segment)
		return decoded != segment && (decoded == "." || decoded == "..")
	}))
	add(HasDoubleSlash, strings.Contains(u.path, "//"))
	add(HasUppercaseScheme, has(orEmpty(u.scheme), `[A-Z]`))
	add(HasUppercaseHost, has(host, `[A-Z]`))
	if u.host != nil && slowHostKind(form&^Lenient, s) == RegName {
		name, _ := slowDecode(*u.host)
		add(HasAddressLikeName, has(name, `^(?i:([0-9]+|0x[0-9A-F]*)(\.([0-9]+|0x[0-9A-F]*)){0,3}\.?)$`))
	}
	slowHostTraits(form, s, u, add)
	slowPathTraits(u, head, add)
	add(HasBrokenEscape, strings.Contains(pctEncoded.ReplaceAllString(text, ""), "%"))
	add(HasNonASCII, has(s, `[^\x00-\x7F]`))
	add(HasBackslash, strings.Contains(u.path, "\\"))
	for _, c := range []byte(u.path) {
		add(HasIllegalInPath, c < 0x80 && strings.IndexByte(pchars+"/%\\", c) < 0)
	}
	for _, c := range []byte(orEmpty(u.query) + orEmpty(u.fragment)) {
		add(HasIllegalInQuery, c < 0x80 && strings.IndexByte(pchars+"/?%", c) < 0)
	}
	return traits
}

// embedding are the prefixes of the IPv6 addresses that contain an IPv4 address.
var embedding = []string{
	"::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32",
}

// slowHostTraits tests the traits of the host and the port.
func slowHostTraits(form Form, s string, u slowURI, add func(trait Trait, is bool)) {
	_, web := u.defaultPort() // URL Standard, section 4.2: special schemes
	add(HasEmptyHost, orEmpty(u.host) == "" && (web || u.scheme == nil && u.host != nil))
	if u.port != nil {
		n, _ := strconv.Atoi(*u.port)
		add(HasUnusualPort, strconv.Itoa(n) != *u.port || n < 1 || n > 65535)
	}
	switch slowHostKind(form&^Lenient, s) {
	case RegName:
		name := slowDecodeLenient(*u.host)
		add(HasTrailingDot, strings.HasSuffix(name, "."))
		for label := range strings.SplitSeq(name, ".") {
			add(HasALabel, strings.HasPrefix(strings.ToLower(label), "xn--"))
		}
	case IPv6:
		addr := netip.MustParseAddr(strings.Trim(*u.host, "[]"))
		add(HasNonCanonicalIPv6, "["+addr.String()+"]" != strings.ToLower(*u.host))
		for _, prefix := range embedding {
			block := netip.MustParsePrefix(prefix)
			add(HasEmbeddedIPv4, block.Contains(addr) && addr.String() != "::" && addr.String() != "::1")
		}
	}
}

// slowPathTraits tests the traits of the path, and those of bytes in the head that are not ASCII.
func slowPathTraits(u slowURI, head string, add func(trait Trait, is bool)) {
	has := func(s, pattern string) bool { return regexp.MustCompile(pattern).MatchString(s) }
	add(HasPathParam, strings.Contains(u.path, ";"))
	add(HasEncodedSemicolon, has(u.path, `(?i)%3B`))
	add(HasEncodedDelimiter, has(u.path, `(?i)%3F|%23`))
	for segment := range strings.SplitSeq(u.path, "/") {
		name := slowDecodeLenient(segment)
		add(HasDotSegmentParam, has(name, `^\.\.?;`))
		add(HasWindowsSegment, has(name, `[. ]$|:\$`) && name != "." && name != "..")
	}

	decoded := slowDecodeLenient(head)
	var latin []rune // one for each byte, because a pattern matches runes
	for _, b := range []byte(decoded) {
		latin = append(latin, rune(b))
	}
	add(HasOverlongUTF8, has(string(latin), "[\u00C0\u00C1]|\u00E0[\u0080-\u009F]|\u00F0[\u0080-\u008F]|"+
		"\u00F8[\u0080-\u0087]|\u00FC[\u0080-\u0083]"))
	for _, c := range "／＼﹨．﹒․‥⁄∕∖" {
		add(HasUnicodeDelimiter, strings.Contains(decoded, string(c)))
	}
}

// slowRedact removes the secrets from any input, with the default keys and the given ones.
func slowRedact(s string, keys []string) string {
	return slowRedactBy(s, func(key []slowByte, _ int) bool {
		return slowSecretKey(key) || slowEndsWithOneOf(key, keys)
	}, nil)
}

// slowEndsWithOneOf reports whether what precedes "=" ends with one of the keys.
func slowEndsWithOneOf(key []slowByte, keys []string) bool {
	return slices.ContainsFunc(keys, func(plain string) bool { return slowEndsWith(key, plain) })
}

// slowRedactBy removes the secrets from any input: the union of all spans. It asks isSecret for each "=",
// with what precedes it and how often it is encoded. If replace is not nil, it returns what replaces one.
func slowRedactBy(
	s string, isSecret func(key []slowByte, depth int) bool, replace func(string) string,
) string {
	bytes := slowDecodeAll(s)
	spans := slices.Concat(slowUserinfo(s), slowValues(s, bytes, isSecret), slowAuthorities(s, bytes))
	spans = slices.DeleteFunc(spans, func(a slowSpan) bool { return a.from >= a.to })
	slices.SortFunc(spans, func(a, b slowSpan) int { return a.from - b.from })
	var out strings.Builder
	written := 0
	for len(spans) > 0 {
		secret := spans[0]
		for len(spans) > 0 && spans[0].from <= secret.to {
			secret.to = max(secret.to, spans[0].to)
			secret.userinfo = secret.userinfo || spans[0].userinfo && spans[0].from == secret.from
			spans = spans[1:]
		}
		out.WriteString(slowPrintable(s[written:secret.from]))
		switch {
		case replace != nil:
			out.WriteString(slowPrintable(replace(s[secret.from:secret.to])))
		case secret.userinfo:
			out.WriteString("REDACTED:REDACTED")
		default:
			out.WriteString("REDACTED")
		}
		written = secret.to
	}
	return out.String() + slowPrintable(s[written:])
}

// A slowSpan is a secret.
type slowSpan struct {
	from, to int
	userinfo bool
}

// A slowByte is a byte of the input, decoded as often as it is encoded.
type slowByte struct {
	from, to int // in the input
	b        byte
	depth    int // how often it is encoded
}

func (b slowByte) in(chars string) bool { return strings.IndexByte(chars, b.b) >= 0 }

// endsAt reports whether b is one of chars, encoded at most depth times.
func (b slowByte) endsAt(chars string, depth int) bool { return b.in(chars) && b.depth <= depth }

var anyEscape = regexp.MustCompile(`^%(25)*[0-9A-Fa-f]{2}`)

// slowDecodeAll reads any input. An escape of "%" and what it begins is one byte.
func slowDecodeAll(s string) (all []slowByte) {
	for i := 0; i < len(s); {
		next := slowByte{i, i + 1, s[i], 0}
		if escape := anyEscape.FindString(s[i:]); escape != "" {
			n, _ := strconv.ParseUint(escape[len(escape)-2:], 16, 8)
			next = slowByte{i, i + len(escape), byte(n), (len(escape) - 1) / 2}
		}
		all = append(all, next)
		i = next.to
	}
	return all
}

const (
	webSchemes = " http https ws wss ftp "
	slashes    = "/\\"
	ignored    = "\t\r\n" // by browsers, anywhere
)

var (
	wordsAtEnd  = regexp.MustCompile(`[0-9A-Za-z]*$`)
	cutUserinfo = regexp.MustCompile(`^[^/\\?#@:]*:[^/\\?#@]*$`)
	cutPort     = regexp.MustCompile(`^[^:]*:[0-9]{0,5}$`)
	unclearHead = regexp.MustCompile(`^[\x00- ]*([0-9A-Za-z+.-]*):([/\\]*)`)
)

func isWordChar(b byte) bool { return wordsAtEnd.FindString(string(rune(b))) != "" }

func isWebScheme(s string) bool {
	scheme := wordsAtEnd.FindString(s)
	return scheme != "" && strings.Contains(webSchemes, " "+strings.ToLower(scheme)+" ")
}

// slowUserinfo returns the userinfo, if there is one. If there is no clear authority, it is what may be one.
func slowUserinfo(s string) []slowSpan {
	start, end := 0, len(s)
	at := slowSpans(Reference, s)
	port := ""
	if at[Port][0] >= 0 {
		port = strings.TrimLeft(s[at[Port][0]:at[Port][1]], "0")
	}
	n, err := strconv.Atoi("0" + port)
	switch query := at[Path][1]; {
	case !Valid(Reference|Lenient, s), strings.Contains(s, " "), at[Port][0] >= 0 && at[Port][0] == at[Port][1],
		err != nil, n > 65535:
		if m := unclearHead.FindStringSubmatch(s); m != nil && (len(m[2]) > 1 || isWebScheme(m[1])) {
			start = len(m[0])
			if cutUserinfo.MatchString(s[start:]) && !cutPort.MatchString(s[start:]) {
				return []slowSpan{{start, len(s), true}}
			}
		}
	case at[Userinfo][0] >= 0:
		return []slowSpan{{at[Userinfo][0], at[Userinfo][1], true}}
	case at[Authority][0] >= 0:
		return nil
	case at[Scheme][0] < 0:
		end = query
		if i := strings.Index(s[:query], "/"); i >= 0 {
			end = i
		}
	default:
		end = query
		scheme := s[:at[Scheme][1]]
		if strings.EqualFold(scheme, "mailto") || strings.EqualFold(scheme, "file") || isWebScheme(scheme) {
			return nil
		}
	}
	if i := strings.LastIndex(s[:end], "@"); i > start {
		return []slowSpan{{start, i, true}}
	}
	return nil
}

// slowValues returns the secret values.
func slowValues(s string, bytes []slowByte, isSecret func(key []slowByte, depth int) bool) []slowSpan {
	var spans []slowSpan
	for i, equals := range bytes {
		if equals.b != '=' {
			continue
		}
		key := i
		for key > 0 && !bytes[key-1].in("&=") {
			key--
		}
		if !isSecret(bytes[key:i], equals.depth) {
			continue
		}
		// The first "#" begins the fragment, in which there may be others.
		endsAt := func(b slowByte) bool {
			return b.endsAt("&", equals.depth) || b.endsAt("#", equals.depth) &&
				!slices.ContainsFunc(bytes[:i], func(before slowByte) bool { return before.endsAt("#", b.depth) })
		}
		end := len(s)
		if n := slices.IndexFunc(bytes[i:], endsAt); n >= 0 {
			end = bytes[i+n].from
		}
		spans = append(spans, slowSpan{equals.to, end, false})
	}
	return spans
}

// slowAuthorities returns the userinfos of all authorities.
func slowAuthorities(s string, bytes []slowByte) (spans []slowSpan) {
	query := strings.IndexAny(s+"?", "?#")
	for i := 1; i < len(bytes); i++ {
		rest := slices.IndexFunc(bytes[i:], func(b slowByte) bool { return !b.in(ignored) })
		if rest >= 0 && bytes[i+rest].in(slashes) {
			continue // the slashes go on
		}
		n, depth, head := 0, len(s), i-1
		for ; head >= 0 && bytes[head].in(slashes+ignored); head-- {
			if bytes[head].in(slashes) {
				n++
				depth = min(depth, bytes[head].depth)
			} else if head == i-1 {
				n = -len(s) // begins after the last slash
			}
		}
		isWeb := false
		if head >= 0 && bytes[head].b == ':' {
			depth = min(depth, bytes[head].depth)
			scheme := head
			for scheme > 0 && bytes[scheme-1].depth == 0 && isWordChar(bytes[scheme-1].b) {
				scheme--
			}
			isWeb = isWebScheme(s[bytes[scheme].from:bytes[head].from])
		}
		if n < 2 && !(isWeb && n >= 0) {
			continue
		}
		inQuery := bytes[i].from >= query && depth == 0
		end := slices.IndexFunc(bytes[i:], func(b slowByte) bool {
			return b.endsAt("/\\?#", depth) || b.endsAt("&", depth-1) || inQuery && b.endsAt("&", 0)
		})
		if end < 0 {
			end = len(bytes) - i
		}
		for j := i + end - 1; j > i; j-- {
			if bytes[j].b == '@' {
				spans = append(spans, slowSpan{bytes[i].from, bytes[j].from, true})
				break
			}
		}
	}
	return spans
}

// slowWords are the words that end keys whose values are secret.
const slowWords = " accesskey accesskeyid accesstoken apikey assertion auth authkey authorization " +
	"authtoken awsaccesskeyid bearer clientsecret credential credentials csrf idtoken " +
	"jsessionid jwt key otp pass passcode passphrase passwd password phpsessid privatekey " +
	"pwd refreshtoken samlresponse secret secretkey sessid session sessionid sessionkey " +
	"sid sig signature token xsrf "

func slowText(bytes []slowByte) string {
	var text strings.Builder
	for _, b := range bytes {
		text.WriteByte(b.b)
	}
	return text.String()
}

func isUpperCase(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' }

// slowStarts reports whether a word starts at the offset in a key. The byte there counts.
func slowStarts(key string, i int) bool {
	before, after := wordsAtEnd.FindString(key[:i]), key[i+1:]
	switch {
	case before == "":
		return true
	case !isUpperCase(key[i:]):
		return false
	}
	return !isUpperCase(before[len(before)-1:]) ||
		after != "" && isWordChar(after[0]) && !isUpperCase(after)
}

var (
	afterKey   = regexp.MustCompile(`[^0-9A-Za-z]*$`)
	endOfKey   = regexp.MustCompile(`[0-9A-Za-z\t\r\n_.\[\]-]*$`)
	otherBytes = regexp.MustCompile(`[^0-9A-Za-z]+`)
)

// slowSecretKey reports whether the key is secret by default.
func slowSecretKey(bytes []slowByte) bool {
	key := slowLatin1(slowText(bytes))
	key = endOfKey.FindString(afterKey.ReplaceAllString(key, ""))
	for i := range len(key) {
		word := strings.ToLower(otherBytes.ReplaceAllString(key[i:], ""))
		if isWordChar(key[i]) && slowStarts(key, i) && strings.Contains(slowWords, " "+word+" ") {
			return true
		}
	}
	return strings.ToLower(otherBytes.ReplaceAllString(key, "")) == "code"
}

// slowLatin1 replaces each byte that is not ASCII, because regular expressions read UTF-8.
func slowLatin1(s string) string {
	text := []byte(s)
	for i, b := range text {
		if b >= 0x80 {
			text[i] = '~'
		}
	}
	return string(text)
}

// slowEndsWith reports whether a key ends with another one.
func slowEndsWith(bytes []slowByte, plain string) bool {
	// squeezed returns what counts of a key, in lower case, and the offsets in the key.
	squeezed := func(key string) (text string, offsets []int) {
		for i, b := range []byte(key) {
			if b >= 0x80 || isWordChar(b) {
				text += string([]byte{slowLower(b)})
				offsets = append(offsets, i)
			}
		}
		return text, offsets
	}
	all := plain
	early := func(b slowByte) bool { return b.from < len(all)-128 }
	plain = slowText(slices.DeleteFunc(slowDecodeAll(plain), early))
	plain, _ = squeezed(plain[strings.LastIndexAny(plain, "&=")+1:])
	key := slowText(bytes)
	text, offsets := squeezed(key)
	if plain == "" || !strings.HasSuffix(text, plain) {
		return text == plain || plain == "" && len(all) > 128
	}
	start := offsets[len(offsets)-len(plain)]
	return slowStarts(slowLatin1(key), start) || len(all) > 128
}

func slowLower(b byte) byte {
	if isUpperCase(string(rune(b))) {
		b += 'a' - 'A'
	}
	return b
}

// slowKey returns the key that IsSecret gets.
func slowKey(bytes []slowByte, depth int) string {
	notInKey := func(b slowByte) bool {
		return b.depth <= depth && (b.b <= ' ' || b.in("\"#&'()+,/:;<=>?@\\^`{|}\x7F"))
	}
	for len(bytes) > 0 && notInKey(bytes[len(bytes)-1]) {
		bytes = bytes[:len(bytes)-1]
	}
	for i := len(bytes) - 1; i >= 0; i-- {
		if notInKey(bytes[i]) {
			return slowText(bytes[i+1:])
		}
	}
	return slowText(bytes)
}

// slowPrintable percent-encodes control characters, line separators, and what is not UTF-8.
func slowPrintable(s string) (out string) {
	for i, c := range s {
		size := utf8.RuneLen(c)
		if c == utf8.RuneError {
			_, size = utf8.DecodeRuneInString(s[i:])
		}
		char := s[i:][:size]
		if unicode.Is(unicode.Cc, c) || unicode.Is(unicode.Zl, c) || unicode.Is(unicode.Zp, c) ||
			c == utf8.RuneError && size == 1 {
			char = ""
			for _, b := range []byte(s[i:][:size]) {
				char += fmt.Sprintf("%%%02X", b)
			}
		}
		out += char
	}
	return out
}

// slowRequestForm is RFC 9112 section 3.2: the method and the first byte determine the form of a target.
func slowRequestForm(method, target string) Form {
	switch {
	case method == "CONNECT": // section 3.2.3: only used for CONNECT requests
		return AuthorityForm
	case method == "OPTIONS" && target == "*": // section 3.2.4: only used for a server-wide OPTIONS request
		return AsteriskForm
	case strings.HasPrefix(target, "/"): // section 3.2.1
		return OriginForm
	}
	return AbsoluteURI // section 3.2.2
}

// slowTargetURI is RFC 9112 section 3.3. The request target must match its form, and the Host field must be
// valid. RFC 9110 sections 4.2.1, 4.2.2 and 4.2.4 say what a URI of http or https requires.
func slowTargetURI(scheme string, form Form, target, host string) (text string, why Error) {
	if match, _ := slowMatch("scheme", scheme); match != len(scheme) {
		return "", ErrScheme
	}
	switch form {
	case AbsoluteURI: // the target URI is the same as the request-target
		text = target
	case AuthorityForm: // the authority is the request-target, path and query are empty
		if _, err := strconv.ParseUint(orEmpty(slowParts(form, target).port), 10, 16); err != nil {
			return "", ErrPort // RFC 9110 section 9.3.6
		}
		text = scheme + "://" + target
	case OriginForm: // the authority is that of Host; the path and query are the request-target
		text = scheme + "://" + host + target
	case AsteriskForm:
		text = scheme + "://" + host
	default:
		return "", ErrForm
	}
	u := slowParts(Reference, text)
	if of := strings.ToLower(*u.scheme); of == "http" || of == "https" {
		switch {
		case orEmpty(u.host) == "":
			return "", ErrHost
		case u.userinfo != nil:
			return "", ErrUserinfo
		}
	}
	return text, 0
}

// slowCheckTarget is what RFC 9110 and RFC 9112 require of a request for http or https.
func slowCheckTarget(method, target, field string) Error {
	form := slowRequestForm(method, target)
	for _, r := range []reading{slowRead(form, target), slowRead(HostField, field)} {
		if r.why != 0 {
			return r.why
		}
	}
	t := slowParts(form, target)
	named := t // has the host
	if form == OriginForm || form == AsteriskForm {
		named = slowParts(HostField, field)
	}
	port, err := strconv.Atoi(orEmpty(named.port))
	scheme := strings.ToLower(orEmpty(t.scheme))
	switch {
	case form == AbsoluteURI && scheme != "http" && scheme != "https":
		return ErrScheme
	case t.userinfo != nil:
		return ErrUserinfo
	case orEmpty(named.host) == "":
		return ErrHost
	case orEmpty(named.port) != "" && (err != nil || port > 65535):
		return ErrPort
	case method == "CONNECT" && orEmpty(t.port) == "":
		return ErrPort
	case (form == AbsoluteURI || form == AuthorityForm) && !slowHostAgrees(form, target, field):
		return ErrHostField
	}
	return 0
}

// slowHostAgrees reports whether a target in absolute-form or authority-form and a Host field name the same
// host and port.
func slowHostAgrees(form Form, target, field string) bool {
	const steps = LowercaseHost | UppercaseEscapes | DecodeUnreserved | ShortenAddress
	normalized, _ := slowNormalize(form, target, steps)
	t := slowParts(form, normalized)
	normalized, _ = slowNormalize(HostField, field, steps)
	h := slowParts(HostField, normalized)
	port := func(port *string) *big.Int {
		digits, ok := t.defaultPort()
		if form == AuthorityForm {
			digits, ok = orEmpty(t.port), orEmpty(t.port) != ""
		}
		if orEmpty(port) != "" {
			digits, ok = *port, true
		}
		if !ok {
			return big.NewInt(-1) // none
		}
		n, _ := new(big.Int).SetString(digits, 10)
		return n
	}
	return orEmpty(t.host) == orEmpty(h.host) && port(t.port).Cmp(port(h.port)) == 0
}

// slowReadLenient is slowRead for a lenient form.
func slowReadLenient(form Form, s string) reading {
	match, viable := slowMatchIn(lenientGrammar, formRuleName[form], s)
	if match == len(s) {
		return reading{0, -1, match, slowHostKind(form, s), slowSpans(form, s)}
	}
	return reading{
		slowReason(form, slowStrict(form, s), viable), viable, match, NoHost,
		slowSpans(Reference, ""),
	}
}

// slowStrict replaces with "_" every byte that only a lenient form allows. A scheme cannot contain "_", so
// the replacement never creates a scheme.
func slowStrict(form Form, s string) string {
	tail := 0
	switch form {
	case AuthorityForm, AsteriskForm, HostField:
		return s
	case OriginForm:
	default:
		if i := strings.IndexAny(s, ":/?#"); i >= 0 && s[i] == ':' {
			if match, _ := slowMatch("scheme", s[:i]); match == i {
				tail = i + 1
			}
		}
		if strings.HasPrefix(s[tail:], "//") {
			tail += len("//")
			if i := strings.IndexAny(s[tail:], "/?#"); i >= 0 {
				tail += i
			} else {
				tail = len(s)
			}
		}
	}
	strict := []byte(s)
	fragment := false
	for i := tail; i < len(s); i++ {
		if c := s[i]; c >= ' ' && strings.IndexByte(pchars+"/?#", c) < 0 || c == '#' && fragment {
			strict[i] = '_'
		}
		fragment = fragment || s[i] == '#'
	}
	return string(strict)
}

// TestSlowOperations has the examples that the RFCs give for what the twins do, so that the twins are judged
// too. The examples of section 5.4 are in TestResolve, which judges both the twin and the library.
func TestSlowOperations(t *testing.T) {
	// RFC 3986 section 5.2.4: both examples
	for path, want := range map[string]string{"/a/b/c/./../../g": "/a/g", "mid/content=5/../6": "mid/6"} {
		out, above := slowRemoveDotSegments(path)
		assert.Equal(t, want, out)
		assert.False(t, above)
	}
	for _, path := range []string{"..", "../a", "/..", "a/../..", "/a/../../b"} {
		_, above := slowRemoveDotSegments(path)
		assert.True(t, above, path)
	}
	// section 6.2.2
	text, needed := slowNormalize(Reference, "eXAMPLE://a/./b/../b/%63/%7bfoo%7d", SyntaxBased)
	assert.Equal(t, "example://a/b/c/%7Bfoo%7D", text)
	assert.Equal(t, LowercaseScheme|UppercaseEscapes|DecodeUnreserved|RemoveDotSegments, needed)
	// section 6.2.3
	for _, s := range []string{
		"http://example.com", "http://example.com/", "http://example.com:/",
		"http://example.com:80/",
	} {
		text, _ := slowNormalize(Reference, s, SchemeBased)
		assert.Equal(t, "http://example.com/", text)
	}
	// lenient input
	for decoded, s := range map[string]string{
		"%%41": "%%41", "%4%31": "%4%31", "%gA": "%g%41",
		"%%41B": "%%41%42", "%25A": "%25%41",
	} {
		assert.Equal(t, decoded, slowDecodeUnreserved(s))
	}
	for _, row := range []struct {
		form   Form
		in     string
		viable int
		why    Error
	}{
		{Reference, "/%zz[\\]?{}%#\"#\xFF", -1, 0},
		{Reference, "a%:b", 2, ErrScheme},
		{Reference, "//h%", 4, ErrPercent},
		{Reference, "/a b", -1, 0},
		{Reference, "/a\tb", 2, ErrPath},
		{Reference, "#a\tb", 2, ErrFragment},
		{AbsoluteURI, "x:%#", 3, ErrForm},
		{OriginForm, "/a%?[\x00", 5, ErrQuery},
	} {
		got := slowReadLenient(row.form, row.in)
		assert.Equal(t, row.viable, got.offset, "%q", row.in)
		assert.Equal(t, row.why, got.why, "%q", row.in)
	}
}

// A located is a part of an input and where it starts.
type located struct {
	offset int
	text   string
}

// slowLines returns the lines of a block without their line ends, and the rest.
func slowLines(block string, atEOF bool) (lines []located, rest string) {
	offset := 0
	for _, line := range strings.SplitAfter(block, "\n") {
		whole := strings.HasSuffix(line, "\n")
		if whole || atEOF && line != "" {
			lines = append(lines, located{offset, strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")})
		} else {
			rest = line
		}
		offset += len(line)
	}
	return lines, rest
}

// slowFind returns the URIs in running text, by the rules that Find documents: it tries every offset, and
// leaves the end to the grammar.
func slowFind(form Form, s string, schemes []string) (found []located) {
	for start := 0; start < len(s); start++ {
		scheme := regexp.MustCompile(`^[A-Za-z][A-Za-z0-9.+-]*:`).FindString(s[start:])
		if scheme == "" || regexp.MustCompile(`[A-Za-z0-9]$`).MatchString(s[:start]) {
			continue
		}
		first := start + len(scheme)
		slashes := strings.HasPrefix(s[first:], "//")
		if len(schemes) == 0 && !slashes || len(schemes) > 0 &&
			!slices.ContainsFunc(schemes, func(name string) bool { return strings.EqualFold(name+":", scheme) }) {
			continue
		}
		if slashes {
			first += 2
		}

		// limit is the offset of the first byte that ends any URI that starts here.
		quoted := start > 0 && s[start-1] == '\''
		limit := first
		for limit < len(s) {
			bytes := s[first : limit+1]
			if strings.IndexByte(" <>\"`\\", s[limit]) >= 0 || s[limit] < ' ' || s[limit] == 0x7F ||
				strings.Count(bytes, ")") > strings.Count(bytes, "(") ||
				strings.Count(bytes, "]") > strings.Count(bytes, "[") ||
				strings.Count(bytes, "}") > strings.Count(bytes, "{") ||
				quoted && s[limit] == '\'' {
				break
			}
			n := 1
			if s[limit] >= 0x80 {
				if n = len(slowLetter(s[limit:])); form&Lenient == 0 || n == 0 {
					break
				}
			}
			limit += n
		}

		matches := func(rule, t string) bool {
			match, _ := slowMatch(rule, t)
			return match == len(t)
		}
		rule := formRuleName[form&^Lenient]
		trim := func(t string) string {
			return t[:first-start] + strings.TrimRight(t[first-start:], ".,:;!?'*@([{")
		}
		end := first
		if slashes {
			end += len(regexp.MustCompile(`^(\[|@\[|[]A-Za-z0-9._~!$&'()*+,;=:@%-])*`).FindString(s[first:limit]))
			end = min(end, first+firstBracket(s[first:end]))
		}
		inPath := !slashes || end < limit && strings.IndexByte("/?#", s[end]) >= 0
		head := s[start:end]
		if !inPath {
			head = trim(head)
		}
		needsHost := slices.Contains([]string{"http:", "https:", "ws:", "wss:", "ftp:"}, strings.ToLower(scheme))
		if needsHost && !slashes || slashes && (!matches(rule, head) || needsHost && slowHost(head) == "") {
			continue
		}
		if inPath {
			var length int
			if form&Lenient != 0 {
				length, _ = slowMatchIn(lenientGrammar, rule, s[start:limit])
			} else {
				length, _ = slowMatch(rule, s[start:limit])
			}
			end = start + length
			head = trim(s[start:end])
		}
		if start+len(head) > first && slowLetter(s[end:]) == "" {
			found = append(found, located{start, head})
		}
		start = end - 1
	}
	return found
}

// firstBracket returns the offset of the first "[" that begins neither an authority nor a host.
func firstBracket(authority string) int {
	for i := range len(authority) {
		if i > 0 && authority[i] == '[' && authority[i-1] != '@' {
			return i
		}
	}
	return len(authority)
}

// slowHost returns the host and port of a head that matches.
func slowHost(head string) string {
	_, authority, _ := strings.Cut(head, "//")
	host := authority[strings.LastIndexByte(authority, '@')+1:]
	if strings.HasPrefix(host, ":") {
		return ""
	}
	return host
}

// slowLetter returns the letter, mark or digit outside ASCII with which s begins, or "".
func slowLetter(s string) string {
	letter := regexp.MustCompile(`^[\pL\pM\pN]`).FindString(s)
	if letter == "" || letter[0] < 0x80 {
		return ""
	}
	return letter
}
