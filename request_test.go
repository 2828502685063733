package uri

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRequestForm(t *testing.T) {
	for _, row := range []struct {
		method, target string
		form           Form
	}{
		{"GET", "/where?q=now", OriginForm},                                    // RFC 9112 section 3.2.1
		{"GET", "http://www.example.org/pub/WWW/TheProject.html", AbsoluteURI}, // 3.2.2
		{"CONNECT", "www.example.com:80", AuthorityForm},                       // 3.2.3
		{"OPTIONS", "*", AsteriskForm},                                         // 3.2.4
		{"GET", "//h", OriginForm},
		{"OPTIONS", "/", OriginForm},
		{"OPTIONS", "**", AbsoluteURI},
		{"GET", "*", AbsoluteURI},
		{"CONNECT", "*", AuthorityForm},
		{"CONNECT", "/", AuthorityForm},
		{"connect", "h:1", AbsoluteURI}, // methods are case-sensitive
		{"options", "*", AbsoluteURI},
		{"GET", "", AbsoluteURI},
		{"", "/", OriginForm},
	} {
		assert.Equal(t, row.form, RequestForm(row.method, row.target), "%s %s", row.method, row.target)
		assert.Equal(t, row.form, RequestForm([]byte(row.method), row.target), "%s %s", row.method, row.target)
		assert.Equal(t, row.form, RequestForm(row.method, []byte(row.target)), "%s %s", row.method, row.target)
		assert.Equal(t, row.form, slowRequestForm(row.method, row.target), "slow twin: %s %s", row.method,
			row.target)
	}
}

func TestTargetURI(t *testing.T) {
	for _, row := range []struct {
		scheme       string
		form         Form
		target, host string
		want         string
		why          Error
	}{
		// RFC 9112 section 3.3: the examples of the RFC, and the other forms.
		{
			"http", OriginForm, "/pub/WWW/TheProject.html", "www.example.org:8080",
			"http://www.example.org:8080/pub/WWW/TheProject.html", 0,
		},
		{"http", AsteriskForm, "*", "www.example.org:8001", "http://www.example.org:8001", 0},
		{"http", AuthorityForm, "www.example.com:80", "www.example.com", "http://www.example.com:80", 0},
		{"https", AbsoluteURI, "https://a/p?q", "b", "https://a/p?q", 0},
		{"https", OriginForm, "//p?q", "[::1]:", "https://[::1]://p?q", 0},
		{"x+y", OriginForm, "/", "", "x+y:///", 0},
		{"x", AsteriskForm, "*", "", "x://", 0},
		{"x", AbsoluteURI, "x://u@/", "", "x://u@/", 0},
		{"x", AbsoluteURI, "x:p", "", "x:p", 0},
		{"x", AuthorityForm, ":1", "", "x://:1", 0},

		{"", OriginForm, "/", "h", "", ErrScheme},
		{"1x", OriginForm, "/", "h", "", ErrScheme},
		{"http:", OriginForm, "/", "h", "", ErrScheme},
		{"h ttp", AsteriskForm, "*", "h", "", ErrScheme},
		{"http", OriginForm, "/", "", "", ErrHost}, // RFC 9110 section 4.2.1
		{"HTTPS", OriginForm, "/", ":80", "", ErrHost},
		{"Http", AsteriskForm, "*", "", "", ErrHost},
		{"https", AuthorityForm, ":443", "h", "", ErrHost},
		{"http", AbsoluteURI, "http:///", "h", "", ErrHost},
		{"http", AbsoluteURI, "http://:80/", "h", "", ErrHost},
		{"http", AbsoluteURI, "HTTP:p", "h", "", ErrHost},
		{"http", AbsoluteURI, "http://u@h/", "h", "", ErrUserinfo}, // section 4.2.4
		{"https", AbsoluteURI, "HTTPS://u:p@h/", "h", "", ErrUserinfo},
		{"http", AuthorityForm, "h:", "h", "", ErrPort}, // RFC 9110 section 9.3.6
		{"http", AuthorityForm, "h:65536", "h", "", ErrPort},
		{"x", AuthorityForm, ":", "h", "", ErrPort},
		{"http", Reference, "/", "h", "", ErrForm},
		{"http", URI, "http://h", "h", "", ErrForm},
		{"http", HostField, "h", "h", "", ErrForm},
		{"http", RelativeRef, "/", "h", "", ErrForm},
		{"http", Form(99), "/", "h", "", ErrForm},
	} {
		v, w := views(t, row.target, min(row.form, HostField))
		h, hs := views(t, row.host, HostField)
		for _, append := range []func(dst []byte) ([]byte, error){
			func(dst []byte) ([]byte, error) { return AppendTargetURI(dst, row.scheme, row.form, &v, &hs) },
			func(dst []byte) ([]byte, error) { return AppendTargetURI(dst, row.scheme, row.form, &w, &h) },
		} {
			out, why := appendedOr(t, append)
			assert.Equal(t, row.why, why, "%s, form %d, %q, %q", row.scheme, row.form, row.target, row.host)
			assert.Equal(t, row.want, out, "%s, form %d, %q, %q", row.scheme, row.form, row.target, row.host)
		}
		slow, why := slowTargetURI(row.scheme, row.form, row.target, row.host)
		assert.Equal(t, row.why, why, "slow twin: %s, form %d, %q, %q", row.scheme, row.form, row.target, row.host)
		assert.Equal(t, row.want, slow, "slow twin: %s, form %d, %q, %q", row.scheme, row.form, row.target,
			row.host)
	}
}

