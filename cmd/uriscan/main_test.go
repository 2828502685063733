package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMain turns the test binary into the command if the environment says so.
func TestMain(m *testing.M) {
	if os.Getenv("URISCAN_TEST_MAIN") != "" {
		main()
	}
	os.Exit(m.Run())
}

// rate is the part of the summary that differs between runs.
var rate = regexp.MustCompile(`, \d+\.\d MB/s\n$`)

// uriscan runs the command in this process and returns its exit status and outputs, without the rate in the
// summary.
func uriscan(stdin string, args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(context.Background(), args, strings.NewReader(stdin), &out, &err)
	return status, out.String(), rate.ReplaceAllString(err.String(), "\n")
}

// command returns the command as a process of its own.
func command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "URISCAN_TEST_MAIN=1", "GOMAXPROCS=2")
	return cmd
}

// process runs the command as a process of its own, with the streams of a shell.
func process(t *testing.T, stdin io.Reader, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	cmd := command(args...)
	var out, err bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &err
	if err := cmd.Run(); err != nil {
		_, ok := err.(*exec.ExitError)
		require.True(t, ok, err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), rate.ReplaceAllString(err.String(), "\n")
}

// root is the root of the repository.
var root = filepath.Join("..", "..")

// TestUsage runs the command with usage that is invalid.
func TestUsage(t *testing.T) {
	for args, want := range map[string]string{
		"--fields nose":                       `unknown field "nose"; the fields are ` + fieldNames(),
		"--fields host,,path":                 `unknown field ""`,
		"--fields Host":                       `unknown field "Host"`,
		"--fields host,host":                  `field "host" is given twice`,
		"--fields ":                           "no field given",
		"--fields param.":                     `unknown field "param."`,
		"--fields segment.x":                  `unknown field "segment.x"`,
		"--fields segment.-1":                 `unknown field "segment.-1"`,
		"--format xml":                        `unknown format "xml"; use tsv, csv, jsonl or table`,
		"--format {host":                      `a "{" without "}" in --format; write "{{" for a brace`,
		"--format host}":                      `a "}" without "{" in --format; write "}}" for a brace`,
		"--format {nose}":                     `--format: unknown field "nose"`,
		"--format {host} --fields host":       "give --fields or a template in --format, not both",
		"--format jsonl --header":             "--header needs the format tsv or csv",
		"--format {host} --header":            "--header needs the format tsv or csv",
		"--names nose":                        "must be one of plain, ecs, otel, clickhouse",
		"--color nose":                        "must be one of auto, always, never",
		"--form url":                          "must be one of reference, uri, absolute, relative, origin, ",
		"--max-line 0":                        "--max-line must be 1 to 1073741824",
		"--max-line 9999999999999999":         "--max-line must be 1 to 1073741824",
		"--jobs -1":                           "--jobs must be 1 to 1024",
		"--column 0":                          "--column must be at least 1",
		"--column x":                          "invalid argument",
		"--delimiter ,":                       "--delimiter needs --column",
		"--column 1 --delimiter= ":            "--delimiter must not be empty",
		"--uri referer":                       "--uri needs --log",
		"--log nose":                          `unknown log "nose"; use combined, common, caddy or jsonl:KEY`,
		"--log jsonl":                         "--log jsonl needs the key of the URI",
		"--log jsonl:":                        `unknown log "jsonl:"; use jsonl:KEY`,
		"--log combined:url":                  `unknown log "combined:url"; use jsonl:KEY`,
		"--log jsonl:a --uri b":               "in --log or in --uri, not in both",
		"--log common --uri referer":          "has no referrers; use --log combined",
		"--log combined --uri url":            `unknown --uri "url"; use request or referer`,
		"--log combined --form uri":           "--form does not apply to requests",
		"--log combined --column 1":           "give only one of --log, --column, --find and --uris",
		"--find --column 1":                   "give only one of",
		"--find --form origin":                "--find supports only the forms uri and absolute",
		"--find=a/b":                          `--find: "a/b" is not a scheme`,
		"--where host=":                       `--where, offset 5: expected a value`,
		"--where nose=1":                      `--where, offset 0: unknown field "nose"`,
		"--where host=a&&":                    `--where, offset 8: expected a field`,
		"--where (host=a":                     `--where, offset 7: expected ")"`,
		"--where host=a)":                     `--where, offset 6: expected "&&", "||" or the end`,
		"--where host~[":                      `--where, offset 5: error parsing regexp`,
		"--where line<x":                      `--where, offset 5: < needs a number, not "x"`,
		"--where host='a":                     `--where, offset 5: the quotation mark is not closed`,
		"--where host=a|b":                    "",
		"--nose":                              "unknown flag: --nose",
		"top --by nose":                       `unknown field "nose"`,
		"top --by host,path":                  `unknown field "host,path"`,
		"top -n -1":                           "--number must not be negative",
		"top --format {host}":                 `unknown format "{host}"; use tsv, csv, jsonl or table`,
		"stats --format xml":                  `unknown format "xml"`,
		"check --format xml":                  `unknown format "xml"`,
		"check --fields host":                 "unknown flag: --fields",
		"resolve":                             "--base must be a valid URI with a scheme",
		"resolve --base /a":                   "--base must be a valid URI with a scheme",
		"normalize --level nose":              "must be one of syntax, scheme",
		"completion nose":                     "",
		"--where " + strings.Repeat("!", 150): "nested too deeply",
	} {
		if want == "" {
			continue
		}
		status, stdout, stderr := uriscan("x:", strings.Split(args, " ")...)
		assert.Equal(t, exitFailure, status, args)
		assert.Empty(t, stdout, args)
		assert.True(t, strings.HasPrefix(stderr, "uriscan: "), args)
		assert.Contains(t, stderr, want, args)
		assert.Regexp(t, `\nRun "uriscan.* --help" for usage.\n$`, stderr, args)
	}
	status, stdout, stderr := uriscan("", "--version")
	assert.Equal(t, exitOK, status)
	assert.Regexp(t, `^uriscan version \S+\n$`, stdout)
	assert.Empty(t, stderr)
}

// TestHelp requires that the help of each command fits one screen, and that it documents every flag and
// field.
func TestHelp(t *testing.T) {
	const height, width = 42, 81
	root := newRoot(&app{})
	pages := []string{
		"",
		"top",
		"stats",
		"check",
		"diagram",
		"normalize",
		"resolve",
		"redact",
		"strip",
		"unique",
	}
	for _, topic := range topics {
		pages = append(pages, topic.name)
	}
	var all strings.Builder
	for _, page := range pages {
		args := append(strings.Fields(page), "--help")
		status, stdout, stderr := uriscan("", args...)
		assert.Equal(t, exitOK, status, page)
		assert.Empty(t, stderr, page)
		assert.LessOrEqual(t, strings.Count(stdout, "\n"), height, page)
		for line := range strings.Lines(stdout) {
			assert.LessOrEqual(t, len([]rune(line)), width, "%s: %s", page, line)
		}
		_, again, _ := uriscan("", append([]string{"help"}, strings.Fields(page)...)...)
		assert.Equal(t, stdout, again)
		all.WriteString(stdout)
	}
	for _, f := range plainFields {
		assert.Regexp(t, `\b`+f.name+`\b`, fieldsHelp)
	}
	for _, c := range root.Commands() {
		assert.Contains(t, all.String(), c.Name())
	}
	for _, o := range forms {
		assert.Contains(t, readingHelp, o.name)
	}
}
