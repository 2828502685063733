package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// update makes tests write what they would otherwise compare: go test -run 'Readme|Screenshots' -update
var update = flag.Bool("update", false, "write README.md and the screenshots")

// shell runs a command line in testdata, where uriscan is this program. It returns standard output.
func shell(t *testing.T, line string) string {
	t.Helper()
	bin := t.TempDir()
	program, err := filepath.Abs(os.Args[0])
	require.NoError(t, err)
	require.NoError(t, os.Symlink(program, filepath.Join(bin, "uriscan")))
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = "testdata"
	cmd.Env = append(os.Environ(), "URISCAN_TEST_MAIN=1", "LC_ALL=C", "PATH="+bin+":"+os.Getenv("PATH"))
	out, err := cmd.Output()
	if err != nil {
		_, ok := err.(*exec.ExitError)
		require.True(t, ok, err)
	}
	return string(out)
}

// consoles are the examples of README.md.
var consoles = regexp.MustCompile("(?s)```console\n(.*?)```\n")

// TestReadme runs the examples of README.md and compares their output.
func TestReadme(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	examples := 0
	got := consoles.ReplaceAllStringFunc(string(text), func(block string) string {
		var b strings.Builder
		b.WriteString("```console\n")
		for line := range strings.Lines(consoles.FindStringSubmatch(block)[1]) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				b.WriteString(line + shell(t, command))
				examples++
			}
		}
		return b.String() + "```\n"
	})
	assert.Greater(t, examples, 15)
	if *update {
		require.NoError(t, os.WriteFile("README.md", []byte(got), 0o666))
		return
	}
	assert.Equal(t, string(text), got, "go test -run Readme -update")
}

// TestReadmeFaults requires that the messages in the table of README.md are those of the code.
func TestReadmeFaults(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	tests, err := os.ReadFile("faults_test.go")
	require.NoError(t, err)
	for _, message := range []string{
		"this looks like a log", "this is UTF-16 text; convert it with: iconv -f UTF-16 -t UTF-8",
		"this is binary data: byte 7 is NUL; use --text to read it anyway",
		"this is xz data; decompress it with: xz -dc", "unexpected EOF", "the file was truncated while it was read",
		"no such file or directory", "the input is also the output", "no space left on device", "terminated",
	} {
		assert.Contains(t, string(text), message)
		assert.Contains(t, string(tests), message)
	}
}
