package urihttp

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// A reader is software behind a proxy. It finds a path in a target by its rewrites, one after the other,
// and then removes dot segments.
type reader struct {
	letter   string // in the table
	what     string
	rewrites []func(path string) string
}

var readers = []reader{
	{"d", "decodes once", []func(string) string{decodes}},
	{"D", "decodes twice", []func(string) string{decodes, decodes}},
	{"p", "drops path parameters, then decodes", []func(string) string{dropsParams, decodes}},
	{"s", "decodes, then drops path parameters", []func(string) string{decodes, dropsParams}},
	{"b", `reads \ as /`, []func(string) string{decodes, takesBackslashes}},
	{"m", "merges slashes", []func(string) string{decodes, merges}},
	{"w", "finds files as Windows does", []func(string) string{decodes, findsWindows}},
	{"z", "stops at NUL", []func(string) string{decodes, stopsAtNUL}},
	{"u", "decodes Unicode loosely", []func(string) string{decodesUnicode}},
	{"t", "trims and drops white space and controls", []func(string) string{decodes, dropsSpace}},
	{"q", "looks for ? and # once decoded", []func(string) string{decodes, stopsAtDelimiter}},
	{"n", "finds an authority after //", []func(string) string{dropsAuthority, decodes}},
	{"a", "replaces the prefix /public", []func(string) string{replacesPrefix, decodes}},
	{"A", "does all of the above except n and a", []func(string) string{
		decodesUnicode, decodesUnicode, stopsAtNUL, stopsAtDelimiter, dropsSpace, takesBackslashes,
		dropsParams, merges, findsWindows, merges,
	}},
}

// foldsCase is a reader of its own, because no policy but a rule has to know of it.
var foldsCase = reader{"c", "folds case", []func(string) string{decodes, strings.ToLower}}

// reaches reports whether the reader finds a path below "/admin" in the target.
func (r *reader) reaches(target string) bool {
	if _, rest, ok := strings.Cut(target, "://"); ok && !strings.HasPrefix(target, "/") {
		target = rest[min(len(rest), strings.IndexByte(rest+"/", '/')):]
	}
	path, _, _ := strings.Cut(target, "?")
	for _, rewrite := range r.rewrites {
		path = rewrite(path)
	}
	var kept []string
	for segment := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		switch segment {
		case ".":
		case "..":
			kept = kept[:max(0, len(kept)-1)]
		default:
			kept = append(kept, segment)
		}
	}
	return len(kept) > 0 && kept[0] == "admin"
}

func decodes(path string) string {
	var out []byte
	for i := 0; i < len(path); i++ {
		if i+2 < len(path) && path[i] == '%' {
			if b, err := strconv.ParseUint(path[i+1:i+3], 16, 8); err == nil {
				out = append(out, byte(b))
				i += 2
				continue
			}
		}
		out = append(out, path[i])
	}
	return string(out)
}

func eachSegment(path string, edit func(string) string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		segments[i] = edit(segment)
	}
	return strings.Join(segments, "/")
}

func dropsParams(path string) string {
	return eachSegment(path, func(segment string) string {
		segment, _, _ = strings.Cut(segment, ";")
		return segment
	})
}

