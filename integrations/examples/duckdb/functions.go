//go:build cgo

package main

import "github.com/seed-56a50ac9/uri"

// A function computes one row of a result. All arguments are VARCHAR.
type function struct {
	name string
	args int
	// eval appends the result to dst. It returns false for NULL.
	eval func(dst []byte, v *uri.View, text, key []byte) ([]byte, bool)
	// isBool means that the result is the second result of eval, a BOOLEAN.
	isBool bool
}

// form is what the functions take for a URI. With [uri.URI] they would require a scheme.
const form = uri.Reference

// functions are what [Register] registers. NULL in is NULL out.
var functions = []function{
	{name: "uri_scheme", args: 1, eval: component(uri.Scheme)},
	{name: "uri_host", args: 1, eval: component(uri.Host)},
	{name: "uri_path", args: 1, eval: component(uri.Path)},
	{name: "uri_param", args: 2, eval: param},
	{name: "uri_valid", args: 1, eval: valid, isBool: true},
	{name: "uri_redact", args: 1, eval: redact},
	{name: "uri_normalize", args: 1, eval: normalize},
}

// component returns a function for a component, verbatim. An absent component is NULL, an empty one is not.
func component(c uri.Component) func(dst []byte, v *uri.View, text, _ []byte) ([]byte, bool) {
	return func(dst []byte, v *uri.View, text, _ []byte) ([]byte, bool) {
		if v.Scan(form, text) != nil || !v.Has(c) {
			return dst, false
		}
		return append(dst, v.Component(c)...), true
	}
}

// param appends the value of the first parameter with the key, decoded as a form. "?a" has the value "".
func param(dst []byte, v *uri.View, text, key []byte) ([]byte, bool) {
	if v.Scan(form, text) != nil {
		return dst, false
	}
	p, ok := v.Param(string(key))
	if !ok {
		return dst, false
	}
	dst, err := uri.AppendFormDecode(dst, p.Value)
	return dst, err == nil
}

func valid(dst []byte, v *uri.View, text, _ []byte) ([]byte, bool) {
	return dst, v.Scan(form, text) == nil
}

// redact also takes what is invalid.
func redact(dst []byte, _ *uri.View, text, _ []byte) ([]byte, bool) {
	return uri.AppendRedacted(dst, text, nil), true
}

func normalize(dst []byte, v *uri.View, text, _ []byte) ([]byte, bool) {
	if v.Scan(form, text) != nil {
		return dst, false
	}
	return v.AppendNormalized(dst, uri.SchemeBased), true
}
