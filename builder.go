package uri

import (
	"net/netip"
	"strconv"
	"strings"
)

// A Builder holds the components of a URI and writes them. The zero value is the empty reference.
//
//	b := uri.Builder{Scheme: uri.Data("https"), Host: uri.Data("example.com"), Query: uri.Data("q=ä b")}
//	dst, err := b.Append(dst[:0]) // https://example.com?q=%C3%A4%20b
//
// An empty component is written only if its flag is set, because RFC 3986 section 5.3 distinguishes
// undefined from empty. A reference without a scheme is relative. The authority is written if there
// is a host or HasAuthority is set; otherwise userinfo and port are not written either. A path after an
// authority must be empty or absolute.
//
// What is written always scans back to the components given. If that is impossible, the result is an [Error].
type Builder struct {
	Scheme   Part       // what precedes the first ":"
	Userinfo Part       // what precedes the "@" of the authority
	Host     Part       // an IP-literal includes its brackets
	Addr     netip.Addr // if valid, the host instead of Host; setting both is an ErrHost
	Port     Part       // digits, or a Decimal
	Path     []Part     // segments, separated by "/" when written; the path is absolute if the first is empty
	PathText Part       // a whole path instead of Path, including each "/"; setting both is an ErrPath
	Query    Part       // what follows "?"
	Params   []Pair     // parameters, written after the Query and separated by "&"
	Fragment Part       // what follows "#"

	HasAuthority bool // write the authority even if the host is empty: "file:///etc/hosts"
	HasUserinfo  bool // write the "@" even if the userinfo is empty
	HasPort      bool // write the ":" even if the port is empty
	HasQuery     bool // write the "?" even if the query is empty
	HasFragment  bool // write the "#" even if the fragment is empty
}

// A Pair is a parameter of a query. In parts that are [Data], "&", "=", "+" and ";" are
// percent-encoded, so that they cannot turn into another parameter. Parts that are [Raw] must not
// contain "&", and a [Raw] key must not contain "=".
type Pair struct {
	Key, Value Part // written before and after the "="
	NoValue    bool // write only the key, without "="
}

// A Part is the content of a component: [Data], [Raw] or [Decimal]. The zero value is empty. A Part
// refers to the bytes that it was made from and does not copy them.
type Part struct {
	text   string
	number uint16
	kind   partKind
}

type partKind uint8

const (
	data partKind = iota
	decimal
	raw
	ofView // raw, and valid as a component: ofView+partKind(Host) is a host
)

// Data returns a Part for arbitrary bytes, which are encoded as needed.
//
// Bytes that the component does not allow, and "%", are written percent-encoded (RFC 3986
// section 2.1). Bytes that it allows, including its sub-delimiters, are written unchanged.
//
// A scheme and a port cannot be encoded, so they must be valid. A host that is a valid IP-literal is
// written unchanged.
func Data[T Text](s T) Part { return Part{text: text(s), kind: data} }

// Raw returns a Part for bytes that are already percent-encoded. They must be valid and are written
// unchanged, never encoded twice.
func Raw[T Text](s T) Part { return Part{text: text(s), kind: raw} }

// Decimal returns a Part for a number, such as a port.
func Decimal(n uint16) Part { return Part{number: n, kind: decimal} }

// empty reports whether nothing would be written for p.
func (p *Part) empty() bool { return p.text == "" && p.kind != decimal }

