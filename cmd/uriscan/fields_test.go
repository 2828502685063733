package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri"
)

// sample has each component absent, empty and non-empty, and every kind of host.
const sample = "http://u:p:q@example.com:8080/a/b.gz?c=d&e&c=%20+#f/g\r\n" +
	"//@[2001:db8::1]:\n" +
	"\n" +
	"file:///etc/hosts?#\n" +
	"urn:example:a%22b\n" +
	"//:@192.0.2.1/\n" +
	"//u@[v1.x]?q"

// everyField is the fields of a URI that need no argument, without those of its place.
const everyField = "line,text,length,validity,scheme,authority,userinfo,user,password,host,hostkind,port," +
	"effectiveport,path,segments,filename,extension,query,params,keys,values,fragment,relative,traits"

func TestEveryField(t *testing.T) {
	assert.Equal(t, "file,"+everyField+",param.KEY,segment.N", strings.ReplaceAll(fieldNames(), " ", ""))

	status, stdout, stderr := uriscan(sample, "--fields", everyField)
	assert.Equal(t, exitOK, status)
	assert.Equal(t, "uriscan: 7 lines, 7 valid, 0 invalid\n", stderr)
	assert.Equal(t, strings.NewReplacer("|", "\t", "\n ", "").Replace(`
1|http://u:p:q@example.com:8080/a/b.gz?c=d&e&c=%20+#f/g|53|valid|http|u:p:q@example.com:8080|u:p:q|u|p:q|
 example.com|reg-name|8080|8080|/a/b.gz| a b.gz|b.gz|gz|c=d&e&c=%20+|c=d e c=%20+|c e c|
 d %20+|f/g|false|HasEscape
2|//@[2001:db8::1]:|17|valid||@[2001:db8::1]:||||[2001:db8::1]|IPv6address||||||||||||true|HasUnusualPort
3||0|valid|||||||||||||||||||true|
4|file:///etc/hosts?#|19|valid|file||||||reg-name|||/etc/hosts| etc hosts|hosts|||||||false|
5|urn:example:a%22b|17|valid|urn|||||||||example:a%22b|example:a%22b|example:a%22b|||||||false|HasEscape
6|//:@192.0.2.1/|14|valid||:@192.0.2.1|:|||192.0.2.1|IPv4address|||/| ||||||||true|
7|//u@[v1.x]?q|12|valid||u@[v1.x]|u|u||[v1.x]|IPvFuture|||||||q|q|q|||true|
`), "\n"+stdout)

	status, stdout, _ = uriscan(sample, "--format", "jsonl", "-f", everyField, "-")
	assert.Equal(t, exitOK, status)
	assert.Equal(t, strings.ReplaceAll(`
{"line":1,"text":"http://u:p:q@example.com:8080/a/b.gz?c=d&e&c=%20+#f/g","length":53,"validity":"valid",
 "scheme":"http","authority":"u:p:q@example.com:8080","userinfo":"u:p:q","user":"u","password":"p:q",
 "host":"example.com","hostkind":"reg-name","port":"8080","effectiveport":8080,
 "path":"/a/b.gz","segments":["","a","b.gz"],"filename":"b.gz","extension":"gz",
 "query":"c=d&e&c=%20+","params":["c=d","e","c=%20+"],"keys":["c","e","c"],"values":["d","%20+"],
 "fragment":"f/g","relative":false,"traits":["HasEscape"]}
{"line":2,"text":"//@[2001:db8::1]:","length":17,"validity":"valid",
 "authority":"@[2001:db8::1]:","userinfo":"","user":"",
 "host":"[2001:db8::1]","hostkind":"IPv6address","port":"","path":"","segments":[],
 "params":[],"keys":[],"values":[],"relative":true,"traits":["HasUnusualPort"]}
{"line":3,"text":"","length":0,"validity":"valid","path":"","segments":[],
 "params":[],"keys":[],"values":[],"relative":true,"traits":[]}
{"line":4,"text":"file:///etc/hosts?#","length":19,"validity":"valid",
 "scheme":"file","authority":"","host":"","hostkind":"reg-name",
 "path":"/etc/hosts","segments":["","etc","hosts"],"filename":"hosts",
 "query":"","params":[],"keys":[],"values":[],"fragment":"","relative":false,"traits":[]}
{"line":5,"text":"urn:example:a%22b","length":17,"validity":"valid",
 "scheme":"urn","path":"example:a%22b","segments":["example:a%22b"],"filename":"example:a%22b",
 "params":[],"keys":[],"values":[],"relative":false,"traits":["HasEscape"]}
{"line":6,"text":"//:@192.0.2.1/","length":14,"validity":"valid",
 "authority":":@192.0.2.1","userinfo":":","user":"","password":"",
 "host":"192.0.2.1","hostkind":"IPv4address","path":"/","segments":["",""],
 "params":[],"keys":[],"values":[],"relative":true,"traits":[]}
{"line":7,"text":"//u@[v1.x]?q","length":12,"validity":"valid",
 "authority":"u@[v1.x]","userinfo":"u","user":"u",
 "host":"[v1.x]","hostkind":"IPvFuture","path":"","segments":[],
 "query":"q","params":["q"],"keys":["q"],"values":[],"relative":true,"traits":[]}
`, "\n ", ""), "\n"+stdout)
}

