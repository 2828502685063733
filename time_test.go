package uri

import (
	"bytes"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/seed-56a50ac9/uri/internal/long"
)

// A family is inputs of one kind, of any length.
type family struct {
	name  string
	text  func(n int) []byte
	loose bool // exceeds the strict limits of TestLinearTime
}

// families are inputs that make functions slow: long runs of each byte that the grammar turns on, inputs that
// are read byte by byte, the same component or delimiter many times, and faults at any place.
var families = func() (all []family) {
	for _, f := range []struct{ name, head, unit, tail string }{
		{"@", "//", "@", ""},
		{":", "//", ":", ""},
		{"[", "//", "[", ""},
		{"%41", "a:", "%41", ""},
		{"../", "a/", "../", ""},
		{"?", "?", "?", ""},
		{"/", "/", "/", ""},
		{".", "", ".", ""},
		{"reg-name", "//", "a", ""},
		{"longest IPv6", "//u@[ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255]:", "8", ""},
		{";", "/", ";a", ""},
		{"scheme", "a", "a", ":"},
		{"no scheme", "1", "a", ":"},
		{"userinfo", "//", ":", "@h"},
		{"no userinfo", "//", ":", " "},
		{"IPvFuture", "//[vF.", ":", "]"},
		{"lower-case escapes", "http://h/", "%7e", ""},
		{"encoded dots", "http://h/", "%2E%2e/", ""},
		{"a/../", "http://h/", "a/../", ""},
		{"a/, then ../", "http://h/", "a/", "../../../../"},
		{"/ after /", "x:/", ".//", ""},
		{"upper case", "HTTP://", "H", ""},
		{"parameters", "http://h/?", "sig=x&", ""},
		{"encoded keys", "http://h/?", "%73%69%67&", ""},
	} {
		all = append(all, family{name: f.name, text: repeat(f.head, f.unit, f.unit, f.tail)})
	}
	for _, f := range []struct{ name, head, first, second, tail string }{
		// Heads.
		{"scheme in upper case", "A", "A", "A", ":/"},
		{"user", "//", "u", "u", ":p@h"},
		{"password", "//u:", "p", "p", "@h"},
		{"user and password", "//", "u", "p:", "@h"},
		{"encoded userinfo", "//", "%3a", "%7E", "@h"},
		{"encoded host", "http://", "%41", "%c3", ""},
		{"encoded digits", "//", "%30", "%31", ""},
		{"numbers", "//", "0", "1", ""},
		{"dotted numbers", "//", "1.", "1.", ""},
		{"hexadecimal number", "//0x", "f", "F", ""},
		{"port", "http://h:", "0", "8", ""},
		{"default port", "http://h:", "0", "0", "80"},

		// Paths.
		{"slashes", "http://h", "/", "/", ""},
		{"segments", "http://h/", "a/", "b/", ""},
		{"up", "http://h/", "../", "../", ""},
		{"here", "http://h/", "./", "./", ""},
		{"down, then up", "http://h/", "a/", "../", ""},
		{"down, then up, rootless", "x:", "a/", "../", ""},
		{"up, then down", "http://h/", "../", "a/", ""},
		{"a long segment, then up", "http://h/", "a", "/..", ""},
		{"a long segment, then short ones", "http://h/", "a", "/segment", ""},
		{"empty segments, then up", "x:/", "/", "/..", ""},
		{"a.a", "http://h/a", ".a", ".a", ""},
		{"...", "http://h/", "...", "/...", ""},
		{"colons in a path", "http://h/", ":", ":", ""},
		{"@ in a path", "http://h/", "@", "@", ""},
		{"encoded slashes", "http://h/", "%2f", "%5C", ""},
		{"relative", "", "a/b/", "../", ""},

		// Queries and fragments.
		{"&", "?", "&", "&", ""},
		{"=", "?", "=", "=", ""},
		{"the last key", "?", "a=b&", "c=d&", "sig=x"},
		{"the last key, encoded", "?", "%61=b&", "c=%64&", "%73ig=x"},
		{"k=v;", "?", "k=v;", "k=v;", ""},
		{"a long key", "?", "k", "k", "=v"},
		{"a long key, encoded", "?", "%6B", "%6b", "=v"},
		{"a long key, then many", "?", "k", "&k", ""},
		{"a long value, then many", "?k=", "v", "&k=v", ""},
		{"fragment", "#", "a", "?", ""},

		// What only a lenient scan lets through, and what none does.
		{"%", "/", "%", "%", ""},
		{"%4", "/", "%4", "%4", ""},
		{"%%41", "/", "%%41", "%4%31", ""},
		{"[ in a path", "/", "[", "]", ""},
		{"not ASCII", "/", "\xFF", "\xC3\xA4", ""},
		{"##", "#", "#", "#", ""},
		{"many authorities", " ", "//u@", "//u:p@h/", ""},
		{"many queries", " @", "?sig=x", "?sig=x;", ""},
		{"many parameters", " @", "&k=v", ";sig=x", ""},
		{"many fragments", " ", "#sig=x", "#k", ""},

		// What is no URI at all.
		{"letters", "", "a", "A", ""},
		{"digits", "", "8", "0", ""},
		{"escapes", "", "%41", "%c3", ""},
		{"spaces", "", " ", " ", ""},
		{"+", "", "+", "a+", ""},
	} {
		all = append(all, family{
			name:  f.name,
			text:  repeat(f.head, f.first, f.second, f.tail),
			loose: slices.Contains([]string{"a.a", "&", "the last key, encoded", "many fragments"}, f.name),
		})
	}
	const parts = 4
	for part := range parts + 1 {
		all = append(all, family{name: fmt.Sprintf("error at %d/%d", part, parts), text: func(n int) []byte {
			text := bytes.Repeat([]byte{'a'}, n)
			text[(n-1)*part/parts] = ' '
			return text
		}})
	}
	return all
}()

