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

// A corpus is a set of lines, in every shape that a library may want. All libraries get the same ones.
type corpus struct {
	name     string
	lines    [][]byte
	texts    []string   // the same
	elements []elements // of those lines that have a scheme and a host
}

// elements are what a client has in hand when it builds a URI: the path is data, the query is encoded
// already.
type elements struct{ scheme, host, port, path, query string }

// newCorpus also reads the elements. A line with userinfo, an IP-literal or an empty host has none, as not
// every library can write it.
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

// sum tells corpora of one name apart.
func (c *corpus) sum() string {
	return fmt.Sprintf("%d lines, crc32 %08x", len(c.lines),
		crc32.ChecksumIEEE(bytes.Join(c.lines, []byte("\n"))))
}

// loadCorpora returns the bundled corpus, the generated one, and one for each *.txt of the folder, if one is
// named.
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
	all := []*corpus{newCorpus("generated", generate())}
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

// readLines returns the lines of a file, less line ends, empty lines and a leading byte order mark.
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
