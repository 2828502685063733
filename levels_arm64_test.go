//go:build !purego

package uri

import "testing"

// levels are the ways in which this machine can scan, with the best one last. Calling use selects a level.
var levels = []level{
	{"portable", func() { useNEON = false }},
	{"neon", func() { useNEON = true }},
}

var allLevels = []string{"portable", "neon"}

func bestLevel(*testing.T) string { return "neon" }
