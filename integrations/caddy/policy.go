// Package uricaddy has two modules for the Caddy web server, which read URIs with package
// [github.com/seed-56a50ac9/uri]:
//
//   - http.handlers.uri_policy, a [Policy], refuses or rewrites request targets that servers behind Caddy may
//     read differently.
//   - caddy.logging.encoders.filter.uri_redact, a [Redact], removes secrets from the URIs in a log.
//
// To add both to Caddy, import the package for its side effects, or name it to xcaddy:
//
//	xcaddy build --with github.com/seed-56a50ac9/uri/integrations/caddy
package uricaddy

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/seed-56a50ac9/uri"
	"github.com/seed-56a50ac9/uri/urihttp"
)

func init() {
	caddy.RegisterModule(new(Policy))
	caddy.RegisterModule(new(Redact))
	httpcaddyfile.RegisterHandlerDirective("uri_policy", parsePolicy)
	// No matcher of another directive may read the target before.
	httpcaddyfile.RegisterDirectiveOrder("uri_policy", httpcaddyfile.Before, "tracing")
}

// Policy is a handler that passes on a request only if its target and its Host field satisfy a policy of
// package [urihttp]. All later handlers and matchers, placeholders such as {uri}, and the server behind see
// the target that was checked.
//
// A refused request becomes an error with the status of the policy, for handle_errors to answer. Its target
// is the one received, so an error route should not pass it on to a server.
//
// The handler sets placeholders:
//
//   - {http.uri_policy.action} is keep, rewrite, redirect or refuse.
//   - {http.uri_policy.reason} says why a request is refused, and is empty otherwise: the name of a trait,
//     such as dot_segment, or what is invalid, such as "invalid path". It begins with "Host field: " if
//     that is the reason. It never holds input.
//
// It adds a field uri_policy to the access log unless the action is keep, logs refused requests at level
// INFO, and counts all requests in the metric caddy_uri_policy_requests_total, by action and reason.
//
// In a Caddyfile, the directive runs before all standard ones:
//
//	uri_policy [<matcher>] [strict|envoy] {
//		lenient_query   [on|off]
//		<trait>         refuse|keep
//		utf8_path       [on|off]
//		escaped_slashes keep|refuse|rewrite|redirect
//		path_params     keep|refuse|rewrite|redirect
//		normalize_path  [on|off]
//		merge_slashes   [on|off]
//		check_host      [on|off]
//		status          <code>
//	}
type Policy struct {
	// Preset is the policy that the other fields change: strict or envoy. If it is empty, that is strict.
	Preset string `json:"preset,omitempty"`

	// LenientQuery percent-encodes what is illegal in the query, instead of refusing the request.
	LenientQuery *bool `json:"lenient_query,omitempty"`

	// RefuseTraits says of traits whether they are refused. Their names are those of package uri in snake case,
	// such as dot_segment for HasDotSegment.
	RefuseTraits map[string]bool `json:"refuse_traits,omitempty"`

	// UTF8Path refuses a path that is not UTF-8 once decoded, or has odd white space.
	UTF8Path *bool `json:"utf8_path,omitempty"`

	// EscapedSlashes is the action for "%2F" and "%5C" in the path: keep, refuse, rewrite or redirect.
	EscapedSlashes string `json:"escaped_slashes,omitempty"`

	// PathParams is the action for parameters in the path, such as ";v=1": keep, refuse, rewrite or redirect.
	PathParams string `json:"path_params,omitempty"`

	// NormalizePath decodes escapes of unreserved characters in the path, and removes dot segments.
	NormalizePath *bool `json:"normalize_path,omitempty"`

	// MergeSlashes replaces adjacent slashes in the path with one.
	MergeSlashes *bool `json:"merge_slashes,omitempty"`

	// CheckHost refuses a Host field that is missing, empty or invalid.
	CheckHost *bool `json:"check_host,omitempty"`

	// Status is the status code of refused requests, from 400 to 599. The default is 400.
	Status int `json:"status,omitempty"`

	policy  urihttp.Policy
	status  int
	logger  *zap.Logger
	refused *prometheus.CounterVec // by reason
	passed  [len(actionNames)]prometheus.Counter
}

// CaddyModule returns the Caddy module information.
func (*Policy) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.uri_policy", New: func() caddy.Module { return new(Policy) }}
}

// Provision sets up the handler.
func (p *Policy) Provision(ctx caddy.Context) error {
	policy, err := p.resolve()
	if err != nil {
		return err
	}
	p.policy = policy
	p.status = cmp.Or(policy.Status, http.StatusBadRequest)
	p.logger = ctx.Logger()
	return p.count(ctx.GetMetricsRegistry())
}

