package uri

import (
	"os"
	"testing"
)

// By default each test takes a sample of what it could try, so that all of them together take seconds. With
// URI_LONG=1 they take minutes, with URI_LONG=2 hours.
const (
	seconds = iota
	minutes
	hours
)

// long returns how long the tests may take.
func long(t testing.TB) int {
	t.Helper()
	switch value := os.Getenv("URI_LONG"); value {
	case "", "0":
		return seconds
	case "1":
		return minutes
	case "2":
		return hours
	default:
		t.Fatalf("URI_LONG is %q, not 1 or 2", value)
		return seconds
	}
}

// sample returns the first size, or that for longer tests.
func sample[T any](t testing.TB, sizes ...T) T {
	t.Helper()
	return sizes[min(long(t), len(sizes)-1)]
}

// emulated reports whether the processor is one that URI_LEVEL names, by its best level: what the system says of
// itself is then of another one.
func emulated() bool { return os.Getenv("URI_LEVEL") != "" }
