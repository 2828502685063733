package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A format appends the values of a record as a line of output.
type format interface {
	// header appends the names of the fields, if the format has a place for them.
	header(dst []byte, fields []field) []byte
	row(dst []byte, fields []field, r *record) []byte
}

// tsv is values separated by TABs. An absent value looks like an empty one. Within values, TAB, line ends and
// backslashes are escaped with a backslash, and the items of a list are separated by spaces.
type tsv struct{}

func (tsv) header(dst []byte, fields []field) []byte {
	for i := range fields {
		dst = append(appendEscaped(dst, []byte(fields[i].label)), '\t')
	}
	dst[len(dst)-1] = '\n'
	return dst
}

func (tsv) row(dst []byte, fields []field, r *record) []byte {
	for i := range fields {
		dst = append(appendValue(dst, &fields[i], r), '\t')
	}
	dst[len(dst)-1] = '\n'
	return dst
}

// appendValue appends a value with what is not text escaped.
func appendValue(dst []byte, f *field, r *record) []byte {
	if f.kind == listKind {
		for i, item := range f.list(r) {
			if i > 0 {
				dst = append(dst, ' ')
			}
			if f.safe {
				dst = append(dst, item...)
			} else {
				dst = appendEscaped(dst, item)
			}
		}
		return dst
	}
	value, _ := f.get(r)
	if f.safe {
		return append(dst, value...)
	}
	return appendEscaped(dst, value)
}

// appendEscaped appends a value without TABs and line ends.
func appendEscaped(dst, value []byte) []byte {
	for {
		i := bytes.IndexAny(value, "\t\n\r\\")
		if i < 0 {
			return append(dst, value...)
		}
		dst = append(append(dst, value[:i]...), '\\')
		switch value[i] {
		case '\t':
			dst = append(dst, 't')
		case '\n':
			dst = append(dst, 'n')
		case '\r':
			dst = append(dst, 'r')
		default:
			dst = append(dst, '\\')
		}
		value = value[i+1:]
	}
}

// csv is RFC 4180, with "\n" as line ends, as most programs write it.
type csv struct{}

func (csv) header(dst []byte, fields []field) []byte {
	for i := range fields {
		dst = append(appendQuoted(dst, []byte(fields[i].label)), ',')
	}
	dst[len(dst)-1] = '\n'
	return dst
}

func (csv) row(dst []byte, fields []field, r *record) []byte {
	for i := range fields {
		f := &fields[i]
		start := len(dst)
		if f.kind == listKind {
			dst = appendValue(dst, f, r)
			if bytes.ContainsAny(dst[start:], "\",") {
				value := bytes.Clone(dst[start:])
				dst = appendQuoted(dst[:start], value)
			}
		} else {
			value, _ := f.get(r)
			dst = appendQuoted(dst, value)
		}
		dst = append(dst, ',')
	}
	dst[len(dst)-1] = '\n'
	return dst
}

// appendQuoted appends a value, in quotes if it needs them.
func appendQuoted(dst, value []byte) []byte {
	if !bytes.ContainsAny(value, "\",\r\n") {
		return append(dst, value...)
	}
	dst = append(dst, '"')
	for {
		i := bytes.IndexByte(value, '"')
		if i < 0 {
			return append(append(dst, value...), '"')
		}
		dst = append(append(dst, value[:i]...), `""`...)
		value = value[i+1:]
	}
}

// jsonl is JSON Lines: an object per record, without the members that are absent.
type jsonl struct{}

func (jsonl) header(dst []byte, _ []field) []byte { return dst }

func (jsonl) row(dst []byte, fields []field, r *record) []byte {
	dst = append(dst, '{')
	start := len(dst)
	for i := range fields {
		f := &fields[i]
		if f.kind == listKind {
			dst = appendKey(dst, start, f.label)
			dst = append(dst, '[')
			for i, item := range f.list(r) {
				if i > 0 {
					dst = append(dst, ',')
				}
				dst = appendText(dst, f, item)
			}
			dst = append(dst, ']')
			continue
		}
		value, present := f.get(r)
		switch {
		case !present:
		case f.kind == textKind:
			dst = appendText(appendKey(dst, start, f.label), f, value)
		default:
			dst = append(appendKey(dst, start, f.label), value...)
		}
	}
	return append(dst, '}', '\n')
}

// appendKey appends the key of a member of the object whose members begin at start.
func appendKey(dst []byte, start int, key string) []byte {
	if len(dst) > start {
		dst = append(dst, ',')
	}
	return append(appendString(dst, []byte(key)), ':')
}

// appendText appends a value of the field as a JSON string.
func appendText(dst []byte, f *field, value []byte) []byte {
	if f.safe {
		return append(append(append(dst, '"'), value...), '"')
	}
	return appendString(dst, value)
}

// appendString appends a JSON string. Bytes that are not UTF-8 become U+FFFD.
func appendString(dst, value []byte) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	done := 0
	for i := 0; i < len(value); {
		c := value[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		size := 1
		if c >= utf8.RuneSelf {
			var char rune
			if char, size = utf8.DecodeRune(value[i:]); char != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		dst = append(dst, value[done:i]...)
		switch {
		case c >= utf8.RuneSelf:
			dst = append(dst, "\uFFFD"...)
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		default:
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xF])
		}
		i += size
		done = i
	}
	return append(append(dst, value[done:]...), '"')
}

// A template is a line with fields in braces. Values are as in tsv.
type template struct {
	texts []string // before each field, and after the last one
}

func (t *template) header(dst []byte, _ []field) []byte { return dst }

func (t *template) row(dst []byte, fields []field, r *record) []byte {
	for i := range fields {
		dst = append(dst, t.texts[i]...)
		dst = appendValue(dst, &fields[i], r)
	}
	return append(append(dst, t.texts[len(fields)]...), '\n')
}

// parseTemplate returns the template and its fields.
func parseTemplate(text string) (*template, []field, error) {
	t := &template{}
	var fields []field
	var before strings.Builder
	for text != "" {
		switch {
		case strings.HasPrefix(text, "{{"), strings.HasPrefix(text, "}}"):
			before.WriteByte(text[0])
			text = text[2:]
		case text[0] == '}':
			return nil, nil, errors.New(`a "}" without "{" in --format; write "}}" for a brace`)
		case text[0] != '{':
			end := strings.IndexAny(text, "{}")
			if end < 0 {
				end = len(text)
			}
			before.WriteString(unescape(text[:end]))
			text = text[end:]
		default:
			name, rest, found := strings.Cut(text[1:], "}")
			if !found {
				return nil, nil, errors.New(`a "{" without "}" in --format; write "{{" for a brace`)
			}
			f, err := fieldOf(name)
			if err != nil {
				return nil, nil, fmt.Errorf("--format: %w", err)
			}
			fields = append(fields, f)
			t.texts = append(t.texts, before.String())
			before.Reset()
			text = rest
		}
	}
	t.texts = append(t.texts, before.String())
	return t, fields, nil
}

// unescape returns the text with \t, \n and \\ replaced by what they stand for.
func unescape(text string) string {
	return strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n").Replace(text)
}
