package uri

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/long"
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

		// Parameters.
		{
			"?sig=1&a=2&Signature=3&AWSAccessKeyId=4&X-Goog-Signature=5", nil,
			"?sig=REDACTED&a=2&Signature=REDACTED&AWSAccessKeyId=REDACTED&X-Goog-Signature=REDACTED",
		},
		{"?sig=1&sig=2=3", nil, "?sig=REDACTED&sig=REDACTED"},
		{"?%73ig=1", nil, "?%73ig=REDACTED"},
		{"?sig=&sig&SIG=1&sigx=2", nil, "?sig=&sig&SIG=REDACTED&sigx=2"},
		{"?a=1;sig=2", nil, "?a=1;sig=REDACTED"},
		{"#sig=1", nil, "#sig=REDACTED"},
		{"/sig=1", nil, "/sig=REDACTED"},
		{"?sig=1#sig=1", nil, "?sig=REDACTED#sig=REDACTED"},
		{"http://u:p@h/?x=1&sig=2", []string{"x"}, "http://REDACTED:REDACTED@h/?x=REDACTED&sig=REDACTED"},
		{"?a+b=1&ab=2&b=3", []string{"a b"}, "?a+b=REDACTED&ab=REDACTED&b=3"},
		{"?=1&_=2&a=3", []string{""}, "?=REDACTED&_=REDACTED&a=3"},
		{"?utm=1&my-utm=2&myUtm=3&MYUtm=4&sputm=5", []string{"UTM"}, "?utm=REDACTED&my-utm=REDACTED&" +
			"myUtm=REDACTED&MYUtm=REDACTED&sputm=5"},
		{"?MYUTM=1&MY2UTM=2&U=3&aU=4&AU=5", []string{"utm", "u"}, "?MYUTM=1&MY2UTM=REDACTED&U=REDACTED&" +
			"aU=REDACTED&AU=5"},
		{"?x%26y=1&\xC3\xA4=2&z\xC3\xA4=3", []string{"x&y", "\u00E4"}, "?x%26y=REDACTED&\u00E4=REDACTED&z\u00E4=3"},
		{"?A%41=1&a%2541=2", []string{"a%41"}, "?A%41=REDACTED&a%2541=REDACTED"},
		{"?abc=1&" + strings.Repeat("x", 128) + "=2&" + strings.Repeat("x", 127) + "=3", []string{
			strings.Repeat("c", 200), "%2541" + strings.Repeat("x", 127),
		}, "?abc=1&" + strings.Repeat("x", 128) + "=REDACTED&" + strings.Repeat("x", 127) + "=REDACTED"},
		{
			"?" + strings.Repeat("a", 128) + "=1&" + strings.Repeat("a", 127) + "=2",
			[]string{strings.Repeat("a", 200)},
			"?" + strings.Repeat("a", 128) + "=REDACTED&" + strings.Repeat("a", 127) + "=2",
		},
		{"?" + strings.Repeat("0", 127) + " =1", []string{strings.Repeat("0", 128) + " "}, "?" +
			strings.Repeat("0", 127) + " =REDACTED"},
		{"?x=1", []string{"y" + strings.Repeat(" ", 128)}, "?x=REDACTED"}, // at least y is

		// The value ends at "&", or at the first "#".
		{"/a;sig=1;b?c/d&e", nil, "/a;sig=REDACTED&e"},
		{"?sig=#a&b#sig=", nil, "?sig=#a&b#sig="},
		{"#sig=1#2&a", nil, "#sig=REDACTED&a"},
		{"?sig=1%262&a", nil, "?sig=REDACTED&a"},
		{"?a=sig%3D1%262&b", nil, "?a=sig%3DREDACTED%262&b"},
		{"?a=sig%3D1%25262%232&b", nil, "?a=sig%3DREDACTED%232&b"},
		{"?a=%23sig%3D1%2523%232&b", nil, "?a=%23sig%3DREDACTED&b"},
		{"?sig%3Dsig=1%262&c", nil, "?sig%3DREDACTED&c"},
		{"?sig=sig=1&sig%3Dsig=1%26&a", nil, "?sig=REDACTED&sig%3DREDACTED&a"},

		// Authorities.
		{"mailto:u:p@h", nil, "mailto:u:p@h"},
		{"http://h/u:p@", nil, "http://h/u:p@"},
		{"http://h/user@example.com/?mail=a@b#c@d", nil, "http://h/user@example.com/?mail=a@b#c@d"},
		{"file:///@a/b@c", nil, "file:///@a/b@c"},
		{"file:/a@b", nil, "file:/a@b"},
		{"x:u:p@h//a@b?c@d", nil, "REDACTED:REDACTED@b?c@d"},
		{"a@b/c@d", nil, "REDACTED:REDACTED@b/c@d"},
		{"/a@b/c@d", nil, "/a@b/c@d"},
		{"q=a@b&token=1", nil, "REDACTED:REDACTED@b&token=REDACTED"}, // a query without "?"
		{"?q=a@b&token=1", nil, "?q=a@b&token=REDACTED"},
		{"?next=//u:p@h/&a@b", nil, "?next=//REDACTED:REDACTED@h/&a@b"},
		{"?next=https:u:p@h&x=http://h&b@c", nil, "?next=https:REDACTED:REDACTED@h&x=http://h&b@c"},
		{"/news:u@h", nil, "/news:u@h"},
		{"/%68ttp:u@h;ws:u@h", nil, "/%68ttp:u@h;ws:REDACTED:REDACTED@h"},
		{"?x=http%3A%2F%2Fu%40v%3Ap%40h%2Fa%40b", nil, "?x=http%3A%2F%2FREDACTED:REDACTED%40h%2Fa%40b"},
		{"?x=http%3A%2F%2Fu%3Aa%26b%40h&c@d", nil, "?x=http%3A%2F%2FREDACTED:REDACTED%40h&c@d"},
		{"jdbc:x://u:a&b@h/", nil, "REDACTED:REDACTED@h/"},
		{"/jdbc:x://u:a&b@h/", nil, "/jdbc:x://REDACTED:REDACTED@h/"},
		{"http://a/%2F%2Fb/%252F%252F//c%2F%40@d", nil, "http://a/%2F%2Fb/%252F%252F//REDACTED:REDACTED@d"},
		{"/x%2F%2Fhttp:u%2Fv@h", nil, "/x%2F%2Fhttp:REDACTED:REDACTED@h"},
		{"///u@h", nil, "///REDACTED:REDACTED@h"},
		{"http:///u@h", nil, "http:///REDACTED:REDACTED@h"},
		{"http:/u@h", nil, "http:/REDACTED:REDACTED@h"},
		{"http://a=b:token=c@h/d&e", nil, "http://REDACTED:REDACTED&e"},
		{"http://a=b:token%3Dc@h/d&e", nil, "http://REDACTED:REDACTED&e"},
		{"http://a=b:c=d@h/e@f", nil, "http://REDACTED:REDACTED@h/e@f"},
		{"//%2F@h", nil, "//REDACTED:REDACTED@h"},
		{"http://u:1/2@h", nil, "http://u:1/2@h"},
		{"http://u:/2@h", nil, "http://REDACTED:REDACTED@h"},
		{"http://u:65536/2@h", nil, "http://REDACTED:REDACTED@h"},

		// Lenient input: the other bytes do not change.
		{"/a%zz?token=S3CRET&x=%", nil, "/a%zz?token=REDACTED&x=%"},
		{"/[a]?token=S3%CRET#{}", nil, "/[a]?token=REDACTED#{}"},
		{"?tok%zz=1", []string{"tok%zz"}, "?tok%zz=REDACTED"},
		{"/\\u:p@h\\a@b", nil, "/\\REDACTED:REDACTED@h\\a@b"},

		// Invalid input.
		{"http://h/ ?a=1&token=2 3#4", nil, "http://h/ ?a=1&token=REDACTED#4"},
		{"u:p@ ", nil, "REDACTED:REDACTED@ "},
		{"@ ", nil, "@ "},
		{"//u:p@ ", nil, "REDACTED:REDACTED@ "},
		{"x://u:p@ @", nil, "x://REDACTED:REDACTED@"},
		{"\thttps:/\\u:p@ h", nil, "%09https:/\\REDACTED:REDACTED@ h"},
		{"x:/u:p@ h", nil, "REDACTED:REDACTED@ h"},
		{"ht\ntps:/\n/u:p@h\x00", nil, "REDACTED:REDACTED@h%00"},
		{" ?x=https:/%0A/\t%5Cu%3Ap%40h", nil, " ?x=https:/%0A/%09%5CREDACTED:REDACTED%40h"},
		{"https://user:S3C?sig=1@host/", nil, "https://REDACTED:REDACTED"},
		{"\"https://h/ sig=S3C\"", nil, "\"https://h/ sig=REDACTED"},
		{"u:S3C@h//a@b x", nil, "REDACTED:REDACTED@b x"},
		{"https://u:p", nil, "https://REDACTED:REDACTED"},
		{"https://u:123456", nil, "https://REDACTED:REDACTED"},
		{"https:/u:p=a&token= b", nil, "https:/REDACTED:REDACTED"},
		{"https://h h:80", nil, "https://h h:80"},
		{"https://h:p/", nil, "https://h:p/"},
		{"u:p x", nil, "u:p x"},
		{"\ntok\ren=1&\n", nil, "%0Atok%0Den=REDACTED&%0A"},

		// One printable line.
		{"/\x1B[31m\r\n\x7F", nil, "/%1B[31m%0D%0A%7F"},
		{"/\u0085\u009B\u00A0\u2028\u2029\u202A", nil, "/%C2%85%C2%9B\u00A0%E2%80%A8%E2%80%A9\u202A"},
		{"/\x80\xC3\xE2\x82\xED\xA0\x80\uFFFD", nil, "/%80%C3%E2%82%ED%A0%80\uFFFD"},
	} {
		assert.Equal(t, row.want, appended(t,
			func(dst []byte) []byte { return AppendRedacted(dst, row.in, row.keys) }), row.in)
		assert.Equal(t, row.want, appended(t,
			func(dst []byte) []byte { return AppendRedacted(dst, []byte(row.in), row.keys) }), row.in)
		assert.Equal(t, row.want, slowRedact(row.in, row.keys), "slow twin: %s", row.in)
	}

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
		out := appended(t, func(dst []byte) []byte { return AppendRedacted(dst, s, nil) })
		assert.NotContains(t, out, "S3", "%q", s)
		assert.NotContains(t, out, "CRET", "%q", s)
		assert.Contains(t, out, "REDACTED", "%q", s)
	}
}

