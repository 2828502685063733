package uri_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net/netip"
	"strings"

	"github.com/seed-56a50ac9/uri"
)

func Example() {
	var v uri.View // reuse it: each Scan overwrites it and none allocates
	line := []byte("foo://user@example.com:8042/over/there?name=ferret#nose")
	if err := v.Scan(uri.Reference, line); err != nil {
		fmt.Println(err, "at", v.ErrorOffset())
		return
	}
	fmt.Printf("%s %s %s %s %s %s\n", v.Scheme(), v.Host(), v.Port(), v.Path(), v.Query(), v.Fragment())
	// Output: foo example.com 8042 /over/there name=ferret nose
}

// One View serves all lines. What it views is the line that was scanned last, as long as the scanner's buffer
// keeps it.
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

// The offset is where no valid text goes on. "8o80" may still be a password up to the "/".
func ExampleError() {
	var v uri.StringView
	for _, line := range []string{"http://exam ple.com/", "http://example.com:8o80/", "http://[::1/", "/100%",
		"example.com"} {
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

// A view of a string gives strings, and shares the string's memory.
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

// A comma may stand in a query, so it is part of the longest URI that begins there.
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

func ExampleViewOf_HostKind() {
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
			fmt.Println("an address to come:", v.Host())
		}
	}
	// Output:
	// an address: 192.0.2.1
	// an address: 2001:db8::1
	// an address to come: [v1.a]
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

// What is empty is not written unless its flag is set.
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
	key := uri.Query.Allowed().Minus(uri.NewSet("&=+")) // what a key or value of a query can have
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
	fmt.Println(string(uri.AppendRedacted(nil, "/a%zz?token=S3CRET", []string{"token"})))
	// Output:
	// https://REDACTED:REDACTED@h/a?sig=REDACTED&b=y
	// /a%zz?token=REDACTED
}

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
