package main

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	fredbi "github.com/fredbi/uri"
	whatwg "github.com/nlnwa/whatwg-url/url"
	"github.com/seed-56a50ac9/uri"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
)

// components are scheme, userinfo, host, port, path, query and fragment. Absent and empty are the same here: most peers do
// not tell them apart.
type components [7]string

const (
	scheme = iota
	userinfo
	host
	port
	path
	query
	fragment
)

var componentNames = [...]string{"scheme", "userinfo", "host", "port", "path", "query", "fragment"}

var splitters = []struct {
	lib   string
	split func(text string) (components, error)
}{
	{"neturl", splitNetURL},
	{"fasthttp", splitFasthttp},
	{"fredbi", splitFredbi},
	{"whatwg", splitWhatwg},
	{"regexp", splitRegexp},
}

func splitURI(text string) (components, error) {
	v, err := uri.Parse(text)
	return components{v.Scheme(), v.Userinfo(), v.Host(), v.Port(), v.Path(), v.Query(), v.Fragment()}, err
}

func splitNetURL(text string) (c components, err error) {
	u, err := url.Parse(text)
	if err != nil {
		return c, err
	}
	return components{u.Scheme, u.User.String(), strings.TrimSuffix(u.Host, ":"+u.Port()), u.Port(), u.Opaque + u.EscapedPath(), u.RawQuery, u.EscapedFragment()}, nil
}

func splitFasthttp(text string) (c components, err error) {
	u := new(fasthttp.URI)
	if err := u.Parse(nil, []byte(text)); err != nil {
		return c, err
	}
	userinfo := string(u.Username())
	if len(u.Password()) > 0 {
		userinfo += ":" + string(u.Password())
	}
	host, port := string(u.Host()), ""
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		host, port = host[:i], host[i+1:]
	}
	return components{string(u.Scheme()), userinfo, host, port, string(u.PathOriginal()), string(u.QueryString()), string(u.Hash())}, nil
}

func splitFredbi(text string) (c components, err error) {
	u, err := fredbi.ParseReference(text)
	if err != nil {
		return c, err
	}
	rest, _ := strings.CutSuffix(u.String(), "#"+u.Fragment())
	_, query, _ := strings.Cut(rest, "?") // Query is a map
	a := u.Authority()
	return components{u.Scheme(), a.UserInfo(), a.Host(), a.Port(), a.Path(), query, u.Fragment()}, nil
}

func splitWhatwg(text string) (c components, err error) {
	u, err := whatwg.Parse(text)
	if err != nil {
		return c, err
	}
	userinfo := u.Username()
	if u.Password() != "" {
		userinfo += ":" + u.Password()
	}
	return components{u.Scheme(), userinfo, u.Hostname(), u.Port(), u.Pathname(), u.Query(), u.Fragment()}, nil
}

func splitRegexp(text string) (c components, err error) {
	m := appendixB.FindStringSubmatch(text)
	if m == nil {
		return c, errors.New("no match")
	}
	return components{scheme: m[2], host: m[4], path: m[5], query: m[7], fragment: m[9]}, nil
}

// A difference is that between what this library and a peer make of a text.
type difference struct {
	text string
	ours components
	view uri.StringView
	why  error // ours
	got  components
	err  error // the peer's
	part int   // the component that differs; accepts or rejects where the verdicts do
}

const (
	accepts = -1 // the peer does, this library does not
	rejects = -2 // the other way round
)

// A rule explains differences: which peers they are of, what they do, and which section of RFC 3986 says otherwise.
type rule struct {
	libs  string
	part  int
	what  string
	rfc   string
	holds func(d *difference) bool
}

// passes is the rule of invalid texts that are let pass, by this library's reason.
func passes(libs string, why uri.Error, what, rfc string) rule {
	return rule{libs, accepts, "accepts " + what, rfc, func(d *difference) bool { return d.why == why }}
}

