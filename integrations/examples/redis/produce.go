package main

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

const maxBacklog = 1000 // blocks that the stream may have

// produce adds the lines of a file to the stream, in blocks of at least the given size. The ID of an entry is
// the offset in the file at which its block ends. So Redis refuses a block that it already has, and a
// producer that was killed starts again where it was.
func produce(ctx context.Context, db redis.UniversalClient, file io.ReadSeeker, blockSize int) error {
	offset, err := produced(ctx, db)
	if err != nil {
		return err
	}
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return err
	}
	r := bufio.NewReader(file)
	for buf := make([]byte, blockSize); ; {
		n, err := io.ReadFull(r, buf)
		var rest []byte
		if err == nil {
			rest, err = r.ReadBytes('\n')
		}
		eof := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !eof {
			return err
		}
		if block := slices.Concat(buf[:n], rest); len(block) > 0 {
			offset += int64(len(block))
			if err := add(ctx, db, offset, block); err != nil {
				return err
			}
		}
		if eof {
			return nil
		}
	}
}

// produced returns the offset that the last producer has reached.
func produced(ctx context.Context, db redis.UniversalClient) (int64, error) {
	info, err := db.XInfoStream(ctx, blocksKey).Result()
	if err != nil && strings.Contains(err.Error(), "no such key") || info != nil && info.LastGeneratedID == "" {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	end, _, _ := strings.Cut(info.LastGeneratedID, "-")
	return strconv.ParseInt(end, 10, 64)
}

// add adds a block once the stream is short enough. MAXLEN would instead drop blocks that nobody has counted.
func add(ctx context.Context, db redis.UniversalClient, end int64, block []byte) error {
	for {
		n, err := db.XLen(ctx, blocksKey).Result()
		if err != nil {
			return err
		}
		if n < maxBacklog {
			break
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := db.XAdd(ctx, &redis.XAddArgs{
		Stream: blocksKey, ID: strconv.FormatInt(end, 10) + "-0", Values: []any{"block", block},
	}).Err()
	if err != nil && strings.Contains(err.Error(), "equal or smaller") { // the client has repeated the command
		return nil
	}
	return err
}
