package uri

import (
	"encoding"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	_ encoding.TextAppender    = (*View)(nil)
	_ encoding.TextMarshaler   = (*View)(nil)
	_ encoding.TextUnmarshaler = (*View)(nil)
)

func TestZeroView(t *testing.T) {
	var zero View
	scanned, err := Parse[[]byte](nil)
	require.NoError(t, err)
	for _, v := range []*View{&zero, &scanned} {
		assert.Equal(t, "P<>", parts(v))
		assert.Equal(t, NoHost, v.HostKind())
		assert.False(t, v.Addr().IsValid())
		assert.True(t, v.IsRelative())
		assert.False(t, v.HasPort())
		assert.Equal(t, -1, v.ErrorOffset())
		assert.Empty(t, v.Text())
		assert.Empty(t, v.String())
	}
}

func TestSpan(t *testing.T) {
	const s = "foo://us:pass:w@example.com:80/p/q?k=v#nose"
	v, err := Parse(s)
	require.NoError(t, err)
	for _, c := range []struct {
		of   Component
		want string
		read string
	}{
		{Scheme, "foo", v.Scheme()},
		{Authority, "us:pass:w@example.com:80", v.Authority()},
		{Userinfo, "us:pass:w", v.Userinfo()},
		{User, "us", v.User()},
		{Password, "pass:w", v.Password()},
		{Host, "example.com", v.Host()},
		{Port, "80", v.Port()},
		{Path, "/p/q", v.Path()},
		{Query, "k=v", v.Query()},
		{Fragment, "nose", v.Fragment()},
	} {
		i, j := v.Span(c.of)
		assert.Equal(t, c.want, s[i:j], "component %d", c.of)
		assert.Equal(t, c.want, c.read, "component %d", c.of)
		assert.Equal(t, c.want, v.Component(c.of), "component %d", c.of)
		assert.True(t, v.Has(c.of))
	}
	assert.False(t, v.Has(99))
	i, j := v.Span(99)
	assert.Equal(t, [2]int{-1, -1}, [2]int{i, j})
	assert.Empty(t, v.Component(99))
	assert.False(t, v.IsRelative())
	assert.True(t, v.HasPort())
}

func TestUserAndPassword(t *testing.T) {
	for _, row := range []struct {
		in             string
		user, password string
		hasPassword    bool
	}{
		{"//h", "", "", false},
		{"//@h", "", "", false},
		{"//u@h", "u", "", false},
		{"//u:@h", "u", "", true},
		{"//:p@h", "", "p", true},
		{"//u:p:q@h", "u", "p:q", true},
	} {
		v, err := Parse(row.in)
		require.NoError(t, err)
		assert.Equal(t, row.user, v.User(), row.in)
		assert.Equal(t, row.password, v.Password(), row.in)
		assert.Equal(t, row.hasPassword, v.Has(Password), row.in)
	}
}

func TestPortNumber(t *testing.T) {
	for _, row := range []struct {
		in     string
		number uint16
		ok     bool
	}{
		{"//h", 0, false},
		{"//h:", 0, false},
		{"//h:0", 0, true},
		{"//h:00080", 80, true},
		{"//h:65535", 65535, true},
		{"//h:65536", 0, false},
		{"//h:99999999999999999999", 0, false},
		{"//h:4294967376", 0, false}, // 80 in 32 bits
		{"//h:00000000000000000000000001", 1, true},
	} {
		v, err := Parse(row.in)
		require.NoError(t, err)
		number, ok := v.PortNumber()
		assert.Equal(t, row.number, number, row.in)
		assert.Equal(t, row.ok, ok, row.in)
	}
}

func TestSegments(t *testing.T) {
	for path, want := range map[string][]string{
		"":        nil,
		"/":       {"", ""},
		"/a/b":    {"", "a", "b"},
		"a/":      {"a", ""},
		"a":       {"a"},
		"x:a//b":  {"a", "", "b"},
		"//h//a":  {"", "", "a"},
		"/%2F/..": {"", "%2F", ".."},
	} {
		v, err := Parse(path)
		require.NoError(t, err)
		assert.Equal(t, want, slices.Collect(v.Segments()), path)
		for first := range v.Segments() {
			assert.Equal(t, want[0], first)
			break
		}
	}
}

// TestClipped appends to everything that a view returns. The input must not change.
func TestClipped(t *testing.T) {
	const s = "foo://u:p@h:80/a/b?q#f"
	b := append(make([]byte, 0, 100), s...)
	v, err := Parse(b)
	require.NoError(t, err)
	texts := slices.Collect(v.Segments())
	texts = append(texts, v.Text(), v.Scheme(), v.Authority(), v.Userinfo(), v.User(), v.Password(), v.Host(),
		v.Port(), v.Path(), v.Query(), v.Fragment())
	for c := Scheme; c <= Fragment+1; c++ {
		texts = append(texts, v.Component(c))
	}
	for _, text := range texts {
		assert.Equal(t, len(text), cap(text))
		_ = append(text, "overwritten"...)
	}
	assert.Equal(t, s, string(b))
	assert.Equal(t, s, v.String())
}

