package uri_test

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"slices"
	"strings"

	"github.com/seed-56a50ac9/uri"
)

func Example() {
	v, err := uri.Parse("foo://user@example.com:8042/over/there?name=ferret#nose")
	if err != nil {
		fmt.Println(err, "at", v.ErrorOffset())
		return
	}
	fmt.Println(v.Scheme(), v.User(), v.Host(), v.Port(), v.Path(), v.Query(), v.Fragment())
	// Output: foo user example.com 8042 /over/there name=ferret nose
}

// A proxy scans the target and the Host field of a request, refuses the request if other software may read it
// differently, and reconstructs its target URI.
func Example_recipeProxy() {
	proxy := func(dst []byte, method, target, field string) ([]byte, error) {
		var t, h uri.StringView
		form := uri.RequestForm(method, target)
		if err := t.Scan(form, target); err != nil {
			return dst, err
		}
		if err := h.Scan(uri.HostField, field); err != nil {
			return dst, err
		}
		if err := uri.CheckTarget(method, target, field); err != nil {
			return dst, err
		}
		if found := (t.Traits() | h.Traits()) & uri.Ambiguous; found != 0 {
			return dst, fmt.Errorf("ambiguous: %v", found)
		}
		return uri.AppendTargetURI(dst, "https", form, &t, &h)
	}
	for _, target := range []string{
		"/a?b", "http://example.com:80/", "http://other.example/", "/a%2Fb", "/a b",
	} {
		dst, err := proxy(nil, "GET", target, "example.com")
		fmt.Printf("%s %v\n", dst, err)
	}
	// Output:
	// https://example.com/a?b <nil>
	// http://example.com:80/ <nil>
	//  uri: Host field does not agree with the target
	//  ambiguous: HasEncodedSlash
	//  uri: invalid path
}

// A log processor counts the requests for each host. It accepts illegal characters that browsers let through.
func Example_recipeLog() {
	log := "http://Example.com/a|b\nhttp://example.com/\nhttp://exa mple.com/\n"
	lines := bufio.NewScanner(strings.NewReader(log))
	var (
		v    uri.View // reuse it for every line
		host []byte
		hits = map[string]int{}
	)
	for lines.Scan() {
		if err := v.Scan(uri.Reference|uri.Lenient, lines.Bytes()); err != nil {
			fmt.Println(err, "at", v.ErrorOffset())
			continue
		}
		host = v.AppendComponent(host[:0], uri.Host, uri.LowercaseHost)
		hits[string(host)]++
	}
	fmt.Println(hits)
	// Output:
	// uri: invalid host at 10
	// map[example.com:2]
}

// A stream of lines is scanned block by block. The unfinished line of a block begins the next one.
func Example_recipeStream() {
	in := strings.NewReader("http://a.example/\r\nhttp://b.example/x y\nhttp://c.example/")
	var (
		lines uri.Lines
		block []byte
		err   error
	)
	for err == nil {
		block = slices.Grow(block, 1<<16)
		var n int
		n, err = in.Read(block[len(block):cap(block)])
		block = block[:len(block)+n]
		for v, invalid := range lines.Scan(uri.Reference, block, err == io.EOF) {
			if invalid != nil {
				fmt.Printf("%v at %d of %q\n", invalid, v.ErrorOffset(), lines.Text())
				continue
			}
			fmt.Printf("%s\n", v.Host())
		}
		block = append(block[:0], lines.Rest()...)
	}
	// Output:
	// a.example
	// uri: invalid path at 18 of "http://b.example/x y"
	// c.example
}

// A cache finds the same page for all equivalent URIs. It ignores parameters that only track visitors.
func Example_recipeCacheKey() {
	untracked := func(p uri.ParamOf[string]) (uri.ParamAction, uri.Part) {
		if p.KeyHasPrefix("utm_") {
			return uri.DropParam, uri.Part{}
		}
		return uri.KeepParam, uri.Part{}
	}
	var (
		v        uri.StringView
		w        uri.View
		buf, key []byte
		err      error
		pages    = map[string]string{"http://example.com/?a=1&b=2": "the page"}
	)
	for _, s := range []string{
		"HTTP://Example.com:80/a/../?b=2&a=1&utm_id=3#top", "http://example.com?a=1&b=2",
	} {
		if v.Scan(uri.URI, s) != nil {
			continue
		}
		if buf, err = v.AppendMappedParams(buf[:0], untracked); err != nil || w.Scan(uri.URI, buf) != nil {
			continue
		}
		key = w.AppendNormalized(key[:0], uri.SchemeBased|uri.SortParams|uri.DropFragment)
		page, ok := pages[string(key)] // does not copy the key
		fmt.Println(page, ok)
	}
	// Output:
	// the page true
	// the page true
}

// No password and no token gets into a log, even if the line is not a URI.
func Example_recipeRedaction() {
	var buf []byte
	for _, line := range []string{
		"https://me:word@example.com/?token=S3CRET&page=2",
		"/login?next=https%3A%2F%2Fme%3Aword%40example.com%2F",
		"not a URI\r\n?token=S3CRET",
	} {
		buf = uri.AppendRedacted(buf[:0], line, nil)
		fmt.Printf("%s\n", buf)
	}
	// Output:
	// https://REDACTED:REDACTED@example.com/?token=REDACTED&page=2
	// /login?next=https%3A%2F%2FREDACTED:REDACTED%40example.com%2F
	// not a URI%0D%0A?token=REDACTED
}

