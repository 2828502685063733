package repository

import (
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shared lists the functions that refer to a package variable other than by its value, but only read it.
var shared = map[string]string{}

// TestNoSharedState requires package variables to be constant, so that no call can affect another. Each
// variable holds a plain value without references to memory that could change, and no function assigns to it
// or refers to it other than by its value. Assembly only reads such variables, and looks up the rule of a
// form; its tables are in read-only memory.
func TestNoSharedState(t *testing.T) {
	eachMachine(t, func(t *testing.T, code *source) {
		found := map[string]bool{}
		for _, change := range code.sharedState() {
			found[change.what] = true
			assert.NotEmpty(t, shared[change.what], "%v: %s", code.fset.Position(change.pos), change.what)
		}
		for what := range shared {
			assert.True(t, found[what], "is gone: %s", what)
		}
	})
	for _, machine := range machines {
		for _, name := range goList(t, machine, "{{range .SFiles}}{{.}}\n{{end}}") {
			text, err := os.ReadFile(filepath.Join(root, name))
			require.NoError(t, err)
			for line := range strings.Lines(string(text)) {
				switch words := append(strings.Fields(line), ""); words[0] {
				case "TEXT", "JMP", "B", "CMPB", "MOVBU":
				case "LEAQ", "MOVD":
					assert.NotRegexp(t, assemblyName, strings.Replace(line, "·formRules", "", 1), name)
				case "GLOBL":
					assert.Contains(t, line, "RODATA", name)
				default:
					assert.NotRegexp(t, assemblyName, line, name)
				}
			}
		}
	}
}

// TestSharedStateNoticed adds functions that share memory to the code.
func TestSharedStateNoticed(t *testing.T) {
	code := newSource()
	for _, name := range goList(t, machines[0], "{{range .GoFiles}}{{.}}\n{{end}}") {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		if name == "uri.go" {
			text = append(text, `
var (
	plantedArray [8]byte
	plantedCount int
	plantedSlice []byte
	plantedError error
	plantedPart  struct{ next *int }
	plantedView  ViewOf[string]
)

func assigns()    { plantedCount = 1 }
func adds()       { plantedCount += 1 }
func counts()     { plantedCount++ }
func assignsIn()  { (plantedArray)[1] = 1 }
func points()     { _ = &plantedArray[1] }
func slicing()    { _ = plantedArray[:1] }
func ranges()     { for plantedCount = range 3 {} }
func rangesOver() { for range plantedArray {} }
func calls()      { _ = plantedView.Scan(URI, "") }
func reads() int  { return len(plantedArray) + plantedCount + int(plantedArray[plantedCount]) }
func local()      { plantedCount := 0; plantedCount++ }
func literal()    { func() { plantedCount-- }() }
func init()       { _, plantedCount = 0, 0 }
`...)
		}
		code.parse(t, name, text)
	}
	code.check(t, machines[0])
	var found []string
	for _, change := range code.sharedState() {
		if shared[change.what] == "" {
			found = append(found, change.what)
		}
	}
	assert.ElementsMatch(t, []string{
		"plantedSlice refers to memory",
		"plantedError refers to memory",
		"plantedPart refers to memory",
		"plantedView refers to memory",
		"assigns assigns to plantedCount",
		"adds assigns to plantedCount",
		"counts assigns to plantedCount",
		"assignsIn assigns to plantedArray",
		"points takes the address of plantedArray",
		"slicing slices plantedArray",
		"ranges assigns to plantedCount",
		"calls takes the address of plantedView",
		"literal assigns to plantedCount",
		"init assigns to plantedCount",
	}, found)
}

// A change is a place where memory may be shared between calls.
type change struct {
	pos  token.Pos
	what string
}

// sharedState returns the package variables that hold more than a plain value, and what functions do to
// package variables besides reading them.
func (s *source) sharedState() (all []change) {
	for _, name := range s.pkg.Scope().Names() {
		if v, ok := s.pkg.Scope().Lookup(name).(*types.Var); ok && refers(v.Type()) {
			all = append(all, change{v.Pos(), name + " refers to memory"})
		}
	}
	for _, file := range s.files {
		for _, decl := range file.Decls {
			function, ok := decl.(*ast.FuncDecl)
			if !ok || function.Body == nil {
				continue
			}
			// note records what the function does to the expression, if that is part of a package variable.
			note := func(does string, expr ast.Expr) {
				if v := s.variableOf(expr); v != nil && v.Parent() == s.pkg.Scope() {
					all = append(all, change{expr.Pos(), function.Name.Name + " " + does + " " + v.Name()})
				}
			}
			ast.Inspect(function.Body, func(node ast.Node) bool {
				switch node := node.(type) {
				case *ast.AssignStmt:
					for _, left := range node.Lhs {
						note("assigns to", left)
					}
				case *ast.IncDecStmt:
					note("assigns to", node.X)
				case *ast.RangeStmt:
					note("assigns to", node.Key)
					note("assigns to", node.Value)
				case *ast.UnaryExpr:
					if node.Op == token.AND {
						note("takes the address of", node.X)
					}
				case *ast.SliceExpr:
					if _, isArray := s.info.TypeOf(node.X).Underlying().(*types.Array); isArray {
						note("slices", node.X)
					}
				case *ast.SelectorExpr:
					if method, ok := s.info.Uses[node.Sel].(*types.Func); ok {
						receiver := method.Signature().Recv()
						if receiver != nil && isPointer(receiver.Type()) && !isPointer(s.info.TypeOf(node.X)) {
							note("takes the address of", node.X)
						}
					}
				}
				return true
			})
		}
	}
	return all
}

// variableOf returns the variable that the expression is, or that the expression is a part of without a
// pointer in between. An element of a slice counts as a part.
func (s *source) variableOf(expr ast.Expr) *types.Var {
	switch expr := expr.(type) {
	case *ast.Ident:
		v, _ := s.info.Uses[expr].(*types.Var) // a variable declared here is in Defs
		return v
	case *ast.ParenExpr:
		return s.variableOf(expr.X)
	case *ast.IndexExpr:
		return s.variableOf(expr.X)
	case *ast.SelectorExpr:
		return s.variableOf(expr.X)
	}
	return nil
}

// isPointer reports whether the type is a pointer.
func isPointer(of types.Type) bool {
	_, ok := of.Underlying().(*types.Pointer)
	return ok
}

// refers reports whether values of the type refer to memory that can change.
func refers(to types.Type) bool {
	switch to := to.Underlying().(type) {
	case *types.Basic:
		return to.Kind() == types.UnsafePointer
	case *types.Array:
		return refers(to.Elem())
	case *types.Struct:
		for field := range to.Fields() {
			if refers(field.Type()) {
				return true
			}
		}
		return false
	}
	return true
}
