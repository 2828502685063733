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

// A rule explains a kind of difference: the peers concerned, what they do, and the section of RFC 3986 that
// requires otherwise.
type rule struct {
	libs  string
	part  int
	what  string
	rfc   string
	holds func(d *difference) bool
}

// passes returns the rule for input that the peers accept although this library rejects it for the given
// reason.
func passes(libs string, why uri.Error, what, rfc string) rule {
	return rule{libs, accepts, "accepts " + what, rfc, func(d *difference) bool { return d.why == why }}
}

func lowered(part int) func(*difference) bool {
	return func(d *difference) bool { return strings.ToLower(d.ours[part]) == d.got[part] }
}

// reencoded reports whether the components differ only in percent-encoding.
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
	passes("neturl fasthttp fredbi regexp", uri.ErrIPLiteral, "an invalid IP-literal", "3.2.2"),
	{"fredbi", accepts, "accepts letters of any script", "2", func(d *difference) bool {
		return strings.ContainsFunc(d.text, func(r rune) bool {
			return r > unicode.MaxASCII && unicode.IsLetter(r)
		})
	}},
	passes("fredbi", uri.ErrHost, "text beside an IP-literal", "3.2.2"),
	passes("neturl regexp", uri.ErrPort, "a port that is not a number", "3.2.3"),
	passes("fasthttp regexp", uri.ErrScheme, "a colon without a scheme before it", "4.2"),

	{"neturl fasthttp", rejects, "rejects an escape in a host", "3.2.2", func(d *difference) bool {
		return strings.Contains(d.view.Host(), "%")
	}},
	{"neturl fasthttp whatwg", rejects, "rejects an IPvFuture", "3.2.2", func(d *difference) bool {
		return d.view.HostKind() == uri.IPvFuture
	}},
	{"fasthttp", rejects, `reads "//" in a path as the start of an authority`, "3.3", func(d *difference) bool {
		return !d.view.Has(uri.Authority) && strings.Contains(d.view.Path(), "//")
	}},
	{
		"fredbi", rejects, "rejects IPv4addresses with numbers that begin with 3 to 9 or 26 to 29", "3.2.2",
		func(d *difference) bool {
			return d.view.HostKind() == uri.IPv4 &&
				regexp.MustCompile(`(^|\.)([3-9]|2[6-9])`).MatchString(d.view.Host())
		},
	},
	{"fredbi", rejects, "rejects escapes that are not UTF-8", "2.1", func(d *difference) bool {
		text, err := url.PathUnescape(d.text)
		return err == nil && !utf8.ValidString(text)
	}},
	{
		"fredbi", rejects, `rejects a reference whose first or second byte is "?" or "#"`, "4.2",
		func(d *difference) bool {
			i := strings.IndexAny(d.text, "?#")
			return i == 0 || i == 1
		},
	},
	{"fredbi", rejects, "rejects a scheme of one letter", "3.1", func(d *difference) bool {
		return len(d.view.Scheme()) == 1
	}},
	{
		"fredbi", rejects, `reads a ":" after the first segment as the end of a scheme`, "4.2",
		func(d *difference) bool {
			return d.view.IsRelative() && strings.Contains(d.text, ":")
		},
	},
	{"fredbi", rejects, "rejects a host that is not a DNS name", "3.2.2", func(d *difference) bool {
		return fredbi.UsesDNSHostValidation(d.view.Scheme()) && errors.Is(d.err, fredbi.ErrInvalidDNSName)
	}},
	{
		"whatwg", rejects, "rejects a name that ends in a number and is not an address", "3.2.2",
		func(d *difference) bool {
			return d.view.HostKind() == uri.RegName &&
				regexp.MustCompile(`(^|\.)[0-9]+\.?$`).MatchString(d.view.Host())
		},
	},
	{"whatwg", rejects, "rejects an empty host", "3.2.2", func(d *difference) bool {
		return d.view.Has(uri.Host) && d.view.Host() == ""
	}},
	{"whatwg", rejects, "rejects relative references, without a base", "4.2", func(d *difference) bool {
		return d.view.IsRelative()
	}},

	{"neturl fasthttp whatwg", scheme, "lower-cases the scheme", "6.2.2.1", lowered(scheme)},
	{"fasthttp", scheme, "adds the scheme http if there is none", "4.2", func(d *difference) bool {
		return d.view.IsRelative() && d.got[scheme] == "http"
	}},
	{
		"fasthttp", scheme, `reads a scheme without "//" after it as part of the path`, "3",
		func(d *difference) bool {
			return !d.view.Has(uri.Authority) && d.got[scheme] == "http"
		},
	},
	{
		"fasthttp", path, `reads a scheme without "//" after it as part of the path`, "3",
		func(d *difference) bool {
			return !d.view.Has(uri.Authority) && d.got[path] == d.ours[scheme]+":"+d.ours[path]
		},
	},
	{"neturl whatwg", userinfo, "re-encodes userinfo", "2.2", reencoded(userinfo)},
	{"fasthttp whatwg", userinfo, `drops the ":" before an empty password`, "3.2.1", func(d *difference) bool {
		return d.got[userinfo]+":" == d.ours[userinfo]
	}},
	{"fredbi", host, "drops the brackets", "3.2.2", func(d *difference) bool {
		return "["+d.got[host]+"]" == d.ours[host]
	}},
	{"fasthttp whatwg", host, "lower-cases the host", "6.2.2.1", lowered(host)},
	{"whatwg", host, "rewrites an IPv6address", "3.2.2", func(d *difference) bool {
		got := strings.Trim(d.got[host], "[]")
		return d.view.HostKind() == uri.IPv6 && netip.MustParseAddr(got) == d.view.Addr()
	}},
	{
		"whatwg", host, "reads the first segment as the host if the host is empty", "3.2.2",
		func(d *difference) bool {
			return d.ours[host] == "" && strings.HasPrefix(d.ours[path], "/"+d.got[host])
		},
	},
	{
		"whatwg", path, "reads the first segment as the host if the host is empty", "3.2.2",
		func(d *difference) bool {
			return d.ours[host] == "" && d.ours[path] == "/"+d.got[host]+strings.TrimSuffix(d.got[path], "/")
		},
	},
	{"neturl", path, `reads "//" before an empty host as part of the path`, "3.2", func(d *difference) bool {
		return d.view.Has(uri.Host) && d.ours[host] == "" && d.got[path] == "//"+d.ours[path]
	}},
	{"whatwg", host, "decodes the host", "2.4", reencoded(host)},
	{"whatwg", host, "reads a name that ends in a number as an address", "3.2.2", func(d *difference) bool {
		_, err := netip.ParseAddr(d.got[host])
		return d.view.HostKind() == uri.RegName && err == nil
	}},
	{"whatwg", port, "drops the scheme's default port", "6.2.3", func(d *difference) bool {
		n, _ := d.view.PortNumber()
		defaults := map[string]uint16{"http": 80, "ws": 80, "https": 443, "wss": 443, "ftp": 21}
		return d.got[port] == "" && n == defaults[strings.ToLower(d.ours[scheme])]
	}},
	{"whatwg fasthttp", path, `replaces an empty path with "/"`, "6.2.3", func(d *difference) bool {
		return d.ours[path] == "" && d.got[path] == "/"
	}},
	{"whatwg", path, "removes dot segments", "6.2.2.3", func(d *difference) bool {
		return regexp.MustCompile(`(^|/)(\.|%2[eE]){1,2}(/|$)`).MatchString(d.ours[path])
	}},
	{"whatwg", query, `encodes "'" in a query`, "2.2", reencoded(query)},

	{"regexp", host, "does not split the authority", "3.2", func(d *difference) bool {
		return d.got[host] == d.view.Authority()
	}},
	{"regexp", userinfo, "does not split the authority", "3.2", func(d *difference) bool {
		return d.got[userinfo] == ""
	}},
	{"regexp", port, "does not split the authority", "3.2", func(d *difference) bool {
		return d.got[port] == ""
	}},
}
