//go:build !purego

package uri

// levels are the ways in which this machine can scan, the best last. use turns one on.
var levels = func() []level {
	all := []level{{"portable", func() { useAVX512 = false }}}
	if useAVX512 {
		all = append(all, level{"avx512", func() { useAVX512 = true }})
	}
	return all
}()
