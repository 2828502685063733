package main

import "net/url"

var netURLWorks = map[string]work{
	"Parse":      onTexts(parser(url.Parse)),
	"Components": onTexts(netURLComponents),
	"Params":     onTexts(netURLParams),
	"Resolve":    onTexts(netURLResolve),
	"Build":      onElements(netURLBuild),
	"Decode":     onTexts(netURLDecode),
}

func netURLComponents() func(string) int {
	return func(text string) int {
		u, err := url.Parse(text)
		if err != nil {
			return 0
		}
		n := len(u.Scheme) + len(u.Hostname()) + len(u.Port()) +
			len(u.Opaque) + len(u.Path) + len(u.RawQuery) + len(u.Fragment)
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
