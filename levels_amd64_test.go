//go:build !purego

package uri

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
