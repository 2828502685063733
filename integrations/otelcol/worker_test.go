package uriotel

import (
	"bytes"
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/seed-56a50ac9/uri"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pipeline"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"
)

// settings are fields of the configuration, or attributes.
type settings = map[string]any

// load returns the default configuration with some fields set, as the Collector loads it.
func load(t testing.TB, fields settings) (*Config, error) {
	t.Helper()
	config := NewFactory().CreateDefaultConfig().(*Config)
	if err := confmap.NewFromStringMap(fields).Unmarshal(config); err != nil {
		return nil, err
	}
	return config, config.Validate()
}

// newLogs returns a processor of logs with a valid configuration.
func newLogs(t testing.TB, fields settings, telemetry component.TelemetrySettings,
	next consumer.Logs,
) processor.Logs {
	t.Helper()
	config, err := load(t, fields)
	require.NoError(t, err)
	factory := NewFactory()
	set := processortest.NewNopSettings(factory.Type())
	set.TelemetrySettings = telemetry
	p, err := factory.CreateLogs(context.Background(), set, config, next)
	require.NoError(t, err)
	require.NoError(t, p.Start(context.Background(), componenttest.NewNopHost()))
	return p
}

// logsOf returns a batch with a record for each set of attributes.
func logsOf(t testing.TB, records ...settings) plog.Logs {
	t.Helper()
	logs := plog.NewLogs()
	list := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	for _, attributes := range records {
		require.NoError(t, list.AppendEmpty().Attributes().FromRaw(attributes))
	}
	return logs
}

// process returns what becomes of the attributes of a log record.
func process(t testing.TB, fields, attributes settings) settings {
	t.Helper()
	sink := new(consumertest.LogsSink)
	p := newLogs(t, fields, componenttest.NewNopTelemetrySettings(), sink)
	require.NoError(t, p.ConsumeLogs(context.Background(), logsOf(t, attributes)))
	require.NoError(t, p.Shutdown(context.Background()))
	require.Equal(t, 1, sink.LogRecordCount())
	return sink.AllLogs()[0].ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Attributes().AsRaw()
}

// with returns the union of the attributes.
func with(all ...settings) settings {
	union := settings{}
	for _, s := range all {
		maps.Copy(union, s)
	}
	return union
}