// A crawler resolves the links of a page and visits each target once.
func Example_recipeCrawler() {
	links := []string{"../img/logo.png", "/a/b#top", "mailto:me@example.com", "http://EXAMPLE.com/a/b", "?q={x}"}
	base, err := uri.Parse("http://example.com/a/b")
	if err != nil {
		return
	}
	var (
		ref      uri.StringView
		target   uri.View
		buf, key []byte
		seen     = map[string]bool{}
	)
	for _, link := range links {
		if ref.Scan(uri.Reference|uri.Lenient, link) != nil {
			continue
		}
		if buf, err = uri.AppendResolved(buf[:0], &base, &ref, 0); err != nil {
			continue
		}
		if target.Scan(uri.URI|uri.Lenient, buf) != nil {
			continue
		}
		if !target.SchemeIs("http") && !target.SchemeIs("https") {
			continue
		}
		key = target.AppendNormalized(key[:0], uri.SchemeBased|uri.EncodeIllegal|uri.DropFragment)
		if !seen[string(key)] {
			seen[string(key)] = true
			fmt.Printf("%s\n", key)
		}
	}
	// Output:
	// http://example.com/img/logo.png
	// http://example.com/a/b
	// http://example.com/a/b?q=%7Bx%7D
}

// One View serves all lines. It views the line that was scanned last, for as long as the buffer keeps it.
func ExampleViewOf_Scan() {
	log := "http://example.com/a\nhttp://exam ple.com/\nhttp://[2001:db8::1]:8080/b?c\n"
	var v uri.View
	for lines := bufio.NewScanner(strings.NewReader(log)); lines.Scan(); {
		if v.Scan(uri.URI, lines.Bytes()) == nil {
			fmt.Printf("%s %s\n", v.Host(), v.Path())
		}
	}
	// Output:
	// example.com /a
	// [2001:db8::1] /b
}

// ErrorOffset is where the input can no longer become valid. "8o80" may be part of a password up to
// the "/".
func ExampleError() {
	var v uri.StringView
	for _, line := range []string{
		"http://exam ple.com/", "http://example.com:8o80/", "http://[::1/", "/100%",
		"example.com",
	} {
		err := v.Scan(uri.URI, line)
		if err == uri.ErrScheme {
			err = v.Scan(uri.RelativeRef, line)
		}
		switch err {
		case nil:
			fmt.Println("relative:", v.Path())
		case uri.ErrHost, uri.ErrIPLiteral:
			fmt.Printf("host, at %d\n", v.ErrorOffset())
		default:
			fmt.Printf("%v, at %d\n", err, v.ErrorOffset())
		}
	}
	// Output:
	// host, at 11
	// uri: invalid or missing port, at 23
	// host, at 11
	// uri: invalid percent-encoding, at 5
	// relative: example.com
}

// A view of a string returns strings, and shares the string's memory.
func ExampleParse() {
	v, err := uri.Parse("mailto:someone@example.com?subject=hello")
	fmt.Println(v.Scheme(), v.Path(), v.Query(), err)
	// Output: mailto someone@example.com subject=hello <nil>
}

func ExampleViewOf_Scan_requestTargets() {
	var v uri.StringView
	fmt.Println(v.Scan(uri.OriginForm, "//evil.example/p?q"), v.Path(), v.Has(uri.Authority))
	fmt.Println(v.Scan(uri.AuthorityForm, "example.com:443"), v.Host(), v.Port())
	fmt.Println(v.Scan(uri.HostField, "[2001:db8::1]:8080"), v.Host(), v.Port())
	fmt.Println(v.Scan(uri.OriginForm, "/a#b"))
	// Output:
	// <nil> //evil.example/p false
	// <nil> example.com 443
	// <nil> [2001:db8::1] 8080
	// uri: component not allowed in this form
}

// A query may contain a comma, so the comma is part of the longest URI that begins there.
func ExampleViewOf_ScanPrefix() {
	text := []byte("(see https://example.com/a?b, or http://[::1]/> for more)")
	var v uri.View
	for {
		i := bytes.Index(text, []byte("http"))
		if i < 0 {
			break
		}
		n, err := v.ScanPrefix(uri.URI, text[i:])
		if err != nil { // "http" was another word
			n = len("http")
		} else {
			fmt.Println(v.String())
		}
		text = text[i+n:]
	}
	// Output:
	// https://example.com/a?b,
	// http://[::1]/
}

func ExampleViewOf_Has() {
	for _, s := range []string{"file:///etc/hosts", "http://example.com:", "?", ""} {
		v, _ := uri.Parse(s)
		fmt.Println(v.Has(uri.Authority), v.HasPort(), v.Has(uri.Query))
	}
	// Output:
	// true false false
	// true true false
	// false false true
	// false false false
}

func ExampleViewOf_Segments() {
	v, _ := uri.Parse("/over//there")
	for segment := range v.Segments() {
		fmt.Printf("%q ", segment)
	}
	// Output: "" "over" "" "there"
}

func ExampleHostKind() {
	for _, s := range []string{"//192.0.2.1", "//[2001:db8::1]", "//[v1.a]", "//0177.0.0.1", "/path"} {
		v, _ := uri.Parse(s)
		switch v.HostKind() {
		case uri.NoHost:
			fmt.Println("no host")
		case uri.RegName:
			fmt.Println("a name:", v.Host())
		case uri.IPv4, uri.IPv6:
			fmt.Println("an address:", v.Addr())
		case uri.IPvFuture:
			fmt.Println("an address of a future version:", v.Host())
		}
	}
	// Output:
	// an address: 192.0.2.1
	// an address: 2001:db8::1
	// an address of a future version: [v1.a]
	// a name: 0177.0.0.1
	// no host
}

