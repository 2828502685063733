package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"text/template"
)

// The chart has a panel per task. A panel has a bar per library and an axis of its own, which starts at zero.
const (
	columns    = 2
	panelWidth = 440
	labelWidth = 76 // left of the bars
	barsWidth  = 280
	rowHeight  = 20
	headHeight = 44 // of a panel: its title and the label of the floor
	footHeight = 34 // of a panel: its axis
	topHeight  = 62 // of the chart
)

type chart struct {
	Width, Height int
	Title, Source string
	Panels        []panel
}

type panel struct {
	X, Y, Height int // of its bars
	Title        string
	Bars         []bar
	Ticks        []tick
	Floor        *tick
}

type bar struct {
	Y           int
	Width       float64
	Label, Time string
	Ours        bool
	Cut         bool // longer than the axis: drawn with a gap
}

type tick struct {
	X    float64
	Time string
}

// draw returns a chart of the medians for the largest corpus.
func (r *results) draw() ([]byte, error) {
	corpus := r.largest()
	c := chart{
		Width: columns * panelWidth,
		Title: "Nanoseconds per URI, median, corpus " + corpus,
		Source: fmt.Sprintf("%s, %s, %s/%s, commit %s, %s", r.config["cpu"], r.config["go"],
			r.config["goos"], r.config["goarch"], r.config["commit"], r.config["date"]),
		Height: topHeight,
	}
	row, rowTop := 0, topHeight
	for _, t := range tasks {
		p, ok := r.panel(t, corpus)
		if !ok {
			continue
		}
		p.X, p.Y = row%columns*panelWidth+labelWidth, rowTop+headHeight
		c.Height = max(c.Height, p.Y+p.Height+footHeight)
		if row++; row%columns == 0 {
			rowTop = c.Height
		}
		c.Panels = append(c.Panels, p)
	}
	var out bytes.Buffer
	err := chartTemplate.Execute(&out, c)
	return out.Bytes(), err
}

// largest returns the name of the corpus with the most lines.
func (r *results) largest() (name string) {
	most := -1
	for _, corpus := range r.corpora() {
		var lines int
		fmt.Sscan(r.config["corpus-"+corpus], &lines)
		if lines > most {
			name, most = corpus, lines
		}
	}
	return name
}

// panel returns the panel of the task. It reports false if this library was not measured.
func (r *results) panel(t task, corpus string) (p panel, ok bool) {
	var times []float64
	for _, l := range libraries {
		if f := r.cells[key{t.name, corpus, l.name}]; f != nil && !l.floor {
			times = append(times, median(f.ns))
			ok = ok || l.name == ours
		}
	}
	if !ok {
		return p, false
	}
	longest := longestWhole(times)
	step := niceStep(longest)
	end := math.Ceil(longest/step) * step
	scale := barsWidth / end
	p.Title = t.title
	for _, l := range libraries {
		f := r.cells[key{t.name, corpus, l.name}]
		if f == nil || l.floor {
			continue
		}
		ns := median(f.ns)
		p.Bars = append(p.Bars, bar{
			len(p.Bars) * rowHeight, min(ns*scale, barsWidth), l.name, nanoseconds(ns), l.name == ours, ns > end,
		})
	}
	p.Height = len(p.Bars) * rowHeight
	for i := 0; float64(i)*step <= end; i++ {
		p.Ticks = append(p.Ticks, tick{float64(i) * step * scale, fmt.Sprint(float64(i) * step)})
	}
	if floor := r.cells[key{"Parse", corpus, "copy"}]; floor != nil {
		ns := median(floor.ns)
		p.Floor = &tick{ns * scale, nanoseconds(ns)}
	}
	return p, true
}

// longestWhole returns the longest time that an axis must reach. It leaves out each time that is more than
// four times the next shorter one, since the other bars would be too short to compare.
func longestWhole(times []float64) float64 {
	times = slices.Sorted(slices.Values(times))
	n := len(times)
	for n > 2 && times[n-1] > 4*times[n-2] {
		n--
	}
	return times[n-1]
}

// niceStep returns 1, 2 or 5 times a power of ten, such that 2 to 6 steps reach the longest time.
func niceStep(longest float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(longest/3)))
	for _, n := range []float64{5, 2} {
		if n*power*2 <= longest {
			return n * power
		}
	}
	return power
}

//go:embed chart.tmpl
var chartText string

var chartTemplate = template.Must(template.New("chart").Parse(chartText))