// TestParts processes records that have only url.full.
func TestParts(t *testing.T) {
	tests := map[string]struct {
		full     string
		redacted string // empty if it is full
		parts    settings
	}{
		"all": {
			full:     "https://u:p@example.com:8443/a/b.tar.gz?x=1&sig=abc#f",
			redacted: "https://REDACTED:REDACTED@example.com:8443/a/b.tar.gz?x=1&sig=REDACTED#f",
			parts: settings{
				"url.scheme": "https", "url.domain": "example.com", "url.port": int64(8443), "url.path": "/a/b.tar.gz",
				"url.query": "x=1&sig=REDACTED", "url.fragment": "f", "url.extension": "gz",
			},
		},
		"no path": {
			full:  "http://h",
			parts: settings{"url.scheme": "http", "url.domain": "h", "url.path": ""},
		},
		"empty query":    {full: "/?", parts: settings{"url.path": "/", "url.query": ""}},
		"empty fragment": {full: "/#", parts: settings{"url.path": "/", "url.fragment": ""}},
		"network path":   {full: "//h/", parts: settings{"url.domain": "h", "url.path": "/"}},
		"relative":       {full: "a/b", parts: settings{"url.path": "a/b"}},
		"empty host": {
			full:  "file:///x",
			parts: settings{"url.scheme": "file", "url.domain": "", "url.path": "/x"},
		},
		"no slashes": {full: "urn:a.b", parts: settings{"url.scheme": "urn", "url.path": "a.b"}},
		"mail":       {full: "mailto:a@b.com", parts: settings{"url.scheme": "mailto", "url.path": "a@b.com"}},
		"upper case": {full: "HTTP:/", parts: settings{"url.scheme": "HTTP", "url.path": "/"}},
		"IPv6": {
			full:  "//[::1]:80",
			parts: settings{"url.domain": "[::1]", "url.port": int64(80), "url.path": ""},
		},
		"empty port": {full: "//h:/", parts: settings{"url.domain": "h", "url.path": "/"}},
		"largest port": {
			full:  "//h:65535",
			parts: settings{"url.domain": "h", "url.port": int64(65535), "url.path": ""},
		},
		"huge port": {full: "//h:65536", parts: settings{"url.domain": "h", "url.path": ""}},
		"port zero": {
			full:  "//h:0",
			parts: settings{"url.domain": "h", "url.port": int64(0), "url.path": ""},
		},
		"encoded": {
			full:  "/a%2Fb?c%26d#%41",
			parts: settings{"url.path": "/a%2Fb", "url.query": "c%26d", "url.fragment": "%41"},
		},
		"broken escape":   {full: "/%zz?100%", parts: settings{"url.path": "/%zz", "url.query": "100%"}},
		"not ASCII":       {full: "/é?é", parts: settings{"url.path": "/é", "url.query": "é"}},
		"extension":       {full: "/a.png", parts: settings{"url.path": "/a.png", "url.extension": "png"}},
		"relative file":   {full: "a.png", parts: settings{"url.path": "a.png", "url.extension": "png"}},
		"two extensions":  {full: "/a.tar.gz", parts: settings{"url.path": "/a.tar.gz", "url.extension": "gz"}},
		"folder with dot": {full: "/v1.2/users", parts: settings{"url.path": "/v1.2/users"}},
		"slash at end":    {full: "/a.b/", parts: settings{"url.path": "/a.b/"}},
		"hidden file":     {full: "/.profile", parts: settings{"url.path": "/.profile"}},
		"hidden .tar":     {full: "/.a.tar", parts: settings{"url.path": "/.a.tar", "url.extension": "tar"}},
		"dot at end":      {full: "/a.", parts: settings{"url.path": "/a."}},
		"dot segments":    {full: "/a/..", parts: settings{"url.path": "/a/.."}},
		"path parameter": {
			full:  "/a.php;v=1.2",
			parts: settings{"url.path": "/a.php;v=1.2", "url.extension": "php"},
		},
		"encoded slash":  {full: "/..%2Fa", parts: settings{"url.path": "/..%2Fa"}},
		"encoded before": {full: "/%41.b", parts: settings{"url.path": "/%41.b", "url.extension": "b"}},
		"dots in query": {
			full:  "/a?b.c#d.e",
			parts: settings{"url.path": "/a", "url.query": "b.c", "url.fragment": "d.e"},
		},
		"session": {
			full: "/a.php;jsessionid=1#f", redacted: "/a.php;jsessionid=REDACTED#f",
			parts: settings{"url.path": "/a.php;jsessionid=REDACTED", "url.fragment": "f", "url.extension": "php"},
		},
		"token in fragment": {
			full: "/#access_token=1", redacted: "/#access_token=REDACTED",
			parts: settings{"url.path": "/", "url.fragment": "access_token=REDACTED"},
		},
		"nested": {
			full: "/?next=http%3A%2F%2Fu%3Ap%40h", redacted: "/?next=http%3A%2F%2FREDACTED:REDACTED%40h",
			parts: settings{"url.path": "/", "url.query": "next=http%3A%2F%2FREDACTED:REDACTED%40h"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.redacted == "" {
				test.redacted = test.full
			}
			want := with(test.parts, settings{"url.full": test.redacted})
			assert.Equal(t, want, process(t, nil, settings{"url.full": test.full}))
		})
	}
}

