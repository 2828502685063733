package main

import (
	"fmt"
	"hash/maphash"

	"github.com/seed-56a50ac9/uri"
	"github.com/spf13/cobra"
)

func newUnique(a *app) *cobra.Command {
	var n normalizing
	cmd := &cobra.Command{
		Use:   "unique [flags] [file or URI ...]",
		Short: "Write each URI once, however it is spelled",
		Long: `Write each URI once, in its first spelling. URIs are the same if their normal
forms are. Only 64-bit hashes with a random seed are compared: among a hundred
million different URIs, the chance of losing one is 1 in 3,700. Memory grows by
at most 40 bytes for each URI. Invalid URIs are reported and left out.`,
		Example: `  uriscan unique urls.txt
  uriscan unique --level scheme --sort-params --drop-fragment urls.txt`,
		Args: cobra.ArbitraryArgs,
	}
	own := newFlagSet()
	n.define(own)
	setWork(cmd, own, func(cmd *cobra.Command, args []string) error {
		seen := &hashes{seed: maphash.Bytes(maphash.MakeSeed(), nil), all: map[uint64]struct{}{}}
		return a.do(cmd.Context(), args, job{
			newSink: func(w *worker) sink { return &uniqueSink{worker: w, steps: n.steps(), seen: seen} },
			summary: func(*result) string { return fmt.Sprintf("%d different", len(seen.all)) },
		})
	})
	return cmd
}

// Hashes are those of the URIs seen so far. Only the worker whose turn it is uses them.
type hashes struct {
	seed uint64
	all  map[uint64]struct{}
}

// A uniqueSink computes hashes, in parallel. What is new is decided in order.
type uniqueSink struct {
	*worker
	steps   uri.Step
	seen    *hashes
	pending []hashedLine
}

// A hashedLine is the hash of a line of the output, and where that ends.
type hashedLine struct {
	hash uint64
	end  int
}

func (s *uniqueSink) accept(r *record) {
	s.out = append(append(s.out, r.text...), '\n')
	s.pending = append(s.pending, hashedLine{r.view.Hash(s.seen.seed, s.steps), len(s.out)})
}

func (s *uniqueSink) reject(r *record) { s.report(r) }

// commit removes the lines from the output that are not new.
func (s *uniqueSink) commit() {
	kept, start := s.out[:0], 0
	for _, line := range s.pending {
		if _, seen := s.seen.all[line.hash]; !seen {
			s.seen.all[line.hash] = struct{}{}
			kept = append(kept, s.out[start:line.end]...)
		}
		start = line.end
	}
	s.out, s.pending = kept, s.pending[:0]
}
