package uri

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// Redaction reads any input once, valid or not. What looks like a userinfo or like the value of a
// secret parameter is a secret, and the union of all secrets is removed:
//
//	http://user:word@h/a?next=https%3A%2F%2Fu%3Ap%40h%2F%3Ftoken%3Dx%26b%3D1&sig=y#code=z
//	       ^^^^^^^^^                         ^^^^^                  ^            ^      ^
//
// Other software may decode what it reads, any number of times. So each byte counts as what it is
// when fully decoded. A secret ends only at a delimiter that is encoded no more often than the
// delimiter before the secret: "%26" ends the value after "%3D" above, but not one after "=".

const (
	redactedValue    = "REDACTED"
	redactedUserinfo = "REDACTED:REDACTED"
)

// AppendRedacted appends s, a URI-reference, to dst without its secrets, for a log.
//
// s should be one URI without quotes around it, such as a field of a log, not a whole line. In a
// line, a secret value includes the words after it, and everything before the last "@" may count as
// a userinfo. To redact only a query or a fragment, put "?" or "#" before it: otherwise what precedes
// an "@" in it counts as a userinfo.
//
// A userinfo becomes "REDACTED:REDACTED", and the value of each parameter whose key is secret
// becomes "REDACTED". Both stay empty if they are empty. A key is secret if [IsSecretKey] says so,
// or if it ends with one of keys. Keys are compared as IsSecretKey describes. Only letters, digits
// and non-ASCII characters are compared, and only those in the last 128 bytes of the given key. For
// other rules, use a [RedactorOf].
//
// A parameter is a key and "=" anywhere, even in the path or the fragment. Its value ends at "&" or
// at the "#" before the fragment, but not at ";", "/", "?" or a space.
//
// A userinfo is everything in an authority before its last "@". An authority follows two slashes or
// backslashes anywhere. It also follows the scheme of a web URL, because browsers find one in
// "http:u:p@h" and "https:/u:p@h". In a URI without an authority, everything before the last "@" of
// the path counts as a userinfo, unless the scheme is mailto. So does what precedes an "@" in the
// first segment of a relative path. An "@" elsewhere, such as in "http://h/user@example.com",
// changes nothing.
//
// AppendRedacted finds secrets at any depth of percent-encoding, so a URL that is the value of a
// parameter loses its secrets too. But a URL inside another one that is cut off before its "@", or has
// "/", "?" or "#" in its password, keeps that.
//
// If s is invalid even for a lenient scan, has a space, or has a port that is empty or too large, then
// everything before the last "@" counts as a userinfo, except a scheme and the slashes after it. If the input
// may be cut off before the "@", as in "https://user:pass", everything after these counts as a userinfo.
//
// The output is one line of UTF-8: control characters, line separators and bytes that are not UTF-8 are
// percent-encoded. All other bytes are unchanged.
//
// dst must not share memory with s. AppendRedacted does not allocate if dst has room, and takes
// linear time for given keys.
func AppendRedacted[T Text](dst []byte, s T, keys []string) []byte {
	// This is RedactorOf.Append with Keys. That calls functions that may keep dst and s, so with it, a local
	// array that is passed here would be allocated on the heap.
	r := redaction{asks: len(keys) > 0}
	for r.start(text(s)); ; {
		switch r.next() {
		case keyFound:
			if isSecretKey(r.key) || endsWithOneOf(r.key, keys) {
				r.open()
			}
		case secretFound:
			before, _ := r.take()
			dst = append(r.appendPrintable(dst, before), r.replacement()...)
		case endFound:
			return r.appendPrintable(dst, r.s[r.written:])
		}
	}
}

// A Redactor is a RedactorOf for bytes.
type Redactor = RedactorOf[[]byte]

