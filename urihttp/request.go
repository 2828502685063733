package urihttp

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/seed-56a50ac9/uri"
)

// agrees reports whether u is the URL that net/http makes of the input of v, so that net/http will write that
// input again.
func agrees(u *url.URL, v *uri.StringView) bool {
	if v.Has(uri.Authority) && (u.Host != v.HostPort() || v.Has(uri.Scheme) && !v.SchemeIs(u.Scheme)) {
		return false
	}
	return u.Opaque == "" && u.User == nil && pathAgrees(u, v.Path()) &&
		u.RawQuery == v.Query() && u.ForceQuery == (v.Has(uri.Query) && v.Query() == "")
}

// pathAgrees reports whether u.EscapedPath returns the path, which is strictly valid.
func pathAgrees(u *url.URL, path string) bool {
	escapes := strings.IndexByte(path, '%') >= 0
	switch {
	case u.RawPath != "":
		return u.RawPath == path && uri.EqualDecoded(path, u.Path)
	case !escapes:
		return u.Path == path
	case everyEscapeNeeded(path):
		return uri.EqualDecoded(path, u.Path)
	}
	return u.EscapedPath() == path
}

// everyEscapeNeeded reports whether each escape of the path represents a byte that must be encoded
// in a path. If so, no other path decodes to the same bytes, apart from the case of escapes.
func everyEscapeNeeded(path string) bool {
	for {
		i := strings.IndexByte(path, '%')
		if i < 0 {
			return true
		}
		if b := escaped(path[i:]); isUnreserved(b) || strings.IndexByte("/!$&'()*+,;=:@", b) >= 0 {
			return false
		}
		path = path[i+len("%00"):]
	}
}

// withTarget returns a copy of r with the target.
func withTarget(r *http.Request, target string) *http.Request {
	var v uri.StringView
	v.Scan(uri.RequestForm(r.Method, target), target)
	u := *r.URL
	path, _ := uri.AppendDecode(nil, v.Path())
	u.Path, u.RawPath = string(path), ""
	if u.EscapedPath() != v.Path() {
		u.RawPath = v.Path()
	}
	u.RawQuery, u.ForceQuery = v.Query(), v.Has(uri.Query) && v.Query() == ""
	u.Opaque = ""

	changed := *r
	changed.URL, changed.RequestURI = &u, target
	return &changed
}
