package uri_test

import (
	"fmt"

	"github.com/seed-56a50ac9/uri"
)

func ExampleAppendEncode() {
	key := uri.Query.Set().Sub(uri.NewSet("&=+")) // what a key or value of a query can have
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

func ExampleViewOf_AppendWithoutParams() {
	v, _ := uri.Parse("https://example.com/a?utm_source=x&id=7&utm_medium=y#top")
	dst := v.AppendWithoutParams(nil, func(p uri.ParamOf[string]) bool {
		return len(p.Key) > 4 && p.Key[:4] == "utm_"
	})
	fmt.Println(string(dst))
	// Output: https://example.com/a?id=7#top
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
	fmt.Println(v.Scan(uri.Reference|uri.Lenient, "/a|b?q={}"), v.Path(), v.Traits() == uri.HasIllegalByte)
	fmt.Println(v.Scan(uri.Reference|uri.Lenient, "//a|b/"))
	// Output:
	// uri: invalid path
	// <nil> /a|b true
	// uri: invalid host
}
