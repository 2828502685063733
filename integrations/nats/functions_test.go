//go:build unix

package urinats_test

import (
	"context"

	urinats "github.com/seed-56a50ac9/uri/integrations/nats"
	"github.com/seed-56a50ac9/uri/integrations/nats/internal/queue"
	"github.com/seed-56a50ac9/uri/internal/blocks"
	"github.com/seed-56a50ac9/uri/internal/blocks/slow"
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
	slow.Count(&c, b.Data, b.Reject)
	records, err := c.Records(b.Limit)
	for _, record := range records {
		b.Add(record)
	}
	return err
}