// A RedactorOf removes secrets as [AppendRedacted] does, but by your own rules. Its zero value does
// the same as AppendRedacted without keys. It is safe for concurrent use if its functions are.
type RedactorOf[T Text] struct {
	// IsSecret reports whether the value of the key is secret. It replaces [IsSecretKey], but may call it.
	// If it is nil, IsSecretKey decides.
	//
	// The key is fully decoded, but otherwise unchanged; its case counts. It begins after the last space,
	// control character, or one of
	//
	//	" # & ' ( ) + , / : ; < = > ? @ \ ^ ` { | }
	//
	// It is valid only during the call.
	IsSecret func(key []byte) bool

	// Keys are additional keys: the value of a key is also secret if the key ends with one of them, as with the
	// keys of [AppendRedacted]. IsSecret may not be called for such a key.
	Keys []string

	// Replace appends to dst what replaces a secret, such as a keyed hash of it. If Replace is nil, secrets
	// are replaced as by AppendRedacted.
	//
	// The secret is verbatim: a userinfo without its "@", a value, or several that overlap. It is
	// never empty. Control characters and line separators that Replace appends are percent-encoded.
	Replace func(dst []byte, secret T) []byte
}

// Append appends s to dst without its secrets, as [AppendRedacted] does, but by the rules of r.
//
// dst must not share memory with s. Append does not allocate if dst has room for the output and for the
// longest key, and if the functions of r do not allocate. However, they may keep what they are given,
// so the compiler allocates a local array on the heap if a slice of it is passed to Append.
func (r *RedactorOf[T]) Append(dst []byte, s T) []byte {
	in := redaction{asks: r.IsSecret != nil || len(r.Keys) > 0}
	for in.start(text(s)); ; {
		switch in.next() {
		case keyFound:
			if endsWithOneOf(in.key, r.Keys) || r.isSecret(dst, &in) {
				in.open()
			}
		case secretFound:
			before, secret := in.take()
			dst = in.appendPrintable(dst, before)
			if r.Replace == nil {
				dst = append(dst, in.replacement()...)
			} else {
				n := len(dst)
				dst = makePrintable(r.Replace(dst, as[T](secret)), n)
			}
		case endFound:
			return in.appendPrintable(dst, in.s[in.written:])
		}
	}
}

// isSecret reports whether the key that was found is secret according to IsSecret, or else IsSecretKey. It
// may write to dst beyond its length.
func (r *RedactorOf[T]) isSecret(dst []byte, in *redaction) bool {
	if r.IsSecret == nil {
		return isSecretKey(in.key)
	}
	key := appendKey(dst, in.key, in.depth)[len(dst):]
	return r.IsSecret(key[:len(key):len(key)])
}

// IsSecretKey reports whether [AppendRedacted] removes the values of the key by default. It does so if the
// key ends with one of the words
//
//	accesskey accesskeyid accesstoken apikey assertion auth authkey authorization authtoken
//	awsaccesskeyid bearer clientsecret credential credentials csrf idtoken jsessionid jwt key otp
//	pass passcode passphrase passwd password phpsessid privatekey pwd refreshtoken samlresponse
//	secret secretkey sessid session sessionid sessionkey sid sig signature token xsrf
//
// or is "code", the key of an OAuth authorization code.
//
// Case is ignored, and so are "-", "_", ".", "[" and "]". A word begins at the start of the key,
// after any byte that is neither a letter nor a digit, and at a capital: "X-Amz-Security-Token",
// "session_id", "user[password]" and "accessToken" are secret; "monkey" and "password2" are not.
// The key may be percent-encoded, any number of times. IsSecretKey does not allocate.
func IsSecretKey[T Text](key T) bool { return isSecretKey(text(key)) }

// A discovery is what the next step of a redaction finds.
type discovery uint8

const (
	endFound    discovery = iota // nothing: the rest of the input is not secret
	keyFound                     // a key and "=", if asks is set: call open if the key is secret
	secretFound                  // a secret, which is not empty: call take
)

