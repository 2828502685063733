// Command uriscan reads URIs, one a line, and prints the components that are asked for.
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
	exitFailure = 2 // wrong usage, or reading or writing failed
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the program less the process.
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

// newCommand returns the command, which fills in what j is to do, and does it by calling do with the arguments.
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
	cmd := &cobra.Command{
		Use:   "uriscan [flags] [file ...]",
		Short: "Scan URIs by RFC 3986, one a line, and print their components",
		Long: `uriscan reads URIs, one a line, from files or from standard input (-, or no file), scans them strictly by RFC 3986,
and prints the components that are asked for, as they stand: not decoded, and without their delimiters.

Fields:
  line       number of the line in its file
  text       the whole text
  scheme authority userinfo user password host port path query fragment
             the components; user and password are userinfo before and after its first ":"
  hostkind   reg-name, IPv4address, IPv6address or IPvFuture; absent where the host is
  relative   true where there is no scheme, else false

Formats:
  tsv        values with TABs between them; what is absent is as what is empty
  jsonl      JSON Lines: an object with the fields as members; what is absent is left out

Forms:
  reference  URI-reference, RFC 3986           origin     origin-form of a request target, RFC 9112
  uri        URI                               authority  authority-form
  absolute   absolute-URI                      asterisk   asterisk-form
  relative   relative-ref                      host       Host field, RFC 9110

A line ends with LF or CR LF. An empty line is the empty reference. A byte order mark at the beginning of a file is
skipped. An invalid line is reported on standard error by its number, the offset of the first byte that no valid text
could have there, and the reason, never by its text. At the end comes a count of lines.

Exit status: 0; 1 with --strict if a line was invalid; 2 for wrong usage and where reading or writing failed.`,
		Example: `  uriscan --fields host,path,query --format jsonl urls.txt
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
			do(files)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringSliceVarP(&names, "fields", "f", []string{"scheme", "userinfo", "host", "port", "path", "query", "fragment"}, "fields to print, in this order")
	flags.Var(&format, "format", format.list())
	flags.Var(&form, "form", "form that a line has to be of: "+form.list())
	flags.BoolVar(&j.strict, "strict", false, "exit with status 1 if a line was invalid")
	flags.BoolVarP(&j.quiet, "quiet", "q", false, "do not report invalid lines, only count them")
	flags.IntVar(&j.maxLine, "max-line", 1<<20, "length in bytes of the longest line; a longer one is invalid")
	return cmd
}

// maxMaxLine keeps the buffer's size an int everywhere.
const maxMaxLine = 1 << 30

// version returns the version of the module that the program was built from, where that is known.
func version() string {
	v := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok {
		v = cmp.Or(info.Main.Version, v)
	}
	return v
}

// A choice is the value of a flag that is one of a few names, the first if it is not given.
type choice[T any] struct {
	names  []string
	values []T
	at     int
}

func (c *choice[T]) value() T       { return c.values[c.at] }
func (c *choice[T]) list() string   { return strings.Join(c.names, ", ") }
func (c *choice[T]) String() string { return c.names[c.at] }
func (c *choice[T]) Type() string   { return "name" }

// Set makes the named value the chosen one.
func (c *choice[T]) Set(name string) error {
	i := slices.Index(c.names, name)
	if i < 0 {
		return errors.New("it must be one of " + c.list())
	}
	c.at = i
	return nil
}
