// Package blocks does the work of the commands that read lines from a stream: a stream hands over a block of
// lines at a time, and a Job counts the values of a component in it, or adds components to each line.
package blocks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-56a50ac9/uri"
	"github.com/seed-56a50ac9/uri/internal/combined"
)

// A Job says what to do with each line of a block. It is for one goroutine at a time.
type Job struct {
	read       reader
	form       uri.Form
	steps      uri.Step
	components []uri.Component

	lines  uri.Lines
	log    combined.Line
	view   uri.View
	values [][]byte // of the components of the current line
	buffer []byte   // of the values, if they are percent-encoded; never nil
}

// MaxValue is the length of the longest value. A line with a longer one is invalid.
const MaxValue = 64 << 10

// What can be wrong with a line, besides what Scan reports.
var errTooLong = fmt.Errorf("a value is longer than %d bytes", MaxValue)

// A reader hands each line of the block, its number, and the view of its URI to take. The view is nil if the
// line has no URI.
type reader func(j *Job, block []byte, take taker)

type taker func(n int, line []byte, view *uri.View, err error)

// readers are what a line can be.
var readers = map[string]reader{
	"uri":      (*Job).readURIs,
	"target":   (*Job).readTargets,
	"referrer": (*Job).readReferrers,
}

// Names of what can be chosen, for messages and help.
var (
	LineNames      = strings.Join(slices.Sorted(maps.Keys(readers)), ", ")
	ComponentNames = strings.Join(componentNames(), ", ")
)

func componentNames() (names []string) {
	for c := uri.Scheme; c <= uri.Fragment; c++ {
		names = append(names, strings.ToLower(c.String()))
	}
	return names
}

// New returns a job. Each line is a URI reference ("uri"), or a line of a log in the combined format, of
// which the job uses the target of the request ("target") or the referrer ("referrer"). The components are
// given by their names, separated by commas. A lenient job accepts what browsers send, and percent-encodes
// it.
func New(lines, components string, lenient bool) (*Job, error) {
	read, ok := readers[lines]
	if !ok {
		return nil, fmt.Errorf("unknown kind of line %q; use one of %s", lines, LineNames)
	}
	j := &Job{read: read, form: uri.Reference, buffer: []byte{}}
	if lenient {
		j.form |= uri.Lenient
		j.steps = uri.EncodeIllegal
	}
	names := componentNames()
	for name := range strings.SplitSeq(components, ",") {
		c := uri.Component(slices.Index(names, name))
		if int(c) >= len(names) {
			return nil, fmt.Errorf("unknown component %q; use some of %s", name, ComponentNames)
		}
		if slices.Contains(j.components, c) {
			return nil, fmt.Errorf("component %q is given twice", name)
		}
		j.components = append(j.components, c)
	}
	j.values = make([][]byte, len(j.components))
	return j, nil
}

// An Invalid takes a line that is not valid, its number in the block, from 1, and the reason.
type Invalid func(n int, line []byte, reason error)

// Counts are what a job counted in one block or in many. The zero value is ready for use.
type Counts struct {
	Lines   int64             `json:"lines"`
	Without int64             `json:"without"` // lines that have no URI, or whose URI has no such component
	Invalid int64             `json:"invalid"` // lines whose URI is not valid
	Values  map[string]*int64 `json:"values"`  // how many lines have each value
}

// Count counts the values of the first component in the block.
func (j *Job) Count(c *Counts, block []byte, invalid Invalid) {
	j.each(block, func(n int, line []byte, err error) {
		c.Lines++
		switch value := j.values[0]; {
		case err != nil:
			c.Invalid++
			invalid(n, line, err)
		case value == nil:
			c.Without++
		default:
			c.add(value, 1)
		}
	})
}

// add counts a value n times. A pointer spares all but the first count the copy of the value.
func (c *Counts) add(value []byte, n int64) {
	if count := c.Values[string(value)]; count != nil {
		*count += n
		return
	}
	if c.Values == nil {
		c.Values = map[string]*int64{}
	}
	c.Values[string(value)] = &n
}

// Add adds other counts.
func (c *Counts) Add(d *Counts) {
	c.Lines += d.Lines
	c.Without += d.Without
	c.Invalid += d.Invalid
	for value, n := range d.Values {
		c.add([]byte(value), *n)
	}
}

