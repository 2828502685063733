//go:build !purego

package uri

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestKernelMutants flips every bit of the NEON kernel's table, one at a time, in the memory of this program.
// Each flip must change the masks of a block that contains the byte.
func TestKernelMutants(t *testing.T) {
	var table [0x80]byte
	for b := range table {
		m := classifySlowly(string([]byte{byte(b), '%'})) // HEXDIG is found only if there is a "%"
		for class, mask := range []uint64{m.colon, m.slash, m.question, m.hash, ^m.bad, m.at, m.percent, m.hex} {
			table[b] |= byte(mask&1) << class
		}
	}
	memory := constants(t)
	require.Equal(t, 1, bytes.Count(memory, table[:]))
	inMemory := memory[bytes.Index(memory, table[:]):][:len(table)]

	levels[1].use()
	filler := strings.Repeat("x", blockSize)
	for b := range table {
		for bit := range 8 {
			found := false
			inMemory[b] ^= 1 << bit
			for _, i := range []int{0, 1, 2, 3, 20, 37, blockSize - 2} { // each in a different register
				s := filler[:i] + string([]byte{byte(b)}) + "%" + filler[i+2:] // HEXDIG is read only if there is a "%"
				var got masks
				classify(s, &got)
				found = found || got != classifySlowly(s)
			}
			inMemory[b] ^= 1 << bit
			assert.True(t, found, "bit %d of byte %#02x", bit, b)
		}
	}
	t.Log(8*len(table), "flipped bits")
}
