package uriotel

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// read returns the values of a counter by its label, "item" or "item outcome".
func read(t testing.TB, telemetry *componenttest.Telemetry, name string) map[string]int64 {
	t.Helper()
	found, err := telemetry.GetMetric("otelcol_processor_uri_" + name)
	require.NoError(t, err)
	values := map[string]int64{}
	for _, point := range found.Data.(metricdata.Sum[int64]).DataPoints {
		label := func(key string) string {
			for _, a := range point.Attributes.ToSlice() {
				if string(a.Key) == key {
					return a.Value.AsString()
				}
			}
			return ""
		}
		assert.Equal(t, "uri", label("processor"))
		values[label("otel.signal")+" "+label("item")+" "+label("outcome")] += point.Value
	}
	return values
}

// items are sets of attributes with all that is counted.
var items = []settings{
	{"url.full": "http://h/"},
	{"url.full": "http://h/?sig=1"},
	{"url.full": "http://h h/"},
	{"url.full": "http://a@b@c/"},
	{},
	{"url.query": "sig=1&token=2", "url.path": "/;sid=1"},
	{"url.full": 1},
	{"url.full": true, "url.original": 2.5, "url.query": []any{}, "url.port": "1", "other": 1},
	{"url.original": "/?sig=1"},
	{"url.original": "/?sig=2"},
}

// TestLogMetrics counts log records.
func TestLogMetrics(t *testing.T) {
	telemetry := componenttest.NewTelemetry()
	p := newLogs(t, nil, telemetry.NewTelemetrySettings(), consumertest.NewNop())
	require.NoError(t, p.ConsumeLogs(context.Background(), logsOf(t)))
	assert.Equal(t, map[string]int64{
		"logs log_record parsed": 0, "logs log_record invalid": 0, "logs log_record without_url": 0,
	}, read(t, telemetry, "records"))
	for range 2 {
		require.NoError(t, p.ConsumeLogs(context.Background(), logsOf(t, items...)))
	}
	assert.Equal(t, map[string]int64{
		"logs log_record parsed": 8, "logs log_record invalid": 4, "logs log_record without_url": 8,
	}, read(t, telemetry, "records"))
	assert.Equal(t, map[string]int64{"logs log_record ": 10}, read(t, telemetry, "redacted"))
	assert.Equal(t, map[string]int64{"logs log_record ": 8}, read(t, telemetry, "not_string"))
}

// TestTraceMetrics counts spans and their events.
func TestTraceMetrics(t *testing.T) {
	telemetry := componenttest.NewTelemetry()
	factory := NewFactory()
	set := processortest.NewNopSettings(factory.Type())
	set.TelemetrySettings = telemetry.NewTelemetrySettings()
	set.ID = component.NewID(factory.Type())
	p, err := factory.CreateTraces(context.Background(), set, factory.CreateDefaultConfig(),
		consumertest.NewNop())
	require.NoError(t, err)

	traces := ptrace.NewTraces()
	spans := traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for _, attributes := range items {
		span := spans.AppendEmpty()
		require.NoError(t, span.Attributes().FromRaw(attributes))
		for range 3 {
			require.NoError(t, span.Events().AppendEmpty().Attributes().FromRaw(attributes))
		}
	}
	require.NoError(t, p.ConsumeTraces(context.Background(), traces))
	assert.Equal(t, map[string]int64{
		"traces span parsed": 4, "traces span invalid": 2, "traces span without_url": 4,
		"traces span_event parsed": 12, "traces span_event invalid": 6, "traces span_event without_url": 12,
	}, read(t, telemetry, "records"))
	assert.Equal(t, map[string]int64{"traces span ": 5, "traces span_event ": 15},
		read(t, telemetry, "redacted"))
	assert.Equal(t, map[string]int64{"traces span ": 4, "traces span_event ": 12},
		read(t, telemetry, "not_string"))
}

// noMeter is a provider of meters that make no counters.
type noMeter struct{ noop.MeterProvider }

func (noMeter) Meter(string, ...metric.MeterOption) metric.Meter { return noCounter{} }

type noCounter struct{ noop.Meter }

func (noCounter) Int64Counter(name string, _ ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	return nil, assert.AnError
}

// TestNoMeter requires an error if metrics cannot be made.
func TestNoMeter(t *testing.T) {
	factory := NewFactory()
	set := processortest.NewNopSettings(factory.Type())
	set.MeterProvider = noMeter{}
	_, err := factory.CreateLogs(context.Background(), set, factory.CreateDefaultConfig(), consumertest.NewNop())
	assert.ErrorIs(t, err, assert.AnError)
	_, err = factory.CreateTraces(context.Background(), set, factory.CreateDefaultConfig(),
		consumertest.NewNop())
	assert.ErrorIs(t, err, assert.AnError)
}
