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

// TestSetMutants flips every bit of the tables that only the kernels for sets and isOdd read, one at a time,
// in the memory of this program. Each flip must change what they find, unless it cannot make a difference.
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

	// foundOdd reports whether isOdd is wrong about a byte at offset i, between some others.
	foundOdd := func(i int) bool {
		defer func(old string) { copy(block, old) }(string(block))
		for _, around := range []string{"aa", "a-", "a/", "-a"} {
			block[(i+blockSize-1)%blockSize], block[(i+1)%blockSize] = around[0], around[1]
			for b := range 256 {
				block[i] = byte(b)
				s := text(block)
				odd := strings.ContainsAny(s, ";$") || strings.Contains(s, "./") || strings.Contains(s, "--")
				for _, level := range kernels {
					level.use()
					if isOdd(s) != odd {
						return true
					}
				}
			}
		}
		return false
	}

	tables := inMemory(t, kernelTables(t))
	always := func(int, int) bool { return true }
	for _, table := range []struct {
		name  string
		means func(i, bit int) bool
		found func(i int) bool
	}{
		{"powers", always, found},
		// VPSHUFB reads the lower four bits, and the highest one, which VPSRLW sets only at even offsets.
		{"byte0F", func(i, bit int) bool { return bit < 4 || bit == 7 && i%2 == 0 }, found},
		{"byte24", always, foundOdd},
		{"byte2D", always, foundOdd},
		{"byte3B", always, foundOdd},
	} {
		data := tables[table.name]
		require.Len(t, data, blockSize, table.name)
		for i := range data {
			for bit := range 8 {
				data[i] ^= 1 << bit
				isFound := table.found(i)
				data[i] ^= 1 << bit
				assert.Equal(t, table.means(i, bit), isFound, "bit %d of byte %d of %s", bit, i, table.name)
			}
		}
	}
	assert.False(t, found(0) || foundOdd(0), "the tables are as they were")
}
