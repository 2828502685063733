// Command uriscan reads URIs from lists, logs and text, and prints, counts, checks and changes them.
//
// Every command is one pipeline with another sink at its end:
//
//	file ─ decompress ─ cut into blocks ┬─ worker: extract ─ scan ─ select ─ sink ─┬─ in order ─ output
//	one at a time, under a lock         └─ worker: extract ─ scan ─ select ─ sink ─┘
//
// A block is a few hundred kilobytes of whole lines. The workers take turns to read one, so there are never
// more blocks in memory than workers, and their outputs are written in the order of the blocks.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Exit statuses.
const (
	exitOK      = 0
	exitInvalid = 1   // with --strict, or of check: a URI was invalid
	exitFailure = 2   // invalid usage, or a read or write failed
	exitSignal  = 128 // plus the number of the signal that ended the program
)

func main() {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		number := (<-signals).(syscall.Signal)
		signal.Reset() // the next signal ends the program at once
		cancel(interruption{number})
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// An interruption is the signal that ends the program.
type interruption struct{ number syscall.Signal }

func (i interruption) Error() string { return i.number.String() }

// run is main without the process: it returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, open: openFile}
	cmd := newRoot(a)
	cmd.SetArgs(args)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	cmd.SetIn(stdin)
	if at, err := cmd.ExecuteContextC(ctx); err != nil {
		fmt.Fprintf(stderr, "uriscan: %v\nRun \"%s --help\" for usage.\n", err, at.CommandPath())
		return exitFailure
	}
	return a.status
}
