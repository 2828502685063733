package uri

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
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

// chartRules are the rules of the chart, and the bytes of each.
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

// chartIsRight tells whether the chart has the byte in those rules that have it, and in no other.
func chartIsRight(b int) bool {
	var want rule
	for _, c := range chartRules {
		if strings.IndexByte(c.of, byte(b)) >= 0 {
			want |= c.rule
		}
	}
	return chart[b] == want
}

// classesOf returns the bytes of each class, lanes from the lowest.
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
	for b, lane := range lanes {
		var want uint64
		for k, class := range classesOf() {
			if strings.IndexByte(class, byte(b)) >= 0 {
				want |= 1 << (8 * k)
			}
		}
		assert.Equal(t, want, lane, "byte %#02x", b)
	}
}
