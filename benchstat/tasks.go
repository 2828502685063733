package main

// A task is what is measured. Every task starts from a line, as a proxy or a log processor reads it, except
// Build, which starts from elements. The benchmark has the same name.
type task struct{ name, title, what string }

var tasks = []task{
	{"Parse", "Parse", "find the components of a line"},
	{
		"Components", "Parse and read every component",
		"parse a line and read scheme, userinfo, host, port, path, query and fragment",
	},
	{"Validate", "Validate", "report whether a line is a URI-reference, and nothing else"},
	{
		"Params", "Iterate query parameters",
		"parse a line and read every key and value of its query, decoded as form data",
	},
	{"Resolve", "Resolve", "parse a line, resolve it against a base, and write the result"},
	{"Normalize", "Normalize", "parse a line, normalize it, and write the result"},
	{"Build", "Build", "write a URI from a scheme, a host, a port, a decoded path and an encoded query"},
	{"Decode", "Percent-decode", "percent-decode a line"},
}

// base is what Resolve resolves against.
const base = "https://www.example.com/shop/articles/index.html?page=1"

// A pass does a task with every line once. Its result depends on the results for all lines, so that the
// compiler cannot drop any.
type pass func() int

// A work makes the pass of a library for a corpus. All lines share what it makes, such as buffers.
type work func(*corpus) pass

func onLines(newOp func() func(line []byte) int) work {
	return func(c *corpus) pass { return each(c.lines, newOp()) }
}

func onTexts(newOp func() func(text string) int) work {
	return func(c *corpus) pass { return each(c.texts, newOp()) }
}

func onElements(newOp func() func(e elements) int) work {
	return func(c *corpus) pass { return each(c.elements, newOp()) }
}

func each[T any](items []T, op func(T) int) pass {
	return func() (sum int) {
		for _, item := range items {
			sum += op(item)
		}
		return sum
	}
}

// count returns the number of lines in a pass of the task.
func (c *corpus) count(task string) int {
	if task == "Build" {
		return len(c.elements)
	}
	return len(c.lines)
}

// notFirst gives the reason why a peer may be faster than this library at a task.
var notFirst = map[string]string{
	"Build/neturl":   "writes host and query without checking them",
	"Build/fasthttp": "writes host and query without checking them",
	"Decode/fasthttp": "keeps broken escapes, and just copies a line without \"%\"; " +
		"this library checks every escape before it decodes one",
}

func whyFaster(task, lib string) string {
	why := notFirst[task+"/"+lib]
	if why == "" {
		why = "no reason known"
	}
	return lib + ": " + why + "."
}
