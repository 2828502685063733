package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-56a50ac9/uri"
)

// A kind is what the values of a field are.
type kind uint8

const (
	textKind    kind = iota
	numberKind       // JSON does not quote it, and tables align it on the right
	booleanKind      // JSON does not quote it
	listKind         // of texts
)

// A field is a part of a record that can be printed, counted and compared.
type field struct {
	name  string
	label string // its name in the output
	kind  kind
	safe  bool // values contain nothing that tsv or jsonl escape
	part  bool // values are parts of the URI, which are safe after a strict scan
	form  bool // values are parts of the query as forms encode them, with "+" for a space
	fold  bool // comparisons ignore the case of letters

	component   uri.Component // verbatim, if isComponent
	isComponent bool

	// get returns the value and whether the record has one. It is valid until the next get of the record.
	get func(r *record) (value []byte, present bool)

	// list returns the values of a list, with the lifetime of get.
	list func(r *record) [][]byte
}

// plainFields are the fields that are a single word, in the order in which they are listed to users.
var plainFields = []field{
	{name: "file", get: func(r *record) ([]byte, bool) {
		r.scratch = append(r.scratch[:0], r.source.name...)
		return r.scratch, true
	}},
	{
		name: "line",
		kind: numberKind,
		safe: true,
		get:  func(r *record) ([]byte, bool) { return r.number(r.line) },
	},
	{name: "text", part: true, get: func(r *record) ([]byte, bool) { return r.text, true }},
	{
		name: "length",
		kind: numberKind,
		safe: true,
		get:  func(r *record) ([]byte, bool) { return r.number(len(r.text)) },
	},
	{name: "validity", safe: true, get: func(r *record) ([]byte, bool) {
		r.scratch = append(r.scratch[:0], r.reason()...)
		return r.scratch, true
	}},
	componentField("scheme", uri.Scheme),
	componentField("authority", uri.Authority),
	componentField("userinfo", uri.Userinfo),
	componentField("user", uri.User),
	componentField("password", uri.Password),
	componentField("host", uri.Host),
	{name: "hostkind", safe: true, get: func(r *record) ([]byte, bool) {
		kind := r.view.HostKind()
		r.scratch = append(r.scratch[:0], hostKinds[kind]...)
		return r.scratch, kind != uri.NoHost
	}},
	componentField("port", uri.Port),
	{name: "effectiveport", kind: numberKind, safe: true, get: func(r *record) ([]byte, bool) {
		port, ok := r.view.EffectivePort()
		if !ok {
			return nil, false
		}
		return r.number(int(port))
	}},
	componentField("path", uri.Path),
	{name: "segments", kind: listKind, part: true, list: func(r *record) [][]byte {
		r.items = r.items[:0]
		for segment := range r.view.Segments() {
			r.items = append(r.items, segment)
		}
		return r.items
	}},
	{name: "filename", part: true, get: func(r *record) ([]byte, bool) {
		name := r.view.LastSegment()
		return name, len(name) > 0
	}},
	{name: "extension", part: true, get: func(r *record) ([]byte, bool) {
		extension := r.view.Extension()
		return extension, len(extension) > 0
	}},
	componentField("query", uri.Query),
	{name: "params", kind: listKind, part: true, form: true, list: wholeParams},
	{name: "keys", kind: listKind, part: true, form: true, list: keys},
	{name: "values", kind: listKind, part: true, form: true, list: values},
	componentField("fragment", uri.Fragment),
	{name: "relative", kind: booleanKind, safe: true, get: func(r *record) ([]byte, bool) {
		r.scratch = strconv.AppendBool(r.scratch[:0], r.view.IsRelative())
		return r.scratch, true
	}},
	{name: "traits", kind: listKind, safe: true, list: traits},
}

// number returns the text of a number.
func (r *record) number(n int) ([]byte, bool) {
	r.scratch = strconv.AppendInt(r.scratch[:0], int64(n), 10)
	return r.scratch, true
}

// componentField returns a field that is a component, verbatim, still encoded.
func componentField(name string, c uri.Component) field {
	fold := c == uri.Scheme || c == uri.Authority || c == uri.Host
	return field{
		name:        name,
		part:        true,
		fold:        fold,
		component:   c,
		isComponent: true,
		get: func(r *record) ([]byte, bool) {
			return r.view.Component(c), r.view.Has(c)
		},
	}
}

// traits returns the names of the traits.
func traits(r *record) [][]byte {
	r.items, r.scratch = r.items[:0], r.scratch[:0]
	for t, rest := uri.Trait(1), r.view.Traits(); rest != 0; t <<= 1 {
		if rest&t != 0 {
			start := len(r.scratch)
			r.scratch, _ = t.AppendText(r.scratch)
			r.items = append(r.items, r.scratch[start:])
			rest &^= t
		}
	}
	return r.items
}

