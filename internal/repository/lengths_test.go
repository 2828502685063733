package repository

import (
	"go/types"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unlimited lists the functions whose result cannot be longer than MaxLen.
var unlimited = map[string]string{
	"AppendAddr":            "an address is short",
	"AppendDecode":          "not longer than what is decoded",
	"Component.MarshalText": "a name is short",
	"Component.AppendText":  "a name is short",
	"Form.MarshalText":      "names are short",
	"Form.AppendText":       "names are short",
	"HostKind.MarshalText":  "a name is short",
	"HostKind.AppendText":   "a name is short",
	"PortKind.MarshalText":  "a name is short",
	"PortKind.AppendText":   "a name is short",
	"Step.MarshalText":      "names are short",
	"Step.AppendText":       "names are short",
	"Trait.MarshalText":     "names are short",
	"Trait.AppendText":      "names are short",
	"AppendFormDecode":      "not longer than what is decoded",
	"DecodeInPlace":         "not longer than what is decoded",
	"ViewOf.AppendText":     "what was scanned",
	"ViewOf.MarshalText":    "what was scanned",
}

// TestLengthChecked requires every exported function that writes and can fail to check the length of its
// output. Testing the check itself takes gigabytes: TestLongResults of the root package does so for two
// functions.
func TestLengthChecked(t *testing.T) {
	code := loadSource(t, machines[0], "GoFiles")
	check := code.pkg.Scope().Lookup("tooLong")
	require.NotNil(t, check)
	checked := 0
	for _, e := range code.api() {
		if !e.isFunction() {
			continue
		}
		results := e.Type().(*types.Signature).Results()
		if results.Len() != 2 || results.At(0).Type().String() != "[]byte" ||
			results.At(1).Type().String() != "error" {
			continue
		}
		assert.NotEqual(t, unlimited[e.name] != "", code.mentions[e.Object][check], "%s checks the length", e.name)
		checked++
	}
	assert.Greater(t, checked, len(unlimited))
}
