package uri

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// segments makes a path of data.
func segments(texts ...string) (path []Part) {
	for _, s := range texts {
		path = append(path, Data(s))
	}
	return path
}

func TestBuilder(t *testing.T) {
	ip := netip.MustParseAddr
	for _, row := range []struct {
		b    Builder
		want string
		why  Error
	}{
		// Each element, absent, empty and present.
		{Builder{}, "", 0},
		{Builder{Scheme: Data("x")}, "x:", 0},
		{Builder{Host: Data("h")}, "//h", 0},
		{Builder{HasAuthority: true}, "//", 0},
		{Builder{Scheme: Data("file"), HasAuthority: true, PathText: Data("/etc/hosts")}, "file:///etc/hosts", 0},
		{Builder{Host: Data("h"), Userinfo: Data("u:p")}, "//u:p@h", 0},
		{Builder{Host: Data("h"), HasUserinfo: true}, "//@h", 0},
		{Builder{HasUserinfo: true, HasAuthority: true}, "//@", 0},
		{Builder{Host: Data("h"), Port: Decimal(8080)}, "//h:8080", 0},
		{Builder{Host: Data("h"), Port: Decimal(0)}, "//h:0", 0},
		{Builder{Host: Data("h"), Port: Data("080")}, "//h:080", 0},
		{Builder{Host: Data("h"), HasPort: true}, "//h:", 0},
		{Builder{Query: Data("q")}, "?q", 0},
		{Builder{HasQuery: true}, "?", 0},
		{Builder{Fragment: Data("f")}, "#f", 0},
		{Builder{HasFragment: true}, "#", 0},
		{Builder{HasQuery: true, HasFragment: true}, "?#", 0},

		// Without a host there is no authority, whatever the userinfo and the port.
		{Builder{Scheme: Data("x"), Userinfo: Data("u"), Port: Decimal(1), HasUserinfo: true, HasPort: true}, "x:", 0},

		// The path as a sequence: absolute if its first segment is empty.
		{Builder{Path: segments("")}, "/", 0},
		{Builder{Path: segments("", "")}, "/", 0},
		{Builder{Path: segments("", "a", "b")}, "/a/b", 0},
		{Builder{Path: segments("a", "")}, "a/", 0},
		{Builder{Path: segments("", "a/b", "%", "?#")}, "/a%2Fb/%25/%3F%23", 0},
		{Builder{Path: []Part{Raw(""), Raw("a%2Fb"), Decimal(7)}}, "/a%2Fb/7", 0},
		{Builder{Path: []Part{Raw("a/b")}}, "", ErrPath},
		{Builder{Path: segments("a"), PathText: Data("a")}, "", ErrPath},

		// Data is encoded by its own component's table.
		{Builder{Host: Data("ä@:/ %41")}, "//%C3%A4%40%3A%2F%20%2541", 0},
		{Builder{Host: Data("h"), Userinfo: Data("a@b/c:d")}, "//a%40b%2Fc:d@h", 0},
		{Builder{PathText: Data("/a b/%/:@?#[")}, "/a%20b/%25/:@%3F%23%5B", 0},
		{Builder{Query: Data("a=b&c=d+e?/:@#[é")}, "?a=b&c=d+e?/:@%23%5B%C3%A9", 0},
		{Builder{Fragment: Data("?/:@#\x00")}, "#?/:@%23%00", 0},

		// Raw is validated and never encoded twice.
		{Builder{Host: Raw("%41"), PathText: Raw("/%2f"), Query: Raw("%20"), Fragment: Raw("%3F")}, "//%41/%2f?%20#%3F", 0},
		{Builder{Host: Raw("a b")}, "", ErrHost},
		{Builder{Host: Raw("%4")}, "", ErrPercent},
		{Builder{Host: Raw("h"), Userinfo: Raw("@")}, "", ErrUserinfo},
		{Builder{PathText: Raw("/%zz")}, "", ErrPercent},
		{Builder{PathText: Raw("?")}, "", ErrPath},
		{Builder{PathText: Raw("/?")}, "", ErrPath},
		{Builder{Query: Raw("#")}, "", ErrQuery},
		{Builder{Fragment: Raw("#")}, "", ErrFragment},

		// Schemes and ports have no encoding.
		{Builder{Scheme: Data("1a")}, "", ErrScheme},
		{Builder{Scheme: Raw("a b")}, "", ErrScheme},
		{Builder{Scheme: Decimal(1)}, "", ErrScheme},
		{Builder{Host: Data("h"), Port: Data("8x")}, "", ErrPort},
		{Builder{Host: Data("h"), Port: Raw("-1")}, "", ErrPort},

		// IP-literals and addresses.
		{Builder{Host: Data("[::1]")}, "//[::1]", 0},
		{Builder{Host: Raw("[v1.x]"), Port: Decimal(1)}, "//[v1.x]:1", 0},
		{Builder{Host: Raw("[::1")}, "", ErrIPLiteral},
		{Builder{Host: Raw("[::1]x")}, "", ErrIPLiteral},
		{Builder{Host: Data("[x")}, "//%5Bx", 0},
		{Builder{Addr: ip("192.0.2.1"), Port: Decimal(80)}, "//192.0.2.1:80", 0},
		{Builder{Addr: ip("2001:DB8::1"), Userinfo: Data("u")}, "//u@[2001:db8::1]", 0},
		{Builder{Addr: ip("fe80::1%eth0")}, "", ErrIPLiteral},
		{Builder{Addr: ip("::1"), Host: Data("h")}, "", ErrHost},

		// A path after an authority is empty or begins with "/"; one without does not begin with "//".
		{Builder{Host: Data("h"), PathText: Data("p")}, "", ErrPath},
		{Builder{HasAuthority: true, Path: segments("p")}, "", ErrPath},
		{Builder{Host: Data("h"), PathText: Data("//p")}, "//h//p", 0},
		{Builder{PathText: Data("//p")}, "", ErrPath},
		{Builder{Scheme: Data("x"), Path: segments("", "", "p")}, "", ErrPath},
		{Builder{Scheme: Data("x"), PathText: Data("p")}, "x:p", 0},

		// A relative reference's first segment has no ":": data has it encoded, raw text is an error.
		{Builder{PathText: Data("a:b/c:d")}, "a%3Ab/c:d", 0},
		{Builder{Path: segments("a:b", "c:d")}, "a%3Ab/c:d", 0},
		{Builder{Path: segments("", "a:b")}, "/a:b", 0},
		{Builder{PathText: Raw("a:b")}, "", ErrPath},
		{Builder{Path: []Part{Raw("a:b")}}, "", ErrPath},
		{Builder{PathText: Raw("./a:b")}, "./a:b", 0},
		{Builder{Scheme: Data("x"), PathText: Raw("a:b")}, "x:a:b", 0},

		// Strings and bytes together.
		{Builder{Scheme: Raw("x"), Host: Data([]byte("h")), Path: []Part{Data(""), Data([]byte{0xFF})}}, "x://h/%FF", 0},
	} {
		dst := []byte("before ")
		out, err := row.b.Append(dst)
		if row.why != 0 {
			assert.Equal(t, row.why, err)
			assert.Equal(t, "before ", string(out), "dst comes back as it went in")
			continue
		}
		require.NoError(t, err, row.want)
		assert.Equal(t, "before "+row.want, string(out))
		assert.True(t, slowValid(Reference, row.want), row.want)
		v, err := Parse(row.want)
		require.NoError(t, err)
		assert.Equal(t, row.b.IsRelative(), v.IsRelative())
		assert.Equal(t, row.want, glue(&v, Reference))
	}
}

