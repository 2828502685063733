package uri

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scanRows are inputs that match a form, or do not. A valid input comes with its parts, each in "<>" after
// the letter of its name: s(cheme), u(serinfo), h(ost), p(ort), P(ath), q(uery), f(ragment). Absent parts are
// left out. An invalid input comes with the offset of its fault and the reason.
var scanRows = []struct {
	form  Form
	in    string
	parts string
	at    int
	why   Error
}{
	// RFC 3986 section 1.1.2: examples
	{Reference, "ftp://ftp.is.co.za/rfc/rfc1808.txt", "s<ftp>h<ftp.is.co.za>P</rfc/rfc1808.txt>", -1, 0},
	{Reference, "http://www.ietf.org/rfc/rfc2396.txt", "s<http>h<www.ietf.org>P</rfc/rfc2396.txt>", -1, 0},
	{
		Reference, "ldap://[2001:db8::7]/c=GB?objectClass?one", "s<ldap>h<[2001:db8::7]>P</c=GB>q<objectClass?one>",
		-1, 0,
	},
	{Reference, "mailto:John.Doe@example.com", "s<mailto>P<John.Doe@example.com>", -1, 0},
	{Reference, "news:comp.infosystems.www.servers.unix", "s<news>P<comp.infosystems.www.servers.unix>", -1, 0},
	{Reference, "tel:+1-816-555-1212", "s<tel>P<+1-816-555-1212>", -1, 0},
	{Reference, "telnet://192.0.2.16:80/", "s<telnet>h<192.0.2.16>p<80>P</>", -1, 0},
	{
		Reference, "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
		"s<urn>P<oasis:names:specification:docbook:dtd:xml:4.1.2>", -1, 0,
	},
	{
		Reference, "foo://example.com:8042/over/there?name=ferret#nose",
		"s<foo>h<example.com>p<8042>P</over/there>q<name=ferret>f<nose>", -1, 0,
	},

	// 2.1: percent-encoding, in every component that allows it
	{Reference, "http://a%20b%41@c%2D/%00?%ff#%Aa", "s<http>u<a%20b%41>h<c%2D>P</%00>q<%ff>f<%Aa>", -1, 0},
	{Reference, "%", "", 1, ErrPercent},
	{Reference, "%4", "", 2, ErrPercent},
	{Reference, "%zz", "", 1, ErrPercent},
	{Reference, "a%4/b", "", 3, ErrPercent},
	{Reference, "//u%4@h", "", 5, ErrPercent},
	{Reference, "//h%4", "", 5, ErrPercent},
	{Reference, "//h%4:80", "", 5, ErrPercent},
	{Reference, "//u@h%g0", "", 6, ErrPercent},
	{Reference, "//h:8%4", "", 7, ErrPercent},
	{Reference, "/p?q%4#f", "", 6, ErrPercent},
	{Reference, "#%4", "", 3, ErrPercent},
	{Reference, "a%4:b", "", 3, ErrPercent},
	{Reference, "h%74tp://h", "", 6, ErrScheme},
	{AbsoluteURI, "a:%4#", "", 4, ErrPercent},

	// 2.2, 2.3: what is allowed nowhere
	{Reference, "a b", "", 1, ErrPath},
	{Reference, "\\", "", 0, ErrPath},
	{Reference, "http://h/\r\nHost: x", "", 9, ErrPath},
	{Reference, "http://h/?a\tb", "", 11, ErrQuery},
	{Reference, "http://h/#\x00", "", 10, ErrFragment},
	{Reference, "http://h\x7F/", "", 8, ErrHost},
	{Reference, "http://u\xFF@h/", "", 8, ErrUserinfo},
	{Reference, "http://h:8\u00e9/", "", 10, ErrPort},
	{Reference, "a b:c", "", 1, ErrPath},
	{Reference, "/a[b]", "", 2, ErrPath},
	{Reference, "/a?[", "", 3, ErrQuery},

	// 3.1: scheme
	{Reference, "a+-.9:", "s<a+-.9>P<>", -1, 0},
	{Reference, "HTTP://h", "s<HTTP>h<h>P<>", -1, 0},
	{Reference, "1a:b", "", 2, ErrScheme},
	{Reference, ":foo", "", 0, ErrScheme},
	{Reference, "a_b:c", "", 3, ErrScheme},
	{Reference, "a~b!c:d", "", 5, ErrScheme},
	{URI, "", "", 0, ErrScheme},
	{URI, "a", "", 1, ErrScheme},
	{URI, "1a:b", "", 0, ErrScheme},
	{URI, "a_b:c", "", 1, ErrScheme},
	{URI, "//h/p", "", 0, ErrScheme},
	{URI, "x:", "s<x>P<>", -1, 0},

	// 3.2: authority
	{Reference, "//", "h<>P<>", -1, 0},
	{Reference, "///p", "h<>P</p>", -1, 0},
	{Reference, "file:///etc/hosts", "s<file>h<>P</etc/hosts>", -1, 0},
	{Reference, "//h?q", "h<h>P<>q<q>", -1, 0},
	{Reference, "//h#f", "h<h>P<>f<f>", -1, 0},
	{Reference, "x:////", "s<x>h<>P<//>", -1, 0},

	// 3.2.1: userinfo
	{Reference, "//@h", "u<>h<h>P<>", -1, 0},
	{Reference, "//u:p:w@h", "u<u:p:w>h<h>P<>", -1, 0},
	{Reference, "//:@", "u<:>h<>P<>", -1, 0},
	{Reference, "//a:b@c:8/", "u<a:b>h<c>p<8>P</>", -1, 0},
	{Reference, "http://a@b@c/", "", 10, ErrHost},
	{Reference, "http://a@b:8@c/", "", 12, ErrPort},
	{Reference, "//u[@h", "", 3, ErrUserinfo},
	{Reference, "//u[/@h", "", 3, ErrHost},
	{Reference, "//u[?@h", "", 3, ErrHost},
	{Reference, "//u[#@h", "", 3, ErrHost},

	// 3.2.2: host
	{Reference, "//[::1]", "h<[::1]>P<>", -1, 0},
	{Reference, "//[::1]:8/p", "h<[::1]>p<8>P</p>", -1, 0},
	{Reference, "//u@[::1]:", "u<u>h<[::1]>p<>P<>", -1, 0},
	{Reference, "//[v1.a:b]", "h<[v1.a:b]>P<>", -1, 0},
	{Reference, "//[::ffff:1.2.3.4]", "h<[::ffff:1.2.3.4]>P<>", -1, 0},
	{Reference, "//[1:2:3:4:5:6:7::]", "h<[1:2:3:4:5:6:7::]>P<>", -1, 0},
	{Reference, "//[127.0.0.1]", "", 6, ErrIPLiteral},
	{Reference, "//[]", "", 3, ErrIPLiteral},
	{Reference, "//[", "", 3, ErrIPLiteral},
	{Reference, "//[::1", "", 6, ErrIPLiteral},
	{Reference, "//[v1.]", "", 6, ErrIPLiteral},
	{Reference, "//[v1", "", 5, ErrIPLiteral},
	{AbsoluteURI, "a:|#", "", 2, ErrPath},
	{Reference, "//[v.a]", "", 4, ErrIPLiteral},
	{Reference, "//[::1.2.3.04]", "", 12, ErrIPLiteral},
	{Reference, "//[::00001]", "", 9, ErrIPLiteral},
	{Reference, "//[1::1::1]", "", 8, ErrIPLiteral},
	{Reference, "//[::12345]", "", 9, ErrIPLiteral},
	{Reference, "//[fe80::1%25en0]", "", 10, ErrIPLiteral},
	{Reference, "//[::1%25]evil.com]", "", 6, ErrIPLiteral},
	{Reference, "//[::1]x", "", 7, ErrHost},
	{Reference, "//x[::1]", "", 3, ErrHost},
	{Reference, "//[::1][::2]", "", 7, ErrHost},
	{Reference, "//[::1]@h", "", 7, ErrHost},
	{Reference, "//[::1]:8@h", "", 9, ErrPort},
	{Reference, "//]", "", 2, ErrHost},

	// 3.2.3: port
	{Reference, "http://h:", "s<http>h<h>p<>P<>", -1, 0},
	{Reference, "http://h:/", "s<http>h<h>p<>P</>", -1, 0},
	{Reference, "http://h:99999999999999999999/", "s<http>h<h>p<99999999999999999999>P</>", -1, 0},
	{Reference, "//h:80x/", "", 7, ErrPort}, // "80x" could be the password of a user h, the "/" could not
	{Reference, "//h:80x", "", 7, ErrPort},
	{Reference, "//h:-1", "", 6, ErrPort},
	{Reference, "//u@h:8x", "", 7, ErrPort},
	{Reference, "//h:1:2", "", 7, ErrPort},

	// 3.3: path
	{Reference, "", "P<>", -1, 0},
	{Reference, "/", "P</>", -1, 0},
	{Reference, "a/b:c", "P<a/b:c>", -1, 0},
	{Reference, "./a:b", "P<./a:b>", -1, 0},
	{Reference, "a@b", "P<a@b>", -1, 0},
	{Reference, "x:a//b", "s<x>P<a//b>", -1, 0},
	{Reference, "x:/a//b/../.", "s<x>P</a//b/../.>", -1, 0},
	{Reference, "!$&'()*+,;=-._~", "P<!$&'()*+,;=-._~>", -1, 0},

	// 3.4, 3.5: query and fragment
	{Reference, "?", "P<>q<>", -1, 0},
	{Reference, "#", "P<>f<>", -1, 0},
	{Reference, "?#", "P<>q<>f<>", -1, 0},
	{Reference, "?q?/:@", "P<>q<q?/:@>", -1, 0},
	{Reference, "#f?/:@", "P<>f<f?/:@>", -1, 0},
	{Reference, "##", "", 1, ErrFragment},
	{Reference, "?a#b#c", "", 4, ErrFragment},

	// 4.2: relative-ref
	{RelativeRef, "//h/p?q#f", "h<h>P</p>q<q>f<f>", -1, 0},
	{RelativeRef, "http://h", "", 4, ErrForm},
	{RelativeRef, "1:", "", 1, ErrScheme},
	{RelativeRef, "a%4:", "", 3, ErrPercent},

	// 4.3: absolute-URI
	{AbsoluteURI, "http://h/?q", "s<http>h<h>P</>q<q>", -1, 0},
	{AbsoluteURI, "http://h/?q#", "", 11, ErrForm},
	{AbsoluteURI, "http://h#f", "", 8, ErrForm},
	{AbsoluteURI, "//h", "", 0, ErrScheme},

	// RFC 9112 section 3.2.1: origin-form
	{OriginForm, "/where?q=now", "P</where>q<q=now>", -1, 0},
	{OriginForm, "//h", "P<//h>", -1, 0},
	{OriginForm, "", "", 0, ErrPath},
	{OriginForm, "a", "", 0, ErrPath},
	{OriginForm, "*", "", 0, ErrPath},
	{OriginForm, "/a#b", "", 2, ErrForm},
	{OriginForm, "/a?b#", "", 4, ErrForm},
	{OriginForm, "/ HTTP/1.1", "", 1, ErrPath},

	// 3.2.3: authority-form
	{AuthorityForm, "h:443", "h<h>p<443>P<>", -1, 0},
	{AuthorityForm, "[::1]:443", "h<[::1]>p<443>P<>", -1, 0},
	{AuthorityForm, ":", "h<>p<>P<>", -1, 0},
	{AuthorityForm, "h", "", 1, ErrPort},
	{AuthorityForm, "", "", 0, ErrPort},
	{AuthorityForm, "u@h:1", "", 1, ErrForm},
	{AuthorityForm, "h:1/", "", 3, ErrForm},
	{AuthorityForm, "h:x", "", 2, ErrPort},
	{AuthorityForm, "h x:1", "", 1, ErrHost},
	{AuthorityForm, "h%4:1", "", 3, ErrPercent},
	{AuthorityForm, "[::1:1", "", 6, ErrIPLiteral},

	// 3.2.4: asterisk-form
	{AsteriskForm, "*", "P<*>", -1, 0},
	{AsteriskForm, "", "", 0, ErrForm},
	{AsteriskForm, "**", "", 1, ErrForm},
	{AsteriskForm, "/", "", 0, ErrForm},

	// RFC 9110 section 7.2: Host
	{HostField, "", "h<>P<>", -1, 0},
	{HostField, "example.com", "h<example.com>P<>", -1, 0},
	{HostField, "example.com:8080", "h<example.com>p<8080>P<>", -1, 0},
	{HostField, "[::1]", "h<[::1]>P<>", -1, 0},
	{HostField, "[::1]x", "", 5, ErrHost},
	{HostField, "h/", "", 1, ErrForm},
	{HostField, "u@h", "", 1, ErrForm},
	{HostField, "a,b c", "", 3, ErrHost},

	{Form(200), "", "", 0, ErrForm},
}

