//go:build unix

package urinats_test

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/seed-56a50ac9/uri/integrations/nats/internal/queue"
	"github.com/seed-56a50ac9/uri/internal/blocks"
	"github.com/seed-56a50ac9/uri/internal/long"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestKill counts with three worker processes, one of which is killed with SIGKILL at a random point. The
// counts must be those of a single pass. Without identities they must not be, in the same harness.
//
//	URI_LONG=1 go test -run TestKill -v .
//
// takes 1,000,000 lines and 20 runs: about a minute. The variable URI_SEED has other points.
func TestKill(t *testing.T) {
	lines := long.Sample(t, 20_000, 1_000_000)
	size := long.Sample(t, 4<<10, 64<<10)
	runs := long.Sample(t, 1, 20)
	seed := uint64(1)
	if text := os.Getenv("URI_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
	}
	log := accessLog(t, lines)
	job, err := blocks.New("referrer", "host", false)
	require.NoError(t, err)
	var want blocks.Counts
	job.Count(&want, log, func(int, []byte, error) {})
	require.EqualValues(t, lines, want.Lines)

	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d: %d lines in blocks of %d bytes", seed, lines, size)
	for run := range runs {
		// Every other run makes it likely that a result is published and not acknowledged.
		var pause time.Duration
		if run%2 == 0 {
			pause = 5 * time.Millisecond
		}
		got, letters := killOne(t, random, log, size, pause, false)
		require.Equal(t, want, got, "run %d", run)
		require.EqualValues(t, want.Invalid, letters, "run %d", run)
	}
	got, _ := killOne(t, random, log, size, 5*time.Millisecond, true)
	assert.Greater(t, got.Lines, want.Lines,
		"without identities no line is counted twice, so the test cannot fail")
	t.Logf("control, without identities: %d lines too many", got.Lines-want.Lines)
}

// killOne counts a log with three worker processes and kills one. It returns the sum of the results, and the
// number of dead letters.
func killOne(
	t *testing.T, random *rand.Rand, log []byte, size int, pause time.Duration, control bool,
) (sum blocks.Counts, letters int) {
	t.Helper()
	begun := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	f := startEmpty(t)
	defer f.stop()
	l := queue.Limits{MaxDeliver: 5, AckWait: time.Second, Timeout: 10 * time.Second}
	require.NoError(t, queue.Create(ctx, f.js, names, l))
	n, err := queue.Send(ctx, f.js, names.Subject, queue.Cut(log, size))
	require.NoError(t, err)

	work := task{
		URL: f.server.ClientURL(), Names: names, Limits: l, Function: "uri", Parallel: 4, Control: control,
	}
	var processes []*process
	for i := range 3 {
		each := work
		if i == 0 {
			each.Pause = pause
		}
		processes = append(processes, startProcess(ctx, t, each))
	}
	// The point is a share of the results, and some time after it.
	point := n/20 + random.IntN(n*7/10)
	delay := time.Duration(random.IntN(10_000)) * time.Microsecond
	results, err := f.js.Stream(ctx, names.Results)
	require.NoError(t, err)
	for {
		info, err := results.Info(ctx)
		require.NoError(t, err)
		if info.State.Msgs >= uint64(point) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	time.Sleep(delay)
	require.NoError(t, processes[0].command.Process.Kill())
	consumer, err := f.js.Consumer(ctx, names.Stream, names.Consumer)
	require.NoError(t, err)
	info := consumer.CachedInfo()
	if info.NumPending == 0 && info.NumAckPending == 0 { // a busy machine
		t.Log("the process was killed too late; again")
		for _, p := range processes[1:] {
			p.stop(t)
		}
		return killOne(t, random, log, size, pause, control)
	}
	require.NoError(t, queue.Empty(ctx, f.js, names))
	duplicates, redelivered := int64(0), int64(0)
	for _, p := range processes[1:] {
		o := p.stop(t)
		duplicates += o.Stats.Duplicates
		redelivered += o.Stats.Redelivered
	}
	sum, err = queue.Sum(ctx, f.js, names.Results)
	require.NoError(t, err)
	require.NoError(t, queue.Each(ctx, f.js, names.DeadLetters, func(jetstream.Msg) error {
		letters++
		return nil
	}))
	t.Logf("%d blocks, killed after %d results and %v (pause %v): %d redelivered, %d duplicates dropped, "+
		"%d lines counted, in %.1f s", n, point, delay, pause, redelivered, duplicates, sum.Lines,
		time.Since(begun).Seconds())
	return sum, letters
}
