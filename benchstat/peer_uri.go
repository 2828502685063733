package main

import "github.com/seed-56a50ac9/uri"

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
				n += len(value) // with the key
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