// TestErr requires that errors.Is finds the reason and errors.As finds the offset.
func TestErr(t *testing.T) {
	var v View
	require.NoError(t, v.Err())
	err := v.Scan(Reference, []byte("http://h h/"))
	require.Equal(t, ErrHost, err)
	require.Equal(t, ScanError{Offset: 8, Reason: ErrHost}, v.Err())
	require.ErrorIs(t, v.Err(), ErrHost)
	require.EqualError(t, v.Err(), "uri: invalid host at offset 8")
	require.NoError(t, v.Scan(Reference, []byte("http://h/")))
	require.NoError(t, v.Err())
	for _, row := range scanRows {
		err := v.Scan(row.form, []byte(row.in))
		if err == nil {
			require.NoError(t, v.Err())
			continue
		}
		require.Equal(t, ScanError{v.ErrorOffset(), err.(Error)}, v.Err(), row.in)
	}
}

// TestFailed shows that the view of a failed scan has nothing.
func TestFailed(t *testing.T) {
	bad, err := Parse("http://h h/")
	require.Equal(t, ErrHost, err)
	good, err := Parse("http://h/")
	require.NoError(t, err)
	for name, operation := range map[string]func() ([]byte, error){
		"AppendResolved, base":   func() ([]byte, error) { return AppendResolved(nil, &bad, &good, 0) },
		"AppendResolved, ref":    func() ([]byte, error) { return AppendResolved(nil, &good, &bad, 0) },
		"AppendRelative, base":   func() ([]byte, error) { return AppendRelative(nil, &bad, &good) },
		"AppendRelative, target": func() ([]byte, error) { return AppendRelative(nil, &good, &bad) },
		"AppendTargetURI, target": func() ([]byte, error) {
			return AppendTargetURI(nil, "http", OriginForm, &bad, &good)
		},
		"AppendTargetURI, host": func() ([]byte, error) {
			return AppendTargetURI(nil, "http", OriginForm, &good, &bad)
		},
		"AppendMappedParams": func() ([]byte, error) { return bad.AppendMappedParams(nil, nil) },
	} {
		out, err := operation()
		assert.Equal(t, ErrHost, err, name)
		assert.Empty(t, out, name)
	}
	assert.False(t, HostAgrees(&bad, &bad))
	assert.False(t, HostAgrees(&good, &bad))
	assert.False(t, bad.HostIs(""))
	assert.False(t, bad.SchemeIs(""))
}

func TestSchemeIsHostIs(t *testing.T) {
	for _, row := range []struct {
		in, scheme, host  string
		scheming, hosting bool
	}{
		{"HTTP://EX%61mple.com:80/", "http", "Example.COM", true, true},
		{"http://example.com/", "https", "example.co", false, false},
		{"https://example.com/", "http", "example.com.", false, false},
		{"//[::A]", "", "[::a]", false, true},
		{"a:b", "A", "", true, false},
		{"file:///", "FILE", "", true, true},
		{"k://k", "\u212A", "\u212A", false, false}, // no folding beyond ASCII
		{"s://%C3%84", "S", "\u00C4", true, true},
		{"s://a%2Fb", "s", "a/b", true, true},
		{"", "", "", false, false},
	} {
		v, err := Parse(row.in)
		require.NoError(t, err)
		assert.Equal(t, row.scheming, v.SchemeIs(row.scheme), row.in)
		assert.Equal(t, row.hosting, v.HostIs(row.host), row.in)
	}
}

func TestHostPort(t *testing.T) {
	for in, want := range map[string]string{
		"http://u:p@h:80/a": "h:80", "//h": "h", "//@h:": "h:", "a": "", "file:///a": "", "//[::1]:8": "[::1]:8",
	} {
		v, err := Parse([]byte(in))
		require.NoError(t, err)
		assert.Equal(t, want, string(v.HostPort()), in)
		assert.Equal(t, len(want), cap(v.HostPort()), "clipped")
	}
}

func TestClone(t *testing.T) {
	input := []byte("http://u@h:80/a?b#c")
	v, err := Parse(input)
	require.NoError(t, err)
	clone := v.Clone()
	copy(input, strings.Repeat("x", len(input)))
	require.Equal(t, "http://u@h:80/a?b#c", clone.String())
	require.Equal(t, "h", string(clone.Host()))
	require.Error(t, v.Scan(Reference, []byte(" ")))
	clone = v.Clone()
	require.Equal(t, 0, clone.ErrorOffset())
}

