package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// prepareFolder makes the data folder, and tries whether files can be made in
// it, so that the message is clear before a store meets the fault.
func prepareFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return folderError(dir, err)
	}
	f, err := os.CreateTemp(dir, ".writable-*")
	if err != nil {
		return folderError(dir, err)
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return folderError(dir, err)
	}
	return nil
}

func folderError(dir string, err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err // the folder is named already
	}
	return fmt.Errorf("data folder %s can't be written: %w: make it writable for this user, or choose another with --data", dir, err)
}
