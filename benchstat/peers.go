package main

import (
	"bytes"
	"net/url"
	"regexp"

	fredbi "github.com/fredbi/uri"
	whatwg "github.com/nlnwa/whatwg-url/url"
	"github.com/seed-56a50ac9/uri"
	"github.com/valyala/fasthttp"
)

// A library is what does tasks: this one, a peer, or a floor. A task that it has no function for is not in works: nothing
// is put together here that its users would have to write themselves.
type library struct {
	name   string
	module string // or the package of the standard library
	reads  string // what grammar it goes by
	does   string // what it does to valid texts
	floor  bool   // no library, but what none goes below
	works  map[string]work
}

// ours is the first of libraries.
const ours = "uri"

// libraries are in the order in which tables and charts have them.
var libraries = []library{
	{
		name: ours, module: "github.com/seed-56a50ac9/uri", reads: "RFC 3986",
		does:  "finds components, changes nothing",
		works: uriWorks,
	},
	{
		name: "neturl", module: "net/url", reads: "RFC 3986, loosely",
		does: "decodes userinfo, host, path and fragment, and keeps a hint of the path as it was; rejects escapes of ASCII in a host",
		works: map[string]work{
			"Parse":      onTexts(parser(url.Parse)),
			"Components": onTexts(netURLComponents),
			"Params":     onTexts(netURLParams),
			"Resolve":    onTexts(netURLResolve),
			"Build":      onElements(netURLBuild),
			"Decode":     onTexts(netURLDecode),
		},
	},
	{
		name: "fasthttp", module: "github.com/valyala/fasthttp", reads: "http URLs and request targets",
		does: "decodes and rewrites the path, lower-cases the host; takes what has no \"//\" for a path, puts http before it",
		works: map[string]work{
			"Parse":      onLines(fasthttpParse),
			"Components": onLines(fasthttpComponents),
			"Params":     onLines(fasthttpParams),
			"Resolve":    onLines(fasthttpResolve),
			"Normalize":  onLines(fasthttpNormalize),
			"Build":      onElements(fasthttpBuild),
			"Decode":     onLines(fasthttpDecode),
		},
	},
	{
		name: "fredbi", module: "github.com/fredbi/uri", reads: "RFC 3986, and DNS names for many schemes",
		does: "finds components; rejects most IPv4addresses, hosts that are no DNS names, schemes of one letter, relative references with a \":\" or that begin with \"?\" or \"#\"",
		works: map[string]work{
			"Parse":      onTexts(parser(fredbi.ParseReference)),
			"Components": onTexts(fredbiComponents),
			"Validate":   onTexts(fredbiValidate),
			"Params":     onTexts(fredbiParams),
		},
	},
	{
		name: "whatwg", module: "github.com/nlnwa/whatwg-url", reads: "the WHATWG's URL Standard",
		does: "normalizes: lower-cases, removes dot segments and default ports, rewrites addresses; relative references need a base",
		works: map[string]work{
			"Parse":      onTexts(parser(whatwg.Parse)),
			"Components": onTexts(whatwgComponents),
			"Params":     onTexts(whatwgParams),
			"Resolve":    onTexts(whatwgResolve),
			"Normalize":  onTexts(whatwgNormalize),
		},
	},
	{
		name: "regexp", module: "regexp", reads: "RFC 3986 Appendix B",
		does: "finds components, does not divide the authority",
		works: map[string]work{
			"Parse": onLines(regexpParse),
		},
	},
	{
		name: "copy", floor: true,
		works: map[string]work{"Parse": onLines(copyLine)},
	},
	{
		name: "indexbyte", floor: true,
		works: map[string]work{"Parse": onLines(indexLine)},
	},
}

// parser is the task Parse where a function returns something or an error.
func parser[T any](parse func(string) (T, error)) func() func(string) int {
	return func() func(string) int {
		return func(text string) int {
			if _, err := parse(text); err != nil {
				return 0
			}
			return 1
		}
	}
}

