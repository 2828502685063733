package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// A colorMode says when to print in color.
type colorMode uint8

const (
	colorAuto colorMode = iota // on a terminal, unless NO_COLOR is set
	colorAlways
	colorNever
)

// colorModes are the values of --color.
var colorModes = []option[colorMode]{{"auto", colorAuto}, {"always", colorAlways}, {"never", colorNever}}

// isTerminal reports whether the stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// A style prints in color, or plainly.
type style struct{ color bool }

// style returns the style for a stream.
func (a *app) style(stream io.Writer) style {
	switch a.color.value() {
	case colorAlways:
		return style{true}
	case colorNever:
		return style{false}
	}
	return style{isTerminal(stream) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

func (s style) sgr(code, text string) string {
	if !s.color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bold(text string) string  { return s.sgr("1", text) }
func (s style) red(text string) string   { return s.sgr("1;31", text) }
func (s style) green(text string) string { return s.sgr("32", text) }
func (s style) cyan(text string) string  { return s.sgr("36", text) }

// visible returns the value with control bytes, and bytes that are not UTF-8, as escapes, so that it cannot
// control a terminal.
func visible(value []byte) string {
	var text strings.Builder
	for i := 0; i < len(value); {
		char, size := utf8.DecodeRune(value[i:])
		switch {
		case char == utf8.RuneError && size == 1:
			fmt.Fprintf(&text, `\x%02X`, value[i])
		case char == '\t':
			text.WriteString(`\t`)
		case char < ' ' || char == 0x7F:
			fmt.Fprintf(&text, `\x%02X`, char)
		case !unicode.IsPrint(char):
			fmt.Fprintf(&text, `\u%04X`, char)
		default:
			text.WriteRune(char)
		}
		i += size
	}
	return text.String()
}
