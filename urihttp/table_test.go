package urihttp

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/attacks"
)

var update = flag.Bool("update", false, "write the table in doc.go")

// TestAttacks sends each attack over TCP to a reverse proxy with a plain rule: alone, behind Strict and
// behind Envoy. It compares the outcomes with the table in doc.go. After an intended change:
//
//	go test ./urihttp -run TestAttacks -update
func TestAttacks(t *testing.T) {
	to := backend(t)
	fronts := make([]string, 3)
	for i, handler := range []http.Handler{
		guard(front(to)), Strict().Handler(guard(front(to))), Envoy().Handler(guard(front(to))),
	} {
		server := httptest.NewServer(handler)
		defer server.Close()
		fronts[i] = server.Listener.Addr().String()
	}

	var table strings.Builder
	row := func(cells ...string) {
		line := fmt.Sprintf("%-36s%-28s%-5s%-7s%-8s%s", cells[0], cells[1], cells[2], cells[3], cells[4], cells[5])
		table.WriteString("//\t" + strings.TrimRight(line, " ") + "\n")
	}
	row("target", "source", "none", "Strict", "Envoy", "Envoy itself")
	reached := [3]int{}
	for _, a := range attacks.All {
		name := a.Target
		if !utf8.ValidString(name) || strings.Contains(name, "\x00") {
			name = strings.Trim(strconv.Quote(name), `"`)
		}
		host := "front.test"
		if a.Host != "" {
			host = a.Host
			name = "Host: " + host
		}
		var cells [3]string
		for i, server := range fronts {
			status, body := send(t, server, a.Target, host)
			if letters, _, _ := strings.Cut(body, "\n"); strings.HasSuffix(status, "200") {
				if letters != "" && letters != attacks.FoldsCase.Letter {
					reached[i]++
				}
				if letters = cmp.Or(letters, "-"); len(letters) > 3 {
					letters = fmt.Sprintf("%s+%d", letters[:1], len(letters)-1)
				}
				status = strings.TrimSuffix(status, "200") + letters
			}
			cells[i] = status
		}
		row(name, a.Source, cells[0], cells[1], cells[2], itself(a))
		assert.Regexp(t, "^("+attacks.FoldsCase.Letter+"|40[03])$", cells[1], "%q", a)
	}
	assert.GreaterOrEqual(t, len(attacks.All), 80)
	assert.Zero(t, reached[1])
	row(strconv.Itoa(len(attacks.All))+" targets", "reach what is guarded",
		strconv.Itoa(reached[0]), strconv.Itoa(reached[1]), strconv.Itoa(reached[2]), "")
	compareDoc(t, "means that none did:\n//\n", "//\n// No policy folds case", legend())
	compareDoc(t, "targets not in origin-form.\n//\n", "package urihttp\n", table.String())
}

// legend describes the letters of the table.
func legend() string {
	var text strings.Builder
	for _, r := range append(attacks.Readers[:len(attacks.Readers):len(attacks.Readers)], attacks.FoldsCase) {
		fmt.Fprintf(&text, "//\t%s  %s\n", r.Letter, r.What)
	}
	return text.String() + "//\th  reads hosts loosely\n"
}

// compareDoc compares the part of doc.go between two lines, or writes it.
func compareDoc(t *testing.T, after, before, want string) {
	t.Helper()
	text, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	head, rest, ok := bytes.Cut(text, []byte(after))
	require.True(t, ok, after)
	is, tail, ok := bytes.Cut(rest, []byte(before))
	require.True(t, ok, before)
	if *update {
		text = append(append(append(head[:len(head):len(head)], after...), want...), before...)
		require.NoError(t, os.WriteFile("doc.go", append(text, tail...), 0o644))
		return
	}
	const stale = "doc.go is stale: go test ./urihttp -run TestAttacks -update"
	lines := strings.Split(string(is), "\n")
	for i, line := range strings.Split(want, "\n") {
		if !assert.Less(t, i, len(lines), stale) || !assert.Equal(t, line, lines[i], stale) {
			return
		}
	}
	assert.Len(t, is, len(want), stale)
}

// itself returns what Envoy does with the target if it is not what the policy does: the status of a
// refusal, or the path that it passes on, after "307" if it redirects. It is empty if both do the same, or
// if the target is not in origin-form.
func itself(a attacks.Attack) string {
	if a.Host != "" || !strings.HasPrefix(a.Target, "/") || strings.Contains(a.Target, " ") {
		return ""
	}
	out, action, _ := Envoy().AppendTarget(nil, []byte("GET"), []byte(a.Target), []byte("front.test"))
	ours := string(out)
	switch action {
	case Refuse:
		ours = "400"
	case Redirect:
		ours = "307 " + ours
	}
	switch theirs := envoyItself(a.Target); theirs {
	case ours:
		return ""
	case a.Target:
		return "unchanged"
	default:
		return theirs
	}
}

// envoyItself is what Envoy's documentation and tests say of it, with normalize_path, merge_slashes and
// UNESCAPE_AND_REDIRECT. It refuses "#" and control characters, decodes escaped slashes and
// backslashes, drops the parameters of dot segments (since CVE-2026-73551), normalizes as Chromium's
// library of 2022 does, and then merges slashes.
func envoyItself(target string) string {
	path, query, hasQuery := strings.Cut(target, "?")
	if strings.ContainsAny(target, "#\x00\r\n\t") {
		return "400"
	}
	unescaped := strings.NewReplacer("%2F", "/", "%2f", "/", "%5C", `\`, "%5c", `\`).Replace(path)
	prefix := ""
	if unescaped != path {
		prefix = "307 "
	}
	path = attacks.EachSegment(unescaped, func(segment string) string {
		for _, dots := range []string{".", ".."} {
			if strings.HasPrefix(segment, dots+";") {
				return dots
			}
		}
		return segment
	})
	path = attacks.TakesBackslashes(path)
	var out []byte
	for i := 0; i < len(path); i++ {
		b := path[i]
		if b >= 0x80 {
			return "400" // the attacks have only bytes that are not UTF-8
		}
		if b == '%' {
			c := attacks.Decodes(path[i:min(i+3, len(path))])
			switch {
			case len(c) != 1:
				out = append(out, "\xFF"...) // a "%" that begins no escape
				continue
			case c == "\x00":
				return "400"
			case isUnreserved(c[0]):
				b = c[0]
				i += 2
			}
		}
		out = append(out, b)
	}
	path = removesDots(string(out))
	for i := strings.IndexByte(path, 0xFF); i >= 0; i = strings.IndexByte(path, 0xFF) {
		percent := "%"
		if len(attacks.Decodes(percent+path[i+1:min(i+3, len(path))])) == 1 {
			percent = "%25" // no new escape may arise
		}
		path = path[:i] + percent + path[i+1:]
	}
	path = attacks.Merges(path)
	if hasQuery {
		path += "?" + query
	}
	return prefix + path
}

// removesDots follows RFC 3986 section 5.2.4, in an absolute path.
func removesDots(path string) string {
	var kept []string
	segments := strings.Split(path, "/")[1:]
	for i, segment := range segments {
		last := i == len(segments)-1
		switch segment {
		case "..":
			kept = kept[:max(0, len(kept)-1)]
			fallthrough
		case ".":
			if last {
				kept = append(kept, "")
			}
		default:
			kept = append(kept, segment)
		}
	}
	return "/" + strings.Join(kept, "/")
}
