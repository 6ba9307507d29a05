// Package groupcommit is a bare Pebble with nothing around it: what the disk
// and its engine give at most, for `timewheel bench schedule` to stand beside.
//
//	Set ─┐
//	Set ─┼─▶ one write-ahead log ─▶ one fsync for all that wait
//	Set ─┘
//
// It owns a database in a folder of its own, with the sizes that the store
// uses. It refuses to know tasks, shards and indexes: one value is one key.
// Its methods may be called at once from any goroutine.
package groupcommit

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// DB is an open database.
type DB struct {
	db   *pebble.DB
	seed [8]byte
	next atomic.Uint64
}

// Open makes a database in a folder that has none.
func Open(dir string) (*DB, error) {
	db, err := pebble.Open(dir, &pebble.Options{
		ErrorIfExists:               true,
		FormatMajorVersion:          pebble.FormatValueSeparation,
		CacheSize:                   32 << 20,
		MemTableSize:                16 << 20,
		MemTableStopWritesThreshold: 4,
		L0StopWritesThreshold:       64,
		CompactionConcurrencyRange:  func() (lower, upper int) { return 1, 2 },
		Logger:                      silent{},
	})
	if err != nil {
		return nil, fmt.Errorf("opening a bare Pebble: %w", err)
	}
	d := &DB{db: db}
	rand.Read(d.seed[:])
	return d, nil
}

// key returns a key that was not used before, at a place of its own, as keys
// of tasks are.
func (d *DB) key() []byte {
	n := d.next.Add(1) * 0x9e3779b97f4a7c15 // spreads a count over all 64 bits
	return append(binary.BigEndian.AppendUint64(make([]byte, 0, 16), n), d.seed[:]...)
}

// Set writes one value under a new key and returns when it is on stable storage.
func (d *DB) Set(value []byte) error { return d.db.Set(d.key(), value, pebble.Sync) }

// SetMany writes n such values at once.
func (d *DB) SetMany(n int, value []byte) error {
	b := d.db.NewBatch()
	for range n {
		if err := b.Set(d.key(), value, nil); err != nil {
			return errors.Join(err, b.Close())
		}
	}
	return errors.Join(b.Commit(pebble.Sync), b.Close())
}

// Close closes the database; its folder stays.
func (d *DB) Close() error { return d.db.Close() }

// silent is a log that nobody reads.
type silent struct{}

// Infof implements pebble.Logger.
func (silent) Infof(string, ...any) {}

// Errorf implements pebble.Logger.
func (silent) Errorf(string, ...any) {}

// Fatalf implements pebble.Logger; it must not return.
func (silent) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}
