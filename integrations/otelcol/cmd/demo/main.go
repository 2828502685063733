// Command demo shows what the processor does: it makes a log record of each URL, hands them to the processor
// as the Collector does, and prints the attributes before and after.
//
//	go run ./integrations/otelcol/... [-config YAML] [URL...]
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	uriotel "github.com/seed-56a50ac9/uri/integrations/otelcol"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/processor"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/trace/noop"
	"go.uber.org/zap"
)

// samples are the URLs if none are given.
var samples = []string{
	"https://ada:lovelace@example.com:8443/files/archive.tar.gz?q=1&sig=fbd3e1#top",
	"http://[2001:db8::1]/v1.2/users",
	"/login;jsessionid=4711?user=ada",
	"https://example.com/100%?next=https%3A%2F%2Fada%3Alovelace%40example.net",
	"https://ada:love lace@example.com/",
}

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out io.Writer, args []string) error {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.SetOutput(out)
	yaml := flags.String("config", "error_attribute: url.error", "the processor's configuration, as `YAML`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	urls := flags.Args()
	if len(urls) == 0 {
		urls = samples
	}

	factory := uriotel.NewFactory()
	config := factory.CreateDefaultConfig().(*uriotel.Config)
	if err := load(config, *yaml); err != nil {
		return err
	}

	logs := plog.NewLogs()
	records := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	for _, s := range urls {
		records.AppendEmpty().Attributes().PutStr(config.From[0], s)
	}
	before := plog.NewLogs()
	logs.CopyTo(before)

	reader := sdkmetric.NewManualReader()
	set := processor.Settings{
		ID: component.NewID(factory.Type()),
		TelemetrySettings: component.TelemetrySettings{
			Logger:         zap.NewNop(),
			TracerProvider: noop.NewTracerProvider(),
			MeterProvider:  sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)),
			Resource:       pcommon.NewResource(),
		},
	}
	ctx := context.Background()
	next, err := consumer.NewLogs(func(_ context.Context,
		after plog.Logs,
	) error {
		return show(out, before, after)
	})
	if err != nil {
		return err
	}
	p, err := factory.CreateLogs(ctx, set, config, next)
	if err != nil {
		return err
	}
	if err := p.Start(ctx, nil); err != nil {
		return err
	}
	if err := p.ConsumeLogs(ctx, logs); err != nil {
		return err
	}
	if err := p.Shutdown(ctx); err != nil {
		return err
	}
	return showMetrics(ctx, out, reader)
}

// load changes the fields of the configuration that the YAML names.
func load(config *uriotel.Config, yaml string) error {
	retrieved, err := confmap.NewRetrievedFromYAML([]byte(yaml))
	if err != nil {
		return err
	}
	fields, err := retrieved.AsConf()
	if err != nil {
		return err
	}
	if err := fields.Unmarshal(config); err != nil {
		return err
	}
	return config.Validate()
}

// show prints each record before and after.
func show(out io.Writer, before, after plog.Logs) error {
	records := func(logs plog.Logs) plog.LogRecordSlice {
		return logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords()
	}
	for i, record := range records(after).All() {
		for _, value := range records(before).At(i).Attributes().All() {
			if _, err := fmt.Fprintf(out, "%s\n", value.AsString()); err != nil {
				return err
			}
		}
		attributes := record.Attributes().AsRaw()
		var names []string
		for name := range attributes {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			fmt.Fprintf(out, "    %-14s %v\n", name, attributes[name])
		}
	}
	return nil
}

// showMetrics prints what the processor counted.
func showMetrics(ctx context.Context, out io.Writer, reader *sdkmetric.ManualReader) error {
	var all metricdata.ResourceMetrics
	if err := reader.Collect(ctx, &all); err != nil {
		return err
	}
	for _, scope := range all.ScopeMetrics {
		for _, metric := range scope.Metrics {
			sum, ok := metric.Data.(metricdata.Sum[int64])
			if !ok || scope.Scope.Name != "github.com/seed-56a50ac9/uri/integrations/otelcol" {
				continue
			}
			var lines []string
			for _, point := range sum.DataPoints {
				name := metric.Name
				if outcome, ok := point.Attributes.Value("outcome"); ok {
					name += "{outcome=" + strconv.Quote(outcome.AsString()) + "}"
				}
				lines = append(lines, fmt.Sprintf("%s %d\n", name, point.Value))
			}
			slices.Sort(lines)
			for _, line := range lines {
				fmt.Fprint(out, line)
			}
		}
	}
	return nil
}
