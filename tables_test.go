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

func TestChart(t *testing.T) {
	for _, c := range []struct {
		name string
		rule rule
		of   string
	}{
		{"ALPHA", ruleAlpha, alphas},
		{"DIGIT", ruleDigit, decimals},
		{"HEXDIG", ruleHexdig, hexdigs},
		{"scheme", ruleScheme, alphas + decimals + "+-."},
		{"unreserved", ruleUnreserved, unreserved},
		{"reg-name", ruleRegName, unreserved + subDelims},
		{"userinfo", ruleUserinfo, unreserved + subDelims + ":"},
		{"segment-nz-nc", ruleSegmentNC, unreserved + subDelims + "@"},
		{"pchar", rulePchar, pchars},
		{"path", rulePath, pchars + "/"},
		{"query", ruleQuery, pchars + "/?"},
	} {
		for b := range 256 {
			assert.Equal(t, strings.IndexByte(c.of, byte(b)) >= 0, c.rule.has(byte(b)), "%s, byte %#02x", c.name, b)
		}
	}
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
