// Package neturl converts views of package uri to URLs of net/url, for libraries that take a
// [url.URL].
//
// It is a separate package so that package uri need not import net/url.
package neturl

import (
	"net/url"
	"strings"

	"github.com/seed-56a50ac9/uri"
)

// From returns the URL that net/url writes as exactly the bytes of v, so that what was checked is what is
// sent.
//
// If the last Scan failed, it returns a [uri.ScanError]. It fails with [uri.ErrForm] if net/url cannot write
// those bytes: net/url decodes the escapes of a host and of userinfo and encodes them in its own way, and it
// drops the "#" of an empty fragment.
func From[T uri.Text](v *uri.ViewOf[T]) (*url.URL, error) {
	if err := v.Err(); err != nil {
		return nil, err
	}
	u := &url.URL{
		Scheme:     string(v.Scheme()),
		Host:       string(v.HostPort()),
		RawQuery:   string(v.Query()),
		ForceQuery: v.Has(uri.Query) && len(v.Query()) == 0,
	}
	if v.Has(uri.Userinfo) {
		u.User = url.User(decoded(v.User()))
		if v.Has(uri.Password) {
			u.User = url.UserPassword(decoded(v.User()), decoded(v.Password()))
		}
	}
	path := string(v.Path())
	switch {
	case v.Has(uri.Scheme) && !v.Has(uri.Authority) && !strings.HasPrefix(path, "/"):
		u.Opaque = path
	default:
		u.Path, u.RawPath = decoded(v.Path()), path
		u.OmitHost = !v.Has(uri.Authority)
	}
	u.Fragment, u.RawFragment = decoded(v.Fragment()), string(v.Fragment())
	if u.String() != v.String() {
		return nil, uri.ErrForm
	}
	return u, nil
}

// decoded returns the percent-decoded component, in which escapes of a lenient scan may be broken.
func decoded[T uri.Text](component T) string {
	return string(uri.AppendDecodeLenient(nil, component))
}
