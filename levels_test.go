//go:build amd64 && linux && !purego

package uri

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLevels asks the kernel what the processor has: no level may go untested where it could run.
func TestLevels(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	require.NoError(t, err)
	names := map[string]bool{}
	for _, level := range levels {
		names[level.name] = true
	}
	assert.Equal(t, strings.Contains(string(info), " avx512vbmi "), names["avx512"])
	assert.Equal(t, strings.Contains(string(info), " avx2 "), names["avx2"])
	assert.True(t, names["portable"])
}
