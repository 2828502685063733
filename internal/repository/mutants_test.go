package repository

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMutantsKnown requires that each mutant in the list of those that no test can kill is one of a line that
// the code has, and that each paragraph of the list has mutants.
func TestMutantsKnown(t *testing.T) {
	list, err := os.ReadFile(filepath.Join(root, "testdata/mutants.txt"))
	require.NoError(t, err)
	_, paragraphs, _ := strings.Cut(string(list), "\n\n") // the first one is about the file
	lines := map[string]map[string]bool{}                 // of each file
	for paragraph := range strings.SplitSeq(strings.TrimSpace(paragraphs), "\n\n") {
		mutants := 0
		for line := range strings.SplitSeq(paragraph, "\n") {
			if strings.HasPrefix(line, "#") {
				continue
			}
			mutants++
			file, rest, _ := strings.Cut(line, " ")
			_, code, _ := strings.Cut(rest, " ")
			if lines[file] == nil {
				text, err := os.ReadFile(filepath.Join(root, file))
				require.NoError(t, err)
				lines[file] = map[string]bool{}
				for line := range strings.Lines(string(text)) {
					lines[file][strings.TrimSpace(line)] = true
				}
			}
			assert.True(t, lines[file][strings.Replace(code, "«", "", 1)], line)
		}
		assert.Positive(t, mutants, paragraph)
	}
}