// A redaction is a pass over an input that finds its secrets in order. Secrets that overlap are one.
type redaction struct {
	s       string
	at      int  // the offset of the next byte
	written int  // the end of the secret taken last
	asks    bool // whether the caller decides which keys are secret, instead of isSecretKey
	loose   bool // whether s may have control characters, or bytes that are not ASCII

	// The secret is s[from:to], or none if from is negative. If inValue is set, it also includes a value
	// that has not ended yet: it ends at an "&" that is encoded at most ampDepth times, or at a "#" that is
	// encoded fewer than hashDepth times.
	from, to            int
	inValue             bool
	ampDepth, hashDepth int
	isUserinfo          bool // begins with a userinfo

	// Parameters. plain is set if there is nothing to find but parameters with a raw "=".
	plain    bool
	key      string // ends with the key of the last "="
	depth    int    // how often the last "=" is encoded
	keyStart int    // the offset after the last "="
	hash     int    // how often the least encoded "#" is encoded
	fragment int    // the offset of the first raw "#", if plain is set

	// Authorities. runEnd is where the last authority ended, whose delimiters are encoded at most runDepth
	// times. There is no "@" between the secret and runEnd.
	hasAt            bool // whether there is an "@", encoded or not
	wordStart        int  // the offset where a scheme may begin
	query            int  // the offset of the first "?" or "#"
	runEnd, runDepth int
}

// start begins a pass over s. It finds the userinfo that s begins with, except for a scheme.
func (r *redaction) start(s string) {
	var v StringView
	r.s, r.from = s, -1
	valid := v.Scan(Reference|Lenient, s) == nil
	r.loose = !valid || v.seen&seenLoose != 0
	at := strings.IndexByte(s, '@') >= 0
	start := 0 // before it, there is nothing more to find: not even an "=" in the userinfo
	if valid && isClear(&v) {
		start = r.startClear(&v, at)
	} else {
		start = r.startUnclear(at)
	}

	rest, equals := s[start:], false
	at = at && strings.IndexByte(rest, '@') >= 0
	if !valid || v.seen&seenPercent != 0 {
		equals, r.hasAt = encodedDelimiters(rest)
	}
	r.hasAt = r.hasAt || at
	if r.plain = !equals && !r.hasAt; r.plain {
		r.at, r.fragment = start, -1 // not known
		return
	}
	r.hash, r.query = math.MaxInt, int(v.pathEnd)
	if !valid {
		r.query = indexAny(s, "?#")
	}
}

// startClear is start for input with a valid authority, or with no authority. There may be an "@" if at is
// set. It returns the offset before which there is nothing more to find.
func (r *redaction) startClear(v *StringView, at bool) int {
	end := 0
	switch {
	case v.Has(Userinfo):
		userinfo := v.Userinfo()
		r.startUserinfo(int(v.authStart), int(v.hostStart)-len("@"))
		if equals, _ := encodedDelimiters(userinfo); equals || strings.IndexByte(userinfo, '=') >= 0 {
			return 0 // the value may not end at "@"
		}
		return int(v.hostStart)
	case !at, v.Has(Authority):
		return 0
	case !v.Has(Scheme):
		end = indexAny(v.src[:v.pathEnd], "/")
	case !v.SchemeIs("mailto") && !v.SchemeIs("file") && !endsWithWebScheme(v.src[:v.schemeEnd]):
		end = int(v.pathEnd) // the scheme may be a user
	}
	r.startUserinfo(0, strings.LastIndexByte(v.src[:end], '@'))
	return 0
}

// startUnclear is startClear for any other input.
func (r *redaction) startUnclear(at bool) int {
	start := unclearStart(r.s)
	switch {
	case at:
		r.startUserinfo(start, strings.LastIndexByte(r.s, '@'))
	case start > 0 && isCut(r.s[start:]):
		r.startUserinfo(start, len(r.s))
		return len(r.s)
	}
	return 0
}

// startUserinfo makes s[start:end] a secret unless it is empty.
func (r *redaction) startUserinfo(start, end int) {
	if start < end {
		r.from, r.to, r.isUserinfo = start, end, true
	}
}

// encodedDelimiters reports whether s has an encoded "=", and whether it has an encoded "@".
func encodedDelimiters(s string) (equals, at bool) {
	for {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			return equals, at
		}
		for s = s[i:]; s != "" && s[0] == '%'; { // one escape often follows another
			b, size, _ := decoded(s)
			equals = equals || b == '='
			at = at || b == '@'
			s = s[size:]
		}
	}
}

