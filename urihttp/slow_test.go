package urihttp

import (
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-56a50ac9/uri"
	"github.com/seed-56a50ac9/uri/internal/attacks"
)

// The slow twin of decide. It follows the documentation of Policy field by field, with regular expressions
// and strings. It trusts package uri only with traits and with comparing hosts, which are tested there.

const (
	pchar    = `(?:[A-Za-z0-9\-._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})`
	anyQuery = `[^#\x00-\x1F]*`
	literal  = `\[[0-9A-Fa-f:.]*\]|\[[vV][0-9A-Fa-f]+\.[A-Za-z0-9\-._~!$&'()*+,;=:]+\]`
	goodHost = `(` + literal + `|(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})*)(?::([0-9]*))?`
	ending   = `(?:(\?)(` + anyQuery + `))?$`
)

var (
	slowOrigin   = regexp.MustCompile(`(?s)^((?:/` + pchar + `*)+)` + ending)
	slowAbsolute = regexp.MustCompile(`(?s)^(?i:https?)://` + goodHost + `((?:/` + pchar + `*)*)` + ending)
	slowHost     = regexp.MustCompile(`(?s)^` + goodHost + `$`)
	goodQuery    = regexp.MustCompile(`^(?:` + pchar + `|[/?])*$`)
)

// slowHostOK reports whether the host and the port are valid for http.
func slowHostOK(host, port string) bool {
	if strings.HasPrefix(host, "[") && host[1]|0x20 != 'v' {
		addr, err := netip.ParseAddr(host[1 : len(host)-1])
		if err != nil || !addr.Is6() {
			return false
		}
	}
	n, err := strconv.ParseUint("0"+port, 10, 64)
	return host != "" && err == nil && n <= 65535
}

func slowTraits(form uri.Form, s string) uri.Trait {
	var v uri.StringView
	if v.Scan(form, s) != nil {
		return 0
	}
	return v.Traits()
}

func slowAgrees(form uri.Form, target, host string) bool {
	var v, h uri.StringView
	return v.Scan(form, target) == nil && h.Scan(uri.HostField, host) == nil && uri.HostAgrees(&v, &h)
}

// slowDecide returns what decide does.
func slowDecide(p *Policy, method, target, host string) (out string, action Action) {
	const refused = ""
	if p.CheckHost {
		m := slowHost.FindStringSubmatch(host)
		if m == nil || !slowHostOK(m[1], m[2]) || slowTraits(uri.HostField, host)&p.RefuseTraits != 0 {
			return refused, Refuse
		}
	}
	var head, path, mark, query string
	form := uri.OriginForm
	switch {
	case method == "CONNECT":
		m := slowHost.FindStringSubmatch(target)
		if m == nil || m[2] == "" || !slowHostOK(m[1], m[2]) ||
			host != "" && !slowAgrees(uri.AuthorityForm, target, host) ||
			slowRefused(p, slowTraits(uri.AuthorityForm, target), "") {
			return refused, Refuse
		}
		return target, Keep
	case method == "OPTIONS" && target == "*":
		return target, Keep
	case strings.HasPrefix(target, "/"):
		m := slowOrigin.FindStringSubmatch(target)
		if m == nil {
			return refused, Refuse
		}
		path, mark, query = m[1], m[2], m[3]
	default:
		m := slowAbsolute.FindStringSubmatch(target)
		if m == nil || !slowHostOK(m[1], m[2]) ||
			host != "" && !slowAgrees(uri.AbsoluteURI|uri.Lenient, target, host) {
			return refused, Refuse
		}
		form, path, mark, query = uri.AbsoluteURI, m[3], m[4], m[5]
		head = strings.TrimSuffix(target, path+mark+query)
	}

	if !goodQuery.MatchString(query) {
		if !p.LenientQuery {
			return refused, Refuse
		}
		query = slowEncode(query)
	}
	if slowRefused(p, slowTraits(form, head+path), path) {
		return refused, Refuse
	}
	action = Rewrite
	change := func(with Action, changed string) {
		if changed != path {
			action = max(action, with)
		}
		path = changed
	}
	if p.EscapedSlashes >= Rewrite {
		change(p.EscapedSlashes, regexp.MustCompile(`(?i)%2F|%5C`).ReplaceAllString(path, "/"))
	}
	if p.NormalizePath {
		change(Rewrite, regexp.MustCompile(`%..`).ReplaceAllStringFunc(path, func(escape string) string {
			if b := attacks.Decodes(escape); regexp.MustCompile(`[A-Za-z0-9\-._~]`).MatchString(b) {
				return b
			}
			return escape
		}))
	}
	if p.PathParams >= Rewrite {
		change(p.PathParams, attacks.DropsParams(path))
	}
	if p.NormalizePath && path != "" {
		change(Rewrite, removesDots(regexp.MustCompile(`/(\.\.?);[^/]*`).ReplaceAllString(path, "/$1")))
	}
	if p.MergeSlashes {
		change(Rewrite, attacks.Merges(path))
	}
	out = head + path + mark + query
	switch {
	case slowRefused(p, slowTraits(form, head+path), path):
		return refused, Refuse
	case action == Redirect && strings.HasPrefix(path, "//"):
		return refused, Refuse
	case action == Redirect:
		return path + mark + query, Redirect
	case out == target:
		return out, Keep
	}
	return out, Rewrite
}

// slowRefused reports whether traits of the target before its query, or the text of its path, are refused.
func slowRefused(p *Policy, traits uri.Trait, path string) bool {
	refuse := p.RefuseTraits
	if p.EscapedSlashes == Refuse {
		refuse |= uri.HasEncodedSlash | uri.HasEncodedBackslash
	}
	if p.PathParams == Refuse {
		refuse |= uri.HasPathParam
	}
	slashes := strings.NewReplacer("%2F", "/", "%2f", "/", "%5C", "/", "%5c", "/").Replace(path)
	if slashes != path && refuse&uri.HasEncodedDotSegment != 0 {
		for segment := range strings.SplitSeq(attacks.Decodes(slashes), "/") {
			if name, _, _ := strings.Cut(segment, ";"); name == "." || name == ".." {
				return true
			}
		}
	}
	if p.UTF8Path {
		for segment := range strings.SplitSeq(path, "/") {
			segment = attacks.Decodes(segment)
			first, _ := utf8.DecodeRuneInString(segment)
			last, _ := utf8.DecodeLastRuneInString(segment)
			odd := func(c rune) bool { return c == '\uFEFF' || c >= 0x80 && unicode.IsSpace(c) }
			c1 := func(c rune) bool { return 0x80 <= c && c <= 0x9F }
			if !utf8.ValidString(segment) || strings.ContainsFunc(segment, c1) || odd(first) || odd(last) {
				return true
			}
		}
	}
	return traits&refuse != 0
}

// slowEncode encodes what a query must not contain.
func slowEncode(query string) string {
	var out strings.Builder
	for i := range len(query) {
		rest := query[i:]
		if regexp.MustCompile(`^(?:` + pchar + `|[/?])`).MatchString(rest) {
			out.WriteByte(query[i])
			continue
		}
		out.WriteString("%" + strings.ToUpper(strconv.FormatUint(0x100|uint64(query[i]), 16)[1:]))
	}
	return out.String()
}
