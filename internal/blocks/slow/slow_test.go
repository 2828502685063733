package slow

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/accesslog"
	"github.com/seed-56a50ac9/uri/internal/blocks"
)

// TestCount compares the counts of an ordinary log with those of a job.
func TestCount(t *testing.T) {
	log := accesslog.Append(nil, 5000)
	job, err := blocks.New("referrer", "host", false)
	require.NoError(t, err)
	var got, want blocks.Counts
	invalid := 0
	job.Count(&got, log, func(int, []byte, error) { invalid++ })
	Count(&want, log, func(int, []byte, error) { invalid-- })
	assert.Equal(t, want, got)
	assert.EqualValues(t, 5000/accesslog.InvalidEvery, got.Invalid)
	assert.Zero(t, invalid)
}