func TestFieldsInOrder(t *testing.T) {
	_, stdout, _ := uriscan("x://u@h:1/p?q#f")
	assert.Equal(t, "x\tu\th\t1\t/p\tq\tf\n", stdout, "default")
	_, stdout, _ = uriscan("x://h/p?q", "-f", "query,line", "-f", "path")
	assert.Equal(t, "q\t1\t/p\n", stdout)
	_, stdout, _ = uriscan("x:\n//h:80\n?q", "--format=jsonl", "--fields=port,query")
	assert.Equal(t, "{}\n{\"port\":\"80\"}\n{\"query\":\"q\"}\n", stdout)
}

func TestParametricFields(t *testing.T) {
	const in = "http://h/a/b%2F/c?q=1&%71=2&x=%41+b&e\n/?q\n?\n"
	_, stdout, _ := uriscan(in, "--fields", "segment.0,segment.1,segment.2,segment.9,param.q,param.x,param.e")
	assert.Equal(t, "\ta\tb%2F\t\t1\t%41+b\t\n\t\t\t\t\t\t\n\t\t\t\t\t\t\n", stdout)
	_, stdout, _ = uriscan(in, "--format=jsonl", "--fields", "segment.2:decoded,param.x:decoded,param.q,param.e")
	assert.Equal(t, `{"segment.2:decoded":"b/","param.x:decoded":"A b","param.q":"1","param.e":""}`+"\n"+
		`{"param.q":""}`+"\n{}\n", stdout)
}

func TestDecode(t *testing.T) {
	const in = "//%41/%09%0A%5C?%3d=%2B+&x=%FF#%22\n"
	const fields = "host,path,keys,values,params,fragment,segments"
	_, stdout, _ := uriscan(in, "--decode", "-f", fields)
	assert.Equal(
		t,
		`A|/\t\n\\|= x|+  `+"\xFF"+`|==+  x=`+"\xFF"+`|"| \t\n\\`+"\n",
		strings.ReplaceAll(stdout, "\t", "|"),
	)
	_, stdout, _ = uriscan(in, "--decode", "--format=jsonl", "-f", fields)
	assert.Equal(t, `{"host":"A","path":"/\u0009\u000a\\","keys":["=","x"],"values":["+ ","`+"\uFFFD"+`"],`+
		`"params":["==+ ","x=`+"\uFFFD"+`"],"fragment":"\"","segments":["","\u0009\u000a\\"]}`+"\n", stdout)
	_, stdout, _ = uriscan(in, "--decode", "--format=csv", "-f", "host,path,values,fragment")
	assert.Equal(t, "A,\"/\t\n\\\",+  \xFF,\"\"\"\"\n", stdout)
	_, stdout, _ = uriscan("/a+b%2B?c=d+e%2B\n", "--decode", "-f",
		"path,segment.1,segments,param.c,values,query,traits")
	assert.Equal(t, "/a+b+\ta+b+\t a+b+\td e+\td e+\tc=d+e+\tHasEscape\n", stdout)
	_, stdout, _ = uriscan(in, "--format={path:decoded}|{path}")
	assert.Equal(t, `/\t\n\\|/%09%0A%5C`+"\n", stdout)
}

