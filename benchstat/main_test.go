package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri"
)

// program runs the program and returns its exit status and its outputs.
func program(t *testing.T, args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(args, &out, &err)
	return status, out.String(), err.String()
}

// TestRun measures every library at every task, each for only a moment.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	file, chart := filepath.Join(dir, "x.txt"), filepath.Join(dir, "x.svg")
	status, out, message := program(t, "--only", "corpus=bundled", "--rounds", "2", "--time", "1us",
		"--corpora", "", "--out", file, "--chart", chart)
	require.Equal(t, exitOK, status, message)
	assert.Empty(t, message, "no progress bar without a terminal")

	r, err := readResults(file)
	require.NoError(t, err)
	for _, l := range libraries {
		for task := range l.works {
			f := r.cells[key{task, "bundled", l.name}]
			require.NotNil(t, f, "%s %s", task, l.name)
			assert.Len(t, f.ns, 2)
			assert.Positive(t, f.ns[0])
			if l.floor {
				assert.Zero(t, f.allocs[0], l.name)
			}
		}
	}
	for _, name := range []string{"goos", "goarch", "go", "date", "version-fasthttp", "corpus-bundled"} {
		assert.NotEmpty(t, r.config[name], name)
	}
	assert.Contains(t, out, "Parse: ")
	svg, err := os.ReadFile(chart)
	require.NoError(t, err)
	assert.Contains(t, string(svg), "copying a line")

	status, again, _ := program(t, "--from", file, "--chart", chart)
	assert.Equal(t, exitOK, status)
	assert.Equal(t, out, again)
}

func TestRunFailures(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing")
	empty := filepath.Join(dir, "empty.txt")
	require.NoError(t, os.WriteFile(empty, []byte("no results\n"), 0o644))
	for _, args := range [][]string{
		{"--nonsense"},
		{"argument"},
		{"--only", "("},
		{"--only", "nothing"},
		{"--rounds", "0"},
		{"--corpora", missing},
		{"--out", filepath.Join(missing, "x.txt"), "--only", "lib=copy"},
		{"--from", missing},
		{"--from", empty},
		{"--against", missing},
	} {
		all := append([]string{"--chart", os.DevNull, "--out", os.DevNull, "--rounds", "1"}, args...)
		status, _, message := program(t, all...)
		assert.Equal(t, exitFailure, status, args)
		assert.Regexp(t, "^benchstat: .+\n$", message, args)
	}
}

type samples map[string][]float64 // per library

// recordFile writes results of one corpus, with the times of each library, and returns the name of the file.
func recordFile(t *testing.T, corpus string, times samples) string {
	var b strings.Builder
	fmt.Fprintf(&b, "corpus-x: %s\n\n", corpus)
	for lib, all := range times {
		allocs := 0
		if lib == "whatwg" {
			allocs = 50
		}
		for _, ns := range all {
			fmt.Fprintf(&b, "BenchmarkParse/corpus=x/lib=%s 1 %v ns/uri 0 B/op %d allocs/op\n", lib, ns, allocs)
		}
	}
	file := filepath.Join(t.TempDir(), "x.txt")
	require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	return file
}

// times returns six times close to x.
func times(x float64) []float64 {
	return []float64{x, x * 1.01, x * 1.02, x * 0.99, x * 0.98, x * 1.005}
}

