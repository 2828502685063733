package main

import (
	"fmt"
	"hash/maphash"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTally compares tallies that are merged with a map.
func TestTally(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, distinct := range []int{1, 10, 1000, 100000} {
		want := map[string]int{}
		tallies := make([]tally, 3)
		for range 200000 {
			value := strings.Repeat("x", random.IntN(3)) + fmt.Sprint(random.IntN(distinct))
			if random.IntN(5000) == 0 {
				value = strings.Repeat(value[:1], chunkSize+random.IntN(3)-1-entryHead)
			}
			if random.IntN(5000) == 0 {
				value = ""
			}
			want[value]++
			tallies[random.IntN(3)].count([]byte(value))
		}
		var all tally
		for i := range tallies {
			all.merge(&tallies[i])
		}
		got := map[string]int{}
		for value, n := range all.all {
			got[string(value)] = n
		}
		require.True(t, maps.Equal(want, got))
		assert.Equal(t, len(want), all.size)
		assert.Equal(t, 200000, all.total)
		last := counted{n: 1 << 30}
		for i, c := range all.top(100) {
			assert.Less(t, i, 100)
			assert.True(t, c.n < last.n || c.n == last.n && c.value > last.value)
			last = c
		}
	}
	limited := tally{limit: 2}
	for _, value := range []string{"a", "b", "c", "a", "d", "c"} {
		limited.count([]byte(value))
	}
	assert.Equal(t, []counted{{"a", 2}, {"b", 1}}, limited.top(0))
	assert.Equal(t, 3, limited.others)
	assert.Equal(t, 6, limited.total)
}

// TestTallyCollisions counts values whose hashes agree in all bits that a small tally compares.
func TestTallyCollisions(t *testing.T) {
	type part struct{ slot, high uint64 }
	seen := map[part]string{}
	for i := 0; ; i++ {
		value := fmt.Sprintf("%08d", i)
		hash := maphash.String(seed, value)
		key := part{hash % firstSlots, hash >> placeBits}
		other, ok := seen[key]
		if !ok {
			seen[key] = value
			continue
		}
		var c tally
		c.count([]byte(value))
		c.count([]byte(other))
		c.count([]byte(value))
		assert.Equal(t, []counted{{value, 2}, {other, 1}}, c.top(0))
		return
	}
}