// TestBuilderData writes every byte as data of every component that has an encoding, and reads it back.
func TestBuilderData(t *testing.T) {
	for b := range 256 {
		s := string([]byte{'x', byte(b)})
		built := Builder{
			Scheme: Data("x"), Userinfo: Data(s), Host: Data(s), Path: segments("", s), Query: Data(s), Fragment: Data(s),
		}
		out, err := built.Append(nil)
		require.NoError(t, err)
		v, err := Parse(string(out))
		require.NoError(t, err, string(out))
		for _, found := range []string{v.Userinfo(), v.Host(), v.Path()[1:], v.Query(), v.Fragment()} {
			assert.Equal(t, s, decode(found), string(out))
		}
	}
}

// TestBuilderTooLong has a limit that costs no memory.
func TestBuilderTooLong(t *testing.T) {
	assert.Zero(t, tooLong(0, 7, 7))
	assert.Equal(t, ErrTooLong, tooLong(0, 8, 7))
	assert.Equal(t, ErrPath, tooLong(ErrPath, 8, 7))
}

// TestViewBuilder writes what a view has, byte for byte, and then with another host and port.
func TestViewBuilder(t *testing.T) {
	for _, s := range []string{
		"", "?", "#", "//", "//@:", "file:///x", "HTTP://u%41:@H%2D:080/%2f/./..//?%aF", "a/b:c", "x:a:b", "x:/", "//h//",
		"http://[::1]:80/a?b#c", "urn:a:b", "/a", "//:", "x://?#",
	} {
		v, err := Parse([]byte(s))
		require.NoError(t, err, s)
		b := v.Builder()
		out, err := b.Append(nil)
		require.NoError(t, err, s)
		assert.Equal(t, s, string(out))
	}

	v, err := Parse("https://u@old.example:8443/a%2Fb//?q=%20&+#f")
	require.NoError(t, err)
	b := v.Builder()
	b.Host, b.Port = Data("new.example"), Decimal(443)
	out, err := b.Append(nil)
	require.NoError(t, err)
	assert.Equal(t, "https://u@new.example:443/a%2Fb//?q=%20&+#f", string(out))
}

// TestBuilderGrows has the buffer move in the middle of an element.
func TestBuilderGrows(t *testing.T) {
	b := Builder{Scheme: Data("x"), Path: segments(strings.Repeat("a", 1000), strings.Repeat("ä", 1000))}
	out, err := b.Append(make([]byte, 0, 1))
	require.NoError(t, err)
	assert.Equal(t, "x:"+strings.Repeat("a", 1000)+"/"+strings.Repeat("%C3%A4", 1000), string(out))
}