// parts writes the parts of a view in the format of scanRows.
func parts[T Text](v *ViewOf[T]) string {
	var b strings.Builder
	for _, c := range []struct {
		letter string
		of     Component
		text   T
	}{
		{"s", Scheme, v.Scheme()},
		{"u", Userinfo, v.Userinfo()},
		{"h", Host, v.Host()},
		{"p", Port, v.Port()},
		{"P", Path, v.Path()},
		{"q", Query, v.Query()},
		{"f", Fragment, v.Fragment()},
	} {
		if v.Has(c.of) {
			fmt.Fprintf(&b, "%s<%s>", c.letter, string(c.text))
		}
	}
	return b.String()
}

func TestScan(t *testing.T) {
	for _, row := range scanRows {
		var v StringView
		err := v.Scan(row.form, row.in)
		if row.why != 0 {
			assert.Equal(t, row.why, err, "form %d of %q", row.form, row.in)
			assert.Equal(t, "P<>", parts(&v), "form %d of %q", row.form, row.in)
		} else if assert.NoError(t, err, "form %d of %q", row.form, row.in) {
			assert.Equal(t, row.parts, parts(&v), "form %d of %q", row.form, row.in)
		}
		assert.Equal(t, row.at, v.ErrorOffset(), "form %d of %q", row.form, row.in)
		judge(t, row.in)
	}
}

