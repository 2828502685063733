package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize is the size that a pipe is asked to have. The usual 64 KiB make the processes at its ends take
// turns several times per block.
const pipeSize = 1 << 20

// widen enlarges the stream if it is a pipe. It is no fault if that is not allowed.
func widen(stream any) {
	if f, ok := stream.(*os.File); ok {
		unix.FcntlInt(f.Fd(), unix.F_SETPIPE_SZ, pipeSize)
	}
}
