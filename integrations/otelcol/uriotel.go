// Package uriotel is a processor for the OpenTelemetry Collector. Its type is "uri". It reads the URL of each
// log record, span and span event, sets the attributes that the semantic conventions derive from a URL, and
// removes secrets from those that hold a URL or a part of one.
//
// builder.yaml builds a Collector with it. README.md describes the configuration.
package uriotel

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"
)

// scope is the name of the processor's meter.
const scope = "github.com/seed-56a50ac9/uri/integrations/otelcol"

// stability is the level for logs and for traces.
const stability = component.StabilityLevelAlpha

// NewFactory returns the factory of the processor. Its configuration is a [*Config].
//
// The processor supports logs and traces, but no metrics: their attributes have few values, and a URL has
// many.
func NewFactory() processor.Factory {
	return processor.NewFactory(
		component.MustNewType("uri"),
		createDefaultConfig,
		processor.WithLogs(createLogs, stability),
		processor.WithTraces(createTraces, stability),
	)
}

// mutates says that the processor changes the data that it is given.
var mutates = processorhelper.WithCapabilities(consumer.Capabilities{MutatesData: true})

func createLogs(
	ctx context.Context, set processor.Settings, config component.Config, next consumer.Logs,
) (processor.Logs, error) {
	w, err := newWorker(config.(*Config), set)
	if err != nil {
		return nil, err
	}
	return processorhelper.NewLogs(ctx, set, config, next, w.logs, mutates)
}

func createTraces(
	ctx context.Context, set processor.Settings, config component.Config, next consumer.Traces,
) (processor.Traces, error) {
	w, err := newWorker(config.(*Config), set)
	if err != nil {
		return nil, err
	}
	return processorhelper.NewTraces(ctx, set, config, next, w.traces, mutates)
}