func TestScanPrefix(t *testing.T) {
	for _, row := range []struct {
		form Form
		in   string
		n    int
		why  Error
	}{
		{URI, "http://example.com/a?b is where", 22, 0},
		{URI, "http://[::1]/> and", 13, 0},
		{Reference, "http://h:80x/", 11, 0},
		{Reference, "//abc:1x/", 7, 0},
		{Reference, "//[::1", 2, 0},
		{Reference, "//u:p@[::1", 6, 0},
		{Reference, "//u:p@h:8x", 9, 0},
		{Reference, "a%4", 1, 0},
		{Reference, "//h%4:8", 3, 0},
		{Reference, "1a:b", 2, 0},
		{Reference, " ", 0, 0},
		{RelativeRef, "http://h", 4, 0},
		{AbsoluteURI, "x:y#z", 3, 0},
		{URI, "no scheme", 0, ErrScheme},
		{OriginForm, "/a#b", 2, 0},
		{OriginForm, "a", 0, ErrPath},
		{AuthorityForm, "h:80x", 4, 0},
		{AuthorityForm, "h", 0, ErrPort},
		{AuthorityForm, "[::1", 0, ErrIPLiteral},
		{AsteriskForm, "*/", 1, 0},
		{AsteriskForm, "/", 0, ErrForm},
		{AsteriskForm, "", 0, ErrForm},
		{HostField + 1, "", 0, ErrForm},
		{HostField, "h:80/", 4, 0},
		{HostField, "[::1", 0, 0},
		{Reference | Lenient, "/a b|\xFF\x01c", 6, 0},
		{Reference, "/a[b c", 2, 0},
		{Reference, "//[::1 ", 2, 0},
		{Reference, "//[::1]/a b", 9, 0},
		{Reference, "/" + strings.Repeat("a", plainPrefix-2) + " b", plainPrefix - 1, 0},
		{Reference, "/" + strings.Repeat("a", plainPrefix) + " b", plainPrefix + 1, 0},
	} {
		var v View
		n, err := v.ScanPrefix(row.form, []byte(row.in))
		assert.Equal(t, row.n, n, row.in)
		if row.why != 0 {
			assert.Equal(t, row.why, err, row.in)
		} else {
			assert.NoError(t, err, row.in)
		}
		assert.Equal(t, row.in[:n], v.String())
	}
}