// isClear reports whether other software is unlikely to find another authority in the input of v. After a
// space there may be another URI. A port that is empty or too large may be the start of a password that
// contains a delimiter.
func isClear(v *StringView) bool {
	if v.seen&seenLoose != 0 && strings.IndexByte(v.src, ' ') >= 0 {
		return false
	}
	return !v.Has(Port) || v.PortKind() == NumericPort
}

// unclearStart returns where the userinfo may begin in input without a valid authority: after a scheme
// and at least two slashes or backslashes, or after a web scheme and any of these.
func unclearStart(s string) int {
	start := 0
	for start < len(s) && s[start] <= ' ' {
		start++
	}
	end := start
	for end < len(s) && ruleScheme.has(s[end]) {
		end++
	}
	if end == len(s) || s[end] != ':' {
		return 0
	}
	i := end + 1
	for i < len(s) && isSlash(s[i]) {
		i++
	}
	if i < end+len("://") && !endsWithWebScheme(s[start:end]) {
		return 0
	}
	return i
}

// isCut reports whether s, which follows a scheme and slashes, may be a userinfo that ends before its "@":
// what follows its first ":" is no port.
func isCut(s string) bool {
	_, port, ok := cutByte(s, ':')
	return ok && (len(port) > len("65535") || digits(port, 0) < len(port)) && indexAny(s, `/\?#`) == len(s)
}

// endsWithWebScheme reports whether s ends with a scheme after which browsers read an authority, with or
// without slashes: the special schemes of the URL Standard, except file.
func endsWithWebScheme(s string) bool {
	start := len(s)
	if start == 0 || !isSchemeEnd(s[start-1]) {
		return false
	}
	for start > 0 && len(s)-start <= len("https") && isWordByte(s[start-1]) {
		start--
	}
	return defaultPort(s[start:]) != ""
}

// isSchemeEnd reports whether b is the last letter of one of these schemes.
func isSchemeEnd(b byte) bool { return b|0x20 == 'p' || b|0x20 == 's' }

// isSlash reports whether browsers read b as a slash.
func isSlash(b byte) bool { return b == '/' || b == '\\' }

// next continues the pass until it finds something.
func (r *redaction) next() discovery {
	if r.plain {
		return r.nextPlain()
	}
	s, i := r.s, r.at
	for i < len(s) {
		if r.from >= 0 && !r.inValue && i >= r.to && r.ends() {
			r.at = i
			return secretFound
		}
		b, size, depth := s[i], 1, 0
		if !redactRoles[b] {
			i++
			continue
		}
		start, wordStart := i, r.wordStart
		if b == '%' {
			b, size, depth = decoded(s[i:])
		}
		i += size
		r.wordStart = i
		switch b {
		case '=':
			r.key, r.depth, r.at = s[r.keyStart:start], depth, i
			r.keyStart = i
			switch {
			case r.inValue && depth >= r.ampDepth:
			case r.asks:
				return keyFound
			case isSecretKey(r.key):
				r.open()
			}
		case '&':
			if r.inValue && depth <= r.ampDepth {
				r.close(start)
			}
		case '#':
			if r.inValue && depth < r.hashDepth {
				r.close(start)
			}
			r.hash = min(r.hash, depth)
		case ':':
			if r.hasAt {
				i = r.slashes(i, 0, depth, endsWithWebScheme(s[wordStart:start]))
			}
		case '/', '\\':
			if r.hasAt {
				i = r.slashes(i, 1, depth, false)
			}
		}
	}
	r.at = i
	if r.inValue {
		r.close(i)
	}
	if r.from >= 0 && r.ends() {
		return secretFound
	}
	return endFound
}

