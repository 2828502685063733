package uri

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/long"
)

// slowHash is the slow twin of the hasher: it reads the whole of s, byte by byte. The real hash has words
// of 64 bits; the twin also computes hashes with shorter words.
func slowHash(width int, seed uint64, s string) uint64 {
	mask := ^uint64(0) >> (64 - width)
	swap := func(x uint64) uint64 { return x&mask>>(width/2) | x<<(width/2)&mask }
	mix := func(a, b uint64) (uint64, uint64) {
		high, low := bits.Mul64(a&mask, b&mask)
		high = high<<(64-width) | low>>width
		return swap(high + factorA*a + factorB*b), low & mask
	}
	size := width / 8
	word := func(from, to int) (w uint64) {
		for i := range size {
			if from+i < to {
				w |= uint64(s[from+i]) << (8 * i)
			}
		}
		return w
	}

	a, b := mix(seed^saltSeed, saltStart)
	end := len(s)
	for ; end >= 2*size; end -= 2 * size {
		a, b = mix(a^word(end-size, end), b^word(end-2*size, end))
	}
	a, b = mix(a^word(size, end), b^word(0, end)^saltFront)
	a, b = mix(a^uint64(len(s)), b^saltEnd^swap(a))
	return (a ^ b) & mask
}

// hashPieces hashes pieces, given from the last to the first.
func hashPieces(seed uint64, pieces ...string) uint64 {
	h := newHasher(seed)
	for _, piece := range pieces {
		h.addBefore(piece)
	}
	return h.sum()
}

// newRandom returns the same random numbers in every run.
func newRandom() *rand.Rand { return rand.New(rand.NewPCG(0x082EFA98EC4E6C89, 0xBE5466CF34E90C6C)) }

// randomize sets all bytes of s.
func randomize(s []byte, random *rand.Rand) {
	for i := range s {
		s[i] = byte(random.Uint32())
	}
}

// TestHashCuts cuts inputs of every length into two pieces, a long one into three, and a short one into any
// number of pieces, each in every possible way. The hash must be the slow twin's hash of the whole input.
func TestHashCuts(t *testing.T) {
	random := newRandom()
	input := make([]byte, 100)
	randomize(input, random)
	for n := range len(input) + 1 {
		s, seed := string(input[:n]), random.Uint64()
		want := slowHash(64, seed, s)
		requireEqual(t, want, hashText(seed, s), "%q", s)
		for i := range n + 1 {
			requireEqual(t, want, hashPieces(seed, s[i:], s[:i]), "%q, %q", s[:i], s[i:])
		}
	}

	s, seed := string(input[:70]), random.Uint64()
	want := slowHash(64, seed, s)
	for j := range len(s) + 1 {
		for i := range j + 1 {
			requireEqual(t, want, hashPieces(seed, s[j:], s[i:j], s[:i]), "%q, %q, %q", s[:i], s[i:j], s[j:])
		}
	}

	s = s[:long.Sample(t, 17, 20, 24)]
	want = slowHash(64, seed, s)
	for cuts := range uint(1) << (len(s) - 1) { // a bit for each place between two bytes
		h := newHasher(seed)
		end := len(s)
		for rest := cuts; rest != 0; rest &^= 1 << (end - 1) {
			start := bits.Len(rest)
			h.addBefore(s[start:end])
			end = start
		}
		h.addBefore(s[:end])
		requireEqual(t, want, h.sum(), "%q, %b", s, cuts)
	}
}

// weakOperands are operands for which a product, or a half of it, depends too little on the other operand.
var weakOperands = []uint64{
	0, 1, 2, math.MaxUint64, math.MaxUint64 - 1, 1 << 32, 1<<32 - 1, 1<<32 + 1, 1 << 63,
}

// inverse returns the y for which x*y is 1, mod 1<<64. x is odd.
func inverse(x uint64) uint64 {
	y := x // right in its lowest three bits; each round doubles their number
	for range 5 {
		y *= 2 - x*y
	}
	return y
}

// seedsAgainst returns the seeds for which b is a weak operand in the first step that takes words of s.
func seedsAgainst(t *testing.T, s string) (seeds []uint64) {
	word := load((s + "\x00\x00\x00\x00\x00\x00\x00\x00")[max(0, len(s)-16):])
	if len(s) < 16 {
		word ^= saltFront
	}
	for _, operand := range weakOperands {
		seed := (word^operand)*inverse(saltStart) ^ saltSeed
		require.Equal(t, operand, newHasher(seed).b^word)
		seeds = append(seeds, seed)
	}
	return seeds
}

