package uri

import (
	"bufio"
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/long"
)

// requireEqual is require.Equal for checks made a million times: it looks up its caller only if the check
// fails.
func requireEqual[V comparable](t *testing.T, want, got V, message ...any) {
	if want != got {
		t.Helper()
		require.Equal(t, want, got, message...)
	}
}

// read returns what the library reports about s, in the terms of the slow twin. It must be the same at every
// level.
func read[T Text](t *testing.T, form Form, s T) (r reading) {
	for i, level := range levels { // the best level is the last, and stays in use
		level.use()
		next := readOnce(t, form, s)
		if i > 0 {
			requireEqual(t, r, next, "level %s, form %d of %q", level.name, form, string(s))
		}
		r = next
	}
	return r
}

// readOnce is read at the current level. It also checks what must be true of any view.
func readOnce[T Text](t *testing.T, form Form, s T) reading {
	var v ViewOf[T]
	r := reading{prefix: len(s)}
	if err := v.Scan(form, s); err != nil {
		r.why = err.(Error)
		require.Empty(t, string(v.Text()), "a failed scan leaves the empty reference")
	} else {
		requireEqual(t, string(s), string(v.Text()))
		requireEqual(t, string(s), glue(&v, form), "the parts and their delimiters are the text")
	}
	requireEqual(t, r.why == 0, Valid(form, s))
	r.offset, r.host = v.ErrorOffset(), v.HostKind()
	for c := range r.spans {
		start, end := v.Span(Component(c))
		r.spans[c][0], r.spans[c][1] = start, end
		if part := v.Component(Component(c)); text(part) != text(s)[max(start, 0):max(end, 0)] {
			require.Fail(t, "component", "%v of %q: %q", Component(c), s, part)
		}
	}
	n, err := v.ScanPrefix(form, s)
	requireEqual(t, string(s)[:n], string(v.Text()))
	if r.prefix = n; err != nil {
		requireEqual[error](t, r.why, err)
		r.prefix = -1
	}
	return r
}

// glue joins the parts of a view (RFC 3986 section 5.3).
func glue[T Text](v *ViewOf[T], form Form) string {
	var b strings.Builder
	if v.Has(Scheme) {
		b.WriteString(string(v.Scheme()) + ":")
	}
	if v.Has(Authority) {
		if form&^Lenient < AuthorityForm {
			b.WriteString("//")
		}
		if v.Has(Userinfo) {
			b.WriteString(string(v.User()))
			if v.Has(Password) {
				b.WriteString(":" + string(v.Password()))
			}
			b.WriteString("@")
		}
		b.WriteString(string(v.Host()))
		if v.Has(Port) {
			b.WriteString(":" + string(v.Port()))
		}
	}
	b.WriteString(string(v.Path()))
	if v.Has(Query) {
		b.WriteString("?" + string(v.Query()))
	}
	if v.Has(Fragment) {
		b.WriteString("#" + string(v.Fragment()))
	}
	return b.String()
}

// judge compares the library with the slow twin, for every form and for both types of input.
func judge(t *testing.T, s string) {
	for form := Reference; form <= HostField; form++ {
		want := slowRead(form, s)
		requireEqual(t, want, read(t, form, s), "form %d of %q", form, s)
		b := []byte(s)
		requireEqual(t, want, read(t, form, b), "form %d of bytes %q", form, s)
		requireEqual(t, s, string(b), "the input is unchanged")
	}
}

// seeds adds lines of testdata to a fuzz target. Tests judge a sample of the lines. A fuzzer begins with few
// of them, because it spends more time on each of its seeds than on the inputs that it derives from them, and
// it begins with testdata/fuzz too.
func seeds(f *testing.F, add func(line string)) {
	every := long.Sample(f, 3, 1)
	if flag.Lookup("test.fuzz").Value.String() != "" {
		every = 16
	}
	for _, name := range []string{"uris.txt", "invalid.txt"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(f, err)
		lines := bufio.NewScanner(bytes.NewReader(text))
		for n := 0; lines.Scan(); n++ {
			if n%every == 0 {
				add(lines.Text())
			}
		}
	}
}