// nextPlain is next if plain is set.
func (r *redaction) nextPlain() discovery {
	for r.from < 0 {
		n := indexNear(r.s[r.at:], '=')
		if n < 0 {
			return endFound
		}
		r.key = r.s[r.keyStart : r.at+n]
		r.at += n + len("=")
		r.keyStart = r.at
		if r.asks {
			return keyFound
		}
		if isSecretKey(r.key) {
			r.open()
		}
	}
	return secretFound
}

// ends reports whether the secret that ends here is not empty. It forgets an empty one.
func (r *redaction) ends() bool {
	if r.from == r.to {
		r.from = -1
		return false
	}
	return true
}

// indexNear is strings.IndexByte for a byte that is often the first one, or among the first eight.
func indexNear(s string, b byte) int {
	if len(s) >= 8 && s[0] != b {
		if found := zeros(load(s) ^ ones*uint64(b)); found != 0 {
			return bits.TrailingZeros64(found) / 8
		}
	} else if s != "" && s[0] == b {
		return 0
	}
	return strings.IndexByte(s, b)
}

// open begins a secret value after the last "=".
func (r *redaction) open() {
	if r.plain {
		r.openPlain()
		return
	}
	if r.from < 0 {
		r.from, r.to, r.isUserinfo = r.at, r.at, false
	}
	// If another value has not ended yet, it is encoded more often and ends no later.
	r.inValue, r.ampDepth, r.hashDepth = true, r.depth, min(r.depth+1, r.hash)
}

// openPlain is open if plain is set.
func (r *redaction) openPlain() {
	if r.fragment < 0 {
		r.fragment = indexAny(r.s, "#")
	}
	end := len(r.s)
	if r.at <= r.fragment {
		end = r.fragment
	}
	if n := indexNear(r.s[r.at:end], '&'); n >= 0 {
		end = r.at + n
	}
	if r.at < end {
		r.from, r.to, r.isUserinfo = r.at, end, false
		r.at = end
	}
}

// close ends the values that are open.
func (r *redaction) close(end int) {
	r.inValue = false
	r.to = max(r.to, end)
}

// slashes skips the slashes at the offset and returns where they end. They follow a slash if n is 1, or else
// a colon, that is encoded depth times. If there are several slashes, or if web is set because a web scheme
// precedes them, an authority begins there.
func (r *redaction) slashes(at, n, depth int, web bool) int {
	for end := at; end < len(r.s); {
		b, size, d := r.s[end], 1, 0
		if b == '%' {
			b, size, d = decoded(r.s[end:])
		}
		end += size
		if isSlash(b) {
			at, depth = end, min(depth, d)
			n++
		} else if b != '\t' && b != '\n' && b != '\r' { // which browsers ignore
			break
		}
	}
	r.wordStart = at
	if n > 1 || web {
		r.authority(at, depth)
	}
	return at
}

// authority finds the userinfo of the authority that begins at start. Its delimiters are encoded at most
// depth times. A raw "&" also ends an authority in a query, unless the authority is encoded.
func (r *redaction) authority(start, depth int) {
	at, end := -1, start
	if start < r.runEnd {
		if depth >= r.runDepth {
			return
		}
		end = r.runEnd
	}
	inQuery := start >= r.query && depth == 0
	for ; end < len(r.s); end++ {
		b, size, d := r.s[end], 1, 0
		if !redactRoles[b] && b != '@' && b != '?' {
			continue
		}
		if b == '%' {
			b, size, d = decoded(r.s[end:])
		}
		if d <= depth && (isSlash(b) || b == '?' || b == '#') || b == '&' && (d < depth || d == 0 && inQuery) {
			break
		}
		if b == '@' {
			at = end
		}
		end += size - 1
	}
	r.runEnd, r.runDepth = end, depth
	if at > start {
		if r.from < 0 {
			r.from, r.isUserinfo = start, true
		}
		r.to = max(r.to, at)
	}
}

// take ends the secret that was found. It returns what is between the last secret and this one, and this one.
func (r *redaction) take() (before, secret string) {
	before, secret = r.s[r.written:r.from], r.s[r.from:r.to]
	r.written, r.from = r.to, -1
	return before, secret
}

