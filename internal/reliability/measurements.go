package main

import (
	"fmt"
	"regexp"
	"strconv"
)

// A measurement is a command, and what is read from its output.
type measurement struct {
	section, name, command string
	figures                []figure
}

// A figure is read from the lines that match the pattern, in the way of value.
type figure struct {
	what    string
	value   func(pattern *regexp.Regexp, lines []string, end string) string
	pattern *regexp.Regexp
}

// outcome is for commands that pass or do not.
func outcome(what string) figure {
	return figure{what, func(_ *regexp.Regexp, _ []string, end string) string { return end }, regexp.MustCompile(`^$.`)}
}

// count is the number of lines.
func count(what, pattern string) figure {
	return figure{what, func(pattern *regexp.Regexp, lines []string, _ string) string {
		return strconv.Itoa(len(numbers(pattern, lines)))
	}, regexp.MustCompile(pattern)}
}

// sum adds the numbers up, each group of the pattern by itself.
func sum(what, pattern string) figure {
	return figure{what, func(pattern *regexp.Regexp, lines []string, _ string) string {
		all := numbers(pattern, lines)
		if len(all) == 0 {
			return ""
		}
		total := make([]float64, len(all[0]))
		for _, groups := range all {
			for i, n := range groups {
				total[i] += n
			}
		}
		return joined(total)
	}, regexp.MustCompile(pattern)}
}

// largest is the largest of the numbers.
func largest(what, pattern string) figure {
	return figure{what, func(pattern *regexp.Regexp, lines []string, _ string) string {
		all := numbers(pattern, lines)
		if len(all) == 0 {
			return ""
		}
		most := all[0]
		for _, groups := range all {
			for i, n := range groups {
				most[i] = max(most[i], n)
			}
		}
		return joined(most)
	}, regexp.MustCompile(pattern)}
}

// numbers returns those that the groups of the pattern have found, of each line that matches.
func numbers(pattern *regexp.Regexp, lines []string) (all [][]float64) {
	for _, line := range lines {
		m := pattern.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		groups := []float64{}
		for _, text := range m[1:] {
			n, err := strconv.ParseFloat(text, 64)
			check(err)
			groups = append(groups, n)
		}
		all = append(all, groups)
	}
	return all
}

// joined says that so many are of so many.
func joined(all []float64) (text string) {
	for i, n := range all {
		if i > 0 {
			text += " of "
		}
		text += strconv.FormatFloat(n, 'f', -1, 64)
	}
	return text
}

// test is the command that runs tests of the root package, all that they have at night.
func test(flags, tests string) string {
	return fmt.Sprintf("URI_NIGHTLY=1 go test -count=1 -timeout=0 -v %s-run '^(%s)$' .", flags, tests)
}

// allocating are the tests that fail where the compiler checks pointers or does not optimize: it then allocates.
const allocating = "'^(TestNoAllocations|TestBuilderAllocations|TestOperationAllocations|TestNoEscape)$'"

