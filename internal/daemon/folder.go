package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/timewheel-dev/timewheel/store/pebblestore"
)

// openStore opens the store, in a folder for this user alone if it is made now.
func (d *daemon) openStore() (*pebblestore.Store, error) {
	if err := os.MkdirAll(d.c.Data, 0o700); err != nil {
		return nil, folderError(d.c.Data, err)
	}
	s, err := pebblestore.Open(d.c.Data, pebblestore.Options{
		Shards: d.c.Shards, Logger: d.c.Log.With("part", "store"), OnCommit: d.committed,
	})
	if errors.Is(err, fs.ErrPermission) {
		return nil, folderError(d.c.Data, err)
	}
	return s, err
}

func folderError(dir string, err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err // the folder is named already
	}
	return fmt.Errorf("data folder %s can't be written: %w: make it writable for this user, or choose another with --data", dir, err)
}
