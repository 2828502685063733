//go:build !purego

package uri

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/cpu"
)

// levels are the ways in which this machine can scan, with the best one last. Calling use selects a level.
var levels = func() (all []level) {
	for set, name := range allLevels[:best+1] {
		all = append(all, level{name, func() { best = instructions(set) }})
	}
	return all
}()

var allLevels = []string{"portable", "avx2", "avx512"}

// bestLevel asks the operating system's kernel what the processor supports.
func bestLevel(t *testing.T) string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip("runs on Linux, or if URI_LEVEL names the best level")
	}
	switch flags := string(info); {
	case strings.Contains(flags, " avx512vbmi "):
		return "avx512"
	case strings.Contains(flags, " avx2 "):
		return "avx2"
	}
	return "portable"
}

// TestUsable pretends that the processor lacks features that the kernels need.
func TestUsable(t *testing.T) {
	real := cpu.X86
	defer func() { cpu.X86 = real }()
	features := []struct {
		has    *bool
		avx512 bool // only the AVX-512 kernels need it
	}{
		{&cpu.X86.HasAVX2, false},
		{&cpu.X86.HasBMI1, false},
		{&cpu.X86.HasBMI2, false},
		{&cpu.X86.HasPOPCNT, false},
		{&cpu.X86.HasAVX512BW, true},
		{&cpu.X86.HasAVX512VBMI, true},
	}
	for missing := range 1 << len(features) {
		want := avx512
		for i, feature := range features {
			*feature.has = missing>>i&1 == 0
			if !*feature.has && feature.avx512 {
				want = min(want, avx2)
			} else if !*feature.has {
				want = none
			}
		}
		require.Equal(t, want, usable(), "without features %b", missing)
	}
}