// TestDecodeLenient decodes what only a lenient scan accepts.
func TestDecodeLenient(t *testing.T) {
	const in = "/a\\b c\"?x=100%&y=1,2+3%\n"
	_, stdout, _ := uriscan(in, "--lenient", "-f", "path,values:decoded")
	assert.Equal(t, "/a\\\\b c\"\t100% 1,2+3%\n", stdout)
	_, stdout, _ = uriscan(in, "--lenient", "-f", "path,values", "--format=csv")
	assert.Equal(t, "\"/a\\b c\"\"\",\"100% 1,2+3%\"\n", stdout)
	_, stdout, _ = uriscan(in, "--lenient", "-f", "path,values,traits", "--format=jsonl")
	assert.Equal(t, `{"path":"/a\\b c\"","values":["100%","1,2+3%"],`+
		`"traits":["HasBrokenEscape","HasBackslash","HasIllegalInPath"]}`+"\n", stdout)
	status, _, _ := uriscan(in, "--strict")
	assert.Equal(t, exitInvalid, status)
}

func TestFormats(t *testing.T) {
	const in = "http://example.com:/a,b?x=1,2&y\n//h\n"
	const fields = "host,path,port,keys"
	for _, c := range []struct{ args, want string }{
		{"--format=tsv", "example.com|/a,b||x y\nh|||\n"},
		{"--format=tsv --header", "host|path|port|keys\nexample.com|/a,b||x y\nh|||\n"},
		{"--format=csv", "example.com,\"/a,b\",,x y\nh,,,\n"},
		{"--format=csv --header", "host,path,port,keys\nexample.com,\"/a,b\",,x y\nh,,,\n"},
		{"--format=csv --header --names=ecs", "url.domain,url.path,url.port,uri.keys\n" +
			"example.com,\"/a,b\",,x y\nh,,,\n"},
		{"--format=jsonl", `{"host":"example.com","path":"/a,b","port":"","keys":["x","y"]}` + "\n" +
			`{"host":"h","path":"","keys":[]}` + "\n"},
		{"--format=table", "host         path  port  keys\nexample.com  /a,b        x y\nh\n"},
		{"--format=table --color=always", "\x1b[1mhost         path  port  keys\x1b[0m\n" +
			"example.com  /a,b        x y\nh\n"},
	} {
		status, stdout, _ := uriscan(in, append(strings.Fields(c.args), "--fields", fields)...)
		assert.Equal(t, exitOK, status, c.args)
		assert.Equal(t, c.want, strings.ReplaceAll(stdout, "\t", "|"), c.args)
	}
	_, stdout, _ := uriscan(in, "--format", `{{{host}}}\t{path}\\{port}`)
	assert.Equal(t, "{example.com}\t/a,b\\\n{h}\t\\\n", stdout)
}

