package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A flagSet is the flags that belong together.
type flagSet = pflag.FlagSet

func newFlagSet() *flagSet {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.SortFlags = false
	return f
}

// topics are the pages of "uriscan help".
var topics = []struct{ name, short, text string }{
	{"fields", "Fields: what can be printed, counted and compared", fieldsHelp},
	{"reading", "Reading: lists, logs, columns and text", readingHelp},
	{"where", "Conditions: how to select URIs", whereHelp},
	{"formats", "Formats: how values are written, and what they are called", formatsHelp},
}

const fieldsHelp = `Fields
  file line         where the URI was found
  text length       the URI, and its length in bytes
  validity          "valid", or why the URI is invalid
  scheme authority userinfo user password host port path query fragment
                    the components, still encoded; user and password are the
                    parts of userinfo before and after its first ":"
  hostkind          reg-name, IPv4address, IPv6address or IPvFuture
  effectiveport     the port, or the default port of the scheme
  segments          the path, split at each "/"; the first one of /a is empty
  segment.N         the N-th of them, from 0: segment.1 of /a/b is a
  filename          the last segment
  extension         what follows the last "." of the filename
  params keys values
                    the parameters of the query, their keys, and their values
  param.KEY         the value of the first parameter with that key
  relative          true if there is no scheme, otherwise false
  traits            what other software may interpret differently, such as
                    HasDotSegment and HasEncodedSlash

segments, params, keys, values and traits are lists. Write ":decoded" after a
field, as in path:decoded, to decode its escapes; "+" is a space in parameters.
`

const readingHelp = `Reading
  By default each line is a URI-reference (RFC 3986). A line ends with LF or
  CR LF. A byte order mark is skipped. gzip and zstd are decompressed. UTF-16
  and binary data are refused, and so are logs without --log.

  --log combined    the default of Apache httpd and nginx
  --log common      the same without referrer and agent
  --log caddy       the JSON log of Caddy
  --log jsonl:KEY   one JSON object per line; a KEY such as a.b.0 leads into
                    objects and lists
  --uri request     the target of the request; the method determines its form
  --uri referer     the referrer
  --uri KEY         another key of a JSON log
  --column N        a column, without its quotes; "" and - are not URIs
  --delimiter TEXT  what separates columns, instead of spaces and TABs
  --find            all URIs with // in text; --find=http,mailto: those with
                    one of these schemes

Forms
  reference         URI-reference        origin     target of a request: /a?b
  uri               URI                  authority  target of CONNECT: h:443
  absolute          absolute-URI         asterisk   target of OPTIONS: *
  relative          relative-ref         host       Host field: h or h:80

An argument is a URI if it begins with a scheme and no file has that name. With
--uris every argument is one. The report of an invalid URI has its line, the
offset of its first wrong byte and the reason; it never quotes the URI.
`

const whereHelp = `Conditions
  host=example.com            is equal; scheme and host ignore case
  host=*.example.com          * is any text
  port!=443                   is not equal, or is absent
  effectiveport<1024          numbers: < <= > >=
  path~'\.(png|jpe?g)$'       a regular expression matches; !~ does not
  query                       is present, or true
  !query                      is absent, or false
  keys=utm_*                  an item of the list is equal
  param.q:decoded='a b'       quotes around any text
  a=1 && (b=2 || !c)          and, or, not; && binds tighter than ||

Only valid URIs are selected; invalid ones are still reported.

  uriscan -w 'host=*.example.com && port!=443' urls.txt
  uriscan top --by path -w 'traits=HasDotSegment' --log combined access.log
`

const formatsHelp = `Formats
  tsv               values separated by TABs; an absent value is empty. TAB,
                    CR, LF and \ in values are written as \t, \r, \n and \\,
                    and lists with spaces between their items
  csv               RFC 4180, with LF at the end of lines
  jsonl             one object per line, without absent values; lists are arrays
  table             aligned columns; the default on a terminal (otherwise tsv)
  '{host} {path}'   a line of your own; {{ }} are braces, \t is a TAB

Names               ecs            otel           clickhouse
  text              url.original   url.original   url
  scheme            url.scheme     url.scheme     protocol
  host              url.domain     url.domain     domain
  port              url.port       url.port       port
  path              url.path       url.path       path
  query             url.query      url.query      queryString
  fragment          url.fragment   url.fragment   fragment
  extension         url.extension  url.extension  extension
  user              url.username   uri.user       user
  password          url.password   uri.password   password
In ecs and otel, other fields get the prefix "uri.", and a port is a number.
`

