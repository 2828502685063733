package repository

import (
	"encoding"
	"encoding/json"
	"fmt"
	"go/constant"
	"go/types"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri"
)

// namedTypes has a variable of every type whose constants have names.
var namedTypes = map[string]name{
	"Form": new(uri.Form), "Component": new(uri.Component), "HostKind": new(uri.HostKind),
	"PortKind": new(uri.PortKind), "Step": new(uri.Step), "Trait": new(uri.Trait),
}

// A name is what a pointer to such a variable can do.
type name interface {
	fmt.Stringer
	encoding.TextAppender
	encoding.TextMarshaler
	encoding.TextUnmarshaler
}

// TestConstantNames requires every type of an exported constant that has one of the methods of a name to have
// all of them. String returns the name of each constant, unless it is a set of others, and UnmarshalText
// reads what the other methods return.
func TestConstantNames(t *testing.T) {
	sets := map[string]bool{
		"SyntaxBased": true, "SchemeBased": true, "Lenient": true,
		"Ambiguous": true, "AmbiguousHost": true, "AmbiguousPath": true,
	}
	named := map[string]int{}
	for _, e := range loadSource(t, machines[0], "GoFiles").api() {
		object, ok := e.Object.(*types.Const)
		if !ok {
			continue
		}
		n, exact := constant.Uint64Val(object.Val())
		assert.True(t, exact, e.name)
		of := types.TypeString(object.Type(), func(*types.Package) string { return "" })
		value := namedTypes[of]
		if value == nil {
			for _, method := range []string{"String", "AppendText", "MarshalText", "UnmarshalText"} {
				method, _, _ := types.LookupFieldOrMethod(object.Type(), true, object.Pkg(), method)
				assert.Nil(t, method, "%s has names that this test does not know", object.Type())
			}
			continue
		}
		named[of]++
		variable := reflect.ValueOf(value).Elem()
		variable.SetUint(n)
		if !sets[e.name] {
			assert.Equal(t, e.name, value.String())
		}
		assertReadBack(t, value, n)
	}
	assert.Len(t, named, len(namedTypes))
}

// assertReadBack requires UnmarshalText to read what the other methods of a variable return.
func assertReadBack(t *testing.T, value name, n uint64) {
	variable := reflect.ValueOf(value).Elem()
	text := value.String()
	appended, err := value.AppendText([]byte("x"))
	require.NoError(t, err)
	assert.Equal(t, "x"+text, string(appended))
	marshaled, err := value.MarshalText()
	require.NoError(t, err)
	assert.Equal(t, text, string(marshaled))
	object, err := json.Marshal(variable.Interface())
	require.NoError(t, err)
	assert.Equal(t, `"`+text+`"`, string(object))

	for _, read := range []func() error{
		func() error { return value.UnmarshalText(marshaled) },
		func() error { return json.Unmarshal(object, value) },
	} {
		variable.SetUint(n ^ 1)
		assert.NoError(t, read(), text)
		assert.Equal(t, n, variable.Uint(), text)
	}
}
