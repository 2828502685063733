package main

import (
	"errors"
	"strings"

	"github.com/seed-56a50ac9/uri"
	"github.com/spf13/cobra"
)

// A filter prints what a function makes of each record.
type filter struct {
	*worker
	change func(dst []byte, r *record) ([]byte, error)

	// invalid is the same for invalid records. They are reported instead if it is nil, or if there is a --where,
	// which selects none of them.
	invalid func(dst []byte, r *record) []byte
}

func (f *filter) accept(r *record) {
	before := len(f.out)
	out, err := f.change(f.out, r)
	if err != nil {
		f.out = out[:before]
		f.valid--
		f.worker.invalid++
		r.err, r.offset = err, -1
		f.report(r)
		return
	}
	f.out = append(out, '\n')
}

func (f *filter) reject(r *record) {
	if f.invalid == nil || r.text == nil || f.where != nil {
		f.report(r)
		return
	}
	f.out = append(f.invalid(f.out, r), '\n')
}

// newFilter returns a command that is a filter. plan checks the flags and returns the filter.
func newFilter(a *app, cmd *cobra.Command, own *flagSet, plan func() (filter, error)) *cobra.Command {
	cmd.Args = cobra.ArbitraryArgs
	own.BoolVar(&a.strict, "strict", false, "exit with status 1 if a URI is invalid")
	setWork(cmd, own, func(cmd *cobra.Command, args []string) error {
		f, err := plan()
		if err != nil {
			return err
		}
		return a.do(cmd.Context(), args, job{newSink: func(w *worker) sink {
			own := f
			own.worker = w
			return &own
		}})
	})
	return cmd
}

// A normalizing is the flags that say how far to normalize.
type normalizing struct {
	level      choice[uri.Step]
	sortParams bool
	noFragment bool
}

func (n *normalizing) define(f *flagSet) {
	n.level.options = []option[uri.Step]{{"syntax", uri.SyntaxBased}, {"scheme", uri.SchemeBased}}
	f.Var(&n.level, "level", "syntax (RFC 3986 section 6.2.2) or scheme (also 6.2.3)")
	f.BoolVar(&n.sortParams, "sort-params", false, "sort the parameters of the query")
	f.BoolVar(&n.noFragment, "drop-fragment", false, "drop the fragment")
}

func (n *normalizing) steps() uri.Step {
	steps := n.level.value()
	if n.sortParams {
		steps |= uri.SortParams
	}
	if n.noFragment {
		steps |= uri.DropFragment
	}
	return steps
}

func newNormalize(a *app) *cobra.Command {
	var n normalizing
	own := newFlagSet()
	n.define(own)
	return newFilter(a, &cobra.Command{
		Use:   "normalize [flags] [file or URI ...]",
		Short: "Write URIs in their normal form",
		Long: `Write URIs in their normal form (RFC 3986 section 6.2), in which equivalent URIs
are the same text. Invalid URIs are reported and left out.`,
		Example: `  uriscan normalize urls.txt
  uriscan normalize --level scheme --sort-params 'HTTP://A.COM:80/b/../c?z&y'`,
	}, own, func() (filter, error) {
		steps := n.steps()
		return filter{change: func(dst []byte, r *record) ([]byte, error) {
			return r.view.AppendNormalized(dst, steps), nil
		}}, nil
	})
}

func newResolve(a *app) *cobra.Command {
	var base string
	own := newFlagSet()
	own.StringVar(&base, "base", "", "`URI` that references are relative to (required)")
	return newFilter(a, &cobra.Command{
		Use:   "resolve --base URI [flags] [file or URI ...]",
		Short: "Resolve references against a base URI",
		Long: `Resolve references against a base URI (RFC 3986 section 5). Invalid references
are reported and left out.`,
		Example: `  uriscan resolve --base http://example.com/a/b links.txt
  uriscan resolve --base http://example.com/a/b --uris ../c '?q' '#f'`,
	}, own, func() (filter, error) {
		v, err := uri.Parse(base)
		if err != nil || v.IsRelative() {
			return filter{}, errors.New("--base must be a valid URI with a scheme")
		}
		return filter{change: func(dst []byte, r *record) ([]byte, error) {
			return uri.AppendResolved(dst, &v, r.view, 0)
		}}, nil
	})
}

func newRedact(a *app) *cobra.Command {
	var keys []string
	own := newFlagSet()
	own.StringSliceVar(&keys, "keys", nil,
		"`key,...` of more parameters that are secret")
	return newFilter(a, &cobra.Command{
		Use:   "redact [flags] [file or URI ...]",
		Short: "Replace user names, passwords and secret parameters",
		Long: `Replace user names, passwords and secret parameters with REDACTED. Keys such as
password, token, signature and session are secret, and so are those of --keys.
Without --where, invalid URIs are redacted too: more than the secrets may be
removed from them, but never less. Control characters are percent-encoded.`,
		Example: `  uriscan redact urls.txt
  uriscan redact --keys voucher,email --log combined access.log`,
	}, own, func() (filter, error) {
		redact := func(dst []byte, r *record) []byte {
			return uri.AppendRedacted(dst, r.text, keys)
		}
		return filter{
			change:  func(dst []byte, r *record) ([]byte, error) { return redact(dst, r), nil },
			invalid: redact,
		}, nil
	})
}

// tracking are parameters that only say where a visitor came from.
var tracking = []string{
	"utm_*", "gclid", "gbraid", "wbraid", "dclid", "fbclid", "msclkid", "twclid", "yclid", "mc_cid", "mc_eid",
	"igshid", "_ga", "_gl",
}

func newStrip(a *app) *cobra.Command {
	var drop []string
	var query, fragment bool
	own := newFlagSet()
	own.StringSliceVar(&drop, "drop", tracking, "`key,...` of parameters to drop; * is any text")
	own.BoolVar(&query, "drop-query", false, "drop the whole query")
	own.BoolVar(&fragment, "drop-fragment", false, "drop the fragment")
	return newFilter(a, &cobra.Command{
		Use:   "strip [flags] [file or URI ...]",
		Short: "Drop parameters, by default those that track visitors",
		Long: `Drop parameters from URIs, by default those that track visitors. Everything else
stays as it is, in its order. Invalid URIs are reported and left out.`,
		Example: `  uriscan strip urls.txt
  uriscan strip --drop 'utm_*,ref' --drop-fragment urls.txt`,
	}, own, func() (filter, error) {
		var matches []func([]byte) bool
		for _, key := range drop {
			matches = append(matches, equal(key, false))
		}
		return filter{change: stripper(matches, query, fragment)}, nil
	})
}

// stripper returns the change that drops the parameters whose key, once decoded, matches, and what else is to
// be dropped.
func stripper(matches []func([]byte) bool, query, fragment bool) func([]byte, *record) ([]byte, error) {
	return func(dst []byte, r *record) (_ []byte, err error) {
		var key []byte
		start := len(dst)
		dst, err = r.view.AppendMappedParams(dst, func(p uri.Param) (uri.ParamAction, uri.Part) {
			key = appendFormDecode(key[:0], p.Key)
			for _, match := range matches {
				if match(key) {
					return uri.DropParam, uri.Part{}
				}
			}
			return uri.KeepParam, uri.Part{}
		})
		if err != nil || !query && !fragment {
			return dst, err
		}
		text := string(dst[start:])
		text, tail, found := strings.Cut(text, "#")
		if query {
			text, _, _ = strings.Cut(text, "?")
		}
		if found && !fragment {
			text += "#" + tail
		}
		return append(dst[:start], text...), nil
	}
}
