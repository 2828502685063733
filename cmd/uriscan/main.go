// Command uriscan reads URIs, one per line, and prints their components.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/seed-56a50ac9/uri"
	"github.com/spf13/cobra"
)

// Exit statuses.
const (
	exitOK      = 0
	exitInvalid = 1 // with --strict: a line was invalid
	exitFailure = 2 // invalid usage, or a read or write failed
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is main without the process: it returns the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) (status int) {
	j := &job{open: openFile, stdin: stdin, stdout: stdout, stderr: stderr}
	cmd := newCommand(func(files []string) { status = j.run(files) }, j)
	cmd.SetArgs(args)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	if err := cmd.Execute(); err != nil {
		fmt.Fprintf(stderr, "uriscan: %v\nRun \"uriscan --help\" for usage.\n", err)
		return exitFailure
	}
	return status
}

// newCommand returns the command. It sets j from the flags, then calls do with the arguments.
func newCommand(do func(files []string), j *job) *cobra.Command {
	form := choice[uri.Form]{
		names: []string{"reference", "uri", "absolute", "relative", "origin", "authority", "asterisk", "host"},
		values: []uri.Form{
			uri.Reference, uri.URI, uri.AbsoluteURI, uri.RelativeRef,
			uri.OriginForm, uri.AuthorityForm, uri.AsteriskForm, uri.HostField,
		},
	}
	format := choice[format]{names: []string{"tsv", "jsonl"}, values: []format{appendTSV, appendJSON}}
	var names []string
	var header bool
	cmd := &cobra.Command{
		Use:   "uriscan [flags] [file ...]",
		Short: "Scan URIs, one per line, and print their components",
		Long: `uriscan reads URIs, one per line, from files or from standard input (-, or no file). It scans them
strictly by RFC 3986 and prints the chosen fields. Components are printed verbatim, still encoded,
without their delimiters.

Fields:
  line       number of the line in its file
  text       the whole line
  scheme authority userinfo user password host port path query fragment
             the components; user and password are the parts of userinfo before and after its first ":"
  hostkind   reg-name, IPv4address, IPv6address or IPvFuture; absent if the host is absent
  relative   true if there is no scheme, false otherwise

Formats:
  tsv        values separated by TABs; an absent value looks like an empty one
  jsonl      JSON Lines: an object per URI with the fields as members, without those that are absent

Forms:
  reference  URI-reference, RFC 3986           origin     origin-form of a request target, RFC 9112
  uri        URI                               authority  authority-form
  absolute   absolute-URI                      asterisk   asterisk-form
  relative   relative-ref                      host       Host field, RFC 9110

A line ends with LF or CR LF. An empty line is the empty reference. A byte order mark at the beginning of a
file is skipped. An invalid line is reported on standard error by its number, the offset of the first byte
that no valid line could have there, and the reason. The report never quotes the line. The last line on
standard error counts the lines.

The exit status is 0 on success, 1 with --strict if a line was invalid, and 2 if the usage was invalid or a
read or write failed.`,
		Example: `  uriscan --header --fields host,path urls.txt
  uriscan --fields host,path,query --format jsonl urls.txt
  cut -d' ' -f7 access.log | uriscan --form origin --fields path`,
		Args:          cobra.ArbitraryArgs,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(_ *cobra.Command, files []string) (err error) {
			if j.fields, err = fieldsOf(names); err != nil {
				return err
			}
			if j.maxLine < 1 || j.maxLine > maxMaxLine {
				return fmt.Errorf("--max-line must be 1 to %d", maxMaxLine)
			}
			j.form, j.format = form.value(), format.value()
			if header && format.at != 0 {
				return errors.New("--header is for the format tsv")
			}
			if header {
				j.out = append(j.out, strings.Join(names, "\t")+"\n"...)
			}
			do(files)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringSliceVarP(&names, "fields", "f",
		[]string{"scheme", "userinfo", "host", "port", "path", "query", "fragment"},
		"fields to print, in this order")
	flags.BoolVar(&header, "header", false, "print the names of the fields first")
	flags.Var(&format, "format", "output format: "+format.list())
	flags.Var(&form, "form", "form that each line must match: "+form.list())
	flags.BoolVar(&j.strict, "strict", false, "exit with status 1 if a line was invalid")
	flags.BoolVarP(&j.quiet, "quiet", "q", false, "count invalid lines, but do not report them")
	flags.IntVar(&j.maxLine, "max-line", 1<<20, "maximum length of a line in bytes; a longer line is invalid")
	return cmd
}

// maxMaxLine is small enough for the size of the buffer to fit an int on every machine.
const maxMaxLine = 1 << 30

// version returns the version of the module that the program was built from, or "(devel)" if it is not known.
func version() string {
	v := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok {
		v = cmp.Or(info.Main.Version, v)
	}
	return v
}

// A choice is the value of a flag that takes one of a few names. The default is the first.
type choice[T any] struct {
	names  []string
	values []T
	at     int
}

func (c *choice[T]) value() T       { return c.values[c.at] }
func (c *choice[T]) list() string   { return strings.Join(c.names, ", ") }
func (c *choice[T]) String() string { return c.names[c.at] }
func (c *choice[T]) Type() string   { return "name" }

// Set chooses the named value.
func (c *choice[T]) Set(name string) error {
	i := slices.Index(c.names, name)
	if i < 0 {
		return errors.New("must be one of " + c.list())
	}
	c.at = i
	return nil
}
