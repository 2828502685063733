// Package repository tests properties of the repository other than the behavior of its code: the order of the
// files, the exported API and its documentation, the README, and what the compiler reports about the code.
// These tests read the sources of the root package. They are separate from its own tests so that the go
// command can cache the results of those.
// cache.
package repository

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A source is the package's own code, type-checked, for tests that examine it.
type source struct {
	fset  *token.FileSet
	files []*ast.File
	pkg   *types.Package
	info  *types.Info
	// mentions maps each function and variable of the package to the functions and variables that it mentions,
	// by a call or otherwise, in its body or initial value, or in assembly.
	mentions map[types.Object]map[types.Object]bool
}

// machines has one processor for each set of files of the package that is compiled together.
var machines = []string{"amd64", "arm64", "riscv64"}

// eachMachine runs a test on the code as compiled for each of machines.
func eachMachine(t *testing.T, test func(t *testing.T, code *source)) {
	for _, machine := range machines {
		t.Run(machine, func(t *testing.T) { test(t, loadSource(t, machine, "GoFiles")) })
	}
}

// The module and its folder.
const (
	module = "github.com/seed-56a50ac9/uri"
	root   = "../.."
)

// goCommand runs the go command in the root of the module. Like an importer, it does not use the workspace.
func goCommand(t *testing.T, environment []string, args ...string) string {
	t.Helper()
	command := exec.Command("go", args...)
	command.Dir = root
	command.Env = append(append(os.Environ(), "GOWORK=off"), environment...)
	var problems bytes.Buffer
	command.Stderr = &problems
	out, err := command.Output()
	require.NoError(t, err, problems.String())
	return string(out)
}

// goList returns the words of a template that "go list" expands for the root package on the machine.
func goList(t *testing.T, machine, template string) []string {
	t.Helper()
	return strings.Fields(goCommand(t, []string{"GOOS=linux", "GOARCH=" + machine}, "list", "-f", template, "."))
}

// exportFiles returns the files with the export data of the imports of the root package and its tests, for
// this machine. What they use of the imports is the same on other machines.
func exportFiles(t *testing.T) map[string]string {
	t.Helper()
	exportOnce.Do(func() {
		template := "{{if .Export}}{{.ImportPath}}={{.Export}}{{end}}"
		out := goCommand(t, nil, "list", "-test", "-export", "-deps", "-f", template, ".")
		for line := range strings.Lines(out) {
			path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
			exportOf[path] = file
		}
	})
	return exportOf
}

var (
	exportOnce sync.Once
	exportOf   = map[string]string{}
)

func newSource() *source {
	return &source{
		fset: token.NewFileSet(),
		info: &types.Info{
			Defs:  map[*ast.Ident]types.Object{},
			Uses:  map[*ast.Ident]types.Object{},
			Types: map[ast.Expr]types.TypeAndValue{},
		},
		mentions: map[types.Object]map[types.Object]bool{},
	}
}

// loadSource reads the files of the given kinds that are compiled for the machine.
func loadSource(t *testing.T, machine string, kinds ...string) *source {
	t.Helper()
	s := newSource()
	for _, kind := range kinds {
		for _, name := range goList(t, machine, "{{range ."+kind+"}}{{.}}\n{{end}}") {
			s.parse(t, name, nil)
		}
	}
	s.check(t, machine)
	for _, name := range goList(t, machine, "{{range .SFiles}}{{.}}\n{{end}}") {
		s.findJumps(t, name)
	}
	return s
}

// parse adds a file of the root package, or the given text in its place.
func (s *source) parse(t *testing.T, name string, text any) {
	t.Helper()
	name = filepath.Join(root, name)
	file, err := parser.ParseFile(s.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	s.files = append(s.files, file)
}

// check type-checks the files.
func (s *source) check(t *testing.T, machine string) {
	t.Helper()
	exports := exportFiles(t)
	config := types.Config{
		Sizes: types.SizesFor("gc", machine),
		Importer: importer.ForCompiler(s.fset, "gc", func(path string) (io.ReadCloser, error) {
			if exports[path] == "" {
				return nil, fmt.Errorf("no export data of %s", path)
			}
			return os.Open(exports[path])
		}),
	}
	var err error
	s.pkg, err = config.Check(module, s.fset, s.files, s.info)
	require.NoError(t, err)
	s.findMentions()
}

// file returns the name of the file that the position is in.
func (s *source) file(pos token.Pos) string { return filepath.Base(s.fset.Position(pos).Filename) }

// isTest reports whether the object is declared in a test file.
func (s *source) isTest(object types.Object) bool {
	return strings.HasSuffix(s.file(object.Pos()), "_test.go")
}

func (s *source) findMentions() {
	for _, file := range s.files {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Body != nil {
					s.mentions[s.info.Defs[decl.Name]] = s.mentioned(decl.Body)
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if spec, ok := spec.(*ast.ValueSpec); ok && decl.Tok == token.VAR {
						for _, name := range spec.Names {
							s.mentions[s.info.Defs[name]] = s.mentioned(spec)
						}
					}
				}
			}
		}
	}
}

// mentioned returns the functions and variables of the package that the node mentions.
func (s *source) mentioned(node ast.Node) map[types.Object]bool {
	found := map[types.Object]bool{}
	ast.Inspect(node, func(node ast.Node) bool {
		if name, ok := node.(*ast.Ident); ok {
			switch object := s.info.Uses[name].(type) {
			case *types.Func:
				if object.Pkg() == s.pkg {
					found[object.Origin()] = true
				}
			case *types.Var:
				if object.Parent() == s.pkg.Scope() {
					found[object] = true
				}
			}
		}
		return true
	})
	return found
}

var (
	assemblyText = regexp.MustCompile(`^TEXT ·(\w+)\(SB\)`)
	assemblyName = regexp.MustCompile(`·(\w+)\(SB\)`)
)

// findJumps is findMentions for assembly.
func (s *source) findJumps(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, file))
	require.NoError(t, err)
	var from types.Object
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "//")
		if m := assemblyText.FindStringSubmatch(line); m != nil {
			from = s.pkg.Scope().Lookup(m[1])
			require.NotNil(t, from, line)
			s.mentions[from] = map[types.Object]bool{}
			continue
		}
		for _, m := range assemblyName.FindAllStringSubmatch(line, -1) {
			to := s.pkg.Scope().Lookup(m[1])
			require.NotNil(t, to, line)
			s.mentions[from][to] = true
		}
	}
}
