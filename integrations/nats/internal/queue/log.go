package queue

import (
	"fmt"
	"math/rand/v2"
)

// Log returns an access log in the combined format, the same for the same number of lines. Some lines are not
// valid.
func Log(lines int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(from []string) string {
		// Early ones are more frequent.
		return from[min(random.IntN(len(from)), random.IntN(len(from)))]
	}
	var log []byte
	for i := range lines {
		target := pick(targets)
		if random.IntN(4) == 0 {
			target = fmt.Sprintf("/search?q=%s&page=%d", pick(words), random.IntN(20)+1)
		}
		var referrer string
		switch random.IntN(3) {
		case 0:
			referrer = "-"
		case 1:
			referrer = "https://" + pick(hosts) + "/"
		default:
			referrer = fmt.Sprintf("https://%s/%s?q=%s", pick(hosts), pick(words), pick(words))
		}
		if random.IntN(2000) == 0 {
			referrer = pick(invalid)
		}
		second := i / 10
		line := fmt.Appendf(nil, "192.0.2.%d - - [17/May/2026:%02d:%02d:%02d +0000] "+
			"\"GET %s HTTP/1.1\" 200 %d \"%s\" \"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36\"\n",
			random.IntN(256), second/3600%24, second/60%60, second%60, target, random.IntN(50000), referrer)
		if random.IntN(5000) == 0 {
			line = append(line[:40], '\n') // a writer was killed
		}
		log = append(log, line...)
	}
	return log
}

var (
	hosts = []string{
		"blog.example.com", "search.example.org", "www.example.net", "news.example.net", "forum.example.org:8443",
		"wiki.example.org", "mail.example.com", "192.0.2.80", "[2001:db8::80]",
	}
	targets = []string{"/", "/posts/uri-or-url", "/static/site.css", "/feed.xml", "/static/logo.svg", "/about"}
	words   = []string{"percent-encoding", "caf%C3%A9", "userinfo", "offsets", "reference", "authority"}
	invalid = []string{
		"https://[2001:db8::80/", "https://www.example.net/100%", "https://blog.example.com/a b", "http://a@b@c/",
	}
)
