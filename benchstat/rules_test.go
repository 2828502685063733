package main

import (
	"errors"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	fredbi "github.com/fredbi/uri"

	"github.com/seed-56a50ac9/uri"
)

// A rule explains differences: which peers they are of, what they do, and which section of RFC 3986 says
// otherwise.
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
		return strings.ContainsFunc(d.text,
			func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) })
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
	{"fredbi", rejects, "rejects IPv4addresses with numbers that begin with 3 to 9 or 26 to 29", "3.2.2",
		func(d *difference) bool {
			return d.view.HostKind() == uri.IPv4 &&
				regexp.MustCompile(`(^|\.)([3-9]|2[6-9])`).MatchString(d.view.Host())
		}},
	{"fredbi", rejects, "rejects escapes that are not UTF-8", "2.1", func(d *difference) bool {
		text, err := url.PathUnescape(d.text)
		return err == nil && !utf8.ValidString(text)
	}},
	{"fredbi", rejects, "rejects a reference that begins with \"?\" or \"#\", or has it second", "4.2",
		func(d *difference) bool {
			i := strings.IndexAny(d.text, "?#")
			return i == 0 || i == 1
		}},
	{"fredbi", rejects, "rejects a scheme of one letter", "3.1", func(d *difference) bool {
		return len(d.view.Scheme()) == 1
	}},
	{"fredbi", rejects, "takes a \":\" after the first segment for the scheme's", "4.2",
		func(d *difference) bool {
			return d.view.IsRelative() && strings.Contains(d.text, ":")
		}},
	{"fredbi", rejects, "rejects a host that is no DNS name", "3.2.2", func(d *difference) bool {
		return fredbi.UsesDNSHostValidation(d.view.Scheme()) && errors.Is(d.err, fredbi.ErrInvalidDNSName)
	}},
	{"whatwg", rejects, "rejects a name that ends in a number and is no address", "3.2.2",
		func(d *difference) bool {
			return d.view.HostKind() == uri.RegName &&
				regexp.MustCompile(`(^|\.)[0-9]+\.?$`).MatchString(d.view.Host())
		}},
	{"whatwg", rejects, "rejects an empty host", "3.2.2", func(d *difference) bool {
		return d.view.Has(uri.Host) && d.view.Host() == ""
	}},
	{"whatwg", rejects, "rejects relative references, without a base", "4.2", func(d *difference) bool {
		return d.view.IsRelative()
	}},

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
	{"fredbi", host, "has no brackets", "3.2.2",
		func(d *difference) bool { return "["+d.got[host]+"]" == d.ours[host] }},
	{"fasthttp whatwg", host, "lower-cases the host", "6.2.2.1", lowered(host)},
	{"whatwg", host, "writes an IPv6address in another form", "3.2.2", func(d *difference) bool {
		return d.view.HostKind() == uri.IPv6 &&
			netip.MustParseAddr(strings.Trim(d.got[host], "[]")) == d.view.Addr()
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

	{"regexp", host, "leaves the authority whole", "3.2",
		func(d *difference) bool { return d.got[host] == d.view.Authority() }},
	{"regexp", userinfo, "leaves the authority whole", "3.2",
		func(d *difference) bool { return d.got[userinfo] == "" }},
	{"regexp", port, "leaves the authority whole", "3.2", func(d *difference) bool { return d.got[port] == "" }},
}