// Builder returns a Builder that writes exactly the bytes of v.
//
// Its parts are [Raw]. Change the ones that should differ; the others remain as they are in v.
func (v *ViewOf[T]) Builder() Builder {
	// A lenient scan allows bytes that Append must reject.
	kind, step := raw, partKind(0)
	if v.seen == 0 || v.seen == seenPercent && countEscapes(v.src, 0) >= 0 {
		kind, step = ofView, 1
	}
	part := func(start, end uint32, c Component) Part {
		return Part{text: v.src[start:end], kind: kind + step*partKind(c)}
	}
	return Builder{
		Scheme:       part(0, v.schemeEnd, Scheme),
		Userinfo:     part(v.authStart, v.hostStart-v.bit(Userinfo), Userinfo),
		Host:         part(v.hostStart, v.hostEnd, Host),
		Port:         part(v.hostEnd+v.bit(Port), v.pathStart, Port),
		PathText:     part(v.pathStart, v.pathEnd, Path),
		Query:        part(v.pathEnd+v.bit(Query), v.queryEnd, Query),
		Fragment:     part(v.queryEnd+v.bit(Fragment), uint32(len(v.src)), Fragment),
		HasAuthority: v.bit(Authority) != 0,
		HasUserinfo:  v.bit(Userinfo) != 0,
		HasPort:      v.bit(Port) != 0,
		HasQuery:     v.bit(Query) != 0,
		HasFragment:  v.bit(Fragment) != 0,
	}
}

// IsRelative reports whether b would write a relative reference: one without a scheme.
func (b *Builder) IsRelative() bool { return b.Scheme.empty() }

// Append appends the URI to dst.
//
// On failure it returns dst unchanged and an [Error] that names the component.
//
// dst must not share memory with the parts. Append does not allocate if dst has room.
func (b *Builder) Append(dst []byte) ([]byte, error) {
	if out, ok := b.appendPlain(dst); ok {
		return out, nil
	}
	out, why := b.append(dst)
	if why = tooLong(why, len(out)-len(dst), MaxLen); why != 0 {
		return dst, why
	}
	return out, nil
}

// appendPlain writes the URI if no part has to be encoded, and returns false if it cannot.
//
// It copies the parts without examining them. Then it scans the result once: if each component is where it
// was put, all parts are valid. That is faster than examining each part. Parts of a view need no scan.
func (b *Builder) appendPlain(dst []byte) ([]byte, bool) {
	if len(b.Path)+len(b.Params) != 0 || b.Addr.IsValid() || b.hasDecimal() ||
		b.Host.kind < ofView && strings.HasPrefix(b.Host.text, "[") { // scanning an IP-literal takes long
		return dst, false
	}
	const delimiters = "://" + "@" + ":" + "?" + "#"
	start := len(dst)
	most := uint64(len(b.Scheme.text)) + uint64(len(b.Userinfo.text)) + uint64(len(b.Host.text)) +
		uint64(len(b.Port.text)) + uint64(len(b.PathText.text)) + uint64(len(b.Query.text)) +
		uint64(len(b.Fragment.text)) + uint64(len(delimiters))
	if most > min(MaxLen, uint64(cap(dst)-start)) {
		return dst, false // the URI may be shorter
	}
	out := dst[:cap(dst)]

	var want offsets // what is present, and where the path is
	n := start
	if b.Scheme.text != "" {
		want.has |= 1 << Scheme
		n += copy(out[n:], b.Scheme.text)
		out[n] = ':'
		n++
	}
	if b.HasAuthority || b.Host.text != "" {
		want.has |= 1 << Authority
		n += copy(out[n:], "//")
		if b.HasUserinfo || b.Userinfo.text != "" {
			want.has |= 1 << Userinfo
			n += copy(out[n:], b.Userinfo.text)
			out[n] = '@'
			n++
		}
		n += copy(out[n:], b.Host.text)
		if b.HasPort || b.Port.text != "" {
			want.has |= 1 << Port
			out[n] = ':'
			n++
			n += copy(out[n:], b.Port.text)
		}
	}
	want.pathStart = uint32(n - start)
	n += copy(out[n:], b.PathText.text)
	want.pathEnd = uint32(n - start)
	if b.HasQuery || b.Query.text != "" {
		want.has |= 1 << Query
		out[n] = '?'
		n++
		n += copy(out[n:], b.Query.text)
	}
	if b.HasFragment || b.Fragment.text != "" {
		want.has |= 1 << Fragment
		out[n] = '#'
		n++
		n += copy(out[n:], b.Fragment.text)
	}

	out = out[:n]
	return out, b.isOfView() || b.describes(text(out[start:]), &want)
}