// redactRules are rules for all that a RedactorOf can decide. The keys are case-sensitive.
func redactRules[T Text]() RedactorOf[T] {
	return RedactorOf[T]{
		IsSecret: func(key []byte) bool { return string(key) == "sig" || bytes.HasPrefix(key, []byte("x-")) },
		Replace: func(dst []byte, secret T) []byte {
			h := fnv.New32()
			h.Write([]byte(secret))
			return strconv.AppendUint(append(dst, "\n\xFF"...), uint64(h.Sum32()), 16)
		},
	}
}

// slowRules removes secrets by redactRules and the keys.
func slowRules(s string, keys []string) string {
	rules := redactRules[string]()
	isSecret := func(key []slowByte, depth int) bool {
		return rules.IsSecret([]byte(slowKey(key, depth))) || slowEndsWithOneOf(key, keys)
	}
	return slowRedactBy(s, isSecret, func(secret string) string { return string(rules.Replace(nil, secret)) })
}

func TestRedactor(t *testing.T) {
	var keys []string
	seen := RedactorOf[string]{IsSecret: func(key []byte) bool {
		assert.Equal(t, len(key), cap(key))
		keys = append(keys, string(key))
		return string(key) == "z"
	}}
	const in = "/a=1?%61%2562=2&c%26d%2Fe=3&f/g =4&h%3Di&=5;token =6&k[%5B]=7&\"l\" = m&n%3D%2Bo%2Fp%3D&z=q"
	assert.Equal(t, in[:len(in)-1]+"REDACTED", string(seen.Append(nil, in)))
	assert.Equal(t, []string{
		"a", "ab", "d/e", "g", "h", "", "token", "k[[]", "l", "n", "p", "z",
	}, keys)

	rules := redactRules[string]()
	assert.Equal(t, "?sig=%0A%FF50c5d2e&SIG=2", string(rules.Append(nil, "?sig=1&SIG=2")))
	assert.Equal(t, "//%0A%FF736add9c@h", string(rules.Append(nil, "//u:p@h")))

	// Keys do not change what IsSecret and Replace do, except that they add keys.
	rules.Keys = []string{"utm", "a%41"}
	assert.Equal(t, "?sig=%0A%FF50c5d2e&SIG=1&myUtm=%0A%FF50c5d2e&utmx=1&aa=%0A%FF50c5d2e&x-y=%0A%FF50c5d2e",
		string(rules.Append(nil, "?sig=1&SIG=1&myUtm=1&utmx=1&aa=1&x-y=1")))
}

