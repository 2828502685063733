package urikafka

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Headers of dead letters.
//
// A dead letter is a line, or the value of a record with its key and its headers. If it is too large for a
// message, it is several messages, each with HeaderPart. A key and headers that are too large are left out.
const (
	HeaderTopic     = "uri-topic"     // the topic from which it came
	HeaderPartition = "uri-partition" // the partition
	HeaderOffset    = "uri-offset"    // the offset of the record
	HeaderLine      = "uri-line"      // the number of the line in the block, from 1; absent for whole records
	HeaderReason    = "uri-reason"    // what is wrong with it
	HeaderPart      = "uri-part"      // "2/3" for the second message of three
)

// A Batch has the blocks of one transaction and takes the results. It is valid during a call of Process.
type Batch struct {
	records []*kgo.Record
	run     *run

	out                             []*kgo.Record
	results, deadLines, deadRecords int
}

// A Block is a record with lines. Its fields are those of the record; do not change them.
type Block struct {
	*kgo.Record
	batch *Batch
}

// Blocks returns an iterator over the blocks. Those of a partition come in order.
func (b *Batch) Blocks() iter.Seq[Block] {
	return func(yield func(Block) bool) {
		for _, record := range b.records {
			if !yield(Block{record, b}) {
				return
			}
		}
	}
}

// Limit returns the size of the largest value that a result without key and headers can have.
func (b *Batch) Limit() int {
	return b.run.limit - overhead
}

// The most that a message needs besides its parts, and that a header needs besides its key and value.
const (
	overhead       = 128 // 61 for the batch, and the rest in variable lengths
	headerOverhead = 10
)

// envelope returns how large a message with the record can be, without its value.
func envelope(r *kgo.Record) int {
	n := overhead + len(r.Key)
	for _, h := range r.Headers {
		n += headerOverhead + len(h.Key) + len(h.Value)
	}
	return n
}

// errTooLarge says that a result is too large.
func errTooLarge(size, limit int) error {
	return fmt.Errorf("a result needs a message of %d bytes, the limit is %d", size, limit)
}

// Produce adds a result, which goes to the topic Out. Its key and headers are kept, and its partition is
// chosen by the client's partitioner. The record must not change afterwards.
//
// It returns an error if the record is larger than a message can be. Return that error from Process, and the
// block becomes a dead letter, or call [Batch.ProduceLines].
func (b *Batch) Produce(record *kgo.Record) error {
	if n := envelope(record) + len(record.Value); n > b.run.limit {
		return errTooLarge(n, b.run.limit)
	}
	record.Topic = b.run.Out
	b.out = append(b.out, record)
	b.results++
	return nil
}

// ProduceLines is Produce for a value of lines. If the record is too large for a message, its lines become
// several records with the same key and headers. If a single line is too large, it returns an error and adds
// nothing.
func (b *Batch) ProduceLines(record *kgo.Record) error {
	most := b.run.limit - envelope(record)
	var parts []*kgo.Record
	rest := record.Value
	for len(rest) > most {
		n := bytes.LastIndexByte(rest[:max(most, 0)], '\n') + 1
		if n == 0 {
			line, _, _ := bytes.Cut(rest, []byte("\n"))
			return errTooLarge(envelope(record)+len(line)+1, b.run.limit)
		}
		part := *record
		part.Value = rest[:n:n]
		parts = append(parts, &part)
		rest = rest[n:]
	}
	last := *record
	last.Value = rest
	for _, part := range append(parts, &last) {
		if err := b.Produce(part); err != nil {
			return err
		}
	}
	return nil
}

// Reject makes the block a dead letter as a whole. Its results and dead lines that were added before stay.
func (b Block) Reject(reason error) {
	b.batch.dead(b.Record, 0, b.Value, reason)
	b.batch.deadRecords++
}

// RejectLine makes the line with this number, from 1, a dead letter. The line must not change until the
// transaction ends; a slice of the block's Value does not.
func (b Block) RejectLine(number int, line []byte, reason error) {
	b.batch.dead(b.Record, number, line, reason)
	b.batch.deadLines++
}

