package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/long"
)

// memoryCases are inputs of every shape, whose size is to have no effect on memory.
var memoryCases = []struct {
	name, unit string
	size       int // in MiB
	args       string
}{
	{"lines", "https://user@example.com:8080/over/there?name=ferret#nose\nnot valid\n", 64, ""},
	{
		"JSON",
		"https://user@example.com:8080/over/there?name=ferret#nose\n",
		32,
		"--format=jsonl -f text,path,line,keys",
	},
	{"decoded", "https://user@example.com:8080/over/there?name=ferret#nose\n", 32, "--decode"},
	{
		"selected",
		"https://user@example.com:8080/over/there?name=ferret#nose\n",
		32,
		"-w host=*.com&&path~^/over&&port>1",
	},
	{"log", combinedLine("GET /\\x41 HTTP/1.1", "http://h/"), 32, "--log=combined"},
	{"JSON log", caddyLine, 16, "--log=caddy"},
	{"invalid lines", " http://h\n", 8, ""},
	{"invalid lines, shown", " http://h\n", 8, "check"},
	{"empty lines", "\n", 2, ""},
	{"empty lines, as JSON", "\n", 2, "--format=jsonl -f " + everyField},
	{"one line", strings.Repeat("x", 4093), 256, ""},
	{"lines that are too long", strings.Repeat("x", 1<<20+1) + "\n", 128, ""},
	{"lines as long as can be", strings.Repeat("x", 1<<20) + "\n", 64, ""},
	{"the same hosts", "https://user@example.com:8080/over/there?name=ferret#nose\n", 64, "top"},
	{"statistics", "https://user@example.com:8080/over/there?name=ferret#nose\n", 64, "stats"},
	{"the same URI", "https://user@example.com:8080/over/there?name=ferret#nose\n", 64, "unique"},
	{"table", "https://user@example.com:8080/over/there?name=ferret#nose\n", 4, "--format=table"},
	{"normalized", "HTTPS://user@example.com:8080/over/../there?name=ferret#nose\n", 64, "normalize"},
}

// TestConstantMemory requires that all allocations of a run are a few buffers, whatever the input.
func TestConstantMemory(t *testing.T) {
	shorter := long.Sample(t, 16, 1)
	for _, c := range memoryCases {
		if c.name == "table" || c.name == "invalid lines, shown" || c.name == "JSON log" {
			continue // these allocate for each line
		}
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			in := &stream{unit: c.unit, n: int64(c.size << 20 / shorter)}
			args := append(strings.Fields(c.args), "-j2")
			runtime.ReadMemStats(&before)
			require.Equal(t, exitOK, run(t.Context(), args, in, io.Discard, io.Discard))
			runtime.ReadMemStats(&after)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(24<<20), "bytes")
			assert.Less(t, after.Mallocs-before.Mallocs, uint64(20000))
		})
	}
}

// TestResident requires that the resident memory of a process stays below 64 MiB, with the longest inputs in
// the long tests: one of their lines has 2 GiB.
func TestResident(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("runs on Linux: it reads /proc")
	}
	size := long.Sample[int64](t, 4<<20, 256<<20, 4<<30)
	for _, c := range memoryCases {
		t.Run(c.name, func(t *testing.T) {
			if c.unit == "\n" || strings.HasPrefix(c.unit, " ") {
				size := size / 16
				checkResident(t, c.unit, size, strings.Fields(c.args)...)
				return
			}
			checkResident(t, c.unit, size, strings.Fields(c.args)...)
		})
	}
}

// checkResident runs a process on a stream, and asks for its peak before the stream ends.
func checkResident(t *testing.T, unit string, size int64, args ...string) {
	t.Helper()
	const most = 64 << 10 // KiB
	cmd := command(append(args, "-j4")...)
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = io.Copy(stdin, &stream{unit: unit, n: size})
	require.NoError(t, err)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	require.NoError(t, err)
	require.NoError(t, stdin.Close())
	cmd.Wait()
	_, peak, found := strings.Cut(string(status), "VmHWM:")
	require.True(t, found)
	var kilobytes int
	_, err = fmt.Sscan(peak, &kilobytes)
	require.NoError(t, err)
	assert.Less(t, kilobytes, most)
	assert.Greater(t, kilobytes, 1<<10)
}

// TestManyHosts requires that statistics of different hosts need bounded memory.
func TestManyHosts(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("runs on Linux: it reads /proc")
	}
	n := long.Sample(t, 100_000, 3_000_000)
	cmd := command("stats", "-q", "-j2")
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	out := bufio.NewWriterSize(stdin, 1<<20)
	for i := range n {
		fmt.Fprintf(out, "//host-with-a-long-name-%d.example.com/\n", i)
	}
	require.NoError(t, out.Flush())
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	require.NoError(t, err)
	stdin.Close()
	cmd.Wait()
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes int
	_, err = fmt.Sscan(peak, &kilobytes)
	require.NoError(t, err)
	assert.Less(t, kilobytes, 64<<10)
}

// TestCompressedMemory requires that a file that decompresses to much more needs little memory.
func TestCompressedMemory(t *testing.T) {
	size := long.Sample[int64](t, 32<<20, 1<<30)
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	require.NoError(t, err)
	_, err = io.Copy(w, &stream{unit: "x", n: size})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.Equal(t, exitOK, run(t.Context(), nil, &b, io.Discard, io.Discard))
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20), "bytes")
}

// TestManyFiles reads more files than may be open at the same time.
func TestManyFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no ulimit")
	}
	const n = 5000
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, []byte("/a\n"), 0o600))
	require.NoError(t, os.WriteFile(file+".gz", []byte(gzipped(t, "/b\n")), 0o600))
	args := []string{"-c", `ulimit -n 64; exec "$0" "$@"`, os.Args[0], "-f=path"}
	for range n / 2 {
		args = append(args, file, file+".gz")
	}
	cmd := command()
	cmd.Path, cmd.Args = "/bin/sh", append([]string{"sh"}, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Run(), stderr.String())
	assert.Equal(t, strings.Repeat("/a\n/b\n", n/2), stdout.String())
	assert.True(t, strings.HasPrefix(stderr.String(), "uriscan: 5000 lines, 5000 valid, 0 invalid"))
}