func ExampleViewOf_PortNumber() {
	for _, s := range []string{"//h:8080", "//h:", "//h:99999"} {
		v, _ := uri.Parse(s)
		fmt.Println(v.PortNumber())
	}
	// Output:
	// 8080 true
	// 0 false
	// 0 false
}

func ExampleBuilder() {
	b := uri.Builder{
		Scheme: uri.Data("https"),
		Host:   uri.Data("example.com"),
		Path:   []uri.Part{uri.Data(""), uri.Data("a b"), uri.Data([]byte("c/d"))},
		Query:  uri.Data("q=100%"),
	}
	out, err := b.Append(nil)
	fmt.Println(string(out), err)
	// Output: https://example.com/a%20b/c%2Fd?q=100%25 <nil>
}

func ExampleBuilder_addr() {
	b := uri.Builder{Scheme: uri.Data("http"), Addr: netip.MustParseAddr("2001:DB8::1"), Port: uri.Decimal(8080)}
	out, err := b.Append(nil)
	fmt.Println(string(out), err)
	// Output: http://[2001:db8::1]:8080 <nil>
}

// An empty component is written only if its flag is set.
func ExampleBuilder_presence() {
	for _, b := range []uri.Builder{
		{Scheme: uri.Data("file"), PathText: uri.Data("/etc/hosts")},
		{Scheme: uri.Data("file"), PathText: uri.Data("/etc/hosts"), HasAuthority: true},
		{Host: uri.Data("example.com"), HasPort: true, HasQuery: true},
		{Host: uri.Data("example.com"), Port: uri.Decimal(0)},
	} {
		out, err := b.Append(nil)
		fmt.Println(string(out), err)
	}
	// Output:
	// file:/etc/hosts <nil>
	// file:///etc/hosts <nil>
	// //example.com:? <nil>
	// //example.com:0 <nil>
}

func ExampleBuilder_disambiguation() {
	b := uri.Builder{PathText: uri.Data("a:b")} // would read as a scheme
	out, err := b.Append(nil)
	fmt.Println(string(out), err)
	b = uri.Builder{PathText: uri.Data("//a")} // would read as an authority
	_, err = b.Append(nil)
	fmt.Println(err)
	// Output:
	// a%3Ab <nil>
	// uri: invalid path
}

func ExampleViewOf_Builder() {
	v, _ := uri.Parse("https://old.example/a%2Fb?q=%20#f")
	b := v.Builder()
	b.Host, b.Port = uri.Data("new.example"), uri.Decimal(8443)
	out, err := b.Append(nil)
	fmt.Println(string(out), err)
	// Output: https://new.example:8443/a%2Fb?q=%20#f <nil>
}

func ExampleAppendEncode() {
	key := uri.Query.Allowed().Minus(uri.NewSet("&=+")) // the bytes that a key or a value can have
	dst := append([]byte(nil), "?q="...)
	dst = uri.AppendEncode(dst, "a=b & ä", key)
	fmt.Println(string(dst))
	// Output: ?q=a%3Db%20%26%20%C3%A4
}

func ExampleAppendDecode() {
	name, err := uri.AppendDecode(nil, "a%2Fb+c")
	fmt.Println(string(name), err)
	name, err = uri.AppendFormDecode(nil, "a%2Fb+c") // "+" is a space in forms only
	fmt.Println(string(name), err)
	_, err = uri.AppendDecode(nil, "100%")
	fmt.Println(err)
	// Output:
	// a/b+c <nil>
	// a/b c <nil>
	// uri: invalid percent-encoding
}

func ExampleViewOf_Params() {
	v, _ := uri.Parse("/search?q=a%20b&lang&q=&page=2")
	for p := range v.Params() {
		fmt.Printf("%s %q %v\n", p.Key, p.Value, p.HasValue)
	}
	// Output:
	// q "a%20b" true
	// lang "" false
	// q "" true
	// page "2" true
}

func ExampleViewOf_Param() {
	v, _ := uri.Parse([]byte("/search?%71=a%20b&q=c"))
	p, ok := v.Param("q") // the first whose key, decoded, is "q"
	fmt.Printf("%s %v\n", p.Value, ok)
	// Output: a%20b true
}

func ExampleViewOf_AppendMappedParams() {
	v, _ := uri.Parse("http://example.com/?id=1&%75tm_source=x&token=S3CRET#f")
	dst, _ := v.AppendMappedParams(nil, func(p uri.ParamOf[string]) (uri.ParamAction, uri.Part) {
		switch {
		case p.KeyHasPrefix("utm_"):
			return uri.DropParam, uri.Part{}
		case p.KeyIs("token"):
			return uri.ReplaceValue, uri.Data("...")
		}
		return uri.KeepParam, uri.Part{}
	})
	fmt.Printf("%s\n", dst)
	// Output: http://example.com/?id=1&token=...#f
}

func ExampleViewOf_SegmentsBackward() {
	v, _ := uri.Parse("/a/b/c.tar.gz")
	for segment := range v.SegmentsBackward() {
		fmt.Printf("%q ", segment)
	}
	fmt.Println(v.LastSegment(), v.Extension())
	// Output: "c.tar.gz" "b" "a" "" c.tar.gz gz
}

func ExampleAppendRemoveDotSegments() {
	fmt.Println(string(uri.AppendRemoveDotSegments(nil, "/a/b/c/./../../g")))
	// Output: /a/g
}

func ExampleViewOf_AppendNormalized() {
	v, _ := uri.Parse("HTTP://Example.COM:80/a/../%7Euser?q=%2f")
	fmt.Println(string(v.AppendNormalized(nil, uri.SyntaxBased)))
	fmt.Println(string(v.AppendNormalized(nil, uri.SchemeBased)))
	// Output:
	// http://example.com:80/~user?q=%2F
	// http://example.com/~user?q=%2F
}

