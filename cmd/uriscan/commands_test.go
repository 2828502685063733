package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// urls is a small list that every command is run on.
const urls = "http://u:p@Example.com:80/a/../b?utm_source=x&sig=s&q=1#f\n" +
	"http://example.com/b?utm_source=x&sig=s&q=1#f\n" +
	"https://example.org/c.png\n" +
	"//h/%zz\n" +
	"/b\n"

// TestCommands runs every command, in every format that it has, as a process of its own.
func TestCommands(t *testing.T) {
	const report = "uriscan: line 4: offset 5: invalid percent-encoding\n"
	const summary = "uriscan: 5 lines, 4 valid, 1 invalid"
	for _, c := range []struct {
		args           string
		status         int
		stdout, stderr string
	}{
		{"-f host,path", 0, "Example.com|/a/../b\nexample.com|/b\nexample.org|/c.png\n|/b\n", report +
			summary + "\n"},
		{"-f host,path --header --strict", 1, "host|path\nExample.com|/a/../b\nexample.com|/b\n" +
			"example.org|/c.png\n|/b\n", report + summary + "\n"},
		{"-f host,path --format csv -q", 0, "Example.com,/a/../b\nexample.com,/b\nexample.org,/c.png\n,/b\n", ""},
		{"-f host --format jsonl -q", 0, `{"host":"Example.com"}` + "\n" + `{"host":"example.com"}` + "\n" +
			`{"host":"example.org"}` + "\n{}\n", ""},
		{"-f host,line --format table -q -w host", 0, "host         line\nExample.com     1\n" +
			"example.com     2\nexample.org     3\n", ""},
		{"--format {line}:{host} -q", 0, "1:Example.com\n2:example.com\n3:example.org\n5:\n", ""},
		{"-f path -w host=example.*", 0, "/a/../b\n/b\n/c.png\n", report + summary + ", 3 selected\n"},

		{"top --by path -n 1", 0, "2|50.00|/b\n", summary + ", 3 different values of path, 1 without one\n"},
		{"top --by host --format csv --header", 0, "count,percent,host\n1,33.33,Example.com\n" +
			"1,33.33,example.com\n" +
			"1,33.33,example.org\n", summary + ", 3 different values of host, 2 without one\n"},
		{"top --by validity --format jsonl -q", 0, `{"count":4,"percent":80.00,"validity":"valid"}` + "\n" +
			`{"count":1,"percent":20.00,"validity":"invalid percent-encoding"}` + "\n", ""},
		{"top --by keys --format table -q -n 2", 0, "count  percent  keys\n    2    33.33  q\n" +
			"    2    33.33  sig\n", ""},
		{"top --by segment.1 -q -w scheme", 0, "1|33.33|a\n1|33.33|b\n1|33.33|c.png\n", ""},
		{"top --by extension -q", 0, "1|100.00|png\n", ""},
		{"top --by param.q:decoded -q", 0, "2|100.00|1\n", ""},
		{"top --by values -q -n 1", 0, "2|33.33|1\n", ""},

		{"stats --format tsv -q", 0, "lines|lines|5\nlines|without a URI|0\nlines|valid|4\nlines|invalid|1\n" +
			"invalid because of|invalid percent-encoding|1\nschemes|http|2\nschemes|https|1\nschemes|(none)|1\n" +
			"hosts|Example.com|1\nhosts|example.com|1\nhosts|example.org|1\nhosts|(none)|1\n" +
			"ports|80|2\nports|443|1\nports|(none)|1\nlengths|2 to 3|1\nlengths|16 to 31|1\nlengths|32 to 63|2\n", ""},
		{"stats --format csv -q -w host=example.org --header", 0, "group,name,count\nlines,lines,5\n" +
			"lines,without a URI,0\nlines,valid,4\nlines,invalid,1\nlines,selected,1\n" +
			"invalid because of,invalid percent-encoding,1\nschemes,https,1\nhosts,example.org,1\nports,443,1\n" +
			"lengths,16 to 31,1\n", ""},

		{"check", 1, "-:4: offset 5: invalid percent-encoding\n  //h/%zz\n       ^\n", summary + "\n"},
		{"check --color always -q", 1, "", ""},
		{"check --format tsv -q", 1, "", ""},
		{"check --format tsv", 1, "-|4|5|invalid percent-encoding|//h/%zz\n", summary + "\n"},
		{"check --format csv --header", 1, "file,line,offset,reason,text\n" +
			"-,4,5,invalid percent-encoding,//h/%zz\n", summary + "\n"},
		{"check --format jsonl", 1, `{"file":"-","line":4,"offset":5,"reason":"invalid percent-encoding",` +
			`"text":"//h/%zz"}` + "\n", summary + "\n"},

		{"normalize -q", 0, "http://u:p@example.com:80/b?utm_source=x&sig=s&q=1#f\n" +
			"http://example.com/b?utm_source=x&sig=s&q=1#f\nhttps://example.org/c.png\n/b\n", ""},
		{
			"normalize --level scheme --sort-params --drop-fragment -w user", 0,
			"http://u:p@example.com/b?q=1&sig=s&utm_source=x\n", report + summary + ", 1 selected\n",
		},
		{"resolve --base http://h/x/y -w relative --strict", 1, "http://h/b\n", report + summary +
			", 1 selected\n"},
		{"redact -q", 0, "http://REDACTED:REDACTED@Example.com:80/a/../b?utm_source=x&sig=REDACTED&q=1#f\n" +
			"http://example.com/b?utm_source=x&sig=REDACTED&q=1#f\nhttps://example.org/c.png\n//h/%zz\n/b\n", ""},
		{
			"redact --keys q,utm_source -q -w line=2", 0,
			"http://example.com/b?utm_source=REDACTED&sig=REDACTED&q=REDACTED#f\n", "",
		},
		{"strip -w line=1", 0, "http://u:p@Example.com:80/a/../b?sig=s&q=1#f\n", report + summary +
			", 1 selected\n"},
		{"strip --drop s*,q --drop-fragment -q -w line=1", 0, "http://u:p@Example.com:80/a/../b?utm_source=x\n" +
			"", ""},
		{"strip --drop * -q -w line=1", 0, "http://u:p@Example.com:80/a/../b#f\n", ""},
		{"strip --drop-query -q -w line=1", 0, "http://u:p@Example.com:80/a/../b#f\n", ""},
		{"unique", 0, urls[:strings.Index(urls, "//h/%")] + "/b\n", report + summary + ", 4 different\n"},
		{"diagram -w line=3", 1, "https://example.org/c.png\n└───┘   └─────────┘└────┘\n" +
			"Scheme       0 to 5    https\nHost         8 to 19   example.org\nPath        19 to 25   /c.png\n\n" +
			"-:4: offset 5: invalid percent-encoding\n  //h/%zz\n       ^\n\n", ""},
	} {
		status, stdout, stderr := process(t, strings.NewReader(urls), strings.Split(c.args, " ")...)
		assert.Equal(t, c.status, status, c.args)
		assert.Equal(t, c.stdout, strings.ReplaceAll(stdout, "\t", "|"), c.args)
		assert.Equal(t, c.stderr, stderr, c.args)
	}
	for _, shell := range []string{"bash", "fish", "powershell", "zsh"} {
		status, stdout, stderr := process(t, nil, "completion", shell)
		assert.Equal(t, exitOK, status)
		assert.Contains(t, stdout, "uriscan")
		assert.Empty(t, stderr)
	}
	status, stdout, _ := process(t, nil, "__complete", "--format", "")
	assert.Equal(t, exitOK, status)
	assert.Contains(t, stdout, "jsonl\n")
}

