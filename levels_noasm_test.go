//go:build !(amd64 || arm64) || purego

package uri

import "testing"

// levels are the ways in which this machine can scan.
var levels = []level{{"portable", func() {}}}

var allLevels = []string{"portable"}

func bestLevel(*testing.T) string { return "portable" }
