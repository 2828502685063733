package uricaddy

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/attacks"
)

var update = flag.Bool("update", false, "write testdata/attacks.txt and the console examples of README.md")

// guarded is a site with a guard. Its arguments are its name and the backend.
const guarded = `
(site) {
	log {
		output file DIR/{args[0]}.log
		format filter {
			request>uri uri_redact
			request>headers>Referer uri_redact
			resp_headers>Location uri_redact
			wrap json
		}
	}
	@path path /admin /admin/*
	respond @path 403
	@host host admin.test 127.0.0.1
	respond @host 403
	reverse_proxy {args[1]}
}
`

const (
	secret  = "S3CRET"
	referer = "Referer: https://ada:" + secret + "@example.com/?access_token=" + secret + "\r\n"
)

// TestAttacks sends each attack over TCP to three sites of a Caddy process: without a policy, with strict,
// and with envoy. It compares the outcomes with testdata/attacks.txt. After an intended change:
//
//	go test -run TestAttacks -update
func TestAttacks(t *testing.T) {
	to := backend(t)
	caddy := start(t, fmt.Sprintf(guarded+`
http://:81 {
	bind FD0
	import site none %[1]s
}
http://:82 {
	bind FD1
	uri_policy strict
	import site strict %[1]s
}
http://:83 {
	bind FD2
	uri_policy envoy
	import site envoy %[1]s
}
`, to))
	names := []string{"none", "strict", "envoy"}
	var reached, requests [3]int
	var table strings.Builder
	row := func(cells ...any) {
		table.WriteString(strings.TrimRight(fmt.Sprintf("%-36v%-28v%-8v%-8v%v", cells...), " ") + "\n")
	}
	row("target", "source", "none", "strict", "envoy")
	for _, a := range attacks.All {
		name, host := a.Target, cmp.Or(a.Host, "front.test")
		if !utf8.ValidString(name) || strings.Contains(name, "\x00") {
			name = strings.Trim(strconv.Quote(name), `"`)
		}
		if a.Host != "" {
			name = "Host: " + a.Host
		}
		var cells [3]string
		for i, site := range caddy.sites {
			got := send(t, site, a.Target, host, referer)
			requests[i] += got.requests
			cells[i] = got.status
			if letters, _, ok := strings.Cut(got.body, "\n"); ok && strings.HasSuffix(got.status, "200") {
				if letters != "" {
					reached[i]++
				}
				if letters = cmp.Or(letters, "-"); len(letters) > 3 {
					letters = fmt.Sprintf("%s+%d", letters[:1], len(letters)-1)
				}
				cells[i] = strings.TrimSuffix(got.status, "200") + letters
			}
			// The same with a secret in the query.
			got = send(t, site, a.Target+"?sig="+secret, host, referer)
			requests[i] += got.requests
		}
		row(name, a.Source, cells[0], cells[1], cells[2])
		assert.Regexp(t, "^40[03]$", cells[1], name)
	}
	row(fmt.Sprint(len(attacks.All), " targets"), "reach what is guarded", reached[0], reached[1], reached[2])
	assert.GreaterOrEqual(t, len(attacks.All), 135)
	assert.Greater(t, reached[0], 80)
	assert.Zero(t, reached[1])
	assert.Less(t, reached[2], reached[0])
	t.Log(reached, requests)

	caddy.stop()
	assert.NotContains(t, caddy.output(t), secret)
	assert.NotContains(t, caddy.output(t), "/public")
	refused := 0
	for i, name := range names {
		log, err := os.ReadFile(filepath.Join(caddy.dir, name+".log"))
		require.NoError(t, err)
		assert.NotContains(t, string(log), secret)
		lines := 0
		for in := bufio.NewScanner(bytes.NewReader(log)); in.Scan(); lines++ {
			var line struct {
				Status int
				Policy string `json:"uri_policy"`
			}
			require.NoError(t, json.Unmarshal(in.Bytes(), &line))
			if strings.HasPrefix(line.Policy, "refuse: ") {
				refused++
				assert.Equal(t, 400, line.Status)
				assert.NotEqual(t, "none", name)
			}
		}
		assert.Equal(t, requests[i], lines, name)
	}
	assert.Greater(t, refused, 200)
	assert.Equal(t, refused, strings.Count(caddy.output(t), "request refused"))
	golden(t, "testdata/attacks.txt", table.String())
}

// golden compares text with a file, or writes it.
func golden(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), text, "go test -run %s -update", t.Name())
}
