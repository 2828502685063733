//go:build !purego

package uri

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// distinctSets are sets that distinguish any two bytes: each has the bytes with one bit set, or without it.
// The last one has all.
var distinctSets = func() (sets [15]Set) {
	for b := range byte(128) {
		one := NewSet(string([]byte{b}))
		for bit := range 7 {
			k := 2*bit + int(b>>bit&1)
			sets[k] = sets[k].Union(one)
		}
		sets[14] = sets[14].Union(one)
	}
	return sets
}()

// TestSetMutants flips every bit of the tables of the kernels for sets, one at a time, in the memory of this
// program. Each flip must change a mask, unless it cannot make a difference.
func TestSetMutants(t *testing.T) {
	if emulated() {
		t.Skip("runs if URI_LEVEL is not set: it takes long on an emulated processor")
	}
	kernels := levels[1:]
	if len(kernels) < len(allLevels)-1 {
		t.Skip("runs on a processor that has all kernels")
	}
	block := bytes.Repeat([]byte("a"), 2*blockSize)
	for len(block) > blockSize && !blockInPage(&block[0]) { // or the kernel for AVX2 is not called
		block = block[1:]
	}
	block = block[:blockSize]
	// found reports whether a byte at offset i, before one of two others, is in a set that does not contain it.
	found := func(i int) bool {
		defer func(old string) { copy(block, old) }(string(block))
		for _, next := range []byte{0, 0xFF} {
			block[(i+1)%blockSize] = next
			for b := range 256 {
				block[i] = byte(b)
				for _, set := range distinctSets {
					for _, level := range kernels {
						level.use()
						if set.in(text(block))>>i&1 != 0 != set.Contains(byte(b)) {
							return true
						}
					}
				}
			}
		}
		return false
	}

	memory := constants(t)
	for _, table := range []struct {
		name  string
		data  string
		means func(i, bit int) bool
	}{
		{"powers", strings.Repeat("\x01\x02\x04\x08\x10\x20\x40\x80", 8), func(int, int) bool { return true }},
		// VPSHUFB reads the lower four bits, and the highest one, which VPSRLW sets only at even offsets.
		{"byte0F", strings.Repeat("\x0F", 64), func(i, bit int) bool { return bit < 4 || bit == 7 && i%2 == 0 }},
	} {
		require.Equal(t, 1, bytes.Count(memory, []byte(table.data)), table.name)
		inMemory := memory[bytes.Index(memory, []byte(table.data)):][:len(table.data)]
		for i := range inMemory {
			for bit := range 8 {
				inMemory[i] ^= 1 << bit
				isFound := found(i)
				inMemory[i] ^= 1 << bit
				assert.Equal(t, table.means(i, bit), isFound, "bit %d of byte %d of %s", bit, i, table.name)
			}
		}
	}
	assert.False(t, found(0), "the tables are as they were")
}