// replacement returns what replaces the secret taken last.
func (r *redaction) replacement() string {
	if r.isUserinfo {
		return redactedUserinfo
	}
	return redactedValue
}

// redactRoles has the bytes that matter to a redaction: what delimits parameters and authorities, and
// "%", which may begin one of these.
var redactRoles = [256]bool{
	'=': true, '&': true, '#': true, ':': true, '/': true, '\\': true, '%': true,
}

// decoded returns the byte that s begins with, once it is decoded as often as it is encoded, its size in
// s, and how often it is encoded. A "%" that begins no escape represents itself.
func decoded(s string) (b byte, size, depth int) {
	if !isEscape(s) {
		return s[0], 1, 0
	}
	b, size, depth = unescape(s), len("%00"), 1
	for b == '%' && len(s)-size >= len("00") && ruleHexdig.has(s[size]) && ruleHexdig.has(s[size+1]) {
		b = unescape(s[size-1:]) // "%25" is the "%" of the next escape
		size += len("00")
		depth++
	}
	return b, size, depth
}

// isSecretWord reports whether the values of a key that ends with the word are secret. The words include
// the four keys of OpenTelemetry: AWSAccessKeyId, Signature, sig and X-Goog-Signature.
func isSecretWord(word string) bool {
	switch word {
	case "jwt", "key", "otp", "pwd", "sid", "sig",
		"auth", "csrf", "pass", "xsrf",
		"token",
		"apikey", "bearer", "passwd", "secret", "sessid",
		"authkey", "idtoken", "session",
		"passcode", "password",
		"accesskey", "assertion", "authtoken", "phpsessid", "secretkey", "sessionid", "signature",
		"credential", "jsessionid", "passphrase", "privatekey", "sessionkey",
		"accesskeyid", "accesstoken", "credentials",
		"clientsecret", "refreshtoken", "samlresponse",
		"authorization",
		"awsaccesskeyid":
		return true
	}
	return false
}

// longestWord is the length of the longest secret word, or more.
const longestWord = 16

// A keyEnd is the letters and digits at the end of a key.
type keyEnd struct {
	word   [longestWord]byte // the last ones, in lower case, at the end
	n      int               // their number, in all
	starts uint32            // bit i is set if a word starts i bytes before the last one
}

// isSecret reports whether the key ends with a secret word.
func (k *keyEnd) isSecret() bool {
	starts := k.starts
	for start := longestWord - 1; start >= 0 && starts != 0; start-- {
		if starts&1 != 0 && isSecretWord(text(k.word[start:])) {
			return true
		}
		starts >>= 1
	}
	return k.n == len("code") && text(k.word[longestWord-len("code"):]) == "code"
}

// isSecretKey is IsSecretKey. It reads the key from its end, until a byte ends the words or enough letters
// and digits are read. This is only possible if there is no escape among them.
func isSecretKey(key string) bool {
	end := len(key)
	if end < len("sig") {
		return false // no word is shorter, and neither is an escape
	}
	for end > 0 && !isWordByte(key[end-1]) && key[end-1] != '&' && key[end-1] != '=' {
		end--
	}
	if end == 0 || endsNoWord(key[end-1]) {
		return false
	}
	var k keyEnd
	i := end
	for i > 0 && k.n < longestWord {
		b := key[i-1]
		if !isWordByte(b) {
			if !joinsWords(b) {
				break
			}
			i--
			continue
		}
		i--
		k.n++
		k.word[longestWord-k.n] = toLower(b)
		if i == 0 || !isWordByte(key[i-1]) || isUpper(b) &&
			(!isUpper(key[i-1]) || i+1 < end && isWordByte(key[i+1]) && !isUpper(key[i+1])) {
			k.starts |= 1 << (k.n - 1)
		}
	}
	if i > 0 && (key[i-1] == '%' || k.n == longestWord && strings.IndexByte(key, '%') >= 0) {
		return isEncodedSecretKey(key)
	}
	return k.isSecret()
}

