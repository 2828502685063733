package main

import (
	"archive/zip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/long"
)

// ourModule is the path of the library's module.
const ourModule = "github.com/seed-56a50ac9/uri"

// mostFiles is how many files the library's module may contain. Every importer downloads them.
const mostFiles = 300

// TestImporters makes a module that imports the library. Its go.sum must list only modules that are in the
// library's own go.sum, and so none of the peers.
func TestImporters(t *testing.T) {
	root := checkout(t)
	importer := folder(t, map[string]string{
		"go.mod": "module example.com/importer\n\ngo 1.24.0\n\n" +
			"require " + ourModule + " v0.0.0\n\nreplace " + ourModule + " => " + root + "\n",
		"main.go": "package main\n\nimport \"" + ourModule + "\"\n\n" +
			"func main() {\n\tif !uri.Valid(uri.URI, \"http://example.com/\") {\n\t\tpanic(\"invalid\")\n\t}\n}\n",
	})
	env := []string{"GOWORK=off", "GOFLAGS=-mod=mod"}
	command(t, importer, env, "go", "mod", "tidy")
	command(t, importer, env, "go", "run", ".")
	imported := modules(t, filepath.Join(importer, "go.sum"))
	require.NotEmpty(t, imported)
	assert.Subset(t, modules(t, filepath.Join(root, "go.sum")), imported)
	for _, l := range libraries {
		if l.name != ours && strings.Contains(l.module, ".") { // not in the standard library
			assert.Contains(t, modules(t, "go.sum"), l.module)
			assert.NotContains(t, imported, l.module)
		}
	}
}

// TestPublished runs the library's tests as an importer does, from the module cache. The go command makes the
// module from a repository with the files of this checkout: it leaves out the modules nested in it, but not
// go.work, which names them. The tests must not change the cache.
func TestPublished(t *testing.T) {
	if long.Time(t) == long.Seconds {
		t.Skip("runs with URI_LONG=1: it compiles and runs the tests of the library")
	}
	root := checkout(t)
	repository := filepath.Join(t.TempDir(), "repository")
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"--git-dir", repository, "--work-tree", root}, args...)
		command(t, root, nil, "git", args...)
	}
	git("init", "-q")
	git("add", "--all")
	git("-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false",
		"commit", "-q", "-m", "x")
	git("tag", "v1.0.0")

	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	importer := folder(t, map[string]string{
		"go.mod": "module example.com/importer\n\ngo 1.24.0\n",
		"go.sum": string(sums),
	})
	goEnv := func(name string) string { return strings.TrimSpace(command(t, root, nil, "go", "env", name)) }
	downloads := filepath.Join(goEnv("GOMODCACHE"), "cache", "download")
	cache := t.TempDir()
	env := []string{
		"GOWORK=", "GOFLAGS=", "URI_LONG=", "GOMODCACHE=" + cache,
		"GOPROXY=file://" + filepath.ToSlash(downloads) + "," + goEnv("GOPROXY"),
		"GONOPROXY=" + ourModule, "GONOSUMDB=" + ourModule,
		"GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=url.file://" + filepath.ToSlash(repository) + ".insteadOf",
		"GIT_CONFIG_VALUE_0=https://" + ourModule,
	}
	t.Cleanup(func() { command(t, importer, env, "go", "clean", "-modcache") }) // it is read-only
	command(t, importer, env, "go", "get", "-t", ourModule+"@v1.0.0")

	published, err := zip.OpenReader(filepath.Join(cache, "cache", "download", ourModule, "@v", "v1.0.0.zip"))
	require.NoError(t, err)
	defer published.Close()
	assert.LessOrEqual(t, len(published.File), mostFiles, "files of the module")
	t.Log(len(published.File), "files")

	t.Log(command(t, importer, env, "go", "test", ourModule))
	command(t, importer, env, "go", "mod", "verify")
}

// checkout returns the absolute path of the library's root folder.
func checkout(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	return root
}

// folder makes a folder with the given files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

// command runs a command, which must succeed, and returns its output.
func command(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s: %s", cmd, out)
	return string(out)
}

// modules returns the paths of the modules in a go.sum.
func modules(t *testing.T, file string) (paths []string) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`(?m)^\S+`).FindAll(data, -1) {
		paths = append(paths, string(m))
	}
	return paths
}
