// Command mutants judges the mutants found by gremlins. If no test distinguishes a mutant from the original
// code, the reviewed list must say that the two are equivalent.
//
//	go run ./internal/mutants report.json...
//
// .ci/mutants runs it in the folder of the root module.
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// reviewed is the list. A line that begins with "#" gives the reason for the lines after it. Each of these
// has the file, the kind of mutant, and the line of code with "«" before the change. Without line numbers,
// the list stays correct if only these change.
const reviewed = "testdata/mutants.txt"

// A report is the output of gremlins --output.
type report struct {
	Files []struct {
		Name    string   `json:"file_name"`
		Mutants []mutant `json:"mutations"`
	} `json:"files"`
}

type mutant struct {
	Line, Column int
	Kind         string `json:"type"`
	Status       string
}

func main() {
	listed, err := list(reviewed)
	check(err)
	counts := map[string]int{}
	var missing []string
	judged, living := map[string]bool{}, map[string]bool{}
	for _, name := range os.Args[1:] {
		var r report
		text, err := os.ReadFile(name)
		check(err)
		check(json.Unmarshal(text, &r))
		for _, f := range r.Files {
			source, err := os.ReadFile(f.Name)
			check(err)
			lines := strings.Split(string(source), "\n")
			judged[f.Name] = true
			for _, m := range f.Mutants {
				entry := m.entry(f.Name, lines)
				switch {
				case listed[entry] && (m.Status == "LIVED" || m.Status == "TIMED OUT"): // all tests may take too long
					living[entry] = true
					counts["equivalent"]++
				case m.Status != "LIVED":
					counts[strings.ToLower(m.Status)]++
				default:
					counts["survived"]++
					missing = append(missing, fmt.Sprintf("%s:%d: %s", f.Name, m.Line, entry))
				}
			}
		}
	}
	for _, status := range slices.Sorted(maps.Keys(counts)) {
		fmt.Printf("mutants %s: %d\n", status, counts[status])
	}
	slices.Sort(missing)
	for _, entry := range missing {
		fmt.Println("survivor:", entry)
	}
	stale := 0
	for _, entry := range slices.Sorted(maps.Keys(listed)) {
		if file, _, _ := strings.Cut(entry, " "); judged[file] && !living[entry] {
			fmt.Println("listed, but does not survive:", entry)
			stale++
		}
	}
	if len(missing)+stale > 0 || len(os.Args) == 1 {
		os.Exit(1)
	}
}

// entry returns the line of the list for a mutant.
func (m mutant) entry(file string, lines []string) string {
	line := lines[m.Line-1]
	return fmt.Sprintf("%s %s %s", file, m.Kind, strings.TrimSpace(line[:m.Column-1]+"«"+line[m.Column-1:]))
}

// list reads the reviewed mutants.
func list(name string) (map[string]bool, error) {
	text, err := os.ReadFile(name)
	all := map[string]bool{}
	reason := ""
	for number, line := range strings.Split(string(text), "\n") {
		switch {
		case line == "":
			reason = ""
		case strings.HasPrefix(line, "#"):
			reason = line
		default:
			if reason == "" {
				err = cmp.Or(err, fmt.Errorf("%s:%d: no reason is given", name, number+1))
			}
			all[line] = true
		}
	}
	return all, err
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
}
