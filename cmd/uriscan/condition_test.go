package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhere(t *testing.T) {
	const in = "http://WWW.Example.com:443/a?q=1&utm_source=x\n" + // 1
		"http://example.com/b/../c?q=%41+b&x\n" + // 2
		"https://www.example.org:8080/d.png#f\n" + // 3
		"/e\n" + // 4
		" \n" + // invalid
		"//h:99999\n" // 6
	for where, want := range map[string]string{
		"host=example.com":                "2",
		"host=*.EXAMPLE.com":              "1",
		"host=*example*":                  "1 2 3",
		"host!=*example*":                 "4 6",
		"port!=443":                       "2 3 4 6",
		"host=*.example.com && port!=443": "",
		"host=*.example.com && port=443":  "1",
		"effectiveport<=443":              "1 2",
		"effectiveport > 443":             "3",
		"effectiveport>=443":              "1 3",
		"port<100000":                     "1 3 6",
		"port<99999":                      "1 3",
		"line<3||line>5":                  "1 2 6",
		"query":                           "1 2",
		"!query":                          "3 4 6",
		"relative":                        "4 6",
		"!relative":                       "1 2 3",
		"relative=true":                   "4 6",
		"keys=utm_*":                      "1",
		"keys!=utm_*":                     "2 3 4 6",
		"keys":                            "1 2",
		"param.x":                         "2",
		`param.x=""`:                      "2",
		"param.q=1":                       "1",
		"param.q=%41+b":                   "2",
		"param.q:decoded='A b'":           "2",
		"values:decoded='A b'":            "2",
		"traits=HasDotSegment":            "2",
		`path~'\.(png|jpe?g)$'`:           "3",
		`path!~'\.(png|jpe?g)$'`:          "1 2 4 6",
		"host~EXAMPLE":                    "1 2 3",
		"path~A":                          "",
		"segment.1=b":                     "2",
		"extension=png":                   "3",
		"scheme=HTTP":                     "1 2",
		"path=/A":                         "",
		"line=1 || line=3 && relative":    "1",
		"(line=1 || line=3) && !relative": "1 3",
		"!(line=1 || !(line=3))":          "3",
		"! ! line=3":                      "3",
		"file=standard*":                  "",
		"file=-":                          "1 2 3 4 6",
		"validity=valid && length=2":      "4",
		"text=*com*com*":                  "",
		"fragment=f":                      "3",
		"fragment=*":                      "3",
		`port=" 1"`:                       "",
		"hostkind=reg-name&&scheme":       "1 2 3",
		"\tline = 1\t||\tline = 2 ":       "1 2",
	} {
		_, stdout, stderr := uriscan(in, "--where", where, "--fields", "line")
		assert.Equal(t, want, strings.Join(strings.Fields(stdout), " "), where)
		assert.Contains(
			t,
			stderr,
			"uriscan: line 5: offset 0: invalid path\nuriscan: 6 lines, 5 valid, 1 invalid",
			where,
		)
		assert.Contains(t, stderr, " selected", where)
	}
}

// TestGlob compares matchGlob with a regular expression.
func TestGlob(t *testing.T) {
	var texts []string
	for n := range 5 {
		for i := range 1 << (2 * n) {
			var text strings.Builder
			for j := range n {
				text.WriteString(string("aAb*"[i>>(2*j)&3]))
			}
			texts = append(texts, text.String())
		}
	}
	for _, pattern := range texts {
		if len(pattern) > 3 {
			continue
		}
		for _, fold := range []bool{false, true} {
			expression := "^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$"
			if fold {
				expression = "(?i)" + expression
			}
			want := regexp.MustCompile(expression)
			match := equal(pattern, fold)
			for _, text := range texts {
				require.Equal(t, want.MatchString(text), match([]byte(text)), "%s %s %v", pattern, text, fold)
			}
		}
	}
}
