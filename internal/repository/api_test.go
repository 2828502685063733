package repository

import (
	"flag"
	"go/ast"
	"go/types"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata/api.txt")

// An exported is something that importers can name.
type exported struct {
	types.Object
	name  string // with the name of its type: "ViewOf.Scan"
	owner types.Object
}

// api returns everything that is exported: constants, functions and types in alphabetical order, each type
// followed by its fields and then its methods.
func (s *source) api() (all []exported) {
	scope := s.pkg.Scope()
	for _, name := range scope.Names() {
		object := scope.Lookup(name)
		if !object.Exported() || s.isTest(object) {
			continue
		}
		all = append(all, exported{object, name, nil})
		of, ok := object.(*types.TypeName)
		if !ok || of.IsAlias() {
			continue
		}
		member := func(member types.Object) {
			if member.Exported() {
				all = append(all, exported{member, name + "." + member.Name(), object})
			}
		}
		if fields, ok := of.Type().Underlying().(*types.Struct); ok {
			for field := range fields.Fields() {
				member(field)
			}
		}
		methods := types.NewMethodSet(types.NewPointer(of.Type()))
		for method := range methods.Methods() {
			member(method.Obj())
		}
	}
	return all
}

// String returns the line of testdata/api.txt.
func (e exported) String() string {
	qualifier := func(pkg *types.Package) string {
		if pkg == e.Pkg() {
			return ""
		}
		return pkg.Name()
	}
	line := types.ObjectString(e.Object, qualifier)
	switch object := e.Object.(type) {
	case *types.Const:
		line += " = " + object.Val().ExactString()
	case *types.TypeName:
		if _, ok := object.Type().Underlying().(*types.Struct); ok && !object.IsAlias() {
			line, _, _ = strings.Cut(line, " struct") // fields have lines of their own
			line += " struct"
		}
	case *types.Var:
		line = "field " + e.name + " " + types.TypeString(object.Type(), qualifier)
	}
	return line
}

// isFunction reports whether e is a function or a method.
func (e exported) isFunction() bool {
	_, ok := e.Object.(*types.Func)
	return ok
}

// TestAPI compares the exported names with testdata/api.txt, so that nothing is exported by accident. The
// file is the same on every machine. After an intended change: go test ./internal/repository -run TestAPI
// -update
func TestAPI(t *testing.T) {
	const golden = root + "/testdata/api.txt"
	eachMachine(t, func(t *testing.T, code *source) {
		var api []string
		for _, e := range code.api() {
			api = append(api, e.String()+"\n")
		}
		if *update {
			require.NoError(t, os.WriteFile(golden, []byte(strings.Join(api, "")), 0o644))
		}
		text, err := os.ReadFile(golden)
		require.NoError(t, err)
		want := slices.Collect(strings.Lines(string(text)))
		for _, line := range want {
			assert.True(t, slices.Contains(api, line), "is gone: %s", line)
		}
		for _, line := range api {
			assert.True(t, slices.Contains(want, line), "is new: %s", line)
		}
		t.Log(len(api), "lines of API")
	})
}

// TestDocumented requires the documentation of everything exported to begin with its name or with an article.
// A constant or a field may instead have a comment after it, or be described by the documentation of its
// type.
func TestDocumented(t *testing.T) {
	eachMachine(t, func(t *testing.T, code *source) {
		docs := code.documentation()
		for _, e := range code.api() {
			doc := docs[e.Object]
			switch e.Object.(type) {
			case *types.Const, *types.Var:
				of := e.owner
				if named, ok := e.Type().(*types.Named); ok && of == nil {
					of = named.Obj()
				}
				named := regexp.MustCompile(`\b` + e.Name() + `\b`).MatchString(docs[of])
				assert.True(t, doc != "" || named, "%s", e.name)
			default:
				assert.Regexp(t, `^(A |An )?`+e.Name()+`\b`, doc, "%s", e.name)
			}
		}
	})
}

// documentation returns the comments above and after each declaration.
func (s *source) documentation() map[types.Object]string {
	docs := map[types.Object]string{}
	note := func(name *ast.Ident, groups ...*ast.CommentGroup) {
		for _, group := range groups {
			docs[s.info.Defs[name]] += group.Text()
		}
	}
	for _, file := range s.files {
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.FuncDecl:
				note(node.Name, node.Doc)
				return false
			case *ast.GenDecl:
				if len(node.Specs) == 1 && node.Doc != nil {
					switch spec := node.Specs[0].(type) {
					case *ast.TypeSpec:
						note(spec.Name, node.Doc)
					case *ast.ValueSpec:
						note(spec.Names[0], node.Doc)
					}
				}
			case *ast.TypeSpec:
				note(node.Name, node.Doc)
			case *ast.ValueSpec:
				for _, name := range node.Names {
					note(name, node.Doc, node.Comment)
				}
			case *ast.Field:
				for _, name := range node.Names {
					note(name, node.Doc, node.Comment)
				}
			}
			return true
		})
	}
	return docs
}

