package store

import (
	"errors"
	"fmt"
)

// Errors of any call.
var (
	// ErrClosed: the store was closed.
	ErrClosed = errors.New("the store is closed")
)

// Errors of Acquire, Renew and Commit.
var (
	// ErrHeld: another live node owns the shard.
	ErrHeld = errors.New("the shard is owned by another node")
	// ErrFenced: the epoch is not the shard's present one; somebody else owns
	// it by now. The caller must stop acting for the shard.
	ErrFenced = errors.New("fenced: the shard has a newer epoch")
)

// ErrConflict is PutQueue's: the settings were changed in between.
var ErrConflict = errors.New("the queue was changed by somebody else in between")

// LockedError is returned when opening a store that another process has open.
type LockedError struct {
	Dir   string // the store's folder
	Owner string // what is known of the process that holds it, "" if nothing is
}

// Error says who holds the store and what to do.
func (e *LockedError) Error() string {
	owner := e.Owner
	if owner == "" {
		owner = "another process"
	}
	return fmt.Sprintf("data folder %s is in use by %s: stop that process or use another folder", e.Dir, owner)
}

// FormatError is returned when opening a store whose format this program
// cannot read.
type FormatError struct {
	Dir   string
	Found int // the format on disk
	Known int // the newest that this program reads
}

// Error says which format was found and what to do.
func (e *FormatError) Error() string {
	return fmt.Sprintf("data folder %s has format %d, this program reads up to %d: use a newer timewheel", e.Dir, e.Found, e.Known)
}