// TestRedactInvalid requires that no secret survives in a URI that is invalid, on one line.
func TestRedactInvalid(t *testing.T) {
	in := combinedLine(`GET http://u:secret@h/%zz\r\n\x0A?token=secret HTTP/1.1`, "-")
	status, stdout, _ := uriscan(in, "redact", "--log=combined", "--keys=token")
	assert.Equal(t, exitOK, status)
	assert.Equal(t, "http://REDACTED:REDACTED@h/%zz%0D%0A%0A?token=REDACTED\n", stdout)
	_, stdout, stderr := uriscan(in, "redact", "--log=combined", "--where=path")
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "uriscan: line 1: offset 19: invalid percent-encoding\n")
	assert.NotContains(t, stderr, "secret")
}

func TestCheck(t *testing.T) {
	long := "http://h/" + strings.Repeat("é", 0) + strings.Repeat("a", 100) + " " + strings.Repeat("b", 100)
	for _, c := range []struct{ line, want string }{
		{"/a\tb", "  /a\\tb\n    ^\n"},
		{"/a\x1b[31m", "  /a\\x1B[31m\n    ^\n"},
		{"/\xff", "  /\\xFF\n   ^\n"},
		{"/\u00e9", "  /é\n   ^\n"},
		{"http://h/%4", "  http://h/%4\n             ^\n"},
		{"%\x01", "  %\\x01\n   ^\n"},
		{"/\u202e", "  /\\u202E\n   ^\n"},
		{long, "  …" + strings.Repeat("a", 50) + " " + strings.Repeat("b", 24) + "…\n" + strings.Repeat(" ",
			53) + "^\n"},
		{"/" + strings.Repeat("a", 60) + "\u00e9\u00e9", "  …" + strings.Repeat("a", 50) + "éé\n" +
			strings.Repeat(" ", 53) + "^\n"},
	} {
		status, stdout, _ := uriscan(c.line+"\n", "check")
		assert.Equal(t, exitInvalid, status, c.line)
		_, shown, _ := strings.Cut(stdout, "\n")
		assert.Equal(t, c.want, shown, c.line)
	}
	status, stdout, _ := uriscan("/a b\n", "check", "--color=always")
	assert.Equal(t, exitInvalid, status)
	assert.Equal(
		t,
		"\x1b[1m-:1:\x1b[0m offset 2: \x1b[1;31minvalid path\x1b[0m\n  /a b\n    \x1b[1;31m^\x1b[0m\n",
		stdout,
	)
	status, stdout, stderr := uriscan("/a\n", "check")
	assert.Equal(t, exitOK, status)
	assert.Empty(t, stdout)
	assert.Equal(t, "uriscan: 1 lines, 1 valid, 0 invalid\n", stderr)
	status, stdout, _ = uriscan("x\n", "check", "--log=common")
	assert.Equal(t, exitInvalid, status)
	assert.Equal(t, "-:1: the line does not have the format of the log\n", stdout)
	status, _, _ = uriscan("", "check", "--quiet", "missing")
	assert.Equal(t, exitFailure, status)
}

