package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// A connection says how to reach a cluster.
type connection struct {
	brokers      string
	tls          bool
	ca           string
	cert         string
	key          string
	serverName   string
	sasl         string
	user         string
	passwordEnv  string
	passwordFile string
	verbose      bool
}

func (c *connection) flags(f *flag.FlagSet) {
	f.StringVar(&c.brokers, "brokers", "", "seed brokers: `HOST:PORT,...`")
	f.BoolVar(&c.tls, "tls", false, "use TLS")
	f.StringVar(&c.ca, "tls-ca", "", "PEM `FILE` with the authorities to trust, instead of the system's")
	f.StringVar(&c.cert, "tls-cert", "", "PEM `FILE` with the certificate of the client")
	f.StringVar(&c.key, "tls-key", "", "PEM `FILE` with its key")
	f.StringVar(&c.serverName, "tls-server-name", "",
		"`NAME` that the brokers' certificates must have, instead of their hosts")
	f.StringVar(&c.sasl, "sasl", "", "SASL `MECHANISM`: plain, scram-sha-256 or scram-sha-512")
	f.StringVar(&c.user, "sasl-user", "", "`NAME` of the SASL user")
	f.StringVar(&c.passwordEnv, "sasl-password-env", "", "environment `VARIABLE` with the SASL password")
	f.StringVar(&c.passwordFile, "sasl-password-file", "",
		"`FILE` with the SASL password; a newline at its end is ignored")
	f.BoolVar(&c.verbose, "v", false, "log every batch and what the client does")
}

// options returns the options of a client. It connects to nothing.
func (c *connection) options(a app) ([]kgo.Opt, error) {
	level := kgo.LogLevelWarn
	if c.verbose {
		level = kgo.LogLevelDebug
	}
	now := func() string { return time.Now().Format("2006-01-02T15:04:05.000Z07:00 ") }
	options := []kgo.Opt{kgo.WithLogger(kgo.BasicLogger(a.stderr, level, now)), kgo.ClientID("urikafka")}
	if c.brokers == "" {
		return nil, fmt.Errorf("%w: -brokers is required", errUsage)
	}
	var brokers []string
	for broker := range strings.SplitSeq(c.brokers, ",") {
		host, port, err := net.SplitHostPort(broker)
		if err != nil || host == "" || port == "" {
			return nil, fmt.Errorf("%w: -brokers: %q is not HOST:PORT", errUsage, broker)
		}
		brokers = append(brokers, broker)
	}
	options = append(options, kgo.SeedBrokers(brokers...))

	config, err := c.tlsConfig()
	if err != nil {
		return nil, err
	}
	if config != nil {
		options = append(options, kgo.DialTLSConfig(config))
	}
	login, err := c.login(a)
	if err != nil {
		return nil, err
	}
	if login != nil {
		options = append(options, login)
	}
	return options, nil
}

func (c *connection) tlsConfig() (*tls.Config, error) {
	if !c.tls {
		for name, value := range map[string]string{
			"tls-ca": c.ca, "tls-cert": c.cert, "tls-key": c.key, "tls-server-name": c.serverName,
		} {
			if value != "" {
				return nil, fmt.Errorf("%w: -%s needs -tls", errUsage, name)
			}
		}
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: c.serverName}
	if c.ca != "" {
		pem, err := os.ReadFile(c.ca)
		if err != nil {
			return nil, fmt.Errorf("%w: -tls-ca: %v", errUsage, err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%w: -tls-ca: %s has no certificate", errUsage, c.ca)
		}
	}
	switch {
	case c.cert != "" && c.key == "":
		return nil, fmt.Errorf("%w: -tls-cert needs -tls-key", errUsage)
	case c.cert == "" && c.key != "":
		return nil, fmt.Errorf("%w: -tls-key needs -tls-cert", errUsage)
	case c.cert != "":
		pair, err := tls.LoadX509KeyPair(c.cert, c.key)
		if err != nil {
			return nil, fmt.Errorf("%w: -tls-cert, -tls-key: %v", errUsage, err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

func (c *connection) login(a app) (kgo.Opt, error) {
	if c.sasl == "" {
		for name, value := range map[string]string{
			"sasl-user": c.user, "sasl-password-env": c.passwordEnv, "sasl-password-file": c.passwordFile,
		} {
			if value != "" {
				return nil, fmt.Errorf("%w: -%s needs -sasl", errUsage, name)
			}
		}
		return nil, nil
	}
	if c.user == "" {
		return nil, fmt.Errorf("%w: -sasl needs -sasl-user", errUsage)
	}
	password, err := c.password(a)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", errUsage, err)
	}
	switch c.sasl {
	case "plain":
		if !c.tls {
			fmt.Fprintln(a.stderr, "urikafka: -sasl plain without -tls sends the password unencrypted")
		}
		return kgo.SASL(plain.Auth{User: c.user, Pass: password}.AsMechanism()), nil
	case "scram-sha-256":
		return kgo.SASL(scram.Auth{User: c.user, Pass: password}.AsSha256Mechanism()), nil
	case "scram-sha-512":
		return kgo.SASL(scram.Auth{User: c.user, Pass: password}.AsSha512Mechanism()), nil
	}
	return nil, fmt.Errorf("%w: -sasl: unknown mechanism %q; use plain, scram-sha-256 or scram-sha-512",
		errUsage, c.sasl)
}

// password returns the SASL password. No error contains it.
func (c *connection) password(a app) (string, error) {
	switch {
	case c.passwordEnv != "" && c.passwordFile != "":
		return "", errors.New("-sasl-password-env and -sasl-password-file exclude each other")
	case c.passwordEnv != "":
		if password := a.getenv(c.passwordEnv); password != "" {
			return password, nil
		}
		return "", fmt.Errorf("-sasl-password-env: the environment has no %s", c.passwordEnv)
	case c.passwordFile != "":
		text, err := os.ReadFile(c.passwordFile)
		if err != nil {
			return "", fmt.Errorf("-sasl-password-file: %v", err)
		}
		if password := strings.TrimRight(string(text), "\r\n"); password != "" {
			return password, nil
		}
		return "", errors.New("-sasl-password-file: the file is empty")
	}
	return "", errors.New("-sasl needs -sasl-password-env or -sasl-password-file")
}
