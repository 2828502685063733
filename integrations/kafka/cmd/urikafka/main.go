// Command urikafka counts or adds components of URIs in blocks of lines that come from Kafka, exactly once.
//
// Without arguments it runs a demo on an embedded broker.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the next signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Exit statuses.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

// A command is one of the subcommands. Its flags write to its fields.
type command interface {
	flags(*flag.FlagSet)
	run(context.Context, app) error
}

// An app is the process around a command.
type app struct {
	args           []string // without flags
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
}

var commands = []struct {
	name, summary string
	arguments     string
	create        func() command
}{
	{
		"demo", "run workers on an embedded broker, and compare them with a single pass", "",
		func() command { return new(demo) },
	},
	{"work", "run workers until SIGTERM", "", func() command { return new(work) }},
	{"produce", "write lines as blocks to a topic", "[FILE]", func() command { return new(produce) }},
	{
		"total", "add up the counts in a topic, and print the most frequent values", "",
		func() command { return new(total) },
	},
	{"dead", "print the dead letters in a topic", "", func() command { return new(letters) }},
}

// errUsage is what an error of usage wraps.
var errUsage = errors.New("usage")

func usage(w io.Writer) {
	fmt.Fprint(w, `Usage: urikafka [COMMAND] [FLAGS]

Counts or adds components of URIs in blocks of lines that come from Kafka, exactly once.

Commands:
`)
	for _, c := range commands {
		fmt.Fprintf(w, "  %-8s %s\n", c.name, c.summary)
	}
	fmt.Fprint(w, `
Without a command it runs the demo. "urikafka COMMAND -help" prints the flags of a command.
`)
}

// run is main without the process: it returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	name := "demo"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	} else if len(args) > 0 && (args[0] == "-h" || args[0] == "-help" || args[0] == "--help") {
		usage(stdout)
		return exitOK
	}
	i := slices.IndexFunc(commands, func(c struct {
		name, summary string
		arguments     string
		create        func() command
	},
	) bool {
		return c.name == name
	})
	if i < 0 {
		fmt.Fprintf(stderr, "urikafka: unknown command %q\n", name)
		usage(stderr)
		return exitUsage
	}
	chosen := commands[i]
	c := chosen.create()
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	c.flags(flags)
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(stdout, "Usage: urikafka %s [FLAGS] %s\n\n%s.\n\n", name, chosen.arguments,
			strings.ToUpper(chosen.summary[:1])+chosen.summary[1:])
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return exitOK
	case err != nil:
		fmt.Fprintf(stderr, "urikafka %s: %v\nRun \"urikafka %[1]s -help\" for usage.\n", name, err)
		return exitUsage
	case chosen.arguments == "" && flags.NArg() > 0 || flags.NArg() > 1:
		fmt.Fprintf(stderr, "urikafka %s: too many arguments\nRun \"urikafka %[1]s -help\" for usage.\n", name)
		return exitUsage
	}
	err := c.run(ctx, app{flags.Args(), stdin, stdout, stderr, os.Getenv})
	switch {
	case errors.Is(err, errUsage):
		fmt.Fprintf(stderr, "urikafka %s: %s\nRun \"urikafka %[1]s -help\" for usage.\n", name,
			strings.TrimPrefix(err.Error(), "usage: "))
		return exitUsage
	case err != nil:
		fmt.Fprintf(stderr, "urikafka %s: %v\n", name, err)
		return exitFailure
	}
	return exitOK
}
