package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-56a50ac9/uri"
)

// A field is something to print of a line. Its value is appended as it stands; JSON has it in quotes, unless it is bare.
type field struct {
	name   string
	bare   bool
	has    func(v *uri.View) bool
	append func(dst []byte, v *uri.View, number int) []byte
}

// text makes the field of a component.
func text(name string, c uri.Component) field {
	return field{
		name: name,
		has:  func(v *uri.View) bool { return v.Has(c) },
		append: func(dst []byte, v *uri.View, _ int) []byte {
			if i, j := v.Span(c); i >= 0 {
				dst = append(dst, v.Text()[i:j]...)
			}
			return dst
		},
	}
}

func always(*uri.View) bool { return true }

var hostKinds = [...]string{uri.NoHost: "", uri.RegName: "reg-name", uri.IPv4: "IPv4address", uri.IPv6: "IPv6address", uri.IPvFuture: "IPvFuture"}

var allFields = []field{
	{"line", true, always, func(dst []byte, _ *uri.View, number int) []byte { return strconv.AppendInt(dst, int64(number), 10) }},
	{"text", false, always, func(dst []byte, v *uri.View, _ int) []byte { return append(dst, v.Text()...) }},
	{"relative", true, always, func(dst []byte, v *uri.View, _ int) []byte { return strconv.AppendBool(dst, v.IsRelative()) }},
	text("scheme", uri.Scheme),
	text("authority", uri.Authority),
	text("userinfo", uri.Userinfo),
	text("user", uri.User),
	text("password", uri.Password),
	text("host", uri.Host),
	{"hostkind", false, func(v *uri.View) bool { return v.Has(uri.Host) }, func(dst []byte, v *uri.View, _ int) []byte {
		return append(dst, hostKinds[v.HostKind()]...)
	}},
	text("port", uri.Port),
	text("path", uri.Path),
	text("query", uri.Query),
	text("fragment", uri.Fragment),
}

func fieldNames() (names []string) {
	for _, f := range allFields {
		names = append(names, f.name)
	}
	return names
}

// fieldsOf returns the fields of these names.
func fieldsOf(names []string) (fields []field, err error) {
	for _, name := range names {
		i := slices.IndexFunc(allFields, func(f field) bool { return f.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no field %q: %s", name, strings.Join(fieldNames(), ", "))
		}
		fields = append(fields, allFields[i])
	}
	return fields, nil
}

// A format appends a line of output for a view.
type format func(dst []byte, fields []field, v *uri.View, number int) []byte

var formats = map[string]format{"tsv": appendTSV, "jsonl": appendJSON}

// appendTSV needs no quoting: a URI has neither tabs nor line ends.
func appendTSV(dst []byte, fields []field, v *uri.View, number int) []byte {
	for i, f := range fields {
		if i > 0 {
			dst = append(dst, '\t')
		}
		dst = f.append(dst, v, number)
	}
	return append(dst, '\n')
}

// appendJSON needs no escapes: a URI is ASCII without control characters, quotes and backslashes.
func appendJSON(dst []byte, fields []field, v *uri.View, number int) []byte {
	dst = append(dst, '{')
	start := len(dst)
	for _, f := range fields {
		if !f.has(v) {
			continue
		}
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), f.name...), '"', ':')
		if f.bare {
			dst = f.append(dst, v, number)
			continue
		}
		dst = append(f.append(append(dst, '"'), v, number), '"')
	}
	return append(dst, '}', '\n')
}
