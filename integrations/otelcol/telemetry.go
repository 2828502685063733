package uriotel

import (
	"context"
	"errors"

	"go.opentelemetry.io/collector/pipeline"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// An outcome is what became of an item: a log record, a span or an event of a span.
type outcome uint8

const (
	parsed     outcome = iota // its URL is valid
	invalid                   // its URL is not
	withoutURL                // it has none
	outcomes
)

var outcomeTexts = [outcomes]string{parsed: "parsed", invalid: "invalid", withoutURL: "without_url"}

// counts are what the processor did with the items of a batch.
type counts struct {
	items     [outcomes]int64
	redacted  int64 // items that had a secret
	notString int64 // attributes that hold no string, and are left alone
}

// telemetry has the metrics of a processor.
type telemetry struct {
	records, redacted, notString metric.Int64Counter
}

func newTelemetry(set processor.Settings) (*telemetry, error) {
	meter := set.MeterProvider.Meter(scope)
	t := new(telemetry)
	errs := make([]error, 3)
	t.records, errs[0] = meter.Int64Counter(
		"otelcol_processor_uri_records",
		metric.WithDescription("Number of log records, spans and span events seen."),
		metric.WithUnit("{record}"),
	)
	t.redacted, errs[1] = meter.Int64Counter(
		"otelcol_processor_uri_redacted",
		metric.WithDescription("Number of log records, spans and span events from which secrets were removed."),
		metric.WithUnit("{record}"),
	)
	t.notString, errs[2] = meter.Int64Counter(
		"otelcol_processor_uri_not_string",
		metric.WithDescription("Number of attributes that should hold a URL, or a part of one, but no string."),
		metric.WithUnit("{attribute}"),
	)
	return t, errors.Join(errs...)
}

// labels are the attributes of the metrics for one kind of item.
type labels struct {
	item    metric.MeasurementOption
	outcome [outcomes]metric.MeasurementOption
}

func newLabels(set processor.Settings, signal pipeline.Signal, item string) (l labels) {
	common := []attribute.KeyValue{
		attribute.String("processor", set.ID.String()),
		attribute.String("otel.signal", signal.String()),
		attribute.String("item", item),
	}
	l.item = metric.WithAttributeSet(attribute.NewSet(common...))
	for i, text := range outcomeTexts {
		l.outcome[i] = metric.WithAttributeSet(attribute.NewSet(append(common,
			attribute.String("outcome", text))...))
	}
	return l
}

// add adds the counts of a batch.
func (t *telemetry) add(ctx context.Context, l *labels, c *counts) {
	for i, n := range c.items {
		t.records.Add(ctx, n, l.outcome[i]) // even zero, so that there is a series
	}
	t.redacted.Add(ctx, c.redacted, l.item)
	t.notString.Add(ctx, c.notString, l.item)
}
