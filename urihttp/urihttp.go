package urihttp

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"

	"github.com/seed-56a50ac9/uri"
)

// An Action is what a [Policy] does with something that it finds in a path.
type Action uint8

const (
	Keep     Action = iota // pass it on
	Refuse                 // answer with an error
	Rewrite                // pass on the path after changing it
	Redirect               // redirect the client to the changed path, with status 307
)

var actionTexts = [...]string{"Keep", "Refuse", "Rewrite", "Redirect"}

// String returns the name of the constant.
func (a Action) String() string {
	text, _ := a.AppendText(nil)
	return string(text)
}

// AppendText appends the name to dst. The error is always nil.
func (a Action) AppendText(dst []byte) ([]byte, error) {
	if int(a) < len(actionTexts) {
		return append(dst, actionTexts[a]...), nil
	}
	return strconv.AppendUint(append(dst, "0x"...), uint64(a), 16), nil
}

// MarshalText returns a copy of the name. The error is always nil.
func (a Action) MarshalText() ([]byte, error) { return a.AppendText(nil) }

// UnmarshalText sets a to the action that b names. Names are case-sensitive. If there is no such
// action, it returns [uri.ErrName] and leaves a unchanged.
func (a *Action) UnmarshalText(b []byte) error {
	for i, text := range actionTexts {
		if string(b) == text {
			*a = Action(i)
			return nil
		}
	}
	return uri.ErrName
}

// A Policy decides which requests a server or a proxy lets through, and what it changes in their
// targets. It is a value, and each route can have its own. Start from [Strict] or [Envoy] and change fields.
//
// Every policy, even the zero Policy, requires that the target match its form (RFC 9112 section 3.2).
// A target with a scheme must have http or https, a host that agrees with the Host field, a port of at
// most 65535 and no userinfo (RFC 9110 sections 4.2 and 7.2). The fields add to these rules.
//
// A policy changes the target in the order of the fields. The result must satisfy the policy again.
//
// A valid CONNECT request passes every policy: a reverse proxy must refuse that method itself.
type Policy struct {
	// LenientQuery percent-encodes illegal characters in the query, such as the "%" of "?width=100%" and the
	// brackets of "?a[]=1". Without it, such a target is refused.
	LenientQuery bool

	// RefuseTraits are the traits that are refused in the target before its query and, if CheckHost is set,
	// in the Host field. They should not include what the fields below are to change: to merge slashes, for
	// example, RefuseTraits must not include [uri.HasDoubleSlash]. [Policy.Validate] finds such contradictions.
	RefuseTraits uri.Trait

	// UTF8Path refuses a path that is not UTF-8 once decoded, has a control character from U+0080 to
	// U+009F, or has a segment that begins or ends with white space outside ASCII or with U+FEFF.
	UTF8Path bool

	// EscapedSlashes is the action for "%2F" and "%5C" in the path, each of which Rewrite and Redirect
	// replace with "/". Dot segments between them count as [uri.HasEncodedDotSegment].
	EscapedSlashes Action

	// PathParams is the action for parameters in the path, such as ";v=1" in "/a;v=1/b", which Rewrite
	// and Redirect remove.
	PathParams Action

	// NormalizePath decodes escapes of unreserved characters in the path, such as "%61", and removes
	// dot segments (RFC 3986 sections 6.2.2.2 and 6.2.2.3), including those with parameters: "..;v=1".
	NormalizePath bool

	// MergeSlashes replaces adjacent slashes in the path with one.
	MergeSlashes bool

	// CheckHost refuses a Host field that is missing, empty or invalid, or has a port above 65535.
	CheckHost bool

	// Status is the status code of the response to a refused request, if [Policy.Handler] answers it. Zero
	// means 400.
	Status int

	// OnRefuse, if not nil, is called by [Policy.Handler] to answer a refused request, instead of the response
	// with Status. why is a [Refusal].
	OnRefuse func(w http.ResponseWriter, r *http.Request, why error)
}

