package uri

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// TestKernelStores checks the assumptions of the kernels about the structs that they fill. The assembler
// knows the offset of a field, but neither its width nor the field after it. One store clears fault and
// match; another writes has and clears seen and why.
func TestKernelStores(t *testing.T) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[masks]()) {
		assert.EqualValues(t, 8, field.Type.Size(), field.Name)
	}
	var o offsets
	assert.EqualValues(t, 2, unsafe.Sizeof(o.has))
	assert.EqualValues(t, 1, unsafe.Sizeof(o.seen))
	assert.EqualValues(t, 1, unsafe.Sizeof(o.why))
	for _, field := range reflect.VisibleFields(reflect.TypeFor[offsets]()) {
		if field.Offset < unsafe.Offsetof(o.has) {
			assert.EqualValues(t, 4, field.Type.Size(), field.Name)
		}
	}
	assert.Equal(t, unsafe.Offsetof(o.fault)+4, unsafe.Offsetof(o.match))
	assert.Equal(t, unsafe.Offsetof(o.has)+2, unsafe.Offsetof(o.seen))
	assert.Equal(t, unsafe.Offsetof(o.has)+3, unsafe.Offsetof(o.why))
}
