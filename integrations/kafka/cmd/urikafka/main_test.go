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
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-56a50ac9/uri/internal/accesslog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMain turns the test binary into the command if the environment says so.
func TestMain(m *testing.M) {
	if os.Getenv("URIKAFKA_TEST_MAIN") != "" {
		main()
	}
	os.Exit(m.Run())
}

// execute runs the command in this process.
func execute(stdin string, args ...string) (status int, stdout, stderr string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var out, err bytes.Buffer
	status = run(ctx, args, strings.NewReader(stdin), &out, &err)
	return status, out.String(), err.String()
}

// TestDemo runs the demo.
func TestDemo(t *testing.T) {
	t.Parallel()
	status, out, stderr := execute("", "-n", "20000", "-block", "4096")
	require.Zero(t, status, stderr)
	assert.Empty(t, stderr)
	assert.Contains(t, out, "Produced an invented access log of 20000 lines as ")
	assert.Regexp(t, `hosts has \d+ records, together 20000 lines, \d+ without a referrer:\n +\d+  search`, out)
	assert.Contains(t, out, "uri: invalid host at offset")
	assert.True(t, strings.HasSuffix(out, ", 20 invalid: the same.\n"), out)
}

// files are files for flags.
type files struct {
	folder                                 string
	ca, cert, key, empty, password, secret string
	server                                 *tls.Config
}

// newFiles writes a certificate that is its own authority, and passwords.
func newFiles(t *testing.T) (f files) {
	t.Helper()
	f.folder = t.TempDir()
	write := func(name string, text []byte) string {
		path := filepath.Join(f.folder, name)
		require.NoError(t, os.WriteFile(path, text, 0o600))
		return path
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	f.cert = write("cert.pem", certificate)
	f.ca = write("ca.pem", certificate)
	f.key = write("key.pem", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
	f.empty = write("empty", nil)
	f.secret = "s3cret"
	f.password = write("password", []byte(f.secret+"\n"))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(certificate)
	f.server = &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		ClientAuth:   tls.RequireAndVerifyClientCert, ClientCAs: pool,
	}
	return f
}

// TestUsage has values of every flag that are not valid. Nothing is connected.
func TestUsage(t *testing.T) {
	f := newFiles(t)
	t.Setenv("PASSWORD", f.secret)
	t.Setenv("EMPTY", "")
	valid := "-brokers 127.0.0.1:1 -in in -out out -dead dead "
	sasl := valid + "-sasl scram-sha-256 -sasl-user me "
	tested := map[string]bool{}
	for _, c := range []struct{ args, want string }{
		{"nose", `urikafka: unknown command "nose"`},
		{"work", "-brokers is required"},
		{"work -brokers h", `-brokers: "h" is not HOST:PORT`},
		{"work -brokers h:1,", `-brokers: "" is not HOST:PORT`},
		{"work -brokers :1", `-brokers: ":1" is not HOST:PORT`},
		{"work " + valid + "-brokers h:port", "-brokers: "},
		{"work " + valid + "-tls=nose", "-tls"},
		{"work " + valid + "-v=nose", "-v"},
		{"work " + valid + "-tls-ca " + f.ca, "-tls-ca needs -tls"},
		{"work " + valid + "-tls-cert " + f.cert, "-tls-cert needs -tls"},
		{"work " + valid + "-tls-key " + f.key, "-tls-key needs -tls"},
		{"work " + valid + "-tls-server-name n", "-tls-server-name needs -tls"},
		{"work " + valid + "-tls -tls-ca none", "-tls-ca: open none: no such file or directory"},
		{"work " + valid + "-tls -tls-ca " + f.empty, "empty has no certificate"},
		{"work " + valid + "-tls -tls-cert " + f.cert, "-tls-cert needs -tls-key"},
		{"work " + valid + "-tls -tls-key " + f.key, "-tls-key needs -tls-cert"},
		{"work " + valid + "-tls -tls-cert " + f.cert + " -tls-key " + f.empty, "-tls-cert, -tls-key: "},
		{"work " + valid + "-sasl-user me", "-sasl-user needs -sasl"},
		{"work " + valid + "-sasl-password-env PASSWORD", "-sasl-password-env needs -sasl"},
		{"work " + valid + "-sasl-password-file " + f.password, "-sasl-password-file needs -sasl"},
		{"work " + valid + "-sasl plain", "-sasl needs -sasl-user"},
		{"work " + sasl, "-sasl needs -sasl-password-env or -sasl-password-file"},
		{"work " + sasl + "-sasl-password-env PASSWORD -sasl-password-file " + f.password, "exclude each other"},
		{"work " + sasl + "-sasl-password-env EMPTY", "-sasl-password-env: the environment has no EMPTY"},
		{"work " + sasl + "-sasl-password-file none", "-sasl-password-file: open none: "},
		{"work " + sasl + "-sasl-password-file " + f.empty, "-sasl-password-file: the file is empty"},
		{"work " + sasl + "-sasl md5 -sasl-password-env PASSWORD", `-sasl: unknown mechanism "md5"`},
		{"work " + valid + "-mode sum", `-mode: unknown mode "sum"; use count or add`},
		{"work " + valid + "-lines csv", `-lines: unknown kind of line "csv"; use one of referrer, target, uri`},
		{"work " + valid + "-fields nose", `-fields: unknown component "nose"`},
		{"work " + valid + "-fields host,path", `-mode count counts one field, not "host,path"`},
		{"work " + valid + "-lenient=nose", "-lenient"},
		{"work " + valid + "-group=", "-group: missing"},
		{"work " + valid + "-in=", "-in: missing"},
		{"work " + valid + "-in a,a", `-in: "a" is there twice`},
		{"work " + valid + "-out=", "-out: missing"},
		{"work " + valid + "-out in", `-out: "in" is also read`},
		{"work " + valid + "-dead out", `-dead: "out" is also the topic of the results`},
		{"work " + valid + "-id \x01", "-id: it has a character that is not printable"},
		{"work " + valid + "-workers 0", "-workers must be from 1 to 1024"},
		{"work " + valid + "-records -1", "-records: -1 is not from 1 to 1048576"},
		{"work " + valid + "-message-bytes 1", "-message-bytes: 1 is not from 4096 to 1073741824"},
		{"work " + valid + "-transaction-timeout 1ms", "-transaction-timeout: 1ms is not from 1s to 24h0m0s"},
		{"work " + valid + "-stop-timeout -1s", "-stop-timeout: -1s is negative"},
		{"work " + valid + "-session-timeout 1ms", "-session-timeout must be at least 1s"},
		{"work " + valid + "more", "too many arguments"},
		{"produce -brokers 127.0.0.1:1", "-topic is required"},
		{"produce -brokers 127.0.0.1:1 -topic t -block 0", "-block must be from 1 to 900000"},
		{"produce -brokers 127.0.0.1:1 -topic t a b", "too many arguments"},
		{"total -brokers 127.0.0.1:1", "-topic is required"},
		{"total -brokers 127.0.0.1:1 -topic t -n -1", "-n is negative"},
		{"dead -brokers 127.0.0.1:1 -topic t -n -1", "-n is negative"},
		{"dead -brokers 127.0.0.1:1", "-topic is required"},
		{"-n 0", "-n must be at least 1"},
		{"demo -block 0", "-block must be at least 1"},
		{"demo -workers 0", "-workers must be at least 1"},
		{"demo -nose", "flag provided but not defined: -nose"},
	} {
		status, stdout, stderr := execute("", strings.Split(strings.TrimSpace(c.args), " ")...)
		assert.Equal(t, exitUsage, status, c.args)
		assert.Contains(t, stderr, c.want, c.args)
		assert.Empty(t, stdout, c.args)
		assert.NotContains(t, stderr, f.secret)
		for name := range strings.FieldsSeq(c.want) {
			tested[strings.Trim(name, ":,-")] = true
		}
	}
	for _, c := range commands {
		flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
		c.create().flags(flags)
		flags.VisitAll(func(f *flag.Flag) {
			assert.True(t, tested[f.Name], "no row for -%s of %s", f.Name,
				c.name)
		})
	}
}

// TestHelp prints help for every command.
func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"-h"}, {"--help"}} {
		status, stdout, stderr := execute("", args...)
		assert.Zero(t, status)
		assert.Empty(t, stderr)
		for _, c := range commands {
			assert.Contains(t, stdout, c.summary)
		}
	}
	for _, c := range commands {
		status, stdout, stderr := execute("", c.name, "-help")
		assert.Zero(t, status)
		assert.Empty(t, stderr)
		assert.Contains(t, stdout, "Usage: urikafka "+c.name)
	}
}

