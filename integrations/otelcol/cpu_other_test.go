//go:build !unix

package uriotel

import (
	"testing"
	"time"
)

// started is when the process began.
var started = time.Now()

// cpuTime returns the time since then, as there is nothing better.
func cpuTime(testing.TB) time.Duration { return time.Since(started) }
