//go:build !race

package main

import (
	"io"
	"testing"

	"github.com/seed-56a50ac9/uri/urihttp"
	"github.com/stretchr/testify/assert"
	"github.com/valyala/fasthttp"
)

// TestAllocations requires that the check and the log allocate nothing for requests that pass. The race
// detector makes sync.Pool drop buffers at random.
func TestAllocations(t *testing.T) {
	next := func(*fasthttp.RequestCtx) {}
	for name, handler := range map[string]fasthttp.RequestHandler{
		"check":  check(urihttp.Strict(), next),
		"logged": logged(io.Discard, next),
	} {
		for _, target := range ordinary {
			var ctx fasthttp.RequestCtx
			ctx.Request.Header.SetMethod("GET")
			ctx.Request.Header.SetHost("front.test")
			assert.Zero(t, testing.AllocsPerRun(1000, func() {
				ctx.Request.SetRequestURI(target)
				handler(&ctx)
			}), "%s %s", name, target)
			assert.Equal(t, 200, ctx.Response.StatusCode())
		}
	}
}
