package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestImporters makes a module that imports the library, and requires that its go.sum has no module but those that the
// library's own go.sum has, and so nothing of this folder's.
func TestImporters(t *testing.T) {
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("go.mod", "module example.com/importer\n\ngo 1.24.0\n\nrequire github.com/seed-56a50ac9/uri v0.0.0\n\n"+
		"replace github.com/seed-56a50ac9/uri => "+root+"\n")
	write("main.go", "package main\n\nimport \"github.com/seed-56a50ac9/uri\"\n\n"+
		"func main() {\n\tif !uri.Valid(uri.URI, \"http://example.com/\") {\n\t\tpanic(\"invalid\")\n\t}\n}\n")
	for _, args := range [][]string{{"mod", "tidy"}, {"run", "."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "go %v: %s", args, out)
	}
	imported := modules(t, filepath.Join(dir, "go.sum"))
	require.NotEmpty(t, imported)
	assert.Subset(t, modules(t, filepath.Join(root, "go.sum")), imported)
	for _, l := range libraries {
		if l.name != ours && strings.Contains(l.module, ".") { // not of the standard library
			assert.Contains(t, modules(t, "go.sum"), l.module)
			assert.NotContains(t, imported, l.module)
		}
	}
}

// modules returns the paths of those that a go.sum has.
func modules(t *testing.T, file string) (paths []string) {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`(?m)^\S+`).FindAll(data, -1) {
		paths = append(paths, string(m))
	}
	return paths
}