func ExampleViewOf_IsNormalized() {
	v, _ := uri.Parse("http://example.com/a/../b")
	fmt.Println(v.IsNormalized(uri.SyntaxBased), v.StepsNeeded(uri.SyntaxBased) == uri.RemoveDotSegments)
	// Output: false true
}

func ExampleEquivalent() {
	v, _ := uri.Parse("http://example.com/%7euser")
	w, _ := uri.Parse([]byte("HTTP://EXAMPLE.com:80/./~user"))
	fmt.Println(uri.Equivalent(&v, &w, uri.SyntaxBased), uri.Equivalent(&v, &w, uri.SchemeBased))
	fmt.Println(v.Hash(1, uri.SchemeBased) == w.Hash(1, uri.SchemeBased))
	// Output:
	// false true
	// true
}

func ExampleAppendResolved() {
	base, _ := uri.Parse("http://a/b/c/d;p?q")
	ref, _ := uri.Parse("../g;x=1/../y#s")
	dst, err := uri.AppendResolved(nil, &base, &ref, 0)
	fmt.Println(string(dst), err)

	ref, _ = uri.Parse("../../../g")
	_, err = uri.AppendResolved(nil, &base, &ref, uri.RejectAboveRoot)
	fmt.Println(err)
	// Output:
	// http://a/b/y#s <nil>
	// uri: invalid path
}

func ExampleAppendRelative() {
	base, _ := uri.Parse("http://a/b/c/d;p?q")
	target, _ := uri.Parse("http://a/b/g?y")
	dst, err := uri.AppendRelative(nil, &base, &target)
	fmt.Println(string(dst), err)
	// Output: ../g?y <nil>
}

func ExampleViewOf_RequestTarget() {
	v, _ := uri.Parse("http://example.com/a?b#c")
	fmt.Println(v.RequestTarget(), v.WithoutFragment())
	// Output: /a?b http://example.com/a?b
}

func ExampleAppendTargetURI() {
	method, target, field := "GET", []byte("//a?b"), []byte("example.com:8080")
	var t, h uri.View
	form := uri.RequestForm(method, target)
	if t.Scan(form, target) != nil || h.Scan(uri.HostField, field) != nil {
		return // 400
	}
	dst, err := uri.AppendTargetURI(nil, "http", form, &t, &h)
	fmt.Println(string(dst), err)
	// Output: http://example.com:8080//a?b <nil>
}

func ExampleHostAgrees() {
	var t, h uri.StringView
	_ = t.Scan(uri.AbsoluteURI, "http://Example.com:80/a")
	_ = h.Scan(uri.HostField, "example.com")
	fmt.Println(uri.HostAgrees(&t, &h))
	_ = h.Scan(uri.HostField, "internal.example.com")
	fmt.Println(uri.HostAgrees(&t, &h))
	// Output:
	// true
	// false
}

func ExampleViewOf_Traits() {
	const refused = uri.HasEncodedSlash | uri.HasEncodedDotSegment | uri.HasEncodedNUL | uri.HasAddressLikeName
	for _, s := range []string{"http://example.com/a%20b", "http://example.com/%2e%2e/a", "http://0177.0.0.1/"} {
		v, _ := uri.Parse(s)
		fmt.Println(v.Traits()&refused != 0)
	}
	// Output:
	// false
	// true
	// true
}

func ExampleAppendRedacted() {
	fmt.Println(string(uri.AppendRedacted(nil, "https://user:word@h/a?sig=x&b=y", nil)))
	fmt.Println(string(uri.AppendRedacted(nil, "/a%zz?iban=x&b=y", []string{"iban"})))
	// Output:
	// https://REDACTED:REDACTED@h/a?sig=REDACTED&b=y
	// /a%zz?iban=REDACTED&b=y
}

// A hash instead of "REDACTED" shows which secrets are equal, but not what they are.
func ExampleRedactorOf() {
	key := []byte("a key of its own")
	hashed := uri.RedactorOf[string]{Replace: func(dst []byte, secret string) []byte {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(secret))
		return hex.AppendEncode(dst, mac.Sum(nil)[:4])
	}}
	fmt.Println(string(hashed.Append(nil, "/a?token=x&id=1")))
	fmt.Println(string(hashed.Append(nil, "/b?id=2&token=x")))
	// Output:
	// /a?token=2a2c71dd&id=1
	// /b?id=2&token=2a2c71dd
}

// The rules of OpenTelemetry: four keys, which are case-sensitive.
func ExampleRedactor() {
	openTelemetry := uri.Redactor{IsSecret: func(key []byte) bool {
		switch string(key) {
		case "AWSAccessKeyId", "Signature", "sig", "X-Goog-Signature":
			return true
		}
		return false
	}}
	fmt.Println(string(openTelemetry.Append(nil, []byte("https://user:word@h/?q=1&sig=x&SIG=y"))))
	// Output: https://REDACTED:REDACTED@h/?q=1&sig=REDACTED&SIG=y
}

func ExampleRedactorOf_Append() {
	more := uri.RedactorOf[string]{IsSecret: func(key []byte) bool {
		return uri.IsSecretKey(key) || bytes.HasPrefix(key, []byte("x-"))
	}}
	fmt.Println(string(more.Append(nil, "/?token=x&x-id=y&q=z")))
	// Output: /?token=REDACTED&x-id=REDACTED&q=z
}

// Keys of your own, and the default ones, with a mark of your own.
func ExampleRedactorOf_keys() {
	marked := uri.RedactorOf[string]{
		Keys:    []string{"iban"},
		Replace: func(dst []byte, _ string) []byte { return append(dst, "***"...) },
	}
	fmt.Println(string(marked.Append(nil, "https://user:word@h/?token=x&ownerIBAN=y&q=z")))
	// Output: https://***@h/?token=***&ownerIBAN=***&q=z
}

