package uri

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/long"
)

// segments returns a path whose segments are the texts as data.
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
		{Builder{
			Scheme:       Data("x"),
			HasAuthority: true, HasUserinfo: true, HasPort: true, HasQuery: true, HasFragment: true,
		}, "x://@:?#", 0},

		// Without a host there is no authority, even with userinfo and port.
		{
			Builder{Scheme: Data("x"), Userinfo: Data("u"), Port: Decimal(1), HasUserinfo: true, HasPort: true},
			"x:", 0,
		},

		// The path as a sequence: absolute if its first segment is empty.
		{Builder{Path: segments("")}, "/", 0},
		{Builder{Path: segments("", "")}, "/", 0},
		{Builder{Path: segments("", "a", "b")}, "/a/b", 0},
		{Builder{Path: segments("a", "")}, "a/", 0},
		{Builder{Path: segments("", "a/b", "%", "?#")}, "/a%2Fb/%25/%3F%23", 0},
		{Builder{Path: []Part{Raw(""), Raw("a%2Fb"), Decimal(7)}}, "/a%2Fb/7", 0},
		{Builder{Path: []Part{Raw("a/b")}}, "", ErrPath},
		{Builder{Path: []Part{Raw(""), Raw("a/b")}}, "", ErrPath},
		{Builder{Scheme: Data("x"), Path: []Part{Raw("a/b")}}, "", ErrPath},
		{Builder{Path: []Part{}}, "", 0},
		{Builder{Host: Data("h"), Path: segments("")}, "//h/", 0},
		{Builder{Host: Data("h"), Path: segments("", "")}, "//h/", 0},
		{Builder{Host: Data("h"), Path: segments("", "", "")}, "//h//", 0},
		{Builder{Path: segments("a"), PathText: Data("a")}, "", ErrPath},

		// Data is encoded by the table of its component.
		{Builder{Host: Data("ä@:/ %41")}, "//%C3%A4%40%3A%2F%20%2541", 0},
		{Builder{Host: Data("h"), Userinfo: Data("a@b/c:d")}, "//a%40b%2Fc:d@h", 0},
		{Builder{PathText: Data("/a b/%/:@?#[")}, "/a%20b/%25/:@%3F%23%5B", 0},
		{Builder{Query: Data("a=b&c=d+e?/:@#[é")}, "?a=b&c=d+e?/:@%23%5B%C3%A9", 0},
		{Builder{Fragment: Data("?/:@#\x00")}, "#?/:@%23%00", 0},

		// Raw is validated and never encoded twice.
		{
			Builder{Host: Raw("%41"), PathText: Raw("/%2f"), Query: Raw("%20"), Fragment: Raw("%3F")},
			"//%41/%2f?%20#%3F", 0,
		},
		{Builder{Host: Raw("a b")}, "", ErrHost},
		{Builder{Host: Raw("%4")}, "", ErrPercent},
		{Builder{Host: Raw("%4g")}, "", ErrPercent},
		{Builder{Host: Raw("h"), Userinfo: Raw("%")}, "", ErrPercent},
		{Builder{PathText: Raw("%41:b")}, "", ErrPath},
		{Builder{Path: []Part{Raw("%"), Raw("41")}}, "", ErrPercent},
		{Builder{Query: Raw("%g1")}, "", ErrPercent},
		{Builder{Fragment: Raw("%1g")}, "", ErrPercent},
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
		{Builder{Host: Data("h"), Port: Raw("%38")}, "", ErrPort},

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

		// After an authority, a path is empty or begins with "/". Without one, it does not begin with "//".
		{Builder{Host: Data("h"), PathText: Data("p")}, "", ErrPath},
		{Builder{HasAuthority: true, Path: segments("p")}, "", ErrPath},
		{Builder{Host: Data("h"), PathText: Data("//p")}, "//h//p", 0},
		{Builder{PathText: Data("//p")}, "", ErrPath},
		{Builder{PathText: Data("//")}, "", ErrPath},
		{Builder{Path: segments("", "", "")}, "", ErrPath},
		{Builder{HasAuthority: true, PathText: Data("//p")}, "////p", 0},
		{Builder{Scheme: Data("x"), Path: segments("", "", "p")}, "", ErrPath},
		{Builder{Scheme: Data("x"), PathText: Data("p")}, "x:p", 0},

		// The first segment of a relative reference has no ":". In data it is encoded; in raw text it is an error.
		{Builder{PathText: Data("a:b/c:d")}, "a%3Ab/c:d", 0},
		{Builder{Path: segments("a:b", "c:d")}, "a%3Ab/c:d", 0},
		{Builder{Path: segments("", "a:b")}, "/a:b", 0},
		{Builder{PathText: Raw("a:b")}, "", ErrPath},
		{Builder{Path: []Part{Raw("a:b")}}, "", ErrPath},
		{Builder{PathText: Raw("./a:b")}, "./a:b", 0},
		{Builder{Scheme: Data("x"), PathText: Raw("a:b")}, "x:a:b", 0},

		// Strings and bytes together.
		{
			Builder{Scheme: Raw("x"), Host: Data([]byte("h")), Path: []Part{Data(""), Data([]byte{0xFF})}},
			"x://h/%FF", 0,
		},
	} {
		for _, room := range []int{0, 100} {
			dst := append(make([]byte, 0, len("before ")+room), "before "...)
			out, err := row.b.Append(dst)
			if row.why != 0 {
				assert.True(t, err == row.why, "%v, not %v", err, row.why)
				assert.Equal(t, "before ", string(out), "dst comes back as it went in")
				assert.Same(t, &dst[0], &out[0])
				assert.Equal(t, cap(dst), cap(out))
				continue
			}
			require.NoError(t, err, row.want)
			assert.Equal(t, "before "+row.want, string(out))
		}
		if row.why != 0 {
			continue
		}
		assert.True(t, slowValid(Reference, row.want), row.want)
		v, err := Parse(row.want)
		require.NoError(t, err)
		assert.Equal(t, row.b.IsRelative(), v.IsRelative())
		assert.Equal(t, row.want, glue(&v, Reference))
	}
	out, err := (&Builder{Query: Raw("#")}).Append(nil)
	assert.Equal(t, ErrQuery, err)
	assert.Nil(t, out)
}