// TestInvalid processes records whose URL is invalid: they are kept, lose their secrets, and may get the
// reason.
func TestInvalid(t *testing.T) {
	tests := map[string]struct{ full, redacted, reason string }{
		"host": {"http://h h/", "http://h h/", "invalid host"},
		"two userinfos": {
			"http://a@b@c/?token=d", "http://REDACTED:REDACTED@c/?token=REDACTED",
			"invalid host",
		},
		"scheme": {"1a:b", "1a:b", "invalid or missing scheme"},
		"zone": {
			"http://u:p@[fe80::1%25en0]/", "http://REDACTED:REDACTED@[fe80::1%25en0]/",
			"invalid IP-literal",
		},
		"port":                    {"http://h:8x/?sig=1", "http://h:8x/?sig=REDACTED", "invalid or missing port"},
		"line end":                {"/a\nb?sig=1", "/a%0Ab?sig=REDACTED", "invalid path"},
		"control in query":        {"/?a\x00b&sig=1", "/?a%00b&sig=REDACTED", "invalid query"},
		"fragment":                {"/#\x01&sig=1", "/#%01&sig=REDACTED", "invalid fragment"},
		"not valid once redacted": {"http://[v1.sig=a]/", "http://[v1.sig=REDACTED", "no URL without its secrets"},
		"password for a path":     {"user:word@h/", "REDACTED:REDACTED@h/", "no URL without its secrets"},
		"user for a path":         {"user@h/", "REDACTED:REDACTED@h/", "no URL without its secrets"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := process(t, nil, settings{"url.full": test.full, "url.path": "/before"})
			assert.Equal(t, settings{"url.full": test.redacted, "url.path": "/before"}, got)
			got = process(t, settings{"error_attribute": "url.error"}, settings{"url.full": test.full})
			assert.Equal(t, settings{"url.full": test.redacted, "url.error": test.reason}, got)
		})
	}
}

// TestStrict processes records that only the default configuration accepts.
func TestStrict(t *testing.T) {
	for full, reason := range map[string]string{
		"/%zz": "invalid percent-encoding", "/é": "invalid path", "/?a b": "invalid query",
		"/#|": "invalid fragment",
	} {
		assert.Contains(t, process(t, nil, settings{"url.full": full}), "url.path", full)
		got := process(t, settings{"strict": true, "error_attribute": "e"}, settings{"url.full": full})
		assert.Equal(t, settings{"url.full": full, "e": reason}, got)
	}
}

// TestFrom reads other attributes, in the given order.
func TestFrom(t *testing.T) {
	pathOf := func(fields, attributes settings) any { return process(t, fields, attributes)["url.path"] }
	from := func(names ...any) settings { return settings{"from": names} }

	both := settings{"url.full": "/full", "url.original": "/original"}
	assert.Equal(t, "/full", pathOf(nil, both))
	assert.Equal(t, "/original", pathOf(nil, settings{"url.original": "/original"}))
	assert.Equal(t, "/original", pathOf(from("url.original", "url.full"), both))
	assert.Equal(t, "/original", pathOf(from("url.original"), both))
	assert.Equal(t, "/old", pathOf(from("url.full", "http.url"), settings{"http.url": "/old"}))
	assert.Nil(t, pathOf(from("http.url"), both))

	assert.Equal(t, "/original", pathOf(nil, settings{"url.full": "", "url.original": "/original"}), "empty")
	assert.Equal(t, "/original", pathOf(nil, settings{"url.full": int64(1), "url.original": "/original"}),
		"no string")
	assert.Nil(t, pathOf(nil, settings{"url.full": "http://h h", "url.original": "/original"}), "invalid")

	long := strings.Repeat("x", 100)
	assert.Equal(t, "/long", pathOf(from(long),
		settings{long: "/long", long + "x": "/longer", "y" + long[1:]: "/y"}))
}

