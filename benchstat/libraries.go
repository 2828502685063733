package main

// A library is what does tasks: this one, a peer, or a floor. A task that it has no function for is not in
// works: nothing is put together here that its users would have to write themselves.
type library struct {
	name   string
	module string // or the package of the standard library
	reads  string // what grammar it goes by
	does   string // what it does to valid texts
	floor  bool   // no library, but what none goes below
	works  map[string]work
}

// ours is the first of libraries.
const ours = "uri"

// libraries are in the order in which tables and charts have them.
var libraries = []library{
	{
		name: ours, module: "github.com/seed-56a50ac9/uri", reads: "RFC 3986",
		does:  "finds components, changes nothing",
		works: uriWorks,
	},
	{
		name: "neturl", module: "net/url", reads: "RFC 3986, loosely",
		does: "decodes userinfo, host, path and fragment, and keeps a hint of the path; " +
			"rejects escapes of ASCII in a host",
		works: netURLWorks,
	},
	{
		name: "fasthttp", module: "github.com/valyala/fasthttp", reads: "http URLs and request targets",
		does: "decodes and rewrites the path, lower-cases the host; " +
			"takes what has no \"//\" for a path, puts http before it",
		works: fasthttpWorks,
	},
	{
		name: "fredbi", module: "github.com/fredbi/uri", reads: "RFC 3986, and DNS names for many schemes",
		does: "finds components; rejects most IPv4addresses, hosts that are no DNS names, schemes of one letter, " +
			"relative references with a \":\" or that begin with \"?\" or \"#\"",
		works: fredbiWorks,
	},
	{
		name: "whatwg", module: "github.com/nlnwa/whatwg-url", reads: "the WHATWG's URL Standard",
		does: "normalizes: lower-cases, removes dot segments and default ports, rewrites addresses; " +
			"relative references need a base",
		works: whatwgWorks,
	},
	{
		name: "regexp", module: "regexp", reads: "RFC 3986 Appendix B",
		does: "finds components, does not divide the authority",
		works: map[string]work{
			"Parse": onLines(regexpParse),
		},
	},
	{
		name: "copy", floor: true,
		works: map[string]work{"Parse": onLines(copyLine)},
	},
	{
		name: "indexbyte", floor: true,
		works: map[string]work{"Parse": onLines(indexLine)},
	},
}

// parser is the task Parse where a function returns something or an error.
func parser[T any](parse func(string) (T, error)) func() func(string) int {
	return func() func(string) int {
		return func(text string) int {
			if _, err := parse(text); err != nil {
				return 0
			}
			return 1
		}
	}
}
