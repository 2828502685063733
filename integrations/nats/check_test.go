package urinats_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	urinats "github.com/seed-56a50ac9/uri/integrations/nats"
	"github.com/seed-56a50ac9/uri/integrations/nats/internal/queue"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// workerFaults are wrong values of each field of a worker, with the errors.
var workerFaults = map[string][]struct {
	set  func(w *urinats.Worker)
	want string
}{
	"JetStream": {
		{func(w *urinats.Worker) { w.JetStream = nil }, "JetStream is nil"},
	},
	"Stream": {
		{func(w *urinats.Worker) { w.Stream = "" }, `Stream "": must not be empty`},
		{
			func(w *urinats.Worker) { w.Stream = "a.b" },
			`Stream "a.b": must not contain a dot, wildcard, slash, backslash, space or control character`,
		},
		{func(w *urinats.Worker) { w.Stream = "NONE" }, `stream "NONE": nats: API error: code=404 err_code=10059 ` +
			`description=stream not found`},
	},
	"Consumer": {
		{func(w *urinats.Worker) { w.Consumer = "" }, `Consumer "": must not be empty`},
		{
			func(w *urinats.Worker) { w.Consumer = "a b" },
			`Consumer "a b": must not contain a dot, wildcard, slash, backslash, space or control character`,
		},
		{func(w *urinats.Worker) { w.Consumer = "none" }, `consumer "none" of stream "LOG": nats: API error: ` +
			`code=404 err_code=10014 description=consumer not found`},
	},
	"Results": {
		{func(w *urinats.Worker) { w.Results = "" }, `Results "": each token of the subject: must not be empty`},
		{
			func(w *urinats.Worker) { w.Results = "a..b" },
			`Results "a..b": each token of the subject: must not be empty`,
		},
		{
			func(w *urinats.Worker) { w.Results = "a.>" },
			`Results "a.>": each token of the subject: must not contain a dot, wildcard, slash, backslash, ` +
				`space or control character`,
		},
		{func(w *urinats.Worker) { w.Results = "none" }, `Results "none": no stream stores the subject none.>`},
	},
	"DeadLetters": {
		{
			func(w *urinats.Worker) { w.DeadLetters = "" },
			`DeadLetters "": each token of the subject: must not be empty`,
		},
		{
			func(w *urinats.Worker) { w.DeadLetters = "results" },
			`DeadLetters "results": one of DeadLetters and Results begins with the other, "results"`,
		},
		{
			func(w *urinats.Worker) { w.DeadLetters = "results.dead" },
			`DeadLetters "results.dead": one of DeadLetters and Results begins with the other, "results"`,
		},
		{
			func(w *urinats.Worker) { w.DeadLetters = "none" },
			`DeadLetters "none": no stream stores the subject none.>`,
		},
	},
	"Func": {
		{func(w *urinats.Worker) { w.Func = nil }, "Func is nil"},
	},
	"Parallel": {
		{func(w *urinats.Worker) { w.Parallel = -1 }, "negative Parallel -1"},
	},
	"MaxDeliver": {
		{func(w *urinats.Worker) { w.MaxDeliver = -1 }, "negative MaxDeliver -1"},
		{
			func(w *urinats.Worker) { w.MaxDeliver = 1000 },
			`Results "results": stream "results": has Duplicates 2m0s; it must be at least 1h31m40s = ` +
				`MaxDeliver 1000 * (AckWait or BackOff 500ms + Timeout 5s), so that it outlasts redeliveries`,
		},
	},
	"Timeout": {
		{func(w *urinats.Worker) { w.Timeout = -1 }, "negative Timeout -1ns"},
		{
			func(w *urinats.Worker) { w.Timeout = time.Minute },
			`Results "results": stream "results": has Duplicates 2m0s; it must be at least 3m1.5s = ` +
				`MaxDeliver 3 * (AckWait or BackOff 500ms + Timeout 1m0s), so that it outlasts redeliveries`,
		},
	},
	"Log": {{func(w *urinats.Worker) { w.Log = nil }, ""}},
}

// TestWorkerFaults requires an error for each field, and that each field has a row.
func TestWorkerFaults(t *testing.T) {
	t.Parallel()
	f := start(t)
	for field := range reflect.TypeFor[urinats.Worker]().Fields() {
		if !field.IsExported() {
			continue
		}
		require.NotEmpty(t, workerFaults[field.Name], "no fault of field %s is tested", field.Name)
		for _, fault := range workerFaults[field.Name] {
			w := f.worker(echo)
			fault.set(w)
			if fault.want == "" {
				continue
			}
			assert.EqualError(t, run(t, w), "urinats: "+fault.want, field.Name)
		}
	}
}

