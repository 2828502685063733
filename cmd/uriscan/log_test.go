package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// combinedLine is a line of the combined format with this request and referrer.
func combinedLine(request, referer string) string {
	return `192.0.2.7 - - [17/May/2015:10:05:03 +0000] "` + request + `" 200 1234 "` + referer +
		`" "agent \"x\""` + "\n"
}

// TestCombined reads what Apache httpd and nginx write for requests of all kinds.
func TestCombined(t *testing.T) {
	for _, c := range []struct{ request, want, report string }{
		{"GET /a?b HTTP/1.1", "/a b", ""},
		{"GET //evil.example/a HTTP/1.1", "//evil.example/a", ""},
		{"GET / HTTP/2.0", "/", ""},
		{"GET /old", "/old", ""},
		{"OPTIONS * HTTP/1.1", "*", ""},
		{"CONNECT example.com:443 HTTP/1.1", "example.com 443", ""},
		{"GET http://example.com/a HTTP/1.1", "http example.com /a", ""},
		{"-", "", ""},
		{"", "", ""},
		{"GET - HTTP/1.1", "", ""},
		{`GET /a\"b HTTP/1.1`, "", "offset 2: invalid path"},
		{`GET /a\\b HTTP/1.1`, "", "offset 2: invalid path"},
		{`GET /a\xc3\xbc HTTP/1.1`, "", "offset 2: invalid path"},
		{`GET /a\n HTTP/1.1`, "", "offset 2: invalid path"},
		{`GET /\x41\x2Fb HTTP/1.1`, "/A/b", ""},
		{`GET /a?b=\\`, "", "offset 5: invalid query"},
		{"GET /a b HTTP/1.1", "", "offset 2: invalid path"},
		{"GET /a#b HTTP/1.1", "", "offset 2: component not allowed in this form"},
		{"GET example.com HTTP/1.1", "", "offset 11: invalid or missing scheme"},
		{`\x16\x03\x01`, "", "the request has no method and target"},
		{" / HTTP/1.1", "", "the request has no method and target"},
	} {
		_, stdout, stderr := uriscan(combinedLine(c.request, "-"), "--log", "combined")
		assert.Equal(t, c.want, strings.Join(strings.Fields(stdout), " "), c.request)
		if c.report == "" {
			assert.NotContains(t, stderr, "line 1:", c.request)
		} else {
			assert.Contains(t, stderr, "uriscan: line 1: "+c.report+"\n", c.request)
		}
		_, common, _ := uriscan(combinedLine(c.request, "-"), "--log", "common")
		assert.Equal(t, stdout, common)
	}
	for _, c := range []struct{ referer, want, report string }{
		{"http://example.com/?q=1", "http example.com / q=1", ""},
		{"-", "", ""},
		{"", "", ""},
		{"android-app://com.example", "android-app com.example", ""},
		{`http://example.com/\"`, "", "offset 19: invalid path"},
		{`http://\xE4/`, "", "offset 7: invalid host"},
	} {
		line := combinedLine(`GET /a\"b HTTP/1.1`, c.referer)
		_, stdout, stderr := uriscan(line, "--log=combined", "--uri=referer")
		assert.Equal(t, c.want, strings.Join(strings.Fields(stdout), " "), c.referer)
		assert.Equal(t, c.report != "", strings.Contains(stderr, "line 1: "+c.report), c.referer)
	}
	_, _, stderr := uriscan(combinedLine("-", "-")+combinedLine("GET / HTTP/1.1", "-"), "--log=combined")
	assert.Equal(t, "uriscan: 2 lines, 1 valid, 0 invalid, 1 without a URI\n", stderr)
	_, stdout, _ := uriscan(
		combinedLine(`GET /a\xc3\xbc?100% HTTP/1.1`, "-"),
		"--log=combined",
		"--lenient",
		"-f",
		"path,query",
	)
	assert.Equal(t, "/a\u00FC\t100%\n", stdout)
}

// TestMalformedLog reads lines that do not have the format of the log.
func TestMalformedLog(t *testing.T) {
	whole := combinedLine("GET /a HTTP/1.1", "http://example.com/")
	for _, line := range []string{
		"", "x", `"`, `""`, "http://example.com/", "a\x00b",
		whole[:len(whole)/2], strings.Replace(whole, "]", "", 1), strings.Replace(whole, " 200 ", " x ", 1),
		strings.Replace(whole, `"`, "", 1), `[] "GET / HTTP/1.1"`, `[] "GET / HTTP/1.1" 20`, `[] "GET / \"`,
	} {
		for _, which := range []string{"request", "referer"} {
			status, stdout, stderr := uriscan(
				line+"\n"+whole,
				"--text",
				"--log=combined",
				"--strict",
				"-f=path",
				"--uri",
				which,
			)
			assert.Equal(t, exitInvalid, status, line)
			assert.Len(t, strings.Fields(stdout), 1, line)
			assert.Contains(t, stderr, "uriscan: line 1: the line does not have the format of the log\n", line)
		}
	}
	const common = `192.0.2.7 - - [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 1234`
	_, stdout, _ := uriscan(common, "--log=common", "--fields=path")
	assert.Equal(t, "/a\n", stdout)
	_, _, stderr := uriscan(common, "--log=combined", "--uri=referer")
	assert.Contains(t, stderr, "the line does not have the format of the log")
}

// caddyLine is a line that Caddy writes.
const caddyLine = `{"level":"info","ts":1646861401.52,"logger":"http.log.access","msg":"handled request",` +
	`"request":{"remote_ip":"127.0.0.1","proto":"HTTP/2.0","method":"GET","host":"localhost",` +
	`"uri":"/a?b=\u0031\/",` +
	`"headers":{"Referer":["http://example.com/\u0041"]}},"status":200}` + "\n"

