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

// A crash leaves the newest log with a torn end, so Pebble takes the first
// record there that makes no sense for the end of the log. A flipped bit in the
// midst of acknowledged records looks the same, and all behind it would be
// gone without a word. checkLogTail tells the two apart by what stands behind:
//
//	… ok ok ok [?] ok(shard 3) ok(shard 7) ok(shard 3) …
//
// A shard has one commit under way at a time, so its second record behind the
// bad one was written after the first was on disk, and with it the bad one: two
// records of one shard prove damage. So does a record that says itself that the
// log was on disk further than the bad one; Pebble is sparing with that. Less
// is what a power cut can leave.

// checkLogTail reports whether the newest log of an engine's folder is damaged.
func checkLogTail(fs vfs.FS, dir string) error {
	logs, err := wal.Scan(wal.Dir{FS: fs, Dirname: dir})
	if err != nil || len(logs) == 0 {
		return err
	}
	newest := logs[len(logs)-1]
	bad, err := badRecord(newest)
	if err != nil || bad < 0 {
		return err
	}
	for i := range newest.NumSegments() {
		_, path := newest.SegmentLocation(i)
		b, err := readFile(fs, path)
		if err != nil {
			return err
		}
		if wasSynced(b, bad, uint32(newest.Num)) {
			return corrupt("log %s is damaged at byte %d", path, bad)
		}
	}
	return nil
}

// badRecord returns where the first record starts that makes no sense, -1 if
// there is none.
func badRecord(log wal.LogicalLog) (at int64, err error) {
	r := log.OpenForRead()
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		_, off, err := r.NextRecord()
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			return -1, nil
		case errors.Is(err, record.ErrUnexpectedEOF):
			return off.Physical, nil
		case isBadRecord(err): // Pebble found proof itself
			return 0, corrupt("log %s at byte %d: %w", off.PhysicalFile, off.Physical, err)
		default:
			return 0, err
		}
	}
}

func isBadRecord(err error) bool {
	return errors.Is(err, record.ErrInvalidChunk) || errors.Is(err, record.ErrZeroedChunk) || errors.Is(err, record.ErrUnexpectedEOF)
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
// batch begins in the chunk and has such a key.
func shardOfChunk(chunk []byte) (shard [2]byte, ok bool) {
	if chunk[6] != chunkFull && chunk[6] != chunkFirst {
		return shard, false
	}
	r := batchrepr.Read(chunk[chunkHeader:])
	_, key, _, ok, err := r.Next()
	if err != nil || !ok || len(key) < 3 {
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