func TestNames(t *testing.T) {
	const in = "http://u:p@h:080/a.b?q#f\n//h:\n"
	const fields = "text,scheme,authority,user,password,host,port,path,extension,query," +
		"params,keys,fragment,relative"
	for names, want := range map[string]string{
		"plain": `{"text":"http://u:p@h:080/a.b?q#f","scheme":"http","authority":"u:p@h:080","user":"u",` +
			`"password":"p",` +
			`"host":"h","port":"080","path":"/a.b","extension":"b","query":"q","params":["q"],"keys":["q"],` +
			`"fragment":"f","relative":false}
{"text":"//h:","authority":"h:","host":"h","port":"","path":"","params":[],"keys":[],"relative":true}
`,
		"ecs": `{"url.original":"http://u:p@h:080/a.b?q#f","url.scheme":"http","uri.authority":"u:p@h:080",` +
			`"url.username":"u","url.password":"p","url.domain":"h","url.port":80,"url.path":"/a.b",` +
			`"url.extension":"b","url.query":"q","uri.params":["q"],"uri.keys":["q"],"url.fragment":"f",` +
			`"uri.relative":false}
{"url.original":"//h:","uri.authority":"h:","url.domain":"h","url.path":"","uri.params":[],"uri.keys":[],` +
			`"uri.relative":true}
`,
		"otel": `{"url.original":"http://u:p@h:080/a.b?q#f","url.scheme":"http","uri.authority":"u:p@h:080",` +
			`"uri.user":"u","uri.password":"p","url.domain":"h","url.port":80,"url.path":"/a.b",` +
			`"url.extension":"b","url.query":"q","uri.params":["q"],"uri.keys":["q"],"url.fragment":"f",` +
			`"uri.relative":false}
{"url.original":"//h:","uri.authority":"h:","url.domain":"h","url.path":"","uri.params":[],"uri.keys":[],` +
			`"uri.relative":true}
`,
		"clickhouse": `{"url":"http://u:p@h:080/a.b?q#f","protocol":"http","netloc":"u:p@h:080","user":"u",` +
			`"password":"p","domain":"h","port":"080","path":"/a.b","extension":"b","queryString":"q",` +
			`"extractURLParameters":["q"],"extractURLParameterNames":["q"],"fragment":"f","relative":false}
{"url":"//h:","netloc":"h:","domain":"h","port":"","path":"","extractURLParameters":[],` +
			`"extractURLParameterNames":[],"relative":true}
`,
	} {
		_, stdout, _ := uriscan(in, "--format=jsonl", "--names", names, "-f", fields)
		assert.Equal(t, want, stdout, names)
	}
}

// TestNothingToEscape proves what the formats rely on: valid input of any form contains no byte that JSON
// escapes, no TAB and no line end. Each "_" is replaced with such a byte.
func TestNothingToEscape(t *testing.T) {
	const around = "_ _: x_: x:_ //_ //_@h //u:_@h //h_ //h:_ //[_] //[v1._] //[::1_] //[::1]_ //%4_ " +
		"/_ /%4_ a/_/b ?_ x:?_ #_ x:#_ /?_# h_:1 _:1 h:_ *_ _*"
	for form := uri.Reference; form <= uri.HostField; form++ {
		for b := range 256 {
			if b > ' ' && b != '"' && b != '\\' && b < 0x7F {
				continue
			}
			for place := range strings.FieldsSeq(around) {
				text := strings.ReplaceAll(place, "_", string([]byte{byte(b)}))
				assert.False(t, uri.Valid(form, text), "form %d, %q", form, text)
			}
		}
	}
}

// TestBundledURIs decodes the output for the bundled URIs and compares it with a view of each.
func TestBundledURIs(t *testing.T) {
	file := filepath.Join(root, "testdata", "uris.txt")
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	want := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	require.Greater(t, len(want), 400)

	fields := "line,text,relative,scheme,authority,userinfo,user,password,host,hostkind,port,path,query,fragment"
	status, stdout, stderr := uriscan("", "--strict", "--format=jsonl", "--fields", fields, file)
	assert.Equal(t, exitOK, status)
	assert.Equal(t, fmt.Sprintf("uriscan: %d lines, %[1]d valid, 0 invalid\n", len(want)), stderr)
	components := map[string]uri.Component{
		"scheme": uri.Scheme, "authority": uri.Authority,
		"userinfo": uri.Userinfo, "user": uri.User, "password": uri.Password,
		"host": uri.Host, "port": uri.Port, "path": uri.Path, "query": uri.Query, "fragment": uri.Fragment,
	}
	decoder := json.NewDecoder(strings.NewReader(stdout))
	for i, text := range want {
		v, err := uri.Parse(text)
		require.NoError(t, err, text)
		record := map[string]any{"line": float64(i + 1), "text": text, "relative": v.IsRelative()}
		for name, c := range components {
			if start, end := v.Span(c); start >= 0 {
				record[name] = text[start:end]
			}
		}
		if v.Has(uri.Host) {
			record["hostkind"] = hostKinds[v.HostKind()]
		}
		var got map[string]any
		require.NoError(t, decoder.Decode(&got), text)
		assert.Equal(t, record, got, text)
	}
	assert.False(t, decoder.More())

	_, stdout, _ = uriscan(string(data), "--fields=text")
	assert.Equal(t, string(data), stdout)
}