func TestHostAgrees(t *testing.T) {
	for _, row := range []struct {
		target, host string
		agree        bool
	}{
		{"http://example.com/", "example.com", true},
		{"http://EXAMPLE.com:80/p?q", "example.COM", true},
		{"http://example.com", "example.com:", true},
		{"http://example.com:", "example.com:0080", true},
		{"HTTPS://h", "h:443", true},
		{"ws://h:80", "h", true},
		{"wss://h", "h:0443", true},
		{"ftp://h:21", "h:", true},
		{"http://%65xample.com/", "e%78ample.com", true},
		{"http://%c3/", "%C3", true},
		{"http://[::1]:8080/", "[0:0::0:1]:8080", true},
		{"http://u@h/", "h", true},
		{"foo://h", "h", true},
		{"foo://h:1", "h:01", true},
		{"foo://h:", "h", true},
		{"http://h:99999999999999999999", "h:099999999999999999999", true},
		{"x:p", "", true}, // no authority: an empty field, RFC 9110 section 7.2
		{"file:///p", "", true},

		{"http://example.com/", "example.org", false},
		{"http://example.com/", "example.com.", false},
		{"http://h/", "h:443", false},
		{"https://h:80", "h", false},
		{"https://h/", "h:80", false},
		{"foo://h", "h:80", false},
		{"foo://h:0", "h", false},
		{"http://h:80", "h:65616", false}, // 80 in 16 bits
		{"http://h:80", "h:18446744073709551696", false},
		{"http://h:99999999999999999999", "h:99999999999999999998", false},
		{"http://[::1]/", "[::2]", false},
		{"http://1.2.3.4/", "[::ffff:1.2.3.4]", false},
		{"http://a%2Fb/", "a%2fc", false},
		{"http://h/", "", false},
		{"x:p", "h", false},

		// authority-form
		{"h:80", "h", true},
		{"h:80", "H:080", true},
		{"h:80", "h:", true},
		{"h:", "h", true},
		{"h:80", "h:81", false},
		{"h:80", "i", false},
		{"h:", "h:80", false},
	} {
		form := AbsoluteURI
		if strings.HasPrefix(row.target, "h:") {
			form = AuthorityForm
		}
		v, w := views(t, row.target, form)
		h, hs := views(t, row.host, HostField)
		assert.Equal(t, row.agree, HostAgrees(&v, &hs), "%q, %q", row.target, row.host)
		assert.Equal(t, row.agree, HostAgrees(&w, &h), "%q, %q", row.target, row.host)
		slow := slowHostAgrees(form, row.target, row.host)
		assert.Equal(t, row.agree, slow, "slow twin: %q, %q", row.target, row.host)
	}
}

