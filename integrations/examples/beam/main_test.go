package main

import (
	"bytes"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	beam.Init()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}

// A sample is a file and what is in it.
type sample struct {
	text           []byte
	hosts          map[string]int64
	lines, invalid int64
}

// randomSample makes lines of which it knows the hosts. The longest have the given length.
func randomSample(r *rand.Rand, lines, length int) *sample {
	s := &sample{hosts: map[string]int64{}}
	for range lines {
		padding := strings.Repeat("x", r.IntN(1+r.IntN(1+length)))
		switch r.IntN(6) {
		case 0: // an empty line
		case 1:
			s.text = append(s.text, "/path"+padding...)
		case 2:
			s.text = append(s.text, "http://h0/"+padding+"%zz"...)
			s.invalid++
		default:
			host := "h" + strconv.Itoa(r.IntN(5))
			s.text = append(s.text, "http://"+host+"/"+padding...)
			s.hosts[host]++
		}
		if r.IntN(3) == 0 {
			s.text = append(s.text, '\r')
		}
		s.text = append(s.text, '\n')
		s.lines++
	}
	if r.IntN(2) == 0 {
		s.text = append(s.text, "http://last/"...) // no newline
		s.hosts["last"]++
		s.lines++
	}
	return s
}

func (s *sample) write(t testing.TB) (name string) {
	name = filepath.Join(t.TempDir(), "uris.txt")
	require.NoError(t, os.WriteFile(name, s.text, 0o600))
	return name
}

// A splitter splits its range at random, whenever it is asked anything, as a runner may.
type splitter struct {
	*offsetrange.Tracker
	random    *rand.Rand
	residuals *[]offsetrange.Restriction
}

func (s *splitter) split() {
	if s.random.IntN(20) > 0 {
		return
	}
	_, residual, err := s.TrySplit(s.random.Float64())
	if err == nil && residual != nil {
		*s.residuals = append(*s.residuals, residual.(offsetrange.Restriction))
	}
}

func (s *splitter) TryClaim(position any) bool {
	s.split()
	defer s.split()
	return s.Tracker.TryClaim(position)
}

func (s *splitter) GetRestriction() any {
	defer s.split()
	return s.Tracker.GetRestriction()
}

// Each line is counted exactly once, however the file is split before and while it is read.
func TestSplits(t *testing.T) {
	const cases = 300
	splits := 0
	for seed := range uint64(cases) {
		r := rand.New(rand.NewPCG(seed, 0))
		want := randomSample(r, r.IntN(40), []int{10, 100, 1000, 100_000}[r.IntN(4)])
		file := fileio.ReadableFile{Metadata: fileio.FileMetadata{Path: want.write(t), Size: int64(len(want.text))}}
		fn := &countHosts{RangeSize: 1 + r.Int64N(1+file.Metadata.Size), BlockSize: 1 + r.Int64N(2000)}
		if r.IntN(2) == 0 {
			fn.RangeSize = min(fn.RangeSize, 1+r.Int64N(50)) // smaller than many lines
		}
		fn.RangeSize = max(fn.RangeSize, file.Metadata.Size/100)

		ranges := fn.SplitRestriction(file, fn.CreateInitialRestriction(file))
		r.Shuffle(len(ranges), func(i, j int) { ranges[i], ranges[j] = ranges[j], ranges[i] })
		initial := len(ranges)
		got := sample{hosts: map[string]int64{}}
		for len(ranges) > 0 {
			last := len(ranges) - 1
			tracker := fn.CreateTracker(ranges[last])
			ranges = ranges[:last]
			tracker.Rt = &splitter{tracker.Rt.(*offsetrange.Tracker), r, &ranges}
			c := counts{hosts: map[string]*int64{}}
			require.NoError(t, fn.blocks(t.Context(), tracker, file, c.add))
			require.True(t, tracker.IsDone(), "seed %d: %v", seed, tracker)
			require.NoError(t, tracker.GetError())
			for host, n := range c.hosts {
				got.hosts[host] += *n
			}
			got.lines += c.lines
			got.invalid += c.invalid
			splits++
		}
		splits -= initial
		require.Equal(t, want.hosts, got.hosts, "seed %d", seed)
		require.Equal(t, want.lines, got.lines, "seed %d", seed)
		require.Equal(t, want.invalid, got.invalid, "seed %d", seed)
	}
	t.Logf("%d ranges were split while they were read", splits)
	require.Greater(t, splits, cases)
}

// A reader that cannot seek, such as an object's, gives the same lines.
func TestReaderWithoutSeek(t *testing.T) {
	text := randomSample(rand.New(rand.NewPCG(0, 3)), 20, 30).text
	for start := range int64(len(text)) {
		for end := start; end <= int64(len(text)); end += 7 {
			a, err := linesFrom(bytes.NewReader(text), start)
			require.NoError(t, err)
			want, err := a.until(end)
			require.NoError(t, err)
			b, err := linesFrom(struct{ io.Reader }{bytes.NewReader(text)}, start)
			require.NoError(t, err)
			got, err := b.until(end)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))
		}
	}
}

func TestDemo(t *testing.T) {
	require.NoError(t, run(t.Context())) // prints the result
	*output = filepath.Join(t.TempDir(), "counts")
	t.Cleanup(func() { *output = "" })
	require.NoError(t, run(t.Context()))
	text, err := os.ReadFile(*output)
	require.NoError(t, err)
	require.Contains(t, string(text), "21428\th0.example.com\n")
}

// runPipeline returns what a run on Prism counts.
func runPipeline(t testing.TB, name string, fn *countHosts) (hosts, metrics map[string]int64) {
	to := filepath.Join(t.TempDir(), "counts")
	result, err := count(t.Context(), name, to, fn)
	require.NoError(t, err)
	hosts, metrics = map[string]int64{}, map[string]int64{}
	for _, c := range result.Metrics().AllMetrics().Counters() {
		metrics[c.Name()] += c.Result()
	}
	text, err := os.ReadFile(to)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		n, host, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		hosts[host], err = strconv.ParseInt(n, 10, 64)
		require.NoError(t, err)
	}
	return hosts, metrics
}

func TestPipeline(t *testing.T) {
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 1))
		want := randomSample(r, 300, 200)
		fn := &countHosts{RangeSize: 1 + r.Int64N(int64(len(want.text))/20), BlockSize: 1 + r.Int64N(2000)}
		hosts, metrics := runPipeline(t, want.write(t), fn)
		require.Equal(t, want.hosts, hosts)
		require.Equal(t, want.lines, metrics["lines"])
		require.Equal(t, want.invalid, metrics["invalid"])
	}
}

// Prism splits an element that makes no progress for 0.2 s. With blocks of one byte, a range takes long; the
// file grows until it takes long enough on this machine.
func TestPipelineSplits(t *testing.T) {
	ranges := int64(1)
	for lines := 200_000; ranges == 1; lines *= 2 {
		require.Less(t, lines, 10_000_000, "no range was split")
		want := randomSample(rand.New(rand.NewPCG(0, 2)), lines, 100)
		start := time.Now()
		hosts, metrics := runPipeline(t, want.write(t), &countHosts{RangeSize: 1 << 30, BlockSize: 1})
		ranges = metrics["ranges"]
		t.Logf("%d ranges of a file of %d bytes in %v", ranges, len(want.text), time.Since(start))
		require.Equal(t, want.hosts, hosts) // the other metrics are not exact if Prism asks for them meanwhile
	}
}
