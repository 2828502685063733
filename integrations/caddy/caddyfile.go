package uricaddy

import (
	"strconv"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// parsePolicy parses the directive uri_policy.
func parsePolicy(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	p := new(Policy)
	return p, p.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile sets the fields from Caddyfile tokens. For the syntax see [Policy].
func (p *Policy) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the name of the directive
	if d.NextArg() {
		p.Preset = d.Val()
	}
	if d.NextArg() {
		return d.ArgErr()
	}
	if _, err := p.combine(); err != nil {
		return d.WrapErr(err)
	}
	seen := map[string]bool{}
	for d.NextBlock(0) {
		name := d.Val()
		if seen[name] {
			return d.Errf("%s is set twice", name)
		}
		seen[name] = true
		if err := p.unmarshalOption(d, name); err != nil {
			return err
		}
		if d.NextArg() {
			return d.ArgErr()
		}
		if _, err := p.combine(); err != nil {
			return d.WrapErr(err)
		}
	}
	if _, err := p.resolve(); err != nil {
		return d.WrapErr(err)
	}
	return nil
}

// unmarshalOption sets the option whose name was read.
func (p *Policy) unmarshalOption(d *caddyfile.Dispenser, name string) error {
	switch name {
	case "lenient_query":
		return unmarshalSwitch(d, &p.LenientQuery)
	case "utf8_path":
		return unmarshalSwitch(d, &p.UTF8Path)
	case "normalize_path":
		return unmarshalSwitch(d, &p.NormalizePath)
	case "merge_slashes":
		return unmarshalSwitch(d, &p.MergeSlashes)
	case "check_host":
		return unmarshalSwitch(d, &p.CheckHost)
	case "escaped_slashes":
		return unmarshalWord(d, &p.EscapedSlashes)
	case "path_params":
		return unmarshalWord(d, &p.PathParams)
	case "status":
		var code string
		if err := unmarshalWord(d, &code); err != nil {
			return err
		}
		var err error
		if p.Status, err = strconv.Atoi(code); err != nil || p.Status == 0 {
			return d.Errf("status: %q is not from 400 to 599", code)
		}
		return nil
	}
	if traitNamed(name) == 0 {
		return d.Errf("%q is not an option of uri_policy or the name of a trait", name)
	}
	var action string
	if err := unmarshalWord(d, &action); err != nil {
		return err
	}
	if action != "refuse" && action != "keep" {
		return d.Errf("%s: %q is not refuse or keep", name, action)
	}
	if p.RefuseTraits == nil {
		p.RefuseTraits = map[string]bool{}
	}
	p.RefuseTraits[name] = action == "refuse"
	return nil
}

// unmarshalSwitch sets a field to on or off. Nothing means on.
func unmarshalSwitch(d *caddyfile.Dispenser, to **bool) error {
	name, value := d.Val(), "on"
	if d.NextArg() {
		value = d.Val()
	}
	if value != "on" && value != "off" {
		return d.Errf("%s: %q is not on or off", name, value)
	}
	*to = new(bool)
	**to = value == "on"
	return nil
}

// unmarshalWord sets a field to the next argument.
func unmarshalWord(d *caddyfile.Dispenser, to *string) error {
	if !d.NextArg() {
		return d.ArgErr()
	}
	*to = d.Val()
	return nil
}

var _ caddyfile.Unmarshaler = (*Policy)(nil)
