package uri

import (
	"net/url"
	"strings"
	"testing"
)

// BenchmarkOperations does an operation to each line after it was scanned: what it takes is the difference to op=Scan.
func BenchmarkOperations(b *testing.B) {
	buffer := make([]byte, 0, 1<<16)
	other, _ := Parse("http://other.example/a/b?c")
	for _, c := range corpora(b) {
		var lines [][]byte // the valid ones
		for _, line := range c.lines {
			if Valid(Reference, line) {
				lines = append(lines, line)
			}
		}
		for _, op := range []struct {
			name string
			do   func(v *View) int
		}{
			{"Scan", func(*View) int { return 0 }},
			{"Scan+copy", func(v *View) int { return copy(buffer[:cap(buffer)], v.Text()) }},
			{"IsNormalized", func(v *View) int { return int(v.StepsNeeded(SyntaxBased)) }},
			{"IsNormalized/steps=SchemeBased", func(v *View) int { return int(v.StepsNeeded(SchemeBased)) }},
			{"AppendNormalized", func(v *View) int { return len(v.AppendNormalized(buffer, SyntaxBased)) }},
			{"AppendNormalized/steps=SchemeBased", func(v *View) int { return len(v.AppendNormalized(buffer, SchemeBased)) }},
			{"Equivalent", func(v *View) int {
				if Equivalent(v, &other, SyntaxBased) {
					return 1
				}
				return 0
			}},
			{"Hash", func(v *View) int { return int(v.Hash(1, SyntaxBased)) }},
			{"Traits", func(v *View) int { return int(v.Traits()) }},
			{"Segments", func(v *View) (n int) {
				for segment := range v.Segments() {
					n += len(segment)
				}
				return n
			}},
			{"SegmentsBackward", func(v *View) (n int) {
				for segment := range v.SegmentsBackward() {
					n += len(segment)
				}
				return n
			}},
			{"Extension", func(v *View) int { return len(v.Extension()) }},
			{"Params", func(v *View) (n int) {
				for p := range v.Params() {
					n += len(p.Value)
				}
				return n
			}},
			{"Param", func(v *View) int {
				p, _ := v.Param("page")
				return len(p.Value)
			}},
			{"AppendWithoutParams", func(v *View) int {
				return len(v.AppendWithoutParams(buffer, func(p Param) bool { return p.Is("page") }))
			}},
			{"AppendDecode", func(v *View) int {
				out, _ := AppendDecode(buffer, v.Path())
				return len(out)
			}},
			{"AppendRemoveDotSegments", func(v *View) int { return len(AppendRemoveDotSegments(buffer, v.Path())) }},
			{"AppendResolved", func(v *View) int {
				out, _ := AppendResolved(buffer, &other, v, 0)
				return len(out)
			}},
			{"AppendRelative", func(v *View) int {
				out, _ := AppendRelative(buffer, &other, v)
				return len(out)
			}},
			{"AppendRedacted", func(v *View) int { return len(v.AppendRedacted(buffer, nil)) }},
		} {
			b.Run("corpus="+c.name+"/op="+op.name, func(b *testing.B) {
				v := new(View)
				measure(b, lines, func(line []byte) int {
					if v.Scan(Reference, line) != nil {
						return 0
					}
					return op.do(v)
				})
			})
		}
	}
}

// BenchmarkResolve resolves the references of RFC 3986 section 5.4, all parsed beforehand.
func BenchmarkResolve(b *testing.B) {
	const base = "http://a/b/c/d;p?q"
	references := strings.Fields("g:h g ./g g/ /g //g ?y g?y #s g#s g?y#s ;x g;x g;x?y#s . ./ .. ../ ../g ../.. ../../ ../../g " +
		"../../../g ../../../../g /./g /../g g. .g g.. ..g ./../g ./g/. g/./h g/../h g;x=1/./y g;x=1/../y g?y/./x g?y/../x g#s/./x g#s/../x http:g")
	perReference := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(references)), "ns/uri")
	}
	b.Run("lib=uri", func(b *testing.B) {
		b.ReportAllocs()
		buffer := make([]byte, 0, 1024)
		v, _ := Parse(base)
		views := make([]StringView, len(references))
		for i, ref := range references {
			views[i], _ = Parse(ref)
		}
		for b.Loop() {
			for i := range views {
				out, _ := AppendResolved(buffer, &v, &views[i], 0)
				sink += len(out)
			}
		}
		perReference(b)
	})
	b.Run("lib=net_url", func(b *testing.B) {
		b.ReportAllocs()
		u, _ := url.Parse(base)
		urls := make([]*url.URL, len(references))
		for i, ref := range references {
			urls[i], _ = url.Parse(ref)
		}
		for b.Loop() {
			for _, ref := range urls {
				sink += len(u.ResolveReference(ref).Path)
			}
		}
		perReference(b)
	})
	b.Run("lib=net_url/out=text", func(b *testing.B) { // as AppendResolved gives it
		b.ReportAllocs()
		u, _ := url.Parse(base)
		urls := make([]*url.URL, len(references))
		for i, ref := range references {
			urls[i], _ = url.Parse(ref)
		}
		for b.Loop() {
			for _, ref := range urls {
				sink += len(u.ResolveReference(ref).String())
			}
		}
		perReference(b)
	})
}

// BenchmarkPercent encodes and decodes 1 KiB, plain or with escapes.
func BenchmarkPercent(b *testing.B) {
	plain := strings.Repeat("abcdefgh", 128)
	mixed := strings.Repeat("abc/ä d%", 114)[:1024]
	buffer := make([]byte, 0, 1<<12)
	for _, in := range []struct{ name, text string }{{"plain", plain}, {"mixed", mixed}} {
		encoded := []string{string(AppendEncode(nil, in.text, Pchar()))}
		lines := []string{in.text}
		b.Run("in="+in.name+"/op=copy", func(b *testing.B) {
			measure(b, lines, func(s string) int { return copy(buffer[:cap(buffer)], s) })
		})
		b.Run("in="+in.name+"/op=AppendEncode/lib=uri", func(b *testing.B) {
			measure(b, lines, func(s string) int { return len(AppendEncode(buffer, s, Pchar())) })
		})
		b.Run("in="+in.name+"/op=AppendFormEncode/lib=uri", func(b *testing.B) {
			measure(b, lines, func(s string) int { return len(AppendFormEncode(buffer, s)) })
		})
		b.Run("in="+in.name+"/op=AppendEncode/lib=net_url", func(b *testing.B) {
			measure(b, lines, func(s string) int { return len(url.PathEscape(s)) })
		})
		b.Run("in="+in.name+"/op=AppendDecode/lib=uri", func(b *testing.B) {
			measure(b, encoded, func(s string) int {
				out, _ := AppendDecode(buffer, s)
				return len(out)
			})
		})
		b.Run("in="+in.name+"/op=AppendDecode/lib=net_url", func(b *testing.B) {
			measure(b, encoded, func(s string) int {
				out, _ := url.PathUnescape(s)
				return len(out)
			})
		})
		b.Run("in="+in.name+"/op=EqualDecoded/lib=uri", func(b *testing.B) {
			measure(b, encoded, func(s string) int {
				if EqualDecoded(s, in.text) {
					return 1
				}
				return 0
			})
		})
	}
}
