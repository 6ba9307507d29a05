package pebblestore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"syscall"

	"github.com/cockroachdb/pebble/v2"

	"github.com/timewheel-dev/timewheel/task"
)

// Open opens the store in folder dir, and makes it if there is none. It
// returns a *store.LockedError if a process has it open, this one included, a
// *store.FormatError if a newer program wrote it, and an error that wraps
// ErrCorrupt if its files are damaged. A store that an older program wrote is
// brought up to date; once that has begun, that program can't open it any more.
func Open(dir string, o Options) (*Store, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	f, err := openFolder(o.FS, dir)
	if err != nil {
		return nil, err
	}
	if _, err := f.created(); err != nil { // before the lock writes into it
		return nil, err
	}
	lock, err := f.lock(o.Clock.Now())
	if err != nil {
		return nil, err
	}
	s, err := openLocked(f, o, lock)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("store in %s: %w", f.dir, err), lock.Close())
	}
	return s, nil
}

// openLocked opens the store in a folder that this process has locked.
func openLocked(f folder, o Options, lock io.Closer) (*Store, error) {
	exists, err := f.created() // again: it may have changed until it was locked
	if err != nil {
		return nil, err
	}
	if !exists {
		if err := create(f, o); err != nil {
			return nil, fmt.Errorf("could not be made: %w", err)
		}
	}
	format, err := f.checkFormat()
	if err != nil {
		return nil, err
	}
	stop := newFailstop(f.dir)
	db, err := openEngine(f.path(engineName), o, stop, false)
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, stop: stop, lock: lock, clock: o.Clock, onCommit: o.OnCommit}
	if err := s.ready(f, format, o); err != nil {
		return nil, errors.Join(err, shut(db, stop, io.NopCloser(nil), &s.applies))
	}
	return s, nil
}

// openEngine opens Pebble in a folder, which must hold a database unless fresh.
func openEngine(dir string, o Options, stop *failstop, fresh bool) (db *pebble.DB, err error) {
	opts := engineOptions(o, stop)
	opts.ErrorIfExists, opts.ErrorIfNotExists = fresh, !fresh
	err = stop.guard(func() (err error) {
		db, err = pebble.Open(dir, opts)
		return err
	})
	if err != nil {
		return nil, asOpenError(err)
	}
	return db, nil
}

// asOpenError sorts the errors of Pebble's Open: those of the file system stay
// what they are, all others mean that the files are not what Pebble wrote. A file
// that is missing is one of these.
func asOpenError(err error) error {
	var failed *FailedError
	var errno syscall.Errno
	switch {
	case errors.As(err, &failed), errors.Is(err, ErrCorrupt):
		return err
	case errors.As(err, &errno) && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return corrupt("%w", err)
}

// create makes a store beside where it will be, and moves it there when it is
// whole, so that a crash half-way leaves nothing that looks like one.
func create(f folder, o Options) error {
	if err := f.fs.RemoveAll(f.path(newName)); err != nil {
		return err
	}
	if err := f.fs.MkdirAll(f.path(newName), 0o750); err != nil {
		return err
	}
	stop := newFailstop(f.dir)
	db, err := openEngine(f.path(newName), o, stop, true)
	if err != nil {
		return err
	}
	m := meta{shards: o.Shards, created: task.FloorInstant(o.Clock.Now())}
	if m.shards == 0 {
		m.shards = defaultShards
	}
	err = stop.guard(func() error { return db.Set([]byte{kindMeta}, appendMeta(nil, m), pebble.Sync) })
	if err := errors.Join(err, shut(db, stop, io.NopCloser(nil), new(sync.WaitGroup))); err != nil {
		return err
	}
	if err := f.writeFormat(newName, formatName, formatVersion); err != nil {
		return err
	}
	return f.publish()
}

// ready makes an opened database the store of this program's format.
func (s *Store) ready(f folder, format int, o Options) error {
	if err := s.load(o); err != nil {
		return err
	}
	return s.upgrade(f, format, o.Logger)
}

// load reads what a Store keeps in memory.
func (s *Store) load(o Options) error {
	value, err := s.read([]byte{kindMeta})
	if err != nil {
		return err
	}
	if value == nil {
		return corrupt("the meta record is missing")
	}
	if s.meta, err = decodeMeta(value); err != nil {
		return err
	}
	if o.Shards != 0 && o.Shards != s.meta.shards {
		return fmt.Errorf("it has %d shards for good, %d were asked for: ask for %d, or for 0", s.meta.shards, o.Shards, s.meta.shards)
	}
	return s.loadEpochs()
}

// shut closes Pebble and the lock. If the failstop was thrown it leaves Pebble
// as it is: closing would wait for writes that are parked.
func shut(db *pebble.DB, stop *failstop, lock io.Closer, applies *sync.WaitGroup) error {
	err := stop.guard(func() error {
		applies.Wait()
		if err := db.Flush(); err != nil {
			return err
		}
		return db.Close()
	})
	if stop.err() != nil {
		stop.rest()
	}
	return errors.Join(asCorrupt(err), lock.Close())
}
