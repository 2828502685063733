package repository

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri"
)

// TestReadme keeps the README true: the tests and examples that it names exist, it names all examples, and
// the scanner accepts what it says is accepted.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile(root + "/README.md")
	require.NoError(t, err)
	readme := string(text)

	files, err := filepath.Glob(root + "/*_test.go")
	require.NoError(t, err)
	inside, err := filepath.Glob(root + "/internal/*/*_test.go")
	require.NoError(t, err)
	files = append(files, inside...)
	declared := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example|Benchmark)\w*)\(`)
	for _, file := range files {
		code, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range function.FindAllStringSubmatch(string(code), -1) {
			declared[m[1]] = true
		}
	}
	names := regexp.MustCompile("`((?:Test|Fuzz|Example|Benchmark)\\w*)`").FindAllStringSubmatch(readme, -1)
	require.NotEmpty(t, names)
	for _, m := range names {
		assert.True(t, declared[m[1]], "%s is there", m[1])
	}
	for name := range declared {
		if strings.HasPrefix(name, "Example") {
			assert.True(t, strings.Contains(readme, "`"+name+"`"), "%s is named", name)
		}
	}

	_, table, ok := strings.Cut(readme, "## What is accepted\n")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n## ")
	forms := map[string]uri.Form{"": uri.Reference, " as `OriginForm`": uri.OriginForm}
	row := regexp.MustCompile("(?m)^\\| `([^`]*)`([^|]*) \\| (invalid at (\\d+))?")
	rows := row.FindAllStringSubmatch(table, -1)
	require.NotEmpty(t, rows)
	for _, m := range rows {
		form, ok := forms[m[2]]
		require.True(t, ok, m[0])
		var v uri.StringView
		if err := v.Scan(form, m[1]); m[3] == "" {
			assert.NoError(t, err, m[0])
		} else {
			assert.Equal(t, m[4], strconv.Itoa(v.ErrorOffset()), m[0])
		}
	}
}
