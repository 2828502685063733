//go:build unix

package urinats_test

import (
	"bytes"
	"context"
	"net/url"

	"github.com/seed-56a50ac9/uri/integrations/nats"
	"github.com/seed-56a50ac9/uri/integrations/nats/internal/queue"
	"github.com/seed-56a50ac9/uri/internal/blocks"
	"github.com/seed-56a50ac9/uri/internal/combined"
)

// functions are those of worker processes. The first two count the hosts of referrers.
var functions = map[string]func() (urinats.Func, error){
	"uri":    func() (urinats.Func, error) { return queue.Counter("referrer", "host", false) },
	"neturl": func() (urinats.Func, error) { return countWithNetURL, nil },
	"none": func() (urinats.Func, error) {
		return func(_ context.Context, b *urinats.Block) error {
			b.Add([]byte("{}"))
			return nil
		}, nil
	},
}

// countWithNetURL does what the function of queue.Counter does, with net/url.
func countWithNetURL(_ context.Context, b *urinats.Block) error {
	var c blocks.Counts
	withNetURL(&c, b.Data, b.Reject)
	records, err := c.Records(b.Limit)
	for _, record := range records {
		b.Add(record)
	}
	return err
}

func withNetURL(c *blocks.Counts, block []byte, invalid blocks.Invalid) {
	var log combined.Line
	c.Values = map[string]*int64{}
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
			host := u.Host
			if count := c.Values[host]; count != nil {
				*count++
			} else {
				one := int64(1)
				c.Values[host] = &one
			}
		}
	}
}
