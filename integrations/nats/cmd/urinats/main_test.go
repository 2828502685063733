package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"flag"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"github.com/seed-56a50ac9/uri/integrations/nats/internal/queue"
	"github.com/seed-56a50ac9/uri/internal/accesslog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// command runs the command in this process.
func command(t *testing.T, args ...string) (status int, out, faults string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var stdout, stderr lockedBuffer // a connection may log after its end
	status = run(ctx, args, &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

func TestDemo(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		want []string
	}{
		{nil, []string{
			"nats-server " + server.VERSION, "100000 lines are in the work queue",
			"  blog.example.com\n", "100  lines that are not valid", "100000  lines\n",
			"A single pass over the same lines gives the same counts.",
			"... 101 dead letters", "1  binary data, not lines",
		}},
		{[]string{"-mode=add", "-fields=host,path"}, []string{
			"gives the same lines.", "... 99900 lines", "... 101 dead letters",
		}},
		{[]string{"-lines=uri", "-fields=path", "-lenient"}, []string{"gives the same counts.", "  /\n"}},
		{
			[]string{"-lines=target", "-fields=query"},
			[]string{"gives the same counts.", "  q=percent+encoding\n"},
		},
	} {
		status, out, faults := command(t, test.args...)
		assert.Zero(t, status)
		assert.Empty(t, faults)
		for _, want := range test.want {
			assert.Contains(t, out, want, test.args)
		}
	}
}

// wrong are wrong values of each flag, with what the message has.
var wrong = map[string][]struct {
	args []string
	want string
}{
	"url": {
		{[]string{"-url=nats:// h"}, "-url: must be like nats://host:4222; the schemes are nats, tls, ws, wss"},
		{[]string{"-url=http://h"}, "-url: must be like nats://host:4222; the schemes are nats, tls, ws, wss"},
		{
			[]string{"-url=nats://h,localhost"},
			"-url: must be like nats://host:4222; the schemes are nats, tls, ws, wss",
		},
		{[]string{"-url=nats://:4222"}, "-url: must be like nats://host:4222; the schemes are nats, tls, ws, wss"},
		{[]string{"-url=nats://u:S3CRET@h"}, "-url: must not have a user or password; use -user and the variable " +
			"NATS_PASSWORD, or -token-file"},
	},
	"ca": {
		{[]string{"-ca=none", "-url=tls://h"}, "-ca: open none: no such file or directory"},
		{[]string{"-ca=main.go"}, "-ca: the demo has a server of its own; give -url"},
	},
	"cert":  {{[]string{"-cert=main.go", "-url=tls://h"}, "-cert, -key: give both or none"}},
	"key":   {{[]string{"-key=main.go", "-url=tls://h"}, "-cert, -key: give both or none"}},
	"creds": {{[]string{"-creds=none", "-url=tls://h"}, "-creds: open none: no such file or directory"}},
	"nkey":  {{[]string{"-nkey=main.go", "-url=tls://h"}, "-nkey: nkeys: no nkey seed found"}},
	"user": {
		{[]string{"-user=ada", "-url=tls://h"}, "-user: set the variable NATS_PASSWORD, or give -password-file"},
		{[]string{"-user=ada"}, "-user: the demo has a server of its own; give -url"},
		{
			[]string{"-user=ada", "-password-file=main.go", "-creds=main.go", "-url=tls://h"},
			"-creds, -nkey, -user, " +
				"-token-file (or the variable NATS_TOKEN): give one of them",
		},
	},
	"password-file": {
		{[]string{"-password-file=main.go", "-url=tls://h"}, "-password-file: give -user"},
		{[]string{"-password-file=/dev/null", "-url=tls://h"}, "-password-file: /dev/null is empty"},
	},
	"token-file": {{[]string{"-token-file=/dev/null", "-url=tls://h"}, "-token-file: /dev/null is empty"}},
	"stream":     {{[]string{"-stream="}, "-stream: must be a name without spaces, wildcards and slashes"}},
	"subject":    {{[]string{"-subject=a b"}, "-subject: must be a name without spaces, wildcards and slashes"}},
	"consumer":   {{[]string{"-consumer=*"}, "-consumer: must be a name without spaces, wildcards and slashes"}},
	"results":    {{[]string{"-results=r.>"}, "-results: must be a name without spaces, wildcards and slashes"}},
	"dead":       {{[]string{"-dead=a/b"}, "-dead: must be a name without spaces, wildcards and slashes"}},
	"create": {
		{
			[]string{"-create", "-dead=a.b"},
			"-create: the subjects -results and -dead must be single tokens, as the " +
				"streams are named after them",
		},
		{[]string{"-create=x"}, `invalid boolean value "x" for -create: parse error`},
	},
	"lines": {{
		[]string{"-lines=x"},
		`-lines, -fields: unknown kind of line "x"; use one of referrer, target, uri`,
	}},
	"fields": {
		{[]string{"-fields=x"}, `-lines, -fields: unknown component "x"; use some of scheme, `},
		{[]string{"-fields=host,path"}, "-fields: -mode=count counts one component"},
	},
	"lenient":     {{[]string{"-lenient=x"}, `invalid boolean value "x" for -lenient: parse error`}},
	"mode":        {{[]string{"-mode=x"}, "-mode: must be count or add"}},
	"parallel":    {{[]string{"-parallel=-1"}, "-parallel: must not be negative"}},
	"max-deliver": {{[]string{"-max-deliver=0"}, "-max-deliver: must be positive"}},
	"timeout":     {{[]string{"-timeout=0s"}, "-timeout: must be positive"}},
	"ack-wait":    {{[]string{"-ack-wait=99ms"}, "-ack-wait: must be at least 100ms"}},
	"until-empty": {{[]string{"-until-empty=x"}, `invalid boolean value "x" for -until-empty: parse error`}},
	"report":      {{[]string{"-report=-1s"}, "-report: must not be negative"}},
	"without effect": {
		{[]string{"-url="}, "-url: is empty"},
		{[]string{"-stream=X"}, "-stream: the demo has a server of its own; give -url"},
		{[]string{"-create"}, "-create: the demo has a server of its own; give -url"},
		{[]string{"-url=nats://h", "-subject=x"}, "-subject: has no effect without -create"},
		{[]string{"-url=nats://h", "-ack-wait=1s"}, "-ack-wait: has no effect without -create"},
	},
	"no such flag": {
		{[]string{"-x"}, "flag provided but not defined: -x"},
		{[]string{"x"}, `unexpected argument "x"; urinats has only flags`},
	},
}

func TestFlags(t *testing.T) {
	t.Setenv("NATS_PASSWORD", "")
	t.Setenv("NATS_TOKEN", "")
	flags(&config{}).VisitAll(func(f *flag.Flag) {
		assert.NotEmpty(t, wrong[f.Name], "no wrong -%s is tested",
			f.Name)
	})
	for _, tests := range wrong {
		for _, test := range tests {
			status, out, faults := command(t, test.args...)
			assert.Equal(t, 2, status, test.args)
			assert.Empty(t, out)
			assert.True(t, strings.HasPrefix(faults, "urinats: "+test.want), "%s: %s", test.args, faults)
			assert.Equal(t, 1, strings.Count(faults, "\n"), "one line")
			assert.NotContains(t, faults, "S3CRET")
		}
	}
	status, _, help := command(t, "-h")
	assert.Zero(t, status)
	assert.Contains(t, help, "Usage: urinats")
}

// TestConnections connects in each way that flags offer.
func TestConnections(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	ca, cert, key, config := certificates(t, write)
	pair, err := nkeys.CreateUser()
	require.NoError(t, err)
	public, err := pair.PublicKey()
	require.NoError(t, err)
	seed, err := pair.Seed()
	require.NoError(t, err)

	for _, test := range []struct {
		name   string
		server func(*server.Options)
		env    [2]string
		args   []string
		ok     bool
	}{
		{"open", func(*server.Options) {}, [2]string{}, nil, true},
		{"password", password, [2]string{"NATS_PASSWORD", "S3CRET"}, []string{"-user=ada"}, true},
		{
			"password file", password,
			[2]string{},
			[]string{"-user=ada", "-password-file=" + write("p", "S3CRET\n")},
			true,
		},
		{"wrong password", password, [2]string{"NATS_PASSWORD", "S3CRETS"}, []string{"-user=ada"}, false},
		{"token", token, [2]string{"NATS_TOKEN", "S3CRET"}, nil, true},
		{"token file", token, [2]string{}, []string{"-token-file=" + write("t", "S3CRET")}, true},
		{"no token", token, [2]string{}, nil, false},
		{"nkey", func(o *server.Options) { o.Nkeys = []*server.NkeyUser{{Nkey: public}} }, [2]string{}, []string{
			"-nkey=" + write("seed", string(seed)),
		}, true},
		{"TLS", secure(config), [2]string{}, []string{"-ca=" + ca, "-cert=" + cert, "-key=" + key}, true},
		{"TLS without certificate", secure(config), [2]string{}, []string{"-ca=" + ca}, false},
		{"TLS without authority", secure(config), [2]string{}, []string{"-cert=" + cert, "-key=" + key}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.env[0] != "" {
				t.Setenv(test.env[0], test.env[1])
			}
			s, err := queue.Start(t.TempDir(), test.server)
			require.NoError(t, err)
			defer s.WaitForShutdown()
			defer s.Shutdown()
			url := strings.Replace(s.ClientURL(), "0.0.0.0", "127.0.0.1", 1)
			args := append(test.args, "-url="+url, "-create", "-until-empty")
			status, _, faults := command(t, args...)
			assert.Equal(t, test.ok, status == 0, faults)
			assert.NotContains(t, faults, "S3CRET")
			assert.NotContains(t, faults, string(seed))
			if !test.ok {
				assert.Contains(t, faults, "urinats: -url: cannot connect: ")
			}
		})
	}
}

