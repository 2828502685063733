// Command reliability writes RELIABILITY.md: what has been measured of how far this library can be trusted.
//
//	go run ./internal/reliability                 # write the page from the logs
//	go run ./internal/reliability -run suite,time # measure these anew (all: every one), then write it
//
// Nothing on the page is typed in. Each figure is read from the log of a command, and one that has no log, or whose command
// has failed, is said to have none.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

const (
	page = "RELIABILITY.md"
	logs = "internal/reliability/logs"
)

func main() {
	names := flag.String("run", "", "measure these, separated by commas, or all")
	flag.Parse()
	failed := false
	for _, m := range measurements {
		if *names == "all" || slices.Contains(strings.Split(*names, ","), m.name) {
			fmt.Printf("=== %s: %s\n", m.name, m.command)
			l := m.measure()
			check(os.MkdirAll(logs, 0o777))
			check(os.WriteFile(filepath.Join(logs, m.name+".txt"), []byte(l), 0o666))
			failed = failed || !readLog(l).passed
			writePage() // tests that are among the commands compare it with the logs
		}
	}
	writePage()
	if failed {
		os.Exit(1)
	}
}

func writePage() {
	text, err := write(logs)
	check(err)
	check(os.WriteFile(page, []byte(text), 0o666))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "reliability:", err)
		os.Exit(2)
	}
}

// measure runs the command and returns its log:
//
//	$ command
//	date | commit | CPU | Go
//	the lines that figures are read from, or if it fails the last ones
//	passed in 1m2s
func (m *measurement) measure() string {
	var all bytes.Buffer
	run := exec.Command("bash", "-euo", "pipefail", "-c", m.command)
	run.Stdout = io.MultiWriter(os.Stdout, &all)
	run.Stderr = run.Stdout
	start := time.Now()
	err := run.Run()
	took := time.Since(start).Round(time.Second)

	lines := strings.SplitAfter(strings.ReplaceAll(all.String(), "\r", "\n"), "\n")
	end := fmt.Sprintf("passed in %v\n", took)
	if err != nil {
		lines = lines[max(0, len(lines)-40):]
		end = fmt.Sprintf("failed in %v: %v\n", took, err)
	} else {
		lines = slices.DeleteFunc(lines, func(line string) bool {
			return !slices.ContainsFunc(m.figures, func(f figure) bool { return f.pattern.MatchString(strings.TrimSuffix(line, "\n")) })
		})
	}
	return fmt.Sprintf("$ %s\n%s | %s | %s | %s %s/%s\n%s%s", m.command,
		start.UTC().Format("2006-01-02"), commit(), cpu(),
		output("go", "env", "GOVERSION"), runtime.GOOS, runtime.GOARCH, strings.Join(lines, ""), end)
}

// output returns what a command says.
func output(name string, arg ...string) string {
	out, err := exec.Command(name, arg...).Output()
	check(err)
	return strings.TrimSpace(string(out))
}

// commit returns the commit's name, and tells if files are changed but for those that are written here.
func commit() string {
	name := output("git", "describe", "--always")
	if output("git", "status", "--porcelain", "--", ".", ":!"+page, ":!"+logs) != "" {
		name += "-dirty"
	}
	return name
}

// cpu returns the processor's name where the system tells it.
func cpu() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	if m := regexp.MustCompile(`(?m)^model name\s*:\s*(.+)$`).FindSubmatch(info); m != nil {
		return string(m[1])
	}
	return "unknown processor"
}

// A log is one that measure has made.
type log struct {
	command, when string
	lines         []string
	end           string
	passed        bool
}

func readLog(text string) (l log) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) < 3 {
		return l
	}
	l.command, l.when = strings.TrimPrefix(lines[0], "$ "), lines[1]
	l.lines, l.end = lines[2:len(lines)-1], lines[len(lines)-1]
	l.passed = strings.HasPrefix(l.end, "passed")
	return l
}

// write returns the page.
func write(logs string) (string, error) {
	var out strings.Builder
	out.WriteString("# Reliability\n\nWritten by `go run ./internal/reliability` from the output of the commands below; `-run all` " +
		"measures anew, and [.ci/everything](.ci/everything) does that and all else. A figure that says \"not measured\" has not been.\n")
	section := ""
	var measured strings.Builder
	for _, m := range measurements {
		text, err := os.ReadFile(filepath.Join(logs, m.name+".txt"))
		if err != nil && !os.IsNotExist(err) {
			return "", err
		}
		l := readLog(string(text))
		stale := l.command != "" && l.command != m.command
		if m.section != section {
			section = m.section
			fmt.Fprintf(&out, "\n## %s\n\n| figure | value | measured by |\n|---|---|---|\n", section)
		}
		for _, f := range m.figures {
			value := "not measured"
			switch {
			case l.command == "" || stale:
			case !l.passed:
				value = "**failed**"
			default:
				if value = f.value(f.pattern, l.lines, l.end); value == "" {
					value = "not measured"
				}
			}
			fmt.Fprintf(&out, "| %s | %s | %s |\n", f.what, value, m.name)
		}
		when := "| | | | not measured"
		if l.command != "" && !stale {
			when = "| " + l.when + " | " + l.end
		}
		fmt.Fprintf(&measured, "| %s | `%s` %s |\n", m.name, strings.ReplaceAll(m.command, "|", `\|`), when)
	}
	out.WriteString("\n## Commands\n\n| name | command | date | commit | CPU | Go | outcome |\n|---|---|---|---|---|---|---|\n")
	out.WriteString(measured.String())
	return out.String(), nil
}
