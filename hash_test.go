package uri

import (
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// hashOf returns the hash of s without normalization.
func hashOf(t *testing.T, s string, seed uint64) uint64 {
	t.Helper()
	v, err := Parse(s)
	require.NoError(t, err)
	return v.Hash(seed, 0)
}

// TestHashSeed requires the seed to take part in every step, so that inputs that collide cannot be chosen
// without knowing it. XORing the seed into the result, or into the state before the first step, would not be
// enough.
func TestHashSeed(t *testing.T) {
	const seed = 0x0123456789ABCDEF
	differences := map[uint64]string{}
	for n := range 100 {
		s := strings.Repeat("a", n)
		difference := hashOf(t, s, seed) ^ hashOf(t, s, seed+1)
		require.NotContains(t, differences, difference, "%q and %q", s, differences[difference])
		differences[difference] = s
	}

	// If the factor of a step were known, inputs could be chosen for its effect on them.
	keys := map[uint64]bool{}
	for seed := range uint64(1000) {
		key := newHasher(seed).key
		require.Equal(t, uint64(1), key&1, "an even factor loses bits")
		require.False(t, keys[key], "seed %d", seed)
		keys[key] = true
	}
}

// TestHashBits flips each bit of the seed and of the input. Each flip must change about half of the bits of
// the hash.
func TestHashBits(t *testing.T) {
	const s = "x:0123456789bcdefghijklmnopq"
	changed := func(what string, count int, hash func(i int) uint64) {
		want, all, least := hashOf(t, s, 1), 0, 64
		for i := range count {
			n := bits.OnesCount64(want ^ hash(i))
			all, least = all+n, min(least, n)
		}
		require.InDelta(t, 32, float64(all)/float64(count), 2, what)
		require.Greater(t, least, 8, what)
	}
	changed("seed", 64, func(i int) uint64 { return hashOf(t, s, 1^1<<i) })
	changed("input", len(s)-2, func(i int) uint64 { return hashOf(t, s[:i+2]+string(s[i+2]^1)+s[i+3:], 1) })
	changed("length", 50, func(i int) uint64 { return hashOf(t, s+strings.Repeat("a", i+1), 1) })
}