// Strict returns a policy that refuses every target that servers are known to read differently: all
// of [uri.Ambiguous]. It also refuses illegal characters in the query, unless you set LenientQuery.
// It decodes escapes of unreserved characters.
//
// What passes has the same path for all software behind the policy, whatever that software decodes, splits,
// merges or drops. Case is the exception: if that software ignores case, compare paths without regard to
// case.
func Strict() Policy {
	return Policy{
		RefuseTraits:   uri.Ambiguous &^ (escapedSlashes | uri.HasPathParam),
		UTF8Path:       true,
		EscapedSlashes: Refuse,
		PathParams:     Refuse,
		NormalizePath:  true,
		CheckHost:      true,
	}
}

// Envoy returns a policy that follows Envoy with normalize_path, merge_slashes, and
// path_with_escaped_slashes_action set to UNESCAPE_AND_REDIRECT.
//
// For UNESCAPE_AND_FORWARD set EscapedSlashes to Rewrite, for REJECT_REQUEST to Refuse, and for
// KEEP_UNCHANGED to Keep. The table of attacks shows where Envoy itself differs: it repairs and passes on
// illegal bytes of a path, which this policy refuses.
func Envoy() Policy {
	return Policy{
		LenientQuery:   true,
		RefuseTraits:   uri.HasEncodedNUL,
		EscapedSlashes: Redirect,
		NormalizePath:  true,
		MergeSlashes:   true,
		CheckHost:      true,
	}
}

// A Refusal is the error with which a [Policy] refuses a request. It holds no input.
type Refusal struct {
	Host   bool      // the Host field is refused, not the target
	Reason uri.Error // the rule that is broken, or zero
	Offset int       // the offset in the target or the Host field, if Reason is not zero
	Traits uri.Trait // the refused traits, if Reason is zero
}

// Error returns a message that names the reason.
func (e Refusal) Error() string {
	text := "urihttp: target refused: "
	if e.Host {
		text = "urihttp: Host field refused: "
	}
	switch e.Reason {
	case 0:
		return text + e.Traits.String()
	case uri.ErrHostField:
		return text + e.Reason.Error()
	default:
		return text + uri.ScanError{Offset: e.Offset, Reason: e.Reason}.Error()
	}
}

// Unwrap returns the Reason, or nil if that is zero.
func (e Refusal) Unwrap() error {
	if e.Reason == 0 {
		return nil
	}
	return e.Reason
}

// Validate returns an error if the policy contradicts itself. The error names the field.
//
// RefuseTraits must not include what EscapedSlashes, PathParams or MergeSlashes are to change. It may
// include what NormalizePath changes, which then has nothing to do. An [Action] must be one of the
// constants. Status must be zero or from 400 to 599.
func (p Policy) Validate() error {
	for _, field := range [...]struct {
		name   string
		action Action
		traits uri.Trait
	}{
		{"EscapedSlashes", p.EscapedSlashes, escapedSlashes | uri.HasEscape},
		{"PathParams", p.PathParams, uri.HasPathParam},
	} {
		if field.action > Redirect {
			return fmt.Errorf("urihttp: %s: %v is not an Action", field.name, field.action)
		}
		if field.action >= Rewrite && p.RefuseTraits&field.traits != 0 {
			return contradiction(field.name, p.RefuseTraits&field.traits)
		}
	}
	switch {
	case p.MergeSlashes && p.RefuseTraits&uri.HasDoubleSlash != 0:
		return contradiction("MergeSlashes", uri.HasDoubleSlash)
	case p.Status != 0 && (p.Status < 400 || p.Status > 599):
		return fmt.Errorf("urihttp: Status: %d is not from 400 to 599", p.Status)
	}
	return nil
}

// contradiction returns the error for a field that is to change what RefuseTraits refuse.
func contradiction(field string, traits uri.Trait) error {
	return fmt.Errorf("urihttp: %s: RefuseTraits include %v", field, traits)
}

