package uri

import (
	"net/netip"
	"strconv"
	"strings"
)

// A Builder is the elements of a URI, and writes them. An element that is empty is not written unless its
// flag is set: RFC 3986 section 5.3 tells what is undefined from what is empty. The zero value is the empty
// reference.
//
//	b := uri.Builder{Scheme: uri.Data("https"), Host: uri.Data("example.com"), Query: uri.Data("q=ä b")}
//	dst, err := b.Append(dst[:0]) // https://example.com?q=%C3%A4%20b
//
// A reference without a scheme is relative. The authority is written where there is a host or HasAuthority is
// set; if it is not, userinfo and port are not either. What is written always scans back to the elements that
// were given; what cannot be written so is an [Error].
type Builder struct {
	Scheme   Part       // what stands before the first ":"
	Userinfo Part       // what stands before the "@" of the authority
	Host     Part       // an IP-literal has its brackets
	Addr     netip.Addr // the host, if valid, in the place of Host
	Port     Part       // digits, or a Decimal
	Path     []Part     // segments, between which "/" is written; the path is absolute if the first is empty
	PathText Part       // a whole path, in the place of Path; "/" in it stands between segments
	Query    Part       // what stands after "?"
	Params   []Pair     // parameters, which are written after the Query, with "&" between them
	Fragment Part       // what stands after "#"

	HasAuthority bool // write the authority though the host is empty: "file:///etc/hosts"
	HasUserinfo  bool // write the "@" though the userinfo is empty
	HasPort      bool // write the ":" though the port is empty
	HasQuery     bool // write the "?" though the query is empty
	HasFragment  bool // write the "#" though the fragment is empty
}

// A Pair is a parameter of a query. Its parts that are [Data] cannot become another parameter, whatever they
// contain. Those that are [Raw] must not have "&", nor the key "=".
type Pair struct {
	Key, Value Part // what is written before and after the "="
	NoValue    bool // write the key only, without "="
}

// A Part is the text of an element: [Data], [Raw] or [Decimal]. The zero value is empty. It keeps the text
// that it was made of, not a copy.
type Part struct {
	text   string
	number uint16
	kind   partKind
}

type partKind uint8

const (
	data partKind = iota
	raw
	decimal
)

// Data is any bytes. Those that the element cannot have are written percent-encoded (RFC 3986 section 2.1),
// "%" among them; those that it can have, its sub-delimiters among them, as they are. A scheme and a port
// have no encoding and must be valid as they are; a host that is an IP-literal is written as it is.
func Data[T Text](s T) Part { return Part{text: text(s), kind: data} }

// Raw is text as it stands in a URI: it must be valid as it is and is written so, never encoded twice.
func Raw[T Text](s T) Part { return Part{text: text(s), kind: raw} }

// Decimal is a number, for a port.
func Decimal(n uint16) Part { return Part{number: n, kind: decimal} }

// empty tells whether nothing would be written for p.
func (p *Part) empty() bool { return p.text == "" && p.kind != decimal }

// Builder returns a Builder that writes what v views, byte for byte. Its parts are [Raw]: change what shall
// be another, and all else stays as it is.
func (v *ViewOf[T]) Builder() Builder {
	return Builder{
		Scheme:       Raw(v.Scheme()),
		Userinfo:     Raw(v.Userinfo()),
		Host:         Raw(v.Host()),
		Port:         Raw(v.Port()),
		PathText:     Raw(v.Path()),
		Query:        Raw(v.Query()),
		Fragment:     Raw(v.Fragment()),
		HasAuthority: v.Has(Authority),
		HasUserinfo:  v.Has(Userinfo),
		HasPort:      v.Has(Port),
		HasQuery:     v.Has(Query),
		HasFragment:  v.Has(Fragment),
	}
}

// IsRelative tells whether a relative reference would be written: one without a scheme.
func (b *Builder) IsRelative() bool { return b.Scheme.empty() }

// Append appends the URI to dst and returns the extended buffer. On failure it returns dst as it was and an
// [Error] that names the element. dst must not share memory with the parts. Append does not allocate if dst
// has room.
func (b *Builder) Append(dst []byte) ([]byte, error) {
	out, why := b.append(dst)
	if why = tooLong(why, len(out)-len(dst), MaxLen); why != 0 {
		return dst, why
	}
	return out, nil
}

// append writes the elements in the order of RFC 3986 section 5.3.
func (b *Builder) append(dst []byte) (_ []byte, why Error) {
	if !b.Scheme.empty() {
		if !isScheme(b.Scheme.text) { // a Decimal has no text
			return dst, ErrScheme
		}
		dst = append(append(dst, b.Scheme.text...), ':')
	}
	authority := b.HasAuthority || b.Addr.IsValid() || !b.Host.empty()
	if authority {
		if dst, why = b.appendAuthority(append(dst, "//"...)); why != 0 {
			return dst, why
		}
	}
	if dst, why = b.appendPath(dst, authority); why != 0 {
		return dst, why
	}
	if b.HasQuery || !b.Query.empty() || len(b.Params) > 0 {
		if dst, why = b.appendQuery(append(dst, '?')); why != 0 {
			return dst, why
		}
	}
	if b.HasFragment || !b.Fragment.empty() {
		dst, why = b.Fragment.append(append(dst, '#'), Fragment.Allowed(), ErrFragment)
	}
	return dst, why
}