// TestCopies changes the input after copying it, and then the copy. Neither must change the other. A nil
// buffer has no room, so appending to it makes a copy as well.
func TestCopies(t *testing.T) {
	appended := func(out []byte, err error) []byte {
		require.NoError(t, err)
		return out
	}
	keep := func(Param) bool { return false }
	base, err := Parse("s://other")
	require.NoError(t, err)
	for name, copied := range map[string]func(v *View) []byte{
		"MarshalText":         func(v *View) []byte { return appended(v.MarshalText()) },
		"AppendText":          func(v *View) []byte { return appended(v.AppendText(nil)) },
		"AppendNormalized":    func(v *View) []byte { return v.AppendNormalized(nil, SchemeBased) },
		"AppendRedacted":      func(v *View) []byte { return AppendRedacted(nil, v.Text(), nil) },
		"Redactor":            func(v *View) []byte { return new(Redactor).Append(nil, v.Text()) },
		"AppendMappedParams":  func(v *View) []byte { return appendWithoutParams(v, nil, keep) },
		"AppendComponent":     func(v *View) []byte { return v.AppendComponent(nil, Path, SyntaxBased) },
		"AppendDecodeLenient": func(v *View) []byte { return AppendDecodeLenient(nil, v.Path()) },
		"Clone": func(v *View) []byte {
			clone := v.Clone()
			return clone.Text()
		},
		"AppendResolved": func(v *View) []byte { return appended(AppendResolved(nil, v, v, 0)) },
		"AppendRelative": func(v *View) []byte { return appended(AppendRelative(nil, &base, v)) },
		"AppendTargetURI": func(v *View) []byte {
			return appended(AppendTargetURI(nil, "s", AbsoluteURI, v, v))
		},
		"AppendRemoveDotSegments": func(v *View) []byte { return AppendRemoveDotSegments(nil, v.Path()) },
		"AppendEncode":            func(v *View) []byte { return AppendEncode(nil, v.Path(), Path.Allowed()) },
		"AppendFormEncode":        func(v *View) []byte { return AppendFormEncode(nil, v.Host()) },
		"AppendDecode":            func(v *View) []byte { return appended(AppendDecode(nil, v.Path())) },
		"AppendFormDecode":        func(v *View) []byte { return appended(AppendFormDecode(nil, v.Path())) },
		"Append": func(v *View) []byte {
			b := v.Builder()
			return appended(b.Append(nil))
		},
		"Append of data": func(v *View) []byte {
			return appended((&Builder{PathText: Data(v.Path())}).Append(nil))
		},
		"UnmarshalText": func(v *View) []byte {
			var w View
			require.NoError(t, w.UnmarshalText(v.Text()))
			return w.Text()
		},
	} {
		input := []byte("s://h/a/b?k=v")
		v, err := Parse(input)
		require.NoError(t, err)
		out := copied(&v)
		want := string(out)
		require.NotEmpty(t, out, name)
		for i := range out {
			out[i] = '1'
		}
		assert.Equal(t, "s://h/a/b?k=v", string(input), name)
		out = append(out[:0], want...)
		for i := range input {
			input[i] = '2'
		}
		assert.Equal(t, want, string(out), name)
	}

	// A string must not share the bytes either.
	input := []byte("s://h/a/b?k=v")
	v, err := Parse(input)
	require.NoError(t, err)
	s := v.String()
	var w StringView
	require.NoError(t, w.UnmarshalText(input))
	input[0] = 'x'
	assert.Equal(t, "s://h/a/b?k=v", s)
	assert.Equal(t, "s://h/a/b?k=v", w.Text())
}

// TestChangedInput breaks the caller's side of the contract. The view then reads wrong bytes, but it does not
// panic.
func TestChangedInput(t *testing.T) {
	const s = "foo://u:p@[::1]:80/a/b?q#f"
	for b := range 256 {
		text := []byte(s)
		v, err := Parse(text)
		require.NoError(t, err)
		for i := range text {
			text[i] = byte(b)
		}
		assert.NotPanics(t, func() {
			v.User()
			v.Password()
			v.Addr()
			v.HostKind()
			v.PortNumber()
			_ = slices.Collect(v.Segments())
		})
	}
}

func TestNamedTypes(t *testing.T) {
	type line []byte
	type name string
	v, err := Parse(line("http://h/"))
	require.NoError(t, err)
	assert.Equal(t, line("h"), v.Host())
	w, err := Parse(name("http://h/"))
	require.NoError(t, err)
	assert.Equal(t, name("h"), w.Host())
}

func TestText(t *testing.T) {
	type record struct{ Link *StringView }
	var r record
	require.NoError(t, json.Unmarshal([]byte(`{"Link":"http://h/?q"}`), &r))
	assert.Equal(t, "q", r.Link.Query())
	out, err := json.Marshal(r)
	require.NoError(t, err)
	assert.JSONEq(t, `{"Link":"http://h/?q"}`, string(out))
	require.ErrorIs(t, json.Unmarshal([]byte(`{"Link":"http://h h/"}`), &r), ErrHost)

	b := []byte("http://h/")
	var v View
	require.NoError(t, v.UnmarshalText(b))
	copy(b, "########")
	assert.Equal(t, "http://h/", v.String(), "UnmarshalText copies")
	out, err = v.AppendText([]byte("see "))
	require.NoError(t, err)
	assert.Equal(t, "see http://h/", string(out))
}