// onceWeak is the seed for which the first version of the hash gave numbered URIs one hash.
const onceWeak = 0xECE675D1FC8F8CBC

// hashSeeds returns seeds that might be weak for any input, and random ones.
func hashSeeds(t *testing.T) []uint64 {
	seeds := []uint64{onceWeak, math.MaxUint64}
	for i := range 65 {
		seeds = append(seeds, 1<<i) // the last is 0
	}
	for _, operand := range weakOperands {
		seeds = append(seeds, operand^saltSeed)
	}
	random := newRandom()
	for range long.Sample(t, 20, 300) {
		seeds = append(seeds, random.Uint64())
	}
	return seeds
}

// TestHashSeed requires the seed to take part in every step, so that nobody who does not know it can choose
// inputs that collide. It would not be enough to XOR it into the result, or into the state before the first
// step.
func TestHashSeed(t *testing.T) {
	const seed = 0x0123456789ABCDEF
	differences := map[uint64]string{}
	for n := range 100 {
		s := strings.Repeat("a", n)
		v, err := Parse(s)
		require.NoError(t, err)
		difference := v.Hash(seed, 0) ^ v.Hash(seed+1, 0)
		require.NotContains(t, differences, difference, "%q and %q", s, differences[difference])
		differences[difference] = s
	}

	// If one operand did not depend on the seed, words could be chosen for what it does to the other.
	as, bs := map[uint64]uint64{}, map[uint64]uint64{}
	for _, seed := range hashSeeds(t) {
		h := newHasher(seed)
		require.NotContains(t, as, h.a, "seeds %#x and %#x", seed, as[h.a])
		require.NotContains(t, bs, h.b, "seeds %#x and %#x", seed, bs[h.b])
		as[h.a], bs[h.b] = seed, seed
	}
}

// A flipCounter counts the changes of each bit of the hash.
type flipCounter struct {
	ofBit  [64]int
	total  int
	least  int // fewest bits that changed together
	hashes int
}

func (c *flipCounter) add(difference uint64) {
	n := bits.OnesCount64(difference)
	if c.hashes == 0 || n < c.least {
		c.least = n
	}
	c.total += n
	c.hashes++
	for ; difference != 0; difference &= difference - 1 {
		c.ofBit[bits.TrailingZeros64(difference)]++
	}
}

// check fails where a random function would in one of billions of cases.
func (c *flipCounter) check(t *testing.T, what string, args ...any) {
	deviation := math.Sqrt(float64(c.hashes)) / 2 // standard, of a count
	off := math.Abs(float64(c.total-32*c.hashes)) > 7*8*deviation
	for _, n := range c.ofBit {
		off = off || math.Abs(float64(n)-float64(c.hashes)/2) > 7*deviation
	}
	if off || c.least < 8 {
		t.Helper()
		require.Fail(t, "bits that change too rarely or too often", "%s: %+v", fmt.Sprintf(what, args...), *c)
	}
}

