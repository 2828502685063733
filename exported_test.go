package uri

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"
)

// An operation calls exported functions. It appends their results to dst, so any change of a result changes
// the appended bytes. Everything else that an operation needs is its own: only one goroutine at a time may
// use an operation, while any number may read the same input.
type operation struct {
	name   string
	copies bool                             // allocates memory for its result
	strict bool                             // has the strict limits in the longest runs of TestLinearTime
	text   func(dst, s []byte) []byte       // for any input
	view   func(dst []byte, v *View) []byte // instead of text: for an input that scans as Reference|Lenient
}

// run runs the operation. An operation on a view does nothing if the input does not scan.
func (op *operation) run(dst []byte, in *input) []byte {
	switch {
	case op.text != nil:
		return op.text(dst, in.text)
	case in.scans:
		return op.view(dst, &in.view)
	}
	return dst
}

// An input is what operations read.
type input struct {
	text  []byte
	view  View
	scans bool // view is a view of text, scanned as Reference|Lenient
}

func newInput(s []byte) (in input) {
	in.text = s
	in.scans = in.view.Scan(Reference|Lenient, s) == nil
	return in
}

// someInputs returns short inputs with which the operations take most branches.
func someInputs() (all []input) {
	for _, s := range append([]string{
		"HTTP://User:Pw@%45xample.COM:0080/a/./b/%7e/../c%2f.tar.gz?sig=1&b=%31&%6B=2&&c;d=%zz#%c3[",
		"foo://user@192.0.2.1:8042/over/there%20?name=f%41+rret&sig#nose",
		"http://[2001:db8::FF:2]:443/a%2E%00%5c?Signature=%25",
		"x:/.//a/../../b%2E?%73ig=x&k=%%41",
		"http://u:p @h/?sig=1&k=v;token#k=w",
		"http://0%78.1/\xFF\x80[",
		"[v1.a]:80", "//[::ffff:1.2.3.4]:", "//[v1.a]/", "//[::1", "//h%41:8", "//u%@h", "//u%4", "http://h:8a",
		"https:", "https", "OPTIONS", "CONNECT", "h/x", "", strings.Repeat("/a./%41", blockSize),
		"http://a/\r\n\nb b\n" + strings.Repeat("c\n", 2*blockSize) + "d",
		"Reference|Lenient", "HasEscape|HasNonASCII", "Host", "0x0",
		"(see http://h/a_(b), 'x://h/'; mailto:a@b.) \xC3\xA4: x://[::1]:8/\xC3\xA4\xE2\x80\x9D http://h:x/",
	}, shapes...) {
		all = append(all, newInput([]byte(s)))
	}
	return all
}