func TestCheckTarget(t *testing.T) {
	for _, row := range []struct {
		method, target, host string
		why                  Error
	}{
		{"GET", "/", "h", 0},
		{"GET", "//a?b", "[::1]:65535", 0},
		{"GET", "/", "h:", 0},
		{"GET", "http://h/", "h", 0},
		{"GET", "HTTPS://H:443?q", "h", 0},
		{"OPTIONS", "*", "h:80", 0},
		{"OPTIONS", "http://h", "h", 0},
		{"CONNECT", "h:80", "h:080", 0},
		{"CONNECT", "www.example.com:80", "www.example.com", 0}, // RFC 9112 section 3.2.3
		{"CONNECT", "h:65535", "h:", 0},

		{"GET", "/a b", "h", ErrPath},
		{"GET", "/a#b", "h", ErrForm},
		{"GET", "a", "h", ErrScheme},
		{"GET", "", "h", ErrScheme},
		{"GET", "*", "h", ErrScheme},
		{"CONNECT", "/", "h", ErrForm},
		{"CONNECT", "h", "h", ErrPort},
		{"GET", "/", "u@h", ErrForm},
		{"GET", "/", "h,i:x", ErrPort},
		{"GET", "/%", "h h", ErrPercent}, // the target comes first
		{"GET", "http://h/", "h h", ErrHost},
		{"GET", "ftp://h/", "h", ErrScheme},
		{"GET", "mailto:u@h", "", ErrScheme},
		{"GET", "ftp://u@/", "h", ErrScheme}, // the first that applies
		{"GET", "http://u@h/", "h", ErrUserinfo},
		{"GET", "http://@/", "h", ErrUserinfo},
		{"GET", "http://:99999/", "h", ErrHost},
		{"GET", "http:h", "h", ErrHost},
		{"GET", "http:///h", "h", ErrHost},
		{"GET", "/", "", ErrHost},
		{"GET", "/", ":80", ErrHost},
		{"OPTIONS", "*", "", ErrHost},
		{"CONNECT", ":80", "", ErrHost},
		{"GET", "/", "h:65536", ErrPort},
		{"OPTIONS", "*", "h:65536", ErrPort},
		{"GET", "http://h:65536/", "h:65536", ErrPort},
		{"CONNECT", "h:65536", "h:65536", ErrPort},
		{"CONNECT", "h:", "h", ErrPort},
		{"GET", "http://h/", "i", ErrHostField},
		{"GET", "http://h/", "h:443", ErrHostField},
		{"GET", "http://h/", "", ErrHostField},
		{"CONNECT", "h:80", "h:81", ErrHostField},
		{"CONNECT", "h:80", "i", ErrHostField},
	} {
		why := func(err error) Error {
			reason, _ := err.(Error)
			return reason
		}
		name := row.method + " " + row.target + " " + row.host
		assert.Equal(t, row.why, why(CheckTarget(row.method, row.target, row.host)), name)
		assert.Equal(t, row.why, why(CheckTarget([]byte(row.method), []byte(row.target), []byte(row.host))), name)
		assert.Equal(t, row.why, slowCheckTarget(row.method, row.target, row.host), "slow twin: %s", name)
	}
}

// TestFailedViews requires that a view of a failed scan grants nothing: an operation on it that can return an
// error does, and no comparison is true.
func TestFailedViews(t *testing.T) {
	var failed, same StringView
	valid, err := Parse("http://h/")
	require.NoError(t, err)
	host, err := Parse("http://h/")
	require.NoError(t, err)
	require.Equal(t, ErrHost, failed.Scan(Reference, "http://h h/"))
	require.Equal(t, ErrHost, same.Scan(Reference, "http://h h/"))
	for name, f := range map[string]func() ([]byte, error){
		"AppendText":             func() ([]byte, error) { return failed.AppendText(nil) },
		"MarshalText":            func() ([]byte, error) { return failed.MarshalText() },
		"AppendMappedParams":     func() ([]byte, error) { return failed.AppendMappedParams(nil, nil) },
		"AppendResolved, base":   func() ([]byte, error) { return AppendResolved(nil, &failed, &valid, 0) },
		"AppendResolved, ref":    func() ([]byte, error) { return AppendResolved(nil, &valid, &failed, 0) },
		"AppendRelative, base":   func() ([]byte, error) { return AppendRelative(nil, &failed, &valid) },
		"AppendRelative, target": func() ([]byte, error) { return AppendRelative(nil, &valid, &failed) },
		"AppendTargetURI, target": func() ([]byte, error) {
			return AppendTargetURI(nil, "http", AbsoluteURI, &failed, &host)
		},
		"AppendTargetURI, host": func() ([]byte, error) {
			return AppendTargetURI(nil, "http", AbsoluteURI, &valid, &failed)
		},
		"Err": func() ([]byte, error) { return nil, failed.Err().(ScanError).Reason },
	} {
		out, err := f()
		assert.Equal(t, ErrHost, err, name)
		assert.Empty(t, out, name)
	}
	for name, is := range map[string]bool{
		"Equivalent, both":   Equivalent(&failed, &same, SyntaxBased),
		"Equivalent, same":   Equivalent(&failed, &failed, 0),
		"Equivalent, first":  Equivalent(&failed, new(StringView), 0),
		"Equivalent, second": Equivalent(new(StringView), &failed, 0),
		"HostAgrees, both":   HostAgrees(&failed, &same),
		"HostAgrees, first":  HostAgrees(&failed, new(StringView)),
		"HostAgrees, second": HostAgrees(new(StringView), &failed),
		"IsNormalized":       failed.IsNormalized(0),
		"SchemeIs":           failed.SchemeIs(""),
		"HostIs":             failed.HostIs(""),
		"HasPort":            failed.HasPort(),
		"Traits":             failed.Traits()&HasALabel == 0,
	} {
		assert.False(t, is, name)
	}
	assert.Empty(t, failed.AppendNormalized(nil, SchemeBased))
	assert.Empty(t, failed.AppendComponent(nil, Path, SchemeBased))
	assert.Equal(t, SchemeBased, failed.StepsNeeded(SchemeBased))
	for trait := HasEscape; trait <= HasNonASCII; trait <<= 1 {
		assert.NotZero(t, failed.Traits()&trait, "%v", trait)
	}
	assert.Equal(t, HasNonASCII<<1-1, failed.Traits())
}