// TestCut cuts input of any kind.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		input string
		size  int
		want  string
	}{
		{"", 4, ""},
		{"a", 4, "a"},
		{"a\nb\nc\n", 4, "a\nb\n|c\n"},
		{"a\nb\nc", 4, "a\nb\n|c"},
		{"aaaaaaaa\nb\n", 4, "aaaaaaaa\n|b\n"},
		{"b\naaaaaaaa", 1, "b\n|aaaaaaaa"},
	} {
		var got, other []string
		require.NoError(t, cut(strings.NewReader(c.input), c.size, func(block []byte) error {
			got = append(got, string(block))
			return nil
		}))
		assert.Equal(t, c.want, strings.Join(got, "|"))
		accesslog.Cut([]byte(c.input), c.size, func(block []byte) { other = append(other, string(block)) })
		assert.Equal(t, c.want, strings.Join(other, "|"))
	}
}

// TestBuild builds the command as a new user would, and runs its demo.
func TestBuild(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "urikafka")
	began := time.Now()
	out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	built := time.Since(began)
	info, err := os.Stat(program)
	require.NoError(t, err)
	t.Logf("%s: built in %v, %.1f MB", runtime.Version(), built.Round(100*time.Millisecond),
		float64(info.Size())/1e6)
	began = time.Now()
	out, err = exec.Command(program, "-n", "5000").CombinedOutput()
	require.NoError(t, err, string(out))
	t.Logf("demo: %v", time.Since(began).Round(time.Millisecond))
}

// TestReadme holds the README to what the program prints: the demo's output apart from numbers that differ
// from run to run, and every flag.
func TestReadme(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	_, block, ok := strings.Cut(string(text), "$ go run ./integrations/kafka/...\n")
	require.True(t, ok)
	block, _, _ = strings.Cut(block, "```")
	status, out, stderr := execute("")
	require.Zero(t, status, stderr)
	_, out, _ = strings.Cut(out, "hosts has ")
	out, _, _ = strings.Cut(out, "dead-letters, ")
	_, block, _ = strings.Cut(block, "hosts has ")
	block, _, _ = strings.Cut(block, "dead-letters, ")
	records := regexp.MustCompile(`^\d+ records`)
	assert.Equal(t, records.ReplaceAllString(out, "N records"), records.ReplaceAllString(block, "N records"))
	for _, c := range commands {
		flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
		c.create().flags(flags)
		flags.VisitAll(func(f *flag.Flag) {
			assert.Contains(t, string(text), fmt.Sprintf("`-%s", f.Name), c.name)
		})
	}
}
