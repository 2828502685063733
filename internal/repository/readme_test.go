package repository

import (
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri"
)

// readText returns the text of a file of the repository.
func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	require.NoError(t, err)
	return string(text)
}

// between returns the part of text between the first occurrence of start and the next one of end.
func between(t *testing.T, text, start, end string) string {
	t.Helper()
	_, text, ok := strings.Cut(text, start)
	require.True(t, ok, start)
	text, _, ok = strings.Cut(text, end)
	require.True(t, ok, end)
	return text
}

// TestPages requires the tests, examples and files that the pages name to exist.
func TestPages(t *testing.T) {
	declared := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example|Benchmark)\w*)\(`)
	for _, path := range filesOf(t, ".go") {
		if !strings.HasSuffix(path, "_test.go") {
			continue
		}
		code, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, m := range function.FindAllStringSubmatch(string(code), -1) {
			declared[m[1]] = true
		}
	}
	names := regexp.MustCompile("`((?:Test|Fuzz|Example|Benchmark)\\w*)`")
	links := regexp.MustCompile(`\]\(([^):#]+)(#[^)]*)?\)`)
	for _, page := range filesOf(t, ".md") {
		code, err := os.ReadFile(page)
		require.NoError(t, err)
		text := string(code)
		for _, m := range names.FindAllStringSubmatch(text, -1) {
			assert.True(t, declared[m[1]], "%s: %s exists", page, m[1])
		}
		for _, m := range links.FindAllStringSubmatch(text, -1) {
			_, err := os.Stat(filepath.Join(filepath.Dir(page), m[1]))
			assert.NoError(t, err, page)
		}
	}
}

// TestReadmeCode runs the program of the README, and requires every other block of Go code to be part of an
// example_test.go, whatever its indentation.
func TestReadmeCode(t *testing.T) {
	readme := readText(t, "README.md")
	examples := trimLines(readText(t, "example_test.go") + readText(t, "urihttp/example_test.go"))
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(readme, -1)
	recipes := 0
	for _, m := range blocks {
		switch {
		case strings.HasPrefix(m[1], "import "):
			assert.Contains(t, examples, strings.TrimPrefix(trimLines(m[1]), "import "))
		case strings.HasPrefix(m[1], "package main"):
			file := filepath.Join(t.TempDir(), "main.go")
			require.NoError(t, os.WriteFile(file, []byte(m[1]), 0o644))
			want := between(t, readme, "```text\n", "```")
			assert.Equal(t, want, goCommand(t, nil, "run", file))
		default:
			recipes++
			assert.Contains(t, examples, trimLines(m[1]))
		}
	}
	assert.GreaterOrEqual(t, recipes, 5)
}

// trimLines removes the space around each line.
func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(lines, "\n")
}

// TestReadmeAccepted scans the inputs in the table of what is accepted.
func TestReadmeAccepted(t *testing.T) {
	table := between(t, readText(t, "README.md"), "## What is accepted\n", "\n## ")
	forms := map[string]uri.Form{"": uri.Reference, " as `OriginForm`": uri.OriginForm}
	row := regexp.MustCompile("(?m)^\\| `([^`]*)`([^|]*) \\| (invalid at (\\d+))?")
	rows := row.FindAllStringSubmatch(table, -1)
	require.Greater(t, len(rows), 15)
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

// TestReadmeMasks compares the drawing of the masks, and the offsets below it, with the URL above them.
func TestReadmeMasks(t *testing.T) {
	section := between(t, readText(t, "README.md"), "```masks\n", "\n## ")
	rows := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^(\w+) +(\S+)$`).FindAllStringSubmatch(section, -1) {
		rows[m[1]] = m[2]
	}
	url := rows["url"]
	v, err := uri.Parse(url)
	require.NoError(t, err)
	classes := map[string]string{
		"colon": ":", "slash": "/", "question": "?", "hash": "#", "at": "@", "percent": "%", "bad": "[]",
	}
	for class, members := range classes {
		want := strings.Map(func(r rune) rune {
			if strings.ContainsRune(members, r) {
				return '1'
			}
			return '.'
		}, url)
		assert.Equal(t, want, rows[class], class)
	}
	for c := uri.Scheme; c <= uri.Fragment; c++ {
		if start, end := v.Span(c); start >= 0 {
			assert.Contains(t, section, strconv.Itoa(start)+" to "+strconv.Itoa(end), "%v", c)
		}
	}
}

// TestReliability compares the table of commands with those that .ci/everything runs.
func TestReliability(t *testing.T) {
	checks := strings.Split(between(t, readText(t, ".ci/everything"), "checks='", "'"), "\n")
	require.Greater(t, len(checks), 5)
	var want strings.Builder
	for _, check := range checks {
		shows, command, ok := strings.Cut(check, "|")
		require.True(t, ok, check)
		want.WriteString("| " + shows + " | `" + strings.ReplaceAll(command, "|", `\|`) + "` |\n")
	}
	page := readText(t, "RELIABILITY.md")
	table := between(t, page, "| what it shows | command |\n|---|---|\n", "\n\n")
	assert.Equal(t, want.String(), table+"\n")
	between(t, page, "\n<!-- outcomes -->\n", "\n<!-- end -->\n")
}

// TestExamples requires an example of every exported function and type, named after it. A method has one if
// an example is named after it or calls it.
func TestExamples(t *testing.T) {
	examples := newSource()
	examples.parse(t, "example_test.go", nil)
	examples.check(t, machines[0])
	named := map[string]bool{}
	for _, name := range examples.pkg.Scope().Names() {
		if example, ok := strings.CutPrefix(name, "Example"); ok {
			named[strings.Replace(example, "_", ".", 1)] = true
			// "ViewOf.Scan_requestTargets" is one of "ViewOf.Scan", "Builder.addr" one of "Builder".
			parts := strings.Split(example, "_")
			named[parts[0]] = true
			if len(parts) > 1 {
				named[parts[0]+"."+parts[1]] = true
			}
		}
	}
	called := map[string]bool{}
	examples.inspect(func(node ast.Node) {
		if name, ok := node.(*ast.Ident); ok {
			if method, ok := examples.info.Uses[name].(*types.Func); ok && method.Signature().Recv() != nil {
				of := types.TypeString(method.Signature().Recv().Type(), func(*types.Package) string { return "" })
				of, _, _ = strings.Cut(strings.TrimPrefix(of, "*"), "[")
				called[of+"."+method.Name()] = true
			}
		}
	})
	var missing []string
	for _, e := range loadSource(t, machines[0], "GoFiles").api() {
		_, isType := e.Object.(*types.TypeName)
		if (isType || e.isFunction()) && !named[e.name] && !(e.owner != nil && called[e.name]) {
			missing = append(missing, e.name)
		}
	}
	slices.Sort(missing)
	assert.Empty(t, missing, "no example in example_test.go")
}