func FuzzScan(f *testing.F) {
	seeds(f, func(line string) { f.Add(line) })
	for _, row := range scanRows {
		f.Add(row.in)
	}
	f.Fuzz(func(t *testing.T, s string) {
		judge(t, s[:min(len(s), 10*blockSize)]) // the slow twin is slow
	})
}

func FuzzClassify(f *testing.F) {
	seeds(f, func(line string) { f.Add(line) })
	f.Fuzz(func(t *testing.T, s string) {
		s = s[:min(len(s), blockSize)]
		for _, level := range levels {
			level.use()
			requireMasks(t, level.name, s, classify)
		}
	})
}

func FuzzLines(f *testing.F) {
	seeds(f, func(line string) { f.Add(line+"\r\n"+line, 20) })
	f.Add("a\n\nb\r\n\rc\r", 3)
	f.Fuzz(func(t *testing.T, s string, every int) {
		requireLines(t, Reference, s)
		if every > 0 { // line ends in more places
			b := []byte(s)
			for i := every; i < len(b); i += every {
				b[i-1] = '\n'
			}
			requireLines(t, Reference, string(b))
		}
	})
}

func FuzzFind(f *testing.F) {
	seeds(f, func(line string) { f.Add("'"+line+"',"+line+")", len(line)%2 == 0) })
	for _, in := range someInputs() {
		f.Add(string(in.text), true)
	}
	f.Fuzz(func(t *testing.T, s string, lenient bool) {
		s = s[:min(len(s), 2*blockSize)] // the slow twin is slow
		for _, form := range []Form{URI, AbsoluteURI} {
			if lenient {
				form |= Lenient
			}
			requireFound(t, form, s)
			requireFound(t, form, s, "x", "http", "urn", "file", "X+http")
		}
	})
}

// FuzzBuild gives a Builder any elements. The bits of kinds say which ones are raw and which ones are data.
// The output must scan back to them.
func FuzzBuild(f *testing.F) {
	f.Add("http", "u:p", "example.com", "80", "/a b/c", "q=ä", "f", uint16(0))
	f.Add("", "", "", "", "a:b", "", "", uint16(0x3FF))
	f.Add("", "", "", "", "//a", "", "", uint16(0))
	f.Add("x", "", "[::1]", "", "", "?", "#", uint16(0xFFFF))
	f.Add("x", "%41", "%41", "080", "/%2F/%zz", "%41", "%41", uint16(0x0155))
	f.Fuzz(func(t *testing.T, scheme, userinfo, host, port, path, query, fragment string, kinds uint16) {
		part := func(s string, bit int) Part {
			if kinds>>bit&1 != 0 {
				return Raw(s)
			}
			return Data([]byte(s))
		}
		b := Builder{
			Scheme: part(scheme, 0), Userinfo: part(userinfo, 1), Host: part(host, 2), Port: part(port, 3),
			Query: part(query, 5), Fragment: part(fragment, 6),
			HasAuthority: kinds>>8&1 != 0, HasUserinfo: kinds>>9&1 != 0, HasPort: kinds>>10&1 != 0,
			HasQuery: kinds>>11&1 != 0, HasFragment: kinds>>12&1 != 0,
		}
		var segments []string
		if kinds>>7&1 != 0 {
			segments = strings.Split(path, "/")
			if kinds>>13&1 != 0 {
				segments = strings.Split(path, ",") // segments that contain a "/" themselves
			}
			for _, s := range segments {
				b.Path = append(b.Path, part(s, 4))
			}
		} else {
			b.PathText = part(path, 4)
		}

		prefix := []byte("before")
		out, err := b.Append(prefix)
		requireEqual(t, "before", string(out[:6]))
		if err != nil {
			require.Len(t, out, 6)
			return
		}
		text := string(out[6:])
		require.True(t, slowValid(Reference, text), "%q", text)
		v, err := Parse(text)
		require.NoError(t, err, "%q", text)

		authority := b.HasAuthority || host != ""
		for _, c := range []struct {
			of           Component
			given, found string
			bit          int
			has          bool
		}{
			{Scheme, scheme, v.Scheme(), 0, scheme != ""},
			{Userinfo, userinfo, v.Userinfo(), 1, authority && (b.HasUserinfo || userinfo != "")},
			{Host, host, v.Host(), 2, authority},
			{Port, port, v.Port(), 3, authority && (b.HasPort || port != "")},
			{Query, query, v.Query(), 5, b.HasQuery || query != ""},
			{Fragment, fragment, v.Fragment(), 6, b.HasFragment || fragment != ""},
		} {
			requireEqual(t, c.has, v.Has(c.of), "component %d of %q", c.of, text)
			if c.has {
				requirePart(t, c.given, c.found, kinds>>c.bit&1 != 0)
			}
		}
		if segments == nil {
			requirePart(t, path, v.Path(), kinds>>4&1 != 0)
		} else {
			i := 0
			for found := range v.Segments() {
				if segments[min(i, len(segments)-1)] == "" && len(segments) == 1 {
					requireEqual(t, "/", v.Path()) // one empty segment is the root
					i = 1
					break
				}
				requirePart(t, segments[i], found, kinds>>4&1 != 0)
				i++
			}
			requireEqual(t, len(segments), i, "%q", text)
		}

		again := v.Builder()
		out, err = again.Append(nil)
		require.NoError(t, err)
		requireEqual(t, text, string(out), "a view's Builder writes what it views")
	})
}

