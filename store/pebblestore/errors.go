package pebblestore

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// ErrCorrupt is wrapped by every error that means that the store's files are
// not what this package wrote: damaged, or changed by somebody else.
var ErrCorrupt = errors.New("the store's files are damaged: restore them from a backup")

// FailedError is returned by every call once a write to the disk has failed.
type FailedError struct {
	Dir string // the store's folder
	Err error  // what failed: a *fs.PathError for a file operation
}

// Error says what failed and what to do.
func (e *FailedError) Error() string {
	return fmt.Sprintf("the store in %s stopped when a write failed: %v: what was acknowledged is safe; see to the disk, then start again", e.Dir, e.Err)
}

// Unwrap returns what failed.
func (e *FailedError) Unwrap() error { return e.Err }

// asCorrupt marks an error that Pebble knows to be about damaged files.
func asCorrupt(err error) error {
	if err != nil && pebble.IsCorruptionError(err) && !errors.Is(err, ErrCorrupt) {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return err
}

// corrupt makes an error about a key or value that nothing here wrote.
func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrCorrupt, fmt.Errorf(format, args...))
}
