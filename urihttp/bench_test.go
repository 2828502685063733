package urihttp

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"strings"
	"testing"
)

// ordinary are targets that need no change.
var ordinary = []string{
	"/",
	"/presentations/logstash-monitorama-2013/images/kibana-search.png",
	"/blog/geekery/disabling-battery-in-ubuntu-vms.html?utm_source=feedburner&utm_medium=feed",
	"/files/logstash/?C=M;O=A",
	"/wiki/Universit%C3%A4t%20Z%C3%BCrich?q=a%2Db",
}

// discard is a ResponseWriter that keeps nothing.
type discard struct{ header http.Header }

func (d discard) Header() http.Header       { return d.header }
func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) WriteHeader(int)             {}

// requests returns a request for each target, as a server makes it.
func requests(targets []string) (all []*http.Request) {
	for _, target := range targets {
		r := httptest.NewRequest(http.MethodGet, target, nil)
		r.Host = "example.com"
		all = append(all, r)
	}
	return all
}

// withNetURL is what a careful author writes with net/url and path for about the rules of Strict. Unlike
// Strict it cannot see what net/url has already repaired.
func withNetURL(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		target := r.RequestURI
		u, err := url.ParseRequestURI(target)
		if err != nil {
			http.Error(w, "", http.StatusBadRequest)
			return
		}
		escaped := strings.ToLower(u.EscapedPath())
		for _, bad := range []string{"%2f", "%5c", "%25", "%00", "%3b", "%3f", "%23", ";", "//", `\`} {
			if strings.Contains(escaped, bad) {
				http.Error(w, "", http.StatusBadRequest)
				return
			}
		}
		if clean := path.Clean(u.Path); clean != u.Path && clean+"/" != u.Path {
			http.Error(w, "", http.StatusBadRequest)
			return
		}
		for segment := range strings.SplitSeq(u.Path, "/") {
			if strings.HasSuffix(segment, ".") || strings.HasSuffix(segment, " ") {
				http.Error(w, "", http.StatusBadRequest)
				return
			}
		}
		if h, err := url.Parse("//" + r.Host); err != nil || h.Host != r.Host {
			http.Error(w, "", http.StatusBadRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// BenchmarkHandler is the time that a policy adds to a request. It must not allocate.
func BenchmarkHandler(b *testing.B) {
	next := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	for _, bench := range []struct {
		name    string
		handler http.Handler
	}{
		{"none", next},
		{"strict", Strict().Handler(next)},
		{"envoy", Envoy().Handler(next)},
		{"neturl", withNetURL(next)},
	} {
		b.Run("policy="+bench.name, func(b *testing.B) {
			all := requests(ordinary)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				bench.handler.ServeHTTP(discard{}, all[i%len(all)])
			}
		})
	}
}
