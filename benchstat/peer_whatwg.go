package main

import whatwg "github.com/nlnwa/whatwg-url/url"

var whatwgWorks = map[string]work{
	"Parse":      onTexts(parser(whatwg.Parse)),
	"Components": onTexts(whatwgComponents),
	"Params":     onTexts(whatwgParams),
	"Resolve":    onTexts(whatwgResolve),
	"Normalize":  onTexts(whatwgNormalize),
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