// run runs a worker until it returns, or for half a second.
func run(t *testing.T, w *urinats.Worker) error {
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	return w.Run(ctx)
}

func TestConsumerFaults(t *testing.T) {
	t.Parallel()
	f := start(t)
	for _, test := range []struct {
		consumer jetstream.ConsumerConfig
		want     string
	}{
		{
			jetstream.ConsumerConfig{MaxDeliver: 5},
			"has MaxDeliver 5; it must be -1, because the server leaves a block that reaches it unprocessed; " +
				"the worker has a MaxDeliver of its own",
		},
		{
			jetstream.ConsumerConfig{AckWait: 10 * time.Millisecond},
			"has AckWait or BackOff 10ms; it must be at least 100ms, so that the worker can extend it in time",
		},
		{
			jetstream.ConsumerConfig{BackOff: []time.Duration{time.Minute, time.Millisecond}},
			"has AckWait or BackOff 1ms; it must be at least 100ms, so that the worker can extend it in time",
		},
		{
			jetstream.ConsumerConfig{HeadersOnly: true},
			"HeadersOnly must not be set, because the worker would get empty blocks",
		},
		{
			jetstream.ConsumerConfig{PriorityGroups: []string{"a"}, PriorityPolicy: jetstream.PriorityPolicyOverflow},
			"PriorityGroups must be empty; the worker has no group",
		},
		{
			jetstream.ConsumerConfig{MaxRequestMaxBytes: 1000},
			"MaxRequestMaxBytes must not be set; the worker asks for numbers of blocks",
		},
		{
			jetstream.ConsumerConfig{MaxRequestExpires: time.Second},
			"has MaxRequestExpires 1s; it must be at least 3s",
		},
		{
			jetstream.ConsumerConfig{BackOff: []time.Duration{time.Second, time.Hour}},
			`!Results "results": stream "results": has Duplicates 2m0s; it must be at least 3h0m15s = ` +
				`MaxDeliver 3 * (AckWait or BackOff 1h0m0s + Timeout 5s), so that it outlasts redeliveries`,
		},
		{jetstream.ConsumerConfig{MaxRequestBatch: 1, MaxRequestExpires: 5 * time.Second}, ""},
		{jetstream.ConsumerConfig{BackOff: []time.Duration{time.Second, 2 * time.Second}}, ""},
	} {
		require.NoError(t, f.js.DeleteConsumer(t.Context(), names.Stream, names.Consumer))
		test.consumer.Durable = names.Consumer
		_, err := f.js.CreateConsumer(t.Context(), names.Stream, test.consumer)
		require.NoError(t, err)
		f.send("block\n")
		switch {
		case test.want == "":
			f.run(f.worker(echo))
		case test.want[0] == '!':
			assert.EqualError(t, run(t, f.worker(echo)), "urinats: "+test.want[1:])
		default:
			assert.EqualError(t, run(t, f.worker(echo)), `urinats: consumer "workers" of stream "LOG": `+test.want)
		}
	}
	require.NoError(t, f.js.DeleteConsumer(t.Context(), names.Stream, names.Consumer))
	_, err := f.js.CreatePushConsumer(t.Context(), names.Stream, jetstream.ConsumerConfig{
		Durable: names.Consumer, DeliverSubject: "deliver", AckPolicy: jetstream.AckExplicitPolicy,
	})
	require.NoError(t, err)
	assert.EqualError(t, run(t, f.worker(echo)),
		`urinats: consumer "workers" of stream "LOG": nats: consumer is not a pull consumer`)

	// A work queue has no such consumer, but other streams may.
	require.NoError(t, f.js.DeleteStream(t.Context(), names.Stream))
	_, err = f.js.CreateStream(t.Context(),
		jetstream.StreamConfig{Name: names.Stream, Subjects: []string{"log"}})
	require.NoError(t, err)
	_, err = f.js.CreateConsumer(t.Context(), names.Stream, jetstream.ConsumerConfig{
		Durable: names.Consumer, AckPolicy: jetstream.AckAllPolicy,
	})
	require.NoError(t, err)
	assert.EqualError(t, run(t, f.worker(echo)), `urinats: consumer "workers" of stream "LOG": `+
		"AckPolicy must be explicit, because blocks are acknowledged one by one")
}

