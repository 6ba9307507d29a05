package pebblestore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/timewheel-dev/timewheel/clock"
	"github.com/timewheel-dev/timewheel/store"
)

// Store is a store.Store in a folder. Make one with Open.
type Store struct {
	db       *pebble.DB
	stop     *failstop
	lock     io.Closer // of the folder
	meta     meta
	shards   []*shard
	clock    clock.Clock
	onCommit func(writes int, took time.Duration, err error)

	// settings is held while a queue's settings are compared and changed.
	settings sync.Mutex

	// applies counts the writes that Pebble works on. It grows only under life.
	applies sync.WaitGroup

	// life is held, for reading, by every call; Close holds it for writing.
	life   sync.RWMutex
	closed bool // guarded by life
}

var _ store.Store = (*Store)(nil)

// Shards returns the number of shards.
func (s *Store) Shards() int { return s.meta.shards }

// Created returns when the store was made.
func (s *Store) Created() time.Time { return s.meta.created.Time() }

// enter begins a call. If it returns nil the call must end with leave.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.life.RLock()
	err := s.stop.err()
	if s.closed {
		err = store.ErrClosed
	}
	if err != nil {
		s.life.RUnlock()
	}
	return err
}

func (s *Store) leave() { s.life.RUnlock() }

// enterShard is enter for a call about one shard.
func (s *Store) enterShard(ctx context.Context, shard int) error {
	if err := s.checkShard(shard); err != nil {
		return err
	}
	return s.enter(ctx)
}

func (s *Store) checkShard(shard int) error {
	if shard < 0 || shard >= len(s.shards) {
		return fmt.Errorf("shard %d is none of the store's %d", shard, len(s.shards))
	}
	return nil
}

// apply writes a batch, which it owns, and returns when it is on disk. An error
// leaves open whether it was applied. When Pebble is done with it, which is
// later than apply returns if ctx is done before, finish is called.
func (s *Store) apply(ctx context.Context, b *pebble.Batch, finish func(error)) error {
	done := make(chan error, 1)
	s.applies.Go(func() {
		err := s.stop.catch(func() error { return errors.Join(s.db.Apply(b, pebble.Sync), b.Close()) })
		finish(err)
		done <- err
	})
	select {
	case err := <-done:
		return err
	case <-s.stop.thrown:
		return s.stop.err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close writes out what is in memory, so that the next Open has no log to
// replay, and releases the folder.
func (s *Store) Close() error {
	s.life.Lock()
	if s.closed {
		s.life.Unlock()
		return store.ErrClosed
	}
	s.closed = true
	s.life.Unlock()
	return shut(s.db, s.stop, s.lock, &s.applies)
}
