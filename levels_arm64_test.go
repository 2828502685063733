//go:build !purego

package uri

// levels are the ways in which this machine can scan, the best last. use turns one on.
var levels = []level{
	{"portable", func() { useNEON = false }},
	{"neon", func() { useNEON = true }},
}