// hasDecimal reports whether any part that is one component is a Decimal.
func (b *Builder) hasDecimal() bool {
	return b.Scheme.kind == decimal || b.Userinfo.kind == decimal || b.Host.kind == decimal ||
		b.Port.kind == decimal || b.PathText.kind == decimal || b.Query.kind == decimal ||
		b.Fragment.kind == decimal
}

// isOfView reports whether p is valid because it is empty, or the component c of a view.
func (p *Part) isOfView(c Component) bool { return p.text == "" || p.kind == ofView+partKind(c) }

// isOfView reports whether all parts are valid because they are components of views, and so is the whole.
func (b *Builder) isOfView() bool {
	if !(b.Scheme.isOfView(Scheme) && b.Userinfo.isOfView(Userinfo) && b.Host.isOfView(Host) &&
		b.Port.isOfView(Port) && b.PathText.isOfView(Path) && b.Query.isOfView(Query) &&
		b.Fragment.isOfView(Fragment)) {
		return false
	}
	path := b.PathText.text
	if b.HasAuthority || b.Host.text != "" {
		return path == "" || path[0] == '/'
	}
	if b.Scheme.text == "" {
		first, _, _ := cutByte(path, '/')
		return strings.IndexByte(first, ':') < 0 && !strings.HasPrefix(path, "//")
	}
	return !strings.HasPrefix(path, "//")
}

// describes reports whether s, which consists of the parts of b, is valid and has its components where b has
// them, and whether no data has a "%", which would have to be encoded.
//
// If the path is where it should be, so is everything else that should be present. Before it, an authority
// has neither "/" nor a second "@", and a port has no ":". After it, neither query nor fragment has a "#".
func (b *Builder) describes(s string, want *offsets) bool {
	v := view{src: s}
	if scan(&v, Reference) != nil {
		return false
	}
	const which = 1<<Scheme | 1<<Authority | 1<<Userinfo | 1<<Port | 1<<Query | 1<<Fragment
	if v.has&which != want.has || v.pathStart != want.pathStart || v.pathEnd != want.pathEnd {
		return false
	}
	return v.seen == 0 || !(b.Userinfo.hasPercent() || b.Host.hasPercent() || b.PathText.hasPercent() ||
		b.Query.hasPercent() || b.Fragment.hasPercent())
}

// hasPercent reports whether p is data with a "%".
func (p *Part) hasPercent() bool { return p.kind == data && strings.IndexByte(p.text, '%') >= 0 }

// append writes the components in the order of RFC 3986 section 5.3.
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

// appendAuthority writes the authority.
//
//	authority = [ userinfo "@" ] host [ ":" port ]                     RFC 3986 section 3.2
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
		if b.Host.kind != data {
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

// appendPath writes the path. Which paths are allowed depends on what precedes them. After an
// authority, the path must be empty or begin with "/". Without an authority, it must not begin with
// "//" (RFC 3986 section 3.3). Without a scheme, its first segment has no ":" (section 4.2); in
// data, that is encoded.
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
		// The first segment has a rule of its own; then come "/" and the rest.
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
		dst = append(dst, '/') // a single empty segment means only that the path is absolute
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
		if p.Key.kind >= raw && strings.IndexByte(p.Key.text, '=') >= 0 {
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

// appendParam writes p as the key or value of a parameter.
func (p *Part) appendParam(dst []byte) ([]byte, Error) {
	switch {
	case p.kind == data: // including "+" and ";", which servers read as a space and as "&"
		return appendEncoded(dst, p.text, Query.Allowed().Minus(NewSet("&=+;")), false), 0
	case strings.IndexByte(p.text, '&') >= 0:
		return dst, ErrQuery
	}
	return p.append(dst, Query.Allowed(), ErrQuery)
}

// append writes p as bytes of keep and escapes. If that is impossible, it returns the given reason,
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