// promises are the promises made for every exported function, each with its test: a function of the root
// package that calls every exported function except the listed ones, each listed with the reason.
var promises = []struct {
	what string
	test string // its name
	// by is the function whose calls count, or whose arguments count if arguments is true. The test must mention
	// it.
	by        string
	arguments bool
	except    map[string]string
}{
	{
		what: "does not allocate", test: "TestOperationAllocations", by: "allocates", arguments: true,
		except: map[string]string{
			"Component.MarshalText": "returns a copy",
			"Component.String":      "returns a copy",
			"Form.MarshalText":      "returns a copy",
			"Form.String":           "returns a copy",
			"HostKind.MarshalText":  "returns a copy",
			"HostKind.String":       "returns a copy",
			"PortKind.MarshalText":  "returns a copy",
			"PortKind.String":       "returns a copy",
			"ScanError.Error":       "returns a copy",
			"Step.MarshalText":      "returns a copy",
			"Step.String":           "returns a copy",
			"Trait.MarshalText":     "returns a copy",
			"Trait.String":          "returns a copy",
			"ViewOf.Clone":          "returns a copy",
			"ViewOf.Err":            "returns an error with an offset",
			"ViewOf.MarshalText":    "returns a copy",
			"ViewOf.UnmarshalText":  "scans a copy",
		},
	},
	{what: "reads no byte beyond the input", test: "TestGuardedReaders", by: "TestGuardedReaders"},
	{
		what: "returns what the RFCs require", test: "TestConformance", by: "TestConformance",
		except: map[string]string{
			"Component.MarshalText":   "a name, for TestConstantNames",
			"Component.UnmarshalText": "a name, for TestConstantNames",
			"Component.AppendText":    "a name, for TestConstantNames",
			"Component.String":        "a name, for TestConstantNames",
			"Error.Error":             "its text is for people",
			"Form.MarshalText":        "a name, for TestConstantNames",
			"Form.UnmarshalText":      "a name, for TestConstantNames",
			"Form.AppendText":         "a name, for TestConstantNames",
			"Form.String":             "a name, for TestConstantNames",
			"HostKind.MarshalText":    "a name, for TestConstantNames",
			"HostKind.UnmarshalText":  "a name, for TestConstantNames",
			"HostKind.AppendText":     "a name, for TestConstantNames",
			"HostKind.String":         "a name, for TestConstantNames",
			"PortKind.MarshalText":    "a name, for TestConstantNames",
			"PortKind.UnmarshalText":  "a name, for TestConstantNames",
			"PortKind.AppendText":     "a name, for TestConstantNames",
			"PortKind.String":         "a name, for TestConstantNames",
			"ScanError.Error":         "its text is for people",
			"Step.MarshalText":        "a name, for TestConstantNames",
			"Step.UnmarshalText":      "a name, for TestConstantNames",
			"Step.AppendText":         "a name, for TestConstantNames",
			"Step.String":             "a name, for TestConstantNames",
			"Trait.MarshalText":       "a name, for TestConstantNames",
			"Trait.UnmarshalText":     "a name, for TestConstantNames",
			"Trait.AppendText":        "a name, for TestConstantNames",
			"Trait.String":            "a name, for TestConstantNames",
		},
	},
	{what: "takes linear time", test: "TestLinearTime", by: "operations"},
	{what: "takes no longer the more dst holds", test: "TestAppendLocal", by: "operations"},
	{what: "is safe for concurrent use", test: "TestConcurrentUse", by: "operations"},
}

// TestPromises requires the test of each promise to mention every exported function except the listed ones. A
// mention inside a function or variable that the test mentions counts too.
func TestPromises(t *testing.T) {
	code := loadSource(t, machines[0], "GoFiles", "TestGoFiles")
	for _, promise := range promises {
		test, by := code.pkg.Scope().Lookup(promise.test), code.pkg.Scope().Lookup(promise.by)
		require.NotNil(t, test, promise.test)
		require.NotNil(t, by, promise.by)
		named := map[types.Object]bool{}
		code.reach(named, code.mentions[test])
		require.True(t, test == by || named[by], "%s calls %s", promise.test, promise.by)

		clear(named)
		if promise.arguments {
			code.reach(named, code.argumentsOf(by))
		} else {
			code.reach(named, code.mentions[by])
		}
		functions := 0
		for _, e := range code.api() {
			if e.isFunction() {
				functions++
				assert.NotEqual(t, named[e.Object], promise.except[e.name] != "",
					"that %s %s is for %s to show", e.name, promise.what, promise.test)
			}
		}
		assert.Greater(t, functions, 50)
		t.Logf("%s: %d functions, %d exceptions", promise.what, functions, len(promise.except))
	}
}

// argumentsOf returns what the arguments of calls of the function mention.
func (s *source) argumentsOf(function types.Object) map[types.Object]bool {
	found := map[types.Object]bool{}
	s.inspect(func(node ast.Node) {
		if call, ok := node.(*ast.CallExpr); ok && s.callee(call.Fun) == function {
			for _, argument := range call.Args {
				maps.Copy(found, s.mentioned(argument))
			}
		}
	})
	return found
}

// reach adds what is mentioned to the set, and what the test functions among it mention.
func (s *source) reach(set, mentioned map[types.Object]bool) {
	for object := range mentioned {
		if !set[object] {
			set[object] = true
			if s.isTest(object) {
				s.reach(set, s.mentions[object])
			}
		}
	}
}
