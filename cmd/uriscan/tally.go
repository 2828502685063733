package main

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"slices"
)

// A tally counts values. Each worker has one of its own, and they are merged at the end.
//
// It is a hash table with linear probing. A slot holds 24 bits of the hash and the place of an entry in one
// of the chunks, so that a value that is counted again costs two misses of the cache, where a Go map costs
// four:
//
//	slot   24 bits of the hash │ 40 bits: place + 1, or 0 if the slot is free
//	entry  8 bytes: count      │ 4 bytes: length │ value
type tally struct {
	slots   []uint64 // their number is a power of two
	chunks  [][]byte
	size    int // number of different values
	total   int // number of values
	missing int // records without a value
	limit   int // of different values, or 0
	others  int // counted when there were too many different values
}

const (
	placeBits  = 40
	chunkBits  = 20
	chunkSize  = 1 << chunkBits
	entryHead  = 8 + 4
	firstSlots = 1 << 10
)

// seed makes it hard to choose values that collide.
var seed = maphash.MakeSeed()

// count counts a value once.
func (t *tally) count(value []byte) {
	t.total++
	t.add(value, 1)
}

// add counts a value n times.
func (t *tally) add(value []byte, n int) {
	if t.size >= len(t.slots)/4*3 {
		t.grow()
	}
	hash := maphash.Bytes(seed, value)
	for i := hash; ; i++ {
		slot := &t.slots[i&uint64(len(t.slots)-1)]
		if *slot == 0 {
			if t.limit > 0 && t.size >= t.limit {
				t.others += n
				return
			}
			*slot = hash>>placeBits<<placeBits | (t.store(value, n) + 1)
			return
		}
		if *slot>>placeBits != hash>>placeBits {
			continue
		}
		if entry := t.entry(*slot); string(valueOf(entry)) == string(value) {
			binary.LittleEndian.PutUint64(entry, countOf(entry)+uint64(n))
			return
		}
	}
}

// entry returns the chunk from the entry of a slot on.
func (t *tally) entry(slot uint64) []byte {
	place := slot&(1<<placeBits-1) - 1
	return t.chunks[place>>chunkBits][place&(chunkSize-1):]
}

func countOf(entry []byte) uint64 { return binary.LittleEndian.Uint64(entry) }

func valueOf(entry []byte) []byte {
	return entry[entryHead:][:binary.LittleEndian.Uint32(entry[8:])]
}

// store appends an entry to the last chunk and returns its place. A value that is too long for a chunk gets
// one of its own.
func (t *tally) store(value []byte, n int) (place uint64) {
	last := len(t.chunks) - 1
	if last < 0 || cap(t.chunks[last])-len(t.chunks[last]) < entryHead+len(value) {
		last++
		t.chunks = append(t.chunks, make([]byte, 0, max(min(chunkSize, 4<<10<<(2*last)), entryHead+len(value))))
	}
	chunk := t.chunks[last]
	place = uint64(last)<<chunkBits | uint64(len(chunk))
	chunk = binary.LittleEndian.AppendUint64(chunk, uint64(n))
	chunk = binary.LittleEndian.AppendUint32(chunk, uint32(len(value)))
	t.chunks[last] = append(chunk, value...)
	t.size++
	return place
}

// grow doubles the number of slots.
func (t *tally) grow() {
	old := t.slots
	t.slots = make([]uint64, max(2*len(old), firstSlots))
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		i := maphash.Bytes(seed, valueOf(t.entry(slot)))
		for t.slots[i&uint64(len(t.slots)-1)] != 0 {
			i++
		}
		t.slots[i&uint64(len(t.slots)-1)] = slot
	}
}

// all calls yield for each value.
func (t *tally) all(yield func(value []byte, n int) bool) {
	for _, slot := range t.slots {
		if slot == 0 {
			continue
		}
		if entry := t.entry(slot); !yield(valueOf(entry), int(countOf(entry))) {
			return
		}
	}
}

// merge adds the counts of another tally.
func (t *tally) merge(u *tally) {
	t.total += u.total
	t.missing += u.missing
	t.others += u.others
	for value, n := range u.all {
		t.add(value, n)
	}
}

// A counted is a value and how often it was counted.
type counted struct {
	value string
	n     int
}

// top returns the n most frequent values, or all if n is 0. Among values with the same count, the smaller one
// is first.
func (t *tally) top(n int) []counted {
	all := make([]counted, 0, t.size)
	for value, n := range t.all {
		all = append(all, counted{string(value), n})
	}
	slices.SortFunc(all, func(a, b counted) int {
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.value, b.value))
	})
	if n > 0 && len(all) > n {
		all = all[:n]
	}
	return all
}