func lowered(part int) func(*difference) bool {
	return func(d *difference) bool { return strings.ToLower(d.ours[part]) == d.got[part] }
}

// reencoded tells whether the texts differ in nothing but what is percent-encoded.
func reencoded(part int) func(*difference) bool {
	return func(d *difference) bool {
		a, err1 := url.PathUnescape(d.ours[part])
		b, err2 := url.PathUnescape(d.got[part])
		return a == b && err1 == nil && err2 == nil
	}
}

var rules = []rule{
	passes("neturl fasthttp whatwg regexp", uri.ErrPath, "other bytes in a path", "3.3"),
	passes("neturl fasthttp whatwg regexp", uri.ErrQuery, "other bytes in a query", "3.4"),
	passes("neturl fasthttp whatwg regexp", uri.ErrFragment, "other bytes in a fragment", "3.5"),
	passes("neturl fasthttp whatwg regexp", uri.ErrHost, "other bytes in a host", "3.2.2"),
	passes("whatwg regexp", uri.ErrUserinfo, "other bytes in userinfo", "3.2.1"),
	passes("neturl fasthttp whatwg regexp", uri.ErrPercent, "broken escapes", "2.1"),
	passes("neturl fasthttp fredbi regexp", uri.ErrIPLiteral, "what is no IP-literal", "3.2.2"),
	{"fredbi", accepts, "accepts letters of any script", "2", func(d *difference) bool {
		return strings.ContainsFunc(d.text, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) })
	}},
	passes("fredbi", uri.ErrHost, "what stands beside an IP-literal", "3.2.2"),
	passes("neturl regexp", uri.ErrPort, "a port that is no number", "3.2.3"),
	passes("fasthttp regexp", uri.ErrScheme, "a colon without a scheme before it", "4.2"),

	{"neturl fasthttp", rejects, "rejects an escape in a host", "3.2.2", func(d *difference) bool {
		return strings.Contains(d.view.Host(), "%")
	}},
	{"neturl fasthttp whatwg", rejects, "rejects an IPvFuture", "3.2.2", func(d *difference) bool {
		return d.view.HostKind() == uri.IPvFuture
	}},
	{"fasthttp", rejects, "takes \"//\" in a path for the authority's", "3.3", func(d *difference) bool {
		return !d.view.Has(uri.Authority) && strings.Contains(d.view.Path(), "//")
	}},
	{"fredbi", rejects, "rejects IPv4addresses with numbers that begin with 3 to 9 or 26 to 29", "3.2.2", func(d *difference) bool {
		return d.view.HostKind() == uri.IPv4 && regexp.MustCompile(`(^|\.)([3-9]|2[6-9])`).MatchString(d.view.Host())
	}},
	{"fredbi", rejects, "rejects escapes that are not UTF-8", "2.1", func(d *difference) bool {
		text, err := url.PathUnescape(d.text)
		return err == nil && !utf8.ValidString(text)
	}},
	{"fredbi", rejects, "rejects a reference that begins with \"?\" or \"#\", or has it second", "4.2", func(d *difference) bool {
		i := strings.IndexAny(d.text, "?#")
		return i == 0 || i == 1
	}},
	{"fredbi", rejects, "rejects a scheme of one letter", "3.1", func(d *difference) bool { return len(d.view.Scheme()) == 1 }},
	{"fredbi", rejects, "takes a \":\" after the first segment for the scheme's", "4.2", func(d *difference) bool {
		return d.view.IsRelative() && strings.Contains(d.text, ":")
	}},
	{"fredbi", rejects, "rejects a host that is no DNS name", "3.2.2", func(d *difference) bool {
		return fredbi.UsesDNSHostValidation(d.view.Scheme()) && errors.Is(d.err, fredbi.ErrInvalidDNSName)
	}},
	{"whatwg", rejects, "rejects a name that ends in a number and is no address", "3.2.2", func(d *difference) bool {
		return d.view.HostKind() == uri.RegName && regexp.MustCompile(`(^|\.)[0-9]+\.?$`).MatchString(d.view.Host())
	}},
	{"whatwg", rejects, "rejects an empty host", "3.2.2", func(d *difference) bool { return d.view.Has(uri.Host) && d.view.Host() == "" }},
	{"whatwg", rejects, "rejects relative references, without a base", "4.2", func(d *difference) bool { return d.view.IsRelative() }},

	{"neturl fasthttp whatwg", scheme, "lower-cases the scheme", "6.2.2.1", lowered(scheme)},
	{"fasthttp", scheme, "puts http where there is no scheme", "4.2", func(d *difference) bool {
		return d.view.IsRelative() && d.got[scheme] == "http"
	}},
	{"fasthttp", scheme, "takes a scheme without \"//\" after it for a path", "3", func(d *difference) bool {
		return !d.view.Has(uri.Authority) && d.got[scheme] == "http"
	}},
	{"fasthttp", path, "takes a scheme without \"//\" after it for a path", "3", func(d *difference) bool {
		return !d.view.Has(uri.Authority) && d.got[path] == d.ours[scheme]+":"+d.ours[path]
	}},
	{"neturl whatwg", userinfo, "encodes userinfo anew", "2.2", reencoded(userinfo)},
	{"fasthttp whatwg", userinfo, "drops the \":\" before an empty password", "3.2.1", func(d *difference) bool {
		return d.got[userinfo]+":" == d.ours[userinfo]
	}},
	{"fredbi", host, "has no brackets", "3.2.2", func(d *difference) bool { return "["+d.got[host]+"]" == d.ours[host] }},
	{"fasthttp whatwg", host, "lower-cases the host", "6.2.2.1", lowered(host)},
	{"whatwg", host, "writes an IPv6address in another form", "3.2.2", func(d *difference) bool {
		return d.view.HostKind() == uri.IPv6 && netip.MustParseAddr(strings.Trim(d.got[host], "[]")) == d.view.Addr()
	}},
	{"whatwg", host, "takes the first segment for an empty host", "3.2.2", func(d *difference) bool {
		return d.ours[host] == "" && strings.HasPrefix(d.ours[path], "/"+d.got[host])
	}},
	{"whatwg", path, "takes the first segment for an empty host", "3.2.2", func(d *difference) bool {
		return d.ours[host] == "" && d.ours[path] == "/"+d.got[host]+strings.TrimSuffix(d.got[path], "/")
	}},
	{"neturl", path, "takes \"//\" before an empty host for the path's", "3.2", func(d *difference) bool {
		return d.view.Has(uri.Host) && d.ours[host] == "" && d.got[path] == "//"+d.ours[path]
	}},
	{"whatwg", host, "decodes the host", "2.4", reencoded(host)},
	{"whatwg", host, "takes a name that ends in a number for an address", "3.2.2", func(d *difference) bool {
		_, err := netip.ParseAddr(d.got[host])
		return d.view.HostKind() == uri.RegName && err == nil
	}},
	{"whatwg", port, "drops the scheme's default port", "6.2.3", func(d *difference) bool {
		n, _ := d.view.PortNumber()
		defaults := map[string]uint16{"http": 80, "ws": 80, "https": 443, "wss": 443, "ftp": 21}
		return d.got[port] == "" && n == defaults[strings.ToLower(d.ours[scheme])]
	}},
	{"whatwg fasthttp", path, "puts \"/\" where the path is empty", "6.2.3", func(d *difference) bool {
		return d.ours[path] == "" && d.got[path] == "/"
	}},
	{"whatwg", path, "removes dot segments", "6.2.2.3", func(d *difference) bool {
		return regexp.MustCompile(`(^|/)(\.|%2[eE]){1,2}(/|$)`).MatchString(d.ours[path])
	}},
	{"whatwg", query, "encodes \"'\" in a query", "2.2", reencoded(query)},

	{"regexp", host, "leaves the authority whole", "3.2", func(d *difference) bool { return d.got[host] == d.view.Authority() }},
	{"regexp", userinfo, "leaves the authority whole", "3.2", func(d *difference) bool { return d.got[userinfo] == "" }},
	{"regexp", port, "leaves the authority whole", "3.2", func(d *difference) bool { return d.got[port] == "" }},
}

