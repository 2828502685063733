package blocks

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-56a50ac9/uri"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// logLine is a line of the combined format.
func logLine(request, referrer string) string {
	return `192.0.2.7 - - [17/May/2015:10:05:03 +0000] "` + request + `" 200 1234 "` + referrer + `" "agent"`
}

// lines are lines of each kind, valid and not.
var lines = map[string][]string{
	"uri": {
		"http://example.com/a", "http://example.com/b?q#f", "https://u@[::1]:8443/", "/a", "",
		"http://", "http://h:", "http://h/%zz", "http://\xff/", "mailto:a@b", "http://h/a b", "?", "http://h/a\tb",
	},
	"target": {
		logLine("GET /a?b HTTP/1.1", "-"), logLine("GET http://h/a HTTP/1.1", "-"),
		logLine("OPTIONS * HTTP/1.1", "-"), logLine("CONNECT h:443 HTTP/1.1", "-"), logLine("-", "-"),
		logLine("GET - HTTP/1.1", "-"), logLine("GET", "-"), logLine(`GET /a\"b HTTP/1.1`, "-"),
		logLine(`GET /\x41?q`, "-"), logLine("GET /%zz HTTP/1.1", "-"), "", "x",
	},
	"referrer": {
		logLine("GET / HTTP/1.1", "http://example.com/"), logLine("GET / HTTP/1.1", "-"), logLine("-", ""),
		logLine("-", "http://h/%zz"), logLine("-", `http://\xc3\xa4/`), "", `"`, logLine("-", "-")[:50],
	},
}

// A found is what there is to know about a line.
type found struct {
	line    string
	present bool // the line has a URI
	values  []string
	has     []bool
	err     bool
}

var (
	requests  = regexp.MustCompile(`^[^"]*\] "((?:[^"\\]|\\.)*)" \d{3}`)
	referrers = regexp.MustCompile(`^[^"]*\] "(?:[^"\\]|\\.)*" \d{3}[^"]*"((?:[^"\\]|\\.)*)"`)
	targets   = regexp.MustCompile(`^([^ ]+) (.*?)(?: HTTP/[^ ]*)?$`)
	escapes   = regexp.MustCompile(`\\(x[0-9a-fA-F]{2}|.)`)
)

// find is the slow twin of a job: regular expressions find the URI, and Parse reads it.
func find(kind, line string, components []uri.Component, lenient bool) (f found) {
	f.line = line
	text, form := line, uri.Reference
	if kind != "uri" {
		expression := referrers
		if kind == "target" {
			expression = requests
		}
		match := expression.FindStringSubmatch(line)
		if match == nil {
			f.err = true
			return f
		}
		text = escapes.ReplaceAllStringFunc(match[1], func(s string) string {
			if s[1] == 'x' {
				var c byte
				_, _ = fmt.Sscanf(s[2:], "%x", &c)
				return string([]byte{c})
			}
			return s[1:]
		})
	}
	if text == "" || text == "-" && kind != "uri" {
		return f
	}
	if kind == "target" {
		match := targets.FindStringSubmatch(text)
		if match == nil {
			f.err = true
			return f
		}
		text = match[2]
		form = uri.RequestForm(match[1], text)
	}
	if text == "" || text == "-" && kind != "uri" {
		return f
	}
	if lenient {
		form |= uri.Lenient
	}
	f.present = true
	var v uri.StringView
	f.err = v.Scan(form, text) != nil
	for _, c := range components {
		var steps uri.Step
		if lenient {
			steps = uri.EncodeIllegal
		}
		f.has = append(f.has, v.Has(c))
		f.values = append(f.values, string(v.AppendComponent(nil, c, steps)))
	}
	return f
}

