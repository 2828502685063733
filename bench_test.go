package uri

import (
	"bytes"
	"fmt"
	"math"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every benchmark goes through a whole set of lines per iteration, so that the branch predictor cannot learn
// a single line, and reports ns/uri beside the usual figures. On a shared machine a time means little by
// itself: compare it with BenchmarkFloor in the same run. Names are key=value pairs, for benchstat to pivot
// on:
//
//	go test -run '^$' -bench . -cpu 1 -count 10 . | tee new.txt
//	benchstat -col /impl -filter .name:Scan new.txt
//
// The environment variable URI_CORPUS names a folder with more sets: *.txt files with one URI per line. The
// bundled set has only a few hundred lines, which a branch predictor can learn, so take figures for
// publication from larger sets.

// A corpus is a set of lines, including invalid ones.
type corpus struct {
	name  string
	lines [][]byte
}

// corpora returns the bundled set and the sets in the folder that URI_CORPUS names.
func corpora(b testing.TB) []corpus {
	all := []corpus{{"bundled", readLines(b, "testdata/uris.txt")}}
	if dir := os.Getenv("URI_CORPUS"); dir != "" {
		files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
		if err != nil || len(files) == 0 {
			b.Fatalf("URI_CORPUS: no *.txt in %q", dir)
		}
		for _, file := range files {
			all = append(all, corpus{strings.TrimSuffix(filepath.Base(file), ".txt"), readLines(b, file)})
		}
	}
	return all
}

// readLines returns the lines of a file without line ends, empty lines and a leading byte order mark.
func readLines(b testing.TB, file string) (lines [][]byte) {
	data, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	for line := range bytes.SplitSeq(bytes.TrimPrefix(data, []byte("\uFEFF")), []byte("\n")) {
		if line = bytes.TrimSuffix(line, []byte("\r")); len(line) > 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

// targets returns what a client would send to fetch the http and https URIs among the lines: the
// origin-forms, and the Host fields if there is no userinfo.
func targets(lines [][]byte) (origins, hosts [][]byte) {
	var v View
	for _, line := range lines {
		if v.Scan(URI, line) != nil || !strings.EqualFold(strings.TrimRight(string(v.Scheme()), "sS"), "http") {
			continue
		}
		start, end := v.Span(Path)
		if v.Has(Query) {
			_, end = v.Span(Query)
		}
		if origin := line[start:end]; len(v.Path()) > 0 {
			origins = append(origins, origin)
		} else {
			origins = append(origins, append([]byte("/"), origin...)) // RFC 9112 section 3.2.1
		}
		if !v.Has(Userinfo) {
			hosts = append(hosts, v.Authority())
		}
	}
	return origins, hosts
}

var sink int // keeps the compiler from dropping what benchmarks compute

// measure calls fn for every line.
func measure[T Text](b *testing.B, lines []T, fn func(line T) int) {
	total := 0
	for _, line := range lines {
		total += len(line)
	}
	b.SetBytes(int64(total))
	b.ReportAllocs()
	sum := 0
	for b.Loop() {
		for _, line := range lines {
			sum += fn(line)
		}
	}
	sink += sum
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(lines)), "ns/uri")
}

// scanLine returns a function that scans each line into the same View, valid or not.
func scanLine(form Form) func(line []byte) int {
	v := new(View)
	return func(line []byte) int {
		if v.Scan(form, line) != nil {
			return 1
		}
		return 0
	}
}

func BenchmarkScan(b *testing.B) {
	for _, c := range corpora(b) {
		origins, hosts := targets(c.lines)
		for _, f := range []struct {
			name  string
			form  Form
			lines [][]byte
		}{
			{"reference", Reference, c.lines},
			{"origin", OriginForm, origins},
			{"host", HostField, hosts},
		} {
			if len(f.lines) == 0 {
				continue
			}
			for _, level := range levels {
				b.Run(fmt.Sprintf("corpus=%s/form=%s/impl=%s", c.name, f.name, level.name), func(b *testing.B) {
					level.use()
					measure(b, f.lines, scanLine(f.form))
				})
			}
		}
	}
}

// BenchmarkLines scans the lines of a block that contains all of them: with Lines, and with a search for the
// end of each.
func BenchmarkLines(b *testing.B) {
	for _, c := range corpora(b) {
		block := append(bytes.Join(c.lines, []byte("\n")), '\n')
		var l Lines
		var v View
		for _, with := range []struct {
			name string
			scan func() int
		}{
			{"Lines", func() (sum int) {
				for v, err := range l.Scan(Reference, block, true) {
					if err == nil {
						sum += len(v.Path())
					}
				}
				return sum
			}},
			{"IndexByte", func() (sum int) {
				for rest := block; ; {
					i := bytes.IndexByte(rest, '\n')
					if i < 0 {
						return sum
					}
					if v.Scan(Reference, rest[:i]) == nil {
						sum += len(v.Path())
					}
					rest = rest[i+1:]
				}
			}},
		} {
			for _, level := range levels {
				name := fmt.Sprintf("corpus=%s/with=%s/impl=%s", c.name, with.name, level.name)
				b.Run(name, func(b *testing.B) {
					level.use()
					b.SetBytes(int64(len(block)))
					b.ReportAllocs()
					for b.Loop() {
						sink += with.scan()
					}
					perBlock := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
					b.ReportMetric(perBlock/float64(len(c.lines)), "ns/uri")
				})
			}
		}
	}
}

// BenchmarkFind finds the URIs in running text. The environment variable URI_TEXT names another text.
func BenchmarkFind(b *testing.B) {
	line := `192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET /blog/ HTTP/1.1" 200 5316 ` +
		`"http://example.com/?q=a+b" "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)"` + "\n"
	s := []byte(strings.Repeat(line, 1000))
	if file := os.Getenv("URI_TEXT"); file != "" {
		var err error
		if s, err = os.ReadFile(file); err != nil {
			b.Fatal(err)
		}
	}
	for _, schemes := range [][]string{nil, {"http", "https"}} {
		for _, level := range levels {
			b.Run(fmt.Sprintf("schemes=%v/impl=%s", schemes, level.name), func(b *testing.B) {
				level.use()
				b.SetBytes(int64(len(s)))
				b.ReportAllocs()
				for b.Loop() {
					for at := range Find(URI, s, schemes...) {
						sink += at
					}
				}
			})
		}
	}
}

// BenchmarkFloor measures what no scanner can beat: copying each line, for scanners that read blocks, and
// adding up its bytes, for scanners that read bytes.
func BenchmarkFloor(b *testing.B) {
	for _, c := range corpora(b) {
		b.Run(fmt.Sprintf("corpus=%s/floor=copy", c.name), func(b *testing.B) {
			buf := new([4096]byte)
			measure(b, c.lines, func(line []byte) int { return copy(buf[:], line) })
		})
		b.Run(fmt.Sprintf("corpus=%s/floor=sum", c.name), func(b *testing.B) {
			measure(b, c.lines, byteSum)
		})
	}
}

// byteSum adds up the bytes of the line. Inlined, the speed of its loop would depend on the code around it.
//
//go:noinline
func byteSum(line []byte) (sum int) {
	for _, c := range line {
		sum += int(c)
	}
	return sum
}

// BenchmarkNetURL runs net/url on the same lines, converted to strings beforehand.
func BenchmarkNetURL(b *testing.B) {
	for _, c := range corpora(b) {
		b.Run("corpus="+c.name, func(b *testing.B) {
			lines := make([]string, len(c.lines))
			for i, line := range c.lines {
				lines[i] = string(line)
			}
			measure(b, lines, func(line string) int {
				u, err := url.Parse(line)
				if err != nil {
					return 1
				}
				return len(u.Path)
			})
		})
	}
}

// BenchmarkComponents scans each line and reads all components.
func BenchmarkComponents(b *testing.B) {
	for _, c := range corpora(b) {
		b.Run("corpus="+c.name, func(b *testing.B) {
			v := new(View)
			measure(b, c.lines, func(line []byte) int {
				if v.Scan(Reference, line) != nil {
					return v.ErrorOffset()
				}
				n := len(v.Scheme()) + len(v.Authority()) + len(v.Userinfo()) + len(v.User()) + len(v.Password()) +
					len(v.Host()) + len(v.Port()) + len(v.Path()) + len(v.Query()) + len(v.Fragment())
				for segment := range v.Segments() {
					n += len(segment)
				}
				return n
			})
		})
	}
}

// BenchmarkScanPrefix finds the end of a URI in running text, here a line of an access log.
func BenchmarkScanPrefix(b *testing.B) {
	const rest = ` HTTP/1.1" 200 5316 "-" "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)"`
	for _, c := range corpora(b) {
		b.Run("corpus="+c.name, func(b *testing.B) {
			texts := make([][]byte, len(c.lines))
			for i, line := range c.lines {
				texts[i] = append(bytes.Clone(line), rest...)
			}
			v := new(View)
			measure(b, texts, func(text []byte) int {
				n, _ := v.ScanPrefix(Reference, text)
				return n
			})
		})
	}
}

// BenchmarkInvalid scans invalid lines and finds the faults.
func BenchmarkInvalid(b *testing.B) {
	lines := readLines(b, "testdata/invalid.txt")
	v := new(View)
	measure(b, lines, func(line []byte) int {
		if v.Scan(Reference, line) == nil {
			b.Fatalf("valid: %q", line)
		}
		return v.ErrorOffset()
	})
}

// BenchmarkBuild writes URIs to a buffer that is large enough.
func BenchmarkBuild(b *testing.B) {
	for _, c := range []struct {
		name string
		Builder
		want string
	}{
		{"web", Builder{
			Scheme: Data("https"), Host: Data("www.example.com"),
			Path:  []Part{Data(""), Data("articles"), Data("2026"), Data("offsets.html")},
			Query: Data("page=2&sort=date"), Fragment: Data("comments"),
		}, "https://www.example.com/articles/2026/offsets.html?page=2&sort=date#comments"},
		{"escapes", Builder{
			Scheme: Data("https"), Host: Data("search.example.com"), PathText: Data("/søk/100 %"),
			Query: Data("q=how \"fast\" is it|日本"),
		}, "https://search.example.com/s%C3%B8k/100%20%25?q=how%20%22fast%22%20is%20it%7C%E6%97%A5%E6%9C%AC"},
		{"address", Builder{
			Scheme: Data("http"), Addr: netip.MustParseAddr("2001:db8::7:0:1"), Port: Decimal(8080),
			PathText: Raw("/healthz"),
		}, "http://[2001:db8::7:0:1]:8080/healthz"},
		{"relative", Builder{PathText: Raw("../images/logo.png"), Query: Raw("v=2")}, "../images/logo.png?v=2"},
	} {
		b.Run("case="+c.name, func(b *testing.B) {
			dst := make([]byte, 0, 256)
			measure(b, []string{c.want}, func(want string) int {
				dst, err := c.Append(dst)
				if err != nil || string(dst) != want {
					b.Fatalf("%q, %v", dst, err)
				}
				return len(dst)
			})
		})
	}
	for _, c := range corpora(b) {
		// What a client starts from: the path is decoded, the query is encoded.
		type elements struct{ scheme, host, port, path, query string }
		var all []elements
		for _, line := range c.lines {
			v, err := Parse(string(line))
			if err == nil && v.Scheme() != "" && v.Host() != "" && !v.Has(Userinfo) && v.HostKind() <= IPv4 {
				path := string(AppendDecodeLenient(nil, v.Path()))
				all = append(all, elements{v.Scheme(), v.Host(), v.Port(), path, v.Query()})
			}
		}
		b.Run("case=elements/lib=uri/corpus="+c.name, func(b *testing.B) {
			dst, i := make([]byte, 0, 4096), 0
			measure(b, c.lines[:len(all)], func([]byte) int {
				e := &all[i]
				if i++; i == len(all) {
					i = 0
				}
				builder := Builder{
					Scheme: Raw(e.scheme), Host: Raw(e.host), Port: Raw(e.port),
					PathText: Data(e.path), Query: Raw(e.query),
				}
				dst, err := builder.Append(dst)
				if err != nil {
					b.Fatalf("%q: %v", *e, err)
				}
				return len(dst)
			})
		})
		b.Run("case=elements/lib=net_url/corpus="+c.name, func(b *testing.B) {
			i := 0
			measure(b, c.lines[:len(all)], func([]byte) int {
				e := &all[i]
				if i++; i == len(all) {
					i = 0
				}
				u := url.URL{Scheme: e.scheme, Host: e.host, Path: e.path, RawQuery: e.query}
				if e.port != "" {
					u.Host += ":" + e.port
				}
				return len(u.String())
			})
		})
		b.Run("case=rebuild/corpus="+c.name, func(b *testing.B) {
			v, dst := new(View), make([]byte, 0, 4096)
			measure(b, c.lines, func(line []byte) int {
				if v.Scan(Reference, line) != nil {
					return 0
				}
				builder := v.Builder()
				dst, err := builder.Append(dst)
				if err != nil {
					b.Fatalf("%q: %v", line, err)
				}
				return len(dst)
			})
		})
	}
}

// BenchmarkLong scans long inputs of the kinds that are most work. The metric x/line is the time per byte as
// a multiple of the time per byte of ordinary lines at the same level, those of the largest set.
func BenchmarkLong(b *testing.B) {
	ordinary := slices.MaxFunc(corpora(b), func(x, y corpus) int { return len(x.lines) - len(y.lines) }).lines
	bytesOf := func(lines [][]byte) float64 { return float64(len(bytes.Join(lines, nil))) }
	for _, level := range levels {
		level.use()
		scan := scanLine(Reference)
		perByte := math.Inf(1)
		for range 10 {
			perByte = min(perByte, fastest(func() {
				for _, line := range ordinary {
					sink += scan(line)
				}
			})/bytesOf(ordinary))
		}
		for _, in := range []struct{ name, head, unit, tail string }{
			{"plain", "/", "a", ""},
			{"slash", "/a", "/", ""},
			{"colon", "/", ":", ""},
			{"at", "/", "@", ""},
			{"question", "?", "?", ""},
			{"percent", "/", "%41", ""},
			{"segment", "", "a", ""},
			{"segment-percent", "", "%41", ""},
			{"scheme", "", "a", ":b"},
			{"userinfo", "//", ":", "@h"},
			{"userinfo-percent", "//", "%41", "@h"},
			{"host", "//", "a", "/"},
			{"host-percent", "//", "%41", "/"},
			{"port", "//h:", "1", "/"},
			{"user-port", "//u@h:", "1", "/"},
			{"version", "//[v", "1", ".a]"},
			{"ipvfuture", "//[v1.", ":", "]"},
			{"bad-path", "/", "a", " "},
			{"bad-percent", "/", "%41", "%"},
			{"bad-segment", "", "a", ":"},
			{"bad-scheme", "", "a", "_:b"},
			{"bad-userinfo", "//", ":", " "},
			{"bad-at", "//", ":", "@@"},
			{"bad-host", "//", "%41", "%4"},
			{"bad-port", "//h:", "1", "x"},
			{"bad-version", "//[v", "1", "]"},
			{"bad-ipvfuture", "//[v1.", ":", "]]"},
			{"bad-start", "// ", "a", "@"},
		} {
			for _, n := range []int{1 << 8, 1 << 16} {
				body := strings.Repeat(in.unit, (n-len(in.head)-len(in.tail))/len(in.unit))
				lines := [][]byte{[]byte(in.head + body + in.tail)}
				b.Run(fmt.Sprintf("input=%s/length=%d/impl=%s", in.name, n, level.name), func(b *testing.B) {
					level.use()
					measure(b, lines, scan)
					ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
					b.ReportMetric(ns/bytesOf(lines)/perByte, "x/line")
				})
			}
		}
	}
}

// BenchmarkLength scans plain inputs of one length: short ones, and lengths near the ends of blocks.
func BenchmarkLength(b *testing.B) {
	for _, n := range []int{1, 4, 8, 12, 16, 32, 63, 64, 65, 128, 256, 1024, 1 << 16} {
		line := []byte("/" + strings.Repeat("a", n-1))
		if n > 12 {
			copy(line, "http://host/")
		}
		for _, level := range levels {
			b.Run(fmt.Sprintf("length=%d/impl=%s", n, level.name), func(b *testing.B) {
				level.use()
				measure(b, [][]byte{line}, scanLine(Reference))
			})
		}
	}
}

// BenchmarkOperations scans each line and then does one operation with it. The time of the operation is the
// difference from op=Scan.
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
			{
				"AppendNormalized/steps=SchemeBased",
				func(v *View) int { return len(v.AppendNormalized(buffer, SchemeBased)) },
			},
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
			{"AppendMappedParams", func(v *View) int {
				return len(appendWithoutParams(v, buffer, func(p Param) bool { return p.KeyIs("page") }))
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
			{"AppendRedacted", func(v *View) int { return len(AppendRedacted(buffer, v.Text(), nil)) }},
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

// BenchmarkResolve resolves the references of RFC 3986 section 5.4, parsed beforehand.
func BenchmarkResolve(b *testing.B) {
	const base = "http://a/b/c/d;p?q"
	references := strings.Fields("g:h g ./g g/ /g //g ?y g?y #s g#s g?y#s ;x g;x g;x?y#s . ./ .. ../ ../g " +
		"../.. ../../ ../../g ../../../g ../../../../g /./g /../g g. .g g.. ..g ./../g ./g/. g/./h g/../h " +
		"g;x=1/./y g;x=1/../y g?y/./x g?y/../x g#s/./x g#s/../x http:g")
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
	b.Run("lib=net_url/out=text", func(b *testing.B) { // like AppendResolved
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

// BenchmarkDecode decodes whole lines.
func BenchmarkDecode(b *testing.B) {
	buffer := make([]byte, 0, 1<<16)
	for _, c := range corpora(b) {
		b.Run("corpus="+c.name, func(b *testing.B) {
			measure(b, c.lines, func(line []byte) int {
				out, _ := AppendDecode(buffer, line)
				return len(out)
			})
		})
	}
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
