package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPage fails where the page is not what the logs say.
func TestPage(t *testing.T) {
	t.Chdir("../..")
	want, err := write(logs)
	require.NoError(t, err)
	got, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Equal(t, want, string(got), "go run ./internal/reliability writes it")
}

// TestFigures gives what is on the page where a command passed, failed, is another one by now, or never ran.
func TestFigures(t *testing.T) {
	all := measurements
	t.Cleanup(func() { measurements = all })
	measure := func(command string) measurement {
		return measurement{"A section", "a", command, []figure{
			sum("found", `(\d+) of (\d+)`), largest("most", `([\d.]+) times$`), count("lines", `times`), outcome("outcome"),
		}}
	}
	good := measure("printf '1 of 2\\n3 of 4\\no''ther\\n1.5 times\\n0.25 times\\n'")
	bad := measure("echo 1 of 2; false")
	passed := good.measure()
	for name, row := range map[string]struct {
		log  string
		want []string
	}{
		"passed":    {passed, []string{"| found | 4 of 6 | a |", "| most | 1.5 | a |", "| lines | 2 | a |", "| outcome | " + readLog(passed).end + " | a |"}},
		"failed":    {"$ " + good.command + "\nd | c | p | g\n1 of 2\nfailed in 0s: exit status 1\n", []string{"| found | **failed** | a |", "failed in 0s: exit status 1"}},
		"another":   {bad.measure(), []string{"| found | not measured | a |", "| | | | not measured |"}},
		"never ran": {"", []string{"| found | not measured | a |", "| outcome | not measured | a |"}},
	} {
		measurements = []measurement{good}
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, "a.txt"), []byte(row.log), 0o666))
		got, err := write(folder)
		require.NoError(t, err)
		for _, line := range row.want {
			assert.Contains(t, got, line, name)
		}
	}
	assert.NotContains(t, passed, "other")
	assert.Regexp(t, `1 of 2\nfailed in \d+s: exit status 1\n$`, bad.measure())
}
