package uri

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPort(t *testing.T) {
	for _, row := range []struct {
		in        string
		kind      PortKind
		number    uint16
		effective uint16
		known     bool
	}{
		{"http://h/", NoPort, 0, 80, true},
		{"HTTPS://h:/", EmptyPort, 0, 443, true},
		{"ws://h", NoPort, 0, 80, true},
		{"wss://h", NoPort, 0, 443, true},
		{"ftp://h:", EmptyPort, 0, 21, true},
		{"http://h:8080/", NumericPort, 8080, 8080, true},
		{"http://h:0080/", NumericPort, 80, 80, true},
		{"http://h:0/", NumericPort, 0, 0, true},
		{"//h:65535", NumericPort, 65535, 65535, true},
		{"http://h:65536/", HugePort, 0, 0, false},
		{"http://h:99999999999999999999/", HugePort, 0, 0, false},
		{"//h", NoPort, 0, 0, false},
		{"s://h:", EmptyPort, 0, 0, false},
		{"http:a", NoPort, 0, 0, false},
		{"", NoPort, 0, 0, false},
	} {
		v, err := Parse(row.in)
		require.NoError(t, err)
		assert.Equal(t, row.kind, v.PortKind(), row.in)
		number, ok := v.PortNumber()
		assert.Equal(t, row.number, number, row.in)
		assert.Equal(t, row.kind == NumericPort, ok, row.in)
		effective, known := v.EffectivePort()
		assert.Equal(t, row.effective, effective, row.in)
		assert.Equal(t, row.known, known, row.in)
	}
}