// endsNoWord reports whether no secret word ends with the letter b, and b is not a HEXDIG either.
func endsNoWord(b byte) bool {
	const letters = 1<<('i'-'a') | 1<<('j'-'a') | 1<<('k'-'a') | 1<<('m'-'a') | 1<<('o'-'a') | 1<<('q'-'a') |
		1<<('u'-'a') | 1<<('v'-'a') | 1<<('w'-'a') | 1<<('x'-'a') | 1<<('z'-'a')
	b = toLower(b) - 'a'
	return b < 26 && letters>>b&1 != 0
}

// isEncodedSecretKey is isSecretKey for a key that may have escapes. It reads the key from its start.
func isEncodedSecretKey(key string) bool {
	var (
		k         keyEnd
		high, low uint64 // the last letters and digits
		before    byte   // the byte before this one
		ended     bool   // whether a byte that cannot be between words came after them
	)
	for i := 0; i < len(key); {
		b, size, _ := decoded(key[i:])
		i += size
		switch {
		case isWordByte(b):
			if ended {
				k, ended = keyEnd{}, false
			}
			k.starts <<= 1
			if !isWordByte(before) || isUpper(b) && !isUpper(before) {
				k.starts |= 1
			} else if isUpper(before) && !isUpper(b) {
				k.starts |= 2 // the capital was the first letter
			}
			high, low = high<<8|low>>56, low<<8|uint64(toLower(b))
			k.n++
		case b == '&', b == '=':
			k = keyEnd{}
		case !joinsWords(b):
			ended = true
		}
		before = b
	}
	binary.BigEndian.PutUint64(k.word[:], high)
	binary.BigEndian.PutUint64(k.word[8:], low)
	return k.isSecret()
}

// isWordByte reports whether b is a letter or a digit.
func isWordByte(b byte) bool { return (ruleAlpha | ruleDigit).has(b) }

// joinsWords reports whether b may be between the words of a key. Browsers ignore tabs and line breaks.
func joinsWords(b byte) bool {
	switch b {
	case '-', '_', '.', '[', ']', '\t', '\n', '\r':
		return true
	}
	return false
}

// endsWithOneOf reports whether the key ends with one of keys.
func endsWithOneOf(key string, keys []string) bool {
	if len(keys) == 0 {
		return false
	}
	key, n := lastKey(key)
	for _, plain := range keys {
		if endsWithKey(key, n, plain) {
			return true
		}
	}
	return false
}

// endsWithKey reports whether the key, of which n bytes count, ends with plain. Bytes count if they are
// letters, digits or not ASCII.
func endsWithKey(key string, n int, plain string) bool {
	cut := len(plain) - longestKey
	if cut > 0 {
		plain = plain[afterEscape(plain, cut):]
	}
	plain, size := lastKey(plain)
	if size == 0 || size > n {
		return size == n || size == 0 && cut > 0
	}
	a, b := keyReader{rest: key}, keyReader{rest: plain}
	for range n - size {
		a.next()
	}
	a.next()
	starts := a.starts
	for range size {
		b.next()
		if a.b != b.b {
			return false
		}
		a.next()
	}
	return starts || cut > 0
}

// afterEscape returns the offset i in s or, if it is inside an escape, the end of that.
func afterEscape(s string, i int) int {
	percent := i - 1
	for percent >= 0 && ruleHexdig.has(s[percent]) {
		percent--
	}
	if percent >= 0 {
		_, size, _ := decoded(s[percent:])
		return max(i, percent+size)
	}
	return i
}

// longestKey is the number of bytes, at the end of one of the keys, that are compared. So a longer key costs
// no more.
const longestKey = 128

// lastKey returns what follows the last "&" and "=" in s, and how many of its bytes count.
func lastKey(s string) (key string, n int) {
	key = s
	for rest := s; rest != ""; {
		b, size, _ := decoded(rest)
		rest = rest[size:]
		switch {
		case b == '&', b == '=':
			key, n = rest, 0
		case isKeyByte(b):
			n++
		}
	}
	return key, n
}

