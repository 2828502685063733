package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/seed-56a50ac9/uri"
	"github.com/seed-56a50ac9/uri/integrations/nats"
	"github.com/seed-56a50ac9/uri/integrations/nats/internal/queue"
	"github.com/seed-56a50ac9/uri/internal/blocks"
)

// A config is what the flags say.
type config struct {
	url     string
	options []nats.Option

	names    queue.Names
	limits   queue.Limits
	function urinats.Func
	parallel int

	mode       string
	lines      string
	fields     string
	lenient    bool
	create     bool
	untilEmpty bool
	report     time.Duration
}

const usage = `Usage: urinats [flags]

Without -url, urinats runs a demo: a NATS server in the same process, a log, and three workers.

With -url it is a worker: it takes blocks of lines from a work queue, and publishes counts of the values of a
component, or the lines with components added. A password is read from the variable NATS_PASSWORD or a file, a
token from NATS_TOKEN or a file.

`

// parse reads and checks the flags.
func parse(args []string, faults io.Writer) (*config, error) {
	c := &config{}
	f := flag.NewFlagSet("urinats", flag.ContinueOnError)
	f.SetOutput(io.Discard)

	f.StringVar(&c.url, "url", "", "`URLs` of servers, separated by commas, as in nats://host:4222 or tls://host:4222")
	ca := f.String("ca", "", "PEM `file` with the authorities that sign the server's certificate")
	cert := f.String("cert", "", "PEM `file` with the client's certificate")
	key := f.String("key", "", "PEM `file` with the key of -cert")
	creds := f.String("creds", "", "credentials `file`: a JWT and an nkey")
	nkey := f.String("nkey", "", "`file` with the seed of an nkey")
	user := f.String("user", "", "`name` of a user with a password")
	passwordFile := f.String("password-file", "", "`file` with the password")
	tokenFile := f.String("token-file", "", "`file` with a token")

	f.StringVar(&c.names.Stream, "stream", "LOG", "`name` of the stream that is the work queue")
	f.StringVar(&c.names.Subject, "subject", "log", "`subject` of the work queue, for -create")
	f.StringVar(&c.names.Consumer, "consumer", "urinats", "`name` of the work queue's consumer")
	f.StringVar(&c.names.Results, "results", "results", "`subject` below which results are published")
	f.StringVar(&c.names.DeadLetters, "dead", "dead", "`subject` below which dead letters are published")
	f.BoolVar(&c.create, "create", false, "create the streams and the consumer that are missing")

	f.StringVar(&c.lines, "lines", "referrer", "what a line is: `kind` "+blocks.LineNames)
	f.StringVar(&c.fields, "fields", "host", "`components` of the URI, separated by commas: "+blocks.ComponentNames)
	f.BoolVar(&c.lenient, "lenient", false, "accept what browsers send, and percent-encode it")
	f.StringVar(&c.mode, "mode", "count", "`mode`: count the values of a component, or add components to lines")

	f.IntVar(&c.parallel, "parallel", 0, "`number` of blocks that are processed at the same time (default 4 per CPU)")
	f.IntVar(&c.limits.MaxDeliver, "max-deliver", 5, "`number` of deliveries after which a block is a dead letter")
	f.DurationVar(&c.limits.Timeout, "timeout", time.Minute, "`time` that a block may take")
	f.DurationVar(&c.limits.AckWait, "ack-wait", 30*time.Second, "`time` after which a killed worker's blocks are "+
		"delivered again, for -create")
	f.BoolVar(&c.untilEmpty, "until-empty", false, "stop when the work queue has no messages")
	f.DurationVar(&c.report, "report", 0, "`time` between reports of what the worker did (default only at the end)")

	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(faults, usage)
		f.SetOutput(faults)
		f.PrintDefaults()
		return nil, err
	case err != nil:
		return nil, err
	case f.NArg() > 0:
		return nil, fmt.Errorf("there are %d arguments; urinats has only flags", f.NArg())
	}

	faulty := func(name string, err error) error { return fmt.Errorf("-%s: %w", name, err) }
	if err := checkURLs(c.url); err != nil {
		return nil, faulty("url", err)
	}
	if err := c.connection(*ca, *cert, *key, *creds, *nkey, *user, *passwordFile, *tokenFile); err != nil {
		return nil, err
	}
	for _, name := range []string{"stream", "subject", "consumer", "results", "dead"} {
		if value := f.Lookup(name).Value.String(); value == "" || strings.ContainsAny(value, " \t*>/\\") {
			return nil, faulty(name, errors.New("must be a name without spaces, wildcards and slashes"))
		}
	}
	if c.create && strings.Contains(c.names.Results+c.names.DeadLetters, ".") {
		return nil, errors.New("-create: the subjects -results and -dead must be single tokens, as the streams " +
			"are named after them")
	}
	var err error
	switch c.mode {
	case "count":
		if strings.Contains(c.fields, ",") {
			return nil, faulty("fields", errors.New("-mode=count counts one component"))
		}
		c.function, err = queue.Counter(c.lines, c.fields, c.lenient)
	case "add":
		c.function, err = queue.Adder(c.lines, c.fields, c.lenient)
	default:
		return nil, faulty("mode", errors.New("must be count or add"))
	}
	if err != nil {
		return nil, faulty("lines, -fields", err)
	}
	switch {
	case c.parallel < 0:
		return nil, faulty("parallel", errors.New("must not be negative"))
	case c.limits.MaxDeliver < 1:
		return nil, faulty("max-deliver", errors.New("must be positive"))
	case c.limits.Timeout <= 0:
		return nil, faulty("timeout", errors.New("must be positive"))
	case c.limits.AckWait < 100*time.Millisecond:
		return nil, faulty("ack-wait", errors.New("must be at least 100ms"))
	case c.report < 0:
		return nil, faulty("report", errors.New("must not be negative"))
	}
	return c, nil
}

