// Command caddy is the Caddy web server with its standard modules and those of package uricaddy. Without
// arguments it shows what they do, and ends.
package main

import (
	"fmt"
	"os"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "github.com/seed-56a50ac9/uri/integrations/caddy"
)

func main() {
	if len(os.Args) > 1 {
		caddycmd.Main()
		return
	}
	if err := demo(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
