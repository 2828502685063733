// Package long says how long tests may take. By default each test takes a sample of what it could try, so
// that all tests together take seconds. With URI_LONG=1 they take minutes, and with URI_LONG=2 hours.
package long

import (
	"os"
	"testing"
)

// The values of URI_LONG.
const (
	Seconds = iota
	Minutes
	Hours
)

// Time returns how long the tests may take.
func Time(t testing.TB) int {
	t.Helper()
	switch value := os.Getenv("URI_LONG"); value {
	case "", "0":
		return Seconds
	case "1":
		return Minutes
	case "2":
		return Hours
	default:
		t.Fatalf("URI_LONG is %q, not 1 or 2", value)
		return Seconds
	}
}

// Sample returns the size for tests that may take seconds, minutes or hours. The last given size also applies
// to longer tests.
func Sample[T any](t testing.TB, sizes ...T) T {
	t.Helper()
	return sizes[min(Time(t), len(sizes)-1)]
}
