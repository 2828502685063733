//go:build !unix

package main

import "time"

var start = time.Now()

// elapsed returns the time since the program started.
func elapsed() time.Duration { return time.Since(start) }