// FuzzRedact compares redaction with the slow twin.
func FuzzRedact(f *testing.F) {
	operands(f, func(s string) {
		f.Add(s, "sig")
		f.Add(s+"?token=x&b=%zz&token=", "x y")
		f.Add("http://u:p "+s+"@h/"+s, s)
	})
	f.Fuzz(func(t *testing.T, s, key string) {
		s, key = shortened(s), shortened(key)
		requireRedacted(t, s, key, "token")
	})
}

// FuzzRedactPlanted plants secrets, which must not survive.
func FuzzRedactPlanted(f *testing.F) {
	for how := range uint64(100) {
		f.Add("//u:p@h/a?token=x&b", "sig", how<<40|how)
		f.Add("http%3A%2F%2Fu@h ", "x y", how<<32|how)
	}
	f.Fuzz(func(t *testing.T, s, key string, how uint64) {
		requirePlanted(t, shortened(s), shortened(key), how)
	})
}

// requirePart checks that found is the given string: verbatim if raw, otherwise after decoding.
func requirePart(t *testing.T, given, found string, raw bool) {
	if !raw && !strings.HasPrefix(found, "[") {
		found = decode(found)
	}
	requireEqual(t, given, found)
}

// decode decodes every escape of valid input.
func decode(s string) string {
	var b strings.Builder
	digit := func(c byte) byte { return byte(strings.IndexByte("0123456789ABCDEF", c&^(c>>6<<5))) }
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' {
			c = digit(s[i+1])<<4 | digit(s[i+2])
			i += 2
		}
		b.WriteByte(c)
	}
	return b.String()
}

// shapes has inputs with which other libraries fail after parsing, and one input of each kind that has rules
// of its own.
var shapes = []string{
	"scheme:/a/..//evil", "a/../b:c", "a://foo/", "a://foo/..//", "http://h/a", "..//evil", "s:/a/b", ".//evil",
	"#", "http://a/b/c/d;p?q#x",
	"/a%2Fb", "?k", "?k=", "?a=1&a=2", "?a=1;b=2", "?a+b=c+d", "//%41%4a.example", "/a%zz?token=S3CRET",
	"/v1.2/users", "http://u:p@h/",
	"http://a/b/c/d;p?q", "http:g", "g;x=1/../y", "g#s/../x", "../../../../g", "/..g", "s:a/..//b/..",
	"s:/.//c:d", "s:?q", "s:", "urn:a:b",
	"A:/..//+:@?a#0", "//[2001:DB8:0:0::1]:080", "http://[::FFFF:1.2.3.4]:", "ws://h:80", "WSS://h:0443?q",
	"ftp://h:21#f", "http://h:0/", "//h:",
	"%2e%2E/%2e", "/%2E%2E/x", "/a/%2e./..%2F", "/%%41", "/%4%31", "/%%34%31", "/%g%41", "x:%%41%42",
	"/a.tar.gz", "/.x", "/..", "/...", "/a.",
	"//0x7f.1", "//%31.2.3.4", "//1.2.3.4.", "//0X.", "/a//b/", "/\\%5c%00%1f%25", "HTTP://EXAMPLE.com/",
	"s://%C3%a9/%c3", "*", "//h", "/a?b?c",
	"h:443", "[::1]:8080", "?sig=abc&Signature=&a=b&AWSAccessKeyId", "?%73ig=abc", "?sig%zz=abc",
	"//a@b@c/?sig=x", "http://user@/?X-Goog-Signature=1#sig=2",
}

