package attacks

import (
	"bufio"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A Reader is software behind a proxy. It finds a path in a target by its rewrites, one after the other,
// and then removes dot segments.
type Reader struct {
	Letter   string // in the table of package urihttp
	What     string
	Rewrites []func(path string) string
}

// Readers are the kinds of software whose paths a proxy should know.
var Readers = []Reader{
	{"d", "decodes once", []func(string) string{Decodes}},
	{"D", "decodes twice", []func(string) string{Decodes, Decodes}},
	{"p", "drops path parameters, then decodes", []func(string) string{DropsParams, Decodes}},
	{"s", "decodes, then drops path parameters", []func(string) string{Decodes, DropsParams}},
	{"b", `reads \ as /`, []func(string) string{Decodes, TakesBackslashes}},
	{"m", "merges slashes", []func(string) string{Decodes, Merges}},
	{"w", "finds files as Windows does", []func(string) string{Decodes, FindsWindows}},
	{"z", "stops at NUL", []func(string) string{Decodes, StopsAtNUL}},
	{"u", "decodes Unicode loosely", []func(string) string{DecodesUnicode}},
	{"t", "trims and drops white space and controls", []func(string) string{Decodes, DropsSpace}},
	{"q", "looks for ? and # once decoded", []func(string) string{Decodes, StopsAtDelimiter}},
	{"n", "finds an authority after //", []func(string) string{DropsAuthority, Decodes}},
	{"a", "replaces the prefix /public", []func(string) string{replacesPrefix, Decodes}},
	{"A", "does all of the above except n and a", []func(string) string{
		DecodesUnicode, DecodesUnicode, StopsAtNUL, StopsAtDelimiter, DropsSpace, TakesBackslashes,
		DropsParams, Merges, FindsWindows, Merges,
	}},
}

// FoldsCase is a reader of its own, because no policy but a rule has to know of it.
var FoldsCase = Reader{"c", "folds case", []func(string) string{Decodes, strings.ToLower}}

// Reaches reports whether the reader finds a path below "/admin" in the target.
func (r *Reader) Reaches(target string) bool {
	if _, rest, ok := strings.Cut(target, "://"); ok && !strings.HasPrefix(target, "/") {
		target = rest[min(len(rest), strings.IndexByte(rest+"/", '/')):]
	}
	path, _, _ := strings.Cut(target, "?")
	for _, rewrite := range r.Rewrites {
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

// Decodes decodes each escape once.
func Decodes(path string) string {
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

// EachSegment edits each segment of the path.
func EachSegment(path string, edit func(string) string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		segments[i] = edit(segment)
	}
	return strings.Join(segments, "/")
}

// DropsParams drops path parameters.
func DropsParams(path string) string {
	return EachSegment(path, func(segment string) string {
		segment, _, _ = strings.Cut(segment, ";")
		return segment
	})
}

// TakesBackslashes replaces backslashes with slashes.
func TakesBackslashes(path string) string { return strings.ReplaceAll(path, `\`, "/") }

// Merges merges adjacent slashes.
func Merges(path string) string {
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	return path
}

// FindsWindows drops dots and spaces at the end of segments, and streams. Old versions took three dots
// for two levels up.
func FindsWindows(path string) string {
	return EachSegment(path, func(segment string) string {
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

// StopsAtNUL drops NUL and what follows it.
func StopsAtNUL(path string) string {
	path, _, _ = strings.Cut(path, "\x00")
	return path
}

// StopsAtDelimiter drops the first "?" or "#" and what follows it.
func StopsAtDelimiter(path string) string {
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		return path[:i]
	}
	return path
}

// DecodesUnicode Decodes "%u002e" too, reads overlong UTF-8, replaces characters that look like
// delimiters, and drops bytes that are not UTF-8.
func DecodesUnicode(path string) string {
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
	path = Decodes(path)
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
	return TakesBackslashes(string(out))
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

// DropsSpace drops control characters, and white space around the path.
func DropsSpace(path string) string {
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

// DropsAuthority drops what looks like an authority.
func DropsAuthority(path string) string {
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
	host = Decodes(host)
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

// Read returns the letters of the Readers that a request reaches below "/admin".
func Read(target, host string) string {
	var letters strings.Builder
	for _, r := range append(Readers[:len(Readers):len(Readers)], FoldsCase) {
		if r.Reaches(target) {
			letters.WriteString(r.Letter)
		}
	}
	if readsHost(host) {
		letters.WriteString("h")
	}
	return letters.String()
}

// Serve is a server of a few lines, so that no library changes what it is sent. It answers with the
// letters of its readers that serve "/admin", and with the target. It returns when the listener is closed.
func Serve(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go serve(conn)
	}
}

// serve answers the requests of a connection.
func serve(conn net.Conn) {
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
		body := Read(target, host) + "\n" + target
		fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	}
}