// TestHashBits flips each bit of the seed and of the input. Each must change each bit of the hash in half of
// all cases.
func TestHashBits(t *testing.T) {
	flip := func(s []byte, bit int) { s[bit/8] ^= 1 << (bit % 8) }
	inputs := []string{"", "/a", "x:0123456789", "http://h/0123456", "http://example.com/path/to/the?answer=42#"}
	for _, s := range inputs {
		for _, seed := range append(hashSeeds(t), seedsAgainst(t, s)...) {
			hash := hashPieces(seed, s)
			var c flipCounter
			for bit := range 64 {
				c.add(hash ^ hashPieces(seed^1<<bit, s))
			}
			c.check(t, "bits of seed %#x, input %q", seed, s)
			if s == "" {
				continue
			}
			c = flipCounter{}
			for bit, flipped := 0, []byte(s); bit < 8*len(s); bit++ {
				flip(flipped, bit)
				c.add(hash ^ hashPieces(seed, text(flipped)))
				flip(flipped, bit)
			}
			c.check(t, "seed %#x, bits of input %q", seed, s)
		}
	}

	// Each bit by itself: that of the seed for many seeds.
	random := newRandom()
	rounds := long.Sample(t, 100, 2000)
	for bit := range 64 {
		var c flipCounter
		for range rounds {
			s, seed := inputs[random.IntN(len(inputs))], random.Uint64()
			c.add(hashPieces(seed, s) ^ hashPieces(seed^1<<bit, s))
		}
		c.check(t, "bit %d of seeds", bit)
	}

	// That of the input for many inputs, all of which have the word that makes one operand weak.
	for _, n := range []int{12, 16, 30} {
		for _, at := range []int{n - 16, n - 8} { // b, a
			if n < 16 {
				at = 0 // b of the front
			}
			for _, operand := range weakOperands {
				seed, s := random.Uint64(), make([]byte, n)
				h := newHasher(seed)
				word := h.a ^ operand
				if n < 16 {
					word = h.b ^ operand ^ saltFront
				} else if at == n-16 {
					word = h.b ^ operand
				}
				counters := make([]flipCounter, 8*n)
				for range rounds {
					randomize(s, random)
					binary.LittleEndian.PutUint64(s[at:], word)
					hash := hashPieces(seed, text(s))
					for bit := range counters {
						flip(s, bit)
						counters[bit].add(hash ^ hashPieces(seed, text(s)))
						flip(s, bit)
					}
				}
				for bit := range counters {
					counters[bit].check(t, "%d bytes, operand %#x at %d, bit %d", n, operand, at, bit)
				}
			}
		}
	}
}

// TestHashOperands fixes one operand of a step. Whatever it is, different values of the other must give
// different results.
func TestHashOperands(t *testing.T) {
	random := newRandom()
	fixed, values := slices.Clone(weakOperands), slices.Clone(weakOperands)
	for i := range uint64(64) {
		fixed = append(fixed, 1<<i-1, 1<<i+1, math.MaxUint64<<i, 3<<i, random.Uint64())
		values = append(values, i, ^i, 1<<i, i<<58, i*0x0101010101010101, random.Uint64())
	}
	slices.Sort(values)
	values = slices.Compact(values)
	type state struct{ a, b uint64 }
	for _, operand := range fixed {
		as, bs := map[state]uint64{}, map[state]uint64{}
		for _, value := range values {
			var ofA, ofB state
			ofA.a, ofA.b = mix(value, operand)
			ofB.a, ofB.b = mix(operand, value)
			as[ofA], bs[ofB] = value, value
		}
		require.Len(t, as, len(values), "b is %#x", operand)
		require.Len(t, bs, len(values), "a is %#x", operand)
	}
}

// places counts hashes by 16 of their bits.
var places [1 << 16]uint32

// requireScattered fails where random numbers would in one of billions of cases: if hashes are equal, or if
// too many or too few share a place in a table that takes the lowest or the highest 16 bits. It sorts the
// hashes.
func requireScattered(t *testing.T, hashes []uint64, what string, args ...any) {
	n := float64(len(hashes))
	want := n * (n - 1) / 2 / float64(len(places))
	for _, shift := range []int{0, 64 - 16} {
		pairs := 0
		for _, hash := range hashes {
			place := &places[hash>>shift&0xFFFF]
			pairs += int(*place)
			*place++
		}
		for _, hash := range hashes {
			places[hash>>shift&0xFFFF] = 0
		}
		if math.Abs(float64(pairs)-want) > 7*math.Sqrt(want)+7 {
			t.Helper()
			require.Fail(t, "hashes that share places", "%s: bits from %d on: %d pairs of %d hashes, not %v",
				fmt.Sprintf(what, args...), shift, pairs, len(hashes), want)
		}
	}
	slices.Sort(hashes)
	for i := 1; i < len(hashes); i++ {
		if hashes[i] == hashes[i-1] {
			t.Helper()
			require.Fail(t, "equal hashes", "%s", fmt.Sprintf(what, args...))
		}
	}
}

// TestHashLength hashes inputs that differ only in their length.
func TestHashLength(t *testing.T) {
	for _, unit := range []string{"\x00", "a", "\xFF"} {
		s := strings.Repeat(unit, long.Sample(t, 300, 4000))
		for _, seed := range append(hashSeeds(t), seedsAgainst(t, s)...) {
			hashes := make([]uint64, len(s)+1)
			for n := range hashes {
				hashes[n] = hashPieces(seed, s[:n])
			}
			requireScattered(t, hashes, "lengths of %q, seed %#x", unit, seed)
		}
	}
}