func TestInvalidLines(t *testing.T) {
	const in = "http://h h/\n/ok\r\n%zz\n\nhttp://[::1\n1a:b\n/a?b c\n//h:8o/"
	const reports = `uriscan: line 1: offset 8: invalid host
uriscan: line 3: offset 1: invalid percent-encoding
uriscan: line 5: offset 11: invalid IP-literal
uriscan: line 6: offset 2: invalid or missing scheme
uriscan: line 7: offset 4: invalid query
uriscan: line 8: offset 6: invalid or missing port
`
	const summary = "uriscan: 8 lines, 2 valid, 6 invalid\n"
	for _, c := range []struct {
		args   []string
		status int
		stderr string
	}{
		{nil, exitOK, reports + summary},
		{[]string{"--strict"}, exitInvalid, reports + summary},
		{[]string{"--quiet"}, exitOK, ""},
		{[]string{"-q", "--strict"}, exitInvalid, ""},
	} {
		status, stdout, stderr := uriscan(in, append(c.args, "-f", "path")...)
		assert.Equal(t, c.status, status)
		assert.Equal(t, "/ok\n\n", stdout)
		assert.Equal(t, c.stderr, stderr)
	}

	status, stdout, stderr := uriscan("", "--strict")
	assert.Equal(t, exitOK, status)
	assert.Empty(t, stdout)
	assert.Equal(t, "uriscan: 0 lines, 0 valid, 0 invalid\n", stderr)

	status, stdout, _ = uriscan("", "--strict", filepath.Join(root, "testdata", "invalid.txt"))
	assert.Equal(t, exitInvalid, status)
	assert.Empty(t, stdout)
}

func TestForms(t *testing.T) {
	const in = "x://h/#f\nx://h/\n/p\n//p?q\nh:1\nh\n*\n"
	for form, want := range map[string]string{
		"reference": "1 2 3 4 5 6 7", // "h:1" has the scheme "h"
		"uri":       "1 2 5",
		"absolute":  "2 5",
		"relative":  "3 4 6 7",
		"origin":    "3 4",
		"authority": "5",
		"asterisk":  "7",
		"host":      "5 6 7", // "*" is a reg-name
	} {
		_, stdout, _ := uriscan(in, "--form", form, "--fields", "line")
		assert.Equal(t, want, strings.Join(strings.Fields(stdout), " "), form)
	}
	_, stdout, stderr := uriscan("/a#b\n//h/p\n\n", "--form", "origin", "--fields", "host,path")
	assert.Equal(t, "\t//h/p\n", stdout)
	assert.Equal(t, "uriscan: line 1: offset 2: component not allowed in this form\n"+
		"uriscan: line 3: offset 0: invalid path\n"+
		"uriscan: 3 lines, 1 valid, 2 invalid\n", stderr)
}

// TestCopier compares the loop for components with the one for all fields, for components of many lengths,
// also at the end of a block.
func TestCopier(t *testing.T) {
	for _, end := range []string{"", "\n"} {
		var in strings.Builder
		for n := range 3 * wide {
			text := strings.Repeat("a", n)
			fmt.Fprintf(&in, "//%s/b\n//h/%[1]s\r\n?%[1]s\n \n//%[1]s\n", text)
			text = in.String() + "//" + text + end
			for _, fields := range []string{"host", "path,host", "scheme,authority,query"} {
				_, want, _ := uriscan(text, "-f", fields, "-w", "text=*")
				_, got, stderr := uriscan(text, "-f", fields)
				require.Equal(t, want, got, n)
				if fields == "host" {
					require.Contains(t, stderr, fmt.Sprintf("uriscan: %d lines, %d valid, %d invalid", 5*n+6, 4*n+5, n+1))
				}
			}
		}
	}
}