func TestJob(t *testing.T) {
	components := []uri.Component{uri.Host, uri.Path, uri.Query}
	for kind := range readers {
		for _, lenient := range []bool{false, true} {
			for _, end := range []string{"\n", "\r\n"} {
				block := strings.Join(lines[kind], end)
				j, err := New(kind, "host,path,query", lenient)
				require.NoError(t, err)

				var want, got []string
				wanted := Counts{Values: map[string]*int64{}}
				for i, line := range lines[kind] {
					f := find(kind, line, components, lenient)
					wanted.Lines++
					switch {
					case f.err:
						want = append(want, fmt.Sprint(i+1, " ", line))
						wanted.Invalid++
						continue
					case f.present && f.has[0]:
						wanted.add([]byte(f.values[0]), 1)
					default:
						wanted.Without++
					}
				}
				invalid := func(n int, line []byte, err error) {
					require.Error(t, err)
					got = append(got, fmt.Sprint(n, " ", string(line)))
				}
				var c Counts
				j.Count(&c, []byte(block), invalid)
				assert.Equal(t, want, got, "%s %t %q", kind, lenient, end)
				assert.Equal(t, wanted, c, "%s %t %q", kind, lenient, end)
				total := c.Without + c.Invalid
				for _, n := range c.Values {
					total += *n
				}
				assert.Equal(t, c.Lines, total)

				var text strings.Builder
				for _, line := range lines[kind] {
					if f := find(kind, line, components, lenient); !f.err {
						if !f.present {
							f.values = make([]string, len(components))
						}
						text.WriteString(strings.Join(f.values, "\t") + "\t" + line + "\n")
					}
				}
				got = nil
				assert.Equal(t, "dst"+text.String(), string(j.AppendComponents([]byte("dst"), []byte(block), invalid)))
				assert.Equal(t, want, got)
			}
		}
	}
}

func TestInvalid(t *testing.T) {
	j, err := New("uri", "host", false)
	require.NoError(t, err)
	var c Counts
	var got []string
	block := "http://h/\nhttp://secret h/\nhttp://" + strings.Repeat("h", MaxValue+1) + "/\n"
	j.Count(&c, []byte(block), func(n int, _ []byte, err error) {
		got = append(got, fmt.Sprintf("%d: %v", n, err))
	})
	assert.Equal(t, []string{
		"2: uri: invalid host at offset 13", "3: a value is longer than 65536 bytes",
	}, got)
	assert.EqualValues(t, 2, c.Invalid)
}

func TestNew(t *testing.T) {
	for _, c := range []struct{ lines, components, want string }{
		{"", "host", `unknown kind of line ""; use one of referrer, target, uri`},
		{"uri", "", `unknown component ""; use some of scheme, authority, `},
		{"uri", "host,", `unknown component ""; use some of scheme, authority, `},
		{"uri", "host,Path", `unknown component "Path"; use some of scheme, authority, `},
		{"uri", "host,path,host", `component "host" is given twice`},
	} {
		_, err := New(c.lines, c.components, false)
		assert.ErrorContains(t, err, c.want)
	}
	for _, name := range componentNames() {
		_, err := New("uri", name, false)
		assert.NoError(t, err)
	}
	assert.Equal(t, "10", (uri.Fragment + 1).String(), "componentNames has all components")
}

func TestRecords(t *testing.T) {
	var c Counts
	for i := range 1000 {
		c.add(fmt.Append(nil, "<host&", i, ">"), int64(i+1))
		c.Lines += int64(i + 1)
	}
	c.Without, c.Invalid = 7, 9
	for _, limit := range []int{100, 1000, 1 << 20} {
		records, err := c.Records(limit)
		require.NoError(t, err)
		var sum Counts
		for _, record := range records {
			assert.LessOrEqual(t, len(record), limit)
			var part Counts
			require.NoError(t, json.Unmarshal(record, &part))
			sum.Add(&part)
		}
		assert.Equal(t, c, sum)
		assert.Equal(t, limit < 1<<20, len(records) > 1)
	}
	assert.Equal(t, []string{"<host&999>", "<host&998>"}, c.Top(2))
	assert.Len(t, c.Top(1<<20), 1000)
	_, err := c.Records(10)
	assert.ErrorContains(t, err, "one value needs a record of ")
	records, err := (&Counts{Lines: 1}).Records(100)
	require.NoError(t, err)
	assert.Equal(t, `{"lines":1,"without":0,"invalid":0,"values":null}`, string(records[0]))
}

func BenchmarkCount(b *testing.B) {
	line := logLine("GET /a/b/c?d=e HTTP/1.1", "http://example.com/a/b/c") + "\n"
	for _, kind := range slices.Sorted(maps.Keys(readers)) {
		if kind == "uri" {
			line = "http://example.com/a/b/c\n"
		}
		b.Run("lines="+kind, func(b *testing.B) {
			block := []byte(strings.Repeat(line, 64<<10/len(line)))
			j, err := New(kind, "host", false)
			require.NoError(b, err)
			b.SetBytes(int64(len(block)))
			var c Counts
			for b.Loop() {
				j.Count(&c, block, nil)
			}
		})
	}
}