func TestDiagram(t *testing.T) {
	status, stdout, stderr := uriscan("", "diagram", "http://u@h:/p?#f", "//?", "x y")
	assert.Equal(t, exitInvalid, status)
	assert.Empty(t, stderr)
	assert.Equal(t, `http://u@h:/p?#f
└──┘   ╨ ╨ └┘ ╵╨
Scheme       0 to 4    http
Userinfo     7 to 8    u
Host         9 to 10   h
Port        11 to 11   `+`
Path        11 to 13   /p
Query       14 to 14   `+`
Fragment    15 to 16   f

//?
  ╵╵
Host         2 to 2    `+`
Path         2 to 2    `+`
Query        3 to 3    `+`

argument:3: offset 1: invalid path
  x y
   ^

`, stdout)
}

// TestStats draws statistics.
func TestStats(t *testing.T) {
	in := strings.Repeat("http://a/\n", 1000) + strings.Repeat("https://b/123456789\n", 250) + "//h:x\n/\n\n"
	status, stdout, stderr := uriscan(in, "stats")
	assert.Equal(t, exitOK, status)
	assert.Equal(t, "uriscan: 1253 lines, 1252 valid, 1 invalid\n", stderr)
	assert.Equal(t, `lines
  lines                          1,253  ████████████████████████
  without a URI                      0
  valid                          1,252  ███████████████████████▉
  invalid                            1  ▏

invalid because of
  invalid or missing port            1  ████████████████████████

schemes
  http                           1,000  ████████████████████████
  https                            250  ██████
  (none)                             2  ▏

hosts
  a                              1,000  ████████████████████████
  b                                250  ██████
  (none)                             2  ▏

ports
  80                             1,000  ████████████████████████
  443                              250  ██████
  (none)                             2  ▏

lengths
  0                                  1  ▏
  1                                  1  ▏
  8 to 15                        1,000  ████████████████████████
  16 to 31                         250  ██████
  mean 11.0, longest 19 bytes
`, stdout)
	_, stdout, _ = uriscan("", "stats", "--color=always")
	assert.True(t, strings.HasPrefix(stdout, "\x1b[1mlines\x1b[0m\n"))

	// More hosts than are told apart.
	var many strings.Builder
	for i := range maxDistinct + 1000 {
		many.WriteString("//h" + thousands(i) + "\n")
	}
	_, stdout, _ = uriscan(many.String(), "stats", "--format=tsv", "-j1")
	assert.Contains(t, stdout, "hosts\t(more than 65526 others)\t66526\n")
}

// TestTop counts with several workers what a plain loop counts.
func TestTop(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "testdata", "uris.txt"))
	require.NoError(t, err)
	many := bytes.Repeat(data, 50)
	want := map[string]int{}
	for line := range strings.Lines(string(many)) {
		scheme, stdout, found := strings.Cut(line, "://")
		if !found || strings.ContainsAny(scheme, ":/?#") {
			continue
		}
		host := stdout[:strings.IndexAny(stdout+"/", "/?#\n")]
		host = host[strings.LastIndexByte(host, '@')+1:]
		if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
			host = host[:i]
		}
		want[host]++
	}
	for _, jobs := range []string{"1", "3"} {
		_, stdout, _ := uriscan(string(many), "top", "-n0", "-j", jobs, "-w", "scheme && authority")
		got := map[string]int{}
		last := 1 << 30
		for line := range strings.Lines(stdout) {
			fields := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
			n := 0
			for _, c := range fields[0] {
				n = n*10 + int(c-'0')
			}
			assert.LessOrEqual(t, n, last)
			got[fields[2]], last = n, n
		}
		assert.True(t, maps.Equal(want, got), jobs)
	}
}

// TestUnique requires the first spelling of each URI, in order, with several workers.
func TestUnique(t *testing.T) {
	var in, want strings.Builder
	for i := range 100000 {
		path := "/" + thousands(i%30000)
		in.WriteString([]string{"http://H", "HTTP://h"}[i%2] + path + "\n")
		if i < 30000 {
			want.WriteString([]string{"http://H", "HTTP://h"}[i%2] + path + "\n")
		}
	}
	for _, jobs := range []string{"1", "4"} {
		status, stdout, _ := uriscan(in.String(), "unique", "-j", jobs)
		assert.Equal(t, exitOK, status)
		assert.True(t, want.String() == stdout)
	}
	_, stdout, _ := uriscan(
		"http://h:80/?b&a#f\nhttp://h/?a&b\n",
		"unique",
		"--level=scheme",
		"--sort-params",
		"--drop-fragment",
	)
	assert.Equal(t, "http://h:80/?b&a#f\n", stdout)
}