// repeat returns a function that makes an input of n bytes: the head, then first and second, half of the
// bytes each, then the tail. What is too short for one more is filled up with "a".
func repeat(head, first, second, tail string) func(n int) []byte {
	return func(n int) []byte {
		room := n - len(head) - len(tail)
		firsts := room / 2 / len(first)
		if first == second {
			firsts = 0
		}
		room -= firsts * len(first)
		return []byte(head + strings.Repeat(first, firsts) + strings.Repeat(second, room/len(second)) +
			strings.Repeat("a", room%len(second)) + tail)
	}
}

// TestLinearTime measures that no function takes more than linear time, whatever its input is.
//
// With URI_LONG it gives each operation inputs of each family from 1 KiB to 1 MiB, or to 16 MiB. Time per
// byte must not exceed a multiple of the time per byte of the bundled lines. Where time grows faster than
// length, so does its logarithm: the slope of the logarithms has a limit too. The strict limits, of the
// longest run, are 4 times and 1.05, for some operations and most families. The other limits hold on a
// machine that does other work too. The operations that scan run at all levels, the others at the best.
//
// An operation that writes is measured by its time beyond a copy of as many bytes: the more memory there is,
// the slower it is. The slope of a copy is 1.24 where this was written.
//
// The sample takes two lengths of each family, and only tells square time from linear.
func TestLinearTime(t *testing.T) {
	if long.Time(t) == long.Seconds {
		sampleLinearTime(t)
		return
	}
	longest, enough := long.Sample(t, 0, 1<<20, 1<<24), long.Sample(t, 0, 1, 3)
	lines := corpora(t)[0].lines
	total := float64(len(bytes.Join(lines, nil)))
	for i, level := range levels {
		for _, op := range operations() {
			if i < len(levels)-1 && !strings.HasPrefix(op.name, "Scan") {
				continue
			}
			var out []byte
			var v View // not one for each text, which would be allocated
			run := func(text []byte) (written int) {
				switch {
				case op.text != nil:
					out = op.text(out[:0], text)
				case v.Scan(Reference|Lenient, text) == nil:
					out = op.view(out[:0], &v)
				default:
					return 0
				}
				return len(out)
			}
			t.Run(level.name+"/"+op.name, func(t *testing.T) {
				level.use()
				typical := func() float64 {
					return fastest(func() {
						for _, line := range lines {
							run(line)
						}
					}) / total
				}
				worst, worstOf, steepest, steepestOf := 0.0, "", 0.0, ""
				for _, f := range families {
					most, mostSlope := 128.0, 1.3
					if op.strict && !f.loose {
						most, mostSlope = long.Sample(t, most, most, 4), long.Sample(t, mostSlope, mostSlope, 1.05)
					}
					var m timing
					for n := 1; n <= 20; n++ {
						m.take(f, run, longest, typical)
						if n >= enough && m.ratio() <= most && m.slope() <= mostSlope {
							break
						}
					}
					assert.LessOrEqual(t, m.ratio(), most, "time per byte of %q over that of a typical one", f.name)
					assert.LessOrEqual(t, m.slope(), mostSlope, "slope of %q", f.name)
					if m.ratio() > worst {
						worst, worstOf = m.ratio(), f.name
					}
					if m.slope() > steepest {
						steepest, steepestOf = m.slope(), f.name
					}
				}
				t.Logf("typical %.2f ns a byte; worst %.1f times that, of %q; steepest %.3f of %q",
					typical(), worst, worstOf, steepest, steepestOf)
			})
		}
	}
}

const (
	shortText = 1<<10 + 1
	longText  = 1<<16 + 1 // square time per byte is 64 times that of shortText

	mostGrowth = 6 // caches and allocations make long inputs up to 3 times as slow per byte
)