// measurements are all, in the page's order.
var measurements = []measurement{
	{"Automata from the grammar", "automaton", "go test -count=1 -timeout=0 -v -run '^TestSuite$' ./internal/automaton", []figure{
		sum("states of the minimal automaton of URI-reference", `URI-reference: (\d+) states`),
		sum("classes of bytes", `URI-reference: \d+ states, (\d+) classes`),
		sum("texts of the complete suite (Wp method) for URI-reference", `URI-reference: .* (\d+) texts find`),
		sum("single faults of all forms' automata that the suites find", `texts find (\d+) of (\d+) single faults`),
	}},
	{"Complete suites, put to every level", "suite", test("", "TestSuite"), []figure{
		sum("texts of the suites with two extra states, all forms, strict and lenient", `: (\d+) texts`),
	}},
	{"Complete suites, put to every level", "bytes", test("", "TestEveryByte"), []figure{
		sum("texts that take every byte from every state", `: (\d+) texts`),
	}},
	{"Complete suites, put to every level", "pumped", test("", "TestPumped"), []figure{
		sum("texts with a loop taken 0 to 130 times", `: (\d+) texts`),
	}},
	{"Complete suites, put to every level", "exhaustive", test("", "TestExhaustive"), []figure{
		sum("all texts of up to six classes", `: (\d+) texts`),
	}},
	{"Complete suites, put to every level", "addresses", "go test -count=1 -v -run '^Test(IPTokens|IPv6|IPv4)$' .", []figure{
		outcome("all sequences of the tokens of addresses, against the automaton and net/netip"),
	}},
	{"Memory", "guard", test("", "TestGuardPages|TestGuardedReaders|TestGuardCanary|TestOperationGuardPages"), []figure{
		count("tests between pages that fault, with one that must fault", `^--- PASS`),
	}},
	{"Memory", "longest", test("", "TestLongest|TestLonger|TestTooLong|TestLongTexts"), []figure{
		count("tests of texts around 4 GiB", `^--- PASS`),
	}},
	{"Memory", "longest386", "GOARCH=386 CGO_ENABLED=0 " + test("", "TestLongest|TestLonger|TestTooLong|TestLongTexts"), []figure{
		count("tests of texts around 2 GiB on 386", `^--- PASS`),
	}},
	{"Memory", "race", "go test -count=1 -timeout=0 -race -short ./...", []figure{outcome("race detector")}},
	{"Memory", "asan", "CGO_ENABLED=1 go test -count=1 -timeout=0 -asan -short -skip " + allocating + " .", []figure{outcome("address sanitizer")}},
	{"Memory", "checkptr", "go test -count=1 -timeout=0 -short -gcflags=all=-d=checkptr=2 -skip " + allocating + " .", []figure{outcome("every use of unsafe checked")}},
	{"Memory", "unoptimized", "go test -count=1 -timeout=0 -short -gcflags='all=-N -l' -skip " + allocating + " .", []figure{outcome("nothing optimized, nothing inlined")}},
	{"Platforms", "platforms", ".ci/platforms all", []figure{
		count("machines that the tests run on", `^ *passed: `),
		count("systems that it is built for without running", `^ *built: `),
	}},
	{"Semantics", "resolution", test("", "TestResolve"), []figure{
		sum("examples of RFC 3986 section 5.4 resolved as it says", `: (\d+) examples`),
	}},
	{"Semantics", "written", "go test -count=1 -v -run '^Test(WrittenAsGiven|(Normalized|Less|TargetURI)AsMeant)$' .", []figure{
		sum("texts written, normalized, redacted and less parameters, that scan back to what was meant", `: (\d+) texts`),
	}},
	{"Semantics", "pairs", "go test -count=1 -v -run '^TestPairs$' .", []figure{
		sum("pairs resolved, made relative and built of, that scan back to what was meant", `: (\d+) pairs`),
	}},
	{"Time", "time", "URI_NIGHTLY=1 go test -count=1 -timeout=0 -v -run " +
		"'^TestLinearTime$/./^(Scan.*|AppendNormalized|AppendResolved.*|AppendRedacted)$' .", []figure{
		largest("worst time a byte, as a multiple of the typical", `([\d.]+) times that`),
		largest("steepest slope of the logarithms of time over length, of what writes beyond that of a copy", `steepest ([\d.]+) of`),
	}},
	{"The tests' own strength", "coverage", "go test -count=1 -short -cover .", []figure{
		largest("statements of the root package, per cent", `coverage: ([\d.]+)% of statements`),
	}},
	{"The tests' own strength", "bits", test("", "TestChartMutants|TestLaneMutants|TestKernelMutants"), []figure{
		sum("flipped bits of the kernels' tables that are found; a model says that the others mean nothing", `probes find (\d+) of (\d+) flipped bits`),
		sum("flipped bits of the portable code's tables, each found", `: (\d+) flipped bits$`),
	}},
	{"The tests' own strength", "bits-arm64", "CGO_ENABLED=0 GOARCH=arm64 go test -count=1 -v -exec qemu-aarch64 -run '^TestKernelMutants$' .", []figure{
		sum("flipped bits of the NEON kernel's table, each found", `: (\d+) flipped bits$`),
	}},
	{"The tests' own strength", "mutants", ".ci/mutants", []figure{
		sum("mutants of the code that a test finds", `^mutants killed: (\d+)`),
		sum("mutants that do not end", `^mutants timed out: (\d+)`),
		sum("mutants that are on the reviewed list of equivalents", `^mutants equivalent: (\d+)`),
		count("files whose mutants were not judged again, as the file had not changed", `^kept: `),
	}},
	{"The tests' own strength", "fuzz", "go test -list '^Fuzz' . | grep ^Fuzz | while read -r f; do " +
		"go test -run '^$' -fuzz \"^$f\\$\" -fuzztime 100000x -fuzzminimizetime 100x . || exit; done", []figure{
		count("fuzz targets, each with a judge, of 100000 executions or more", `^ok\s`),
	}},
	{"Hygiene", "api", test("", "TestAPI|TestDocumented|TestMeasuredAndGuarded"), []figure{
		largest("lines of the API, as meant and documented", `: (\d+) lines of API`),
		sum("functions of the API, each in the tests of allocation and of guard pages, or with a reason why not", `: (\d+) functions measured`),
	}},
	{"Hygiene", "recursion", test("", "TestNoRecursion"), []figure{
		largest("functions and variables of which none comes back to itself", `: (\d+) functions and variables`),
	}},
	{"Hygiene", "run", ".ci/run", []figure{
		count("steps of a commit's check, with gofumpt, staticcheck, go fix and apidiff", `^--- \d+s$`),
	}},
}