// explain returns the first rule that holds, -1 if there is none.
func (d *difference) explain(lib string) int {
	return slices.IndexFunc(rules, func(r rule) bool {
		return r.part == d.part && slices.Contains(strings.Fields(r.libs), lib) && r.holds(d)
	})
}

// differences calls found for each difference between this library and a peer.
func differences(text string, split func(string) (components, error), found func(*difference)) {
	d := &difference{text: text}
	d.view, d.why = uri.Parse(text)
	d.ours, _ = splitURI(text)
	d.got, d.err = split(text)
	switch {
	case d.why != nil && d.err == nil:
		d.part = accepts
		found(d)
	case d.why == nil && d.err != nil:
		d.part = rejects
		found(d)
	case d.why == nil:
		for d.part = range d.ours {
			if d.ours[d.part] != d.got[d.part] {
				found(d)
			}
		}
	}
}

// agreeCorpora are those that are measured, and lines that are not valid.
func agreeCorpora(t *testing.T) []*corpus {
	corpora, err := loadCorpora(".", os.Getenv("URI_CORPUS"))
	require.NoError(t, err)
	invalid, err := readLines("../testdata/invalid.txt")
	require.NoError(t, err)
	return append(corpora, newCorpus("invalid", invalid))
}

// TestJudge puts every line to the grammar.
func TestJudge(t *testing.T) {
	for _, c := range agreeCorpora(t) {
		for _, text := range c.texts {
			want, valid := judge(text)
			got, err := splitURI(text)
			require.Equal(t, valid, err == nil, "%q", text)
			require.Equal(t, want, got, "%q", text)
		}
	}
}

