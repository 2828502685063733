package repository

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// filesOf returns the paths of the repository's files with the extension.
func filesOf(t *testing.T, extension string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != root:
			return filepath.SkipDir
		case filepath.Ext(path) == extension:
			paths = append(paths, path)
		}
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	return paths
}

// TestLines limits the length of lines of Go code, in characters.
func TestLines(t *testing.T) {
	const most = 110
	for _, path := range filesOf(t, ".go") {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			assert.LessOrEqual(t, len([]rune(strings.TrimSuffix(line, "\n"))), most, "%s:%d", path, number)
		}
	}
}