// TestSecretWords compares the words in the documentation with those of the slow twin, which are tested.
func TestSecretWords(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "redact.go", nil, parser.ParseComments)
	require.NoError(t, err)
	doc := file.Scope.Lookup("IsSecretKey").Decl.(*ast.FuncDecl).Doc.Text()
	_, words, _ := strings.Cut(doc, "words\n")
	words, _, _ = strings.Cut(words, "or is")
	assert.Equal(t, strings.Fields(slowWords), strings.Fields(words))
	for word := range strings.FieldsSeq(slowWords) {
		title := strings.ToUpper(word[:1]) + word[1:]
		for _, key := range []string{
			word, strings.ToUpper(word), "X-" + word, "_" + word + "[]", "a." + word + " ",
			"new" + title, "NEW" + title, "new" + strings.ToUpper(word), "%6Eew" + strings.ToUpper(word),
			"%4EEW" + title, "%6Eew" + title, "%2525252525252525" + strconv.FormatInt(int64(word[0]), 16) + word[1:],
			word[:1] + "_" + word[1:], "%" + strconv.FormatInt(int64(word[0]), 16) + word[1:], "a b" + "\n" + word,
		} {
			assert.True(t, IsSecretKey(key), key)
			assert.True(t, IsSecretKey([]byte(key)), key)
		}
		for _, key := range []string{"x" + word, word + "x", "X" + strings.ToUpper(word)} {
			assert.Equal(t, strings.Contains(slowWords, " "+strings.ToLower(key)+" "), IsSecretKey(key), key)
		}
	}
	assert.True(t, IsSecretKey("code"))
	assert.False(t, IsSecretKey("zip_code"))
	assert.False(t, IsSecretKey(""))
}