func ExampleIsSecretKey() {
	fmt.Println(uri.IsSecretKey("X-Amz-Security-Token"), uri.IsSecretKey("accessToken"), uri.IsSecretKey("page"))
	// Output: true true false
}

// A lenient scan is strict in the scheme and the authority.
func Example_lenient() {
	var v uri.StringView
	fmt.Println(v.Scan(uri.Reference, "/a|b?q={}"))
	fmt.Println(v.Scan(uri.Reference|uri.Lenient, "/a|b?q={}"), v.Path(), v.Traits())
	fmt.Println(v.Scan(uri.Reference|uri.Lenient, "//a|b/"))
	// Output:
	// uri: invalid path
	// <nil> /a|b HasIllegalInPath|HasIllegalInQuery
	// uri: invalid host
}

// A Form is what a scan accepts. One input may match several.
func ExampleForm() {
	for form := uri.Reference; form <= uri.HostField; form++ {
		if uri.Valid(form, "example.com:443") {
			fmt.Println(form)
		}
	}
	fmt.Println(uri.Reference | uri.Lenient)
	// Output:
	// Reference
	// URI
	// AbsoluteURI
	// AuthorityForm
	// HostField
	// Reference|Lenient
}

func ExampleValid() {
	fmt.Println(uri.Valid(uri.URI, "urn:isbn:0451450523"), uri.Valid(uri.URI, []byte("/path")))
	// Output: true false
}

// Text lets a function take a string or bytes.
func ExampleText() {
	fmt.Println(hostOf("http://example.com/"), hostOf([]byte("//[::1]:80")))
	// Output: example.com [::1]
}

func hostOf[T uri.Text](s T) string {
	v, err := uri.Parse(s)
	if err != nil {
		return ""
	}
	return string(v.Host())
}

// A View of bytes shares their memory: Clone it to keep it.
func ExampleView() {
	line := []byte("http://example.com/a")
	var v uri.View
	_ = v.Scan(uri.URI, line)
	kept := v.Clone()
	copy(line, "XXXX")
	fmt.Printf("%s %s\n", v.Text(), kept.Text())
	// Output: XXXX://example.com/a http://example.com/a
}

func ExampleStringView() {
	var v uri.StringView
	if err := v.Scan(uri.AbsoluteURI, "https://example.com/a?b"); err == nil {
		fmt.Println(v.Scheme(), v.HostPort(), v.Path(), v.Query())
	}
	// Output: https example.com /a b
}

// A generic function takes a view of bytes and a view of a string.
func ExampleViewOf() {
	s, _ := uri.Parse("/a/b")
	b, _ := uri.Parse([]byte("https://example.com/a"))
	fmt.Println(isLocal(&s), isLocal(&b))
	// Output: true false
}

func isLocal[T uri.Text](v *uri.ViewOf[T]) bool { return v.IsRelative() && !v.Has(uri.Authority) }

// Err keeps the place and the reason. It allocates; the error that Scan returns is the reason alone.
func ExampleViewOf_Err() {
	v, _ := uri.Parse("http://exam ple.com/")
	fmt.Println(v.Err())
	// Output: uri: invalid host at offset 11
}

func ExampleScanError() {
	v, _ := uri.Parse("/100%")
	err := fmt.Errorf("line 7: %w", v.Err())
	var scanErr uri.ScanError
	if errors.As(err, &scanErr) {
		fmt.Println(scanErr.Offset, scanErr.Reason == uri.ErrPercent, errors.Is(err, uri.ErrPercent))
		fmt.Println(scanErr.Error())
		fmt.Println(scanErr.Reason.Error(), scanErr.Unwrap() == scanErr.Reason)
	}
	// Output:
	// 5 true true
	// uri: invalid percent-encoding at offset 5
	// uri: invalid percent-encoding true
}

func ExampleComponent() {
	v, _ := uri.Parse("foo://user:word@example.com:8042/over/there?name=ferret#nose")
	for c := uri.Scheme; c <= uri.Fragment; c++ {
		start, end := v.Span(c)
		fmt.Println(c, start, end, v.Text()[start:end])
	}
	// Output:
	// Scheme 0 3 foo
	// Authority 6 32 user:word@example.com:8042
	// Userinfo 6 15 user:word
	// User 6 10 user
	// Password 11 15 word
	// Host 16 27 example.com
	// Port 28 32 8042
	// Path 32 43 /over/there
	// Query 44 55 name=ferret
	// Fragment 56 60 nose
}

func ExampleViewOf_Userinfo() {
	v, _ := uri.Parse("ftp://user:word@example.com/")
	fmt.Println(v.Authority(), v.Userinfo(), v.User(), v.Password())
	// Output: user:word@example.com user:word user word
}

func ExampleViewOf_SchemeIs() {
	v, _ := uri.Parse("HTTPS://example.com/")
	fmt.Println(v.SchemeIs("https"), v.SchemeIs("http"))
	// Output: true false
}

// HostIs ignores case and decodes percent-encoding.
func ExampleViewOf_HostIs() {
	v, _ := uri.Parse("http://Ex%61mple.COM:80/")
	fmt.Println(v.HostIs("example.com"), v.HostIs("example.org"))
	// Output: true false
}

func ExampleViewOf_HostPort() {
	v, _ := uri.Parse("http://user@example.com:8080/")
	fmt.Println(v.HostPort())
	// Output: example.com:8080
}

