// Command uriscan reads URIs, one a line, and prints the components that are asked for.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/seed-56a50ac9/uri"
	"github.com/spf13/cobra"
)

// Exit statuses.
const (
	exitOK      = 0
	exitInvalid = 1 // with --strict: a line was not valid
	exitFailure = 2 // usage, or input or output failed
)

var version = "devel"

var forms = map[string]uri.Form{
	"reference": uri.Reference,
	"uri":       uri.URI,
	"absolute":  uri.AbsoluteURI,
	"relative":  uri.RelativeRef,
	"origin":    uri.OriginForm,
	"authority": uri.AuthorityForm,
	"asterisk":  uri.AsteriskForm,
	"host":      uri.HostField,
}

// errInvalid is the failure of --strict.
var errInvalid = errors.New("a line was not valid")

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the program less the process.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	cmd := newCommand(stdin, stdout, stderr)
	cmd.SetArgs(args)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	switch err := cmd.Execute(); {
	case err == nil, errors.Is(err, syscall.EPIPE): // who closes the pipe has seen enough
		return exitOK
	case errors.Is(err, errInvalid):
		return exitInvalid
	default:
		fmt.Fprintf(stderr, "uriscan: %v\n", err)
		return exitFailure
	}
}

func newCommand(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	var names []string
	var format, form string
	var strict, quiet bool
	var maxLine int
	cmd := &cobra.Command{
		Use:   "uriscan [flags] [file ...]",
		Short: "Scan URIs by RFC 3986, one a line, and print their components",
		Long: `uriscan reads URIs, one a line, from files or from standard input (-, or no file), and prints the components
that are asked for: as tab-separated values, where what is absent is as what is empty, or as JSON Lines, where what is
absent is left out. Lines that are not valid are reported on standard error with their number, the offset of the first
byte that cannot stand there, and the reason; never with their text. An empty line is the empty reference.

Fields: ` + strings.Join(fieldNames(), ", ") + `.

Exit status: 0; 1 with --strict if a line was not valid; 2 for wrong usage and where reading or writing fails.`,
		Example:       "  uriscan --fields host,path,query --format jsonl urls.txt\n  zcat log.gz | cut -d' ' -f7 | uriscan --form origin --fields path",
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(_ *cobra.Command, files []string) error {
			fields, err := fieldsOf(names)
			if err != nil {
				return err
			}
			shape, ok := formats[format]
			if !ok {
				return fmt.Errorf("no format %q: tsv or jsonl", format)
			}
			f, ok := forms[form]
			if !ok {
				return fmt.Errorf("no form %q: reference, uri, absolute, relative, origin, authority, asterisk or host", form)
			}
			if maxLine < 1 {
				return errors.New("--max-line must be at least 1")
			}
			if len(files) == 0 {
				files = []string{"-"}
			}
			j := &job{form: f, fields: fields, format: shape, stdout: stdout, stderr: stderr, quiet: quiet}
			start := time.Now()
			for _, name := range files {
				if len(files) > 1 {
					j.file = name + ":"
				}
				if err := j.scanFile(name, stdin, maxLine); err != nil {
					return err
				}
			}
			if err := j.flush(); err != nil {
				return err
			}
			j.summary(time.Since(start))
			if strict && j.invalid > 0 {
				return errInvalid
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVarP(&names, "fields", "f", []string{"scheme", "host", "port", "path", "query", "fragment"}, "components to print, in this order")
	flags.StringVar(&format, "format", "tsv", "tsv or jsonl")
	flags.StringVar(&form, "form", "reference", "what a line is: reference, uri, absolute, relative, origin, authority, asterisk or host")
	flags.BoolVar(&strict, "strict", false, "exit with status 1 if a line was not valid")
	flags.BoolVarP(&quiet, "quiet", "q", false, "do not report lines that are not valid")
	flags.IntVar(&maxLine, "max-line", 1<<20, "longest line in bytes; a longer one is not valid")
	return cmd
}
