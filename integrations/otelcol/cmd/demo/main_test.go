package main

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write README.md")

// TestReadme runs the examples of README.md and compares their output.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	examples := 0
	console := regexp.MustCompile("(?s)```console\n\\$ go run ./integrations/otelcol/...(.*?)\n(.*?)```\n")
	got := console.ReplaceAllStringFunc(string(text), func(block string) string {
		line, _, _ := strings.Cut(console.FindStringSubmatch(block)[1], "\n")
		var out bytes.Buffer
		require.NoError(t, run(&out, words(line)))
		examples++
		return "```console\n$ go run ./integrations/otelcol/..." + line + "\n" + out.String() + "```\n"
	})
	assert.Equal(t, 2, examples)
	if *update {
		require.NoError(t, os.WriteFile("../../README.md", []byte(got), 0o600))
		return
	}
	assert.Equal(t, string(text), got, "go test ./integrations/otelcol/cmd/demo -update writes README.md")
}

// words splits a line as a shell does that knows single quotes.
func words(line string) (list []string) {
	for _, match := range regexp.MustCompile(`'([^']*)'|([^' ]+)`).FindAllStringSubmatch(line, -1) {
		list = append(list, match[1]+match[2])
	}
	return list
}

// TestFaults requires clear errors.
func TestFaults(t *testing.T) {
	for why, args := range map[string][]string{
		"flag provided but not defined": {"-unknown"},
		"form: \"x\" is not one of":     {"-config", "form: x"},
		"'strict'":                      {"-config", "strict: perhaps"},
		"cannot":                        {"-config", "a: b: c"},
		"retrieved value":               {"-config", "a"},
	} {
		var out bytes.Buffer
		assert.ErrorContains(t, run(&out, args), why)
	}
}