// agreement is, for each peer and rule, how many differences a corpus has.
type agreement map[string]map[string]int // "| peer | what it does | section |", corpus

// TestAgree finds where a peer differs: there must be a rule for each, and README.md has the counts.
func TestAgree(t *testing.T) {
	found := agreement{}
	corpora := agreeCorpora(t)
	for _, s := range splitters {
		for _, c := range corpora {
			unexplained := 0
			for _, text := range c.texts {
				differences(text, s.split, func(d *difference) {
					if i := d.explain(s.lib); i >= 0 {
						found.add(s.lib, rules[i], c.name)
					} else if unexplained++; unexplained <= 5 {
						t.Error(d.describe(s.lib))
					}
				})
			}
			assert.Zero(t, unexplained, "%s, %s: differences without explanation", s.lib, c.name)
		}
	}
	for _, r := range rules {
		for lib := range strings.FieldsSeq(r.libs) {
			assert.NotEmpty(t, found[row(lib, r)], "no line for the rule %s", row(lib, r))
		}
	}
	compareAgreement(t, found, corpora)
}

func (a agreement) add(lib string, r rule, corpus string) {
	if a[row(lib, r)] == nil {
		a[row(lib, r)] = map[string]int{}
	}
	a[row(lib, r)][corpus]++
}

func row(lib string, r rule) string { return fmt.Sprintf("| %s | %s | %s |", lib, r.what, r.rfc) }

func (d *difference) describe(lib string) string {
	switch d.part {
	case accepts:
		return fmt.Sprintf("%s accepts %q: %v", lib, d.text, d.why)
	case rejects:
		return fmt.Sprintf("%s rejects %q: %v", lib, d.text, d.err)
	default:
		return fmt.Sprintf("%s finds in %q the %s %q", lib, d.text, componentNames[d.part], d.got[d.part])
	}
}
