package uri

import (
	"iter"
	"slices"
	"strings"
)

// A Param is a parameter of a query in bytes.
type Param = ParamOf[[]byte]

// ParamOf is a parameter of a query: a key and, after the first "=", a value. Both are verbatim,
// still percent-encoded.
//
// RFC 3986 does not define parameters (section 3.4). They are a convention of servers.
type ParamOf[T Text] struct {
	Key, Value T    // what precedes and follows the first "="
	HasValue   bool // whether there is an "=": "k=" has a value, which is empty; "k" has none
}

// KeyIs reports whether the key, once decoded, equals the given key. A "%" that begins no escape,
// which a lenient scan accepts, represents itself. KeyIs does not allocate.
func (p ParamOf[T]) KeyIs(key string) bool { return equalDecoded(text(p.Key), key, true) }

// KeyHasPrefix reports whether the key, once decoded, begins with prefix: the key of
// "%75tm_source=x" begins with "utm_". It does not allocate.
func (p ParamOf[T]) KeyHasPrefix(prefix string) bool {
	key := text(p.Key)
	for prefix != "" {
		if key == "" {
			return false
		}
		b, n := key[0], 1
		if isEscape(key) {
			b, n = unescape(key), len("%00")
		}
		if b != prefix[0] {
			return false
		}
		key, prefix = key[n:], prefix[1:]
	}
	return true
}

// Params returns the parameters of the query in order. They are separated by "&".
//
// Duplicates and empty parameters are included: "a&&b" has three parameters. An empty query has none.
//
// A range loop over the result does not allocate. Passing the result to a function that is not inlined may.
func (v *ViewOf[T]) Params() iter.Seq[ParamOf[T]] {
	query := v.src[v.pathEnd+v.bit(Query) : v.queryEnd]
	return func(yield func(ParamOf[T]) bool) { eachParam(query, '&', yield) }
}

// ParamsBy is Params with another separator, such as ';'.
func (v *ViewOf[T]) ParamsBy(separator byte) iter.Seq[ParamOf[T]] {
	query := v.src[v.pathEnd+v.bit(Query) : v.queryEnd]
	return func(yield func(ParamOf[T]) bool) { eachParam(query, separator, yield) }
}

// eachParam is the loop of ParamsBy. Because it is a separate function, ParamsBy is inlined, and
// what the body of a range loop needs can stay on the stack.
func eachParam[T Text](query string, separator byte, yield func(ParamOf[T]) bool) {
	for more := query != ""; more; {
		var param string
		if param, query, more = cutByte(query, separator); !yield(paramOf[T](param)) {
			return
		}
	}
}

// Param returns the first of the Params whose key, once decoded, equals the given key. It returns
// false if there is none. It does not allocate.
func (v *ViewOf[T]) Param(key string) (ParamOf[T], bool) {
	query := text(v.Query())
	for more := query != ""; more; {
		var param string
		if param, query, more = cutByte(query, '&'); paramOf[string](param).KeyIs(key) {
			return paramOf[T](param), true
		}
	}
	return ParamOf[T]{}, false
}

// A ParamAction is what [ViewOf.AppendMappedParams] does with a parameter.
type ParamAction uint8

const (
	KeepParam    ParamAction = iota // write it unchanged
	DropParam                       // leave it out
	ReplaceValue                    // write it with another value
)

// AppendMappedParams appends the URI to dst, with each of the Params kept, dropped or given another
// value, as edit decides.
//
// It omits the "?" if it drops all of them. Everything else is unchanged. A value that is [Data] is
// encoded so that it remains a single value, whatever it contains. A value that is [Raw] must be
// valid and contain no "&".
//
// If a value is invalid, or if the last Scan failed, it returns dst unchanged and the [Error].
//
// dst must not share memory with v or the values. AppendMappedParams does not allocate if dst has room.
func (v *ViewOf[T]) AppendMappedParams(
	dst []byte, edit func(ParamOf[T]) (ParamAction, Part),
) ([]byte, error) {
	out, why := v.appendMapped(dst, edit)
	if why = tooLong(why, len(out)-len(dst), MaxLen); why != 0 {
		return dst, why
	}
	return out, nil
}

func (v *ViewOf[T]) appendMapped(
	dst []byte, edit func(ParamOf[T]) (ParamAction, Part),
) (_ []byte, why Error) {
	query := text(v.Query())
	if v.fault != 0 || query == "" {
		return append(dst, v.src...), v.why
	}
	dst = append(dst, v.src[:v.pathEnd]...)
	delimiter := byte('?') // of the next one that is kept
	for more := true; more; {
		var param string
		param, query, more = cutByte(query, '&')
		p := paramOf[T](param)
		action, value := edit(p)
		if action == DropParam {
			continue
		}
		dst = append(dst, delimiter)
		delimiter = '&'
		if action == KeepParam {
			dst = append(dst, param...)
			continue
		}
		dst = append(append(dst, text(p.Key)...), '=')
		if dst, why = value.appendParam(dst); why != 0 {
			return dst, why
		}
	}
	return append(dst, v.src[v.queryEnd:]...), 0
}

// paramOf splits a parameter at its first "=".
func paramOf[T Text](s string) ParamOf[T] {
	key, value, has := cutByte(s, '=')
	return ParamOf[T]{as[T](key), as[T](value), has}
}

// maxSorted is the largest number of parameters that are sorted. A query with more keeps its order.
const maxSorted = 128

// A paramOrder holds the order of a query's parameters while they are read from last to first.
type paramOrder struct {
	query string
	spans [maxSorted][2]uint32
	amp   int  // offset of the first "&"
	left  int  // number of parameters not read yet
	delim bool // whether the next piece is the delimiter before the parameter read last
	bare  bool // whether the "?" is omitted
}

// sort sorts the parameters of the query, which begins with its "?". It returns false if their order
// does not change.
func (o *paramOrder) sort(query string) bool {
	if o == nil || sortedParams(query) {
		return false
	}
	o.query, o.amp, o.left = query, strings.IndexByte(query, '&'), 0
	for start := 1; start <= len(query); o.left++ {
		end := start + indexAny(query[start:], "&")
		o.spans[o.left] = [2]uint32{uint32(start), uint32(end)}
		start = end + 1
	}
	slices.SortStableFunc(o.spans[:o.left], func(a, b [2]uint32) int {
		return compareKeys(query[a[0]:a[1]], query[b[0]:b[1]])
	})
	return true
}

// sortedParams reports whether sorting leaves the parameters of a query in their order. The query
// begins with its "?".
func sortedParams(query string) bool {
	if query == "" {
		return true
	}
	n, sorted, before := 0, true, ""
	for rest, more := query[1:], true; more; n++ {
		if n == maxSorted {
			return true
		}
		var param string
		param, rest, more = cutByte(rest, '&')
		sorted = sorted && (n == 0 || compareKeys(before, param) <= 0)
		before = param
	}
	return sorted
}

// compareKeys compares the keys of two parameters byte by byte, after decoding.
func compareKeys(a, b string) int {
	a, _, _ = cutByte(a, '=')
	b, _, _ = cutByte(b, '=')
	for a != "" && b != "" {
		x, n := a[0], 1
		if isEscape(a) {
			x, n = unescape(a), len("%00")
		}
		y, m := b[0], 1
		if isEscape(b) {
			y, m = unescape(b), len("%00")
		}
		if x != y {
			return int(x) - int(y)
		}
		a, b = a[n:], b[m:]
	}
	return len(a) - len(b)
}
