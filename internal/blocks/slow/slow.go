// Package slow does the work of package blocks with net/url. Tests compare results and speed with it.
package slow

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/seed-56a50ac9/uri/internal/blocks"
	"github.com/seed-56a50ac9/uri/internal/combined"
)

// Count counts the hosts of referrers in lines of the combined log format. It differs from a [blocks.Job] in
// what net/url accepts.
func Count(c *blocks.Counts, block []byte, invalid blocks.Invalid) {
	var log combined.Line
	if c.Values == nil {
		c.Values = map[string]*int64{}
	}
	for n := 1; len(block) > 0; n++ {
		var line []byte
		line, block, _ = bytes.Cut(block, []byte("\n"))
		c.Lines++
		referrer, err := log.Referrer(line)
		if err == nil && len(referrer) == 0 {
			c.Without++
			continue
		}
		var u *url.URL
		if err == nil {
			u, err = url.Parse(string(referrer))
		}
		switch {
		case err != nil:
			c.Invalid++
			invalid(n, line, err)
		case u.Host == "":
			c.Without++
		default:
			host := strings.TrimSuffix(u.Host, ":"+u.Port())
			if count := c.Values[host]; count != nil {
				*count++
				continue
			}
			one := int64(1)
			c.Values[host] = &one
		}
	}
}
