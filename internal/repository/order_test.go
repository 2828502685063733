package repository

import (
	"fmt"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOrder requires the files of the root package to have an order in which each file uses only those before
// it.
func TestOrder(t *testing.T) {
	eachMachine(t, func(t *testing.T, code *source) {
		order, cycle := code.order()
		assert.Empty(t, cycle)
		t.Log(strings.Join(order, " "))
	})
}

// TestOrderNoticesCycles makes the vocabulary use a file that is built on it.
func TestOrderNoticesCycles(t *testing.T) {
	code := newSource()
	for _, name := range goList(t, machines[0], "{{range .GoFiles}}{{.}}\n{{end}}") {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		if name == "uri.go" {
			text = append(text, "var _ Builder\n"...)
		}
		code.parse(t, name, text)
	}
	code.check(t, machines[0])
	_, cycle := code.order()
	require.Contains(t, cycle, "uri.go uses Builder of builder.go")
	require.Contains(t, strings.Join(cycle, "\n"), "builder.go uses ")
}

// uses returns, for each file, the files that declare what it uses, each with the name of one thing used.
func (s *source) uses() map[string]map[string]string {
	uses := map[string]map[string]string{}
	for _, file := range s.files {
		uses[s.file(file.Pos())] = map[string]string{}
	}
	for name, object := range s.info.Uses {
		if object.Pkg() != s.pkg {
			continue
		}
		if method, ok := object.(*types.Func); ok {
			object = method.Origin()
		}
		if from, to := s.file(name.Pos()), s.file(object.Pos()); from != to {
			uses[from][to] = name.Name
		}
	}
	return uses
}

// order returns the files in an order in which each file uses only those before it. If there is none, cycle
// lists the files in the way, and what they use of one another.
func (s *source) order() (order, cycle []string) {
	rest := s.uses()
	for len(rest) > 0 {
		var free []string
		for file, uses := range rest {
			maps.DeleteFunc(uses, func(used, _ string) bool { return rest[used] == nil })
			if len(uses) == 0 {
				free = append(free, file)
			}
		}
		if free == nil {
			for _, file := range slices.Sorted(maps.Keys(rest)) {
				for used, name := range rest[file] {
					cycle = append(cycle, fmt.Sprintf("%s uses %s of %s", file, name, used))
				}
			}
			return order, cycle
		}
		slices.Sort(free)
		order = append(order, free...)
		for _, file := range free {
			delete(rest, file)
		}
	}
	return order, nil
}
