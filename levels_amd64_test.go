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
var levels = func() []level {
	has512, has2 := useAVX512, useAVX2
	all := []level{{"portable", func() { useAVX512, useAVX2 = false, false }}}
	if has2 {
		all = append(all, level{"avx2", func() { useAVX512, useAVX2 = false, true }})
	}
	if has512 {
		all = append(all, level{"avx512", func() { useAVX512, useAVX2 = true, true }})
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
		{&cpu.X86.HasAVX512BW, true},
		{&cpu.X86.HasAVX512VBMI, true},
	}
	for missing := range 1 << len(features) {
		wantAVX2, wantAVX512 := true, true
		for i, feature := range features {
			*feature.has = missing>>i&1 == 0
			wantAVX512 = wantAVX512 && *feature.has
			wantAVX2 = wantAVX2 && (*feature.has || feature.avx512)
		}
		avx2, avx512 := usable()
		require.Equal(t, wantAVX2, avx2, "without features %b", missing)
		require.Equal(t, wantAVX512, avx512, "without features %b", missing)
	}
}
