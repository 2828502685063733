package uri

import (
	"bytes"
	"slices"
	"strings"
)

// redacted are the keys whose values are secret if none are given, those that OpenTelemetry names.
var redacted = [...]string{"AWSAccessKeyId", "Signature", "sig", "X-Goog-Signature"}

const (
	redactedValue    = "REDACTED"
	redactedUserinfo = "REDACTED:REDACTED"
)

// AppendRedacted appends s, a URI-reference, without its secrets, for a log. Userinfo becomes
// "REDACTED:REDACTED", and the value of each parameter of the query whose key, decoded, is one of keys
// becomes "REDACTED"; what is empty stays so. Upper and lower case of keys differ. If keys is nil, they are
// AWSAccessKeyId, Signature, sig and X-Goog-Signature.
//
// Every other byte stays. Where s scans neither strictly nor leniently, more is taken out than may be secret:
// all before the last "@", from the first "//" before it if there is one, and what follows a key and "="
// anywhere.
//
// dst must not share memory with s. It does not allocate if dst has room, and takes linear time for given
// keys.
func AppendRedacted[T Text](dst []byte, s T, keys []string) []byte {
	var v StringView
	t := text(s)
	if v.Scan(Reference|Lenient, t) != nil {
		return appendRedactedAnyhow(dst, t, keys)
	}
	return v.AppendRedacted(dst, keys)
}

// AppendRedacted appends the text without its secrets: see the function [AppendRedacted].
func (v *ViewOf[T]) AppendRedacted(dst []byte, keys []string) []byte {
	s := v.src
	written := 0 // how much of s is
	if userinfo := v.hostStart - v.bit(Userinfo); userinfo > v.authStart {
		dst = append(append(dst, s[:v.authStart]...), redactedUserinfo...)
		written = int(userinfo)
	}
	query := int(v.pathEnd + v.bit(Query))
	dst = append(dst, s[written:query]...)
	dst = appendRedactedParams(dst, s[query:v.queryEnd], "&", "&", keys)
	return append(dst, s[v.queryEnd:]...)
}

// appendRedactedParams appends a query. Its parameters have one of the delimiters between them; a secret
// value goes on to one of ends.
func appendRedactedParams(dst []byte, query, delimiters, ends string, keys []string) []byte {
	goesOn := ends != delimiters // beyond some delimiters
	written := 0                 // how much of query is
	for start := 0; start < len(query); {
		end := start + indexAny(query[start:], delimiters)
		if i := strings.IndexByte(query[start:end], '='); i >= 0 && isRedacted(query[start:start+i], keys) {
			value := start + i + len("=")
			if goesOn {
				end += indexAny(query[end:], ends)
			}
			if value < end {
				dst = append(append(dst, query[written:value]...), redactedValue...)
				written = end
			}
		}
		start = end + 1
	}
	return append(dst, query[written:]...)
}

// isRedacted tells whether the value of the key, which may be encoded, is secret.
func isRedacted(key string, keys []string) bool {
	if keys == nil {
		keys = redacted[:]
	}
	if strings.IndexByte(key, '%') < 0 {
		return slices.Contains(keys, key)
	}
	return slices.ContainsFunc(keys, func(plain string) bool { return equalDecoded(key, plain, true) })
}

// appendRedactedAnyhow is AppendRedacted for what is not a URI-reference. What begins like a parameter
// anywhere is taken for one; the values go first, so that no "@" in them can end the userinfo too early.
func appendRedactedAnyhow(dst []byte, s string, keys []string) []byte {
	start := len(dst)
	const delimiters, ends = "?&;#", "&#"
	params := min(indexAny(s, delimiters)+1, len(s))
	dst = appendRedactedParams(append(dst, s[:params]...), s[params:], delimiters, ends, keys)

	end := bytes.LastIndexByte(dst[start:], '@')
	if end < 0 {
		return dst
	}
	end += start
	if i := bytes.Index(dst[start:end], []byte("//")); i >= 0 {
		start += i + len("//")
	}
	return slices.Replace(dst, start, end, []byte(redactedUserinfo)...)
}
