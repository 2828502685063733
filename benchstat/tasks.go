package main

// A task is what is measured. Every task begins with the text of a line, as a proxy or a log processor has
// it, but Build, which begins with elements. Its name is that of the benchmark.
type task struct{ name, title, what string }

var tasks = []task{
	{"Parse", "Parse", "find the components of a line"},
	{"Components", "Parse and read every component",
		"parse a line and read scheme, userinfo, host, port, path, query and fragment"},
	{"Validate", "Validate", "tell whether a line is a URI-reference, and no more"},
	{"Params", "Iterate query parameters",
		"parse a line and read every key and value of its query, decoded as of a form"},
	{"Resolve", "Resolve", "parse a line and resolve it against one base, to a text"},
	{"Normalize", "Normalize", "parse a line and normalize it, to a text"},
	{"Build", "Build", "write a URI from scheme, host, port, a path that is not encoded and a query that is"},
	{"Decode", "Percent-decode", "percent-decode a line"},
}

// base is what Resolve resolves against.
const base = "https://www.example.com/shop/articles/index.html?page=1"

// A pass does a task with every line once. What it returns depends on all results, so that they must be
// computed.
type pass func() int

// A work makes the pass of a library for a corpus. What is made here, such as buffers, is used again for
// every line.
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

// count returns over how many lines a pass of the task goes.
func (c *corpus) count(task string) int {
	if task == "Build" {
		return len(c.elements)
	}
	return len(c.lines)
}

// notFirst says why a peer may be faster than this library at a task. What has no reason here is not known to
// be.
var notFirst = map[string]string{
	"Build/neturl":   "writes host and query as they are, whatever they have",
	"Build/fasthttp": "writes host and query as they are, whatever they have",
	"Decode/fasthttp": "takes broken escapes for text, and only copies where it finds no \"%\"; " +
		"this library checks every escape before it decodes one",
}

func whyFaster(task, lib string) string {
	why := notFirst[task+"/"+lib]
	if why == "" {
		why = "no reason known"
	}
	return lib + ": " + why + "."
}
