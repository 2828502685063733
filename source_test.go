package uri

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
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A source is the package's own code, type-checked, for tests that ask what is in it.
type source struct {
	fset  *token.FileSet
	files []*ast.File
	pkg   *types.Package
	info  *types.Info
	// mentions are the functions and variables of the package that each of them mentions, by a call or otherwise, in its body
	// or initial value, or in assembly.
	mentions map[types.Object]map[types.Object]bool
}

// machines are a processor for each set of files of the package that is compiled together.
var machines = []string{"amd64", "arm64", "riscv64"}

// eachMachine runs a test on the code that is compiled for each of machines.
func eachMachine(t *testing.T, test func(t *testing.T, code *source)) {
	for _, machine := range machines {
		t.Run(machine, func(t *testing.T) { test(t, loadSource(t, machine, "GoFiles")) })
	}
}

// goList returns the words of a template that the go command fills in for the machine, or for this one where none is named.
func goList(t *testing.T, machine, template string, args ...string) []string {
	t.Helper()
	command, err := exec.LookPath("go")
	if err != nil || os.Getenv("URI_LEVEL") != "" {
		t.Skip("runs where there is a go command and URI_LEVEL is not set: it would be one of another machine than the emulated one")
	}
	list := exec.Command(command, append([]string{"list", "-f", template}, args...)...)
	if machine != "" {
		list.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+machine)
	}
	var problems bytes.Buffer
	list.Stderr = &problems
	out, err := list.Output()
	require.NoError(t, err, problems.String())
	return strings.Fields(string(out))
}

// compiledFiles returns the compiled packages that the package and its tests import, for this machine: what is mentioned of
// them is the same on others.
func compiledFiles(t *testing.T) map[string]string {
	if compiledPackages == nil {
		compiledPackages = map[string]string{}
		imports := goList(t, "", "{{range .Imports}}{{.}}\n{{end}}{{range .TestImports}}{{.}}\n{{end}}", ".")
		args := append([]string{"-export", "-deps"}, imports...)
		for _, pair := range goList(t, "", "{{if .Export}}{{.ImportPath}}={{.Export}}{{end}}", args...) {
			path, file, _ := strings.Cut(pair, "=")
			compiledPackages[path] = file
		}
	}
	return compiledPackages
}

var compiledPackages map[string]string

// loadSource reads the files of the given kinds that are compiled for the machine.
func loadSource(t *testing.T, machine string, kinds ...string) *source {
	t.Helper()
	s := &source{
		fset:     token.NewFileSet(),
		info:     &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}},
		mentions: map[types.Object]map[types.Object]bool{},
	}
	for _, kind := range kinds {
		for _, name := range goList(t, machine, "{{range ."+kind+"}}{{.}}\n{{end}}", ".") {
			file, err := parser.ParseFile(s.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
			require.NoError(t, err)
			s.files = append(s.files, file)
		}
	}
	compiled := compiledFiles(t)
	config := types.Config{
		Sizes: types.SizesFor("gc", machine),
		Importer: importer.ForCompiler(s.fset, "gc", func(path string) (io.ReadCloser, error) {
			if compiled[path] == "" {
				return nil, fmt.Errorf("%s is not compiled", path)
			}
			return os.Open(compiled[path])
		}),
	}
	var err error
	s.pkg, err = config.Check("github.com/seed-56a50ac9/uri", s.fset, s.files, s.info)
	require.NoError(t, err)
	s.findMentions()
	for _, name := range goList(t, machine, "{{range .SFiles}}{{.}}\n{{end}}", ".") {
		s.findJumps(t, name)
	}
	return s
}

// isTest tells whether the object is declared in a file of tests.
func (s *source) isTest(object types.Object) bool {
	return strings.HasSuffix(s.fset.Position(object.Pos()).Filename, "_test.go")
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

// mentioned returns the functions and variables of the package that are mentioned in the node.
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

// findJumps does for assembly what findMentions does.
func (s *source) findJumps(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
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