// TestRedacted says which attributes lose their secrets.
func TestRedacted(t *testing.T) {
	secret := settings{
		"url.full": "http://u:p@h/", "url.original": "http://u:p@h/?sig=1", "http.url": "/?sig=1",
		"url.query": "a=b@c&sig=1", "url.path": "/a;token=1", "url.fragment": "sig=1",
		"other": "http://u:p@h/?sig=1", "http.path": "/?sig=1",
	}
	clean := with(secret, settings{
		"url.full":  "http://REDACTED:REDACTED@h/",
		"url.query": "a=b@c&sig=REDACTED", "url.path": "/a;token=REDACTED", "url.fragment": "sig=REDACTED",
	})
	// None of these is read, so nothing else changes.
	assert.Equal(t, clean, process(t, settings{"from": []any{"none"}}, secret))
	cleanOriginal := with(clean, settings{"url.original": "http://REDACTED:REDACTED@h/?sig=REDACTED"})
	assert.Equal(t, cleanOriginal, process(t, settings{"from": []any{"none"}, "redact_original": true}, secret))

	// What is read from url.original has no secrets, though url.original keeps them.
	parts := settings{"url.scheme": "http", "url.domain": "h", "url.path": "/", "url.query": "sig=REDACTED"}
	assert.Equal(t, with(clean, parts), process(t, settings{"from": []any{"url.original"}}, secret))
	assert.Equal(t, with(cleanOriginal, parts),
		process(t, settings{"from": []any{"url.original"}, "redact_original": true}, secret))

	// Other attributes that may be read lose their secrets even if they are not read.
	got := process(t, settings{"from": []any{"url.full", "http.url"}}, secret)
	assert.Equal(t, "/?sig=REDACTED", got["http.url"])

	// A query that could be part of no URL loses its secrets too.
	for query, want := range map[string]string{
		"a b@c&sig=1": "REDACTED:REDACTED@c&sig=REDACTED", "?sig=1": "?sig=REDACTED", "": "",
		"#sig=1": "#sig=REDACTED",
	} {
		assert.Equal(t, settings{"url.query": want}, process(t, nil, settings{"url.query": query}), query)
	}
}

// TestSecretKeys adds keys to those that the library knows.
func TestSecretKeys(t *testing.T) {
	before := settings{"url.full": "http://h/?pin=1&sig=2&id=3", "url.query": "pin=4"}
	assert.Equal(t, "pin=1&sig=REDACTED&id=3", process(t, nil, before)["url.query"])
	fields := settings{"secret_keys": []any{"Pin", "id"}}
	assert.Equal(t, "pin=REDACTED&sig=REDACTED&id=REDACTED", process(t, fields, before)["url.query"])
	assert.Equal(t, "http://h/?pin=REDACTED&sig=REDACTED&id=REDACTED", process(t, fields, before)["url.full"])
}

// TestExisting overwrites attributes, or keeps them.
func TestExisting(t *testing.T) {
	before := settings{
		"url.full": "http://new.example:1/new.new?new#new", "url.scheme": "old", "url.domain": int64(1),
		"url.port": "old", "url.path": "/old?token=x", "url.query": true, "url.fragment": "old",
		"url.extension": "old",
		"n":             "old", "t": "old", "other": "old",
	}
	fields := settings{"normalized_attribute": "n", "traits_attribute": "t"}
	assert.Equal(t, with(before, settings{
		"url.scheme": "http", "url.domain": "new.example", "url.port": int64(1), "url.path": "/new.new",
		"url.query": "new", "url.fragment": "new", "url.extension": "new", "n": before["url.full"],
	}), process(t, fields, before))

	before["url.full"] = "HTTP://new.example/#"
	got := process(t, fields, before)
	assert.Equal(t, []any{"HasUppercaseScheme"}, got["t"])
	assert.Empty(t, got["url.fragment"])
	assert.Equal(t, true, got["url.query"], "what the URL lacks is not removed")

	before["url.full"] = "HTTP://new.example:1/new.new?new#new"
	fields["existing"] = "keep"
	assert.Equal(t, with(before, settings{"url.path": "/old?token=REDACTED"}), process(t, fields, before))
	got = process(t, with(fields, settings{"error_attribute": "other"}),
		settings{"url.full": "1:", "other": "old"})
	assert.Equal(t, "old", got["other"])
}

// TestSet sets only some attributes.
func TestSet(t *testing.T) {
	const full = "http://u@h:1/a.b?c#d"
	for i, name := range partNames {
		got := process(t, settings{"set": []any{name}}, settings{"url.original": full})
		assert.Len(t, got, 2, name)
		assert.Contains(t, got, partNames[i])
	}
	assert.Equal(t, settings{"url.original": full},
		process(t, settings{"set": []any{}}, settings{"url.original": full}))

	set := settings{"set": []any{"url.full"}}
	got := process(t, set, settings{"url.original": full})
	assert.Equal(t, settings{"url.original": full, "url.full": "http://REDACTED:REDACTED@h:1/a.b?c#d"}, got)
	assert.Equal(t, settings{"url.original": "/a"}, process(t, set, settings{"url.original": "/a"}),
		"not absolute")
}

