package uri

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/seed-56a50ac9/uri/internal/long"
)

// A level is a way to scan that this machine may choose.
type level struct {
	name string
	use  func()
}

// classifySlowly looks at the bytes one by one.
func classifySlowly(s string) (m masks) {
	for k, class := range classesOf() {
		mask := []*uint64{&m.colon, &m.slash, &m.question, &m.hash, &m.bad, &m.at, &m.percent, &m.hex}[k]
		for i := range len(s) {
			if strings.IndexByte(class, s[i]) >= 0 {
				*mask |= 1 << i
			}
		}
	}
	return m
}

func requireMasks(t *testing.T, name, s string, classify func(string, *masks)) {
	const stale = 0xA5A5A5A5A5A5A5A5 // a classifier must not rely on zeroed masks
	got := masks{stale, stale, stale, stale, stale, stale, stale, stale}
	classify(s, &got)
	want := classifySlowly(s)
	if want.percent == 0 {
		got.hex, want.hex = 0, 0 // meaningless without "%"
	}
	requireEqual(t, want, got, "%s of %q", name, s)

	head, tail := delims(s)
	requireEqual(t, want.colon|want.slash|want.at, head, "%s, head of %q", name, s)
	requireEqual(t, want.question|want.hash|want.percent|want.bad, tail, "%s, tail of %q", name, s)
}

func TestClassify(t *testing.T) {
	stride := long.Sample(t, 32, 8)
	for _, level := range levels {
		t.Run(level.name, func(t *testing.T) {
			level.use()
			for n := range blockSize + 1 {
				plain := strings.Repeat("x", n)
				requireMasks(t, level.name, plain, classify)
				for i := range n { // every byte at every offset of every length
					for b := range 256 {
						if n < blockSize && b%stride != i%stride {
							continue
						}
						requireMasks(t, level.name, plain[:i]+string([]byte{byte(b)})+plain[i+1:], classify)
					}
				}
			}
			random := rand.New(rand.NewSource(3986))
			alphabet := ":/?#@[]%09afAFgG \x00\x7F\x80\xFFxyz"
			for range 20000 {
				b := make([]byte, random.Intn(blockSize+1))
				for i := range b {
					b[i] = alphabet[random.Intn(len(alphabet))]
				}
				requireMasks(t, level.name, string(b), classify)
			}
		})
	}
}
