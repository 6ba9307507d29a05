package pebblestore

import (
	"bytes"
	"encoding/binary"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// The first byte of every key: its kind. docs/internals/formats.md draws what
// follows. Kinds are never reused.
const (
	kindBody     = 'b'
	kindCounts   = 'c'
	kindEpoch    = 'e'
	kindHead     = 'h'
	kindMeta     = 'm'
	kindNext     = 'n'
	kindPlan     = 'p'
	kindQueue    = 'q'
	kindReady    = 'r'
	kindState    = 's'
	kindSchedule = 't'
)

// posLen is the length of a place in an index: an instant and an id.
const posLen = 8 + len(task.ID{})

// appendShard begins a key of a shard.
func appendShard(dst []byte, kind byte, shard int) []byte {
	return binary.BigEndian.AppendUint16(append(dst, kind), uint16(shard))
}

// appendPart appends a part of a key that more follows: keys sort by it first
// and by the rest then. A zero byte ends it; the bytes 0 and 1, which no valid
// name has, become 1 1 and 1 2.
func appendPart(dst []byte, s string) []byte {
	for i := range len(s) {
		if s[i] <= 1 {
			dst = append(dst, 1, s[i]+1)
		} else {
			dst = append(dst, s[i])
		}
	}
	return append(dst, 0)
}

// cutPart takes off b what appendPart appended.
func cutPart(b []byte) (s string, rest []byte, ok bool) {
	part, rest, ok := bytes.Cut(b, []byte{0})
	if !ok {
		return "", nil, false
	}
	if bytes.IndexByte(part, 1) < 0 {
		return string(part), rest, true
	}
	raw := make([]byte, 0, len(part))
	for i := 0; i < len(part); i++ {
		c := part[i]
		if c == 1 {
			i++
			if i == len(part) || part[i] < 1 || part[i] > 2 {
				return "", nil, false
			}
			c = part[i] - 1
		}
		raw = append(raw, c)
	}
	return string(raw), rest, true
}

// appendInstant writes an instant so that bytes sort as instants do, negative
// ones included.
func appendInstant(dst []byte, i task.Instant) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(i)^1<<63)
}

func appendPos(dst []byte, p store.Pos) []byte {
	return append(appendInstant(dst, p.At), p.ID[:]...)
}

// readPos reads the last posLen bytes of an index key.
func readPos(key []byte) (store.Pos, bool) {
	if len(key) < posLen {
		return store.Pos{}, false
	}
	b := key[len(key)-posLen:]
	p := store.Pos{At: task.Instant(binary.BigEndian.Uint64(b) ^ 1<<63)}
	copy(p.ID[:], b[8:])
	return p, true
}

// appendRef appends the key of a task's head or body, of a schedule or its plan.
func appendRef(dst []byte, kind byte, shard int, r store.Ref) []byte {
	return append(appendPart(appendShard(dst, kind, shard), r.Queue), r.Key...)
}

// readRef reads the key of a head.
func readRef(key []byte) (shard int, r store.Ref, ok bool) {
	if len(key) < 3 {
		return 0, store.Ref{}, false
	}
	queue, rest, ok := cutPart(key[3:])
	return int(binary.BigEndian.Uint16(key[1:])), store.Ref{Queue: queue, Key: string(rest)}, ok
}

func appendNext(dst []byte, shard int, p store.Pos) []byte {
	return appendPos(appendShard(dst, kindNext, shard), p)
}

// appendStatePrefix begins the keys of one queue's tasks in one state.
func appendStatePrefix(dst []byte, shard int, queue string, s task.State) []byte {
	return append(appendPart(appendShard(dst, kindState, shard), queue), byte(s))
}

// appendLane begins the keys of one lane's ready tasks.
func appendLane(dst []byte, shard int, l task.Lane) []byte {
	return appendPart(appendPart(appendShard(dst, kindReady, shard), l.Queue), l.Host)
}

// appendName appends the key of a queue's counts or settings.
func appendName(dst []byte, kind byte, queue string) []byte {
	return append(append(dst, kind), queue...)
}

// after returns the first key behind k, which it may overwrite behind its end.
func after(k []byte) []byte { return append(k, 0) }

// beyond returns the first key behind all that begin with prefix, whose last
// byte must not be 255. It changes prefix.
func beyond(prefix []byte) []byte {
	prefix[len(prefix)-1]++
	return prefix
}
