package uri

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRedact(t *testing.T) {
	for _, row := range []struct {
		in   string
		keys []string
		want string
	}{
		{"", nil, ""},
		{"http://u:p@h:1/a?b#c", nil, "http://REDACTED:REDACTED@h:1/a?b#c"},
		{"http://u@h/", nil, "http://REDACTED:REDACTED@h/"},
		{"//:@h", nil, "//REDACTED:REDACTED@h"},
		{"//@h", nil, "//@h"},
		{"mailto:u:p@h", nil, "mailto:u:p@h"},
		{"http://h/u:p@", nil, "http://h/u:p@"},
		{
			"?sig=1&a=2&Signature=3&AWSAccessKeyId=4&X-Goog-Signature=5", nil,
			"?sig=REDACTED&a=2&Signature=REDACTED&AWSAccessKeyId=REDACTED&X-Goog-Signature=REDACTED",
		},
		{"?sig=1&sig=2=3", nil, "?sig=REDACTED&sig=REDACTED"},
		{"?%73ig=1", nil, "?%73ig=REDACTED"},
		{"?sig=&sig&SIG=1&sigx=2", nil, "?sig=&sig&SIG=1&sigx=2"},
		{"?a=1;sig=2", nil, "?a=1;sig=2"},
		{"#sig=1", nil, "#sig=1"},
		{"/sig=1", nil, "/sig=1"},
		{"?sig=1#sig=1", nil, "?sig=REDACTED#sig=1"},
		{"http://u:p@h/?token=1&sig=2", []string{"token"}, "http://REDACTED:REDACTED@h/?token=REDACTED&sig=2"},
		{"http://u:p@h/?sig=2", []string{}, "http://REDACTED:REDACTED@h/?sig=2"},
		{"?a+b=1", []string{"a b"}, "?a+b=1"},
		{"?=1", []string{""}, "?=REDACTED"},

		// Lenient input: the other bytes do not change.
		{"/a%zz?token=S3CRET&x=%", []string{"token"}, "/a%zz?token=REDACTED&x=%"},
		{"/[a]?token=S3%CRET#{}", []string{"token"}, "/[a]?token=REDACTED#{}"},
		{"?tok%zz=1", []string{"tok%zz"}, "?tok%zz=REDACTED"},
	} {
		assert.Equal(t, row.want, appended(t,
			func(dst []byte) []byte { return AppendRedacted(dst, row.in, row.keys) }), row.in)
		assert.Equal(t, row.want, appended(t,
			func(dst []byte) []byte { return AppendRedacted(dst, []byte(row.in), row.keys) }), row.in)
		v, w := views(t, row.in)
		assert.Equal(t, row.want, appended(t, func(dst []byte) []byte { return v.AppendRedacted(dst, row.keys) }),
			row.in)
		assert.Equal(t, row.want, appended(t, func(dst []byte) []byte { return w.AppendRedacted(dst, row.keys) }),
			row.in)
		assert.Equal(t, row.want, slowRedact(Reference, row.in, row.keys), "slow twin: %s", row.in)
	}
	v, _ := views(t, "//u:p@h?sig=1", OriginForm)
	assert.Equal(t, "//u:p@h?sig=REDACTED", string(v.AppendRedacted(nil, nil)), "there is no userinfo in a path")

	// Input that matches no form loses its secrets too.
	for _, s := range []string{
		"http://u:S3CRET @h/", "http://u:S3CRET@h/ a", "http://u:S3\x00CRET@h/", "http://S3CRET@x@h/",
		"http://x@S3CRET@h/", "http://u:S3CRET%@h/",
		"1http://u:S3CRET@h/", " http://u:S3CRET@h/", "http://u:S3CRET@[::1/", "http://u:S3CRET@h:x/",
		"//u:S3CRET@h\\",
		"http://h h/?token=S3CRET", "/a b?token=S3CRET", "/a?b c&token=S3CRET&d", "/a?token=x S3CRET#f",
		"/a?token= S3CRET", "\x00?%74oken=S3CRET",
		"http://h:x?token=S3CRET", "a b:c?token=S3CRET", "?token=a?token=S3CRET b",
		"/a b?token=a;S3CRET", "/a b?token=a?S3CRET&d", "/a b?d&token=a;b?c;S3CRET#f",
	} {
		assert.False(t, Valid(Reference|Lenient, s) && !strings.Contains(s, " "), "%q", s)
		for _, out := range []string{
			appended(t, func(dst []byte) []byte { return AppendRedacted(dst, s, []string{"token"}) }),
			appended(t, func(dst []byte) []byte { return AppendRedacted(dst, []byte(s), []string{"token"}) }),
		} {
			assert.NotContains(t, out, "S3", "%q", s)
			assert.NotContains(t, out, "CRET", "%q", s)
			assert.Contains(t, out, "REDACTED", "%q", s)
		}
	}
	for in, want := range map[string]string{
		"u:p@ ":      "REDACTED:REDACTED@ ",
		"@ ":         "REDACTED:REDACTED@ ",
		"//u:p@ ":    "//REDACTED:REDACTED@ ",
		"x://u:p@ @": "x://REDACTED:REDACTED@",
	} {
		assert.Equal(t, want, string(AppendRedacted(nil, in, nil)), "%q", in)
	}
}