// TestForm reads request targets.
func TestForm(t *testing.T) {
	target := settings{"form": "request_target"}
	for full, want := range map[string]settings{
		"//h/p?q":   {"url.path": "//h/p", "url.query": "q"},
		"http://h/": {"url.scheme": "http", "url.domain": "h", "url.path": "/"},
		"*":         {"url.path": "*"},
	} {
		got := process(t, target, settings{"url.original": full})
		assert.Equal(t, with(want, settings{"url.original": full}), got)
	}
	got := process(t, with(target, settings{"error_attribute": "e"}), settings{"url.original": "/a#b"})
	assert.Equal(t, settings{"url.original": "/a#b", "e": "component not allowed in this form"}, got)
}

// TestNormalized sets an attribute to the normalized URL.
func TestNormalized(t *testing.T) {
	tests := map[string]struct{ syntax, scheme string }{
		"HTTP://H:80/%7ea/../b?x": {"http://h:80/b?x", "http://h/b?x"},
		"http://u:p@h?sig=1": {
			"http://REDACTED:REDACTED@h?sig=REDACTED",
			"http://REDACTED:REDACTED@h/?sig=REDACTED",
		},
		"/é|":         {"/%C3%A9%7C", "/%C3%A9%7C"},
		"/a":          {"/a", "/a"},
		"/?sig%%33D1": {"/?sig%253DREDACTED", "/?sig%253DREDACTED"}, // once "%" is "%25"
	}
	for full, want := range tests {
		fields := settings{"normalized_attribute": "url.normalized"}
		assert.Equal(t, want.syntax, process(t, fields, settings{"url.full": full})["url.normalized"])
		fields["normalize"] = "scheme"
		assert.Equal(t, want.scheme, process(t, fields, settings{"url.full": full})["url.normalized"])
	}
}

// TestTraits sets an attribute to the names of the traits, which are those of the URL with its secrets.
func TestTraits(t *testing.T) {
	for full, want := range map[string]any{
		"/":                          nil,
		"http://h h/":                nil,
		"/a%2Fb//..":                 []any{"HasEscape", "HasEncodedSlash", "HasDotSegment", "HasDoubleSlash"},
		"/;token=a/../b":             []any{"HasDotSegment", "HasPathParam"},
		"/é":                         []any{"HasNonASCII"},
		"http://0x7f.1/?sig=1":       []any{"HasAddressLikeName"},
		"http://[::ffff:1.2.3.4]:0/": []any{"HasEmbeddedIPv4", "HasUnusualPort"},
	} {
		got := process(t, settings{"traits_attribute": "url.traits"}, settings{"url.full": full})
		assert.Equal(t, want, got["url.traits"], full)
	}
}

// TestTraitTexts requires that the worker know each trait.
func TestTraitTexts(t *testing.T) {
	w, err := newWorker(createDefaultConfig().(*Config), processortest.NewNopSettings(NewFactory().Type()))
	require.NoError(t, err)
	assert.Equal(t, strings.Split(allTraits().String(), "|"), w.traitTexts)
	for _, text := range w.traitTexts {
		assert.Regexp(t, `^Has[A-Z]`, text)
	}
}

// allTraits returns all traits, which are those of a failed scan.
func allTraits() uri.Trait {
	var v uri.StringView
	_ = v.Scan(uri.URI, "")
	return v.Traits()
}

// TestDuplicates processes a record that has an attribute twice, as a client may send it.
func TestDuplicates(t *testing.T) {
	data, err := new(plog.ProtoMarshaler).MarshalLogs(logsOf(t,
		settings{"url.full": "/?sig=1", "url.fulk": "/?sig=2"}))
	require.NoError(t, err)
	logs, err := new(plog.ProtoUnmarshaler).UnmarshalLogs(bytes.Replace(data, []byte("fulk"), []byte("full"), 1))
	require.NoError(t, err)
	sink := new(consumertest.LogsSink)
	p := newLogs(t, settings{"set": []any{}}, componenttest.NewNopTelemetrySettings(), sink)
	require.NoError(t, p.ConsumeLogs(context.Background(), logs))
	n := 0
	record := sink.AllLogs()[0].ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
	for name, value := range record.Attributes().All() {
		assert.Equal(t, "url.full", name)
		assert.Equal(t, "/?sig=REDACTED", value.Str())
		n++
	}
	assert.Equal(t, 2, n)
}