func TestJSONLogs(t *testing.T) {
	for _, c := range []struct{ line, args, stdout, stderr string }{
		{caddyLine, "--log=caddy", "/a b=1/", "1 valid, 0 invalid"},
		{caddyLine, "--log=caddy --uri=referer", "http example.com /A", "1 valid, 0 invalid"},
		{caddyLine, "--log=caddy --uri=request.host", "localhost", "1 valid, 0 invalid"},
		{caddyLine, "--log=jsonl:request.uri", "/a b=1/", "1 valid, 0 invalid"},
		{caddyLine, "--log=jsonl --uri=request.headers.Referer.0", "http example.com /A", "1 valid, 0 invalid"},
		{caddyLine, "--log=jsonl:request.none", "", "0 valid, 0 invalid, 1 without a URI"},
		{caddyLine, "--log=jsonl:status", "", "line 1: the value of the key is not a string\n"},
		{caddyLine, "--log=jsonl:request", "", "line 1: the value of the key is not a string\n"},
		{
			strings.ReplaceAll(caddyLine, "GET", "CONNECT"), "--log=caddy", "",
			"line 1: offset 0: component not allowed in this form\n",
		},
		{`{"msg":"started"}`, "--log=caddy", "", "0 valid, 0 invalid, 1 without a URI"},
		{`{"u":null}`, "--log=jsonl:u", "", "0 valid, 0 invalid, 1 without a URI"},
		{`{"u":"-"}`, "--log=jsonl:u", "", "0 valid, 0 invalid, 1 without a URI"},
		{`{"u":""}`, "--log=jsonl:u", "", "0 valid, 0 invalid, 1 without a URI"},
		{`{"u":"/a b"}`, "--log=jsonl:u", "", "line 1: offset 2: invalid path\n"},
		{`{"u":"/a"`, "--log=jsonl:u", "", "line 1: the line is not a JSON object\n"},
		{`["/a"]`, "--log=jsonl:0", "", "line 1: the line is not a JSON object\n"},
		{``, "--log=caddy", "", "line 1: the line is not a JSON object\n"},
	} {
		_, stdout, stderr := uriscan(strings.TrimSuffix(c.line, "\n")+"\n", strings.Fields(c.args)...)
		assert.Equal(t, c.stdout, strings.Join(strings.Fields(stdout), " "), "%s %s", c.args, c.line)
		assert.Contains(t, stderr, c.stderr, "%s %s", c.args, c.line)
	}
}

func TestFind(t *testing.T) {
	const text = "See http://h/a (or <https://x.example/b?c>), mailto:a@b and ftp:d.\n\nno\n" +
		"(http://h/p_(q)), http://h/%zz http://\u00e9/ HTTP://H/#f\n"
	for args, want := range map[string]string{
		"--find": "1 http://h/a 1 https://x.example/b?c " +
			"4 http://h/p_(q) 4 http://h/ 4 HTTP://H/#f",
		"--find=https,mailto": "1 https://x.example/b?c 1 mailto:a@b",
		"--find --form=absolute": "1 http://h/a 1 https://x.example/b?c " +
			"4 http://h/p_(q) 4 http://h/ 4 HTTP://H/",
		"--find -w query":                   "1 https://x.example/b?c",
		"--find --lenient -w path=/%zz":     "4 http://h/%zz",
		"--find=any -w host=x.example":      "1 https://x.example/b?c",
		"--find --strict -w host=h&&line=1": "1 http://h/a",
	} {
		status, stdout, _ := uriscan(text, append(strings.Fields(args), "--fields=line,text")...)
		assert.Equal(t, exitOK, status)
		assert.Equal(t, want, strings.Join(strings.Fields(stdout), " "), args)
	}
	_, _, stderr := uriscan(text, "--find")
	assert.Equal(t, "uriscan: 4 lines, 5 valid, 0 invalid, 2 without a URI\n", stderr)
	_, stdout, _ := uriscan(text, "top", "--find", "--by=host", "-n1")
	assert.Equal(t, "3\t60.00\th\n", stdout)
}

func TestColumns(t *testing.T) {
	for _, c := range []struct {
		line, want, stderr string
		args               []string
	}{
		{"a /b c", "/b", "", []string{"--column=2"}},
		{"  a \t /b", "/b", "", []string{"--column=2"}},
		{"a\t/b\tc", "/b", "", []string{"--column=2", `--delimiter=\t`}},
		{"a,/b", "/b", "", []string{"--column=2", "--delimiter=,"}},
		{"a,,/b", "/b", "", []string{"--column=3", "--delimiter=,"}},
		{"a, /b", "", "invalid path", []string{"--column=2", "--delimiter=,"}},
		{"a::/b", "/b", "", []string{"--column=2", "--delimiter=::"}},
		{`a "/b"`, "/b", "", []string{"--column=2"}},
		{"/b", "/b", "", []string{"--column=1"}},
		{"a -", "", "1 without a URI", []string{"--column=2"}},
		{"a,", "", "1 without a URI", []string{"--column=2", "--delimiter=,"}},
		{"a ", "", "line 1: the line has too few columns", []string{"--column=2"}},
		{"a", "", "line 1: the line has too few columns", []string{"--column=2"}},
		{"", "", "line 1: the line has too few columns", []string{"--column=1"}},
		{"a,b", "", "line 1: the line has too few columns", []string{"--column=3", "--delimiter=,"}},
	} {
		_, stdout, stderr := uriscan(c.line+"\n", append(c.args, "--fields=path")...)
		assert.Equal(t, c.want, strings.TrimSpace(stdout), "%q %v", c.line, c.args)
		assert.Contains(t, stderr, c.stderr, "%q %v", c.line, c.args)
	}
}