// TestBlockEdges puts the decisive bytes of the state machine at every offset of the first blocks.
func TestBlockEdges(t *testing.T) {
	for i := range 3*blockSize + 3 {
		filler := strings.Repeat("x", i)
		for _, s := range []string{
			filler + "%41", filler + "%4", filler + "%", filler + "%4g", filler + "%g", filler + " ", filler + ":y",
			filler + "://h",
			filler + "?q#f", filler + "?#?", filler + "#f#", filler + "%41:y", "1" + filler + ":y",
			"//" + filler, "//" + filler + ":80/p", "//" + filler + ":8x/p", "//" + filler + "@h:1?q",
			"//" + filler + "@h@",
			"//u:" + filler + "@h", "//" + filler + "%41@%42:", "//" + filler + "[::1]", "//" + filler + "@[::1]:8/",
			"//[v1." + filler + "]:8?q",
			"//[v1." + filler, "//h/" + filler + "?" + filler + "#" + filler, "x:" + filler + "/[",
			"//h:" + strings.Repeat("9", i) + "/",
		} {
			if i > 2*blockSize && i%7 != 0 && i%blockSize > 2 {
				continue
			}
			for _, form := range []Form{Reference, AbsoluteURI, OriginForm, HostField} {
				require.Equal(t, slowRead(form, s), read(t, form, s), "form %d of %q", form, s)
			}
		}
	}
}

