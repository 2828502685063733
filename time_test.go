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

// families are inputs that could make functions slow: long runs of each byte that has a role in the grammar,
// inputs that are read byte by byte, many repetitions of the same component or delimiter, and faults at any
// offset.
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

		// Accepted only by a lenient scan, or by none.
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

		// Not URIs at all.
		{"letters", "", "a", "A", ""},
		{"digits", "", "8", "0", ""},
		{"escapes", "", "%41", "%c3", ""},
		{"spaces", "", " ", " ", ""},
		{"+", "", "+", "a+", ""},

		// Running text.
		{"schemes", "", "http:", "x:", ""},
		{"schemes and slashes", "", "http://", "x://", ""},
		{"slashes after schemes", "", "http:///", "x://.", ""},
		{"URIs in brackets", "", "(http://h/)", "x://h)", ""},
		{"URIs and faults", "", "http://h/%", "x://h:x/", ""},
		{"authorities", "", "x://@[x:", "x://[v1.x:x:", ""},
		{"brackets", "x://h/", "(", ")", ""},
		{"punctuation", "x://h/", ".", "?!", ""},
		{"IRIs", "", "x://h/ä", "http://ä", ""},
		{"one IRI", "", "x://h/", "http://h/", "ä"},
	} {
		all = append(all, family{
			name: f.name,
			text: repeat(f.head, f.first, f.second, f.tail),
			loose: slices.Contains([]string{
				"a.a", "&", "parameters", "the last key, encoded", "many fragments",
			}, f.name),
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

// repeat returns a function that makes an input of n bytes: the head, then repetitions of first, then as many
// bytes of second, then the tail. Space that is too short for one more repetition is filled with "a".
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

// TestLinearTime measures that every function takes at most linear time, whatever its input.
//
// With URI_LONG, it runs each operation on inputs of each family from 1 KiB to 1 MiB or 16 MiB. The time per
// byte must not exceed a multiple of the time per byte of the bundled lines. If time grows faster than
// length, so does its logarithm, so the slope of the logarithms is limited too. In the longest runs, some
// operations and most families have strict limits: 4 times and 1.05. The other limits hold even on a busy
// machine. Operations that scan run at all levels, the others only at the best level.
//
// For an operation that writes, only the time beyond that of a copy of as many bytes counts, because larger
// memory is slower: on the machine where this was written, the slope of a copy is 1.24.
//
// The sample uses two lengths of each family, and only distinguishes quadratic time from linear.
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
			var v View // shared by all inputs, because a new one would be allocated
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
				t.Logf("typical %.2f ns per byte; worst %.1f times that, of %q; steepest %.3f of %q",
					typical(), worst, worstOf, steepest, steepestOf)
			})
		}
	}
}

const (
	shortText = 1<<10 + 1
	longText  = 1<<16 + 1 // quadratic time per byte is 64 times that of shortText

	mostGrowth = 6 // caches and allocations make long inputs up to 3 times as slow per byte
)

// sampleLinearTime requires that a long input does not take much longer per byte than a short one.
func sampleLinearTime(t *testing.T) {
	if emulated() {
		t.Skip("runs if URI_LEVEL is not set: an emulator's time is not the processor's")
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
				most := float64(mostGrowth)
				if op.copies {
					most *= 4 // new memory is slow, and only long results need new pages
				}
				perByte := growth(most*lengths,
					func() { out = op.run(out[:0], &shorts[i]) },
					func() { out = op.run(out[:0], &longs[i]) }) / lengths
				if !assert.LessOrEqual(t, perByte, most,
					"time per byte of %d bytes of %q over that of %d", longText, f.name, shortText) {
					return
				}
			}
		})
	}
}

// TestGrowth shows that growth detects quadratic work, even if there is little: each KiB reads the rest once.
func TestGrowth(t *testing.T) {
	square := func(n int) func() {
		text := make([]byte, n)
		return func() {
			for i := 0; i < n; i += 16 * blockSize {
				for _, b := range text[i:] {
					used += int(b)
				}
			}
		}
	}
	const most = mostGrowth * longText / shortText
	assert.Greater(t, growth(most, square(shortText), square(longText)), float64(most))
}

// TestAppendLocal requires that no function takes longer if dst already contains many bytes.
func TestAppendLocal(t *testing.T) {
	if emulated() {
		t.Skip("runs if URI_LEVEL is not set: an emulator's time is not the processor's")
	}
	const before, room = 1 << 20, 1 << 16
	inputs := someInputs()
	empty, full := make([]byte, 0, room), make([]byte, before, before+room)
	for _, op := range operations() {
		for i := range inputs {
			in := &inputs[i]
			longer := growth(mostGrowth, func() { op.run(empty, in) }, func() { op.run(full, in) })
			assert.LessOrEqual(t, longer, float64(mostGrowth),
				"%s of %.50q: time after %d bytes over that after none", op.name, in.text, before)
			assert.LessOrEqual(t, len(op.run(empty, in)), room)
		}
	}
}

// growth returns the time of large as a multiple of the time of small. Other work on the machine can only
// make a time longer, so growth takes the shortest of several times, until the result is at most enough. It
// pauses between attempts, to let the other work end.
func growth(enough float64, small, large func()) float64 {
	const attempts, repeats = 30, 4
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

// A timing holds how long an operation takes for inputs of a family, and how long a copy of its output takes,
// by length of the input. More measurements reduce the effect of other work on the machine, so they are
// repeated until the figures are good, or until there are too many.
type timing struct {
	lengths, times, copies []float64 // the shortest times
	ratios                 []float64 // the time per byte over that of a typical byte, for each measurement
}

// take measures once more. The speed of the machine varies, so typical, which measures the time of a typical
// byte, is called just before and just after.
//
// The lengths are one more than powers of two: plain input of up to 1 KiB is read by a faster kernel, and the
// step from one kernel to another is not a slope.
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

// slope returns the slope of the line that best fits the logarithms of the times, minus those of the copies,
// over the logarithms of the lengths.
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

// fastest returns the shortest of several times that f takes, in nanoseconds.
func fastest(f func()) float64 {
	const enough = 20 * time.Microsecond // long enough for the clock to measure
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
