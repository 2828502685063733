//go:build !(amd64 || arm64) || purego

package uri

// levels are the ways in which this machine can scan.
var levels = []level{{"portable", func() {}}}
