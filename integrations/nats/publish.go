package urinats

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Headers of a dead letter. Of a result, only HeaderPart, if it has more than one record.
const (
	HeaderStream   = "Uri-Stream"   // of the work queue
	HeaderSequence = "Uri-Sequence" // of the block in the work queue
	HeaderSubject  = "Uri-Subject"  // of the block
	HeaderLine     = "Uri-Line"     // of the line in the block, from 1; absent if it is the whole block
	HeaderReason   = "Uri-Reason"   // why it is a dead letter
	HeaderPart     = "Uri-Part"     // such as 2/3, for what is more than one message
)

// A target is where messages are published to.
type target struct {
	prefix string // of the subject
	limit  int    // of the body of a message in bytes
	stream jetstream.Stream
}

// reserved is the space in a message for the headers that every message has, besides the stream's name.
const reserved = 512

// blockID returns the identity of a block. Its time matters if the stream is deleted and created again, and
// counts its blocks from one again. A mirror with the name of the stream has the same blocks.
func blockID(meta *jetstream.MsgMetadata) string {
	return meta.Stream + "." + strconv.FormatUint(meta.Sequence.Stream, 10) + "." +
		strconv.FormatInt(meta.Timestamp.UnixNano(), 36)
}

// has reports whether a message is stored. It asks the stream's leader, because a replica, which may answer a
// request for a message, may be behind.
func (t *target) has(ctx context.Context, id string) (bool, error) {
	subject := t.prefix + "." + id
	info, err := t.stream.Info(ctx, jetstream.WithSubjectFilter(subject))
	if err != nil {
		return false, err
	}
	return info.State.Subjects[subject] > 0, nil
}

// message returns a message that the server stores only once.
func (t *target) message(id string, body []byte) *nats.Msg {
	subject := t.prefix + "." + id // other functions for the same blocks have other prefixes
	return &nats.Msg{
		Subject: subject,
		Header: nats.Header{
			jetstream.MsgIDHeader:               {subject},
			jetstream.ExpectedLastSubjSeqHeader: {"0"},
		},
		Data: body,
	}
}

// publishBlock publishes what a function made of a block. The first record has the identity of the block
// itself and is published last, so that its presence says that everything else is stored.
func (r *run) publishBlock(work context.Context, d *delivery, b *Block) error {
	err := together(work, len(b.dead), func(ctx context.Context, i int) error {
		line := &b.dead[i]
		return r.publishDead(ctx, d, ".line"+strconv.Itoa(i+1), line.line, errors.New(line.reason), line.number)
	})
	if err != nil {
		return err
	}
	r.stats.deadLines.Add(int64(len(b.dead)))
	if b.records() == 0 {
		return nil
	}
	publish := func(ctx context.Context, i int) error {
		id := d.id
		if i > 0 {
			id += "." + strconv.Itoa(i+1)
		}
		m := r.results.message(id, b.record(i))
		if b.records() > 1 {
			m.Header[HeaderPart] = []string{fmt.Sprintf("%d/%d", i+1, b.records())}
		}
		return r.publish(ctx, m)
	}
	err = together(work, b.records()-1, func(ctx context.Context, i int) error { return publish(ctx, i+1) })
	if err != nil {
		return err
	}
	if err := publish(work, 0); err != nil {
		return err
	}
	r.stats.results.Add(int64(b.records()))
	return nil
}

// publishDead publishes a dead letter. The suffix distinguishes it from others of the same block. What is too
// large becomes several messages.
func (r *run) publishDead(ctx context.Context, d *delivery, suffix string, body []byte, reason error,
	line int,
) error {
	header := nats.Header{
		HeaderStream:   {d.meta.Stream},
		HeaderSequence: {strconv.FormatUint(d.meta.Sequence.Stream, 10)},
		HeaderSubject:  {clean(d.msg.Subject())},
		HeaderReason:   {cleanReason(reason)},
	}
	if line > 0 {
		header[HeaderLine] = []string{strconv.Itoa(line)}
	}
	if suffix == "" {
		addOriginal(header, d.msg.Headers(), r.dead.limit/2)
	}
	limit := r.dead.limit - headerSize(header) - len(HeaderPart) - 50
	parts := max(1, (len(body)+limit-1)/limit)
	for i := range parts {
		id := d.id + suffix
		if i > 0 {
			id += "." + strconv.Itoa(i+1)
		}
		m := r.dead.message(id, body[i*limit:min(len(body), (i+1)*limit)])
		maps.Copy(m.Header, header)
		if parts > 1 {
			m.Header[HeaderPart] = []string{fmt.Sprintf("%d/%d", i+1, parts)}
		}
		if err := r.publish(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// addOriginal adds the headers of a block, without those that would mean something to the server, and only if
// they are not too large.
func addOriginal(header, original nats.Header, limit int) {
	if headerSize(original) > min(limit, 32<<10) {
		return
	}
	for key, values := range original {
		if !strings.HasPrefix(key, "Nats-") && !strings.HasPrefix(key, "Uri-") {
			header[key] = values
		}
	}
}

func headerSize(header nats.Header) (size int) {
	for key, values := range header {
		for _, value := range values {
			size += len(key) + len(": \r\n") + len(value)
		}
	}
	return size
}

// publish publishes a message and waits until the server has stored it, or says that it is stored already.
// Other errors than a refusal of the message itself delay it, until ctx is done.
func (r *run) publish(ctx context.Context, m *nats.Msg) error {
	for wait := minWait; ; wait = min(2*wait, maxWait) {
		ack, err := r.JetStream.PublishMsg(ctx, m, jetstream.WithRetryAttempts(0))
		switch {
		case err == nil:
			if ack.Duplicate {
				r.stats.duplicates.Add(1)
			}
			return nil
		case isStored(err):
			r.stats.duplicates.Add(1)
			return nil
		case isRefused(err), errors.Is(err, nats.ErrConnectionClosed):
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		r.stats.publishErrors.Add(1)
		r.log.Warn("urinats: cannot publish; will try again", "subject", m.Subject, "error", err, "after", wait)
		sleep(ctx, wait)
	}
}

// isStored reports whether the server refused a message because one with its subject is stored. The error
// then has the sequence of that one. It is 0 if the server could not look.
func isStored(err error) bool {
	var e *jetstream.APIError
	return errors.As(err, &e) && e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence &&
		!strings.HasSuffix(e.Description, ": 0")
}

// codeHeaderTooLarge is the server's error for a header of more than 64 KiB.
const codeHeaderTooLarge jetstream.ErrorCode = 10097

// isRefused reports whether the server will never accept a message.
func isRefused(err error) bool {
	var e *jetstream.APIError
	return errors.Is(err, nats.ErrMaxPayload) || errors.As(err, &e) &&
		(e.ErrorCode == jetstream.JSErrCodeStreamMessageExceedsMaximum || e.ErrorCode == codeHeaderTooLarge)
}

// together calls f with 0 to n-1, several at the same time, and returns the first error.
func together(ctx context.Context, n int, f func(context.Context, int) error) error {
	const most = 64
	if n <= 1 {
		if n == 1 {
			return f(ctx, 0)
		}
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var calls sync.WaitGroup
	next := make(chan int)
	for range min(n, most) {
		calls.Go(func() {
			for i := range next {
				if err := f(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	calls.Wait()
	return context.Cause(ctx)
}

// cleanReason returns the text of an error as a value of a header.
func cleanReason(reason error) string { return clean(reason.Error()) }

// clean returns text as a value of a header, which is one line of ASCII and not too long.
func clean(text string) string {
	text = text[:min(len(text), 256)]
	return strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' {
			return '?'
		}
		return c
	}, text)
}
