package main

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// screenshots are the commands whose output README.md shows as images.
var screenshots = map[string]string{
	"top":     "uriscan top --log combined --uri referer -n 6 access.log",
	"check":   "uriscan check --log combined access.log",
	"stats":   "uriscan stats --log combined --uri referer access.log",
	"diagram": "uriscan diagram 'https://ada@example.com:8080/over/there?name=ferret#nose'",
}

// TestScreenshots requires that the images show what the commands print. This command makes them:
//
//	go test -run Screenshots -update
func TestScreenshots(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	for name, command := range screenshots {
		line := command + " --color always"
		if name == "top" {
			line += " --format table"
		}
		got := drawTerminal("$ " + command + "\n" + shell(t, line))
		file := filepath.Join("screenshots", name+".svg")
		if *update {
			require.NoError(t, os.MkdirAll("screenshots", 0o777))
			require.NoError(t, os.WriteFile(file, []byte(got), 0o666))
			continue
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, string(want), got, "go test -run Screenshots -update")
	}
}

// sgr is an escape sequence that sets colors, and the text that follows it.
var sgr = regexp.MustCompile("\x1b\\[([0-9;]*)m([^\x1b]*)")

// styles are the styles of the escape sequences that uriscan writes.
var styles = map[string]string{
	"0": "", "1": "font-weight:bold", "1;31": "font-weight:bold;fill:#ff7b72", "32": "fill:#7ee787",
	"36": "fill:#79c0ff",
}

// drawTerminal returns an image of a terminal with the text.
func drawTerminal(text string) string {
	const width, height, margin = 8.4, 19, 16 // of a character, of a line
	rows := strings.Split(strings.TrimRight(text, "\n"), "\n")
	columns := 80
	var b strings.Builder
	for i, row := range rows {
		columns = max(columns, len([]rune(sgr.ReplaceAllString(row, "$2"))))
		row = "\x1b[0m" + row
		fmt.Fprintf(&b, `<text x="%d" y="%d" xml:space="preserve">`, margin, margin+14+i*height)
		for _, part := range sgr.FindAllStringSubmatch(row, -1) {
			style, known := styles[part[1]]
			switch {
			case !known:
				panic("unknown style " + part[1])
			case part[2] == "":
			case style == "":
				b.WriteString(html.EscapeString(part[2]))
			default:
				fmt.Fprintf(&b, `<tspan style="%s">%s</tspan>`, style, html.EscapeString(part[2]))
			}
		}
		b.WriteString("</text>\n")
	}
	w, h := int(float64(columns)*width)+2*margin, len(rows)*height+2*margin
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d">
<rect width="100%%" height="100%%" rx="8" fill="#0d1117"/>
<g fill="#e6edf3" font-size="14" font-family="ui-monospace,Menlo,Consolas,DejaVu Sans Mono,monospace">
%s</g>
</svg>
`, w, h, b.String())
}
