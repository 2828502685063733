package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-56a50ac9/uri"
)

// A record is a scanned line, from which fields are printed.
type record struct {
	view   uri.View
	number int // of the line in its file
}

// A field is a part of a record that can be printed.
type field struct {
	name string
	bare bool // a number or a boolean, which JSON does not quote

	// append appends the value and reports whether the record has one.
	append func(dst []byte, r *record) (_ []byte, present bool)
}

// allFields are the fields, in the order in which they are listed to users.
var allFields = []field{
	{name: "line", bare: true, append: func(dst []byte, r *record) ([]byte, bool) {
		return strconv.AppendInt(dst, int64(r.number), 10), true
	}},
	{name: "text", append: func(dst []byte, r *record) ([]byte, bool) {
		return append(dst, r.view.Text()...), true
	}},
	{name: "scheme", append: component(uri.Scheme)},
	{name: "authority", append: component(uri.Authority)},
	{name: "userinfo", append: component(uri.Userinfo)},
	{name: "user", append: component(uri.User)},
	{name: "password", append: component(uri.Password)},
	{name: "host", append: component(uri.Host)},
	{name: "hostkind", append: func(dst []byte, r *record) ([]byte, bool) {
		kind := r.view.HostKind()
		return append(dst, hostKinds[kind]...), kind != uri.NoHost
	}},
	{name: "port", append: component(uri.Port)},
	{name: "path", append: component(uri.Path)},
	{name: "query", append: component(uri.Query)},
	{name: "fragment", append: component(uri.Fragment)},
	{name: "relative", bare: true, append: func(dst []byte, r *record) ([]byte, bool) {
		return strconv.AppendBool(dst, r.view.IsRelative()), true
	}},
}

// component returns the append function of a field that is a component. Components are printed verbatim,
// still encoded.
func component(c uri.Component) func([]byte, *record) ([]byte, bool) {
	return func(dst []byte, r *record) ([]byte, bool) {
		start, end := r.view.Span(c)
		if start < 0 {
			return dst, false
		}
		return append(dst, r.view.Text()[start:end]...), true
	}
}

// hostKinds are the names of the kinds of hosts in RFC 3986 section 3.2.2.
var hostKinds = [...]string{
	uri.NoHost:    "",
	uri.RegName:   "reg-name",
	uri.IPv4:      "IPv4address",
	uri.IPv6:      "IPv6address",
	uri.IPvFuture: "IPvFuture",
}

// fieldNames returns the names of all fields, for messages.
func fieldNames() string {
	var names []string
	for _, f := range allFields {
		names = append(names, f.name)
	}
	return strings.Join(names, ", ")
}

// fieldsOf returns the named fields. It requires at least one name and no name twice, since the members of a
// JSON object have different names.
func fieldsOf(names []string) (fields []field, err error) {
	for i, name := range names {
		at := slices.IndexFunc(allFields, func(f field) bool { return f.name == name })
		switch {
		case at < 0:
			return nil, fmt.Errorf("unknown field %q; the fields are %s", name, fieldNames())
		case slices.Contains(names[:i], name):
			return nil, fmt.Errorf("field %q is given twice", name)
		}
		fields = append(fields, allFields[at])
	}
	if fields == nil {
		return nil, fmt.Errorf("no field given; the fields are %s", fieldNames())
	}
	return fields, nil
}

// A format appends a record as a line of output.
//
// No format quotes or escapes anything: valid input of any form is ASCII without control characters,
// quotation marks and backslashes.
type format func(dst []byte, fields []field, r *record) []byte

// appendTSV appends the values, separated by TABs. An absent value looks like an empty one.
func appendTSV(dst []byte, fields []field, r *record) []byte {
	for i := range fields {
		dst, _ = fields[i].append(dst, r)
		dst = append(dst, '\t')
	}
	dst[len(dst)-1] = '\n'
	return dst
}

// appendJSON appends a JSON object. It leaves absent values out.
func appendJSON(dst []byte, fields []field, r *record) []byte {
	dst = append(dst, '{')
	start := len(dst)
	for i := range fields {
		f := &fields[i]
		before := len(dst)
		if before > start {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(dst, f.name...)
		dst = append(dst, '"', ':')
		if !f.bare {
			dst = append(dst, '"')
		}
		var present bool
		if dst, present = f.append(dst, r); !present {
			dst = dst[:before]
		} else if !f.bare {
			dst = append(dst, '"')
		}
	}
	return append(dst, '}', '\n')
}