func TestAgainst(t *testing.T) {
	old := recordFile(t, "5 lines",
		samples{"uri": times(20), "neturl": times(300), "whatwg": times(5000), "copy": times(6)})
	for _, c := range []struct {
		what      string
		corpus    string
		times     samples
		threshold string
		status    int
		says      string
	}{
		{
			"same", "5 lines",
			samples{"uri": times(20), "neturl": times(300), "copy": times(6)},
			"5", exitOK, "~",
		},
		{
			"slower", "5 lines",
			samples{"uri": times(22), "neturl": times(300), "copy": times(6)},
			"5", exitRegression, "REGRESSION",
		},
		{
			"faster", "5 lines",
			samples{"uri": times(15), "neturl": times(300), "copy": times(6)},
			"5", exitOK, "-25.00%",
		},
		{
			"slower by less than the threshold", "5 lines",
			samples{"uri": times(22), "neturl": times(300), "copy": times(6)},
			"15", exitOK, "+10.00%",
		},
		{
			"everything is slower", "5 lines",
			samples{"uri": times(40), "neturl": times(600), "copy": times(12)},
			"5", exitOK, "drift 2.000",
		},
		{
			"a peer that allocates is slower", "5 lines",
			samples{"uri": times(20), "whatwg": times(9000), "copy": times(6)},
			"5", exitOK, "drift 1.000",
		},
		{
			"everything else is faster", "5 lines",
			samples{"uri": times(20), "neturl": times(150), "copy": times(3)},
			"5", exitRegression, "drift 0.500",
		},
		{
			"slower, but not significantly", "5 lines",
			samples{"uri": {10, 30, 15, 29, 19, 28}, "copy": times(6)},
			"5", exitOK, "~",
		},
		{
			"other lines", "6 lines",
			samples{"uri": times(40)},
			"5", exitOK, "not compared",
		},
	} {
		file := recordFile(t, c.corpus, c.times)
		status, out, message := program(t,
			"--from", file, "--chart", os.DevNull, "--against", old, "--threshold", c.threshold)
		assert.Equal(t, c.status, status, "%s: %s", c.what, message)
		assert.Contains(t, out, c.says, c.what)
	}
}

func TestTable(t *testing.T) {
	r, err := readResults(recordFile(t, "5 lines",
		samples{"uri": times(20), "neturl": times(300), "fasthttp": times(10), "copy": times(6)}))
	require.NoError(t, err)
	var out, md bytes.Buffer
	require.NoError(t, r.print(&out))
	r.markdown(&md)
	assert.Regexp(t, `(?m)^x +neturl +301 ± 2% +294 +15\.00 \[14\.\d\d, 15\.\d\d\] +p=0\.002 n=6 +0 +0$`,
		out.String())
	assert.Regexp(t, `(?m)^x +copy \(floor\) +6\.0 ± 2%`, out.String())
	assert.Contains(t, out.String(), "not first: fasthttp: no reason known")
	assert.NotContains(t, out.String(), "not first: copy")
	assert.Contains(t, md.String(), "| corpus | uri | neturl | fasthttp | copy |\n|---|---:|---:|---:|---:|\n"+
		"| x | **20.0** | 301 (15.0) | 10.0 (0.5) | 6.0 (0.3) |\n")
}

// TestChart parses the chart and measures its bars.
func TestChart(t *testing.T) {
	r, err := readResults(recordFile(t, "5 lines",
		samples{"uri": times(20), "neturl": times(300), "regexp": times(3000), "copy": times(6)}))
	require.NoError(t, err)
	p, ok := r.panel(tasks[0], "x")
	require.True(t, ok)
	require.Len(t, p.Bars, 3)
	assert.True(t, p.Bars[0].Ours)
	assert.InEpsilon(t, 15, p.Bars[1].Width/p.Bars[0].Width, 0.01, "the axis is linear and starts at zero")
	assert.InEpsilon(t, 20./6, p.Bars[0].Width/p.Floor.X, 0.01)
	assert.Zero(t, p.Ticks[0].X)
	assert.Equal(t, "0", p.Ticks[0].Time)
	assert.False(t, p.Bars[1].Cut)
	assert.True(t, p.Bars[2].Cut, "ten times as long as the next")
	_, ok = r.panel(tasks[1], "x")
	assert.False(t, ok, "not measured")

	svg, err := r.draw()
	require.NoError(t, err)
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	for {
		if _, err = decoder.Token(); err != nil {
			break
		}
	}
	assert.Equal(t, io.EOF, err)
	assert.Contains(t, string(svg), "prefers-color-scheme: dark")
}

func TestNiceStep(t *testing.T) {
	for longest, want := range map[float64]float64{
		1: 0.5, 3: 1, 6.2: 2, 14: 5, 99: 20, 100: 50, 951: 200, 4648: 2000,
	} {
		got := niceStep(longest)
		assert.InDelta(t, want, got, 1e-9, longest)
		assert.GreaterOrEqual(t, longest/got, 2., longest)
		assert.Less(t, longest/got, 6., longest)
	}
}

