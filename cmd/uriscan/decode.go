package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// headSize is how much of a file is looked at to find out what it is.
const headSize = 4 << 10

// maxWindow limits the memory for one zstd file. It is what "zstd --ultra -22" needs, and what zstd itself
// accepts.
const maxWindow = 128 << 20

// The kinds of files that are recognized by how they begin.
var magics = []struct{ begin, name, advice string }{
	{"\x1F\x8B", "gzip", ""},
	{"\x28\xB5\x2F\xFD", "zstd", ""},
	{"\xEF\xBB\xBF", "a byte order mark", ""},
	{"\xFF\xFE", "UTF-16 text", "convert it with: iconv -f UTF-16 -t UTF-8"},
	{"\xFE\xFF", "UTF-16 text", "convert it with: iconv -f UTF-16 -t UTF-8"},
	{"BZh", "bzip2 data", "decompress it with: bzip2 -dc"},
	{"\xFD7zXZ", "xz data", "decompress it with: xz -dc"},
	{"\x04\x22\x4D\x18", "lz4 data", "decompress it with: lz4 -dc"},
	{"PK\x03\x04", "a zip archive", "decompress it with: unzip -p"},
}

// A decoder decompresses files, one after the other.
type decoder struct {
	gzip *gzip.Reader
	zstd *zstd.Decoder
}

// decode returns the text of a file. It decompresses gzip and zstd, and skips a byte order mark. If strict,
// it refuses what is no text; if hints, also what is a log.
func (d *decoder) decode(file io.Reader, strict, hints bool) (io.Reader, error) {
	head, text, err := readHead(file)
	if err != nil {
		return nil, err
	}
	switch kindOf(head) {
	case "gzip":
		text, err = d.gunzip(text)
	case "zstd":
		text, err = d.unzstd(text)
	default:
		return checkText(head, text, strict, hints)
	}
	if err != nil {
		return nil, err
	}
	if head, text, err = readHead(text); err != nil {
		return nil, err
	}
	return checkText(head, text, strict, hints)
}

func (d *decoder) gunzip(file io.Reader) (_ io.Reader, err error) {
	if d.gzip == nil {
		d.gzip, err = gzip.NewReader(file)
		return d.gzip, err
	}
	return d.gzip, d.gzip.Reset(file)
}

func (d *decoder) unzstd(file io.Reader) (_ io.Reader, err error) {
	if d.zstd == nil {
		d.zstd, err = zstd.NewReader(file, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
		return d.zstd, err
	}
	return d.zstd, d.zstd.Reset(file)
}

// readHead reads the beginning of a file without waiting for more than it takes to see what it is. The reader
// that it returns reads the file from the beginning.
func readHead(file io.Reader) (head []byte, whole io.Reader, err error) {
	head = make([]byte, headSize)
	n := 0
	for n == 0 || isPartOfMagic(head[:n]) {
		var more int
		more, err = file.Read(head[n:])
		n += more
		if err != nil {
			break
		}
	}
	head = head[:n]
	switch err {
	case nil:
		return head, io.MultiReader(bytes.NewReader(head), file), nil
	case io.EOF:
		return head, bytes.NewReader(head), nil
	}
	if n == 0 {
		return nil, nil, err
	}
	return head, io.MultiReader(bytes.NewReader(head), &failed{err}), nil
}

// A failed reader returns its error.
type failed struct{ err error }

func (f *failed) Read([]byte) (int, error) { return 0, f.err }

// isPartOfMagic reports whether more bytes may make up a magic.
func isPartOfMagic(head []byte) bool {
	for _, m := range magics {
		if len(head) < len(m.begin) && strings.HasPrefix(m.begin, string(head)) {
			return true
		}
	}
	return false
}

// kindOf returns the name of the kind of file that begins with head, or "".
func kindOf(head []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.begin)) {
			return m.name
		}
	}
	return ""
}

// checkText returns the text without a byte order mark, or an error that says what to do with the file.
func checkText(head []byte, text io.Reader, strict, hints bool) (io.Reader, error) {
	for _, m := range magics {
		switch {
		case !bytes.HasPrefix(head, []byte(m.begin)):
		case m.name == "a byte order mark":
			skipped := make([]byte, len(m.begin))
			_, err := io.ReadFull(text, skipped)
			head = head[len(skipped):]
			if err != nil {
				return nil, err
			}
		case strict && m.advice == "":
			return nil, errors.New("compressed twice; decompress it first")
		case strict:
			return nil, fmt.Errorf("this is %s; %s", m.name, m.advice)
		}
	}
	if name := guessUTF16(head); strict && name != "" {
		return nil, fmt.Errorf("this is UTF-16 text; convert it with: iconv -f %s -t UTF-8", name)
	}
	if i := bytes.IndexByte(head, 0); strict && i >= 0 {
		return nil, fmt.Errorf("this is binary data: byte %d is NUL; use --text to read it anyway", i)
	}
	if strict && hints {
		if log := guessLog(head); log != "" {
			return nil, fmt.Errorf("this looks like a log; use --log %s, or --text to read one URI per line", log)
		}
	}
	return text, nil
}

// guessUTF16 returns the name of the encoding of text in UTF-16 that begins with four characters of ASCII, or
// "".
func guessUTF16(head []byte) string {
	if len(head) < 8 {
		return ""
	}
	var zero [2]int
	for i, c := range head[:8] {
		if c == 0 {
			zero[i%2]++
		}
	}
	switch zero {
	case [2]int{0, 4}:
		return "UTF-16LE"
	case [2]int{4, 0}:
		return "UTF-16BE"
	}
	return ""
}
