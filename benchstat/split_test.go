package main

import (
	"errors"
	"net/url"
	"strings"

	fredbi "github.com/fredbi/uri"
	whatwg "github.com/nlnwa/whatwg-url/url"
	"github.com/valyala/fasthttp"

	"github.com/seed-56a50ac9/uri"
)

// components are scheme, userinfo, host, port, path, query and fragment. An absent component is empty here,
// since most peers do not distinguish the two.
type components [7]string

const (
	scheme = iota
	userinfo
	host
	port
	path
	query
	fragment
)

var componentNames = [...]string{"scheme", "userinfo", "host", "port", "path", "query", "fragment"}

var splitters = []struct {
	lib   string
	split func(text string) (components, error)
}{
	{"neturl", splitNetURL},
	{"fasthttp", splitFasthttp},
	{"fredbi", splitFredbi},
	{"whatwg", splitWhatwg},
	{"regexp", splitRegexp},
}

func splitURI(text string) (components, error) {
	v, err := uri.Parse(text)
	return components{v.Scheme(), v.Userinfo(), v.Host(), v.Port(), v.Path(), v.Query(), v.Fragment()}, err
}

func splitNetURL(text string) (c components, err error) {
	u, err := url.Parse(text)
	if err != nil {
		return c, err
	}
	name := strings.TrimSuffix(u.Host, ":"+u.Port())
	return components{
		u.Scheme, u.User.String(), name, u.Port(), u.Opaque + u.EscapedPath(), u.RawQuery, u.EscapedFragment(),
	}, nil
}

func splitFasthttp(text string) (c components, err error) {
	u := new(fasthttp.URI)
	if err := u.Parse(nil, []byte(text)); err != nil {
		return c, err
	}
	userinfo := string(u.Username())
	if len(u.Password()) > 0 {
		userinfo += ":" + string(u.Password())
	}
	name, number := string(u.Host()), ""
	if i := strings.LastIndexByte(name, ':'); i >= 0 && !strings.HasSuffix(name, "]") {
		name, number = name[:i], name[i+1:]
	}
	return components{
		string(u.Scheme()), userinfo, name, number,
		string(u.PathOriginal()), string(u.QueryString()), string(u.Hash()),
	}, nil
}

func splitFredbi(text string) (c components, err error) {
	u, err := fredbi.ParseReference(text)
	if err != nil {
		return c, err
	}
	rest, _ := strings.CutSuffix(u.String(), "#"+u.Fragment())
	_, query, _ := strings.Cut(rest, "?") // Query is a map
	a := u.Authority()
	return components{u.Scheme(), a.UserInfo(), a.Host(), a.Port(), a.Path(), query, u.Fragment()}, nil
}

func splitWhatwg(text string) (c components, err error) {
	u, err := whatwg.Parse(text)
	if err != nil {
		return c, err
	}
	userinfo := u.Username()
	if u.Password() != "" {
		userinfo += ":" + u.Password()
	}
	return components{u.Scheme(), userinfo, u.Hostname(), u.Port(), u.Pathname(), u.Query(), u.Fragment()}, nil
}

func splitRegexp(text string) (c components, err error) {
	m := appendixB.FindStringSubmatch(text)
	if m == nil {
		return c, errors.New("no match")
	}
	return components{scheme: m[2], host: m[4], path: m[5], query: m[7], fragment: m[9]}, nil
}