// TestRedactSmall redacts all inputs of a few tokens each, in which all that matters to a redaction meets.
func TestRedactSmall(t *testing.T) {
	tokens := []string{
		"", "a", ":", "/", "//", "@", "=", "&", "#", "?", "%3D", "%40", "%2F", "%3a", "%26", "%23", "%25", "2F",
		"sig", "http", "\\", ".", ";", " ", "\n", "\x80", "8", "X",
	}
	few := []string{"a:", "//", "@", "%40", "=", "%3D", "&", "%26", "sig", "#", "http"}
	var text []string
	var add func(tokens []string, most int)
	add = func(tokens []string, most int) {
		if most == 0 {
			requireRedacted(t, strings.Join(text, ""), "a")
			return
		}
		for _, token := range tokens {
			text = append(text, token)
			add(tokens, most-1)
			text = text[:len(text)-1]
		}
	}
	add(tokens, long.Sample(t, 3, 4))
	add(few, long.Sample(t, 4, 6, 7))
}

// requireRedacted requires every way to redact s to give what the slow twin gives.
func requireRedacted(t *testing.T, s string, keys ...string) {
	want := slowRedact(s, keys)
	b := []byte(s)
	requireEqual(t, want, string(AppendRedacted(nil, s, keys)), "%q, keys %q", s, keys)
	requireEqual(t, want, string(AppendRedacted(nil, b, keys)), "%q, keys %q", s, keys)
	requirePrintable(t, want)
	strings, bytes := RedactorOf[string]{Keys: keys}, Redactor{Keys: keys}
	requireEqual(t, want, string(strings.Append(nil, s)), "%q, Keys %q", s, keys)
	requireEqual(t, want, string(bytes.Append(nil, b)), "%q, Keys %q", s, keys)
	for _, keys := range [][]string{nil, keys} {
		strings, bytes = redactRules[string](), redactRules[[]byte]()
		strings.Keys, bytes.Keys = keys, keys
		want = slowRules(s, keys)
		requireEqual(t, want, string(strings.Append(nil, s)), "%q by rules, Keys %q", s, keys)
		requireEqual(t, want, string(bytes.Append(nil, b)), "%q by rules, Keys %q", s, keys)
		requirePrintable(t, want)
	}
	requireEqual(t, s, string(b), "the input is unchanged")
}

// requirePrintable requires s to fit into a line of a log.
func requirePrintable(t *testing.T, s string) {
	requireEqual(t, true, utf8.ValidString(s), "%q", s)
	requireEqual(t, -1, strings.IndexFunc(s, func(c rune) bool {
		return unicode.Is(unicode.Cc, c) || unicode.Is(unicode.Zl, c) || unicode.Is(unicode.Zp, c)
	}), "%q", s)
}

