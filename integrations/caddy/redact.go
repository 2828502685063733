package uricaddy

import (
	"cmp"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/logging"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/seed-56a50ac9/uri"
)

// Redact is a log filter that removes secrets from fields that hold a URI, or a list of them: userinfo, and
// the values of parameters whose keys are secret, as [uri.AppendRedacted] does. It knows more than 40 words
// that make a key secret. URIs may be nested, encoded or invalid.
//
// A field that holds anything else becomes the replacement, so that no secret passes through a filter for
// the wrong field.
//
// In a Caddyfile:
//
//	<field> uri_redact [<keys...>] {
//		replacement <text>
//	}
//
// The fields of an access log that may hold secrets in URIs are request>uri, request>headers>Referer and
// resp_headers>Location.
type Redact struct {
	// Keys are keys whose values are also secret. Case and punctuation are ignored, and a longer key that ends
	// with one of them, as a word, is secret too.
	Keys []string `json:"keys,omitempty"`

	// Replacement replaces each secret. The default is REDACTED, and REDACTED:REDACTED for a userinfo.
	Replacement string `json:"replacement,omitempty"`

	redactor uri.RedactorOf[string]
}

// CaddyModule returns the Caddy module information.
func (*Redact) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "caddy.logging.encoders.filter.uri_redact",
		New: func() caddy.Module { return new(Redact) },
	}
}

// Provision sets up the filter.
func (f *Redact) Provision(caddy.Context) error {
	f.redactor.Keys = f.Keys
	if f.Replacement != "" {
		f.redactor.Replace = func(dst []byte, _ string) []byte { return append(dst, f.Replacement...) }
	}
	return f.check()
}

// check returns an error if a field is invalid.
func (f *Redact) check() error {
	for _, key := range f.Keys {
		switch {
		case strings.ContainsAny(key, "&="):
			return errors.New(`keys: a key has no "&" or "="`)
		case !strings.ContainsFunc(key, func(c rune) bool {
			return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c >= utf8.RuneSelf
		}):
			return errors.New("keys: a key has a letter or a digit")
		}
	}
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$'()*+,;:"
	if strings.Trim(f.Replacement, safe) != "" {
		return errors.New("replacement: only letters, digits and -._~!$'()*+,;: are possible")
	}
	return nil
}

// UnmarshalCaddyfile sets the fields from Caddyfile tokens. For the syntax see [Redact].
func (f *Redact) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the name of the filter
	f.Keys = d.RemainingArgs()
	for d.NextBlock(0) {
		if d.Val() != "replacement" {
			return d.Errf("%q is not an option of uri_redact", d.Val())
		}
		if f.Replacement != "" {
			return d.Err("replacement is set twice")
		}
		if !d.AllArgs(&f.Replacement) || f.Replacement == "" {
			return d.ArgErr()
		}
	}
	if err := f.check(); err != nil {
		return d.WrapErr(err)
	}
	return nil
}

// Filter returns the field without secrets.
func (f *Redact) Filter(in zapcore.Field) zapcore.Field {
	if in.Type == zapcore.StringType {
		in.String = f.redact(in.String)
		return in
	}
	if list, ok := in.Interface.(caddyhttp.LoggableStringArray); ok {
		redacted := make(caddyhttp.LoggableStringArray, len(list)) // requests share the list
		for i, s := range list {
			redacted[i] = f.redact(s)
		}
		in.Interface = redacted
		return in
	}
	return zap.String(in.Key, cmp.Or(f.Replacement, "REDACTED"))
}

// redact returns s without secrets.
func (f *Redact) redact(s string) string {
	var buf [512]byte
	out := f.redactor.Append(buf[:0], s)
	if string(out) == s {
		return s
	}
	return string(out)
}

var (
	_ caddy.Provisioner      = (*Redact)(nil)
	_ caddyfile.Unmarshaler  = (*Redact)(nil)
	_ logging.LogFieldFilter = (*Redact)(nil)
)
