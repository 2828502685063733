package main

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/seed-56a50ac9/uri/internal/attacks"
)

//go:embed demo.Caddyfile
var demoConfig string

// demoTargets are what the demo sends. "/admin" is forbidden at all its sites.
var demoTargets = []string{
	"/blog/2026?q=uri",
	"/%62log/2026",
	"/admin/x",
	"/public/..;/admin/x",
	"/public/..%5cadmin/x",
	"/%2561dmin/x",
	"/admin%20/x",
	"/admin%2fx",
	"//evil.test/admin/x",
	"http:admin/x",
}

// demo starts Caddy and a server behind it, and sends requests to both.
func demo(out io.Writer) error {
	dir, err := os.MkdirTemp("", "uricaddy")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	behind, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer behind.Close()
	go attacks.Serve(behind)
	replacer := strings.NewReplacer("DIR", dir, "BACKEND", behind.Addr().String())
	front, err := startDemo(replacer.Replace(demoConfig))
	if err != nil {
		return err
	}
	defer caddy.Stop()

	fmt.Fprintf(out, "Caddy is a proxy that forbids /admin. What does the server behind it get?\n\n")
	row := func(cells ...any) { fmt.Fprintf(out, "%-22s%-30s%-26s%s\n", cells...) }
	row("target", "no policy", "uri_policy strict", "uri_policy envoy")
	reached := 0
	for _, target := range demoTargets {
		cells := []any{target}
		for _, host := range []string{"none.test", "strict.test", "envoy.test"} {
			cell, served, err := ask(front, host, target)
			if err != nil {
				return err
			}
			if served {
				cell += " !"
				reached++
			}
			cells = append(cells, cell)
		}
		row(cells...)
	}
	fmt.Fprintf(out, "\n! means that some servers would serve /admin: %d times.\n\n", reached)

	const secrets = "/report?user=ada&sig=S3CRET"
	if _, _, err := ask(front, "strict.test", secrets); err != nil {
		return err
	}
	if err := caddy.Stop(); err != nil { // closes the log
		return err
	}
	log, err := os.ReadFile(filepath.Join(dir, "access.log"))
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(log)) { // in any order
		if strings.Contains(line, `"uri":"/report?`) {
			fmt.Fprintf(out, "The access log has this line for %s:\n\n%s", secrets, line)
			return nil
		}
	}
	return errors.New("the access log has no such line")
}

// startDemo starts Caddy at a free port. It returns the address.
func startDemo(config string) (string, error) {
	const port = "8080"
	config = strings.ReplaceAll(config, "PORT", port)
	out, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(config), nil)
	if err != nil {
		return "", err
	}
	// A Caddyfile cannot leave the port to the system.
	text := strings.Replace(string(out), `"127.0.0.1:`+port+`"`, `"127.0.0.1:0"`, 1)
	if err := caddy.Load([]byte(text), true); err != nil {
		return "", err
	}
	app, err := caddy.ActiveContext().App("http")
	if err != nil {
		return "", err
	}
	return app.(*caddyhttp.App).Servers["srv0"].Listeners()[0].Addr().String(), nil
}

// ask sends a request, and returns what became of it and whether some server would serve /admin.
func ask(server, host, target string) (became string, served bool, err error) {
	conn, err := net.Dial("tcp", server)
	if err != nil {
		return "", false, err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n"+
		"Referer: https://ada:S3CRET@example.com/?access_token=S3CRET\r\n\r\n", target, host)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return "", false, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "", false, err
	}
	if response.StatusCode == http.StatusOK {
		letters, got, _ := strings.Cut(string(body), "\n")
		return got, letters != "", nil
	}
	text := fmt.Sprint(response.StatusCode, " ", string(body), response.Header.Get("Location"))
	return strings.TrimSpace(text), false, nil
}