// TestLongTexts puts the fault, or the fragment, far from the start, near the boundaries of blocks.
func TestLongTexts(t *testing.T) {
	for _, blocks := range []int{16, 1024, 1094} {
		for n := blocks*blockSize - 2; n <= blocks*blockSize+2; n++ {
			long := strings.Repeat("y", n)
			var v StringView
			require.NoError(t, v.Scan(URI, "x:"+long+"?"+long+"#"+long))
			require.Equal(t, "s<x>P<"+long+">q<"+long+">f<"+long+">", parts(&v))
			require.NoError(t, v.Scan(URI, "x://"+long+"@"+long+":1"))
			require.Equal(t, "s<x>u<"+long+">h<"+long+">p<1>P<>", parts(&v))
			require.NoError(t, v.Scan(URI, "x"+long+":"))
			require.Equal(t, ErrPercent, v.Scan(Reference, long+"%4"))
			require.Equal(t, n+2, v.ErrorOffset())
			require.Equal(t, ErrHost, v.Scan(Reference, "//"+long+" "))
			require.Equal(t, n+2, v.ErrorOffset())
			require.Equal(t, ErrScheme, v.Scan(Reference, "9"+long+":"))
			require.Equal(t, n+1, v.ErrorOffset())
		}
	}
}

func TestErrorText(t *testing.T) {
	seen := map[string]Error{}
	for e := ErrScheme; e <= ErrName; e++ {
		assert.True(t, strings.HasPrefix(e.Error(), "uri: "))
		assert.NotContains(t, seen, e.Error())
		seen[e.Error()] = e
	}
	assert.Equal(t, "uri: unknown error", Error(0).Error())
	assert.Equal(t, "uri: unknown error", (ErrName + 1).Error())
}

// TestPrefixLimit finds prefixes up to a limit that costs no memory.
func TestPrefixLimit(t *testing.T) {
	for text, want := range map[string]error{"12345678": ErrTooLong, "12345%41": ErrTooLong, "1234567": nil} {
		v := view{src: text}
		require.Equal(t, want, v.scanPrefix(Reference, 7), text)
		require.Equal(t, want == nil, v.src == text, text)
	}
}

