// Command beam counts the hosts in files of URIs, one per line, with Apache Beam.
//
// It reads byte ranges of the files and counts each in a map, so that Beam handles a few elements per range
// instead of one per line.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/transforms/stats"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
)

var (
	input  = flag.String("input", "", "file or glob of URIs, one per line (default: a small demo file)")
	output = flag.String("output", "", "file of the counts (default: print the ten most frequent hosts)")
)

func init() {
	register.Function2x1(format)
}

// count writes how often each host occurs in the files that match the glob.
func count(ctx context.Context, glob, to string, fn *countHosts) (beam.PipelineResult, error) {
	p, s := beam.NewPipelineWithRoot()
	files := fileio.ReadMatches(s, fileio.MatchFiles(s, glob), fileio.ReadUncompressed())
	counts := stats.SumPerKey(s, beam.ParDo(s, fn, files))
	textio.Write(s, to, beam.ParDo(s, format, counts))
	return beamx.RunWithMetrics(ctx, p)
}

func format(host string, n int64) string { return strconv.FormatInt(n, 10) + "\t" + host }

func main() {
	flag.Parse()
	beam.Init() // does not return in a worker process
	log.SetupLogging("warn", "text")
	ctx := context.Background()
	if err := run(ctx); err != nil {
		log.Exit(ctx, err)
	}
}

func run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "beam")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	from, to := *input, *output
	if from == "" {
		from = filepath.Join(dir, "uris.txt")
		if err := os.WriteFile(from, demo(), 0o600); err != nil {
			return err
		}
	}
	if to == "" {
		to = filepath.Join(dir, "counts.txt")
	}

	result, err := count(ctx, from, to, &countHosts{RangeSize: 64 << 20, BlockSize: 256 << 10})
	if err != nil {
		return err
	}
	counters := result.Metrics().AllMetrics().Counters()
	slices.SortFunc(counters, func(a, b metrics.CounterResult) int {
		return strings.Compare(a.Name(), b.Name())
	})
	for _, c := range counters {
		fmt.Printf("%d\t%s\n", c.Result(), c.Name())
	}
	if *output == "" {
		return printTop(to, 10)
	}
	return nil
}

// demo returns 100,000 lines.
func demo() (lines []byte) {
	for i := range 100_000 {
		switch {
		case i%1000 == 0:
			lines = append(lines, "http://example.com/%zz\n"...) // invalid
		case i%10 == 0:
			lines = append(lines, "/only/a/path?q=1\n"...)
		default:
			lines = fmt.Appendf(lines, "https://h%d.example.com/p/%d\n", i%9*(i%7), i)
		}
	}
	return lines
}

// printTop prints the n lines of the file that begin with the greatest numbers.
func printTop(name string, n int) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	number := func(line string) int {
		n, _ := strconv.Atoi(line[:strings.IndexByte(line, '\t')])
		return n
	}
	lines := slices.Collect(strings.Lines(string(text)))
	slices.SortFunc(lines, func(a, b string) int {
		if d := number(b) - number(a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	fmt.Print(strings.Join(lines[:min(n, len(lines))], ""))
	return nil
}