// TestBuilderData writes every byte as data of every element that has an encoding, and reads it back. Only
// bytes that the RFC allows in that element are written verbatim.
func TestBuilderData(t *testing.T) {
	scheme, host := Raw("x"), Raw("h")
	path := func(v *StringView) string { return v.Path() }
	for _, element := range []struct {
		name  string
		plain string
		write func(Part) Builder
		read  func(*StringView) string
	}{
		{
			"userinfo", unreserved + subDelims + ":", func(p Part) Builder { return Builder{Userinfo: p, Host: host} },
			(*StringView).Userinfo,
		},
		{"host", unreserved + subDelims, func(p Part) Builder { return Builder{Host: p} }, (*StringView).Host},
		{"first segment", pchars, func(p Part) Builder { return Builder{Scheme: scheme, Path: []Part{p}} }, path},
		{
			"first segment, no scheme", unreserved + subDelims + "@",
			func(p Part) Builder { return Builder{Path: []Part{p}} }, path,
		},
		{
			"later segment", pchars, func(p Part) Builder { return Builder{Path: []Part{Raw(""), p}} },
			func(v *StringView) string { return v.Path()[1:] },
		},
		{"path", pchars + "/", func(p Part) Builder { return Builder{Scheme: scheme, PathText: p} }, path},
		{"query", pchars + "/?", func(p Part) Builder { return Builder{Query: p} }, (*StringView).Query},
		{"fragment", pchars + "/?", func(p Part) Builder { return Builder{Fragment: p} }, (*StringView).Fragment},
	} {
		for c := range 256 {
			for _, text := range [][]byte{{byte(c)}, {'x', byte(c)}, {byte(c), 'x'}, {'%', byte(c), '4', '1'}} {
				var want strings.Builder
				for _, c := range text {
					if strings.IndexByte(element.plain, c) >= 0 {
						want.WriteByte(c)
					} else {
						fmt.Fprintf(&want, "%%%02X", c)
					}
				}
				for _, part := range []Part{Data(text), Data(string(text))} {
					b := element.write(part)
					out, err := b.Append(nil)
					require.NoError(t, err, "%s %q", element.name, text)
					v, err := Parse(string(out))
					require.NoError(t, err, "%s %q: %q", element.name, text, out)
					require.Equal(t, want.String(), element.read(&v), "%s %q: %q", element.name, text, out)
					require.Equal(t, string(text), decode(element.read(&v)))
				}
			}
		}
	}
}

// TestBuilderTooLong uses a limit that costs no memory.
func TestBuilderTooLong(t *testing.T) {
	assert.Zero(t, tooLong(0, 7, 7))
	assert.Equal(t, ErrTooLong, tooLong(0, 8, 7))
	assert.Equal(t, ErrPath, tooLong(ErrPath, 8, 7))
}

