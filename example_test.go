package uri_test

import (
	"fmt"
	"net/netip"

	"github.com/seed-56a50ac9/uri"
)

func Example() {
	var v uri.View // reuse it: Scan fills it anew and never allocates
	line := []byte("foo://user@example.com:8042/over/there?name=ferret#nose")
	if err := v.Scan(uri.Reference, line); err != nil {
		fmt.Println(err, "at", v.ErrorOffset())
		return
	}
	fmt.Printf("%s %s %s %s %s %s\n", v.Scheme(), v.Host(), v.Port(), v.Path(), v.Query(), v.Fragment())
	// Output: foo example.com 8042 /over/there name=ferret nose
}

func ExampleViewOf_Scan() {
	var v uri.View
	for _, line := range []string{"http://example.com/a", "http://exam ple.com/", "http://example.com:8o80/", "http://[::1/"} {
		if err := v.Scan(uri.URI, []byte(line)); err != nil {
			fmt.Printf("%d: %v\n", v.ErrorOffset(), err)
			continue
		}
		fmt.Printf("%s\n", v.Host())
	}
	// Output:
	// example.com
	// 11: uri: invalid host
	// 23: uri: invalid or missing port
	// 11: uri: invalid IP-literal
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
	// uri: component not in this form
}

func ExampleViewOf_ScanPrefix() {
	text := []byte("see http://example.com/a?b, or not")
	var v uri.View
	n, err := v.ScanPrefix(uri.URI, text[4:])
	fmt.Println(n, err, v.String())
	// Output: 23 <nil> http://example.com/a?b,
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

func ExampleViewOf_Addr() {
	for _, s := range []string{"//192.0.2.1", "//[2001:db8::1]", "//0177.0.0.1"} {
		v, _ := uri.Parse(s)
		fmt.Println(v.HostKind() == uri.RegName, v.Addr())
	}
	// Output:
	// false 192.0.2.1
	// false 2001:db8::1
	// true invalid IP
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
