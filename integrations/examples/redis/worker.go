package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"
)

// commitScript adds the counts of a block and acknowledges it, both or neither, and once only: XACK returns 0
// if another worker was faster, and if the client repeats the command because it lost the reply.
var commitScript = redis.NewScript(`
local blocks, hosts, totals, dead = unpack(KEYS)
local group, id, lines, invalid, text = unpack(ARGV, 1, 5)
if redis.call('XACK', blocks, group, id) == 0 then
	return 0
end
redis.call('XDEL', blocks, id)
redis.call('HINCRBY', totals, 'lines', lines)
redis.call('HINCRBY', totals, 'invalid', invalid)
if invalid ~= '0' then
	redis.call('XADD', dead, '*', 'id', id, 'reason', 'invalid lines', 'block', text)
end
for i = 6, #ARGV, 2 do
	redis.call('HINCRBY', hosts, ARGV[i], ARGV[i + 1])
end
return 1
`)

// buryScript moves an entry to the dead letters.
var buryScript = redis.NewScript(`
local blocks, dead = unpack(KEYS)
local group, id, reason = unpack(ARGV)
local entry = redis.call('XRANGE', blocks, id, id)[1]
if not entry or redis.call('XACK', blocks, group, id) == 0 then
	return 0
end
redis.call('XADD', dead, '*', 'id', id, 'reason', reason, unpack(entry[2]))
redis.call('XDEL', blocks, id)
return 1
`)

// A worker is one consumer of the group.
type worker struct {
	db            redis.UniversalClient
	name          string        // of the consumer; no other running worker may have it
	minIdle       time.Duration // a worker that has had an entry for longer is taken for dead
	maxDeliveries int64         // an entry that was delivered more often is buried
	count         func(block string) (*counts, error)
	commit        func(ctx context.Context, db redis.UniversalClient, id string, c *counts) error
}

// run works until the context is done. Then it finishes the entries that it has. It interrupts no command,
// because the reply may have entries.
func (w *worker) run(stop context.Context) error {
	ctx := context.WithoutCancel(stop)
	err := w.db.XGroupCreateMkStream(ctx, blocksKey, group, "0").Err()
	if err != nil && !redis.HasErrorPrefix(err, "BUSYGROUP") {
		return err
	}
	var lastClaim time.Time
	for stop.Err() == nil {
		var entries []redis.XMessage
		if time.Since(lastClaim) > w.minIdle/2 {
			entries, err = w.claim(ctx)
			if len(entries) == 0 {
				lastClaim = time.Now()
			}
		} else {
			entries, err = w.read(ctx)
		}
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := w.handle(ctx, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// read returns new entries.
func (w *worker) read(ctx context.Context) ([]redis.XMessage, error) {
	streams, err := w.db.XReadGroup(ctx, &redis.XReadGroupArgs{
		Group: group, Consumer: w.name, Streams: []string{blocksKey, ">"}, Count: 4,
		Block: min(w.minIdle/2, time.Second),
	}).Result()
	if errors.Is(err, redis.Nil) { // there are none
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return streams[0].Messages, nil
}

// claim returns an entry of a dead worker, and buries it if it was delivered too often. More than one at once
// would share the fate of one that kills its workers.
func (w *worker) claim(ctx context.Context) ([]redis.XMessage, error) {
	claimed, _, err := w.db.XAutoClaim(ctx, &redis.XAutoClaimArgs{
		Stream: blocksKey, Group: group, Consumer: w.name, MinIdle: w.minIdle, Start: "-", Count: 1,
	}).Result()
	if err != nil {
		return nil, err
	}
	var entries []redis.XMessage
	for _, e := range claimed {
		pending, err := w.db.XPendingExt(ctx, &redis.XPendingExtArgs{
			Stream: blocksKey, Group: group, Start: e.ID, End: e.ID, Count: 1,
		}).Result()
		switch {
		case err != nil:
			return nil, err
		case len(pending) == 0: // its worker was not dead
		case pending[0].RetryCount <= w.maxDeliveries:
			entries = append(entries, e)
		default:
			reason := fmt.Sprintf("delivered %d times", pending[0].RetryCount-1)
			slog.Warn("entry is buried", "id", e.ID, "reason", reason)
			if err := buryScript.Run(ctx, w.db, []string{blocksKey, deadKey}, group, e.ID, reason).Err(); err != nil {
				return nil, err
			}
		}
	}
	return entries, nil
}

// handle counts an entry and commits it. An entry that cannot be counted stays pending, until it is claimed
// again.
func (w *worker) handle(ctx context.Context, e redis.XMessage) error {
	block, ok := e.Values["block"].(string)
	if !ok {
		slog.Warn("entry has no block", "id", e.ID)
		return nil
	}
	c, err := w.count(block)
	if err != nil {
		slog.Warn("entry cannot be counted", "id", e.ID, "error", err)
		return nil
	}
	return w.commit(ctx, w.db, e.ID, c)
}

// commitOnce commits by the script.
func commitOnce(ctx context.Context, db redis.UniversalClient, id string, c *counts) error {
	args := []any{group, id, c.lines, c.invalid, c.invalidLines}
	for host, n := range c.hosts {
		args = append(args, host, *n)
	}
	return commitScript.Run(ctx, db, []string{blocksKey, hostsKey, totalsKey, deadKey}, args...).Err()
}
