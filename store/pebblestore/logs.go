package pebblestore

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/cockroachdb/pebble/v2/batchrepr"
	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/wal"
)

// Each record of a log is a batch: as many sequence numbers as it has entries,
// the first of them behind the last of the record before, through all logs. A
// gap is a record that is gone. Pebble does not look.
//
// At the end of the newest log a crash leaves a torn record, so there Pebble
// takes the first record that makes no sense for the end. A flipped bit in the
// midst of acknowledged records looks the same, and all behind it would be gone
// without a word. What stands behind tells the two apart:
//
//	… ok ok ok [?] ok(shard 3) ok(shard 7) ok(shard 3) …
//
// A shard has one commit under way at a time, so its second record behind the
// bad one was written after the first was on disk, and with it the bad one: two
// records of one shard prove damage. So does a record that says itself that the
// log was on disk further than the bad one; Pebble is sparing with that. Less
// is what a power cut can leave.

// checkLogs reports whether the logs that the manifest needs are damaged.
func checkLogs(fs vfs.FS, logs wal.Logs, last edit) error {
	seq := sequence{next: last.lastSeq + 1}
	for i, log := range logs {
		bad, err := seq.check(log)
		if err != nil {
			return err
		}
		if bad < 0 || i < len(logs)-1 { // of logs that are not the newest Pebble finds a bad end itself
			continue
		}
		_, path := log.SegmentLocation(log.NumSegments() - 1)
		b, err := readFile(fs, path)
		if err != nil {
			return err
		}
		if wasSynced(b, bad, uint32(log.Num)) {
			return corrupt("log %s is damaged at byte %d", path, bad)
		}
	}
	return nil
}

// sequence is how far the records read so far go.
type sequence struct {
	next  uint64 // the sequence number that comes
	begun bool   // the first record was read; it may begin before next
}

// check reads the records of a log. It returns where the first of them stands
// that makes no sense, -1 if all do.
func (s *sequence) check(log wal.LogicalLog) (bad int64, err error) {
	r := log.OpenForRead()
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		rec, off, err := r.NextRecord()
		switch {
		case errors.Is(err, io.EOF):
			return -1, nil
		case errors.Is(err, record.ErrUnexpectedEOF):
			return off.Physical, nil
		case errors.Is(err, record.ErrInvalidChunk), errors.Is(err, record.ErrZeroedChunk): // Pebble found proof itself
			return 0, corrupt("log %s at byte %d: %w", off.PhysicalFile, off.Physical, err)
		case err != nil:
			return 0, err
		}
		b, err := io.ReadAll(rec)
		if err != nil {
			return 0, err
		}
		h, ok := batchrepr.ReadHeader(b)
		if first := uint64(h.SeqNum); !ok || first > s.next || first < s.next && s.begun {
			return 0, corrupt("log %s, byte %d: sequence number %d where %d comes: records are missing", off.PhysicalFile, off.Physical, first, s.next)
		}
		*s = sequence{next: uint64(h.SeqNum) + uint64(h.Count), begun: true}
	}
}

// The chunks that a Pebble log of pebbleFormat consists of: checksum (4), size
// (2), type (1), log number (4), how far the log was on disk when the chunk was
// written (8), payload. None crosses a block.
const (
	logBlock    = 32 << 10
	chunkHeader = 19
	chunkFull   = 9
	chunkFirst  = 10
	chunkLast   = 12
	syncedTo    = 11
	checksummed = 6 // where the part of a chunk begins that its checksum is of
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// wasSynced reports whether the records behind byte bad of a log prove that
// what is there was on disk.
func wasSynced(b []byte, bad int64, logNum uint32) bool {
	seen := make(map[[2]byte]bool)
	for at := int(bad) + 1; at+chunkHeader <= len(b); {
		size, ok := chunkAt(b, at, logNum)
		if !ok {
			at++
			continue
		}
		if int64(binary.LittleEndian.Uint64(b[at+syncedTo:])) > bad {
			return true
		}
		if shard, ok := shardOfChunk(b[at : at+size]); ok {
			if seen[shard] {
				return true
			}
			seen[shard] = true
		}
		at += size
	}
	return false
}

// chunkAt returns the size of the whole chunk at a place, if one is there.
func chunkAt(b []byte, at int, logNum uint32) (size int, ok bool) {
	h := b[at:]
	if h[6] < chunkFull || h[6] > chunkLast || binary.LittleEndian.Uint32(h[7:]) != logNum {
		return 0, false
	}
	size = chunkHeader + int(binary.LittleEndian.Uint16(h[4:]))
	if size > len(h) || at%logBlock+size > logBlock {
		return 0, false
	}
	return size, binary.LittleEndian.Uint32(h) == checksum(h[checksummed:size])
}

// checksum is that of the chunks in Pebble's logs.
func checksum(b []byte) uint32 {
	c := crc32.Checksum(b, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}

// shardOfChunk returns the shard that the first key of a batch is of, if a
// batch begins in the chunk and has such a key. The rest of the batch may be in
// other chunks.
func shardOfChunk(chunk []byte) (shard [2]byte, ok bool) {
	const keyLen = chunkHeader + batchrepr.HeaderLen + 1 // behind the kind of the first entry
	if chunk[6] != chunkFull && chunk[6] != chunkFirst || len(chunk) <= keyLen {
		return shard, false
	}
	_, n := binary.Uvarint(chunk[keyLen:])
	key := chunk[keyLen+max(n, 0):]
	if n <= 0 || len(key) < 3 {
		return shard, false
	}
	switch key[0] {
	case kindBody, kindEpoch, kindHead, kindNext, kindReady, kindState:
		return [2]byte(key[1:3]), true
	}
	return shard, false
}

// readFile returns a whole file.
func readFile(fs vfs.FS, path string) ([]byte, error) {
	f, err := fs.Open(path)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(f)
	return b, errors.Join(err, f.Close())
}