var uriWorks = map[string]work{
	"Parse": onLines(func() func([]byte) int {
		v := new(uri.View)
		return func(line []byte) int {
			if v.Scan(uri.Reference, line) != nil {
				return 0
			}
			return 1
		}
	}),
	"Components": onLines(func() func([]byte) int {
		v := new(uri.View)
		return func(line []byte) int {
			if v.Scan(uri.Reference, line) != nil {
				return 0
			}
			return len(v.Scheme()) + len(v.Userinfo()) + len(v.Host()) + len(v.Port()) +
				len(v.Path()) + len(v.Query()) + len(v.Fragment())
		}
	}),
	"Validate": onLines(func() func([]byte) int {
		return func(line []byte) int {
			if !uri.Valid(uri.Reference, line) {
				return 0
			}
			return 1
		}
	}),
	"Params": onLines(func() func([]byte) int {
		v, dst := new(uri.View), make([]byte, 0, 1<<12)
		return func(line []byte) (n int) {
			if v.Scan(uri.Reference, line) != nil {
				return 0
			}
			for p := range v.Params() {
				key, err := uri.AppendFormDecode(dst, p.Key)
				if err != nil {
					continue
				}
				value, err := uri.AppendFormDecode(key, p.Value)
				if err != nil {
					continue
				}
				n += len(value) // the key, too
			}
			return n
		}
	}),
	"Resolve": onLines(func() func([]byte) int {
		b, err := uri.Parse([]byte(base))
		if err != nil {
			panic(err)
		}
		v, dst := new(uri.View), make([]byte, 0, 1<<12)
		return func(line []byte) int {
			if v.Scan(uri.Reference, line) != nil {
				return 0
			}
			dst, err := uri.AppendResolved(dst, &b, v, 0)
			if err != nil {
				return 0
			}
			return len(dst)
		}
	}),
	"Normalize": onLines(func() func([]byte) int {
		v, dst := new(uri.View), make([]byte, 0, 1<<12)
		return func(line []byte) int {
			if v.Scan(uri.Reference, line) != nil {
				return 0
			}
			return len(v.AppendNormalized(dst, uri.SchemeBased))
		}
	}),
	"Build": onElements(func() func(elements) int {
		dst := make([]byte, 0, 1<<12)
		return func(e elements) int {
			b := uri.Builder{
				Scheme: uri.Raw(e.scheme), Host: uri.Raw(e.host), Port: uri.Raw(e.port),
				PathText: uri.Data(e.path), Query: uri.Raw(e.query),
			}
			dst, err := b.Append(dst)
			if err != nil {
				return 0
			}
			return len(dst)
		}
	}),
	"Decode": onLines(func() func([]byte) int {
		dst := make([]byte, 0, 1<<12)
		return func(line []byte) int {
			dst, err := uri.AppendDecode(dst, line)
			if err != nil {
				return 0
			}
			return len(dst)
		}
	}),
}

func netURLComponents() func(string) int {
	return func(text string) int {
		u, err := url.Parse(text)
		if err != nil {
			return 0
		}
		n := len(u.Scheme) + len(u.Hostname()) + len(u.Port()) + len(u.Opaque) + len(u.Path) + len(u.RawQuery) + len(u.Fragment)
		if u.User != nil {
			password, _ := u.User.Password()
			n += len(u.User.Username()) + len(password)
		}
		return n
	}
}

func netURLParams() func(string) int {
	return func(text string) (n int) {
		u, err := url.Parse(text)
		if err != nil {
			return 0
		}
		return valuesLen(u.Query())
	}
}

func valuesLen(values url.Values) (n int) {
	for key, all := range values {
		for _, value := range all {
			n += len(key) + len(value)
		}
	}
	return n
}

func netURLResolve() func(string) int {
	b, err := url.Parse(base)
	if err != nil {
		panic(err)
	}
	return func(text string) int {
		u, err := url.Parse(text)
		if err != nil {
			return 0
		}
		return len(b.ResolveReference(u).String())
	}
}

func netURLBuild() func(elements) int {
	return func(e elements) int {
		u := url.URL{Scheme: e.scheme, Host: e.host, Path: e.path, RawQuery: e.query}
		if e.port != "" {
			u.Host += ":" + e.port
		}
		return len(u.String())
	}
}

func netURLDecode() func(string) int {
	return func(text string) int {
		out, err := url.PathUnescape(text)
		if err != nil {
			return 0
		}
		return len(out)
	}
}

func fasthttpParse() func([]byte) int {
	u := new(fasthttp.URI)
	return func(line []byte) int {
		if u.Parse(nil, line) != nil {
			return 0
		}
		return 1
	}
}