// operands adds the inputs of the other tests to a fuzz target.
func operands(f *testing.F, add func(s string)) {
	seeds(f, add)
	for _, s := range shapes {
		add(s)
	}
	for _, row := range scanRows {
		add(row.in)
	}
}

// shortened limits the length of s, because the slow twins are slow.
func shortened(s string) string { return s[:min(len(s), 10*blockSize)] }

// scanned returns views of s, strict if possible and otherwise lenient, and the form. It returns false if s
// does not match the form.
func scanned(t *testing.T, form Form, s string) (v View, w StringView, as Form, ok bool) {
	if w.Scan(form, s) != nil {
		form |= Lenient
		if w.Scan(form, s) != nil {
			return v, w, form, false
		}
	}
	require.NoError(t, v.Scan(form, []byte(s)))
	return v, w, form, true
}

// inForm reports whether s matches the form, strict or lenient, according to the slow twin.
func inForm(form Form, s string) bool {
	if form&Lenient == 0 {
		return slowValid(form, s)
	}
	return slowReadLenient(form&^Lenient, s).why == 0
}

// appended returns what f appends. It must be the same at every level and for every dst.
func appended(t *testing.T, f func(dst []byte) []byte) string {
	out, why := appendedOr(t, func(dst []byte) ([]byte, error) { return f(dst), nil })
	requireEqual(t, 0, why)
	return out
}

// room is more capacity than any function needs.
var room = make([]byte, 0, 1<<16)

// appendedOr returns what f appends, or why it cannot, in which case f must return dst unchanged. Each kind
// of dst is tried at another level.
func appendedOr(t *testing.T, f func(dst []byte) ([]byte, error)) (appended string, why Error) {
	const before = "//before:@%2E/../?#" // to be kept, but not read
	for i, dst := range [][]byte{
		nil, slices.Clip([]byte(before)), append(room, before...),
		slices.Clip([]byte(before)),
	} {
		if i == 3 {
			dst = slices.Grow(dst, len(appended)/2) // not enough for all of it
		}
		level := levels[i%len(levels)]
		level.use()
		n := len(dst)
		out, err := f(dst)
		requireEqual(t, before[:n], string(dst), "level %s", level.name)
		requireEqual(t, true, len(out) >= n)
		requireEqual(t, before[:n], string(out[:n]), "level %s", level.name)
		var reason Error
		if err != nil {
			reason = err.(Error)
			require.Len(t, out, n, "dst is unchanged")
			requireEqual(t, cap(dst), cap(out), "dst is unchanged")
		}
		if i > 0 {
			requireEqual(t, appended, string(out[n:]), "level %s, dst %q", level.name, dst)
			requireEqual(t, why, reason, "level %s, dst %q", level.name, dst)
		}
		appended, why = string(out[n:]), reason
	}
	return appended, why
}

// views returns views of s by the first form that it matches, strict if possible and otherwise lenient.
func views(t *testing.T, s string, forms ...Form) (v View, w StringView) {
	t.Helper()
	for _, form := range append(forms, Reference) {
		if v, w, _, ok := scanned(t, form, s); ok {
			return v, w
		}
	}
	require.Fail(t, "no form matches", "%q", s)
	return v, w
}
