package uri

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed-56a50ac9/uri/internal/long"
)

// TestLaneMutants flips every bit of lanes, one at a time. Each flip must change the portable classifier's
// result for some block.
func TestLaneMutants(t *testing.T) {
	filler := strings.Repeat("x", blockSize)
	for b := range lanes {
		c := string([]byte{byte(b)})
		probes := []string{c + filler, c + strings.Repeat(":", blockSize)} // the lanes mean more together
		for bit := range 64 {
			// The last lane only distinguishes what is in one of the first two. TestLanes detects the others.
			found := uint64(1)<<bit == dy && lanes[b]&(hd|tl) == 0
			lanes[b] ^= 1 << bit
			for _, s := range probes {
				var got masks
				s = s[:blockSize]
				classifyGeneric(s, &got)
				found = found || got != classifySlowly(s)
			}
			lanes[b] ^= 1 << bit
			assert.True(t, found, "bit %d of byte %#02x", bit, b)
		}
	}
	t.Log(64*len(lanes), "flipped bits")
}

// TestChartMutants flips every bit of chart, one at a time. If a scan reads the rule, the flip must change
// the offset of the fault in inputs that take the byte from every state of the automaton. TestChart detects
// the others.
func TestChartMutants(t *testing.T) {
	stride := long.Sample(t, 16, 1)
	const read = ruleAlpha | ruleDigit | ruleHexdig | ruleScheme
	levels[0].use()
	type probe struct {
		form  Form
		text  string
		fault int
	}
	var probes [256][]probe
	for _, form := range []Form{Reference, URI} {
		d := automata()[form]
		_, identify := d.Characterize()
		for state, access := range d.Cover() {
			for b := 0; b < len(chart); b += stride {
				for _, w := range identify[d.Next[state][d.Class[b]]] {
					s := d.AppendText(nil, access, b)
					s = append(s, byte(b))
					s = d.AppendText(s, w, b)
					match, fault := d.Match(s)
					if match == len(s) {
						fault = -1
					}
					probes[b] = append(probes[b], probe{form, string(s), fault})
				}
			}
		}
	}
	for b := 0; b < len(chart); b += stride {
		// A byte that is allowed nowhere, or a delimiter, ends a scheme whatever its rules are.
		neverFirst := lanes[b] == bd || strings.IndexByte(":/?#", byte(b)) >= 0
		for bit := range 8 {
			flipped := rule(1) << bit
			chart[b] ^= flipped
			found := !chartIsRight(b)
			if read&flipped != 0 && !(flipped == ruleAlpha && neverFirst) {
				found = slices.ContainsFunc(probes[b], func(p probe) bool {
					var v StringView
					_ = v.Scan(p.form, p.text)
					return v.ErrorOffset() != p.fault
				})
			}
			chart[b] ^= flipped
			assert.True(t, found, "bit %d of byte %#02x", bit, b)
		}
	}
	t.Log(16*len(chart), "flipped bits")
}