// TestTraces processes spans and their events.
func TestTraces(t *testing.T) {
	for _, events := range []bool{true, false} {
		config, err := load(t, settings{"span_events": events})
		require.NoError(t, err)
		sink := new(consumertest.TracesSink)
		factory := NewFactory()
		p, err := factory.CreateTraces(context.Background(), processortest.NewNopSettings(factory.Type()), config,
			sink)
		require.NoError(t, err)
		assert.True(t, p.Capabilities().MutatesData)

		traces := ptrace.NewTraces()
		for range 2 {
			scopes := traces.ResourceSpans().AppendEmpty().ScopeSpans()
			for range 2 {
				spans := scopes.AppendEmpty().Spans()
				for range 2 {
					span := spans.AppendEmpty()
					span.Attributes().PutStr("url.full", "http://h/a.png?sig=1")
					span.Events().AppendEmpty().Attributes().PutStr("url.full", "/event?sig=2")
				}
			}
		}
		require.NoError(t, p.ConsumeTraces(context.Background(), traces))
		assert.Equal(t, 8, sink.SpanCount())
		for _, resource := range sink.AllTraces()[0].ResourceSpans().All() {
			for _, scope := range resource.ScopeSpans().All() {
				for _, span := range scope.Spans().All() {
					assert.Equal(t, settings{
						"url.full": "http://h/a.png?sig=REDACTED", "url.scheme": "http", "url.domain": "h",
						"url.path": "/a.png", "url.query": "sig=REDACTED", "url.extension": "png",
					}, span.Attributes().AsRaw())
					want := settings{"url.full": "/event?sig=2"}
					if events {
						want = settings{"url.full": "/event?sig=REDACTED", "url.path": "/event", "url.query": "sig=REDACTED"}
					}
					assert.Equal(t, want, span.Events().At(0).Attributes().AsRaw())
				}
			}
		}
	}
}

// TestMetricsUnsupported requires that a pipeline of metrics cannot have the processor.
func TestMetricsUnsupported(t *testing.T) {
	factory := NewFactory()
	set := processortest.NewNopSettings(factory.Type())
	_, err := factory.CreateMetrics(context.Background(), set, factory.CreateDefaultConfig(),
		consumertest.NewNop())
	assert.ErrorIs(t, err, pipeline.ErrSignalNotSupported)
	assert.Equal(t, component.StabilityLevelAlpha, factory.LogsStability())
	assert.Equal(t, component.StabilityLevelAlpha, factory.TracesStability())
	assert.Equal(t, component.StabilityLevelUndefined, factory.MetricsStability())
	assert.Equal(t, "uri", factory.Type().String())
	assert.NoError(t, componenttest.CheckConfigStruct(factory.CreateDefaultConfig()))
}

// TestNothingDropped passes on all records of all resources and scopes, in order, with all that is not an
// attribute.
func TestNothingDropped(t *testing.T) {
	logs := plog.NewLogs()
	n := 0
	for range 3 {
		scopes := logs.ResourceLogs().AppendEmpty().ScopeLogs()
		for range 3 {
			records := scopes.AppendEmpty().LogRecords()
			for range 3 {
				record := records.AppendEmpty()
				record.SetTimestamp(pcommon.Timestamp(n))
				record.Body().SetStr("http://u:p@h/")
				switch n % 4 {
				case 0:
					record.Attributes().PutStr("url.full", "http://h/")
				case 1:
					record.Attributes().PutStr("url.full", "http://h h/\x00")
				case 2:
					record.Attributes().PutEmptyMap("url.full").PutStr("a", "b")
				}
				n++
			}
		}
	}
	sink := new(consumertest.LogsSink)
	p := newLogs(t, nil, componenttest.NewNopTelemetrySettings(), sink)
	assert.True(t, p.Capabilities().MutatesData)
	require.NoError(t, p.ConsumeLogs(context.Background(), logs))
	i := 0
	for _, resource := range sink.AllLogs()[0].ResourceLogs().All() {
		for _, scope := range resource.ScopeLogs().All() {
			for _, record := range scope.LogRecords().All() {
				assert.Equal(t, pcommon.Timestamp(i), record.Timestamp())
				assert.Equal(t, "http://u:p@h/", record.Body().Str(), "the body is not an attribute")
				want := []int{4, 1, 1, 0}[i%4]
				assert.Equal(t, want, record.Attributes().Len())
				i++
			}
		}
	}
	assert.Equal(t, n, i)
}

