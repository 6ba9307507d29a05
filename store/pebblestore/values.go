package pebblestore

import (
	"bytes"
	"encoding/binary"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// appendNextValue writes what an entry of the index "next" points to: of a
// schedule behind a zero byte, which no task's can begin with, since it would be
// the length of its queue's name. The other indexes have the queue in their key
// and the task's key as value.
func appendNextValue(dst []byte, r store.Ref, schedule bool) []byte {
	if schedule {
		dst = append(dst, 0)
	}
	dst = binary.AppendUvarint(dst, uint64(len(r.Queue)))
	return append(append(dst, r.Queue...), r.Key...)
}

func decodeNextValue(b []byte) (e store.Entry, err error) {
	rest, schedule := bytes.CutPrefix(b, []byte{0})
	n, size := binary.Uvarint(rest)
	if size <= 0 || n == 0 || n > uint64(len(rest)-size) {
		return store.Entry{}, corrupt("entry of the index next: %x", b)
	}
	rest = rest[size:]
	return store.Entry{Ref: store.Ref{Queue: string(rest[:n]), Key: string(rest[n:])}, Schedule: schedule}, nil
}

// meta is what is fixed when a store is created.
type meta struct {
	shards  int
	created task.Instant
}

func appendMeta(dst []byte, m meta) []byte {
	dst = binary.AppendUvarint(dst, uint64(m.shards))
	return binary.AppendVarint(dst, int64(m.created))
}

func decodeMeta(b []byte) (meta, error) {
	shards, n := binary.Uvarint(b)
	if n <= 0 || shards < 1 || shards > MaxShards {
		return meta{}, corrupt("meta %x", b)
	}
	created, k := binary.Varint(b[n:])
	if k <= 0 || n+k != len(b) {
		return meta{}, corrupt("meta %x", b)
	}
	return meta{shards: int(shards), created: task.Instant(created)}, nil
}

func decodeEpoch(b []byte) (uint64, error) {
	epoch, n := binary.Uvarint(b)
	if n <= 0 || n != len(b) {
		return 0, corrupt("epoch %x", b)
	}
	return epoch, nil
}
