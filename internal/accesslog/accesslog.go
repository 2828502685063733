// Package accesslog invents an access log in the combined format, always the same one.
package accesslog

import (
	"bytes"
	"fmt"
	"math/rand/v2"
)

// What the lines are made of. The first of each list are the most frequent.
var (
	hosts = []string{
		"https://search.example.org", "https://blog.example.com", "https://news.example.net", "http://example.com",
		"https://wiki.example.org:8443", "android-app://com.example.reader", "https://social.example.net",
		"https://[2001:db8::7]",
	}
	paths = []string{
		"/", "/posts/uri-or-url", "/static/site.css", "/search?q=percent+encoding", "/feed.xml",
		"/posts/offsets-not-copies",
		"/static/logo.svg", "/about?utm_source=newsletter&utm_medium=mail", "/posts/caf%C3%A9",
	}
	invalid = []string{
		"https://example.com/%zz", "http://exa mple.com/", "https://[::1/", "http://h:port/",
		`https://h/\x00`,
	}
	agents = []string{
		"Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0", "curl/8.20.0",
		"feed-reader/3.1",
	}
)

// InvalidEvery is how many lines there are for each line whose referrer is not valid.
const InvalidEvery = 997

// Append appends n lines to dst.
func Append(dst []byte, n int) []byte {
	random := rand.New(rand.NewPCG(3986, 2005))
	pick := func(from []string) string {
		i := min(random.IntN(len(from)), random.IntN(len(from)))
		return from[i]
	}
	for i := range n {
		referrer := "-"
		switch {
		case i%InvalidEvery == InvalidEvery-1:
			referrer = invalid[i/InvalidEvery%len(invalid)]
		case random.IntN(3) > 0:
			referrer = pick(hosts) + pick(paths)
		}
		dst = fmt.Appendf(dst, "192.0.2.%d - - [17/May/2015:%02d:%02d:%02d +0000] \"GET %s HTTP/1.1\" "+
			"200 %d \"%s\" \"%s\"\n",
			random.IntN(256), i/3600%24, i/60%60, i%60, pick(paths), random.IntN(1<<16), referrer, pick(agents))
	}
	return dst
}

// Cut calls yield with blocks of whole lines that are not longer than size, or a single line.
func Cut(lines []byte, size int, yield func(block []byte)) {
	for len(lines) > 0 {
		n := lineEnd(lines, min(size, len(lines)))
		yield(lines[:n:n])
		lines = lines[n:]
	}
}

// lineEnd returns the end of the last line that ends at n or before, or of the first line.
func lineEnd(lines []byte, n int) int {
	if end := bytes.LastIndexByte(lines[:n], '\n') + 1; end > 0 {
		return end
	}
	if end := bytes.IndexByte(lines, '\n') + 1; end > 0 {
		return end
	}
	return len(lines)
}