// Records returns the counts as JSON objects of at most limit bytes. Decoded and added, they are the counts
// again. A limit below 2 * MaxValue may be too small.
func (c *Counts) Records(limit int) ([][]byte, error) {
	var record bytes.Buffer
	encoder := json.NewEncoder(&record)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(c); err != nil {
		return nil, err
	}
	if record.Len() <= limit {
		return [][]byte{bytes.TrimSuffix(record.Bytes(), []byte("\n"))}, nil
	}
	if len(c.Values) < 2 {
		return nil, fmt.Errorf("one value needs a record of %d bytes; the limit is %d", record.Len(), limit)
	}
	halves := [2]Counts{{Lines: c.Lines, Without: c.Without, Invalid: c.Invalid}, {}}
	for i, value := range slices.Sorted(maps.Keys(c.Values)) {
		halves[i%2].add([]byte(value), *c.Values[value])
	}
	first, err := halves[0].Records(limit)
	if err != nil {
		return nil, err
	}
	second, err := halves[1].Records(limit)
	return append(first, second...), err
}

// Top returns the n most frequent values, the most frequent first.
func (c *Counts) Top(n int) []string {
	values := slices.Sorted(maps.Keys(c.Values))
	slices.SortStableFunc(values, func(a, b string) int { return int(*c.Values[b] - *c.Values[a]) })
	return values[:min(n, len(values))]
}

// AppendComponents appends each valid line of the block to dst, after the components: component TAB component
// TAB line LF. A component that the line does not have is empty. The line is the last column, so it may
// contain TABs.
func (j *Job) AppendComponents(dst, block []byte, invalid Invalid) []byte {
	j.each(block, func(n int, line []byte, err error) {
		if err != nil {
			invalid(n, line, err)
			return
		}
		for _, value := range j.values {
			dst = append(append(dst, value...), '\t')
		}
		dst = append(append(dst, line...), '\n')
	})
	return dst
}

// each calls take for each line, with the values of its components in j.values. The value of a component that
// the line does not have is nil.
func (j *Job) each(block []byte, take Invalid) {
	j.read(j, block, func(n int, line []byte, view *uri.View, err error) {
		j.buffer = j.buffer[:0]
		for i, c := range j.components {
			j.values[i] = nil
			if view == nil || err != nil || !view.Has(c) {
				continue
			}
			j.values[i] = view.Component(c)
			if j.steps != 0 {
				start := len(j.buffer)
				j.buffer = view.AppendComponent(j.buffer, c, j.steps)
				j.values[i] = j.buffer[start:]
			}
			if len(j.values[i]) > MaxValue {
				err = errTooLong
			}
		}
		take(n, line, err)
	})
}

// readURIs reads lines that are URIs.
func (j *Job) readURIs(block []byte, take taker) {
	n := 0
	for view, err := range j.lines.Scan(j.form, block, true) {
		n++
		switch {
		case err != nil:
			err = view.Err()
		case len(j.lines.Text()) == 0:
			view = nil
		}
		take(n, j.lines.Text(), view, err)
	}
}

// readTargets reads the targets of requests in lines of the combined format.
func (j *Job) readTargets(block []byte, take taker) {
	j.readLog(block, take, func(line []byte) (uri.Form, []byte, error) {
		method, target, err := j.log.Request(line)
		return uri.RequestForm(method, target) | j.form&uri.Lenient, target, err
	})
}

// readReferrers reads the referrers in lines of the combined format.
func (j *Job) readReferrers(block []byte, take taker) {
	j.readLog(block, take, func(line []byte) (uri.Form, []byte, error) {
		referrer, err := j.log.Referrer(line)
		return j.form, referrer, err
	})
}

func (j *Job) readLog(block []byte, take taker, find func(line []byte) (uri.Form, []byte, error)) {
	for n := 1; len(block) > 0; n++ {
		var line []byte
		line, block, _ = bytes.Cut(block, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\r"))
		form, text, err := find(line)
		view := &j.view
		switch {
		case err != nil:
		case len(text) == 0:
			view = nil
		case view.Scan(form, text) != nil:
			err = view.Err()
		}
		take(n, line, view, err)
	}
}