// maxReason is the length of the longest reason in a dead letter.
const maxReason = 256

// dead adds a dead letter, which has a line number unless it is a whole record.
func (b *Batch) dead(record *kgo.Record, line int, value []byte, reason error) {
	text := reason.Error()
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "")
	}
	letter := kgo.Record{Topic: b.run.DeadLetter, Headers: []kgo.RecordHeader{
		{Key: HeaderTopic, Value: []byte(record.Topic)},
		{Key: HeaderPartition, Value: strconv.AppendInt(nil, int64(record.Partition), 10)},
		{Key: HeaderOffset, Value: strconv.AppendInt(nil, record.Offset, 10)},
		{Key: HeaderReason, Value: []byte(text)},
	}}
	if line > 0 {
		number := strconv.AppendInt(nil, int64(line), 10)
		letter.Headers = append(letter.Headers, kgo.RecordHeader{Key: HeaderLine, Value: number})
	} else {
		whole := letter
		whole.Key = record.Key
		whole.Headers = append(whole.Headers, record.Headers...)
		if envelope(&whole) <= b.run.limit/2 {
			letter = whole
		}
	}
	most := b.run.limit - envelope(&letter)
	if len(value) <= most {
		letter.Value = value
		b.out = append(b.out, &letter)
		return
	}
	most -= headerOverhead + len(HeaderPart) + 2*len("2147483647/")
	parts := (len(value) + most - 1) / most
	for i := range parts {
		part := letter
		header := kgo.RecordHeader{Key: HeaderPart, Value: fmt.Appendf(nil, "%d/%d", i+1, parts)}
		part.Headers = append(letter.Headers[:len(letter.Headers):len(letter.Headers)], header)
		part.Value = value[i*most : min((i+1)*most, len(value))]
		b.out = append(b.out, &part)
	}
}

// add adds what another batch has produced.
func (b *Batch) add(c *Batch) {
	b.out = append(b.out, c.out...)
	b.results += c.results
	b.deadLines += c.deadLines
	b.deadRecords += c.deadRecords
}

// size returns the length of all values that were read.
func (b *Batch) size() (n int64) {
	for _, record := range b.records {
		n += int64(len(record.Value))
	}
	return n
}

// process calls Process with all records. If that fails, it calls it with each record alone. An error says
// why the batch is abandoned.
func (r *run) process(records []*kgo.Record) (*Batch, error) {
	batch := &Batch{records: records, run: r}
	var rest []*kgo.Record
	for _, record := range records {
		if err := r.refused[placeOf(record)]; err != nil {
			Block{record, batch}.Reject(err)
		} else {
			rest = append(rest, record)
		}
	}
	if len(rest) == 0 {
		return batch, nil
	}
	together := &Batch{records: rest, run: r}
	switch err := r.call(together); {
	case err == nil:
		batch.add(together)
		return batch, nil
	case r.abandons(err):
		return nil, err
	}
	for _, record := range rest {
		part := &Batch{records: []*kgo.Record{record}, run: r}
		err := r.call(part)
		switch {
		case err == nil:
			batch.add(part)
		case r.abandons(err):
			return nil, err
		default:
			Block{record, batch}.Reject(err)
		}
	}
	return batch, nil
}

// abandons reports whether an error of Process says nothing against the records.
func (r *run) abandons(err error) bool {
	return r.late.Err() != nil || errors.Is(err, ErrRetry)
}

// call calls Process, and turns a panic into an error. The panic's value may hold what was read, so only
// errors of the runtime are kept.
func (r *run) call(b *Batch) (err error) {
	defer func() {
		switch value := recover().(type) {
		case nil:
			return
		case runtime.Error:
			err = fmt.Errorf("panic: %w", value)
		default:
			err = fmt.Errorf("panic: %T", value)
		}
		r.log(kgo.LogLevelError, "Process panics", "error", err, "stack", string(debug.Stack()))
	}()
	return r.Process(r.late, b)
}
