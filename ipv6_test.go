package uri

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/long"
)

// sequences calls f with all sequences of up to n tokens.
func sequences(tokens []string, n int, f func(s string)) {
	var extend func(s string, n int)
	extend = func(s string, n int) {
		f(s)
		if n > 0 {
			for _, token := range tokens {
				extend(s+token, n-1)
			}
		}
	}
	extend("", n)
}

// TestIPv6 puts sequences of tokens to the slow twin and to net/netip, which reads the same addresses
// except for zones.
func TestIPv6(t *testing.T) {
	check := func(s string) {
		end, ok := scanIPv6(s+"]", 0)
		match, viable := slowMatch("IPv6address", s)
		requireEqual(t, match == len(s), ok && end == len(s), "%q", s)
		_, err := netip.ParseAddr(s)
		requireEqual(t, err == nil && strings.Contains(s, ":"), ok && end == len(s), "%q", s)
		if end, ok = scanIPv6(s, 0); !ok {
			requireEqual(t, viable, end, "%q", s)
		}
	}
	sequences([]string{"1", "ffff", "F", ":", "::", ".", "1.2.3.4", "256", "0"}, long.Sample(t, 4, 5), check)
	sequences([]string{"a:", ":", "a", "1.2.3.4"}, long.Sample(t, 7, 9), check)
}

func TestIPv4(t *testing.T) {
	sequences([]string{"0", "1", "2", "5", "6", "."}, long.Sample(t, 4, 5), func(s string) {
		for _, s := range []string{s, "9.9." + s} {
			end, ok := scanIPv4(s, 0)
			match, viable := slowMatch("IPv4address", s)
			if ok {
				require.Equal(t, match, end, "%q", s)
			} else {
				require.Equal(t, -1, match, "%q", s)
				require.Equal(t, viable, end, "%q", s)
			}
		}
	})
}

func TestHostKind(t *testing.T) {
	for host, want := range map[string]HostKind{
		"":                RegName,
		"h":               RegName,
		"127.0.0.1":       IPv4,
		"255.255.255.255": IPv4,
		"256.1.1.1":       RegName,
		"01.2.3.4":        RegName,
		"0177.0.0.1":      RegName,
		"1.2.3":           RegName,
		"1.2.3.4.":        RegName,
		"%31.2.3.4":       RegName,
		"[::]":            IPv6,
		"[::1.2.3.4]":     IPv6,
		"[v1.a]":          IPvFuture,
		"[VF.:]":          IPvFuture,
	} {
		v, err := Parse("//" + host)
		require.NoError(t, err, host)
		assert.Equal(t, want, v.HostKind(), host)
		addr, _ := netip.ParseAddr(strings.Trim(host, "[]"))
		assert.Equal(t, addr, v.Addr(), host)
	}
}

func TestAppendAddr(t *testing.T) {
	for addr, want := range map[string]string{
		"192.0.2.1":              "192.0.2.1",
		"2001:DB8:0:0:0:0:0:1":   "[2001:db8::1]",
		"2001:db8:0:1:1:1:1:1":   "[2001:db8:0:1:1:1:1:1]", // RFC 5952 section 4.2.2: one group is not shortened
		"2001:0:0:1:0:0:0:1":     "[2001:0:0:1::1]",        // 4.2.3: the longest run
		"2001:db8:0:0:1:0:0:1":   "[2001:db8::1:0:0:1]",    // the first of two
		"::ffff:192.0.2.1":       "[::ffff:192.0.2.1]",     // section 5
		"::":                     "[::]",
		"0:0:0:0:0:0:0:1":        "[::1]",
		"fe80:0:0:0:0:0:0:0":     "[fe80::]",
		"1:2:3:4:5:6:7:8":        "[1:2:3:4:5:6:7:8]",
		"000a:000b:c:d:e:f:0:00": "[a:b:c:d:e:f::]",
	} {
		a := netip.MustParseAddr(addr)
		out, err := AppendAddr([]byte("//"), a)
		require.NoError(t, err)
		assert.Equal(t, "//"+want, string(out))
		v, err := Parse(out)
		require.NoError(t, err)
		assert.Equal(t, a, v.Addr())
	}
	for _, a := range []netip.Addr{{}, netip.MustParseAddr("fe80::1%eth0")} {
		out, err := AppendAddr([]byte("//"), a)
		assert.Equal(t, ErrIPLiteral, err)
		assert.Equal(t, "//", string(out))
	}
}
