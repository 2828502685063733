package uri

import (
	"bytes"
	"slices"
	"strings"
)

// redacted holds the keys whose values are secret if none are given. OpenTelemetry names them.
var redacted = [...]string{"AWSAccessKeyId", "Signature", "sig", "X-Goog-Signature"}

const (
	redactedValue    = "REDACTED"
	redactedUserinfo = "REDACTED:REDACTED"
)

// AppendRedacted appends s, a URI-reference, to dst without its secrets, for a log.
//
// The userinfo becomes "REDACTED:REDACTED". The value of each query parameter whose key, once
// decoded, is in keys becomes "REDACTED". Both stay empty if they are empty. Keys are
// case-sensitive. If keys is nil, they are AWSAccessKeyId, Signature, sig and X-Goog-Signature.
// Every other byte is unchanged.
//
// If s is invalid even for a lenient scan, or has a space, AppendRedacted removes more than may be secret:
// everything before the last "@", from the first "//" before that if there is one, and whatever
// follows a key and "=" anywhere.
//
// dst must not share memory with s. AppendRedacted does not allocate if dst has room, and takes
// linear time for given keys.
func AppendRedacted[T Text](dst []byte, s T, keys []string) []byte {
	var v StringView
	t := text(s)
	// Behind a space there may be another URI.
	if v.Scan(Reference|Lenient, t) != nil || v.seen&seenLoose != 0 && strings.IndexByte(t, ' ') >= 0 {
		return appendRedactedAnyhow(dst, t, keys)
	}
	return v.AppendRedacted(dst, keys)
}

// AppendRedacted appends the URI to dst without its secrets, for a log: see the function [AppendRedacted].
//
// dst must not share memory with v. AppendRedacted does not allocate if dst has room.
func (v *ViewOf[T]) AppendRedacted(dst []byte, keys []string) []byte {
	s := v.src
	written := 0 // the number of bytes of s already written
	if userinfo := v.hostStart - v.bit(Userinfo); userinfo > v.authStart {
		dst = append(append(dst, s[:v.authStart]...), redactedUserinfo...)
		written = int(userinfo)
	}
	query := int(v.pathEnd + v.bit(Query))
	dst = append(dst, s[written:query]...)
	dst = appendRedactedParams(dst, s[query:v.queryEnd], "&", "&", keys)
	return append(dst, s[v.queryEnd:]...)
}

// appendRedactedParams appends a query without its secrets. Any of delimiters separates parameters.
// A secret value ends only at one of ends.
func appendRedactedParams(dst []byte, query, delimiters, ends string, keys []string) []byte {
	goesOn := ends != delimiters // past some of the delimiters
	written := 0                 // the number of bytes of query already written
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

// isRedacted reports whether the value of the key is secret. The key may be percent-encoded.
func isRedacted(key string, keys []string) bool {
	if keys == nil {
		keys = redacted[:]
	}
	if strings.IndexByte(key, '%') < 0 {
		return slices.Contains(keys, key)
	}
	return slices.ContainsFunc(keys, func(plain string) bool { return equalDecoded(key, plain, true) })
}

// appendRedactedAnyhow is AppendRedacted for input that is not a URI-reference. It treats anything
// that begins like a parameter as one. Values are redacted first, so that no "@" in them can end the
// userinfo too early.
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
