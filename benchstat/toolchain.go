package main

import (
	"bytes"
	"go/build"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// webLink finds a link in a source file, without the punctuation and brackets after it.
var webLink = regexp.MustCompile(`https?://[^\s"'<>()\[\]{}|\\^,;\x60]*[^\s"'<>()\[\]{}|\\^,;.:!?*\x60]`)

// toolchain returns two corpora that nobody chose lines for, from the source of the Go toolchain: the links
// in it, except those in tests, and a file URL for each of its files. They are the same on every machine with
// the same version of Go, apart from the name of the folder.
func toolchain() ([]*corpus, error) {
	root := filepath.Join(build.Default.GOROOT, "src")
	var links, files [][]byte
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files = append(files, []byte((&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()))
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil && bytes.Contains(text, []byte("://")) {
			links = append(links, webLink.FindAll(text, -1)...)
		}
		return err
	})
	return []*corpus{newCorpus("goroot_files", files), newCorpus("goroot_links", links)}, err
}