// hashKeys returns inputs of several kinds, about n of each, that are similar.
func hashKeys(n int) map[string][]string {
	keys := map[string][]string{}
	for kind, format := range map[string]string{
		"number":                     "%08d",
		"number in the host":         "http://h%d/",
		"number in the path":         "http://example.com/users/%d/profile",
		"number twice":               "http://example.com/users/%[1]d/orders/%[1]d",
		"number twice, 8 bytes off":  "http://example.com/%08[1]d%08[1]d",
		"number twice, 16 bytes off": "http://example.com/%08[1]d/orders/%08[1]d",
		"number twice, 24 bytes off": "http://example.com/%08[1]d/list/of/orders/%08[1]d",
		"long prefix":                "http://example.com" + strings.Repeat("/directory", 30) + "/%08d",
		"long suffix":                "http://example.com/%08d" + strings.Repeat("/directory", 30),
	} {
		for i := range n {
			keys[kind] = append(keys[kind], fmt.Sprintf(format, i))
		}
	}
	for i := range n {
		var segments []string
		for k, number := 1, i; k <= 9; k++ { // the i-th permutation
			segments = slices.Insert(segments, number%k, string(rune('a'+k))+"-segment"[:k%8])
			number /= k
		}
		keys["permuted segments"] = append(keys["permuted segments"], "//h/"+strings.Join(segments, "/"))

		var words strings.Builder
		for bit := range 17 {
			words.WriteString([]string{"/aaaaaaa", "/bbbbbbb"}[i>>bit&1])
		}
		keys["two words"] = append(keys["two words"], words.String())

		const unreserved = "bcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
		at := i / len(unreserved) // fewer than 1000
		changed := strings.Repeat("a", at) + unreserved[i%len(unreserved):][:1] + strings.Repeat("a", 999-at)
		keys["one byte changed"] = append(keys["one byte changed"], changed)
	}
	sparse := make([]byte, 100)
	for i := range int(math.Sqrt(float64(2 * n))) {
		for j := range i {
			sparse[i/8] ^= 1 << (i % 8)
			sparse[j/8] ^= 1 << (j % 8)
			keys["two bits set"] = append(keys["two bits set"], string(sparse))
			clear(sparse)
		}
	}
	return keys
}

// TestHashCollisions hashes similar inputs with many seeds, among them any that are weak.
func TestHashCollisions(t *testing.T) {
	hashes := make([]uint64, 100000)
	for i := range hashes {
		hashes[i] = hashPieces(onceWeak, fmt.Sprintf("http://example.com/users/%d/profile", i))
	}
	requireScattered(t, hashes, "many URIs")

	seeds := hashSeeds(t)
	for kind, keys := range hashKeys(long.Sample(t, 400, 20000)) {
		require.NotEmpty(t, keys)
		for _, seed := range slices.Concat(seeds, seedsAgainst(t, keys[0]), seedsAgainst(t, keys[len(keys)-1])) {
			hashes = hashes[:0]
			for _, key := range keys {
				hashes = append(hashes, hashPieces(seed, key))
			}
			requireScattered(t, hashes, "%s, seed %#x", kind, seed)
		}
	}
}

// TestHashModel tries every seed of a hash that is like the real one except that its words are short. The
// keys are of eight words. They differ in one of them, or have the same number in two.
func TestHashModel(t *testing.T) {
	size := long.Sample(t, 1, 2) // bytes of a word
	numbers := long.Sample(t, 16, 100)
	for first := range 8 {
		for second := range first + 1 {
			var keys []string
			for i := range numbers {
				key := []byte("/path/to/my/html"[:8*size])
				number := fmt.Sprintf("%02x", i)[2-size:]
				copy(key[first*size:], number)
				copy(key[second*size:], number)
				keys = append(keys, string(key))
			}
			for seed := range uint64(1) << (8 * size) {
				pairs := 0 // of equal hashes
				for _, key := range keys {
					place := &places[slowHash(8*size, seed, key)]
					pairs += int(*place)
					*place++
				}
				for _, key := range keys {
					places[slowHash(8*size, seed, key)] = 0
				}
				if pairs > 7 { // with random hashes, half a pair on average
					require.Fail(t, "equal hashes", "%d pairs with seed %#x, words %d, %d", pairs, seed, first, second)
				}
			}
		}
	}
}