func TestStreamFaults(t *testing.T) {
	t.Parallel()
	f := startEmpty(t)
	require.NoError(t, queue.Create(t.Context(), f.js, names, f.limits))
	subjects := []string{"any.target.>"}
	for _, test := range []struct {
		stream jetstream.StreamConfig
		want   string
	}{
		{
			jetstream.StreamConfig{Subjects: []string{"any.target.*.*.*"}},
			"does not store all subjects that match any.target.>",
		},
		{
			jetstream.StreamConfig{Subjects: []string{"any.target.*.>", "x.>"}},
			"does not store all subjects that match any.target.>",
		},
		{
			jetstream.StreamConfig{Subjects: subjects, Retention: jetstream.WorkQueuePolicy},
			"has Retention WorkQueue; it must be limits, because the server forgets messages that it removes, and " +
				"would store them again",
		},
		{
			jetstream.StreamConfig{Subjects: subjects, Retention: jetstream.InterestPolicy},
			"has Retention Interest; it must be limits, because the server forgets messages that it removes, and " +
				"would store them again",
		},
		{
			jetstream.StreamConfig{Subjects: subjects, Duplicates: 15 * time.Second},
			"has Duplicates 15s; it must be at least 16.5s = MaxDeliver 3 * " +
				"(AckWait or BackOff 500ms + Timeout 5s), so that it outlasts redeliveries",
		},
		{
			jetstream.StreamConfig{Subjects: subjects, NoAck: true},
			"NoAck must not be set, because the worker waits for acknowledgements",
		},
		{
			jetstream.StreamConfig{Subjects: subjects, PersistMode: jetstream.AsyncPersistMode},
			"PersistMode must be the default, because the server would acknowledge what it may lose",
		},
		{jetstream.StreamConfig{Subjects: subjects, Sealed: true}, "is sealed"},
		{
			jetstream.StreamConfig{
				Subjects: subjects, SubjectTransform: &jetstream.SubjectTransformConfig{Source: ">", Destination: "x.>"},
			},
			"SubjectTransform must not be set, because the subject identifies a message",
		},
		{jetstream.StreamConfig{Subjects: subjects, AllowMsgCounter: true}, "AllowMsgCounter must not be set"},
		{
			jetstream.StreamConfig{Subjects: subjects, MaxMsgSize: 4095},
			"has MaxMsgSize or the server's max_payload 4095 bytes; it must be at least 4096",
		},
		{jetstream.StreamConfig{Subjects: subjects, MaxMsgSize: 4096}, ""},
		{jetstream.StreamConfig{Subjects: []string{"any.*.>"}}, ""},
	} {
		test.stream.Name = "TARGET"
		sealed := test.stream.Sealed
		test.stream.Sealed = false
		_, err := f.js.CreateStream(t.Context(), test.stream)
		require.NoError(t, err)
		if sealed {
			test.stream.Sealed = true
			_, err = f.js.UpdateStream(t.Context(), test.stream)
			require.NoError(t, err)
		}
		for _, field := range []string{"Results", "DeadLetters"} {
			w := f.worker(echo)
			reflect.ValueOf(w).Elem().FieldByName(field).SetString("any.target")
			want := "urinats: " + field + ` "any.target": stream "TARGET": ` + test.want
			if err := run(t, w); test.want != "" {
				assert.EqualError(t, err, want)
			} else {
				assert.NoError(t, err)
			}
		}
		require.NoError(t, f.js.DeleteStream(t.Context(), "TARGET"))
	}

	// The work queue itself.
	require.NoError(t, f.js.DeleteStream(t.Context(), names.Stream))
	_, err := f.js.CreateStream(t.Context(),
		jetstream.StreamConfig{Name: names.Stream, Subjects: []string{"any.target.>", "log"}})
	require.NoError(t, err)
	_, err = f.js.CreateConsumer(t.Context(), names.Stream, jetstream.ConsumerConfig{
		Durable: names.Consumer, AckPolicy: jetstream.AckExplicitPolicy,
	})
	require.NoError(t, err)
	w := f.worker(echo)
	w.Results = "any.target"
	assert.EqualError(t, run(t, w), `urinats: Results "any.target": stream "LOG": is the work queue itself`)
}

// TestDefaults has a worker that sets nothing that it need not set.
func TestDefaults(t *testing.T) {
	t.Parallel()
	f := startEmpty(t)
	require.NoError(t, queue.Create(t.Context(), f.js, names, queue.Limits{
		MaxDeliver: 5, AckWait: 30 * time.Second, Timeout: time.Minute,
	}))
	f.send("block\n")
	w := &urinats.Worker{
		JetStream: f.js, Stream: names.Stream, Consumer: names.Consumer, Results: names.Results,
		DeadLetters: names.DeadLetters, Func: echo,
	}
	f.run(w)
	assert.Equal(t, []string{"block\n"}, f.results())
}