// planted is a secret that no other text contains.
const planted = "S3CRET"

// plant returns s with a secret in it, as the bits of how say.
func plant(s, key string, how uint64) string {
	pick := func(n int) int {
		i := how % uint64(n)
		how /= uint64(n)
		return int(i)
	}
	noise := func(from ...string) (text string) {
		for range pick(3) {
			text += from[pick(len(from))]
		}
		return text
	}
	encode := func(s string) string {
		for range pick(4) {
			s = string(AppendEncode(nil, s, Set{digitLo, alphaHi}))
		}
		return s
	}
	at := pick(len(s) + 1)
	before, after := s[:at], s[at:]
	switch pick(5) {
	case 0: // a value
		start := []string{"&", "?", ";", " ", "\"", "#", ",", "\n", "/", "x-", "["}[pick(11)]
		key = []string{key, "token", "SIG", "accessToken", "to\nken", "pass-word", "%73ig"}[pick(7)]
		value := noise("@", "/", "?", ":", ";", "=", "//", "%", "%26", "%23", " ", "\r", "\xFF", "a=")
		return before + encode(start+key+noise("]", "[]", " ", "\"", "\t")+"="+value+planted) + after
	case 1: // a userinfo
		start := []string{"//", "\\/", "/\t/", "=http:", "&https:/", "?ws:\\", " FTP:\n", "//\\"}[pick(8)]
		userinfo := noise(":", "@", "%40", "%2F", "=", ";", " ", "\n", "\xFF", "%", "%3F", "%26") + planted +
			noise(":", "@", "%40", "%2F", "=", ";", " ", "\n", "\xFF", "%", "%3F", "%26")
		return before + encode(start+userinfo+"@") + after
	case 2: // before the last "@" in input that does not scan
		fault := []string{" ", "\n", "\x00", "%\t", "\x1B["}[pick(5)]
		start := []string{"?", "/", "#", "=", "@", " "}[pick(6)]
		return before + start + planted + fault + after + "@" + noise("h", "/", ":")
	case 3: // in the userinfo of a URI
		userinfo := noise(":", "=", "&", "token=", "%41", ";", ",", "%40") + planted + noise(":", "=", "&", "%2F")
		return "https://" + userinfo + "@h" + s
	default: // in the userinfo of a URI with a fault
		userinfo := noise(":", "?", "#", "/", "=", "&", "token=", "%", "@", "//", "a") + planted +
			noise(":", "?", "#", "/", "=", "&", "token=", "%", "@", "//", "a")
		return "https://u:" + userinfo + []string{" ", "\n", "\x00"}[pick(3)] + "@" + s
	}
}

// requirePlanted requires that no secret survives that is planted into s, and that the output is printable.
func requirePlanted(t *testing.T, s, key string, how uint64) {
	if strings.Contains(s+key, planted[:2]) || strings.ContainsAny(key, "&=") || strings.Contains(key, "%") ||
		!slices.ContainsFunc([]byte(key), isKeyByte) {
		return
	}
	text := plant(s, key, how)
	more := RedactorOf[string]{Keys: []string{"b", key}}
	for _, out := range [][]byte{
		more.Append(nil, text),
		AppendRedacted(nil, text, []string{key, "b"}),
		AppendRedacted(nil, []byte(text), []string{key}),
	} {
		if bytes.Contains(out, []byte(planted)) {
			require.Fail(t, "a secret survives", "%q with key %q becomes %q", text, key, out)
		}
		requirePrintable(t, string(out))
	}
}

// TestRedactPlanted plants secrets into inputs of the other tests and into random ones.
func TestRedactPlanted(t *testing.T) {
	tokens := []string{
		"http", "https", ":", "/", "//", "\\", "@", "=", "&", "#", "?", ";", "%", "%25", "%3D", "%40", "%2F", "%3A",
		"41", "token", "sig", "a", "-", "[", "]", ".", ":80", "h", "user", " ", "\n", "\t", "\x00", "\x1B", "\x7F",
		"\x80", "\u2028",
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range long.Sample(t, 100_000, 2_000_000, 10_000_000) {
		var s strings.Builder
		for range random.IntN(8) {
			s.WriteString(tokens[random.IntN(len(tokens))])
		}
		requirePlanted(t, s.String(), tokens[random.IntN(len(tokens))], random.Uint64())
	}
}
