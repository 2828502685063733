package main

import "github.com/valyala/fasthttp"

var fasthttpWorks = map[string]work{
	"Parse":      onLines(fasthttpParse),
	"Components": onLines(fasthttpComponents),
	"Params":     onLines(fasthttpParams),
	"Resolve":    onLines(fasthttpResolve),
	"Normalize":  onLines(fasthttpNormalize),
	"Build":      onElements(fasthttpBuild),
	"Decode":     onLines(fasthttpDecode),
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
