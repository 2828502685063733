package main

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"
)

// describe returns the configuration to write above the results: the machine, the date, the commit, the
// versions and the corpora.
func describe(home string, corpora []*corpus) (config []benchfmt.Config) {
	add := func(key, value string) {
		if value != "" {
			config = append(config, benchfmt.Config{Key: key, Value: []byte(value), File: true})
		}
	}
	add("goos", runtime.GOOS)
	add("goarch", runtime.GOARCH)
	add("cpu", processor())
	add("go", runtime.Version())
	add("commit", commit(home))
	add("date", time.Now().UTC().Format(time.DateOnly))
	versions := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			versions[module.Path] = module.Version
		}
	}
	for _, l := range libraries {
		if l.name != ours {
			add("version-"+l.name, versions[l.module])
		}
	}
	for _, c := range corpora {
		add("corpus-"+c.name, c.sum())
	}
	return config
}

// processor returns the name of the processor, or "" if it is not known.
func processor() string {
	switch runtime.GOOS {
	case "linux":
		data, _ := os.ReadFile("/proc/cpuinfo")
		for line := range bytes.Lines(data) {
			if name, ok := bytes.CutPrefix(line, []byte("model name")); ok {
				return strings.Trim(string(name), "\t :\n")
			}
		}
	case "darwin":
		out, _ := exec.Command("sysctl", "-n", "machdep.cpu.brand_string").Output()
		return strings.TrimSpace(string(out))
	}
	return ""
}

// commit returns the commit of the checkout, followed by "+" if its code was changed, or "" if there is no
// checkout.
func commit(home string) string {
	git := func(args ...string) (string, error) {
		out, err := exec.Command("git", append([]string{"-C", home}, args...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
	hash, err := git("rev-parse", "--short=12", "HEAD")
	if err != nil {
		return ""
	}
	changed, err := git("status", "--porcelain", "--", ":/*.go", ":/*.s", ":/*go.mod")
	if err != nil || changed != "" {
		hash += "+"
	}
	return hash
}