func FuzzRequest(f *testing.F) {
	operands(f, func(s string) {
		f.Add("GET", s, "Example.com:80", "http")
		f.Add("CONNECT", "example.com:443", s, "https")
	})
	f.Add("OPTIONS", "*", "h:0080", "HTTP")
	f.Add("options", "*", "", "x")
	f.Add("CONNECT", "*", "[::1]", "1x")
	f.Add("GET", "http://u@h/", "h", "http")
	f.Add("GET", "HTTP://%41:/p", "a:80", "http")
	f.Add("GET", "x://[::0:1]", "[::1]:", "http")
	f.Fuzz(func(t *testing.T, method, target, host, scheme string) {
		target, host = shortened(target), shortened(host)
		reason, _ := CheckTarget(method, target, []byte(host)).(Error)
		requireEqual(t, slowCheckTarget(method, target, host), reason, "%s %q, %q", method, target, host)
		form := slowRequestForm(method, target)
		requireEqual(t, form, RequestForm(method, target))
		requireEqual(t, form, RequestForm([]byte(method), []byte(target)))

		v, w, _, ok := scanned(t, form, target)
		if !ok {
			return
		}
		var vh View
		var wh StringView
		if wh.Scan(HostField, host) != nil || vh.Scan(HostField, []byte(host)) != nil {
			return
		}
		want, reason := slowTargetURI(scheme, form, target, host)
		for _, append := range []func(dst []byte) ([]byte, error){
			func(dst []byte) ([]byte, error) { return AppendTargetURI(dst, scheme, form, &v, &vh) },
			func(dst []byte) ([]byte, error) { return AppendTargetURI(dst, scheme, form, &v, &wh) },
			func(dst []byte) ([]byte, error) { return AppendTargetURI(dst, scheme, form, &w, &vh) },
			func(dst []byte) ([]byte, error) { return AppendTargetURI(dst, scheme, form, &w, &wh) },
		} {
			got, why := appendedOr(t, append)
			requireEqual(t, reason, why, "form %d, %q, %q, %q", form, scheme, target, host)
			requireEqual(t, want, got, "form %d, %q, %q, %q", form, scheme, target, host)
		}
		if reason == 0 {
			require.True(t, Valid(AbsoluteURI|Lenient, want), "%q", want)
		}
		if form == AbsoluteURI || form == AuthorityForm {
			agree := slowHostAgrees(form, target, host)
			for _, level := range levels {
				level.use()
				requireEqual(t, agree, HostAgrees(&v, &vh), "%q, %q", target, host)
				requireEqual(t, agree, HostAgrees(&v, &wh), "%q, %q", target, host)
				requireEqual(t, agree, HostAgrees(&w, &vh), "%q, %q", target, host)
				requireEqual(t, agree, HostAgrees(&w, &wh), "%q, %q", target, host)
			}
		}
		requireEqual(t, target, v.String(), "the input is unchanged")
		require.True(t, bytes.Equal([]byte(host), vh.Text()), "the input is unchanged")
	})
}
