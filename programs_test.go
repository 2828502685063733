package uri_test

import (
	"bufio"
	"fmt"
	"hash/maphash"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"

	"github.com/seed-56a50ac9/uri"
)

// Three small programs: the front of a reverse proxy, a log processor and the frontier of a crawler.

// front passes on what is safe to route by its path, and sends each prefix to a backend of its own.
type front map[string]http.Handler

func (f front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var target, host uri.StringView
	form := uri.RequestForm(r.Method, r.RequestURI)
	if err := target.Scan(form|uri.Lenient, r.RequestURI); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := host.Scan(uri.HostField, r.Host); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if unsafe := (target.Traits() | host.Traits()) & uri.Ambiguous; unsafe != 0 {
		http.Error(w, "ambiguous: "+unsafe.String(), http.StatusBadRequest)
		return
	}
	if form == uri.AbsoluteURI && !uri.HostAgrees(&target, &host) {
		http.Error(w, "target and Host differ", http.StatusBadRequest)
		return
	}
	first, _ := target.Segment(1)
	backend, ok := f[first]
	if !ok {
		http.NotFound(w, r)
		return
	}
	backend.ServeHTTP(w, r)
}

func Example_proxy() {
	f := front{"public": http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request,
	) {
		fmt.Fprint(w, "welcome\n")
	})}
	for _, target := range []string{
		"/public/a", "/admin/x", "/public/../admin/x", "/public%2f..%2fadmin",
		"/public/\\x",
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RequestURI, r.Host = target, "example.com"
		f.ServeHTTP(w, r)
		fmt.Print(target, " ", w.Code, " ", w.Body)
	}
	// Output:
	// /public/a 200 welcome
	// /admin/x 404 404 page not found
	// /public/../admin/x 400 ambiguous: HasDotSegment
	// /public%2f..%2fadmin 400 ambiguous: HasEncodedSlash
	// /public/\x 400 ambiguous: HasBackslash
}

// logLines replaces what a log must not keep, and counts hosts. A line that does not scan is kept, redacted.
func logLines(lines *bufio.Scanner, hosts map[string]int) {
	var v uri.View
	var line, host []byte
	for lines.Scan() {
		if err := v.Scan(uri.Reference|uri.Lenient, lines.Bytes()); err != nil {
			line = uri.AppendRedacted(line[:0], lines.Bytes(), nil)
			fmt.Printf("%s (%v)\n", line, v.Err())
			continue
		}
		host = v.AppendComponent(host[:0], uri.Host, uri.SchemeBased)
		hosts[string(host)]++
		line, _ = v.AppendMappedParams(line[:0], func(p uri.Param) (uri.ParamAction, uri.Part) {
			switch {
			case p.KeyHasPrefix("utm_"):
				return uri.DropParam, uri.Part{}
			case p.KeyIs("session"):
				return uri.ReplaceValue, uri.Data("...")
			}
			return uri.KeepParam, uri.Part{}
		})
		fmt.Printf("%s\n", line)
	}
}

func Example_log() {
	hosts := map[string]int{}
	logLines(bufio.NewScanner(strings.NewReader(`http://example.com/a?utm_source=x&id=1
http://EXAMPLE.com/b?%73ession=abc&utm_medium=y
http://user:secret@example .com/`)), hosts)
	fmt.Println(hosts)
	// Output:
	// http://example.com/a?id=1
	// http://EXAMPLE.com/b?%73ession=...
	// http://REDACTED:REDACTED@example .com/ (uri: invalid host at offset 26)
	// map[example.com:2]
}

// A frontier has the pages that a crawler has still to visit, each once.
type frontier struct {
	seed uint64
	seen map[uint64]bool
	next []string
}

// add resolves the links of a page, and keeps those of the same site that are new.
func (f *frontier) add(page *uri.StringView, links ...string) {
	const steps = uri.SchemeBased | uri.EncodeIllegal | uri.DropFragment | uri.SortParams
	var buffer []byte
	for _, link := range links {
		ref, target := uri.StringView{}, uri.View{}
		if ref.Scan(uri.Reference|uri.Lenient, link) != nil {
			continue
		}
		var err error
		if buffer, err = uri.AppendResolved(buffer[:0], page, &ref, 0); err != nil {
			continue
		}
		if target.Scan(uri.URI|uri.Lenient, buffer) != nil || !target.HostIs(page.Host()) {
			continue
		}
		if !target.SchemeIs("http") && !target.SchemeIs("https") {
			continue
		}
		if hash := target.Hash(f.seed, steps); !f.seen[hash] {
			f.seen[hash] = true
			f.next = append(f.next, string(target.AppendNormalized(nil, steps)))
		}
	}
}

func Example_crawler() {
	f := frontier{seed: maphash.Bytes(maphash.MakeSeed(), nil), seen: map[uint64]bool{}}
	page, err := uri.Parse("http://example.com/docs/index.html")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	f.add(&page, "a", "./a#top", "../docs/%61", "?b=2&a=1", "?a=1&b=2", "//EXAMPLE.com:80/|x",
		"mailto:a@example.com",
		"https://example.net/", "http://[")
	slices.Sort(f.next)
	fmt.Println(strings.Join(f.next, "\n"))
	// Output:
	// http://example.com/%7Cx
	// http://example.com/docs/a
	// http://example.com/docs/index.html?a=1&b=2
}
