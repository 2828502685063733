package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/seed-56a50ac9/uri/urihttp"
	"github.com/valyala/fasthttp"
)

// targets are what the demo sends.
var targets = []string{
	"/public/index.html?page=2",
	"/public/%7Eana/?sig=S3CRET",
	"/admin/users",
	"/public/../admin/users",
	"/public/..%2fadmin/users",
	"/public/..;/admin/users",
	"/public/%252e%252e/admin/users",
	`/public/..\admin/users`,
	"/admin./users",
	"/public/../admin%00.png",
}

// demo sends the targets to a proxy without a policy, and to one with a strict one, in front of a careless
// server.
func demo(out io.Writer) error {
	behind, stop, err := serve(&fasthttp.Server{Handler: careless})
	if err != nil {
		return err
	}
	defer stop()
	var accessLog bytes.Buffer
	policy := urihttp.Strict()
	without, stop, err := serve(newServer(behind, nil, io.Discard))
	if err != nil {
		return err
	}
	defer stop()
	with, stop, err := serve(newServer(behind, &policy, &accessLog))
	if err != nil {
		return err
	}
	defer stop()

	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "target\twithout policy\twith Strict")
	for _, target := range targets {
		fmt.Fprint(table, target)
		for _, proxy := range []string{without, with} {
			status, body, err := send(proxy, "GET "+target+" HTTP/1.1\r\nHost: front.test\r\n\r\n")
			if err != nil {
				return err
			}
			fmt.Fprintf(table, "\t%d %s", status, body)
		}
		fmt.Fprintln(table)
	}
	table.Flush()
	_, err = fmt.Fprintf(out, "\nThe access log of the second:\n\n%s", accessLog.Bytes())
	return err
}

// serve runs the server until stop is called.
func serve(server *fasthttp.Server) (address string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	go server.Serve(listener)
	return listener.Addr().String(), func() { server.Shutdown() }, nil
}

// send sends a request verbatim, as no client library would.
func send(address, request string) (status int, body string, err error) {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return 0, "", err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(conn, request); err != nil {
		return 0, "", err
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

// careless is a server that serves "/admin" to whoever finds it, and answers with the path that it finds.
func careless(ctx *fasthttp.RequestCtx) {
	ctx.WriteString(find(string(ctx.Request.Header.RequestURI())))
}

var (
	params   = regexp.MustCompile(`;[^/]*`)
	trailing = regexp.MustCompile(`([^/.])[. ]+(/|$)`)
)

// find does to a path what some servers do: it decodes twice, stops at NUL, drops path parameters, and dots
// and spaces at the end of names, and takes "\" for "/".
func find(target string) string {
	found, _, _ := strings.Cut(target, "?")
	for range 2 {
		if decoded, err := url.PathUnescape(found); err == nil {
			found = decoded
		}
	}
	found, _, _ = strings.Cut(found, "\x00")
	found = params.ReplaceAllString(strings.ReplaceAll(found, `\`, "/"), "")
	return path.Clean("/" + trailing.ReplaceAllString(found, "$1$2"))
}