// TestGenerate requires that the generated lines are valid, include all the promised kinds, and are always
// the same.
func TestGenerate(t *testing.T) {
	lines := generate()
	assert.Equal(t, lines, generate())
	counts := map[string]int{}
	for _, line := range lines {
		v, err := uri.Parse(line)
		require.NoError(t, err, "%q", line)
		for what, is := range map[string]bool{
			"IPv6":          v.HostKind() == uri.IPv6,
			"IPv4":          v.HostKind() == uri.IPv4,
			"userinfo":      v.Has(uri.Userinfo),
			"port":          v.HasPort(),
			"escapes":       strings.Contains(string(v.Query()), "%"),
			"long query":    len(v.Query()) > 100,
			"deep path":     strings.Count(string(v.Path()), "/") > 7,
			"relative":      v.IsRelative(),
			"dot segments":  strings.HasPrefix(string(v.Path()), "../"),
			"no authority":  !v.IsRelative() && !v.Has(uri.Authority),
			"several lines": strings.ContainsAny(string(line), "\r\n"),
		} {
			if is {
				counts[what]++
			}
		}
	}
	for _, what := range []string{
		"IPv6", "IPv4", "userinfo", "port", "escapes", "long query", "deep path", "relative", "no authority",
	} {
		assert.GreaterOrEqual(t, counts[what], 800, what)
	}
	assert.Positive(t, counts["dot segments"])
	assert.Zero(t, counts["several lines"])
}

// TestTasks does each task with one line and requires that each library has done it. The result of a pass is
// the length of what the library found or wrote.
func TestTasks(t *testing.T) {
	const line = "http://h.example:81/a/../b%20c?k=v%26&l#f"
	for task, want := range map[string]map[string]string{
		"Parse": {
			"": "1", "regexp": "http://h.example:81/a/../b%20c", "copy": line, "indexbyte": "-",
			"sum": strings.Repeat("+", 3096), // the sum of its bytes
		},
		"Validate": {"": "1"},
		"Components": {
			"":         "http" + "u:p" + "h.example" + "81" + "/a/../b%20c" + "k=v%26&l" + "f",
			"neturl":   "http" + "u" + "p" + "h.example" + "81" + "/a/../b c" + "k=v%26&l" + "f",
			"fasthttp": "http" + "u" + "p" + "h.example:81" + "/a/../b%20c" + "k=v%26&l" + "f",
			"fredbi":   "http" + "u:p" + "h.example" + "81" + "/a/../b%20c" + "kl" + "f", // a map with two keys
			"whatwg":   "http" + "u" + "p" + "h.example" + "81" + "/b%20c" + "k=v%26&l" + "f",
		},
		"Params":    {"": "k" + "v&" + "l"},
		"Resolve":   {"": "http://h.example:81/b%20c?k=v%26&l#f"},
		"Normalize": {"": "http://h.example:81/b%20c?k=v%26&l#f"},
		"Build": {
			"":         "http://h.example:81/a/../b%20c?k=v%26&l",
			"fasthttp": "http://h.example:81/b%20c?k=v%26&l",
		},
		"Decode": {"": "http://h.example:81/a/../b c?k=v&&l#f"},
	} {
		given := line
		if task == "Components" { // elements have no userinfo
			given = strings.Replace(line, "//", "//u:p@", 1)
		}
		c := newCorpus("x", [][]byte{[]byte(given)})
		for _, l := range libraries {
			if work := l.works[task]; work != nil {
				text, ok := want[l.name]
				if !ok {
					text = want[""]
				}
				n := len(text)
				if text == "-" {
					n = -1
				}
				assert.Equal(t, n, work(c)(), "%s of %s, the length of %q", task, l.name, text)
			}
		}
	}
	for _, task := range tasks {
		assert.NotNil(t, libraries[0].works[task.name], "this library does %s", task.name)
	}
}