// Decide applies the policy to a request and does not answer it. It is for middleware that answers by
// itself; otherwise use [Policy.Handler].
//
// With Keep, it returns r itself, without allocating. With Rewrite, it returns a copy to pass on, whose
// URL and RequestURI have the changed target. With Redirect, it returns such a copy too: its RequestURI
// is the value for a Location field, a path on the same host. With Refuse, it returns nil and a
// [Refusal]. It never changes r.
//
// The target is r.RequestURI. If r.URL differs from that because a handler has changed it, as
// [http.StripPrefix] does, then both must satisfy the policy, and the result is a copy even with Keep:
// its RequestURI agrees with r.URL.
//
// net/http sets r.Host to the host of the target if it has one, so Decide cannot see a Host field that
// disagrees. [Policy.AppendTarget] can.
func (p Policy) Decide(r *http.Request) (*http.Request, Action, error) { return p.apply(r) }

// apply is Decide, without a copy of the policy. It is not part of Decide because the view would be allocated
// where that is inlined in another package.
func (p *Policy) apply(r *http.Request) (*http.Request, Action, error) {
	target := r.RequestURI
	var v uri.StringView
	out, action, why := decide(p, nil, &v, r.Method, target, r.Host)
	if target == "" || action != Refuse && !agrees(r.URL, &v) {
		target = r.URL.RequestURI()
		out, action, why = decide(p, nil, &v, r.Method, target, r.Host)
	}
	switch {
	case action == Refuse:
		return nil, action, why
	case action >= Rewrite:
		return withTarget(r, string(out)), action, nil
	case target != r.RequestURI:
		r = withTarget(r, target)
	}
	return r, action, nil
}

// Handler returns a handler that applies the policy and passes on requests to next, as [Policy.Decide]
// returns them: a request that needs no change without allocating, and otherwise a copy.
//
// A redirect has status 307 and leads to the same host. If its path would begin with "//", the request is
// refused instead.
func (p Policy) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.serve(w, r, next) })
}

// serve applies the policy to a request and answers it, or passes it on.
func (p *Policy) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	decided, action, err := p.apply(r)
	switch action {
	case Refuse:
		p.refuse(w, r, err)
	case Redirect:
		w.Header().Set("Location", decided.RequestURI)
		w.WriteHeader(http.StatusTemporaryRedirect)
	default:
		next.ServeHTTP(w, decided)
	}
}

// refuse answers a refused request.
func (p *Policy) refuse(w http.ResponseWriter, r *http.Request, why error) {
	if p.OnRefuse != nil {
		p.OnRefuse(w, r, why)
		return
	}
	status := cmp.Or(p.Status, http.StatusBadRequest)
	http.Error(w, http.StatusText(status), status)
}

// AppendTarget applies the policy to a request of any server, given its method, its target as
// received and its Host field.
//
// With Keep or Rewrite, it appends the target to pass on. With Redirect, it appends the value for a
// Location field. With Refuse, it returns dst unchanged and a [Refusal], which is allocated.
//
// dst must not share memory with target. If dst has room for three times the target, AppendTarget does
// not allocate unless it refuses. However, the compiler allocates a local array on the heap if a slice
// of it is passed as dst, so reuse a buffer.
func (p Policy) AppendTarget(dst, method, target, host []byte) ([]byte, Action, error) {
	var v uri.View
	dst, action, why := decide(&p, dst, &v, method, target, host)
	switch action {
	case Refuse:
		return dst, action, why
	case Keep:
		dst = append(dst, target...)
	}
	return dst, action, nil
}

// AppendRequestLine appends the request line to dst without its secrets, for an access log:
//
//	GET /a?sig=REDACTED HTTP/1.1
//
// See [uri.AppendRedacted]. The result may contain quotation marks: escape them in a log that puts quotation
// marks around the request line. AppendRequestLine does not allocate if dst has room.
func AppendRequestLine(dst []byte, r *http.Request) []byte {
	dst = append(append(dst, r.Method...), ' ')
	dst = uri.AppendRedacted(dst, r.RequestURI, nil)
	return append(append(dst, ' '), r.Proto...)
}