func ExamplePortKind() {
	for _, s := range []string{"//h", "//h:", "//h:080", "//h:99999"} {
		v, _ := uri.Parse(s)
		fmt.Print(v.PortKind(), " ")
	}
	// Output: NoPort EmptyPort NumericPort HugePort
}

// A component that configuration names.
func ExampleViewOf_Component() {
	var c uri.Component
	_ = c.UnmarshalText([]byte("Query"))
	for _, s := range []string{"/a?b=1", "/a?", "/a"} {
		v, _ := uri.Parse(s)
		fmt.Printf("%q %t\n", v.Component(c), v.Has(c))
	}
	// Output:
	// "b=1" true
	// "" true
	// "" false
}

func ExampleViewOf_EffectivePort() {
	for _, s := range []string{"https://h/", "http://h:8080/", "foo://h/"} {
		v, _ := uri.Parse(s)
		fmt.Println(v.EffectivePort())
	}
	// Output:
	// 443 true
	// 8080 true
	// 0 false
}

// The segment before the first "/" is number 0. It is empty in an absolute path.
func ExampleViewOf_Segment() {
	v, _ := uri.Parse("/users/42/posts")
	fmt.Println(v.Segment(2))
	fmt.Println(v.Segment(4))
	// Output:
	// 42 true
	//  false
}

func ExampleRemoveDotSegmentsInPlace() {
	path := []byte("/a/./b/../c")
	path = uri.RemoveDotSegmentsInPlace(path)
	fmt.Printf("%s\n", path)
	// Output: /a/c
}

func ExampleSet() {
	s := uri.Unreserved().Union(uri.SubDelims())
	fmt.Println(s.Contains('~'), s.Contains('&'), s.Contains('/'), s == uri.Host.Allowed())
	// Output: true true false true
}

func ExampleNewSet() {
	digits := uri.NewSet("0123456789")
	fmt.Println(string(uri.AppendEncode(nil, "1+1", digits)))
	// Output: 1%2B1
}

func ExampleUnreserved() {
	fmt.Println(string(uri.AppendEncode(nil, "~user/a b", uri.Unreserved())))
	// Output: ~user%2Fa%20b
}

func ExampleSubDelims() {
	fmt.Println(uri.SubDelims() == uri.NewSet("!$&'()*+,;="))
	// Output: true
}

func ExampleGenDelims() {
	fmt.Println(uri.GenDelims() == uri.NewSet(":/?#[]@"))
	// Output: true
}

// Pchar is the set for a segment of a path.
func ExamplePchar() {
	fmt.Println(string(uri.AppendEncode(nil, "a/b: 50%", uri.Pchar())))
	// Output: a%2Fb:%2050%25
}

func ExampleEncodedLen() {
	const name = "a/b c"
	dst := make([]byte, 0, uri.EncodedLen(name, uri.Pchar()))
	dst = uri.AppendEncode(dst, name, uri.Pchar())
	fmt.Println(string(dst), len(dst) == cap(dst))
	// Output: a%2Fb%20c true
}

func ExampleAppendFormEncode() {
	fmt.Println(string(uri.AppendFormEncode(nil, "salt & pepper")))
	// Output: salt+%26+pepper
}

func ExampleAppendFormDecode() {
	value, err := uri.AppendFormDecode(nil, "salt+%26+pepper")
	fmt.Println(string(value), err)
	// Output: salt & pepper <nil>
}

// A broken escape is left unchanged.
func ExampleAppendDecodeLenient() {
	fmt.Println(string(uri.AppendDecodeLenient(nil, "100%/a%20b")))
	// Output: 100%/a b
}

func ExampleDecodeInPlace() {
	b, err := uri.DecodeInPlace([]byte("a%20b"))
	fmt.Printf("%s %v\n", b, err)
	// Output: a b <nil>
}

func ExampleEqualDecoded() {
	fmt.Println(uri.EqualDecoded("%7Euser", "~user"), uri.EqualDecoded("%zz", "%zz"))
	// Output: true false
}

func ExampleAppendAddr() {
	dst, err := uri.AppendAddr(nil, netip.MustParseAddr("2001:DB8::1"))
	fmt.Println(string(dst), err)
	_, err = uri.AppendAddr(nil, netip.MustParseAddr("fe80::1%eth0")) // a URI has no zones
	fmt.Println(err)
	// Output:
	// [2001:db8::1] <nil>
	// uri: invalid IP-literal
}

func ExampleParam() {
	v, _ := uri.Parse([]byte("?a=1&b"))
	var last uri.Param
	for p := range v.Params() {
		last = p
	}
	fmt.Printf("%s %v\n", last.Key, last.HasValue)
	// Output: b false
}

func ExampleParamOf() {
	v, _ := uri.Parse("?utm_source=a+b")
	for p := range v.Params() {
		value, err := uri.AppendFormDecode(nil, p.Value)
		fmt.Println(p.Key, string(value), err)
	}
	// Output: utm_source a b <nil>
}

// The key is decoded before it is compared.
func ExampleParamOf_KeyHasPrefix() {
	v, _ := uri.Parse("?%75tm_source=x")
	for p := range v.Params() {
		fmt.Println(p.KeyHasPrefix("utm_"), p.KeyIs("utm_source"))
	}
	// Output: true true
}

func ExampleViewOf_ParamsBy() {
	v, _ := uri.Parse("?a=1;b=2")
	for p := range v.ParamsBy(';') {
		fmt.Print(p.Key, " ", p.Value, " ")
	}
	// Output: a 1 b 2
}

