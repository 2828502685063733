package uri

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/seed-56a50ac9/uri/internal/long"
)

// A family is texts of one kind, of any length.
type family struct {
	name string
	text func(n int) []byte
}

// families are texts that make scanners slow: long runs of what the grammar turns on, texts that are read byte by byte, and
// faults wherever they may be.
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
		all = append(all, family{f.name, func(n int) []byte {
			room := n - len(f.head) - len(f.tail)
			return []byte(f.head + strings.Repeat(f.unit, room/len(f.unit)+1)[:room] + f.tail)
		}})
	}
	const parts = 4
	for part := range parts + 1 {
		all = append(all, family{fmt.Sprintf("error at %d/%d", part, parts), func(n int) []byte {
			text := bytes.Repeat([]byte{'a'}, n)
			text[(n-1)*part/parts] = ' '
			return text
		}})
	}
	return all
}()

// linear are the operations that must take time linear in the length of the text. Those on a view do nothing where there is
// none.
var linear = func() (all []operation) {
	var out []byte
	base, err := Parse("http://h/a/b/")
	if err != nil {
		panic(err)
	}
	ref, err := Parse("../../../x")
	if err != nil {
		panic(err)
	}
	reads := func(name string, strict bool, run func(text []byte)) {
		all = append(all, operation{name, strict, func(text []byte) int {
			run(text)
			return 0
		}})
	}
	writes := func(name string, strict bool, run func(dst, text []byte) []byte) {
		all = append(all, operation{name, strict, func(text []byte) int {
			out = run(out[:0], text)
			return len(out)
		}})
	}
	var v View // not one for each text, which would be allocated
	onView := func(run func(v *View)) func([]byte) {
		return func(text []byte) {
			if v.Scan(Reference|Lenient, text) == nil {
				run(&v)
			}
		}
	}
	appendView := func(run func(dst []byte, v *View) []byte) func(dst, text []byte) []byte {
		return func(dst, text []byte) []byte {
			if v.Scan(Reference|Lenient, text) != nil {
				return dst
			}
			return run(dst, &v)
		}
	}

	reads("Scan", true, func(text []byte) {
		var v View
		if v.Scan(Reference, text) == nil {
			used++
		}
	})
	reads("ScanPrefix", true, func(text []byte) {
		var v View
		n, _ := v.ScanPrefix(Reference, text)
		used += n
	})
	reads("Scan lenient", true, onView(func(v *View) { used += len(v.Path()) }))
	reads("Traits", false, onView(func(v *View) { used += int(v.Traits()) }))
	reads("Equivalent, Hash", false, onView(func(v *View) {
		if Equivalent(v, v, SchemeBased) && v.Hash(1, SchemeBased) == 0 {
			used++
		}
	}))
	reads("Params", false, onView(func(v *View) {
		for p := range v.Params() {
			used += len(p.Key)
		}
	}))

	writes("AppendEncode", false, func(dst, text []byte) []byte { return AppendEncode(dst, text, Unreserved()) })
	writes("AppendDecode", false, func(dst, text []byte) []byte { return first(AppendDecode(dst, text)) })
	writes("AppendRemoveDotSegments", false, func(dst, text []byte) []byte { return AppendRemoveDotSegments(dst, text) })
	writes("AppendRedacted", true, func(dst, text []byte) []byte { return AppendRedacted(dst, text, nil) })
	writes("AppendNormalized", true, appendView(func(dst []byte, v *View) []byte {
		return v.AppendNormalized(dst, SchemeBased)
	}))
	writes("AppendResolved", true, appendView(func(dst []byte, v *View) []byte {
		return first(AppendResolved(dst, &base, v, 0))
	}))
	writes("AppendResolved, base", true, appendView(func(dst []byte, v *View) []byte {
		return first(AppendResolved(dst, v, &ref, 0))
	}))
	writes("AppendRelative", false, appendView(func(dst []byte, v *View) []byte {
		return first(AppendRelative(dst, &base, v))
	}))
	writes("AppendRelative, base", false, appendView(func(dst []byte, v *View) []byte {
		return first(AppendRelative(dst, v, v))
	}))
	return all
}()

// first leaves an error out, which is as good an outcome as any.
func first(dst []byte, _ error) []byte { return dst }

// An operation is something that is done with a text.
type operation struct {
	name   string
	strict bool                            // keeps the limits of the night
	run    func(text []byte) (written int) // returns how many bytes it wrote
}

// TestLinearTime gives each operation families of texts from 1 KiB to 16 MiB. A byte of the worst of them must not take more
// than 4 times as long as one of the bundled lines, and where the time grows faster than the text, so does the logarithm:
// its slope must not be more than 1.05. These are the limits at night for the operations that are strict; else the limits are
// such that they hold on a machine that does other work too. All levels scan, the best does the rest.
//
// The slope of what writes is that of the time beyond one for a copy of as many bytes: memory is slower the more there is of
// it. The slope of a copy is 1.24 where this was written.
func TestLinearTime(t *testing.T) {
	if long.Time(t) == long.Seconds {
		t.Skip("runs with URI_LONG=1")
	}
	longest, enough := long.Sample(t, 0, 1<<20, 1<<24), long.Sample(t, 0, 1, 3)
	lines := corpora(t)[0].lines
	total := float64(len(bytes.Join(lines, nil)))
	for i, level := range levels {
		for _, op := range linear {
			if i < len(levels)-1 && !strings.HasPrefix(op.name, "Scan") {
				continue
			}
			most, mostSlope := 32.0, 1.3
			if op.strict {
				most, mostSlope = long.Sample(t, most, most, 4), long.Sample(t, mostSlope, mostSlope, 1.05)
			}
			t.Run(level.name+"/"+op.name, func(t *testing.T) {
				level.use()
				typical := func() float64 {
					return fastest(func() {
						for _, line := range lines {
							op.run(line)
						}
					}) / total
				}
				worst, worstOf, steepest, steepestOf := 0.0, "", 0.0, ""
				for _, f := range families {
					var m timing
					for n := 1; n <= 20; n++ {
						m.take(f, op.run, longest, typical)
						if n >= enough && m.ratio() <= most && m.slope() <= mostSlope {
							break
						}
					}
					assert.LessOrEqual(t, m.ratio(), most, "time of a byte of %q over that of a typical one", f.name)
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

// A timing is how long an operation takes for texts of a family, and a copy of what it writes, by the length of the text. What
// other work of the machine adds goes away with more measurements, which are made, as often as is reasonable, until the
// figures are good.
type timing struct {
	lengths, times, copies []float64 // the shortest times
	ratios                 []float64 // the time of a byte over that of a typical one, of each measurement
}

// take measures once more. The machine is faster at one time than at another, so typical, which measures the time of a
// typical byte, is asked right before and after.
//
// The lengths are one more than powers of two: a plain text of up to 1 KiB is read by a faster kernel at once, and to go from
// one line to another is not a slope.
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

// slope returns that of the line that fits best the logarithms of the times, less those of the copies, over those of the
// lengths.
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