// operations returns all exported functions as operations, most of them one function each. A test in
// internal/repository fails if a function is missing.
//
// An argument other than the input is as long as the input if the time could depend on it, or there is one
// operation for each of the two.
func operations() []operation {
	var room []byte      // for an argument
	var host, other View // arguments, and views of results that are not appended
	var parts []Part
	var lines Lines
	keys := make([]string, 0, 2)
	redactor := Redactor{
		IsSecret: func(key []byte) bool { return IsSecretKey(key) || len(key) == 1 },
		Replace:  func(dst, secret []byte) []byte { return append(append(dst, '\n'), secret[len(secret)/2:]...) },
	}

	base, err := Parse([]byte("http://h/a/b/"))
	if err != nil {
		panic(err)
	}
	ref, err := Parse([]byte("../../../x"))
	if err != nil {
		panic(err)
	}

	return []operation{
		// Scanning. Those whose names begin with Scan run at every level.
		{name: "Scan", strict: true, text: func(dst, s []byte) []byte {
			var v View
			err := v.Scan(Reference, s)
			return outcome(number(dst, v.ErrorOffset()), err)
		}},
		{name: "ScanPrefix", strict: true, text: func(dst, s []byte) []byte {
			var v View
			n, err := v.ScanPrefix(Reference, s)
			return outcome(number(dst, n), err)
		}},
		{name: "Scan lenient", strict: true, text: func(dst, s []byte) []byte {
			var v View
			err := v.Scan(Reference|Lenient, s)
			return outcome(number(dst, v.ErrorOffset()), err)
		}},
		{name: "Scan of lines", strict: true, text: func(dst, s []byte) []byte {
			for v, err := range lines.Scan(Reference, s, true) {
				dst = outcome(number(number(append(dst, lines.Text()...), lines.Offset()), v.ErrorOffset()), err)
			}
			return append(dst, lines.Rest()...)
		}},
		{name: "Parse", text: func(dst, s []byte) []byte {
			v, err := Parse(s)
			return outcome(number(dst, len(v.Path())), err)
		}},
		{name: "Valid", text: func(dst, s []byte) []byte {
			for form := URI; form <= HostField; form++ {
				dst = strconv.AppendBool(dst, Valid(form, s))
				dst = strconv.AppendBool(dst, Valid(form|Lenient, s))
			}
			return dst
		}},
		{name: "UnmarshalText", copies: true, text: func(dst, s []byte) []byte {
			var v View
			err := v.UnmarshalText(s)
			return outcome(append(dst, v.Text()...), err)
		}},

		// Running text.
		{name: "Find", text: func(dst, s []byte) []byte {
			for at, v := range Find(URI, s) {
				dst = append(number(dst, at), v.Text()...)
			}
			return dst
		}},
		{name: "Find, schemes", text: func(dst, s []byte) []byte {
			for at, v := range Find(URI|Lenient, s, "x", "http", "mailto") {
				dst = append(number(dst, at), v.Text()...)
			}
			return dst
		}},
		{name: "Find, long scheme", text: func(dst, s []byte) []byte {
			for at, v := range Find(URI, s, text(s[:len(s)/2])) {
				dst = append(number(dst, at), v.Text()...)
			}
			return dst
		}},

		// Components.
		{name: "components", view: func(dst []byte, v *View) []byte {
			for _, component := range [...][]byte{
				v.Text(), v.Scheme(), v.Authority(), v.Userinfo(), v.Host(), v.Port(), v.Path(), v.Query(), v.Fragment(),
				v.RequestTarget(), v.WithoutFragment(), v.HostPort(),
			} {
				dst = append(append(dst, component...), '\n')
			}
			return strconv.AppendBool(strconv.AppendBool(dst, v.IsRelative()), v.HasPort())
		}},
		{name: "User, Password", view: func(dst []byte, v *View) []byte {
			return append(append(append(dst, v.User()...), '\n'), v.Password()...)
		}},
		{name: "Span", view: func(dst []byte, v *View) []byte {
			for c := Scheme; c <= Fragment; c++ {
				start, end := v.Span(c)
				dst = number(number(strconv.AppendBool(dst, v.Has(c)), start), end)
			}
			return dst
		}},
		{name: "Component", view: func(dst []byte, v *View) []byte {
			for c := Scheme; c <= Fragment+1; c++ {
				dst = append(append(dst, v.Component(c)...), '\n')
			}
			return dst
		}},
		{name: "PortNumber, PortKind, EffectivePort", view: func(dst []byte, v *View) []byte {
			n, ok := v.PortNumber()
			m, known := v.EffectivePort()
			dst = number(number(number(dst, int(n)), int(m)), int(v.PortKind()))
			return strconv.AppendBool(strconv.AppendBool(dst, ok), known)
		}},
		{name: "SchemeIs, HostIs", view: func(dst []byte, v *View) []byte {
			room, _ = AppendDecode(room[:0], v.Host())
			dst = strconv.AppendBool(dst, v.SchemeIs(text(v.Scheme())))
			return strconv.AppendBool(dst, v.HostIs(text(room)))
		}},
		{name: "Addr", view: func(dst []byte, v *View) []byte {
			dst = number(dst, int(v.HostKind()))
			return outcome(AppendAddr(dst, v.Addr()))
		}},
		{
			name: "String", copies: true,
			view: func(dst []byte, v *View) []byte { return append(dst, v.String()...) },
		},
		{name: "AppendText", view: func(dst []byte, v *View) []byte { return outcome(v.AppendText(dst)) }},
		{name: "Clone", copies: true, view: func(dst []byte, v *View) []byte {
			clone := v.Clone()
			return append(dst, clone.Text()...)
		}},
		{name: "Err", text: func(dst, s []byte) []byte {
			var v View
			_ = v.Scan(Reference, s)
			if err := v.Err(); err != nil {
				dst = append(append(dst, err.(ScanError).Error()...), err.(ScanError).Unwrap().Error()...)
			}
			return dst
		}},
		{name: "names", text: func(dst, s []byte) []byte {
			n := len(s)
			dst, _ = Form(n).AppendText(dst)
			dst, _ = Component(n).AppendText(dst)
			dst, _ = HostKind(n).AppendText(dst)
			dst, _ = PortKind(n).AppendText(dst)
			dst, _ = Step(n).AppendText(dst)
			dst, _ = Trait(n).AppendText(dst)
			dst = append(append(append(dst, Form(n).String()...), Component(n).String()...), HostKind(n).String()...)
			return append(append(append(dst, PortKind(n).String()...), Step(n).String()...), Trait(n).String()...)
		}},
		{name: "UnmarshalText of names", text: func(dst, s []byte) []byte {
			return appendNamed(dst, s)
		}},
		{name: "UnmarshalText of many names", text: func(dst, s []byte) []byte {
			room = append(room[:0], "SortParams"...)
			for len(room) < len(s) {
				room = append(room, "|LowercaseScheme"...)
			}
			dst = appendNamed(dst, room)
			return appendNamed(dst, append(room, s...))
		}},
		{name: "MarshalText of names", copies: true, text: func(dst, s []byte) []byte {
			n := len(s)
			for _, marshal := range [...]func() ([]byte, error){
				Form(n).MarshalText, Component(n).MarshalText, HostKind(n).MarshalText,
				PortKind(n).MarshalText, Step(n).MarshalText, Trait(n).MarshalText,
			} {
				out, err := marshal()
				dst = outcome(append(dst, out...), err)
			}
			return dst
		}},
		{name: "MarshalText", copies: true, view: func(dst []byte, v *View) []byte {
			out, err := v.MarshalText()
			return outcome(append(dst, out...), err)
		}},

		// Paths.
		{name: "Segments", view: func(dst []byte, v *View) []byte {
			for segment := range v.Segments() {
				dst = append(append(dst, segment...), '\n')
			}
			return dst
		}},
		{name: "SegmentsBackward", view: func(dst []byte, v *View) []byte {
			for segment := range v.SegmentsBackward() {
				dst = append(append(dst, segment...), '\n')
			}
			return dst
		}},
		{name: "Segment", view: func(dst []byte, v *View) []byte {
			segment, ok := v.Segment(len(v.Path()) / 2)
			return strconv.AppendBool(append(dst, segment...), ok)
		}},
		{name: "LastSegment", view: func(dst []byte, v *View) []byte { return append(dst, v.LastSegment()...) }},
		{name: "Extension", view: func(dst []byte, v *View) []byte { return append(dst, v.Extension()...) }},
		{name: "AppendRemoveDotSegments", text: func(dst, s []byte) []byte {
			return AppendRemoveDotSegments(dst, s)
		}},
		{name: "RemoveDotSegmentsInPlace", text: func(dst, s []byte) []byte {
			all := append(dst, s...)
			return all[:len(dst)+len(RemoveDotSegmentsInPlace(all[len(dst):]))]
		}},

		// Percent-encoding.
		{name: "AppendEncode", text: func(dst, s []byte) []byte { return AppendEncode(dst, s, Unreserved()) }},
		{name: "AppendEncode, other sets", text: func(dst, s []byte) []byte {
			var keep Set
			for c := Scheme; c <= Fragment; c++ {
				keep = keep.Union(c.Allowed())
			}
			dst = AppendEncode(dst, s, keep.Union(GenDelims()).Minus(SubDelims()))
			return AppendEncode(dst, s, Pchar())
		}},
		{name: "NewSet", text: func(dst, s []byte) []byte {
			return strconv.AppendBool(dst, NewSet(text(s)).Contains('.'))
		}},
		{name: "EncodedLen", text: func(dst, s []byte) []byte { return number(dst, EncodedLen(s, Unreserved())) }},
		{name: "EncodedLen, other sets", text: func(dst, s []byte) []byte {
			return number(dst, EncodedLen(s, GenDelims()))
		}},
		{name: "AppendFormEncode", text: func(dst, s []byte) []byte { return AppendFormEncode(dst, s) }},
		{name: "AppendDecode", text: func(dst, s []byte) []byte { return outcome(AppendDecode(dst, s)) }},
		{name: "AppendFormDecode", text: func(dst, s []byte) []byte { return outcome(AppendFormDecode(dst, s)) }},
		{name: "AppendDecodeLenient", text: func(dst, s []byte) []byte { return AppendDecodeLenient(dst, s) }},
		{name: "DecodeInPlace", text: func(dst, s []byte) []byte {
			all := append(dst, s...)
			decoded, err := DecodeInPlace(all[len(dst):])
			return outcome(all[:len(dst)+len(decoded)], err)
		}},
		{name: "EqualDecoded", text: func(dst, s []byte) []byte {
			room, _ = AppendDecode(room[:0], s)
			dst = strconv.AppendBool(dst, EqualDecoded(s, room))
			return strconv.AppendBool(dst, EqualDecoded(s, s))
		}},

		// Queries.
		{name: "Params", view: func(dst []byte, v *View) []byte {
			for p := range v.Params() {
				dst = appendParam(dst, p)
			}
			return dst
		}},
		{name: "ParamsBy", view: func(dst []byte, v *View) []byte {
			for p := range v.ParamsBy(';') {
				dst = appendParam(dst, p)
			}
			return dst
		}},
		{name: "Param", view: func(dst []byte, v *View) []byte {
			p, ok := v.Param("sig")
			return strconv.AppendBool(appendParam(dst, p), ok)
		}},
		{name: "Param, long key", view: func(dst []byte, v *View) []byte {
			p, ok := v.Param(text(v.Query()))
			return strconv.AppendBool(appendParam(dst, p), ok)
		}},
		{name: "KeyIs", text: func(dst, s []byte) []byte {
			room, _ = AppendDecode(room[:0], s)
			return strconv.AppendBool(dst, Param{Key: s}.KeyIs(text(room)))
		}},
		{name: "KeyHasPrefix", text: func(dst, s []byte) []byte {
			room, _ = AppendDecode(room[:0], s)
			return strconv.AppendBool(dst, Param{Key: s}.KeyHasPrefix(text(room)))
		}},
		{name: "AppendMappedParams", view: func(dst []byte, v *View) []byte {
			turn := 0
			return outcome(v.AppendMappedParams(dst, func(p Param) (ParamAction, Part) {
				turn++ // the actions take turns, with an encoded or an unchanged value
				if turn%4 == 0 {
					return ReplaceValue, Raw(p.Value)
				}
				return ParamAction(turn % 3), Data(p.Value)
			}))
		}},
		{name: "AppendMappedParams, long key", view: func(dst []byte, v *View) []byte {
			return outcome(v.AppendMappedParams(dst, func(p Param) (ParamAction, Part) {
				if p.KeyIs(text(v.Query())) {
					return DropParam, Part{}
				}
				return KeepParam, Part{}
			}))
		}},

		// Secrets.
		{name: "AppendRedacted", strict: true, text: func(dst, s []byte) []byte {
			return AppendRedacted(dst, s, nil)
		}},
		{name: "AppendRedacted, long key", text: func(dst, s []byte) []byte {
			keys := [...]string{text(s), "k"}
			return AppendRedacted(dst, s, keys[:])
		}},
		{name: "Redactor", text: func(dst, s []byte) []byte { return redactor.Append(dst, s) }},
		{name: "Redactor, long key", text: func(dst, s []byte) []byte {
			more := Redactor{Keys: append(keys[:0], text(s), "k"), Replace: redactor.Replace}
			return more.Append(dst, s)
		}},
		{name: "Redactor, default keys", text: func(dst, s []byte) []byte {
			return new(Redactor).Append(dst, s)
		}},
		{name: "IsSecretKey", text: func(dst, s []byte) []byte {
			return strconv.AppendBool(dst, IsSecretKey(s))
		}},

		// Normalization.
		{name: "AppendNormalized", strict: true, view: func(dst []byte, v *View) []byte {
			return v.AppendNormalized(dst, SchemeBased)
		}},
		{name: "AppendNormalized, each step", view: func(dst []byte, v *View) []byte {
			for step := LowercaseScheme; step <= SortParams; step <<= 1 {
				dst = v.AppendNormalized(dst, step)
			}
			return dst
		}},
		{name: "AppendComponent", view: func(dst []byte, v *View) []byte {
			for c := Scheme; c <= Fragment; c++ {
				dst = v.AppendComponent(dst, c, SchemeBased|EncodeIllegal|SortParams)
			}
			return dst
		}},
		{name: "IsNormalized", view: func(dst []byte, v *View) []byte {
			return strconv.AppendBool(dst, v.IsNormalized(SchemeBased))
		}},
		{name: "StepsNeeded", view: func(dst []byte, v *View) []byte {
			return number(dst, int(v.StepsNeeded(SchemeBased)))
		}},
		{name: "Equivalent", view: func(dst []byte, v *View) []byte {
			room = v.AppendNormalized(room[:0], SchemeBased)
			_ = other.Scan(Reference|Lenient, room)
			return strconv.AppendBool(dst, Equivalent(v, &other, SchemeBased))
		}},
		{name: "Hash", view: func(dst []byte, v *View) []byte {
			dst = binary.LittleEndian.AppendUint64(dst, v.Hash(1, SchemeBased))
			return binary.LittleEndian.AppendUint64(dst, v.Hash(1, 0))
		}},
		{name: "Traits", view: func(dst []byte, v *View) []byte { return number(dst, int(v.Traits())) }},

		// References.
		{name: "AppendResolved", strict: true, view: func(dst []byte, v *View) []byte {
			return outcome(AppendResolved(dst, &base, v, 0))
		}},
		{name: "AppendResolved, base", strict: true, view: func(dst []byte, v *View) []byte {
			return outcome(AppendResolved(dst, v, &ref, 0))
		}},
		{name: "AppendResolved to itself", view: func(dst []byte, v *View) []byte {
			path := v.RequestTarget()
			if len(path) > 0 {
				path = path[1:] // relative to the base
			}
			_ = other.Scan(Reference|Lenient, path)
			return outcome(AppendResolved(dst, v, &other, RejectAboveRoot))
		}},
		{name: "AppendRelative", view: func(dst []byte, v *View) []byte {
			return outcome(AppendRelative(dst, &base, v))
		}},
		{name: "AppendRelative, base", view: func(dst []byte, v *View) []byte {
			return outcome(AppendRelative(dst, v, &base))
		}},
		{name: "AppendRelative to itself", view: func(dst []byte, v *View) []byte {
			room = append(append(room[:0], v.WithoutFragment()...), 'x') // in the path, unless there is a query
			_ = other.Scan(Reference|Lenient, room)
			return outcome(AppendRelative(dst, v, &other))
		}},

		{name: "AppendRelative, up", view: func(dst []byte, v *View) []byte {
			_, end := v.Span(Path)
			if path := v.Path(); len(path) > 0 {
				end += bytes.IndexByte(path[1:], '/') + 1 - len(path) // of the first segment
			}
			room = append(append(room[:0], v.Text()[:end]...), "/x"...)
			_ = other.Scan(Reference|Lenient, room)
			return outcome(AppendRelative(dst, v, &other))
		}},

		// Requests.
		{name: "RequestForm", text: func(dst, s []byte) []byte {
			return number(number(dst, int(RequestForm(s, s))), int(RequestForm("OPTIONS", s)))
		}},
		{name: "AppendTargetURI", view: func(dst []byte, v *View) []byte {
			_ = host.Scan(HostField, v.Host())
			for _, form := range [...]Form{OriginForm, AbsoluteURI, AuthorityForm, AsteriskForm} {
				dst = outcome(AppendTargetURI(dst, text(v.Scheme()), form, v, &host))
			}
			return dst
		}},
		{name: "CheckTarget", text: func(dst, s []byte) []byte {
			for _, method := range [...]string{"GET", "CONNECT"} {
				dst = outcome(dst, CheckTarget(method, s, s))
				dst = outcome(dst, CheckTarget(method, "http://h/", s))
				dst = outcome(dst, CheckTarget(method, s, "h"))
			}
			return dst
		}},
		{name: "HostAgrees", view: func(dst []byte, v *View) []byte {
			room = append(append(append(room[:0], v.Host()...), ':'), v.Port()...)
			_ = host.Scan(HostField, room)
			return strconv.AppendBool(dst, HostAgrees(v, &host))
		}},

		// Building.
		{name: "Builder of a view", view: func(dst []byte, v *View) []byte {
			b := v.Builder()
			return outcome(b.Append(strconv.AppendBool(dst, b.IsRelative())))
		}},
		{name: "Builder, address", view: func(dst []byte, v *View) []byte {
			b := Builder{Addr: v.Addr(), HasAuthority: true, Port: Raw(v.Port()), Path: []Part{{}}, HasQuery: true}
			return outcome(b.Append(dst))
		}},
		{name: "Builder, segments", view: func(dst []byte, v *View) []byte {
			parts = parts[:0]
			for segment := range v.Segments() {
				parts = append(parts, Data(segment), Raw(segment))
			}
			b := Builder{Host: Data("h"), Port: Decimal(80), Path: parts}
			return outcome(b.Append(dst))
		}},
		{name: "Builder, data", text: func(dst, s []byte) []byte { return appendElements(dst, Data(s)) }},
		{name: "Builder, raw", text: func(dst, s []byte) []byte { return appendElements(dst, Raw(s)) }},
	}
}