// Data cannot become a second parameter.
func ExampleParamAction() {
	v, _ := uri.Parse("/?page=1&lang=en")
	dst, err := v.AppendMappedParams(nil, func(p uri.ParamOf[string]) (uri.ParamAction, uri.Part) {
		if p.KeyIs("page") {
			return uri.ReplaceValue, uri.Data("2&lang=de")
		}
		return uri.KeepParam, uri.Part{}
	})
	fmt.Println(string(dst), err)
	// Output: /?page=2%26lang%3Dde&lang=en <nil>
}

func ExampleStep() {
	v, _ := uri.Parse("HTTP://h/a/../b")
	fmt.Println(v.StepsNeeded(uri.SchemeBased))
	fmt.Println(string(v.AppendNormalized(nil, uri.LowercaseScheme)))
	// Output:
	// LowercaseScheme|RemoveDotSegments
	// http://h/a/../b
}

func ExampleViewOf_AppendNormalized_params() {
	v, _ := uri.Parse("http://h/?b=1&a=2#f")
	fmt.Println(string(v.AppendNormalized(nil, uri.SortParams|uri.DropFragment)))
	// Output: http://h/?a=2&b=1
}

// EncodeIllegal turns what a lenient scan accepted into a valid URI.
func ExampleViewOf_AppendNormalized_repair() {
	var v uri.StringView
	if err := v.Scan(uri.Reference|uri.Lenient, "/ä|100%?q={}"); err == nil {
		fmt.Println(string(v.AppendNormalized(nil, uri.EncodeIllegal)))
	}
	// Output: /%C3%A4%7C100%25?q=%7B%7D
}

// The path is normalized; the query keeps its bytes, because it may be signed.
func ExampleViewOf_AppendComponent() {
	v, _ := uri.Parse("/a/../%7eb?sig=%2f")
	dst := v.AppendComponent(nil, uri.Path, uri.SyntaxBased)
	dst = append(dst, '?')
	dst = v.AppendComponent(dst, uri.Query, 0)
	fmt.Println(string(dst))
	// Output: /~b?sig=%2f
}

func ExampleViewOf_Hash() {
	v, _ := uri.Parse("http://example.com")
	w, _ := uri.Parse([]byte("HTTP://example.com:80/"))
	const seed = 7 // a random number if others choose the keys
	fmt.Println(v.Hash(seed, uri.SchemeBased) == w.Hash(seed, uri.SchemeBased))
	// Output: true
}

func ExampleResolveOption() {
	base, _ := uri.Parse("http://a/b/c")
	for _, s := range []string{"http:g", "../../g"} {
		ref, _ := uri.Parse(s)
		dst, err := uri.AppendResolved(nil, &base, &ref, uri.BackwardCompatible|uri.RejectAboveRoot)
		fmt.Println(string(dst), err)
	}
	// Output:
	// http://a/b/g <nil>
	//  uri: invalid path
}

func ExampleRequestForm() {
	fmt.Println(uri.RequestForm("GET", "/a"), uri.RequestForm("GET", "http://h/a"))
	fmt.Println(uri.RequestForm("CONNECT", "h:443"), uri.RequestForm("OPTIONS", "*"))
	// Output:
	// OriginForm AbsoluteURI
	// AuthorityForm AsteriskForm
}

func ExampleCheckTarget() {
	fmt.Println(uri.CheckTarget("GET", "/a?b", "example.com"))
	fmt.Println(uri.CheckTarget("GET", "http://example.com/", "example.org"))
	fmt.Println(uri.CheckTarget("CONNECT", "example.com:", "example.com"))
	// Output:
	// <nil>
	// uri: Host field does not agree with the target
	// uri: invalid or missing port
}

func ExampleTrait() {
	v, _ := uri.Parse("http://0x7f.1//a%2Fb")
	fmt.Println(v.Traits() & uri.Ambiguous)
	// Output: HasEncodedSlash|HasDoubleSlash|HasAddressLikeName
}

func ExampleData() {
	b := uri.Builder{PathText: uri.Data("/50%/a b")} // data is encoded
	dst, err := b.Append(nil)
	fmt.Println(string(dst), err)
	// Output: /50%25/a%20b <nil>
}

func ExampleRaw() {
	for _, path := range []string{"/a%20b", "/50%"} {
		b := uri.Builder{PathText: uri.Raw(path)} // raw text is checked
		dst, err := b.Append(nil)
		fmt.Println(string(dst), err)
	}
	// Output:
	// /a%20b <nil>
	//  uri: invalid percent-encoding
}

func ExampleDecimal() {
	b := uri.Builder{Host: uri.Data("h"), Port: uri.Decimal(8080)}
	dst, err := b.Append(nil)
	fmt.Println(string(dst), b.IsRelative(), err)
	// Output: //h:8080 true <nil>
}

// A Part can refer to a string or to bytes.
func ExamplePart() {
	parts := []uri.Part{uri.Data(""), uri.Data("a b"), uri.Raw([]byte("c%2Fd")), uri.Decimal(7)}
	b := uri.Builder{Path: parts}
	dst, err := b.Append(nil)
	fmt.Println(string(dst), err)
	// Output: /a%20b/c%2Fd/7 <nil>
}

func ExamplePair() {
	b := uri.Builder{
		Path: []uri.Part{uri.Data(""), uri.Data("search")},
		Params: []uri.Pair{
			{Key: uri.Data("q"), Value: uri.Data("a&b")},
			{Key: uri.Data("page"), Value: uri.Decimal(2)},
			{Key: uri.Data("debug"), NoValue: true},
		},
	}
	dst, err := b.Append(nil)
	fmt.Println(string(dst), err)
	// Output: /search?q=a%26b&page=2&debug <nil>
}