// TestLenient has inputs that only a lenient form accepts, and inputs that no form accepts. Parts are written
// in the format of scanRows.
func TestLenient(t *testing.T) {
	for _, row := range []struct {
		form  Form
		in    string
		parts string
		at    int
		why   Error
	}{
		{Reference, "/%zz[\\]?{}%[?]#\"#/?\xFF", "P</%zz[\\]>q<{}%[?]>f<\"#/?\xFF>", -1, 0},
		{Reference, "%", "P<%>", -1, 0},
		{Reference, "a[b]\x7F", "P<a[b]\x7F>", -1, 0},
		{Reference, "http://u@h:1/ä|", "s<http>u<u>h<h>p<1>P</ä|>", -1, 0},
		{Reference, "x:[", "s<x>P<[>", -1, 0},
		{Reference, "x:%", "s<x>P<%>", -1, 0},
		{Reference, "##", "P<>f<#>", -1, 0},
		{Reference, "/a b", "P</a b>", -1, 0},
		{Reference, "/a\x1Fb", "", 2, ErrPath},
		{Reference, "/?\t", "", 2, ErrQuery},
		{Reference, "#\x00", "", 1, ErrFragment},
		{Reference, "%41:b", "", 3, ErrScheme},
		{Reference, "[::1]:80", "", 1, ErrScheme},
		{Reference, "1a:b", "", 2, ErrScheme},
		{Reference, "//h\\", "", 3, ErrHost},
		{Reference, "//h%4", "", 5, ErrPercent},
		{Reference, "http://h%zz/", "", 9, ErrPercent},
		{Reference, "//u%@h", "", 4, ErrPercent},
		{Reference, "//[::1%25]/", "", 6, ErrIPLiteral},
		{Reference, "//h:8%", "", 6, ErrPercent},
		{Reference, "http://a@b@c/", "", 10, ErrHost},
		{URI, "h[p:", "", 1, ErrScheme},
		{AbsoluteURI, "x:/%?[#", "", 6, ErrForm},
		{RelativeRef, "x:[", "", 1, ErrForm},
		{OriginForm, "//[?%", "P<//[>q<%>", -1, 0},
		{OriginForm, "/%#", "", 2, ErrForm},
		{AuthorityForm, "h%zz:1", "", 2, ErrPercent},
		{AsteriskForm, "*", "P<*>", -1, 0},
		{AsteriskForm, "[", "", 0, ErrForm},
		{HostField, "[a]", "", 2, ErrIPLiteral},
		{HostField, "h|", "", 1, ErrHost},
	} {
		var v StringView
		err := v.Scan(row.form|Lenient, row.in)
		if row.why != 0 {
			assert.Equal(t, row.why, err, "form %d of %q", row.form, row.in)
		} else if assert.NoError(t, err, "form %d of %q", row.form, row.in) {
			assert.Equal(t, row.parts, parts(&v), "form %d of %q", row.form, row.in)
		}
		assert.Equal(t, row.at, v.ErrorOffset(), "form %d of %q", row.form, row.in)
		slow := slowReadLenient(row.form, row.in)
		assert.Equal(t, row.why, slow.why, "slow twin: form %d of %q", row.form, row.in)
		assert.Equal(t, row.at, slow.offset, "slow twin: form %d of %q", row.form, row.in)
	}

	// At every offset of the first blocks.
	for i := range 2*blockSize + 3 {
		filler := strings.Repeat("x", i)
		for _, s := range []string{
			filler + "%", filler + "[", filler + "%:", filler + "[:", "/" + filler + "%4?%[", "//" + filler + "%4",
			"//" + filler + "%4/%", "//h/" + filler + "%zz",
			"x://" + filler + "%41/%", "#" + filler + "#", filler + "?#" + filler + "#", filler + "#%#",
			"/" + filler + " ", "/" + filler + "\x7F%\xFF ",
			"//" + filler + "@h%/", "//u%@" + filler, "//h:" + filler, "x:" + filler + "%[", "#" + filler + "%",
			"//" + filler + "%4:80/[", "//" + filler + "[",
		} {
			for _, form := range []Form{Reference, AbsoluteURI, OriginForm, HostField} {
				require.Equal(t, slowReadLenient(form, s), read(t, form|Lenient, s), "lenient form %d of %q", form, s)
			}
		}
	}
}

func FuzzLenient(f *testing.F) {
	operands(f, func(s string) { f.Add(s) })
	for _, s := range []string{
		"/%zz[\\]?{}%#\"#\xFF", "a%:b", "[:", "a b", "//h%", "?\x7F#\x00",
		"http://h/\x1F", "http://h:80%/", "%", "/%", "?%4", "//h/%4", "/ #",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = shortened(s)
		for form := Reference; form <= HostField; form++ {
			want := slowReadLenient(form, s)
			requireEqual(t, want, read(t, form|Lenient, s), "lenient form %d of %q", form, s)
			requireEqual(t, want, read(t, form|Lenient, []byte(s)), "lenient form %d of bytes %q", form, s)
			if strict := slowRead(form, s); strict.why == 0 {
				requireEqual(t, strict, want, "what is strict is lenient, form %d of %q", form, s)
			}
		}
	})
}
