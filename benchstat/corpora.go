package main

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-56a50ac9/uri"
)

// A corpus is a list of lines, in every shape that a library may want. All libraries get the same lines.
type corpus struct {
	name     string
	lines    [][]byte
	texts    []string   // the lines as strings
	elements []elements // of the lines with a scheme and a host
}

// elements are what a client starts from when it builds a URI: the path is decoded, the query is encoded.
type elements struct{ scheme, host, port, path, query string }

// newCorpus returns the corpus of the lines. It takes no elements from a line with userinfo, an IP-literal or
// an empty host, since not every library can write these.
func newCorpus(name string, lines [][]byte) *corpus {
	c := &corpus{name: name, lines: lines}
	for _, line := range lines {
		text := string(line)
		c.texts = append(c.texts, text)
		v, err := uri.Parse(text)
		if err != nil || v.Scheme() == "" || v.Host() == "" || v.Has(uri.Userinfo) || v.HostKind() > uri.IPv4 {
			continue
		}
		path, err := url.PathUnescape(v.Path())
		if err != nil {
			panic(err) // the view is valid
		}
		c.elements = append(c.elements, elements{v.Scheme(), v.Host(), v.Port(), path, v.Query()})
	}
	return c
}

// sum distinguishes corpora of the same name.
func (c *corpus) sum() string {
	sum := crc32.ChecksumIEEE(bytes.Join(c.lines, []byte("\n")))
	return fmt.Sprintf("%d lines, crc32 %08x", len(c.lines), sum)
}

// loadCorpora returns the generated corpus, those of the toolchain, the bundled one, and one per *.txt file
// of the folder, if there is one.
func loadCorpora(home, folder string) ([]*corpus, error) {
	files := []string{filepath.Join(home, "..", "testdata", "uris.txt")}
	if folder != "" {
		more, err := filepath.Glob(filepath.Join(folder, "*.txt"))
		if err != nil {
			return nil, err
		}
		if len(more) == 0 {
			return nil, errors.New("no *.txt in " + folder)
		}
		files = append(files, more...)
	}
	all, err := toolchain()
	if err != nil {
		return nil, err
	}
	all = append(all, newCorpus("generated", generate()))
	for i, file := range files {
		lines, err := readLines(file)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		if i == 0 {
			name = "bundled"
		}
		all = append(all, newCorpus(name, lines))
	}
	return all, nil
}

// readLines returns the lines of a file without their line ends. It skips empty lines and a leading byte
// order mark.
func readLines(file string) (lines [][]byte, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for line := range bytes.SplitSeq(bytes.TrimPrefix(data, []byte("\uFEFF")), []byte("\n")) {
		if line = bytes.TrimSuffix(line, []byte("\r")); len(line) > 0 {
			lines = append(lines, line)
		}
	}
	return lines, nil
}