// A view prints as its text, and so does a pointer to it.
func ExampleViewOf_String() {
	v, _ := uri.Parse("http://example.com/a")
	b, _ := uri.Parse([]byte("/b"))
	fmt.Println(v, &v, b, &b)
	fmt.Println(v.String(), b.String())

	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
	log.Info("seen", "u", v, "p", &b)
	// Output:
	// http://example.com/a http://example.com/a /b /b
	// http://example.com/a /b
	// level=INFO msg=seen u=http://example.com/a p=/b
}

// A view is a string in JSON, as a field, as an element and behind a pointer.
func ExampleViewOf_MarshalText() {
	v, _ := uri.Parse("http://example.com/a")
	w, _ := uri.Parse([]byte("/b"))
	field, _ := json.Marshal(struct{ U uri.StringView }{v})
	pointer, _ := json.Marshal(struct{ U *uri.StringView }{&v})
	values, _ := json.Marshal(map[string]uri.View{"w": w})
	pointers, _ := json.Marshal(map[string]*uri.View{"w": &w})
	fmt.Printf("%s %s %s %s\n", field, pointer, values, pointers)

	text, err := v.MarshalText()
	fmt.Println(string(text), err)
	// Output:
	// {"U":"http://example.com/a"} {"U":"http://example.com/a"} {"w":"/b"} {"w":"/b"}
	// http://example.com/a <nil>
}

func ExampleViewOf_UnmarshalText() {
	var config struct{ Upstream, Fallback uri.StringView }
	err := json.Unmarshal([]byte(`{"Upstream": "http://h:8080/", "Fallback": "http://[/"}`), &config)
	fmt.Println(config.Upstream.HostPort(), err)
	err = config.Upstream.UnmarshalText([]byte("http://i/"))
	fmt.Println(config.Upstream.Host(), err)
	// Output:
	// h:8080 uri: invalid IP-literal
	// i <nil>
}

// The constants and the views append their text to a buffer.
func ExampleViewOf_AppendText() {
	v, _ := uri.Parse("/a")
	dst, _ := v.AppendText(nil)
	for _, appendText := range []func([]byte) ([]byte, error){
		uri.Path.AppendText, uri.URI.AppendText, uri.IPv6.AppendText, uri.EmptyPort.AppendText,
		uri.SortParams.AppendText, uri.HasEscape.AppendText,
	} {
		dst, _ = appendText(append(dst, ' '))
	}
	fmt.Println(string(dst))
	names := []string{
		uri.Path.String(), uri.URI.String(), uri.IPv6.String(), uri.EmptyPort.String(),
		uri.SortParams.String(), uri.HasEscape.String(),
	}
	fmt.Println(slices.Contains(names, "SortParams"))
	// Output:
	// /a Path URI IPv6 EmptyPort SortParams HasEscape
	// true
}

func ExampleLines() {
	var lines uri.Lines
	for v, err := range lines.Scan(uri.URI, []byte("http://a/b\n/c\nhttp://d/e"), true) {
		fmt.Printf("%d %s: %s %v\n", lines.Offset(), lines.Text(), v.Path(), err)
	}
	// Output:
	// 0 http://a/b: /b <nil>
	// 11 /c:  uri: invalid or missing scheme
	// 14 http://d/e: /e <nil>
}

func ExampleFind() {
	const text = "It moved to http://new.example/a_(b) (from https://old.example/). Ask mailto:me@new.example."
	for at, v := range uri.Find(uri.URI, text, "http", "https", "mailto") {
		fmt.Println(at, v.Text(), v.Host())
	}
	// Output:
	// 12 http://new.example/a_(b) new.example
	// 43 https://old.example/ old.example
	// 70 mailto:me@new.example
}

// Configuration can name forms, steps, traits and the other constants.
func ExampleStep_UnmarshalText() {
	var config struct {
		Form   uri.Form
		Steps  uri.Step
		Refuse uri.Trait
	}
	err := json.Unmarshal([]byte(`{
		"Form": "Reference|Lenient",
		"Steps": "LowercaseHost|RemoveDotSegments",
		"Refuse": "HasEncodedSlash|HasBackslash"
	}`), &config)
	fmt.Println(config.Form == uri.Reference|uri.Lenient, config.Steps, config.Refuse, err)
	fmt.Println(json.Unmarshal([]byte(`{"Steps": "SortPrams"}`), &config))

	back, err := json.Marshal(config.Steps)
	fmt.Println(string(back), err)
	// Output:
	// true LowercaseHost|RemoveDotSegments HasEncodedSlash|HasBackslash <nil>
	// uri: unknown name
	// "LowercaseHost|RemoveDotSegments" <nil>
}

// Every type whose constants have names has the methods with which packages such as encoding/json write and
// read them.
func ExampleForm_UnmarshalText() {
	var (
		form      uri.Form
		component uri.Component
		host      uri.HostKind
		port      uri.PortKind
		step      uri.Step
		trait     uri.Trait
	)
	fmt.Println(form.UnmarshalText([]byte("OriginForm")), component.UnmarshalText([]byte("Host")))
	fmt.Println(host.UnmarshalText([]byte("IPv6")), port.UnmarshalText([]byte("HugePort")))
	fmt.Println(step.UnmarshalText([]byte("SortParams")), trait.UnmarshalText([]byte("0x0")))
	for _, marshal := range []func() ([]byte, error){
		form.MarshalText, component.MarshalText, host.MarshalText,
		port.MarshalText, step.MarshalText, trait.MarshalText,
	} {
		name, _ := marshal()
		fmt.Print(string(name), " ")
	}
	// Output:
	// <nil> <nil>
	// <nil> <nil>
	// <nil> <nil>
	// OriginForm Host IPv6 HugePort SortParams 0x0
}
