package pebblestore

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/timewheel-dev/timewheel/clock"
)

// Options tune a Store. The zero value is ready to use.
type Options struct {
	// Shards is the number of shards of a store that is created. Default: 16.
	// For a store that exists, 0 takes what it has, and any other number must be
	// what it has.
	Shards int

	// FS is the file system. Default: the operating system's.
	FS vfs.FS

	// CacheBytes is what the cache of uncompressed blocks has for itself. It also
	// uses what memtables leave free: cache and memtables together are bounded by
	// CacheBytes + 4·MemTableBytes. Default: 32 MiB.
	CacheBytes int64

	// MemTableBytes bounds one memtable. Up to four are in memory while writes
	// come faster than the disk takes them; a restart after a crash replays no
	// more than these. Default: 8 MiB.
	MemTableBytes int

	// Logger is told of trouble, of the beginning and the end of an upgrade, and
	// at debug level of Pebble's chores.
	// Default: nobody is.
	Logger *slog.Logger

	// OnCommit is told of every Commit: the number of its writes, how long it
	// took, and its error. It is called from the goroutine that commits, without
	// any lock. Default: nobody is.
	OnCommit func(writes int, took time.Duration, err error)

	// Clock dates the owner file and the store's creation, and measures commits.
	// Default: the real one.
	Clock clock.Clock
}

// MaxShards is the most shards that a store can have.
const MaxShards = 4096

const (
	defaultShards        = 16
	defaultCacheBytes    = 32 << 20
	defaultMemTableBytes = 8 << 20
	minMemTableBytes     = 64 << 10
)

// withDefaults fills what o leaves open and reports everything wrong with it.
// Shards stays 0: what that means depends on what is on disk.
func (o Options) withDefaults() (Options, error) {
	var faults []error
	if o.Shards < 0 || o.Shards > MaxShards {
		faults = append(faults, fmt.Errorf("shards must be from 1 to %d, or 0 for the default, got %d", MaxShards, o.Shards))
	}
	if o.CacheBytes < 0 {
		faults = append(faults, fmt.Errorf("cache bytes must not be negative, got %d", o.CacheBytes))
	}
	if o.MemTableBytes != 0 && o.MemTableBytes < minMemTableBytes || o.MemTableBytes > 1<<30 {
		faults = append(faults, fmt.Errorf("memtable bytes must be from %d to %d, or 0 for the default, got %d", minMemTableBytes, 1<<30, o.MemTableBytes))
	}
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = defaultCacheBytes
	}
	if o.MemTableBytes == 0 {
		o.MemTableBytes = defaultMemTableBytes
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Clock = clock.Or(o.Clock)
	return o, errors.Join(faults...)
}
