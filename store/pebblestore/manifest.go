package pebblestore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/wal"
)

// Pebble's manifest is a log of edits to the set of its files. As with its
// other logs, Pebble takes the first edit that makes no sense for the end, and
// removes files that the edits up to there don't know. If that end is damage
// and not what a crash tore, the lost edits may be those by which a log's
// content became tables, and the log is gone. So before Pebble removes anything,
// checkManifest looks for what holds after any crash: a log is there until the
// edit that lets go of it is on disk. Therefore
//
//   - the log that the last readable edit calls the oldest needed one is there,
//     unless Pebble reserved that number when it opened, and no log ever had it;
//   - what is in the logs goes on where that edit's sequence numbers end, or
//     begins earlier (checkLogs finds that out).

// checkManifest returns what the manifest of an engine's folder says, and the
// logs that it needs, or that it is damaged.
func checkManifest(fs vfs.FS, dir string) (edit, wal.Logs, error) {
	desc, err := pebble.Peek(dir, fs)
	if err != nil {
		return edit{}, nil, err
	}
	if !desc.Exists {
		return edit{}, nil, corrupt("%s has no manifest", dir)
	}
	path := desc.ManifestFilename
	b, err := readFile(fs, path)
	if err != nil {
		return edit{}, nil, err
	}
	last, bad := readManifest(b)
	if bad >= 0 && anyRecord(b[bad:]) {
		return edit{}, nil, corrupt("manifest %s is damaged at byte %d", path, bad)
	}
	logs, err := wal.Scan(wal.Dir{FS: fs, Dirname: dir})
	if err != nil {
		return edit{}, nil, err
	}
	for len(logs) > 0 && logs[0].Num < last.oldestLog {
		logs = logs[1:] // let go of, and about to be removed
	}
	// Numbers of files only grow: those above the manifest's were given out in
	// its time, to logs that exist.
	if len(logs) > 0 && logs[0].Num != last.oldestLog && last.oldestLog > manifestNum(fs.PathBase(path)) {
		return edit{}, nil, corrupt("log %s is missing: either it or the end of manifest %s was lost", last.oldestLog, path)
	}
	return last, logs, nil
}

// manifestNum returns the number of a manifest. It is from the same series as
// those of logs.
func manifestNum(name string) wal.NumWAL {
	n, err := strconv.ParseUint(strings.TrimPrefix(name, "MANIFEST-"), 10, 64)
	if err != nil {
		return math.MaxInt64 // Pebble names them so; without a number nothing can be said
	}
	return wal.NumWAL(n)
}

// edit is what is needed of a manifest's edits: the last values of all.
type edit struct {
	oldestLog wal.NumWAL
	lastSeq   uint64
}

// readManifest returns what the edits say in the end, and where the first of
// them stands that makes no sense, -1 if all do.
func readManifest(b []byte) (last edit, bad int) {
	r := record.NewReader(bytes.NewReader(b), 0)
	for {
		at := r.Offset()
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return last, -1
		}
		var text []byte
		if err == nil {
			text, err = io.ReadAll(rec)
		}
		if err != nil {
			return last, int(at)
		}
		last.read(text)
	}
}

// The fields of an edit that come before those of single tables, if it has
// them, in the order of their tags' places here.
const (
	tagComparer       = 1 // a name
	tagOldestLog      = 2
	tagPrevLog        = 9
	tagNextFile       = 3
	tagRemovedBacking = 106
	tagCreatedBacking = 105 // two numbers
	tagLastSeq        = 4
)

// read takes over the values that one edit has.
func (e *edit) read(text []byte) {
	number := func() uint64 {
		v, n := binary.Uvarint(text)
		text = text[max(n, 0):]
		return v
	}
	for len(text) > 0 {
		switch number() {
		case tagComparer:
			text = text[min(number(), uint64(len(text))):]
		case tagOldestLog:
			e.oldestLog = wal.NumWAL(number())
		case tagPrevLog, tagNextFile, tagRemovedBacking:
			number()
		case tagCreatedBacking:
			number()
			number()
		case tagLastSeq:
			e.lastSeq = number()
		default:
			return
		}
	}
}

// anyRecord reports whether another edit begins anywhere in b but at its start.
// Pebble has each edit on disk before it writes the next.
func anyRecord(b []byte) bool {
	const (
		header    = 7 // checksum, size, type
		editFull  = 1
		editFirst = 2
	)
	for at := 1; at+header <= len(b); at++ {
		h := b[at:]
		size := header + int(binary.LittleEndian.Uint16(h[4:]))
		if h[6] < editFull || h[6] > editFirst || size == header || size > len(h) {
			continue
		}
		if binary.LittleEndian.Uint32(h) == checksum(h[checksummed:size]) {
			return true
		}
	}
	return false
}
