package urihttp

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri"
	"github.com/seed-56a50ac9/uri/internal/attacks"
)

// policyOf makes a policy of bits.
func policyOf(bits uint16) Policy {
	return Policy{
		LenientQuery:   bits&1 != 0,
		NormalizePath:  bits&2 != 0,
		MergeSlashes:   bits&4 != 0,
		CheckHost:      bits&8 != 0,
		UTF8Path:       bits&16 != 0,
		EscapedSlashes: Action(bits >> 5 & 3),
		PathParams:     Action(bits >> 7 & 3),
		RefuseTraits: []uri.Trait{
			0, uri.Ambiguous, uri.HasEncodedNUL, uri.HasDoubleSlash | uri.HasEscape,
			uri.Ambiguous &^ uri.HasEncodedSlash, uri.HasEncodedDotSegment, uri.HasPathParam, uri.AmbiguousHost,
		}[bits>>9&7],
	}
}

var methods = []string{"GET", "CONNECT", "OPTIONS"}

// FuzzDecide compares decide with its slow twin, for bytes and for strings, and requires that a second
// policy of the same kind has nothing left to do.
func FuzzDecide(f *testing.F) {
	for i, a := range attacks.All {
		f.Add(uint16(i*40503), uint8(0), a.Target, a.Host)
	}
	for i, target := range append([]string{
		"*", "h:443", "h:", "/a?x=%zz", "/a?b c", "/a?\x7f", "http://h:80", "http://H?\xff",
	}, ordinary...) {
		f.Add(uint16(i*40503), uint8(i), target, "h")
		f.Add(uint16(1), uint8(i), target, "h:80")
	}
	f.Fuzz(func(t *testing.T, bits uint16, method uint8, target, host string) {
		p := policyOf(bits)
		m := methods[int(method)%len(methods)]
		out, action, err := p.AppendTarget([]byte("x"), []byte(m), []byte(target), []byte(host))
		require.Equal(t, "x", string(out[:1]))
		want, wantAction := slowDecide(&p, m, target, host)
		require.Equal(t, wantAction, action, "%+v: %s %q: %v", p, m, target, err)
		require.Equal(t, want, string(out[1:]), "%+v: %s %q", p, m, target)
		require.Equal(t, action == Refuse, err != nil)

		var v uri.StringView
		again, actionOfString, why := decide(&p, nil, &v, m, target, host)
		require.Equal(t, action, actionOfString)
		if action == Refuse {
			require.Equal(t, why, err)
			return
		}
		if action >= Rewrite {
			require.Equal(t, want, string(again))
		}
		if action == Redirect {
			require.Regexp(t, `^/([^/]|$)`, want)
		}
		if p.CheckHost && action != Redirect {
			require.NoError(t, uri.CheckTarget(m, out[1:], host))
		}
		_, action, err = p.AppendTarget(nil, []byte(m), out[1:], []byte(host))
		require.NoError(t, err)
		require.Equal(t, Keep, action, "%+v: %q", p, out)
	})
}

// readRequest returns the request that a server makes of a request line and a Host field, or nil if net/http
// refuses it or reads another target.
func readRequest(method, target, host string) *http.Request {
	text := method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n"
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
	if err != nil || r.RequestURI != target {
		return nil
	}
	return r
}

