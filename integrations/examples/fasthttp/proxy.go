package main

import (
	"bytes"
	"cmp"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed-56a50ac9/uri"
	"github.com/seed-56a50ac9/uri/urihttp"
	"github.com/valyala/fasthttp"
)

// newServer returns a server that passes requests on to the backend, an address such as "127.0.0.1:9000", if
// the policy lets them through. With a nil policy it is what one writes with fasthttp alone.
func newServer(backend string, policy *urihttp.Policy, accessLog io.Writer) *fasthttp.Server {
	handler := guard(forward(backend))
	if policy != nil {
		handler = check(*policy, handler)
	}
	return &fasthttp.Server{
		Handler:               logged(accessLog, handler),
		Logger:                errorLog{accessLog},
		NoDefaultServerHeader: true,
		ReadTimeout:           time.Minute,
		IdleTimeout:           time.Minute,
		WriteTimeout:          time.Minute,
		CloseOnShutdown:       true,
	}
}

// buffers are for targets and log lines.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// check returns a handler that applies the policy to the target and the Host field, as received. It allocates
// only for refused requests. It must come before handlers that use ctx.Path or ctx.URI, because next finds
// the checked target there.
func check(policy urihttp.Policy, next fasthttp.RequestHandler) fasthttp.RequestHandler {
	status := cmp.Or(policy.Status, fasthttp.StatusBadRequest)
	return func(ctx *fasthttp.RequestCtx) {
		buffer := buffers.Get().(*[]byte)
		h := &ctx.Request.Header
		target, action, err := policy.AppendTarget((*buffer)[:0], h.Method(), h.RequestURI(), h.Host())
		switch {
		case err != nil:
			refuse(ctx, status)
		case action == urihttp.Redirect: // not ctx.Redirect, which changes the target again
			ctx.Response.Header.SetBytesV(fasthttp.HeaderLocation, target)
			ctx.SetStatusCode(fasthttp.StatusTemporaryRedirect)
		case action == urihttp.Rewrite:
			ctx.Request.SetRequestURIBytes(target)
		}
		*buffer = target // may have grown
		buffers.Put(buffer)
		if err == nil && action != urihttp.Redirect {
			next(ctx)
		}
	}
}

// refuse answers with an error.
func refuse(ctx *fasthttp.RequestCtx, status int) { ctx.Error(fasthttp.StatusMessage(status), status) }

// guard returns a handler that refuses what is below "/admin".
func guard(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		path := ctx.Path()
		if rest, ok := bytes.CutPrefix(path, []byte("/admin")); ok && (len(rest) == 0 || rest[0] == '/') {
			refuse(ctx, fasthttp.StatusForbidden)
			return
		}
		next(ctx)
	}
}

// dropped are the fields that are for this connection only (RFC 9110 section 7.6.1), and some that would
// replace the checked target and host behind.
var dropped = []string{
	"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Upgrade",
	"Forwarded", "X-Forwarded-Host", "X-Forwarded-Prefix", "X-Forwarded-Uri", "X-Original-Url", "X-Rewrite-Url",
}

// forward returns a handler that passes requests on to the backend.
func forward(backend string) fasthttp.RequestHandler {
	client := &fasthttp.HostClient{
		Addr:                     backend,
		DisablePathNormalizing:   true, // send the checked path: fasthttp would decode it
		NoDefaultUserAgentHeader: true,
		ReadTimeout:              time.Minute,
		WriteTimeout:             time.Minute,
	}
	return func(ctx *fasthttp.RequestCtx) {
		if ctx.IsConnect() {
			refuse(ctx, fasthttp.StatusMethodNotAllowed)
			return
		}
		for _, name := range dropped {
			ctx.Request.Header.Del(name)
		}
		ctx.Request.UseHostHeader = true // send the checked Host field, not the address of the backend
		if err := client.Do(&ctx.Request, &ctx.Response); err != nil {
			refuse(ctx, fasthttp.StatusBadGateway)
			return
		}
		for _, name := range dropped {
			ctx.Response.Header.Del(name)
		}
	}
}

// logged returns a handler that writes a line for each request: the request line as received, without its
// secrets, the status and the time. None of the five has a space.
func logged(out io.Writer, next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		start := time.Now()
		buffer := buffers.Get().(*[]byte)
		header := &ctx.Request.Header
		line := append(append((*buffer)[:0], header.Method()...), ' ')
		line = append(uri.AppendRedacted(line, header.RequestURI(), nil), ' ')
		line = append(append(line, header.Protocol()...), ' ')
		next(ctx)
		line = strconv.AppendInt(line, int64(ctx.Response.StatusCode()), 10)
		line = strconv.AppendInt(append(line, ' '), time.Since(start).Microseconds(), 10)
		line = append(line, "µs\n"...)
		out.Write(line)
		*buffer = line
		buffers.Put(buffer)
	}
}

// An errorLog writes which errors fasthttp meets. Their arguments hold what clients have sent, secrets
// included, so it leaves them out.
type errorLog struct{ out io.Writer }

// Printf writes the part of the format before its first argument.
func (l errorLog) Printf(format string, _ ...any) {
	text, _, _ := strings.Cut(format, "%")
	io.WriteString(l.out, "fasthttp: "+strings.TrimSpace(text)+"\n")
}