// FuzzProcess processes any URL. Together, the parts must be the URL without its secrets, and agree with
// net/url.
func FuzzProcess(f *testing.F) {
	for _, s := range []string{
		"", "http://h:80/v1.2/a.png?b=c#d", "https://u:p@example.com/?sig=1", "//[::1]:0/.a.b;c=d", "/a%2Fb%zz?é#|",
		"urn:a.b", "http://[v1.sig=abc]/", "x:/a/..//u:p@h/", "http://h h/?token=1", "?", "#", "a.b", "/\x00",
		"http:u:p@h",
	} {
		f.Add(s)
	}
	fields := settings{
		"normalized_attribute": "n", "traits_attribute": "t", "error_attribute": "e",
		"redact_original": true,
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := process(t, fields, settings{"url.original": s})
		clean := string(uri.AppendRedacted(nil, s, nil))
		assert.Equal(t, clean, got["url.original"])
		if s == "" {
			assert.Len(t, got, 1)
			return
		}
		if isInvalid(s, clean) {
			assert.Equal(t, settings{"url.original": clean, "e": got["e"]}, got)
			assert.NotEmpty(t, got["e"])
			return
		}
		assert.NotContains(t, got, "e")
		assert.True(t, uri.Valid(uri.Reference, got["n"].(string)) ||
			strings.Contains(got["n"].(string), "REDACTED"))
		assert.Equal(t, clean, assemble(clean, got))
		if extension, ok := got["url.extension"].(string); ok {
			name := got["url.path"].(string)
			name, _, _ = strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ";")
			assert.True(t, strings.HasSuffix(name, "."+extension))
			assert.NotContains(t, extension, ".")
		}
		compareStd(t, clean, got)
	})
}

// isInvalid reports whether one of the two is invalid, or they have different schemes.
func isInvalid(s, clean string) bool {
	var v, w uri.StringView
	return v.Scan(uri.Reference|uri.Lenient, s) != nil || w.Scan(uri.Reference|uri.Lenient, clean) != nil ||
		v.Scheme() != w.Scheme()
}

// assemble puts the URL together from its parts (RFC 3986 section 5.3). The userinfo and the port are from
// the URL.
func assemble(clean string, got settings) string {
	var b strings.Builder
	if scheme, ok := got["url.scheme"]; ok {
		b.WriteString(scheme.(string) + ":")
	}
	if domain, ok := got["url.domain"]; ok {
		b.WriteString("//")
		rest := clean[b.Len():]
		authority := rest
		if i := strings.IndexAny(rest, "/?#"); i >= 0 {
			authority = rest[:i]
		}
		i := strings.LastIndexByte(authority, '@') + 1
		b.WriteString(authority[:i] + domain.(string) + authority[i+len(domain.(string)):])
	}
	b.WriteString(got["url.path"].(string))
	if query, ok := got["url.query"]; ok {
		b.WriteString("?" + query.(string))
	}
	if fragment, ok := got["url.fragment"]; ok {
		b.WriteString("#" + fragment.(string))
	}
	return b.String()
}

// compareStd compares the parts with those of net/url, if it accepts the URL.
func compareStd(t *testing.T, clean string, got settings) {
	std, err := url.Parse(clean)
	if err != nil || std.Opaque != "" || std.Host != "" && !slices.Contains([]byte(std.Host), '[') &&
		strings.Contains(clean, "%") {
		return
	}
	text := func(name string) string { s, _ := got[name].(string); return s }
	assert.Equal(t, std.Scheme, strings.ToLower(text("url.scheme")))
	assert.Equal(t, std.RawQuery, text("url.query"))
	if std.Host != "" {
		assert.Equal(t, strings.Trim(std.Hostname(), "[]"), strings.Trim(text("url.domain"), "[]"))
	}
}
