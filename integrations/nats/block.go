package urinats

import (
	"bytes"

	"github.com/nats-io/nats.go"
)

// A Block is a message of the work queue, and takes what a function makes of it.
type Block struct {
	Data    []byte      // lines, separated by "\n"; not to be changed
	Subject string      // of the message
	Header  nats.Header // of the message; not to be changed

	// Limit is the size of the longest record that the server accepts.
	Limit int

	buffer  []byte // the records, one after the other
	ends    []int  // of the records
	dead    []rejected
	tooLong int // the size of a record that is longer than Limit
}

// A rejected line becomes a dead letter.
type rejected struct {
	number int
	line   []byte
	reason string
}

func newBlock(d *delivery, limit int) *Block {
	return &Block{Data: d.msg.Data(), Subject: d.msg.Subject(), Header: d.msg.Headers(), Limit: limit}
}

// Add adds a record to the result. Each record is published as a message. Add copies it. A record that is
// longer than Limit rejects the block.
func (b *Block) Add(record []byte) {
	if len(record) > b.Limit {
		b.tooLong = len(record)
		return
	}
	b.buffer = append(b.buffer, record...)
	b.ends = append(b.ends, len(b.buffer))
}

// AddLines adds lines to the result, as one record if they are at most Limit bytes long, otherwise as several
// that end where lines end. No lines make no record. A line that is longer than Limit rejects the block.
func (b *Block) AddLines(lines []byte) {
	for len(lines) > b.Limit {
		end := bytes.LastIndexByte(lines[:b.Limit], '\n') + 1
		if end == 0 {
			end = bytes.IndexByte(lines, '\n') + 1
			if end == 0 {
				end = len(lines)
			}
			b.tooLong = end
			return
		}
		b.Add(lines[:end])
		lines = lines[end:]
	}
	if len(lines) > 0 {
		b.Add(lines)
	}
}

// Reject makes a dead letter of a line that is not valid. The number of the line in the block and the reason
// are headers of the dead letter. Reject copies the line. The reason must not quote it.
func (b *Block) Reject(number int, line []byte, reason error) {
	b.dead = append(b.dead, rejected{number, bytes.Clone(line), cleanReason(reason)})
}

// records returns the number of records.
func (b *Block) records() int { return len(b.ends) }

// record returns a record by its index.
func (b *Block) record(i int) []byte {
	start := 0
	if i > 0 {
		start = b.ends[i-1]
	}
	return b.buffer[start:b.ends[i]]
}
