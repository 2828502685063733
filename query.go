package uri

import "iter"

// A Param is a parameter of a query in bytes.
type Param = ParamOf[[]byte]

// ParamOf is a parameter of a query: a key and, after its first "=", a value. Both are as they stand, not
// decoded. RFC 3986 knows nothing of them (section 3.4); this is what servers make of a query.
type ParamOf[T Text] struct {
	Key, Value T    // what stands before and after the first "="
	HasValue   bool // there is a "=": "k=" has a value, which is empty, "k" has none
}

// Is tells whether the key, decoded, is the one given. A "%" that begins no escape, which a lenient scan lets
// through, stands for itself. It does not allocate.
func (p ParamOf[T]) Is(key string) bool { return equalDecoded(text(p.Key), key, true) }

// Params returns the parameters that "&" separates in the query, in their order, also those of the same key
// and those that are empty: "a&&b" has three. An empty query has none. A range loop over it does not
// allocate; to pass it on to a function that is not inlined may.
func (v *ViewOf[T]) Params() iter.Seq[ParamOf[T]] {
	query := v.src[v.pathEnd+v.bit(Query) : v.queryEnd]
	return func(yield func(ParamOf[T]) bool) { eachParam(query, '&', yield) }
}

// ParamsBy is Params with another separator, such as ";".
func (v *ViewOf[T]) ParamsBy(separator byte) iter.Seq[ParamOf[T]] {
	query := v.src[v.pathEnd+v.bit(Query) : v.queryEnd]
	return func(yield func(ParamOf[T]) bool) { eachParam(query, separator, yield) }
}

// eachParam is the loop of ParamsBy: apart from it, ParamsBy is inlined, and what the body of a range loop
// needs can stay on the stack.
func eachParam[T Text](query string, separator byte, yield func(ParamOf[T]) bool) {
	for more := query != ""; more; {
		var param string
		if param, query, more = cutByte(query, separator); !yield(paramOf[T](param)) {
			return
		}
	}
}

// Param returns the first of the Params whose key, decoded, is the one given. It does not allocate.
func (v *ViewOf[T]) Param(key string) (ParamOf[T], bool) {
	query := text(v.Query())
	for more := query != ""; more; {
		var param string
		if param, query, more = cutByte(query, '&'); paramOf[string](param).Is(key) {
			return paramOf[T](param), true
		}
	}
	return ParamOf[T]{}, false
}

// AppendWithoutParams appends the whole text less those Params for which drop returns true, and less the "?"
// if that is all of them. The rest is as it was. It does not allocate if dst has room.
func (v *ViewOf[T]) AppendWithoutParams(dst []byte, drop func(ParamOf[T]) bool) []byte {
	query := text(v.Query())
	if query == "" {
		return append(dst, v.src...)
	}
	dst = append(dst, v.src[:v.pathEnd]...)
	delimiter := byte('?') // of the next one that is kept
	for more := true; more; {
		var param string
		if param, query, more = cutByte(query, '&'); !drop(paramOf[T](param)) {
			dst = append(append(dst, delimiter), param...)
			delimiter = '&'
		}
	}
	return append(dst, v.src[v.queryEnd:]...)
}

// paramOf cuts a parameter at its "=".
func paramOf[T Text](s string) ParamOf[T] {
	key, value, has := cutByte(s, '=')
	return ParamOf[T]{as[T](key), as[T](value), has}
}
