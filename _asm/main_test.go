package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGenerated fails if kernels_amd64.s is not what this program writes.
func TestGenerated(t *testing.T) {
	fresh := filepath.Join(t.TempDir(), "fresh.s")
	if out, err := exec.Command("go", "run", ".", "-out", fresh).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got, want := body(t, "../kernels_amd64.s"), body(t, fresh); !bytes.Equal(got, want) {
		t.Fatal("kernels_amd64.s is stale: run go generate in the root of the repository")
	}
}

// body returns the file without its first line, which quotes the command.
func body(t *testing.T, file string) []byte {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(text, []byte("\n"))
	return rest
}
