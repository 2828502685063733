package uriotel

import (
	"context"
	"math/bits"
	"slices"
	"strings"

	"github.com/seed-56a50ac9/uri"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pipeline"
	"go.opentelemetry.io/collector/processor"
)

// The attributes of an item are read once. Those that hold a URL, or a part of one, lose their secrets on the
// way, and one of them becomes the source. What is then set consists of parts of the source without its
// secrets: they share its memory.

// A worker is the configuration, compiled. It does not change, so any number of batches can use it at once.
type worker struct {
	uses    []use
	lengths uint64 // bit i is set if a use's name has i bytes; the last bit, if one is longer
	set     []part
	keep    bool
	full    bool // whether url.full is set

	targets bool // whether what begins with "/" is a request target
	lenient uri.Form
	keys    []string
	events  bool

	steps                         uri.Step
	normalized, traitList, reason string // names of attributes, or empty
	traitTexts                    []string

	metrics                 *telemetry
	record, span, spanEvent labels
}

// A use is what the worker does with an attribute.
type use struct {
	name   string
	rank   int    // its place in From, or notFrom
	redact bool   // whether it loses its secrets
	before string // what comes before its value in a URL
}

const notFrom = 1 << 30

func newWorker(c *Config, set processor.Settings) (*worker, error) {
	w := &worker{
		keep:       c.Existing == existingKeep,
		full:       slices.Contains(c.Set, attributeFull),
		targets:    c.Form == formRequestTarget,
		lenient:    uri.Lenient,
		keys:       slices.Clone(c.SecretKeys),
		events:     c.SpanEvents,
		steps:      uri.SyntaxBased | uri.EncodeIllegal,
		normalized: c.NormalizedAttribute,
		traitList:  c.TraitsAttribute,
		reason:     c.ErrorAttribute,
		record:     newLabels(set, pipeline.SignalLogs, "log_record"),
		span:       newLabels(set, pipeline.SignalTraces, "span"),
		spanEvent:  newLabels(set, pipeline.SignalTraces, "span_event"),
	}
	for i, name := range partNames {
		if slices.Contains(c.Set, name) {
			w.set = append(w.set, part(i))
		}
	}
	if c.Strict {
		w.lenient = 0
	}
	if c.Normalize == normalizeByScheme {
		w.steps |= uri.SchemeBased
	}
	for t := uri.Trait(1); ; t <<= 1 {
		text := t.String()
		if strings.HasPrefix(text, "0x") {
			break
		}
		w.traitTexts = append(w.traitTexts, text)
	}
	for i, name := range c.From {
		w.use(use{name: name, rank: i, redact: name != attributeOriginal || c.RedactOriginal})
	}
	w.use(use{name: attributeFull, rank: notFrom, redact: true})
	w.use(use{name: attributePath, rank: notFrom, redact: true})
	w.use(use{name: attributeQuery, rank: notFrom, redact: true, before: "?"})
	w.use(use{name: attributeFragment, rank: notFrom, redact: true, before: "#"})
	if c.RedactOriginal {
		w.use(use{name: attributeOriginal, rank: notFrom, redact: true})
	}
	var err error
	w.metrics, err = newTelemetry(set)
	return w, err
}

// use adds a use, unless the attribute has one.
func (w *worker) use(u use) {
	if w.find(u.name) == nil {
		w.uses = append(w.uses, u)
		w.lengths |= lengthBit(u.name)
	}
}

// find returns the use of the attribute, or nil.
func (w *worker) find(name string) *use {
	if w.lengths&lengthBit(name) == 0 {
		return nil // as for most attributes
	}
	for i := range w.uses {
		if w.uses[i].name == name {
			return &w.uses[i]
		}
	}
	return nil
}

func lengthBit(name string) uint64 { return 1 << min(len(name), 63) }

// logs processes a batch of log records.
func (w *worker) logs(ctx context.Context, logs plog.Logs) (plog.Logs, error) {
	p := pass{worker: w}
	var n counts
	for _, resource := range logs.ResourceLogs().All() {
		for _, scope := range resource.ScopeLogs().All() {
			for _, record := range scope.LogRecords().All() {
				p.process(record.Attributes(), &n)
			}
		}
	}
	w.metrics.add(ctx, &w.record, &n)
	return logs, nil
}

// traces processes a batch of spans.
func (w *worker) traces(ctx context.Context, traces ptrace.Traces) (ptrace.Traces, error) {
	p := pass{worker: w}
	var spans, events counts
	for _, resource := range traces.ResourceSpans().All() {
		for _, scope := range resource.ScopeSpans().All() {
			for _, span := range scope.Spans().All() {
				p.process(span.Attributes(), &spans)
				if !w.events {
					continue
				}
				for _, event := range span.Events().All() {
					p.process(event.Attributes(), &events)
				}
			}
		}
	}
	w.metrics.add(ctx, &w.span, &spans)
	if w.events {
		w.metrics.add(ctx, &w.spanEvent, &events)
	}
	return traces, nil
}

// A pass is the work on one batch.
type pass struct {
	*worker
	url     uri.StringView
	in, out []byte // buffers
}

