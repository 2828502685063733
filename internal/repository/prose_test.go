package repository

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unidiomatic are phrases that plain technical English avoids, each with what to write instead.
var unidiomatic = []struct{ phrase, better string }{
	{`\b[Tt]ells? whether\b`, `"reports whether"`},
	{`\b[Ff]or who\b`, `"who" without antecedent: name the people, or use a participle`},
	{`\bas (it|they) stands?\b`, `"verbatim", "still encoded" or "unchanged"`},
	{`\b(stands?|standing) (before|after|between|behind|there|here|where)\b`, `"precedes", "follows"`},
	{`\bless (the|its|their|query|leading)\b`, `"without"`},
	{`\b[Ww]here (there|none|one) (is|are)\b`, `"if there is", "if one is"`},
	{`\ba (text|token) (that )?is of\b`, `"input that matches"`},
	{`\b(one|URIs?|bytes?|bits?|nanoseconds|look-up) a (line|byte|bit|rule|record)\b`, `"per line", "per byte"`},
	{`\bbut for\b`, `"except for"`},
	{`\bbe it\b`, `"valid or not"`},
	{`\bas ever\b`, `"as before", "still"`},
	{`\b[Ss]hall\b`, `"must", "will" or "should"`},
	{`\banew\b`, `"again"`},
}

// TestProse rejects unidiomatic phrases in doc comments and in documents.
func TestProse(t *testing.T) {
	var phrases []*regexp.Regexp
	for _, u := range unidiomatic {
		phrases = append(phrases, regexp.MustCompile(u.phrase))
	}
	lines := 0
	judge := func(path string, number int, text string) {
		for line := range strings.Lines(text) {
			for i, phrase := range phrases {
				if found := phrase.FindString(line); found != "" {
					assert.Fail(t, "unidiomatic", "%s:%d: %q: write %s", path, number, found, unidiomatic[i].better)
				}
			}
			lines++
			number++
		}
	}

	fset := token.NewFileSet()
	for _, path := range filesOf(t, ".go") {
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, group := range docComments(file) {
			for _, comment := range group.List {
				judge(path, fset.Position(comment.Pos()).Line, comment.Text)
			}
		}
	}

	for _, path := range filesOf(t, ".md") {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		judge(path, 1, string(text))
	}
	assert.Greater(t, lines, 1000)
}

// docComments returns the comments of the package clause, declarations and fields of a file.
func docComments(file *ast.File) (groups []*ast.CommentGroup) {
	add := func(found ...*ast.CommentGroup) {
		for _, group := range found {
			if group != nil {
				groups = append(groups, group)
			}
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.File:
			add(node.Doc)
		case *ast.FuncDecl:
			add(node.Doc)
		case *ast.GenDecl:
			add(node.Doc)
		case *ast.TypeSpec:
			add(node.Doc, node.Comment)
		case *ast.ValueSpec:
			add(node.Doc, node.Comment)
		case *ast.Field:
			add(node.Doc, node.Comment)
		}
		return true
	})
	return groups
}
