package main

// A library is this one, a peer, or a floor. Its works leave out each task for which it has no function, so
// that nothing is measured that its users would have to write themselves.
type library struct {
	name   string
	module string // or the package of the standard library
	reads  string // the grammar that it follows
	does   string // to valid input
	floor  bool   // not a library, but a lower bound for all of them
	works  map[string]work
}

// ours is the first of libraries.
const ours = "uri"

// libraries lists the libraries in the order of tables and charts.
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
			"reads input without \"//\" as a path, and adds the scheme http",
		works: fasthttpWorks,
	},
	{
		name: "fredbi", module: "github.com/fredbi/uri", reads: "RFC 3986, and DNS names for many schemes",
		does: "finds components; rejects most IPv4addresses, hosts that are not DNS names, " +
			"schemes of one letter, and relative references that contain \":\" or begin with \"?\" or \"#\"",
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
		does: "finds components, does not split the authority",
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
	{
		name: "sum", floor: true,
		works: map[string]work{"Parse": onLines(sumLine)},
	},
}

// parser returns the op of the task Parse for a function that returns a value or an error.
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
