//go:build !race

package uriotel

const raceEnabled = false
