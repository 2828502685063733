package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
)

// standardInput is the name of standard input as a file.
const standardInput = "-"

// A source is one file, standard input, or all URIs that are arguments.
type source struct {
	name   string
	prefix string // of reports about its lines
	file   io.ReadCloser
	text   io.Reader // the content of file, decompressed and without a byte order mark
	greedy bool      // reading never waits for long
}

// An argument is what the user wants to be read.
type argument struct {
	name string
	text string // of a URI, if name is empty
}

// arguments returns what the arguments are: names of files, or URIs. Several URIs in a row make one source.
// An argument is a URI if it has a scheme and there is no file of that name; or if all arguments are.
func (a *app) arguments(args []string, allURIs bool) (all []argument) {
	for _, arg := range args {
		switch {
		case !allURIs && !(looksLikeURI(arg) && !exists(arg)):
			all = append(all, argument{name: arg})
		case len(all) > 0 && all[len(all)-1].name == "":
			all[len(all)-1].text += arg + "\n"
		default:
			all = append(all, argument{text: arg + "\n"})
		}
	}
	if len(args) == 0 {
		all = append(all, argument{name: standardInput})
	}
	return all
}

// looksLikeURI reports whether the argument begins with a scheme of at least two letters: one letter is a
// drive.
func looksLikeURI(arg string) bool {
	scheme, _, found := strings.Cut(arg, ":")
	if !found || len(scheme) < 2 {
		return false
	}
	for i := range len(scheme) {
		c := scheme[i] | 0x20
		digit := i > 0 && (scheme[i] >= '0' && scheme[i] <= '9' || strings.IndexByte("+-.", scheme[i]) >= 0)
		if !digit && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// openFile opens a file of the system.
func openFile(name string) (io.ReadCloser, error) { return os.Open(name) }

// checkOutput refuses to write to a file that is also read: it would never end, or lose data.
func (a *app) checkOutput(all []argument) error {
	out, ok := regular(a.stdout)
	if !ok {
		return nil
	}
	for _, arg := range all {
		var in fs.FileInfo
		switch {
		case arg.name == "":
			continue
		case arg.name == standardInput:
			if in, ok = regular(a.stdin); !ok {
				continue
			}
		default:
			var err error
			if in, err = os.Stat(arg.name); err != nil {
				continue
			}
		}
		if os.SameFile(in, out) {
			return fmt.Errorf("%s: the input is also the output", arg.name)
		}
	}
	return nil
}

// regular returns information about a stream that is a regular file.
func regular(stream any) (fs.FileInfo, bool) {
	f, ok := stream.(*os.File)
	if !ok {
		return nil, false
	}
	info, err := f.Stat()
	return info, err == nil && info.Mode().IsRegular()
}

// errTruncated reports that a file became shorter than what had been read of it.
var errTruncated = errors.New("the file was truncated while it was read")

// A countedFile counts what is read, and notices if the file was truncated.
type countedFile struct {
	io.ReadCloser
	all  *atomic.Int64 // read from all files
	read int64
	size int64 // when it was opened; 0 if it is not a regular file
}

func (f *countedFile) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	f.read += int64(n)
	f.all.Add(int64(n))
	if err == io.EOF && f.read < f.size {
		return n, errTruncated
	}
	return n, err
}

// An unclosed reader is standard input, which is not ours to close.
type unclosed struct{ io.Reader }

func (unclosed) Close() error { return nil }

// openSource opens a file and finds out what it contains.
func (in *input) openSource(arg argument) (*source, error) {
	s := &source{name: arg.name, prefix: arg.name + ":"}
	if in.single {
		s.prefix = "line "
	}
	switch arg.name {
	case "":
		s.name, s.prefix = "argument", "argument "
		s.text, s.file, s.greedy = strings.NewReader(arg.text), unclosed{}, true
		return s, nil
	case standardInput:
		_, s.greedy = regular(in.stdin)
		s.file = &countedFile{ReadCloser: unclosed{in.stdin}, all: &in.read}
	default:
		f, err := in.open(arg.name)
		if err != nil {
			return nil, err
		}
		counted := &countedFile{ReadCloser: f, all: &in.read}
		var info fs.FileInfo
		if info, s.greedy = regular(f); s.greedy {
			counted.size = info.Size()
		}
		s.file = counted
	}
	var err error
	if s.text, err = in.decoder.decode(s.file, !in.anything, in.hints); err != nil {
		s.file.Close()
		return nil, named(s, err)
	}
	return s, nil
}

// named returns the error with the name of the source, unless it has one.
func named(s *source, err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return err
	}
	if s.name == standardInput {
		return fmt.Errorf("standard input: %w", err)
	}
	return fmt.Errorf("%s: %w", s.name, err)
}
