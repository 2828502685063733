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

// TestLines limits the length of lines of Go code, in characters.
func TestLines(t *testing.T) {
	const most = 110
	files := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != root:
			return filepath.SkipDir
		case filepath.Ext(path) != ".go":
			return nil
		}
		files++
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			assert.LessOrEqual(t, len([]rune(strings.TrimSuffix(line, "\n"))), most, "%s:%d", path, number)
		}
		return nil
	})
	require.NoError(t, err)
	assert.Greater(t, files, 50)
}