// keys returns the keys of the parameters.
func keys(r *record) [][]byte {
	r.items = r.items[:0]
	for p := range r.view.Params() {
		r.items = append(r.items, p.Key)
	}
	return r.items
}

// values returns the values of the parameters that have one.
func values(r *record) [][]byte {
	r.items = r.items[:0]
	for p := range r.view.Params() {
		if p.HasValue {
			r.items = append(r.items, p.Value)
		}
	}
	return r.items
}

// wholeParams returns the parameters as they are in the query.
func wholeParams(r *record) [][]byte {
	r.items = r.items[:0]
	rest := r.view.Query()
	for p := range r.view.Params() {
		if len(r.items) > 0 {
			rest = rest[len("&"):]
		}
		size := len(p.Key) + len(p.Value)
		if p.HasValue {
			size += len("=")
		}
		r.items = append(r.items, rest[:size])
		rest = rest[size:]
	}
	return r.items
}

// hostKinds are the names of the kinds of hosts in RFC 3986 section 3.2.2.
var hostKinds = [...]string{
	uri.NoHost:    "",
	uri.RegName:   "reg-name",
	uri.IPv4:      "IPv4address",
	uri.IPv6:      "IPv6address",
	uri.IPvFuture: "IPvFuture",
}

// parametric are the fields that take a name or a number after a ".".
const parametric = "param.KEY, segment.N"

// decodedSuffix follows the name of a field whose escapes are to be decoded.
const decodedSuffix = ":decoded"

// fieldNames returns the names of all fields, for messages.
func fieldNames() string {
	var names []string
	for _, f := range plainFields {
		names = append(names, f.name)
	}
	return strings.Join(append(names, parametric), ", ")
}

// fieldOf returns the named field.
func fieldOf(name string) (f field, err error) {
	base, decoded := strings.CutSuffix(name, decodedSuffix)
	if at := slices.IndexFunc(plainFields, func(f field) bool { return f.name == base }); at >= 0 {
		f = plainFields[at]
	} else if f = parametricField(base); f.get == nil {
		return f, fmt.Errorf("unknown field %q; the fields are %s", name, fieldNames())
	}
	if decoded {
		f = f.decoded()
	}
	f.name, f.label = name, name
	return f, nil
}

// parametricField returns a field that takes a name or a number, or a field without get.
func parametricField(name string) (f field) {
	f.part = true
	if key, ok := strings.CutPrefix(name, "param."); ok && key != "" {
		f.form = true
		f.get = func(r *record) ([]byte, bool) {
			p, ok := r.view.Param(key)
			return p.Value, ok
		}
	}
	if number, ok := strings.CutPrefix(name, "segment."); ok {
		if n, err := strconv.Atoi(number); err == nil && n >= 0 {
			f.get = func(r *record) ([]byte, bool) { return r.view.Segment(n) }
		}
	}
	return f
}

// decoded returns the field with decoded values.
func (f field) decoded() field {
	if !f.part {
		return f // there is nothing to decode
	}
	decode := uri.AppendDecodeLenient[[]byte]
	if f.form {
		decode = appendFormDecode
	}
	f.part, f.isComponent = false, false
	if get := f.get; get != nil && f.kind == textKind {
		f.get = func(r *record) ([]byte, bool) {
			value, present := get(r)
			if !present {
				return nil, false
			}
			r.scratch = decode(r.scratch[:0], value)
			return r.scratch, true
		}
	}
	if list := f.list; list != nil {
		f.list = func(r *record) [][]byte {
			items := list(r)
			r.scratch = r.scratch[:0]
			for i, item := range items {
				start := len(r.scratch)
				r.scratch = decode(r.scratch, item)
				items[i] = r.scratch[start:]
			}
			return items
		}
	}
	return f
}

// appendFormDecode decodes what a form encoded, or at least the escapes if some are broken.
func appendFormDecode(dst, value []byte) []byte {
	decoded, err := uri.AppendFormDecode(dst, value)
	if err != nil {
		return uri.AppendDecodeLenient(dst, value)
	}
	return decoded
}

// fieldsOf returns the named fields. It requires at least one name and no name twice, since the members of a
// JSON object have different names.
func fieldsOf(names []string) (fields []field, err error) {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("field %q is given twice", name)
		}
		f, err := fieldOf(name)
		if err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	if fields == nil {
		return nil, fmt.Errorf("no field given; the fields are %s", fieldNames())
	}
	return fields, nil
}
