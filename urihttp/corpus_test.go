package urihttp

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLogs applies the presets to the targets in the logs of the folder that URI_CORPUS names, *.log in
// the combined format, and prints those that do not pass unchanged.
func TestLogs(t *testing.T) {
	folder := os.Getenv("URI_CORPUS")
	if folder == "" {
		t.Skip("URI_CORPUS names no folder")
	}
	logs, err := filepath.Glob(filepath.Join(folder, "*.log"))
	require.NoError(t, err)
	if len(logs) == 0 {
		t.Skip("no *.log")
	}
	line := regexp.MustCompile(`"([A-Z]+) (\S+) HTTP/[0-9.]+"`)
	for _, preset := range []struct {
		name   string
		policy Policy
	}{{"Strict", Strict()}, {"Envoy", Envoy()}} {
		total := 0
		actions := map[Action]int{}
		for _, log := range logs {
			file, err := os.Open(log)
			require.NoError(t, err)
			defer file.Close()
			for lines := bufio.NewScanner(file); lines.Scan(); {
				m := line.FindSubmatch(lines.Bytes())
				if m == nil {
					continue
				}
				total++
				out, action, err := preset.policy.AppendTarget(nil, m[1], m[2], []byte("example.com"))
				if actions[action]++; action != Keep {
					t.Logf("%s: %v %s -> %s %v", preset.name, action, m[2], out, err)
				}
			}
		}
		t.Logf("%s: %d targets, %v", preset.name, total, actions)
		assert.Greater(t, actions[Keep]*100, total*99)
	}
}