func password(o *server.Options) { o.Username, o.Password = "ada", "S3CRET" }
func token(o *server.Options)    { o.Authorization = "S3CRET" }

func secure(config *tls.Config) func(*server.Options) {
	return func(o *server.Options) { o.TLS, o.TLSVerify, o.TLSConfig, o.TLSTimeout = true, true, config, 10 }
}

// certificates makes an authority and a certificate for both sides.
func certificates(t *testing.T, write func(name, text string) string) (ca, cert, key string,
	config *tls.Config,
) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
	both, err := tls.X509KeyPair(certPEM, keyPEM)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(certPEM))
	return write("ca.pem", string(certPEM)), write("cert.pem", string(certPEM)),
		write("key.pem", string(keyPEM)),
		&tls.Config{
			Certificates: []tls.Certificate{both}, ClientCAs: pool,
			ClientAuth: tls.RequireAndVerifyClientCert,
		}
}

// TestProcess runs the command as an operator would: it is built, started as a process with a server
// elsewhere, and stopped with SIGTERM.
func TestProcess(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "urinats")
	begun := time.Now()
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	info, err := os.Stat(binary)
	require.NoError(t, err)
	t.Logf("built in %.1f s, %.1f MB", time.Since(begun).Seconds(), float64(info.Size())/1e6)

	s, err := queue.Start(t.TempDir())
	require.NoError(t, err)
	defer s.WaitForShutdown()
	defer s.Shutdown()
	nc, err := nats.Connect(s.ClientURL())
	require.NoError(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	require.NoError(t, err)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var faults lockedBuffer
	process := exec.CommandContext(ctx, binary, "-url="+s.ClientURL(), "-create", "-report=50ms")
	process.Stderr = &faults
	require.NoError(t, process.Start())
	n := queue.Names{Stream: "LOG", Subject: "log", Consumer: "urinats", Results: "results", DeadLetters: "dead"}
	require.Eventually(t, func() bool {
		_, err := js.Consumer(ctx, n.Stream, n.Consumer)
		return err == nil
	}, 30*time.Second, 10*time.Millisecond)
	log := accesslog.Append(nil, 2000)
	_, err = queue.Send(ctx, js, n.Subject, queue.Cut(log, 4096))
	require.NoError(t, err)
	require.NoError(t, queue.Empty(ctx, js, n))
	require.Eventually(t, func() bool { return strings.Contains(faults.String(), "msg=working") },
		30*time.Second, 10*time.Millisecond)
	require.NoError(t, process.Process.Signal(syscall.SIGTERM))
	require.NoError(t, process.Wait(), faults.String())
	assert.Contains(t, faults.String(), "msg=stopped")
	sum, err := queue.Sum(ctx, js, n.Results)
	require.NoError(t, err)
	assert.EqualValues(t, 2000, sum.Lines)

	// Streams that do not fit.
	status, _, text := command(t, "-url="+s.ClientURL(), "-timeout=1h")
	assert.Equal(t, 1, status)
	assert.Contains(t, text, `urinats: Results "results": stream "results": has Duplicates 7m30s; `+
		"it must be at least")
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// TestReadme requires that the README shows what the demo prints.
func TestReadme(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, shown, _ := strings.Cut(string(readme), "$ go run ./integrations/nats/...\n")
	shown, _, _ = strings.Cut(shown, "```")
	_, out, _ := command(t)
	port := regexp.MustCompile(`127\.0\.0\.1:\d+`)
	assert.Equal(t, port.ReplaceAllString(shown, "PORT"), port.ReplaceAllString(out, "PORT"))
	flags(&config{}).VisitAll(func(f *flag.Flag) {
		assert.Contains(t, string(readme), "`-"+f.Name, "the README does not have -%s", f.Name)
	})
}
