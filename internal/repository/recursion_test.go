package repository

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNoRecursion shows that no function is recursive, so that no input makes the stack deep: no function
// mentions itself, directly or through other functions, whether by a call, a value or a jump in assembly.
func TestNoRecursion(t *testing.T) {
	eachMachine(t, func(t *testing.T, code *source) {
		assert.Greater(t, len(code.mentions), 150)
		for _, cycle := range code.cycles() {
			assert.Fail(t, "recursion", "%v", cycle)
		}
		t.Log(len(code.mentions), "functions and variables")
		for _, call := range code.unnamedCalls() {
			assert.Fail(t, "a call of an unknown function", "%v", code.fset.Position(call.Pos()))
		}
	})
}

// cycles returns the cycles of functions that mention each other, at least one if there is any.
func (s *source) cycles() (cycles [][]types.Object) {
	done := map[types.Object]bool{}
	var visit func(path []types.Object)
	visit = func(path []types.Object) {
		last := path[len(path)-1]
		if first := slices.Index(path, last); first < len(path)-1 {
			cycles = append(cycles, slices.Clone(path[first:]))
			return
		}
		if !done[last] {
			for next := range s.mentions[last] {
				visit(append(path, next))
			}
			done[last] = true
		}
	}
	for object := range s.mentions {
		visit([]types.Object{object})
	}
	return cycles
}

// unnamedCalls returns the calls whose callee mentions does not record. It records declared functions, and
// function literals wherever they are called, because the surrounding function mentions everything inside a
// literal. A parameter is a function that the caller passed and therefore mentions, and so is an exported
// field that this package never sets. A variable is a literal if it is declared as one and never assigned to;
// such a literal cannot mention itself.
func (s *source) unnamedCalls() (unnamed []*ast.CallExpr) {
	known, assigned := map[types.Object]bool{}, map[types.Object]bool{}
	s.inspect(func(node ast.Node) {
		switch node := node.(type) {
		case *ast.FuncType:
			for _, field := range node.Params.List {
				for _, name := range field.Names {
					known[s.info.Defs[name]] = true
				}
			}
		case *ast.StructType:
			for _, field := range node.Fields.List {
				for _, name := range field.Names {
					known[s.info.Defs[name]] = name.IsExported()
				}
			}
		case *ast.KeyValueExpr:
			if name, ok := node.Key.(*ast.Ident); ok {
				assigned[origin(s.info.Uses[name])] = true
			}
		case *ast.AssignStmt:
			for i, left := range node.Lhs {
				if field, ok := left.(*ast.SelectorExpr); ok {
					assigned[origin(s.info.Uses[field.Sel])] = true
				}
				name, ok := left.(*ast.Ident)
				switch {
				case !ok:
				case s.info.Defs[name] == nil:
					assigned[s.info.Uses[name]] = true
				case node.Tok == token.DEFINE && len(node.Lhs) == len(node.Rhs):
					_, literal := node.Rhs[i].(*ast.FuncLit)
					known[s.info.Defs[name]] = literal
				}
			}
		}
	})
	s.inspect(func(node ast.Node) {
		call, ok := node.(*ast.CallExpr)
		if !ok || s.info.Types[call.Fun].IsType() { // a conversion
			return
		}
		callee := s.callee(call.Fun)
		if callee == nil || assigned[callee] || !known[callee] && !isDeclared(callee) {
			unnamed = append(unnamed, call)
		}
	})
	return unnamed
}

func (s *source) inspect(visit func(node ast.Node)) {
	for _, file := range s.files {
		ast.Inspect(file, func(node ast.Node) bool {
			visit(node)
			return true
		})
	}
}

// callee returns the function or variable that is called, or nil for any other expression.
func (s *source) callee(called ast.Expr) types.Object {
	switch called := ast.Unparen(called).(type) {
	case *ast.Ident:
		return s.info.Uses[called]
	case *ast.SelectorExpr:
		return origin(s.info.Uses[called.Sel])
	case *ast.IndexExpr: // an instance of a generic function
		return s.callee(called.X)
	}
	return nil
}

// origin returns the field of the generic type if the object is a field of an instance of it.
func origin(object types.Object) types.Object {
	if v, ok := object.(*types.Var); ok {
		return v.Origin()
	}
	return object
}

// isDeclared reports whether callee is a built-in function or a declared one, but not a method of an
// interface.
func isDeclared(callee types.Object) bool {
	switch callee := callee.(type) {
	case *types.Builtin:
		return true
	case *types.Func:
		receiver := callee.Signature().Recv()
		return receiver == nil || !types.IsInterface(receiver.Type())
	}
	return false
}