// FuzzDecideRequest compares Decide with the slow twin, and the request that it returns with the one that
// net/http makes of the changed target. Then it changes the URL of the request as another handler would.
func FuzzDecideRequest(f *testing.F) {
	for i, a := range attacks.All {
		f.Add(uint16(i*40503), uint8(0), a.Target, a.Host, "/a")
	}
	for i, target := range append([]string{
		"*", "h:443", "/a?x=%zz", "/a?", "http://h:80", "http://H/a%2fb;c?d", "/a%2Fb?c=%", "/./%41", "/a",
	}, ordinary...) {
		f.Add(uint16(i*40503), uint8(i), target, "h", "/b")
		f.Add(uint16(0x67), uint8(i), target, "h", "/x/../a")
		f.Add(uint16(6), uint8(0), target, "h", "//a")
	}
	f.Fuzz(func(t *testing.T, bits uint16, method uint8, target, host, path string) {
		p := policyOf(bits)
		m := methods[int(method)%len(methods)]
		r := readRequest(m, target, host)
		if r == nil {
			return
		}
		before, u := *r, *r.URL
		want, wantAction := slowDecide(&p, m, target, r.Host)
		next, action, err := p.Decide(r)
		require.Equal(t, before, *r)
		require.Equal(t, u, *r.URL)
		require.Equal(t, wantAction, action, "%+v: %q: %v", p, target, err)
		switch action {
		case Refuse:
			require.Nil(t, next)
			require.IsType(t, Refusal{}, err)
		case Keep:
			require.Same(t, r, next)
		default:
			require.Equal(t, want, next.RequestURI)
			if again := readRequest(m, want, r.Host); again != nil && action == Rewrite {
				require.Equal(t, again.URL, next.URL)
			}
		}

		r.URL.Path, r.URL.RawPath = path, ""
		switch next, action, _ = p.Decide(r); action {
		case Keep, Rewrite:
			_, action = slowDecide(&p, m, next.RequestURI, r.Host)
			require.Equal(t, Keep, action, "%+v: %q with path %q", p, next.RequestURI, path)
			if strings.HasPrefix(next.RequestURI, "/") {
				require.Equal(t, next.RequestURI, next.URL.RequestURI(), "%+v: %q with path %q", p, target, path)
			}
		case Redirect:
			require.Regexp(t, `^/([^/]|$)`, next.RequestURI)
		}
	})
}

// rewrites are what software behind a proxy does to a path, without what a rule has to know of.
var rewrites = []func(string) string{
	attacks.Decodes, attacks.TakesBackslashes, attacks.Merges, attacks.FindsWindows, attacks.StopsAtNUL,
	attacks.StopsAtDelimiter, attacks.DecodesUnicode, attacks.DropsSpace, attacks.DropsParams,
	attacks.DropsAuthority, removesDots,
}

// FuzzStrict requires that what passes Strict has the same path after any chain of rewrites, and that the
// next handler sees nothing else.
func FuzzStrict(f *testing.F) {
	for i, a := range attacks.All {
		f.Add(a.Target, []byte{byte(i), byte(i / 11), 0, 1, 9, 10})
	}
	for _, target := range ordinary {
		f.Add(target, []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 10})
		f.Add("hTtp://H"+target, []byte{0, 10})
	}
	f.Add("hTtp://H", []byte{0})
	f.Add("/%C7%A0", []byte{0, 7})
	f.Fuzz(func(t *testing.T, target string, chain []byte) {
		r := readRequest("GET", target, "example.com")
		if r == nil {
			return
		}
		passed, strict := false, Strict()
		Strict().Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			passed = true
			path, _, _ := strings.Cut(r.RequestURI, "?")
			if !strings.HasPrefix(path, "/") {
				_, path, _ = strings.Cut(path, "://"+r.Host)
			}
			require.Equal(t, path, r.URL.EscapedPath())
			decoded := attacks.Decodes(path)
			require.Equal(t, decoded, r.URL.Path)
			if path == "" {
				return
			}
			for _, i := range chain {
				path = rewrites[int(i)%len(rewrites)](path)
			}
			require.Equal(t, decoded, attacks.Decodes(path), "%q", target)
		})).ServeHTTP(discard{header: http.Header{}}, r)
		want, action := slowDecide(&strict, "GET", target, r.Host)
		require.Equal(t, action != Refuse, passed, "%q", want)
	})
}

// TestStrictShort tries every short path over the bytes that matter.
func TestStrictShort(t *testing.T) {
	alphabet := strings.Fields("/ . ; a %20 %2e %2f %5c %25 %00 %c0 %ae %3b %3f : $")
	p := Strict()
	passed := 0
	var try func(path string, left int)
	try = func(path string, left int) {
		out, action, _ := p.AppendTarget(nil, []byte("GET"), []byte(path), []byte("h"))
		want, wantAction := slowDecide(&p, "GET", path, "h")
		require.Equal(t, wantAction, action, path)
		if action != Refuse {
			passed++
			require.Equal(t, want, string(out))
			for _, rewrite := range rewrites {
				assert.Equal(t, attacks.Decodes(want), attacks.Decodes(rewrite(attacks.Decodes(want))), path)
			}
		}
		if left > 0 {
			for _, s := range alphabet {
				try(path+s, left-1)
			}
		}
	}
	try("/", 3)
	t.Log(passed, "paths pass")
}
