package main

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/seed-56a50ac9/uri"
	"github.com/spf13/pflag"
)

// maxMaxLine is small enough for the size of a buffer to fit an int on every machine.
const maxMaxLine = 1 << 30

// maxJobs is the default limit of workers. One core reads fast enough for about as many.
const maxJobs = 8

// Reading is the flags that say what to read.
type reading struct {
	log       string
	uri       string
	column    int
	delimiter string
	find      []string
	uris      bool
	form      choice[uri.Form]
	lenient   bool
	text      bool
	maxLine   int
	jobs      int
	where     string
	flags     *pflag.FlagSet
}

// forms are the values of --form.
var forms = []option[uri.Form]{
	{"reference", uri.Reference},
	{"uri", uri.URI},
	{"absolute", uri.AbsoluteURI},
	{"relative", uri.RelativeRef},
	{"origin", uri.OriginForm},
	{"authority", uri.AuthorityForm},
	{"asterisk", uri.AsteriskForm},
	{"host", uri.HostField},
}

// define defines the flags.
func (r *reading) define() *pflag.FlagSet {
	f := newFlagSet()
	r.flags = f
	r.form.options = forms
	f.StringVar(&r.log, "log", "", "`format` of a log: combined, common, caddy or jsonl:KEY")
	f.StringVar(&r.uri, "uri", "", "`which` URI of the log: request, referer or a JSON KEY")
	f.IntVar(&r.column, "column", 0, "read the `N`-th column of each line")
	f.StringVar(&r.delimiter, "delimiter", "", "`text` between columns (default: spaces and TABs)")
	f.StringSliceVar(&r.find, "find", nil, "find URIs in text: all with //, or `SCHEME,...`")
	f.Lookup("find").NoOptDefVal = anyScheme
	f.BoolVar(&r.uris, "uris", false, "arguments are URIs, not files, whatever they look like")
	f.Var(&r.form, "form", "`form` that a URI must match, see \"uriscan help reading\"")
	f.BoolVar(&r.lenient, "lenient", false, "accept what browsers send: spaces, non-ASCII, stray %")
	f.StringVarP(&r.where, "where", "w", "", "select by `condition`, see \"uriscan help where\"")
	f.BoolVarP(&r.text, "text", "a", false, "read as text what looks like a log or binary data")
	f.IntVar(&r.maxLine, "max-line", 1<<20, "maximum `bytes` in a line; a longer line is invalid")
	f.IntVarP(&r.jobs, "jobs", "j", 0, "`number` of workers (default: one per core, at most 8)")
	return f
}

// workers returns the number of workers.
func (r *reading) workers() int {
	if r.jobs > 0 {
		return r.jobs
	}
	return min(runtime.GOMAXPROCS(0), maxJobs)
}

// formOf returns the form, lenient if that is wanted.
func (r *reading) formOf(form uri.Form) uri.Form {
	if r.lenient {
		form |= uri.Lenient
	}
	return form
}

// A plan says how to get a URI from a line.
type plan struct {
	form      uri.Form
	extractor func() extractor // of a worker; nil if a line is a URI
}

// plan checks the flags.
func (r *reading) plan() (p plan, err error) {
	switch {
	case r.maxLine < 1 || r.maxLine > maxMaxLine:
		return p, fmt.Errorf("--max-line must be 1 to %d", maxMaxLine)
	case r.jobs < 0 || r.jobs > 1024:
		return p, errors.New("--jobs must be 1 to 1024")
	case r.flags.Changed("column") && r.column < 1:
		return p, errors.New("--column must be at least 1")
	case r.flags.Changed("delimiter") && r.delimiter == "":
		return p, errors.New("--delimiter must not be empty")
	case r.flags.Changed("delimiter") && r.column == 0:
		return p, errors.New("--delimiter needs --column")
	case r.uri != "" && r.log == "":
		return p, errors.New("--uri needs --log")
	}
	ways := 0
	for _, given := range []bool{r.log != "", r.column > 0, r.find != nil, r.uris} {
		if given {
			ways++
		}
	}
	if ways > 1 {
		return p, errors.New("give only one of --log, --column, --find and --uris")
	}
	p.form = r.formOf(r.form.value())
	switch {
	case r.log != "":
		p.extractor, err = r.logExtractor(p.form)
	case r.find != nil:
		p.extractor, err = r.findExtractor()
	case r.column > 0:
		p.extractor = columnExtractor(p.form, r.column, unescape(r.delimiter))
	}
	return p, err
}

// anyScheme is the value of --find without schemes.
const anyScheme = "any"

// findExtractor returns the extractor for --find.
func (r *reading) findExtractor() (func() extractor, error) {
	form := uri.URI
	if r.flags.Changed("form") {
		form = r.form.value()
	}
	if form != uri.URI && form != uri.AbsoluteURI {
		return nil, errors.New("--find supports only the forms uri and absolute")
	}
	var schemes []string
	for _, scheme := range r.find {
		switch {
		case scheme == anyScheme:
		case !looksLikeURI(scheme+":") && len(scheme) != 1:
			return nil, fmt.Errorf("--find: %q is not a scheme", scheme)
		default:
			schemes = append(schemes, scheme)
		}
	}
	form = r.formOf(form)
	return func() extractor { return findExtractor(form, schemes) }, nil
}

// logExtractor returns the extractor for --log and --uri.
func (r *reading) logExtractor(form uri.Form) (func() extractor, error) {
	name, key, found := strings.Cut(r.log, ":")
	which := r.uri
	switch {
	case found && (name != "jsonl" || key == ""):
		return nil, fmt.Errorf("unknown log %q; use jsonl:KEY", r.log)
	case found && which != "":
		return nil, errors.New("give the key of the URI in --log or in --uri, not in both")
	case found:
		which = key
	case which == "" && name == "jsonl":
		return nil, errors.New("--log jsonl needs the key of the URI: --log jsonl:KEY")
	case which == "":
		which = "request"
	}
	if which == "request" && name != "jsonl" && r.flags.Changed("form") {
		return nil, errors.New("--form does not apply to requests: the method determines the form of the target")
	}
	request := r.formOf(0)
	switch name {
	case "combined", "common":
		switch {
		case which == "request":
			return func() extractor { return requestExtractor(request) }, nil
		case which == "referer" && name == "combined":
			return func() extractor { return refererExtractor(form) }, nil
		case which == "referer":
			return nil, errors.New("a log in the common format has no referrers; use --log combined")
		}
		return nil, fmt.Errorf("unknown --uri %q; use request or referer", which)
	case "caddy":
		switch which {
		case "request":
			return func() extractor { return caddyExtractor(request) }, nil
		case "referer":
			which = "request.headers.Referer.0"
		}
		return func() extractor { return jsonExtractor(form, which) }, nil
	case "jsonl":
		return func() extractor { return jsonExtractor(form, which) }, nil
	}
	return nil, fmt.Errorf("unknown log %q; use combined, common, caddy or jsonl:KEY", r.log)
}