// setHelp sets the help of the command and of all commands below it.
func setHelp(root *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { fmt.Fprint(cmd.OutOrStdout(), helpOf(cmd)) })
	root.SetUsageFunc(func(cmd *cobra.Command) error { return nil })
	for _, t := range topics {
		topic := &cobra.Command{Use: t.name, Short: t.short, Long: t.text}
		topic.SetHelpFunc(func(cmd *cobra.Command, _ []string) { fmt.Fprint(cmd.OutOrStdout(), t.text) })
		root.AddCommand(topic)
	}
}

// helpOf returns the help of a command: what it does, its flags, and the commands below it.
func helpOf(cmd *cobra.Command) string {
	var b strings.Builder
	long := cmd.Long
	if long == "" {
		long = cmd.Short + "."
	}
	fmt.Fprintf(&b, "%s\n\nUsage: %s\n", strings.TrimSpace(long), cmd.UseLine())
	if cmd.Parent() == nil {
		names := map[bool][]string{}
		for _, c := range cmd.Commands() {
			if c.Hidden {
				continue
			}
			if c.Name() != "completion" {
				names[c.Runnable()] = append(names[c.Runnable()], c.Name())
			}
			if c.Runnable() && c.Name() != "help" && c.Name() != "completion" {
				fmt.Fprintf(&b, "       uriscan %-10s %s\n", c.Name(), c.Short)
			}
		}
		fmt.Fprintf(&b, "       uriscan %-10s Completion for bash, fish, powershell and zsh\n", "completion")
		fmt.Fprintf(&b, "       uriscan %-10s About %s\n", "help", strings.Join(names[false], ", "))
	}
	if cmd.Example != "" {
		fmt.Fprintf(&b, "\n%s\n", cmd.Example)
	}
	if cmd.Parent() == nil {
		fmt.Fprintf(&b, "\n%s", flagLines(cmd.LocalNonPersistentFlags()))
		fmt.Fprintf(&b, "\nFlags of all commands:\n%s", flagLines(cmd.PersistentFlags()))
		return b.String()
	}
	if own := flagLines(cmd.LocalFlags()); own != "" {
		fmt.Fprintf(&b, "\n%s", own)
	}
	var shared []string
	cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) { shared = append(shared, "--"+f.Name) })
	if len(shared) > 0 && cmd.Name() != "completion" && cmd.Parent().Name() != "completion" {
		fmt.Fprintf(&b, "\nFlags of all commands, see \"uriscan --help\":\n%s", fold(shared, 76))
	}
	return b.String()
}

// flagLines returns a line for each flag.
func flagLines(flags *flagSet) string {
	var b strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || f.Name == "version" {
			return
		}
		argument, usage := pflag.UnquoteUsage(f)
		if f.Value.Type() == "name" {
			argument = "NAME"
		}
		short := "    "
		if f.Shorthand != "" {
			short = "-" + f.Shorthand + ", "
		}
		name := "--" + f.Name
		switch {
		case f.NoOptDefVal != "" && argument != "":
			name += "[=" + strings.ToUpper(argument) + "]"
		case argument != "":
			name += " " + strings.ToUpper(argument)
		}
		fmt.Fprintf(&b, "  %s%-19s %s\n", short, name, usage)
	})
	return b.String()
}

// fold returns the words in lines of at most width columns.
func fold(words []string, width int) string {
	var b strings.Builder
	line := ""
	for _, word := range words {
		if line != "" && len(line)+1+len(word) > width {
			b.WriteString("  " + line + "\n")
			line = ""
		}
		line = strings.TrimLeft(line+" "+word, " ")
	}
	return b.String() + "  " + line + "\n"
}
