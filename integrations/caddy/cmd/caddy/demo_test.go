package main

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the output of the demo into README.md")

// varies matches what differs from run to run.
var varies = regexp.MustCompile(`"(ts|duration)":[0-9.e-]+|"remote_port":"\d+"`)

// TestReadme compares the output of the demo with README.md. After an intended change:
//
//	go test ./cmd/caddy -update
func TestReadme(t *testing.T) {
	var out strings.Builder
	require.NoError(t, demo(&out))
	assert.NotContains(t, strings.ReplaceAll(out.String(), "sig=S3CRET:", ""), "S3CRET")

	const readme = "../../README.md"
	text, err := os.ReadFile(readme)
	require.NoError(t, err)
	block := regexp.MustCompile("(?s)(\n```console\n\\$ go run ./integrations/caddy/...\n)(.*?)```\n")
	if *update {
		text = block.ReplaceAllFunc(text, func([]byte) []byte {
			return []byte("\n```console\n$ go run ./integrations/caddy/...\n" + out.String() + "```\n")
		})
		require.NoError(t, os.WriteFile(readme, text, 0o666))
		return
	}
	m := block.FindSubmatch(text)
	require.NotNil(t, m)
	assert.Equal(t, varies.ReplaceAllString(string(m[2]), "_"), varies.ReplaceAllString(out.String(), "_"))
}