// count sets up the counters, which all policies of a configuration share.
func (p *Policy) count(registry *prometheus.Registry) error {
	counters := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "caddy_uri_policy_requests_total",
		Help: "Number of requests, by what uri_policy did with them and why.",
	}, []string{"action", "reason"})
	if err := registry.Register(counters); err != nil {
		var registered prometheus.AlreadyRegisteredError
		if !errors.As(err, &registered) {
			return err
		}
		counters = registered.ExistingCollector.(*prometheus.CounterVec)
	}
	for action, name := range actionNames {
		if urihttp.Action(action) != urihttp.Refuse {
			p.passed[action] = counters.WithLabelValues(name, "")
		}
	}
	p.refused = counters.MustCurryWith(prometheus.Labels{"action": actionNames[urihttp.Refuse]})
	return nil
}

// ServeHTTP applies the policy to the request.
func (p *Policy) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	received := r
	if isExtendedConnect(r) {
		received = new(http.Request)
		*received = *r
		received.Method = http.MethodGet
	}
	to, action, err := p.policy.Decide(received)
	if err != nil {
		why := err.(urihttp.Refusal)
		p.note(r, urihttp.Refuse, reason(why))
		return caddyhttp.Error(p.status, why)
	}
	p.note(r, action, "")
	if action == urihttp.Redirect {
		w.Header().Set("Location", to.RequestURI)
		w.WriteHeader(http.StatusTemporaryRedirect)
		return nil
	}
	if to != received {
		change(r, to)
	}
	return next.ServeHTTP(w, r)
}

// change gives r the target of another request. Caddy's placeholders refer to r, so it has to change in
// place. FastCGI and error routes use the URL that r had first, so that changes too, unless another handler
// already gave r another one.
func change(r, to *http.Request) {
	first, ok := r.Context().Value(caddyhttp.OriginalRequestCtxKey).(http.Request)
	if ok && first.RequestURI == r.RequestURI {
		*first.URL = *to.URL
	}
	*r.URL, r.RequestURI = *to.URL, to.RequestURI
}

// isExtendedConnect reports whether the request begins a WebSocket or the like over HTTP/2 or HTTP/3. Its
// target has the form of a GET request's target (RFC 8441 section 4, RFC 9220 section 3).
func isExtendedConnect(r *http.Request) bool {
	return r.Method == http.MethodConnect &&
		(r.ProtoMajor == 2 && r.Header.Get(":protocol") != "" ||
			r.ProtoMajor == 3 && r.Proto != "HTTP/3.0")
}

// note tells placeholders, logs and metrics what happened. It must not tell them what was requested.
func (p *Policy) note(r *http.Request, action urihttp.Action, reason string) {
	repl := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	repl.Set("http.uri_policy.action", boxedNames[action])
	repl.Set("http.uri_policy.reason", reason)
	text := actionNames[action]
	if action == urihttp.Refuse {
		p.refused.WithLabelValues(reason).Inc()
		p.logger.Info("request refused", zap.String("reason", reason), zap.Int("status", p.status))
		text += ": " + reason
	} else {
		p.passed[action].Inc()
	}
	if action == urihttp.Keep {
		return
	}
	if extra, ok := r.Context().Value(caddyhttp.ExtraLogFieldsCtxKey).(*caddyhttp.ExtraLogFields); ok {
		extra.Set(zap.String("uri_policy", text))
	}
}

// reason returns why a request is refused: one of a few texts, for a metric. If several traits are refused,
// it is the first one.
func reason(why urihttp.Refusal) string {
	text := ""
	if why.Reason != 0 {
		text = strings.TrimPrefix(why.Reason.Error(), "uri: ")
	}
	for _, t := range traits {
		if text == "" && why.Traits&t.trait != 0 {
			text = t.name
		}
	}
	if why.Host && why.Reason != uri.ErrHostField {
		return "Host field: " + text
	}
	return text
}

// resolve returns the policy that the fields describe.
func (p *Policy) resolve() (urihttp.Policy, error) {
	policy, err := p.combine()
	if err != nil {
		return policy, err
	}
	return policy, cmp.Or(contradiction(&policy), policy.Validate())
}