// authority = [ userinfo "@" ] host [ ":" port ]                     RFC 3986 section 3.2
func (b *Builder) appendAuthority(dst []byte) (_ []byte, why Error) {
	if b.HasUserinfo || !b.Userinfo.empty() {
		if dst, why = b.Userinfo.append(dst, Userinfo.Allowed(), ErrUserinfo); why != 0 {
			return dst, why
		}
		dst = append(dst, '@')
	}
	switch {
	case b.Addr.IsValid():
		if !b.Host.empty() {
			return dst, ErrHost
		}
		var err error
		if dst, err = AppendAddr(dst, b.Addr); err != nil {
			return dst, ErrIPLiteral
		}
	case strings.HasPrefix(b.Host.text, "["):
		if end, ok := scanIPLiteral(b.Host.text, 0); ok && end == len(b.Host.text) {
			dst = append(dst, b.Host.text...)
			break
		}
		if b.Host.kind == raw {
			return dst, ErrIPLiteral
		}
		fallthrough
	default:
		if dst, why = b.Host.append(dst, Host.Allowed(), ErrHost); why != 0 {
			return dst, why
		}
	}
	if b.HasPort || !b.Port.empty() {
		dst = append(dst, ':')
		if b.Port.kind == decimal {
			return strconv.AppendUint(dst, uint64(b.Port.number), 10), 0
		}
		if digits(b.Port.text, 0) != len(b.Port.text) {
			return dst, ErrPort
		}
		dst = append(dst, b.Port.text...)
	}
	return dst, 0
}

// appendPath writes the path. Which one may stand here depends on what stands before it: with an authority it
// must be empty or begin with "/"; without one it must not begin with "//" (RFC 3986 section 3.3), and
// without a scheme its first segment has no ":" (section 4.2), which data has encoded.
func (b *Builder) appendPath(dst []byte, authority bool) (_ []byte, why Error) {
	start := len(dst)
	first := Pchar()
	if !authority && b.IsRelative() {
		first = first.Minus(Set{lo: colonLo}) // segment-nz-nc
	}
	if !b.PathText.empty() {
		if len(b.Path) != 0 {
			return dst, ErrPath
		}
		// The first segment by its own rule, then "/" and the rest.
		head, tail := b.PathText, b.PathText
		i := strings.IndexByte(head.text, '/')
		if i < 0 {
			i = len(head.text)
		}
		head.text, tail.text = head.text[:i], tail.text[i:]
		if dst, why = head.append(dst, first, ErrPath); why != 0 {
			return dst, why
		}
		if dst, why = tail.append(dst, Path.Allowed(), ErrPath); why != 0 {
			return dst, why
		}
	}
	for i := range b.Path {
		if i > 0 {
			dst = append(dst, '/')
			first = Pchar()
		}
		if dst, why = b.Path[i].append(dst, first, ErrPath); why != 0 {
			return dst, why
		}
	}
	if len(b.Path) == 1 && b.Path[0].empty() {
		dst = append(dst, '/') // one empty segment says that the path is absolute, and no more
	}
	switch path := dst[start:]; {
	case authority && len(path) > 0 && path[0] != '/':
		return dst, ErrPath
	case !authority && len(path) > 1 && path[0] == '/' && path[1] == '/':
		return dst, ErrPath
	}
	return dst, 0
}

// appendQuery writes the query.
func (b *Builder) appendQuery(dst []byte) (_ []byte, why Error) {
	if dst, why = b.Query.append(dst, Query.Allowed(), ErrQuery); why != 0 {
		return dst, why
	}
	for i := range b.Params {
		p := &b.Params[i]
		if i > 0 || !b.Query.empty() {
			dst = append(dst, '&')
		}
		if p.Key.kind == raw && strings.IndexByte(p.Key.text, '=') >= 0 {
			return dst, ErrQuery
		}
		if dst, why = p.Key.appendParam(dst); why != 0 {
			return dst, why
		}
		if p.NoValue {
			continue
		}
		if dst, why = p.Value.appendParam(append(dst, '=')); why != 0 {
			return dst, why
		}
	}
	return dst, 0
}

// appendParam writes p as a key or a value of a parameter.
func (p *Part) appendParam(dst []byte) ([]byte, Error) {
	switch {
	case p.kind == data: // "+" and ";" too, which servers take for a space and for "&"
		return appendEncoded(dst, p.text, Query.Allowed().Minus(NewSet("&=+;")), false), 0
	case strings.IndexByte(p.text, '&') >= 0:
		return dst, ErrQuery
	}
	return p.append(dst, Query.Allowed(), ErrQuery)
}

// append writes p as text of bytes in keep and of pct-encoded. Where it cannot, it returns the reason given,
// or ErrPercent.
func (p *Part) append(dst []byte, keep Set, why Error) ([]byte, Error) {
	switch p.kind {
	case decimal:
		return strconv.AppendUint(dst, uint64(p.number), 10), 0
	case data:
		return appendEncoded(dst, p.text, keep, false), 0
	}
	var m masks
	for base, n := 0, 0; base < len(p.text); base += n {
		block := blockAt(p.text, base)
		n = len(block)
		classify(block, &m)
		stop := m.outside(keep) &^ m.percent
		if f := tailFault(p.text, base, &m, stop); f.why == ErrPercent {
			return dst, ErrPercent
		} else if f.why != 0 {
			return dst, why
		}
	}
	return append(dst, p.text...), 0
}
