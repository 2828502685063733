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
	urinats "github.com/seed-56a50ac9/uri/integrations/nats"
	"github.com/seed-56a50ac9/uri/integrations/nats/internal/queue"
	"github.com/seed-56a50ac9/uri/internal/blocks"
)

// A config is what the flags say.
type config struct {
	url     string
	secrets secrets
	options []nats.Option // of the connection

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

// secrets are flags that say how to connect. All but user are names of files.
type secrets struct {
	ca, cert, key, creds, nkey, user, passwordFile, tokenFile string
}

// flags returns the flags, which set fields of c.
func flags(c *config) *flag.FlagSet {
	f := flag.NewFlagSet("urinats", flag.ContinueOnError)
	f.SetOutput(io.Discard)

	f.StringVar(&c.url, "url", "",
		"`URLs` of servers, separated by commas, as in nats://host:4222 or tls://host:4222")
	f.StringVar(&c.secrets.ca, "ca", "", "PEM `file` with the authorities that sign the server's certificate")
	f.StringVar(&c.secrets.cert, "cert", "", "PEM `file` with the client's certificate")
	f.StringVar(&c.secrets.key, "key", "", "PEM `file` with the key of -cert")
	f.StringVar(&c.secrets.creds, "creds", "", "credentials `file`: a JWT and an nkey")
	f.StringVar(&c.secrets.nkey, "nkey", "", "`file` with the seed of an nkey")
	f.StringVar(&c.secrets.user, "user", "", "`name` of a user with a password")
	f.StringVar(&c.secrets.passwordFile, "password-file", "", "`file` with the password")
	f.StringVar(&c.secrets.tokenFile, "token-file", "", "`file` with a token")

	f.StringVar(&c.names.Stream, "stream", "LOG", "`name` of the stream that is the work queue")
	f.StringVar(&c.names.Subject, "subject", "log", "`subject` of the work queue, for -create")
	f.StringVar(&c.names.Consumer, "consumer", "urinats", "`name` of the work queue's consumer")
	f.StringVar(&c.names.Results, "results", "results", "`subject` below which results are published")
	f.StringVar(&c.names.DeadLetters, "dead", "dead", "`subject` below which dead letters are published")
	f.BoolVar(&c.create, "create", false, "create the streams and the consumer that are missing")

	f.StringVar(&c.lines, "lines", "referrer", "`kind` of lines: "+blocks.LineNames)
	f.StringVar(&c.fields, "fields", "host",
		"`components` of the URI, separated by commas: "+blocks.ComponentNames)
	f.BoolVar(&c.lenient, "lenient", false, "accept what browsers send, and percent-encode it")
	f.StringVar(&c.mode, "mode", "count", "`mode`: count the values of a component, or add components to lines")

	f.IntVar(&c.parallel, "parallel", 0,
		"`number` of blocks that are processed at the same time (default 4 per CPU)")
	f.IntVar(&c.limits.MaxDeliver, "max-deliver", 5,
		"`number` of deliveries after which a block is a dead letter")
	f.DurationVar(&c.limits.Timeout, "timeout", time.Minute, "`time` that a block may take")
	f.DurationVar(&c.limits.AckWait, "ack-wait", 30*time.Second,
		"`time` after which a killed worker's blocks are "+
			"delivered again, for -create")
	f.BoolVar(&c.untilEmpty, "until-empty", false, "stop when the work queue has no messages")
	f.DurationVar(&c.report, "report", 0,
		"`time` between reports of what the worker did (default only at the end)")

	return f
}

// parse reads and checks the flags.
func parse(args []string, faults io.Writer) (*config, error) {
	c := &config{}
	f := flags(c)
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(faults, usage)
		f.SetOutput(faults)
		f.PrintDefaults()
		return nil, err
	case err != nil:
		return nil, err
	case f.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q; urinats has only flags", f.Arg(0))
	}

	faulty := func(name string, err error) error { return fmt.Errorf("-%s: %w", name, err) }
	if err := checkURLs(c.url); err != nil {
		return nil, faulty("url", err)
	}
	if err := c.connection(); err != nil {
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
	return c, c.context(f)
}

// demoFlags are the flags that the demo obeys.
var demoFlags = []string{"lines", "fields", "lenient", "mode", "parallel", "max-deliver", "timeout"}

// context returns an error for a flag that has no effect without another one.
func (c *config) context(f *flag.FlagSet) (err error) {
	f.Visit(func(given *flag.Flag) {
		name, why := given.Name, ""
		switch {
		case name == "url" && c.url == "":
			why = "is empty"
		case c.url == "" && !slices.Contains(demoFlags, name):
			why = "the demo has a server of its own; give -url"
		case (name == "subject" || name == "ack-wait") && !c.create:
			why = "has no effect without -create"
		}
		if why != "" && err == nil {
			err = fmt.Errorf("-%s: %s", name, why)
		}
	})
	return err
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
		case err != nil || !slices.Contains(schemes, v.Scheme()) || v.Host() == "":
			return errors.New("must be like nats://host:4222; the schemes are " + strings.Join(schemes, ", "))
		case v.Has(uri.Userinfo):
			return errors.New("must not have a user or password; use -user and the variable NATS_PASSWORD, " +
				"or -token-file")
		}
	}
	return nil
}

// connection sets the options of the connection.
func (c *config) connection() error {
	c.options = []nats.Option{nats.Name("urinats"), nats.MaxReconnects(-1)}
	s := c.secrets
	for _, file := range []struct{ name, path string }{
		{"ca", s.ca},
		{"cert", s.cert},
		{"key", s.key},
		{"creds", s.creds},
		{"nkey", s.nkey},
		{"password-file", s.passwordFile},
		{"token-file", s.tokenFile},
	} {
		if file.path == "" {
			continue
		}
		if _, err := os.ReadFile(file.path); err != nil {
			return fmt.Errorf("-%s: %w", file.name, err)
		}
	}
	password, err := secret("NATS_PASSWORD", s.passwordFile)
	if err != nil {
		return fmt.Errorf("-password-file: %w", err)
	}
	token, err := secret("NATS_TOKEN", s.tokenFile)
	if err != nil {
		return fmt.Errorf("-token-file: %w", err)
	}
	given := 0
	for _, value := range []string{s.creds, s.nkey, s.user, token} {
		if value != "" {
			given++
		}
	}
	switch {
	case c.url == "":
		return nil
	case (s.cert == "") != (s.key == ""):
		return errors.New("-cert, -key: give both or none")
	case given > 1:
		return errors.New("-creds, -nkey, -user, -token-file (or the variable NATS_TOKEN): give one of them")
	case s.user != "" && password == "":
		return errors.New("-user: set the variable NATS_PASSWORD, or give -password-file")
	case s.user == "" && s.passwordFile != "":
		return errors.New("-password-file: give -user")
	}
	if s.ca != "" {
		c.options = append(c.options, nats.RootCAs(s.ca))
	}
	if s.cert != "" {
		c.options = append(c.options, nats.ClientCert(s.cert, s.key))
	}
	switch {
	case s.creds != "":
		c.options = append(c.options, nats.UserCredentials(s.creds))
	case s.nkey != "":
		option, err := nats.NkeyOptionFromSeed(s.nkey)
		if err != nil {
			return fmt.Errorf("-nkey: %w", err)
		}
		c.options = append(c.options, option)
	case s.user != "":
		c.options = append(c.options, nats.UserInfo(s.user, password))
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