// process processes the attributes of one item.
func (p *pass) process(m pcommon.Map, n *counts) {
	var (
		source   = use{rank: notFrom}
		raw      string // the value of the source
		clean    string // that without its secrets
		redacted bool
	)
	for name, value := range m.All() {
		u := p.find(name)
		if u == nil {
			continue
		}
		if value.Type() != pcommon.ValueTypeStr {
			n.notString++
			continue
		}
		before := value.Str()
		after := before
		if u.redact {
			if after = p.redact(u.before, before); after != before {
				value.SetStr(after)
				redacted = true
			}
		}
		if u.rank < source.rank && before != "" {
			source, raw, clean = *u, before, after
		}
	}
	if source.rank == notFrom {
		n.add(withoutURL, redacted)
		return
	}
	if !source.redact {
		clean = p.redact("", raw)
		redacted = redacted || clean != raw
	}

	traits, why := p.scan(raw, clean)
	if why != "" {
		n.add(invalid, redacted)
		if p.reason != "" {
			p.put(m, p.reason, why)
		}
		return
	}
	n.add(parsed, redacted)
	p.setParts(m)
	if p.full && p.url.Has(uri.Scheme) {
		p.put(m, attributeFull, clean)
	}
	if p.normalized != "" {
		p.put(m, p.normalized, p.normalize(clean))
	}
	if traits != 0 {
		p.putTraits(m, traits)
	}
}

// add counts an item.
func (n *counts) add(o outcome, redacted bool) {
	n.items[o]++
	if redacted {
		n.redacted++
	}
}

// noURL is the reason if what looks like a secret is not only in one component: "user:word@host" has a
// scheme.
const noURL = "no URL without its secrets"

// scan scans clean into p.url, and returns the traits of raw if they are asked for. If raw is invalid, or is
// no longer the same URL without its secrets, it returns why.
func (p *pass) scan(raw, clean string) (traits uri.Trait, why string) {
	if err := p.url.Scan(p.form(raw), raw); err != nil {
		return 0, strings.TrimPrefix(err.Error(), "uri: ")
	}
	if p.traitList != "" {
		traits = p.url.Traits()
	}
	if clean != raw {
		scheme := p.url.Scheme()
		if p.url.Scan(p.form(clean), clean) != nil || p.url.Scheme() != scheme {
			return 0, noURL
		}
	}
	return traits, ""
}

// form returns the form of s, which is not empty.
func (w *worker) form(s string) uri.Form {
	if w.targets && s[0] == '/' {
		return uri.OriginForm | w.lenient
	}
	return uri.Reference | w.lenient
}

// redact returns s without its secrets. Before it in a URL is what is given.
func (p *pass) redact(before, s string) string {
	if before == "" {
		p.out = uri.AppendRedacted(p.out[:0], s, p.keys)
	} else {
		p.in = append(append(p.in[:0], before...), s...)
		p.out = uri.AppendRedacted(p.out[:0], p.in, p.keys)
	}
	out := p.out
	if len(out) >= len(before) && string(out[:len(before)]) == before {
		out = out[len(before):]
	}
	if string(out) == s {
		return s
	}
	return string(out)
}

// normalize returns the URL, which has no secrets, in its normal form. If that is the URL itself, it does not
// allocate.
func (p *pass) normalize(clean string) string {
	p.in = p.url.AppendNormalized(p.in[:0], p.steps)
	p.out = uri.AppendRedacted(p.out[:0], p.in, p.keys) // "%" may have become "%25"
	if string(p.out) == clean {
		return clean
	}
	return string(p.out)
}

// setParts sets the attributes for the components that are present. Absent is not empty: "http://h/?" has an
// empty query, and "http://h/" has none.
func (p *pass) setParts(m pcommon.Map) {
	var parts [partCount]struct {
		part  part
		value string
	}
	n := 0
	for _, part := range p.set {
		if value, ok := p.part(part); ok {
			parts[n].part, parts[n].value = part, value
			n++
		}
	}
	m.EnsureCapacity(m.Len() + n)
	for i := range parts[:n] {
		if part := parts[i].part; part == portPart {
			if value, exists := m.GetOrPutEmpty(attributePort); !exists || !p.keep {
				port, _ := p.url.PortNumber()
				value.SetInt(int64(port))
			}
		} else {
			p.put(m, partNames[part], parts[i].value)
		}
	}
}

// part returns a part of the URL, and whether it has one.
func (p *pass) part(part part) (value string, ok bool) {
	switch part {
	case schemePart:
		return p.url.Scheme(), p.url.Has(uri.Scheme)
	case domainPart:
		return p.url.Host(), p.url.Has(uri.Host)
	case portPart:
		return p.url.Port(), p.url.PortKind() == uri.NumericPort
	case pathPart:
		return p.url.Path(), true
	case queryPart:
		return p.url.Query(), p.url.Has(uri.Query)
	case fragmentPart:
		return p.url.Fragment(), p.url.Has(uri.Fragment)
	default:
		value = p.extension()
		return value, value != ""
	}
}

// extension returns the file extension: "gz" for "/v1.2/a.tar.gz;v=3", none for "/v1.2/users", "/.profile",
// "mailto:a@example.com" and "/..%2Fa".
func (p *pass) extension() string {
	if !p.url.IsRelative() && !strings.HasPrefix(p.url.Path(), "/") {
		return "" // the path names no file
	}
	name, _, _ := strings.Cut(p.url.LastSegment(), ";") // without parameters
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && strings.IndexByte(name[dot:], '%') < 0 {
		return name[dot+1:]
	}
	return ""
}

// put sets an attribute, unless it exists and is to be kept.
func (p *pass) put(m pcommon.Map, name, s string) {
	if value, exists := m.GetOrPutEmpty(name); !exists || !p.keep {
		value.SetStr(s)
	}
}

// putTraits sets the attribute for the traits to the list of their names.
func (p *pass) putTraits(m pcommon.Map, traits uri.Trait) {
	value, exists := m.GetOrPutEmpty(p.traitList)
	if exists && p.keep {
		return
	}
	list := value.SetEmptySlice()
	list.EnsureCapacity(bits.OnesCount64(uint64(traits)))
	for ; traits != 0; traits &= traits - 1 {
		list.AppendEmpty().SetStr(p.traitTexts[bits.TrailingZeros64(uint64(traits))])
	}
}
