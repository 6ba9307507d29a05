package pebblestore

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// failstop is the switch that the first failed write throws, for good.
//
// Pebble can't be handed a write error: it answers some with a retry for ever,
// some with a panic that leaves its locks held, some by ending the process. So
// nothing reaches it: the goroutine that met the error is parked in its call,
// and so is each that asks for a write later. Calls of the store, which run
// Pebble's writes on goroutines of their own, see the switch and return.
type failstop struct {
	dir    string
	thrown chan struct{} // closed when a write has failed
	once   sync.Once
	cause  atomic.Pointer[FailedError] // set before thrown is closed

	// writing is held, for reading, by each write under way. Whoever has it for
	// writing after the switch was thrown knows that the disk is at rest.
	writing sync.RWMutex
}

func newFailstop(dir string) *failstop {
	return &failstop{dir: dir, thrown: make(chan struct{})}
}

// fail throws the switch. Only the first cause is kept.
func (f *failstop) fail(cause error) {
	f.once.Do(func() {
		f.cause.Store(&FailedError{Dir: f.dir, Err: cause})
		close(f.thrown)
	})
}

// err returns the FailedError, nil while all is well.
func (f *failstop) err() error {
	if e := f.cause.Load(); e != nil {
		return e // not by itself: a nil *FailedError is no nil error
	}
	return nil
}

// write runs one write to the disk. It does not return if that fails or if an
// earlier one did.
func (f *failstop) write(op, path string, run func() error) {
	if err := f.tryWrite(run); err != nil {
		f.fail(asPathError(op, path, err))
		park()
	}
}

func (f *failstop) tryWrite(run func() error) error {
	f.writing.RLock()
	defer f.writing.RUnlock()
	if err := f.err(); err != nil {
		return err
	}
	return run()
}

// rest waits until no write is under way. The switch must have been thrown.
func (f *failstop) rest() {
	f.writing.Lock()
	defer f.writing.Unlock() //nolint:gocritic // to have had it is all that is wanted
}

// guard runs a call of Pebble that may write, on a goroutine of its own, and
// returns its error, or the FailedError as soon as the switch is thrown.
func (f *failstop) guard(run func() error) error {
	done := make(chan error, 1)
	go func() { done <- f.catch(run) }()
	select {
	case err := <-done:
		return err
	case <-f.thrown:
		return f.err()
	}
}

// catch runs a call of Pebble that may write. A panic throws the switch: Pebble
// may have left its locks held.
func (f *failstop) catch(run func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			f.fail(fmt.Errorf("pebble panicked: %v\n%s", r, debug.Stack()))
			err = f.err()
		}
	}()
	return run()
}

func asPathError(op, path string, err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return err
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}

// park never returns.
func park() { select {} }