// isKeyByte reports whether b counts if keys are compared.
func isKeyByte(b byte) bool { return isWordByte(b) || b >= utf8.RuneSelf }

// A keyReader reads the bytes of a key that count.
type keyReader struct {
	rest   string
	before byte // the byte before the rest
	b      byte // the byte that was read, in lower case
	starts bool // whether a word starts there
}

// next reads the next byte that counts, if there is one.
func (r *keyReader) next() {
	for r.rest != "" {
		b, size, _ := decoded(r.rest)
		before := r.before
		r.rest, r.before = r.rest[size:], b
		if isKeyByte(b) {
			r.b, r.starts = toLower(b), !isWordByte(before)
			if isUpper(b) && !r.starts {
				r.starts = !isUpper(before) || r.beforeLower()
			}
			return
		}
	}
}

// beforeLower reports whether the rest begins with a letter in lower case or a digit.
func (r *keyReader) beforeLower() bool {
	if r.rest == "" {
		return false
	}
	b, _, _ := decoded(r.rest)
	return isWordByte(b) && !isUpper(b)
}

// appendKey appends to dst the decoded key at the end of the given one, which precedes an "=" that is encoded
// depth times. A byte other than "&" and "=" separates the key from what precedes it only if that byte is
// encoded at most as often.
func appendKey(dst []byte, key string, depth int) []byte {
	start, ended := len(dst), false
	for key = key[strings.LastIndexByte(key, '&')+1:]; key != ""; {
		b, size, d := decoded(key)
		key = key[size:]
		switch {
		case b == '&', b == '=':
			dst, ended = dst[:start], false
		case d <= depth && endsKey(b):
			ended = true
		default:
			if ended {
				dst, ended = dst[:start], false
			}
			dst = append(dst, b)
		}
	}
	return dst
}

// endsKey reports whether b is not part of the key that IsSecret gets.
func endsKey(b byte) bool {
	if b <= ' ' || b == 0x7F {
		return true
	}
	switch b {
	case '"', '#', '\'', '(', ')', '+', ',', '/', ':', ';', '<', '>', '?', '@', '\\', '^', '`', '{', '|', '}':
		return true
	}
	return false
}

// appendPrintable appends a part of the input that is not secret.
func (r *redaction) appendPrintable(dst []byte, s string) []byte {
	if r.loose {
		return appendPrintable(dst, s)
	}
	return append(dst, s...)
}

// appendPrintable appends s to dst, with each byte percent-encoded that is part of a control character
// or line separator, or is not part of UTF-8.
func appendPrintable(dst []byte, s string) []byte {
	for {
		start := unprintable(s)
		dst = append(dst, s[:start]...)
		if s = s[start:]; s == "" {
			return dst
		}
		for size := unprintableSize(s); size > 0; size = unprintableSize(s) { // another often follows
			for ; size > 0; size-- {
				dst = append(dst, escape(s[0])...)
				s = s[1:]
			}
		}
	}
}

// unprintable returns the offset of the first character of s that appendPrintable encodes, or the length
// of s.
func unprintable(s string) (i int) {
	for i < len(s) {
		if b := s[i]; b >= ' ' && b < 0x7F {
			i++
			continue
		}
		if unprintableSize(s[i:]) > 0 {
			return i
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return i
}

// unprintableSize returns the size of the first character of s if appendPrintable encodes it, else zero.
func unprintableSize(s string) int {
	if s == "" {
		return 0
	}
	if s[0] < utf8.RuneSelf {
		if s[0] < ' ' || s[0] == 0x7F {
			return 1
		}
		return 0
	}
	r, size := utf8.DecodeRuneInString(s)
	if size == 1 || r < 0xA0 || r == '\u2028' || r == '\u2029' {
		return size
	}
	return 0
}

// makePrintable changes b[start:] to what appendPrintable would append instead.
func makePrintable(b []byte, start int) []byte {
	end := len(b)
	if unprintable(text(b[start:])) == end-start {
		return b
	}
	b = appendPrintable(b, text(b[start:]))
	return append(b[:start], b[end:]...)
}