// appendixB is the regular expression of RFC 3986 Appendix B, which splits any input.
var appendixB = regexp.MustCompile(`(?s)^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?`)

// secretSpans returns the spans of the secrets in any input: the userinfo, and the values of the parameters
// with the given keys, including empty values.
func secretSpans(s string, keys []string) (spans [][2]int) {
	at := appendixB.FindStringSubmatchIndex(s)
	if authority := at[2*4]; authority >= 0 {
		if i := strings.LastIndex(s[authority:at[2*4+1]], "@"); i >= 0 {
			spans = append(spans, [2]int{authority, authority + i})
		}
	}
	if query := at[2*7]; query >= 0 {
		for param := range strings.SplitSeq(s[query:at[2*7+1]], "&") {
			if key, value, ok := strings.Cut(param, "="); ok &&
				slices.ContainsFunc(keys, func(k string) bool { return slowIs(key, k) }) {
				spans = append(spans, [2]int{query + len(key) + 1, query + len(key) + 1 + len(value)})
			}
			query += len(param) + 1
		}
	}
	return spans
}

func FuzzRedact(f *testing.F) {
	operands(f, func(s string) {
		f.Add(s, "sig", uint(0))
		f.Add(s+"?token=x&b=%zz&token=", "token", uint(7))
		f.Add("http://u:p "+s+"@h/"+s, s, uint(3))
	})
	for at := range uint(17) {
		f.Add("//u:p@h/a?token=x&b", "sig", at)
	}
	f.Fuzz(func(t *testing.T, s, key string, at uint) {
		const secret = "S3CRET"
		s, key = shortened(s), shortened(key)
		keys := []string{key, "token"}
		requireRedacted(t, s, keys)
		requireRedacted(t, s, []string{})
		requireRedacted(t, s, nil)

		// No part of a secret survives, whatever its content. A secret is inserted into each part, at any offset. A
		// space at the end makes the input match no form.
		if strings.Contains(s+key, secret) || strings.Contains(key, "REDACTED") {
			return
		}
		for _, span := range secretSpans(s, keys) {
			before := []string{"", ";", ":", "=", "@", "%", ",", "+", " ", "\x00", "[", "\\"}
			if span[0] > 0 && s[span[0]-1] == '=' {
				before = append(before, "?", "/", "//", "//a@", "?a=")
			} else {
				before = append(before, "&", "&a=")
			}
			i := span[0] + int(at%uint(span[1]-span[0]+1))
			text := s[:i] + before[at%uint(len(before))] + secret + s[i:]
			requireRedacted(t, text, keys)
			for _, text := range []string{text, text + " "} {
				out := appended(t, func(dst []byte) []byte { return AppendRedacted(dst, text, keys) })
				require.NotContains(t, out, secret, "%q", text)
				require.Contains(t, out, "REDACTED", "%q", text)
				out = appended(t, func(dst []byte) []byte { return AppendRedacted(dst, []byte(text), keys) })
				require.NotContains(t, out, secret, "%q", text)
			}
		}
	})
}

// requireRedacted requires that redaction changes only the secrets of input that scans.
func requireRedacted(t *testing.T, s string, keys []string) {
	b := []byte(s)
	out := appended(t, func(dst []byte) []byte { return AppendRedacted(dst, s, keys) })
	requireEqual(t, out, appended(t, func(dst []byte) []byte { return AppendRedacted(dst, b, keys) }))
	requireEqual(t, s, string(b), "the input is unchanged")
	for form := Reference; form <= HostField; form++ {
		v, w, as, ok := scanned(t, form, s)
		if !ok {
			continue
		}
		want := slowRedact(as, s, keys)
		requireEqual(t, want, appended(t, func(dst []byte) []byte { return v.AppendRedacted(dst, keys) }))
		requireEqual(t, want, appended(t, func(dst []byte) []byte { return w.AppendRedacted(dst, keys) }))
		if form == Reference && !strings.Contains(s, " ") {
			requireEqual(t, want, out, "%q, keys %q", s, keys)
		}
	}
}