// schemes are those of servers.
var schemes = []string{"nats", "tls", "ws", "wss"}

// checkURLs checks a list of URLs. Passwords do not belong into arguments, which other users can see.
func checkURLs(urls string) error {
	if urls == "" {
		return nil
	}
	for text := range strings.SplitSeq(urls, ",") {
		v, err := uri.Parse(text)
		switch {
		case err != nil:
			return err
		case !slices.Contains(schemes, v.Scheme()) || v.Host() == "":
			return errors.New("must be like nats://host:4222; the schemes are " + strings.Join(schemes, ", "))
		case v.Has(uri.Userinfo):
			return errors.New("must not have a user or password; use -user and the variable NATS_PASSWORD, or -token-file")
		}
	}
	return nil
}

// connection sets the options of the connection.
func (c *config) connection(ca, cert, key, creds, nkey, user, passwordFile, tokenFile string) error {
	c.options = []nats.Option{nats.Name("urinats"), nats.MaxReconnects(-1)}
	for _, file := range []struct{ name, path string }{
		{"ca", ca},
		{"cert", cert},
		{"key", key},
		{"creds", creds},
		{"nkey", nkey},
		{"password-file", passwordFile},
		{"token-file", tokenFile},
	} {
		if file.path == "" {
			continue
		}
		if c.url == "" {
			return fmt.Errorf("-%s: the demo has a server of its own; give -url", file.name)
		}
		if _, err := os.ReadFile(file.path); err != nil {
			return fmt.Errorf("-%s: %w", file.name, err)
		}
	}
	password, err := secret("NATS_PASSWORD", passwordFile)
	if err != nil {
		return err
	}
	token, err := secret("NATS_TOKEN", tokenFile)
	if err != nil {
		return err
	}
	if (cert == "") != (key == "") {
		return errors.New("-cert, -key: give both or none")
	}
	given := 0
	for _, value := range []string{creds, nkey, user, token} {
		if value != "" {
			given++
		}
	}
	switch {
	case c.url == "" && user != "":
		return errors.New("-user: the demo has a server of its own; give -url")
	case given > 1:
		return errors.New("-creds, -nkey, -user, -token-file: give one of them")
	case user != "" && password == "":
		return errors.New("-user: set the variable NATS_PASSWORD, or give -password-file")
	case user == "" && passwordFile != "":
		return errors.New("-password-file: give -user")
	}
	if ca != "" {
		c.options = append(c.options, nats.RootCAs(ca))
	}
	if cert != "" {
		c.options = append(c.options, nats.ClientCert(cert, key))
	}
	switch {
	case creds != "":
		c.options = append(c.options, nats.UserCredentials(creds))
	case nkey != "":
		option, err := nats.NkeyOptionFromSeed(nkey)
		if err != nil {
			return fmt.Errorf("-nkey: %w", err)
		}
		c.options = append(c.options, option)
	case user != "":
		c.options = append(c.options, nats.UserInfo(user, password))
	case token != "":
		c.options = append(c.options, nats.Token(token))
	}
	return nil
}

// secret returns what a file contains without the line end, or the value of the variable.
func secret(variable, file string) (string, error) {
	if file == "" {
		return os.Getenv(variable), nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	value := strings.TrimRight(string(text), "\r\n")
	if value == "" {
		return "", fmt.Errorf("%s is empty", file)
	}
	return value, nil
}