// outcome appends the reason of a failure.
func outcome(dst []byte, err error) []byte {
	if err != nil {
		dst = append(dst, err.(Error).Error()...)
	}
	return dst
}

// number appends a number.
func number(dst []byte, n int) []byte { return append(strconv.AppendInt(dst, int64(n), 10), ' ') }

// appendNamed appends the constants of every type that the text names.
func appendNamed(dst, s []byte) []byte {
	var (
		f Form
		c Component
		h HostKind
		p PortKind
		a Step
		t Trait
	)
	dst = outcome(outcome(dst, f.UnmarshalText(s)), c.UnmarshalText(s))
	dst = outcome(outcome(dst, h.UnmarshalText(s)), p.UnmarshalText(s))
	dst = outcome(outcome(dst, a.UnmarshalText(s)), t.UnmarshalText(s))
	for _, n := range [...]int{int(f), int(c), int(h), int(p), int(a), int(t)} {
		dst = number(dst, n)
	}
	return dst
}

// appendParam appends a parameter.
func appendParam(dst []byte, p Param) []byte {
	if dst = append(dst, p.Key...); p.HasValue {
		dst = append(dst, '=')
	}
	return append(append(dst, p.Value...), '\n')
}

// appendElements appends URIs with the part as each of their elements.
func appendElements(dst []byte, p Part) []byte {
	path := [...]Part{Data(""), p}
	for _, b := range [...]Builder{
		{Scheme: p},
		{Userinfo: p, Host: Data("h")},
		{Host: p},
		{Host: Data("h"), Port: p},
		{Host: Data("h"), Path: path[:]},
		{PathText: p},
		{Query: p},
		{Params: []Pair{{Key: p, Value: p}}},
		{Fragment: p},
	} {
		dst = outcome(b.Append(dst))
	}
	return dst
}