// TestViewBuilder writes the content of a view, byte for byte, and then with another host and port.
func TestViewBuilder(t *testing.T) {
	for _, s := range []string{
		"", "?", "#", "//", "//@:", "file:///x", "HTTP://u%41:@H%2D:080/%2f/./..//?%aF", "a/b:c", "x:a:b", "x:/",
		"//h//",
		"http://[::1]:80/a?b#c", "urn:a:b", "/a", "//:", "x://?#",
	} {
		v, err := Parse([]byte(s))
		require.NoError(t, err, s)
		b := v.Builder()
		out, err := b.Append(nil)
		require.NoError(t, err, s)
		assert.Equal(t, s, string(out))
	}

	// The bundled URIs: unchanged, with the path as a list of segments, and with another host and port.
	text, err := os.ReadFile(filepath.Join("testdata", "uris.txt"))
	require.NoError(t, err)
	changed := 0
	for s := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n") {
		v, err := Parse([]byte(s))
		require.NoError(t, err, s)
		b := v.Builder()
		out, err := b.Append(nil)
		require.NoError(t, err, s)
		require.Equal(t, s, string(out))

		b.PathText = Part{}
		for segment := range v.Segments() {
			b.Path = append(b.Path, Raw(segment))
		}
		out, err = b.Append(nil)
		require.NoError(t, err, s)
		require.Equal(t, s, string(out))

		if !v.Has(Authority) {
			continue
		}
		changed++
		b = v.Builder()
		b.Host, b.Port = Data("new.example"), Decimal(8443)
		out, err = b.Append(nil)
		require.NoError(t, err, s)
		host, _ := v.Span(Host)
		path, _ := v.Span(Path)
		require.Equal(t, s[:host]+"new.example:8443"+s[path:], string(out))
	}
	assert.NotZero(t, changed)
}

// TestBuilderGrows makes the buffer move in the middle of an element.
func TestBuilderGrows(t *testing.T) {
	b := Builder{Scheme: Data("x"), Path: segments(strings.Repeat("a", 1000), strings.Repeat("ä", 1000))}
	out, err := b.Append(make([]byte, 0, 1))
	require.NoError(t, err)
	assert.Equal(t, "x:"+strings.Repeat("a", 1000)+"/"+strings.Repeat("%C3%A4", 1000), string(out))
}

// TestBuilderPlain has parts of every kind in every component. Some are components of views, also of lenient
// ones, and may be another component here. If they are written without a look at each, looking at each must
// give the same result.
func TestBuilderPlain(t *testing.T) {
	const fields = 7 // that are one component
	random := newRandom()
	texts := strings.Fields("a b x1 : / // /a a/b a:b /a:b a/b:c @ ? # %41 %4 % %zz 8 80 [::1] [ ] [x] a@b ä")
	var parts [fields][]Part
	for _, s := range texts {
		for i := range parts {
			parts[i] = append(parts[i], Data(s), Raw(s))
		}
	}
	for i := range parts {
		parts[i] = append(parts[i], Part{}, Part{}, Part{}, Part{}, Part{}, Part{}, Part{}, Part{}, Decimal(7))
	}
	for _, s := range []string{
		"x://u@h:80/a?q#f", "a/b", "a:b", "//h", "//h//a", "x:a:b", "/a:b", "?%41", "//%41:8#%20",
		"http://[::1]/", "",
	} {
		for _, form := range []Form{Reference, OriginForm, HostField, Reference | Lenient} {
			for _, tail := range []string{"", "%zz", "?ä", "#%"} {
				var v StringView
				_ = v.Scan(form, s+tail)
				b := v.Builder()
				all := [...]Part{b.Scheme, b.Userinfo, b.Host, b.Port, b.PathText, b.Query, b.Fragment}
				for i := range parts {
					// The component itself more often than the others.
					parts[i] = append(append(append(parts[i], all[:]...), all[i], all[i], all[i]), all[i], all[i], all[i])
				}
			}
		}
	}
	plain, careful := make([]byte, 0, 200), make([]byte, 0, 200)
	written, ofViews := 0, 0
	for range long.Sample(t, 100_000, 3_000_000) {
		pick := func(i int) Part { return parts[i][random.IntN(len(parts[i]))] }
		flags := random.Uint32()
		b := Builder{
			Scheme: pick(0), Userinfo: pick(1), Host: pick(2), Port: pick(3), PathText: pick(4), Query: pick(5),
			Fragment:     pick(6),
			HasAuthority: flags&1 != 0, HasUserinfo: flags&2 != 0, HasPort: flags&4 != 0, HasQuery: flags&8 != 0,
			HasFragment: flags&16 != 0,
		}
		got, ok := b.appendPlain(plain)
		want, why := b.append(careful)
		if ok {
			written++
			if b.isOfView() {
				ofViews++
			}
			require.Zero(t, why, "%q of %+v", got, b)
			requireEqual(t, string(want), string(got), "%+v", b)
		}
	}
	t.Logf("%d written plainly, %d of them without a scan", written, ofViews)
	assert.Greater(t, written, 1000)
	assert.Greater(t, ofViews, 100)
}
