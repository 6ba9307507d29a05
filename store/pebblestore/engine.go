package pebblestore

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
)

// pebbleFormat is Pebble's own format of its files. Raising it raises
// formatVersion too: an older program could not open the store any more.
const pebbleFormat = pebble.FormatValueSeparation

// maxMemTables is how many memtables there are before writes wait.
const maxMemTables = 4

// engineOptions returns how Pebble is run: for two cores, little memory, many
// small records and many fsyncs.
func engineOptions(o Options, stop *failstop) *pebble.Options {
	p := &pebble.Options{
		FS:                 failFS{o.FS, stop},
		FormatMajorVersion: pebbleFormat,
		Merger:             countsMerger,
		// Pebble takes memtables off what the cache may have, so that both
		// together are bounded.
		CacheSize:    o.CacheBytes + maxMemTables*int64(o.MemTableBytes),
		MemTableSize: uint64(o.MemTableBytes),
		// Some memtables ride out a compaction that has the disk to itself.
		MemTableStopWritesThreshold: maxMemTables,
		// L0 is compacted soon, which keeps scans short, and stops writes late.
		L0CompactionThreshold:      4,
		L0StopWritesThreshold:      64,
		LBaseMaxBytes:              int64(o.MemTableBytes) * 4,
		CompactionConcurrencyRange: func() (lower, upper int) { return 1, 2 },
		MaxOpenFiles:               512,
		Logger:                     engineLogger{o.Logger, stop},
		EventListener:              engineEvents(o.Logger),
	}
	p.TargetFileSizes[0] = 4 << 20
	for i := range p.Levels {
		l := &p.Levels[i]
		l.BlockSize = 8 << 10
		l.IndexBlockSize = 64 << 10
		// Ten bits a key let Get pass over a file that has not the key, in 99 of
		// 100 cases.
		l.FilterPolicy = bloom.FilterPolicy(10)
	}
	return p
}

// engineEvents passes on what an operator can do something about.
func engineEvents(log *slog.Logger) *pebble.EventListener {
	return &pebble.EventListener{
		BackgroundError: func(err error) { log.Error("store: background work failed", "error", err) },
		DataCorruption: func(i pebble.DataCorruptionInfo) {
			log.Error("store: damaged file", "path", i.Path, "error", i.Details)
		},
		WriteStallBegin: func(i pebble.WriteStallBeginInfo) {
			log.Warn("store: writes wait for the disk", "reason", i.Reason)
		},
	}
}

// engineLogger is Pebble's log.
type engineLogger struct {
	log  *slog.Logger
	stop *failstop
}

func (l engineLogger) Infof(format string, args ...any) {
	if l.log.Enabled(context.Background(), slog.LevelDebug) {
		l.log.Debug("pebble: " + fmt.Sprintf(format, args...))
	}
}

func (l engineLogger) Errorf(format string, args ...any) {
	l.log.Error("pebble: " + fmt.Sprintf(format, args...))
}

// Fatalf must not return. Write errors don't get this far, so this is damage
// that Pebble can't go on with.
func (l engineLogger) Fatalf(format string, args ...any) {
	err := corrupt(format, args...)
	l.log.Error("pebble: "+err.Error(), "fatal", true)
	l.stop.fail(err)
	park()
}
