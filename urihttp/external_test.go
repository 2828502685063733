package urihttp_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/urihttp"
)

// TestOtherPackageAllocs requires that a request that needs no change costs no allocation in other packages
// either, in which the compiler may inline what it does not inline here.
func TestOtherPackageAllocs(t *testing.T) {
	const text = "GET /blog/2026?q=uri HTTP/1.1\r\nHost: example.com\r\n\r\n"
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
	require.NoError(t, err)
	policy := urihttp.Strict()
	passed := 0
	handler := policy.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { passed++ }))
	assert.Zero(t, testing.AllocsPerRun(10, func() { handler.ServeHTTP(nil, r) }))
	assert.Positive(t, passed)
	assert.Zero(t, testing.AllocsPerRun(10, func() { policy.Decide(r) }))

	dst := make([]byte, 0, 64)
	method, target, host := []byte("GET"), []byte("/%62log/2026?q=uri"), []byte("example.com")
	assert.Zero(t, testing.AllocsPerRun(10, func() { policy.AppendTarget(dst, method, target, host) }))
	assert.Zero(t, testing.AllocsPerRun(10, func() { urihttp.AppendRequestLine(dst, r) }))
}