// sampleLinearTime requires that a byte of a long input does not take much longer than one of a short input.
func sampleLinearTime(t *testing.T) {
	if emulated() {
		t.Skip("runs where URI_LEVEL is not set: an emulator's time is not the processor's")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection takes as long as several attempts
	levels[len(levels)-1].use()
	var shorts, longs []input
	for _, f := range families {
		shorts = append(shorts, newInput(f.text(shortText)))
		longs = append(longs, newInput(f.text(longText)))
	}
	var out []byte
	for _, op := range operations() {
		t.Run(op.name, func(t *testing.T) {
			for i, f := range families {
				if op.view != nil && !(shorts[i].scans && longs[i].scans) {
					continue
				}
				const lengths = float64(longText) / shortText
				perByte := growth(mostGrowth*lengths,
					func() { out = op.run(out[:0], &shorts[i]) },
					func() { out = op.run(out[:0], &longs[i]) }) / lengths
				if !assert.LessOrEqual(t, perByte, float64(mostGrowth),
					"time per byte of %d bytes of %q over that of %d", longText, f.name, shortText) {
					return
				}
			}
		})
	}
}

// TestGrowth shows that growth finds square work, even a little of it: each block looks once for what is not
// there.
func TestGrowth(t *testing.T) {
	square := func(n int) func() {
		text := make([]byte, n)
		return func() {
			for i := 0; i < n; i += blockSize {
				used += bytes.IndexByte(text[i:], 'x')
			}
		}
	}
	const most = mostGrowth * longText / shortText
	assert.Greater(t, growth(most, square(shortText), square(longText)), float64(most))
}

// TestAppendLocal requires that no function takes longer the more bytes there are in dst already.
func TestAppendLocal(t *testing.T) {
	if emulated() {
		t.Skip("runs where URI_LEVEL is not set: an emulator's time is not the processor's")
	}
	const before, room = 1 << 20, 1 << 16
	inputs := someInputs()
	empty, full := make([]byte, 0, room), make([]byte, before, before+room)
	for _, op := range operations() {
		for i := range inputs {
			in := &inputs[i]
			longer := growth(mostGrowth, func() { op.run(empty, in) }, func() { op.run(full, in) })
			assert.LessOrEqual(t, longer, float64(mostGrowth),
				"%s of %.50q: time behind %d bytes over that behind none", op.name, in.text, before)
			assert.LessOrEqual(t, len(op.run(empty, in)), room)
		}
	}
}

// growth returns the time that large takes as a multiple of the time that small takes. Other work of the
// machine can only make a time longer, so growth takes the least of several times, until the result is at
// most enough, with a pause for the other work to end.
func growth(enough float64, small, large func()) float64 {
	const attempts, repeats = 10, 4
	smallest, largest := math.Inf(1), math.Inf(1)
	for range attempts {
		for range 2 {
			start := time.Now()
			for range repeats {
				small()
			}
			smallest = min(smallest, float64(time.Since(start))/repeats)
		}
		start := time.Now()
		large()
		largest = min(largest, float64(time.Since(start)))
		if largest <= enough*smallest {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return largest / smallest
}

// A timing is how long an operation takes for texts of a family, and a copy of what it writes, by the length
// of the text. What other work of the machine adds goes away with more measurements, which are made, as often
// as is reasonable, until the figures are good.
type timing struct {
	lengths, times, copies []float64 // the shortest times
	ratios                 []float64 // the time of a byte over that of a typical one, of each measurement
}

// take measures once more. The machine is faster at one time than at another, so typical, which measures the
// time of a typical byte, is asked right before and after.
//
// The lengths are one more than powers of two: a plain text of up to 1 KiB is read by a faster kernel at
// once, and to go from one line to another is not a slope.
func (m *timing) take(f family, run func([]byte) int, longest int, typical func() float64) {
	var out []byte
	before, perByte := typical(), 0.0
	for i, n := 0, 1<<10; n <= longest; i, n = i+1, n*4 {
		text := f.text(n + 1)
		if i == len(m.lengths) {
			m.lengths = append(m.lengths, float64(len(text)))
			m.times = append(m.times, math.Inf(1))
			m.copies = append(m.copies, math.Inf(1))
		}
		written := min(run(text), len(text))
		took := fastest(func() { run(text) })
		perByte = max(perByte, took/m.lengths[i])
		m.times[i] = min(m.times[i], took)
		m.copies[i] = min(m.copies[i], fastest(func() { out = append(out[:0], text[:written]...) }))
	}
	m.ratios = append(m.ratios, perByte/min(before, typical()))
}

// ratio returns the median of the ratios.
func (m *timing) ratio() float64 {
	slices.Sort(m.ratios)
	return m.ratios[len(m.ratios)/2]
}

// slope returns that of the line that fits best the logarithms of the times, less those of the copies, over
// those of the lengths.
func (m *timing) slope() float64 {
	var x, y, xx, xy float64 // means
	for i, n := range m.lengths {
		length, took := math.Log(n), math.Log(max(m.times[i]-m.copies[i], m.times[i]/10))
		x, y = x+length, y+took
		xx, xy = xx+length*length, xy+length*took
	}
	count := float64(len(m.lengths))
	return (count*xy - x*y) / (count*xx - x*x)
}

// fastest returns the shortest of some times that f takes, in nanoseconds.
func fastest(f func()) float64 {
	const enough = 20 * time.Microsecond // for the clock
	shortest := math.Inf(1)
	for sample, repeat := 0, 1; sample < 3; {
		start := time.Now()
		for range repeat {
			f()
		}
		took := time.Since(start)
		if took < enough {
			repeat *= 2
			continue
		}
		shortest = min(shortest, float64(took)/float64(repeat))
		sample++
	}
	return shortest
}
