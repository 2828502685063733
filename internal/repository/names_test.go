package repository

import (
	"fmt"
	"go/constant"
	"go/types"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed-56a50ac9/uri"
)

// TestConstantNames requires the String method of every exported constant, if its type has one, to return the
// constant's name, unless the constant is a set of others.
func TestConstantNames(t *testing.T) {
	sets := map[string]bool{
		"SyntaxBased": true, "SchemeBased": true, "Lenient": true,
		"Ambiguous": true, "AmbiguousHost": true, "AmbiguousPath": true,
	}
	named := 0
	for _, e := range loadSource(t, machines[0], "GoFiles").api() {
		object, ok := e.Object.(*types.Const)
		if !ok || sets[e.name] {
			continue
		}
		n, exact := constant.Uint64Val(object.Val())
		assert.True(t, exact, e.name)
		var value fmt.Stringer
		switch types.TypeString(object.Type(), func(*types.Package) string { return "" }) {
		case "Form":
			value = uri.Form(n)
		case "Component":
			value = uri.Component(n)
		case "HostKind":
			value = uri.HostKind(n)
		case "PortKind":
			value = uri.PortKind(n)
		case "Step":
			value = uri.Step(n)
		case "Trait":
			value = uri.Trait(n)
		default:
			method, _, _ := types.LookupFieldOrMethod(object.Type(), true, object.Pkg(), "String")
			assert.Nil(t, method, "%s has names that this test does not know", object.Type())
			continue
		}
		named++
		assert.Equal(t, e.name, value.String())
	}
	assert.Greater(t, named, 50)
}
