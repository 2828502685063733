package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-56a50ac9/uri"
)

// A record is what there is to print of a line.
type record struct {
	view   uri.View
	number int // of the line in its file
}

// A field is a part of a record that can be asked for.
type field struct {
	name string
	bare bool // a number or a boolean: without quotes in JSON

	// append appends the value, or tells that the record has none.
	append func(dst []byte, r *record) (_ []byte, present bool)
}

// allFields are the fields in the order in which they are listed to users, and what each of them is.
var allFields = []field{
	{name: "line", bare: true, append: func(dst []byte, r *record) ([]byte, bool) {
		return strconv.AppendInt(dst, int64(r.number), 10), true
	}},
	{name: "text", append: func(dst []byte, r *record) ([]byte, bool) { return append(dst, r.view.Text()...), true }},
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

// component returns the append of a field that is a component, which is printed as it stands.
func component(c uri.Component) func([]byte, *record) ([]byte, bool) {
	return func(dst []byte, r *record) ([]byte, bool) {
		start, end := r.view.Span(c)
		if start < 0 {
			return dst, false
		}
		return append(dst, r.view.Text()[start:end]...), true
	}
}

// hostKinds are the names that RFC 3986 section 3.2.2 has for kinds of hosts.
var hostKinds = [...]string{
	uri.NoHost:    "",
	uri.RegName:   "reg-name",
	uri.IPv4:      "IPv4address",
	uri.IPv6:      "IPv6address",
	uri.IPvFuture: "IPvFuture",
}

// fieldNames returns the list of names for messages.
func fieldNames() string {
	var names []string
	for _, f := range allFields {
		names = append(names, f.name)
	}
	return strings.Join(names, ", ")
}

// fieldsOf returns the fields of these names. There must be one at least, and none twice: a JSON object has no two
// members of one name.
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

// A format appends a record's line of output.
//
// No format has to quote or to escape: a text of any form of package uri is ASCII without control characters, quotation
// marks and backslashes.
type format func(dst []byte, fields []field, r *record) []byte

// appendTSV appends the values with TABs between them. What is absent is as what is empty.
func appendTSV(dst []byte, fields []field, r *record) []byte {
	for i := range fields {
		dst, _ = fields[i].append(dst, r)
		dst = append(dst, '\t')
	}
	dst[len(dst)-1] = '\n'
	return dst
}

// appendJSON appends a JSON object. What is absent is left out.
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
