//go:build unix

package main

import (
	"bytes"
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/sdf"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/transforms/stats"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/seed-56a50ac9/uri"
	"github.com/stretchr/testify/require"
)

func init() {
	register.DoFn4x1[context.Context, *sdf.LockRTracker, fileio.ReadableFile, func(string, int64), error](
		&countHostsNetURL{})
	register.Function2x0(hostOfLine)
	register.Function2x0(hostOfLineNetURL)
}

// countHostsNetURL is countHosts with net/url.
type countHostsNetURL struct{ countHosts }

func (fn *countHostsNetURL) ProcessElement(
	ctx context.Context, rt *sdf.LockRTracker, file fileio.ReadableFile, emit func(string, int64),
) error {
	hosts := map[string]int64{}
	err := fn.blocks(ctx, rt, file, func(block []byte) {
		for line := range bytes.Lines(block) {
			u, err := url.Parse(string(bytes.TrimRight(line, "\r\n")))
			if err == nil && u.Host != "" {
				hosts[u.Host]++
			}
		}
	})
	for host, n := range hosts {
		emit(host, n)
	}
	return err
}

// hostOfLine is for a pipeline with one element per line.
func hostOfLine(line string, emit func(string, int64)) {
	var v uri.StringView
	if v.Scan(uri.Reference, strings.TrimSuffix(line, "\r")) == nil && v.Has(uri.Host) {
		emit(v.Host(), 1)
	}
}

func hostOfLineNetURL(line string, emit func(string, int64)) {
	u, err := url.Parse(strings.TrimSuffix(line, "\r"))
	if err == nil && u.Host != "" {
		emit(u.Host, 1)
	}
}

// BenchmarkPipeline compares blocks with one element per line, and the library with net/url. It reads the
// file that the environment variable URI_INPUT names, or the lines of the demo.
func BenchmarkPipeline(b *testing.B) {
	text := demo()
	if name := os.Getenv("URI_INPUT"); name != "" {
		var err error
		text, err = os.ReadFile(name)
		require.NoError(b, err)
	}
	name := filepath.Join(b.TempDir(), "uris.txt")
	require.NoError(b, os.WriteFile(name, text, 0o600))
	lines := bytes.Count(text, []byte("\n"))

	blocks := func(fn any) func(beam.Scope) beam.PCollection {
		return func(s beam.Scope) beam.PCollection {
			files := fileio.ReadMatches(s, fileio.MatchFiles(s, name), fileio.ReadUncompressed())
			return beam.ParDo(s, fn, files)
		}
	}
	perLine := func(fn any) func(beam.Scope) beam.PCollection {
		return func(s beam.Scope) beam.PCollection {
			return beam.ParDo(s, fn, textio.Read(s, name, textio.ReadUncompressed()))
		}
	}
	config := countHosts{RangeSize: 64 << 20, BlockSize: 256 << 10}
	for _, c := range []struct {
		name  string
		hosts func(beam.Scope) beam.PCollection
	}{
		{"elements=ranges/parser=uri", blocks(&config)},
		{"elements=ranges/parser=neturl", blocks(&countHostsNetURL{config})},
		{"elements=lines/parser=uri", perLine(hostOfLine)},
		{"elements=lines/parser=neturl", perLine(hostOfLineNetURL)},
	} {
		b.Run(c.name, func(b *testing.B) {
			before := cpu()
			for b.Loop() {
				p, s := beam.NewPipelineWithRoot()
				counts := stats.SumPerKey(s, c.hosts(s))
				textio.Write(s, filepath.Join(b.TempDir(), "counts"), beam.ParDo(s, format, counts))
				require.NoError(b, beamx.Run(b.Context(), p))
			}
			perOp := (cpu() - before).Seconds() / float64(b.N)
			b.ReportMetric(perOp, "cpu-s/op")
			b.ReportMetric(float64(lines)/perOp/1e6, "Mlines/cpu-s")
		})
	}
	b.Run("no-beam/parser=uri", func(b *testing.B) {
		before := cpu()
		for b.Loop() {
			c := counts{hosts: map[string]*int64{}}
			c.add(text)
		}
		perOp := (cpu() - before).Seconds() / float64(b.N)
		b.ReportMetric(perOp, "cpu-s/op")
		b.ReportMetric(float64(lines)/perOp/1e6, "Mlines/cpu-s")
	})
}

// cpu returns the processor time that this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
