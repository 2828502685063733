package uriotel

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// contribFaults are where the function URL of the transform processor is wrong, or loses something. README.md
// has them as a table.
var contribFaults = []struct {
	full      string
	attribute string // in which the results differ
	ours      any    // nil if the attribute is not set
	fault     string
}{
	{"http://h/v1.2/users", "url.extension", nil, "a folder with a dot is no extension"},
	{"http://h/a.b/", "url.extension", nil, "nor is it before a slash"},
	{"http://h/.profile", "url.extension", nil, "a hidden file has no extension"},
	{"http://h/a.php;jsessionid=abc", "url.extension", "php", "a parameter is not part of the extension"},
	{"http://h/a.php;jsessionid=abc", "url.path", "/a.php;jsessionid=REDACTED", "a session is a secret"},
	{"http://[2001:db8::1]:80/a%2Fb?q=1", "url.domain", "[2001:db8::1]", "the conventions keep the brackets"},
	{"http://[fe80::1%25en0]/", "url.domain", nil, "invalid (RFC 9844), and decoded"},
	{"http://a@b@c/", "url.domain", nil, "invalid (RFC 3986 section 3.2)"},
	{"http://h/%41", "url.path", "/%41", "the path is decoded"},
	{"http://h/a%2Epng", "url.path", "/a%2Epng", "the path is decoded"},
	{"http://h/a%2Fb", "url.path", "/a%2Fb", "decoded, the path has two segments instead of one"},
	{"http://h/a%3Fb", "url.path", "/a%3Fb", "decoded, it is another URL with a query"},
	{"http://h/#a%2Fb", "url.fragment", "a%2Fb", "the fragment is decoded too"},
	{"http://h/a%zz?sig=abc", "url.path", "/a%zz", "an error: the record gets no attributes"},
	{"http://h/a%zz?sig=abc", "url.query", "sig=REDACTED", "and keeps its secrets"},
	{"http://h%41/", "url.domain", "h%41", "an error, though the URL is valid (RFC 3986 section 3.2.2)"},
	{"http://h:99999999999999999999/", "url.path", "/", "an error, though the URL is valid (section 3.2.3)"},
	{"http://h:65536/", "url.port", nil, "no port has this number"},
	{"http://h/a?", "url.query", "", "an empty query is not absent"},
	{"http://h/a#", "url.fragment", "", "nor is an empty fragment"},
	{"/search?q=1", "url.domain", nil, "what is absent is not empty"},
	{"/search?q=1", "url.scheme", nil, "what is absent is not empty"},
	{"?sig=abc", "url.query", "sig=REDACTED", "a map named query instead, without url. before it"},
	{"?q;go", "url.query", "q;go", "an error, though the URL is valid"},
	{"mailto:ada@example.com", "url.path", "ada@example.com", "the path is lost"},
	{"urn:example:a.b", "url.path", "example:a.b", "the path is lost"},
	{"HTTP://h/", "url.original", nil, "url.original is replaced with another URL"},
	{"http://h/\"x\"", "url.original", nil, "url.original is replaced with another URL"},
	{
		"https://u:p@example.com:8443/a/b.tar.gz?sig=abc&x=1#f", "url.password", nil,
		"the password gets an attribute",
	},
	{
		"https://u:p@example.com:8443/a/b.tar.gz?sig=abc&x=1#f", "url.query", "sig=REDACTED&x=1",
		"a signature is a secret",
	},
}

// contribResults returns the recorded results: the attributes for each input, or none if there was an error.
func contribResults(t testing.TB) map[string]settings {
	t.Helper()
	file, err := os.Open("testdata/contrib.jsonl")
	require.NoError(t, err)
	defer file.Close()
	results := map[string]settings{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var row struct {
			Input      string
			Attributes settings
			Error      string
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &row))
		require.True(t, (row.Error != "") == (row.Attributes == nil), row.Input)
		results[row.Input] = row.Attributes
	}
	return results
}

// contribTable returns the table for README.md, and requires that its results be those of the processor.
func contribTable(t testing.TB) string {
	t.Helper()
	results := contribResults(t)
	var b strings.Builder
	b.WriteString("| `url.full` | attribute | contrib | uri | |\n|---|---|---|---|---|\n")
	cell := func(value any) string {
		switch value {
		case nil:
			return "–"
		case "":
			return "empty"
		}
		return fmt.Sprintf("`%v`", value)
	}
	for _, row := range contribFaults {
		contrib, ok := results[row.full]
		require.True(t, ok, row.full)
		assert.NotEqual(t, fmt.Sprint(row.ours), fmt.Sprint(contrib[row.attribute]), row.full)
		assert.Equal(t, row.ours, process(t, nil, settings{"url.full": row.full})[row.attribute], row.full)
		theirs := cell(contrib[row.attribute])
		if contrib == nil {
			theirs = "error"
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s | %s |\n", row.full, row.attribute, theirs, cell(row.ours),
			row.fault)
	}
	return b.String()
}

var update = flag.Bool("update", false, "write README.md")

// TestContrib requires that README.md have the table.
func TestContrib(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	table := contribTable(t)
	rows := regexp.MustCompile("(?m)^\\| `url.full` \\| attribute \\|.*\n(\\|.*\n)+")
	require.Len(t, rows.FindAll(readme, -1), 1)
	if *update {
		readme = rows.ReplaceAllLiteral(readme, []byte(table))
		require.NoError(t, os.WriteFile("README.md", readme, 0o600))
	}
	assert.Equal(t, table, string(rows.Find(readme)), "go test -run TestContrib -update writes it")
}

// TestContribSame requires that the processor agree with the other recorded results.
func TestContribSame(t *testing.T) {
	different := map[string]bool{"a:b@c": true} // which may be a user and a password
	for _, row := range contribFaults {
		different[row.full] = true
	}
	compared := 0
	for full, contrib := range contribResults(t) {
		if different[full] || contrib == nil {
			continue
		}
		got := process(t, nil, settings{"url.full": full})
		for _, name := range partNames {
			if want, ok := contrib[name]; ok && want != "" {
				assert.Equal(t, fmt.Sprint(want), fmt.Sprint(got[name]), "%s %s", full, name)
				compared++
			}
		}
	}
	assert.Greater(t, compared, 20)
}
