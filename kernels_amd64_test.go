package uri

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// TestKernelStores checks what the kernels assume of the structs that they fill. The assembler knows where a
// field begins, but not how wide it is, nor which field follows. One store clears fault and match, and one
// writes has and clears seen and why.
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
