package main

import (
	"regexp"
	"strings"
)

// The judge is the grammar of RFC 3986 Appendix A as a regular expression, with Appendix B for the
// components. It shares nothing with the scanner: if a peer and this library differ, it decides which one is
// right.
var uriReference = func() *regexp.Regexp {
	names := []string{ // each is defined by those before it
		"PCT", `%[0-9A-Fa-f]{2}`,
		"NAMECHAR", `[A-Za-z0-9._~!$&'()*+,;=-]`, // unreserved / sub-delims
		"PCHAR", `(?:NAMECHAR|[:@]|PCT)`,
		"OCTET", `(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])`,
		"H16", `[0-9A-Fa-f]{1,4}`,
		"LS32", `(?:H16:H16|OCTET(?:\.OCTET){3})`,
		"IPV6", `(?:(?:H16:){6}LS32` +
			`|::(?:H16:){5}LS32` +
			`|(?:H16)?::(?:H16:){4}LS32` +
			`|(?:(?:H16:){0,1}H16)?::(?:H16:){3}LS32` +
			`|(?:(?:H16:){0,2}H16)?::(?:H16:){2}LS32` +
			`|(?:(?:H16:){0,3}H16)?::H16:LS32` +
			`|(?:(?:H16:){0,4}H16)?::LS32` +
			`|(?:(?:H16:){0,5}H16)?::H16` +
			`|(?:(?:H16:){0,6}H16)?::)`,
		"HOST", `(?:\[(?:IPV6|[vV][0-9A-Fa-f]+\.(?:NAMECHAR|:)+)\]|(?:NAMECHAR|PCT)*)`,
		"AUTHORITY", `(?:(?:NAMECHAR|:|PCT)*@)?HOST(?::[0-9]*)?`,
		"ABEMPTY", `(?:/PCHAR*)*`,
		// FIRST is what the first segment may contain.
		"HIER", `(?://AUTHORITY ABEMPTY|/(?:PCHAR+ABEMPTY)?|FIRST+ABEMPTY|)`,
		"TAIL", `(?:\?(?:PCHAR|[/?])*)?(?:#(?:PCHAR|[/?])*)?`,
	}
	expression := `^(?:[A-Za-z][A-Za-z0-9+.-]*:HIER|RELATIVE)TAIL$`
	relative := strings.ReplaceAll(names[len(names)-3], "FIRST", `(?:NAMECHAR|@|PCT)`)
	expression = strings.ReplaceAll(expression, "RELATIVE", relative)
	for i := len(names) - 2; i >= 0; i -= 2 {
		expression = strings.ReplaceAll(expression, names[i], names[i+1])
		if names[i] == "HIER" {
			expression = strings.ReplaceAll(expression, "FIRST", "PCHAR")
		}
	}
	return regexp.MustCompile(strings.ReplaceAll(expression, " ", ""))
}()

var authorityParts = regexp.MustCompile(`^(?:(.*)@)?(\[.*\]|[^:]*)(?::(.*))?$`)

// judge returns the components of the text and reports whether it is a URI-reference.
func judge(text string) (c components, valid bool) {
	if !uriReference.MatchString(text) {
		return c, false
	}
	m := appendixB.FindStringSubmatch(text)
	a := authorityParts.FindStringSubmatch(m[4])
	return components{m[2], a[1], a[2], a[3], m[5], m[7], m[9]}, true
}
