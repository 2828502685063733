// The tables are those of Go 1.25, as in go.mod. Otherwise the workspace's version counts, and with Go 1.26
// net/url refuses more.

//go:debug default=go1.25

// Command benchstat compares the speed of this library with that of its peers, on the same lines in the same
// run, and draws a chart.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Exit statuses.
const (
	exitOK         = 0
	exitRegression = 1 // with --against: a task takes longer than before
	exitFailure    = 2
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is main without the process: it returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	j := job{home: ".", create: createFile, stdout: stdout, stderr: stderr}
	if _, err := os.Stat("benchstat/go.mod"); err == nil {
		j.home = "benchstat"
	}
	status := exitFailure
	cmd := newCommand(&j, func() (err error) {
		status, err = j.run()
		return err
	})
	cmd.SetArgs(args)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	if err := cmd.Execute(); err != nil {
		fmt.Fprintf(stderr, "benchstat: %v\n", err)
		return exitFailure
	}
	return status
}

func newCommand(j *job, do func() error) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "benchstat",
		Short: "Compare the speed of this library with that of its peers, and draw a chart",
		Long: `benchstat runs every library on the same lines, in rounds, each in a new random order. It writes the
results in Go's benchmark format, prints a summary, and draws a chart. Run it on an idle machine.

The exit status is 0 on success, 1 with --against if a task takes significantly longer than before, and 2 on
failure.`,
		Example: `  go run ./benchstat --quick
  go run ./benchstat --corpora /path/to/folder
  go run ./benchstat --only 'lib=(uri|copy|fasthttp)$' --against old.txt
  go run ./benchstat --from benchstat/results/old.txt`,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		PreRun: func(cmd *cobra.Command, _ []string) {
			name := time.Now().UTC().Format(time.DateOnly) + "-peers"
			if j.quick {
				name = "quick"
				if !cmd.Flags().Changed("rounds") {
					j.rounds = 6
				}
				if !cmd.Flags().Changed("time") {
					j.each = 10 * time.Millisecond
				}
			}
			if j.out == "" {
				j.out = filepath.Join(j.home, "results", name+".txt")
			}
			if j.chart == "" && j.quick {
				j.chart = filepath.Join(j.home, "results", name+".svg")
			} else if j.chart == "" {
				j.chart = filepath.Join(j.home, "chart.svg")
			}
		},
		RunE: func(*cobra.Command, []string) error { return do() },
	}
	cmd.CompletionOptions.DisableDefaultCmd = true
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&j.quick, "quick", false,
		"finish in less than a minute: 6 rounds of 10ms, to results/quick.txt and quick.svg, which git ignores")
	flags.IntVar(&j.rounds, "rounds", 10, "number of rounds; each runs every benchmark once")
	flags.DurationVar(&j.each, "time", 100*time.Millisecond,
		"duration of a benchmark in a round; it always runs on all lines at least once")
	flags.StringVar(&j.only, "only", "",
		"run only the benchmarks whose names, as in the results, match this regular expression")
	flags.StringVar(&j.folder, "corpora", os.Getenv("URI_CORPUS"),
		"folder with more corpora: *.txt files with one URI per line; the default is $URI_CORPUS")
	flags.StringVar(&j.out, "out", "", "file for the results; the default is benchstat/results/DATE-peers.txt")
	flags.StringVar(&j.chart, "chart", "", "file for the chart; the default is benchstat/chart.svg")
	flags.StringVar(&j.from, "from", "", "run nothing; print and draw the results recorded in this file")
	flags.StringVar(&j.against, "against", "", "compare with the results recorded in this file")
	flags.Float64Var(&j.threshold, "threshold", 5, "with --against: how many percent longer a task may take")
	return cmd
}

// A job is one run of the program, as its flags describe it.
type job struct {
	home                                    string // the folder of the program
	quick                                   bool
	rounds                                  int
	each                                    time.Duration
	only, folder, out, chart, from, against string
	threshold                               float64
	create                                  func(name string) (io.WriteCloser, error)
	stdout, stderr                          io.Writer
}

// createFile creates a file of the system.
func createFile(name string) (io.WriteCloser, error) { return os.Create(name) }

func (j *job) run() (status int, err error) {
	var old *results
	if j.against != "" {
		if old, err = readResults(j.against); err != nil {
			return exitFailure, err // before minutes of measuring
		}
	}
	if j.from == "" {
		if err := j.measure(); err != nil {
			return exitFailure, err
		}
		j.from = j.out
	}
	now, err := readResults(j.from)
	if err != nil {
		return exitFailure, err
	}
	out := bufio.NewWriter(j.stdout) // remembers the first error
	now.print(out)
	out.Flush() // before the chart, which may fail
	svg, err := now.draw()
	if err != nil {
		return exitFailure, err
	}
	if err := os.WriteFile(j.chart, svg, 0o644); err != nil {
		return exitFailure, err
	}
	fmt.Fprintf(out, "\nresults: %s\nchart: %s\n", j.from, j.chart)
	status = exitOK
	if old != nil {
		fmt.Fprintf(out, "\nagainst %s:\n", j.against)
		if n := compare(out, old, now, j.threshold/100); n > 0 {
			fmt.Fprintf(out, "%d regressions\n", n)
			status = exitRegression
		}
	}
	if err := out.Flush(); err != nil {
		return exitFailure, err
	}
	return status, nil
}

// measure runs all benchmarks, with a progress bar on a terminal.
func (j *job) measure() error {
	only, err := regexp.Compile(j.only)
	if err != nil {
		return err
	}
	corpora, err := loadCorpora(j.home, j.folder)
	if err != nil {
		return err
	}
	all := cells(corpora, only)
	if len(all) == 0 || j.rounds < 1 {
		return fmt.Errorf("nothing to run: %d benchmarks, %d rounds", len(all), j.rounds)
	}
	f, err := j.create(j.out)
	if err != nil {
		return err
	}
	bar := progressbar.NewOptions(j.rounds*len(all),
		progressbar.OptionSetWriter(j.stderr),
		progressbar.OptionSetVisibility(isTerminal(j.stderr)),
		progressbar.OptionSetDescription("measuring"),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(),
	)
	err = measureAll(f, all, j.rounds, j.each, describe(j.home, corpora), func() { bar.Add(1) })
	return errors.Join(err, f.Close())
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
