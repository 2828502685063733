package uri

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The characters of RFC 3986, spelled out.
const (
	alphas     = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	decimals   = "0123456789"
	hexdigs    = decimals + "ABCDEFabcdef"
	unreserved = alphas + decimals + "-._~"
	subDelims  = "!$&'()*+,;="
	genDelims  = ":/?#[]@"
	pchars     = unreserved + subDelims + ":@"
)

// chartRules lists the rules of the chart and the bytes of each.
var chartRules = []struct {
	rule rule
	of   string
}{
	{ruleAlpha, alphas},
	{ruleDigit, decimals},
	{ruleHexdig, hexdigs},
	{ruleScheme, alphas + decimals + "+-."},
	{ruleUnreserved, unreserved},
	{ruleQuery, pchars + "/?"},
}

func TestChart(t *testing.T) {
	for b := range chart {
		assert.True(t, chartIsRight(b), "byte %#02x", b)
	}
}

// chartIsRight reports whether the chart has the byte in exactly the rules that allow it.
func chartIsRight(b int) bool {
	var want rule
	for _, c := range chartRules {
		if strings.IndexByte(c.of, byte(b)) >= 0 {
			want |= c.rule
		}
	}
	return chart[b] == want
}

// classesOf returns the bytes of each class, in the order of the fields of masks.
func classesOf() [8]string {
	var bad strings.Builder
	for b := range 256 {
		if strings.IndexByte(pchars+"/?#%", byte(b)) < 0 {
			bad.WriteByte(byte(b))
		}
	}
	return [8]string{":", "/", "?", "#", bad.String(), "@", "%", hexdigs}
}

func TestLanes(t *testing.T) {
	entries := [8]uint64{lc, ls, lq, lh, bd, la, lp, hx}
	for b, entry := range lanes {
		var want uint64
		for k, class := range classesOf() {
			if strings.IndexByte(class, byte(b)) >= 0 {
				want = entries[k]
			}
		}
		assert.Equal(t, want, entry, "byte %#02x", b)
	}
}

func TestSets(t *testing.T) {
	requireSet := func(set Set, chars string, name any) {
		t.Helper()
		for b := range 256 {
			require.Equal(t, strings.IndexByte(chars, byte(b)) >= 0, set.Contains(byte(b)), "%v, byte %#02x", name, b)
		}
		require.Equal(t, set, NewSet(chars), "%v", name)
	}
	requireSet(Set{}, "", "the zero value")
	requireSet(Unreserved(), unreserved, "unreserved")
	requireSet(SubDelims(), subDelims, "sub-delims")
	requireSet(GenDelims(), genDelims, "gen-delims")
	requireSet(Pchar(), pchars, "pchar")
	for c := Scheme; c <= Fragment; c++ {
		requireSet(c.Allowed(), slowSets[c], c)
	}
	requireSet(Component(99).Allowed(), "", "no component")
	requireSet(SubDelims().Union(GenDelims()), subDelims+genDelims, "reserved")
	requireSet(Pchar().Minus(Unreserved()).Minus(NewSet("@")), subDelims+":", "sub-delims and colon")
	requireSet(NewSet("%").Union(NewSet("\x00\x7F")), "%\x00\x7F", "what is in no rule")
	requireSet(Unreserved().Minus(Unreserved()), "", "nothing")

	every := make([]byte, 256)
	for b := range every {
		every[b] = byte(b)
	}
	for b := range 128 {
		assert.True(t, NewSet(string(every)).Contains(byte(b)))
		assert.False(t, NewSet(string(every)).Contains(byte(b)+128), "only ASCII")
	}
}