// combine is resolve for fields that may contradict each other.
func (p *Policy) combine() (urihttp.Policy, error) {
	var policy urihttp.Policy
	switch p.Preset {
	case "", "strict":
		policy = urihttp.Strict()
	case "envoy":
		policy = urihttp.Envoy()
	default:
		return policy, fmt.Errorf("preset: %q is not strict or envoy", p.Preset)
	}
	for _, field := range []struct {
		to   *bool
		from *bool
	}{
		{&policy.LenientQuery, p.LenientQuery},
		{&policy.UTF8Path, p.UTF8Path},
		{&policy.NormalizePath, p.NormalizePath},
		{&policy.MergeSlashes, p.MergeSlashes},
		{&policy.CheckHost, p.CheckHost},
	} {
		if field.from != nil {
			*field.to = *field.from
		}
	}
	for name, refuse := range p.RefuseTraits {
		trait := traitNamed(name)
		switch {
		case trait == 0:
			return policy, fmt.Errorf("refuse_traits: %q is not the name of a trait", name)
		case refuse:
			policy.RefuseTraits |= trait
		default:
			policy.RefuseTraits &^= trait
		}
	}
	if err := setAction(&policy.EscapedSlashes, p.EscapedSlashes); err != nil {
		return policy, fmt.Errorf("escaped_slashes: %w", err)
	}
	if err := setAction(&policy.PathParams, p.PathParams); err != nil {
		return policy, fmt.Errorf("path_params: %w", err)
	}
	if p.Status != 0 && (p.Status < 400 || p.Status > 599) {
		return policy, fmt.Errorf("status: %d is not from 400 to 599", p.Status)
	}
	policy.Status = p.Status
	return policy, nil
}

// contradiction returns an error if the policy refuses what it is to change. It names the options, where that
// of [urihttp.Policy.Validate] names the fields.
func contradiction(p *urihttp.Policy) error {
	for _, c := range []struct {
		option  string
		changes bool
		trait   uri.Trait
	}{
		{
			"escaped_slashes", p.EscapedSlashes >= urihttp.Rewrite,
			uri.HasEncodedSlash | uri.HasEncodedBackslash | uri.HasEscape,
		},
		{"path_params", p.PathParams >= urihttp.Rewrite, uri.HasPathParam},
		{"merge_slashes", p.MergeSlashes, uri.HasDoubleSlash},
	} {
		for _, t := range traits {
			if c.changes && c.trait&p.RefuseTraits&t.trait != 0 {
				return fmt.Errorf("%s: there is nothing to change if %s is refused; keep that", c.option, t.name)
			}
		}
	}
	return nil
}

// actionNames are the actions in a configuration and in what the handler reports.
var actionNames = [...]string{
	urihttp.Keep: "keep", urihttp.Refuse: "refuse", urihttp.Rewrite: "rewrite", urihttp.Redirect: "redirect",
}

// boxedNames are actionNames as placeholders, which need no allocation.
var boxedNames = [...]any{actionNames[0], actionNames[1], actionNames[2], actionNames[3]}

// setAction sets the action to the named one, unless the name is empty.
func setAction(to *urihttp.Action, name string) error {
	if name == "" {
		return nil
	}
	for action, known := range actionNames {
		if name == known {
			*to = urihttp.Action(action)
			return nil
		}
	}
	return fmt.Errorf("%q is not keep, refuse, rewrite or redirect", name)
}

// traits are the traits that a target or a Host field can have after a strict scan. What only a lenient scan
// accepts is refused by every policy.
var traits = []struct {
	name  string
	trait uri.Trait
}{
	{"escape", uri.HasEscape},
	{"escaped_host", uri.HasEscapedHost},
	{"encoded_slash", uri.HasEncodedSlash},
	{"encoded_backslash", uri.HasEncodedBackslash},
	{"encoded_percent", uri.HasEncodedPercent},
	{"encoded_nul", uri.HasEncodedNUL},
	{"encoded_control", uri.HasEncodedControl},
	{"dot_segment", uri.HasDotSegment},
	{"encoded_dot_segment", uri.HasEncodedDotSegment},
	{"double_slash", uri.HasDoubleSlash},
	{"uppercase_scheme", uri.HasUppercaseScheme},
	{"uppercase_host", uri.HasUppercaseHost},
	{"address_like_name", uri.HasAddressLikeName},
	{"empty_host", uri.HasEmptyHost},
	{"trailing_dot", uri.HasTrailingDot},
	{"embedded_ipv4", uri.HasEmbeddedIPv4},
	{"non_canonical_ipv6", uri.HasNonCanonicalIPv6},
	{"a_label", uri.HasALabel},
	{"unusual_port", uri.HasUnusualPort},
	{"path_param", uri.HasPathParam},
	{"dot_segment_param", uri.HasDotSegmentParam},
	{"encoded_semicolon", uri.HasEncodedSemicolon},
	{"encoded_delimiter", uri.HasEncodedDelimiter},
	{"overlong_utf8", uri.HasOverlongUTF8},
	{"unicode_delimiter", uri.HasUnicodeDelimiter},
	{"windows_segment", uri.HasWindowsSegment},
}

// traitNamed returns the named trait, or zero.
func traitNamed(name string) uri.Trait {
	for _, t := range traits {
		if t.name == name {
			return t.trait
		}
	}
	return 0
}

var (
	_ caddy.Provisioner           = (*Policy)(nil)
	_ caddyhttp.MiddlewareHandler = (*Policy)(nil)
)
