package urikafka

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

// newBatch returns a batch without a broker, of one record.
func newBatch(record *kgo.Record, limit int) (*Batch, Block) {
	b := &Batch{
		run:     &run{Worker: &Worker{Out: out, DeadLetter: dead}, limit: limit},
		records: []*kgo.Record{record},
	}
	return b, Block{record, b}
}

// TestReason cuts reasons that are too long, but no character.
func TestReason(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{
		"short":                        "short",
		strings.Repeat("ä", 128):       strings.Repeat("ä", 128),
		strings.Repeat("ä", 129):       strings.Repeat("ä", 128),
		"x" + strings.Repeat("ä", 200): "x" + strings.Repeat("ä", 127),
	} {
		b, block := newBatch(&kgo.Record{Value: []byte("v")}, minMessageBytes)
		block.Reject(errors.New(reason))
		assert.Equal(t, want, header(b.out[0], HeaderReason))
	}
}

// TestLetters has lines and records of every size: all of it is in the letters, which are small enough.
func TestLetters(t *testing.T) {
	t.Parallel()
	const limit = minMessageBytes
	for _, sizes := range [][3]int{ // of the key, a header and the value
		{0, 0, 0},
		{1, 1, 1},
		{10, 10, 3000},
		{10, 10, 4096},
		{10, 10, 20_000},
		{4000, 0, 10},
		{0, 4000, 8000},
		{1500, 100, 9000},
	} {
		record := &kgo.Record{
			Topic: in, Partition: 3, Offset: 1 << 40, Key: []byte(strings.Repeat("k", sizes[0])),
			Headers: []kgo.RecordHeader{{Key: "h", Value: []byte(strings.Repeat("h", sizes[1]))}},
			Value:   []byte(strings.Repeat("0123456789", sizes[2]/10+1)[:sizes[2]]),
		}
		fits := sizes[0]+sizes[1] < 1700
		for _, whole := range []bool{false, true} {
			b, block := newBatch(record, limit)
			if whole {
				block.Reject(errors.New("reason"))
			} else {
				block.RejectLine(7, record.Value, errors.New("reason"))
			}
			var value strings.Builder
			for i, letter := range b.out {
				value.Write(letter.Value)
				assert.LessOrEqual(t, envelope(letter)+len(letter.Value), limit)
				assert.Equal(t, dead, letter.Topic)
				line := "7"
				if whole {
					line = ""
				}
				assert.Equal(t, [5]string{in, "3", "1099511627776", line, "reason"}, [5]string{
					header(letter, HeaderTopic), header(letter, HeaderPartition), header(letter, HeaderOffset),
					header(letter, HeaderLine), header(letter, HeaderReason),
				})
				part := ""
				if len(b.out) > 1 {
					part = fmt.Sprintf("%d/%d", i+1, len(b.out))
				}
				assert.Equal(t, part, header(letter, HeaderPart))
				if whole && fits {
					assert.Equal(t, record.Key, letter.Key)
					assert.Equal(t, string(record.Headers[0].Value), header(letter, "h"))
				} else {
					assert.Empty(t, letter.Key)
					assert.Empty(t, header(letter, "h"))
				}
			}
			assert.Equal(t, string(record.Value), value.String())
			assert.Equal(t, whole, b.deadRecords == 1)
			assert.Equal(t, whole, b.deadLines == 0)
		}
	}
}

// TestProduceLines splits values of lines of every length, or adds nothing.
func TestProduceLines(t *testing.T) {
	t.Parallel()
	const limit = minMessageBytes
	for length := 1; length < 2*limit; length += 97 {
		for _, end := range []string{"", "\n"} {
			lines := strings.Repeat(strings.Repeat("x", length-1)+"\n", 9)
			lines = strings.TrimSuffix(lines, "\n") + end
			b, _ := newBatch(&kgo.Record{}, limit)
			record := &kgo.Record{Key: []byte("key"), Value: []byte(lines)}
			err := b.ProduceLines(record)
			assert.Equal(t, lines, string(record.Value), "it is not changed")
			if length+len("key")+overhead > limit {
				require.ErrorContains(t, err, "a result needs a message of ")
				assert.Empty(t, b.out)
				assert.Zero(t, b.results)
				continue
			}
			require.NoError(t, err)
			var got strings.Builder
			for i, part := range b.out {
				got.Write(part.Value)
				assert.Equal(t, "key", string(part.Key))
				assert.LessOrEqual(t, envelope(part)+len(part.Value), limit)
				assert.True(t, i == len(b.out)-1 || part.Value[len(part.Value)-1] == '\n')
			}
			assert.Equal(t, lines, got.String())
			assert.Equal(t, len(b.out), b.results)
		}
	}
	b, _ := newBatch(&kgo.Record{}, limit)
	require.NoError(t, b.Produce(&kgo.Record{Value: make([]byte, b.Limit())}))
	require.Error(t, b.Produce(&kgo.Record{Value: make([]byte, b.Limit()+1)}))
}
