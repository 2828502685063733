//go:build !purego

package uri

import (
	"os"
	"strings"
	"testing"
)

// levels are the ways in which this machine can scan, the best last. use turns one on.
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

// bestLevel asks the kernel what the processor has.
func bestLevel(t *testing.T) string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip("runs on Linux, or where URI_LEVEL says what the processor has")
	}
	switch flags := string(info); {
	case strings.Contains(flags, " avx512vbmi "):
		return "avx512"
	case strings.Contains(flags, " avx2 "):
		return "avx2"
	}
	return "portable"
}