func takesBackslashes(path string) string { return strings.ReplaceAll(path, `\`, "/") }

func merges(path string) string {
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	return path
}

// findsWindows drops dots and spaces at the end of segments, and streams. Old versions took three dots
// for two levels up.
func findsWindows(path string) string {
	return eachSegment(path, func(segment string) string {
		if name, _, ok := strings.Cut(segment, ":$"); ok {
			segment = strings.TrimRight(name, ":")
		}
		trimmed := strings.TrimRight(segment, ". ")
		if dots := strings.TrimRight(segment, " "); len(dots) > 1 && strings.Trim(dots, ".") == "" {
			return strings.TrimSuffix(strings.Repeat("../", len(dots)-1), "/")
		}
		return trimmed
	})
}

func stopsAtNUL(path string) string {
	path, _, _ = strings.Cut(path, "\x00")
	return path
}

func stopsAtDelimiter(path string) string {
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		return path[:i]
	}
	return path
}

// decodesUnicode decodes "%u002e" too, reads overlong UTF-8, replaces characters that look like
// delimiters, and drops bytes that are not UTF-8.
func decodesUnicode(path string) string {
	for {
		i := strings.Index(path, "%u")
		if i < 0 || len(path) < i+6 {
			break
		}
		c, err := strconv.ParseUint(path[i+2:i+6], 16, 16)
		if err != nil {
			break
		}
		path = path[:i] + string(rune(c)) + path[i+6:]
	}
	path = decodes(path)
	var out []byte
	for path != "" {
		c, n := utf8.DecodeRuneInString(path)
		if c == utf8.RuneError && n == 1 {
			c, n = overlong(path)
		}
		path = path[n:]
		switch {
		case c < 0:
		case strings.ContainsRune("／⁄∕", c):
			out = append(out, '/')
		case strings.ContainsRune("＼﹨∖", c):
			out = append(out, '\\')
		case strings.ContainsRune("．﹒․", c):
			out = append(out, '.')
		default:
			out = utf8.AppendRune(out, c)
		}
	}
	return takesBackslashes(string(out))
}

// overlong returns the character of an overlong sequence, or -1 for another byte.
func overlong(s string) (rune, int) {
	for _, form := range []struct {
		prefix string
		n      int
	}{{"\xc0", 2}, {"\xc1", 2}, {"\xe0", 3}, {"\xf0\x80", 4}} {
		if strings.HasPrefix(s, form.prefix) && len(s) >= form.n {
			c := rune(s[0] & 1)
			for i := 1; i < form.n; i++ {
				c = c<<6 | rune(s[i]&0x3F)
			}
			return c & 0x7F, form.n
		}
	}
	return -1, 1
}

func dropsSpace(path string) string {
	path = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7F {
			return -1
		}
		return c
	}, path)
	for {
		trimmed := strings.TrimSpace(path)
		// Some take bytes for characters. Of a character in UTF-8 they leave no name that anyone guards.
		if c, n := utf8.DecodeLastRuneInString(trimmed); c == utf8.RuneError && n == 1 {
			trimmed = strings.TrimSuffix(strings.TrimSuffix(trimmed, "\x85"), "\xa0")
		}
		if trimmed == path {
			return path
		}
		path = trimmed
	}
}

func dropsAuthority(path string) string {
	if rest, ok := strings.CutPrefix(path, "//"); ok {
		return rest[strings.IndexByte(rest+"/", '/'):]
	}
	return path
}

func replacesPrefix(path string) string {
	if rest, ok := strings.CutPrefix(path, "/public"); ok {
		return "/files/" + rest
	}
	return path
}

// readsHost reports whether loose software finds the guarded host, or 127.0.0.1, in a Host field.
func readsHost(host string) bool {
	host = decodes(host)
	host = host[strings.LastIndexByte(host, '@')+1:]
	if strings.HasPrefix(host, "[") {
		addr, err := netip.ParseAddr(host[1:max(1, strings.IndexByte(host, ']'))])
		return err == nil && addr.Unmap().IsLoopback()
	}
	host, _, _ = strings.Cut(host, ":")
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "admin.test" {
		return true
	}
	address := uint64(0) // as inet_aton reads it
	parts := strings.Split(host, ".")
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 0, 32)
		if err != nil || len(parts) > 4 {
			return false
		}
		if i < len(parts)-1 {
			n <<= 24 - 8*i
		}
		address |= n
	}
	return address == 127<<24|1
}

// read returns the letters of the readers that a request reaches below "/admin".
func read(target, host string) string {
	var letters strings.Builder
	for _, r := range append(readers[:len(readers):len(readers)], foldsCase) {
		if r.reaches(target) {
			letters.WriteString(r.letter)
		}
	}
	if readsHost(host) {
		letters.WriteString("h")
	}
	return letters.String()
}

// backend is a server of a few lines, so that no library changes what it is sent. It answers with the
// letters of its readers that serve "/admin", and with the target.
func backend(t *testing.T) *url.URL {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				conn.SetDeadline(time.Now().Add(time.Minute))
				for in := bufio.NewReader(conn); ; {
					line, err := in.ReadString('\n')
					if err != nil {
						return
					}
					target := line[strings.IndexByte(line, ' ')+1 : max(0, strings.LastIndexByte(line, ' '))]
					host := ""
					for line != "\r\n" {
						if line, err = in.ReadString('\n'); err != nil {
							return
						}
						if name, value, _ := strings.Cut(line, ":"); strings.EqualFold(name, "Host") {
							host = strings.TrimSpace(value)
						}
					}
					body := read(target, host) + "\n" + target
					fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
				}
			}()
		}
	}()
	return &url.URL{Scheme: "http", Host: listener.Addr().String()}
}

// guard refuses what a plain rule finds below "/admin", or on the guarded hosts.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if r.URL.Path == "/admin" || strings.HasPrefix(r.URL.Path, "/admin/") ||
			strings.EqualFold(host, "admin.test") || host == "127.0.0.1" {
			http.Error(w, "", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// front is a reverse proxy to the backend.
func front(to *url.URL) http.Handler {
	return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
	}}
}

// send sends a request and returns the response. It follows one redirect.
func send(t *testing.T, server, target, host string) (status, body string) {
	conn, err := net.Dial("tcp", server)
	require.NoError(t, err)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", target, host)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	status = strconv.Itoa(response.StatusCode)
	if location := response.Header.Get("Location"); location != "" {
		require.Regexp(t, "^/([^/\\\\]|$)", location)
		again, body := send(t, server, location, host)
		return status + " " + again, body
	}
	return status, string(text)
}