func fasthttpComponents() func([]byte) int {
	u := new(fasthttp.URI)
	return func(line []byte) int {
		if u.Parse(nil, line) != nil {
			return 0
		}
		return len(u.Scheme()) + len(u.Username()) + len(u.Password()) + len(u.Host()) + len(u.PathOriginal()) +
			len(u.QueryString()) + len(u.Hash())
	}
}

func fasthttpParams() func([]byte) int {
	u := new(fasthttp.URI)
	return func(line []byte) (n int) {
		if u.Parse(nil, line) != nil {
			return 0
		}
		for key, value := range u.QueryArgs().All() {
			n += len(key) + len(value)
		}
		return n
	}
}

func fasthttpResolve() func([]byte) int {
	b, u := new(fasthttp.URI), new(fasthttp.URI)
	if err := b.Parse(nil, []byte(base)); err != nil {
		panic(err)
	}
	return func(line []byte) int {
		b.CopyTo(u)
		u.UpdateBytes(line)
		return len(u.FullURI())
	}
}

func fasthttpNormalize() func([]byte) int {
	u := new(fasthttp.URI)
	return func(line []byte) int {
		if u.Parse(nil, line) != nil {
			return 0
		}
		return len(u.FullURI())
	}
}

func fasthttpBuild() func(elements) int {
	u := new(fasthttp.URI)
	var host []byte
	return func(e elements) int {
		u.Reset()
		u.SetScheme(e.scheme)
		host = append(host[:0], e.host...)
		if e.port != "" {
			host = append(append(host, ':'), e.port...)
		}
		u.SetHostBytes(host)
		u.SetPath(e.path)
		u.SetQueryString(e.query)
		return len(u.FullURI())
	}
}

func fasthttpDecode() func([]byte) int {
	var dst []byte
	return func(line []byte) int {
		dst = fasthttp.AppendUnquotedArg(dst[:0], line)
		return len(dst)
	}
}

func fredbiComponents() func(string) int {
	return func(text string) int {
		u, err := fredbi.ParseReference(text)
		if err != nil {
			return 0
		}
		a := u.Authority()
		return len(u.Scheme()) + len(a.UserInfo()) + len(a.Host()) + len(a.Port()) + len(a.Path()) + len(u.Query()) + len(u.Fragment())
	}
}

func fredbiValidate() func(string) int {
	return func(text string) int {
		if !fredbi.IsURIReference(text) {
			return 0
		}
		return 1
	}
}

func fredbiParams() func(string) int {
	return func(text string) int {
		u, err := fredbi.ParseReference(text)
		if err != nil {
			return 0
		}
		return valuesLen(u.Query())
	}
}

func whatwgComponents() func(string) int {
	return func(text string) int {
		u, err := whatwg.Parse(text)
		if err != nil {
			return 0
		}
		return len(u.Scheme()) + len(u.Username()) + len(u.Password()) + len(u.Hostname()) + len(u.Port()) +
			len(u.Pathname()) + len(u.Query()) + len(u.Fragment())
	}
}

func whatwgParams() func(string) int {
	return func(text string) (n int) {
		u, err := whatwg.Parse(text)
		if err != nil {
			return 0
		}
		u.SearchParams().Iterate(func(p *whatwg.NameValuePair) { n += len(p.Name) + len(p.Value) })
		return n
	}
}

func whatwgResolve() func(string) int {
	b, err := whatwg.Parse(base)
	if err != nil {
		panic(err)
	}
	return func(text string) int {
		u, err := b.Parse(text)
		if err != nil {
			return 0
		}
		return len(u.Href(false))
	}
}

func whatwgNormalize() func(string) int {
	return func(text string) int {
		u, err := whatwg.Parse(text)
		if err != nil {
			return 0
		}
		return len(u.Href(false))
	}
}

// appendixB is the regular expression of RFC 3986 Appendix B.
var appendixB = regexp.MustCompile(`^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?`)

func regexpParse() func([]byte) int {
	return func(line []byte) int { return len(appendixB.FindSubmatchIndex(line)) }
}

func copyLine() func([]byte) int {
	buffer := make([]byte, 1<<16)
	return func(line []byte) int { return copy(buffer, line) }
}

func indexLine() func([]byte) int {
	return func(line []byte) int { return bytes.IndexByte(line, 0) }
}
