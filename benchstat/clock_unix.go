//go:build unix

package main

import (
	"syscall"
	"time"
)

// elapsed returns the processor time that the program has used, which leaves out what else the machine runs.
func elapsed() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // the arguments are valid
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
