package uriotel_test

import (
	"context"
	"fmt"
	"slices"

	uriotel "github.com/seed-56a50ac9/uri/integrations/otelcol"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/processor/processortest"
)

// A Collector calls the factory. This is what happens to a log record then.
func ExampleNewFactory() {
	ctx := context.Background()
	factory := uriotel.NewFactory()
	config := factory.CreateDefaultConfig().(*uriotel.Config)
	config.TraitsAttribute = "url.traits"

	next := new(consumertest.LogsSink)
	processor, err := factory.CreateLogs(ctx, processortest.NewNopSettings(factory.Type()), config, next)
	if err != nil {
		panic(err)
	}

	logs := plog.NewLogs()
	record := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	record.Attributes().PutStr("url.full", "https://ada:lovelace@example.com/v1.2/..%2Fa.png?sig=4711")
	if err := processor.ConsumeLogs(ctx, logs); err != nil {
		panic(err)
	}

	var lines []string
	for name, value := range record.Attributes().All() {
		lines = append(lines, name+": "+value.AsString())
	}
	slices.Sort(lines)
	for _, line := range lines {
		fmt.Println(line)
	}
	// Output:
	// url.domain: example.com
	// url.extension: png
	// url.full: https://REDACTED:REDACTED@example.com/v1.2/..%2Fa.png?sig=REDACTED
	// url.path: /v1.2/..%2Fa.png
	// url.query: sig=REDACTED
	// url.scheme: https
	// url.traits: ["HasEscape","HasEncodedSlash"]
}

// A wrong field has a clear error.
func ExampleConfig_Validate() {
	config := uriotel.NewFactory().CreateDefaultConfig().(*uriotel.Config)
	config.From = nil
	config.Existing = "replace"
	fmt.Println(config.Validate())
	// Output:
	// from: names no attribute to read, such as url.full
	// existing: "replace" is not one of: overwrite, keep
}
