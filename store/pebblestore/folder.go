package pebblestore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/timewheel-dev/timewheel/store"
)

// What lies in a store's folder.
const (
	lockName   = "LOCK"
	ownerName  = "OWNER"
	engineName = "pebble"
	newName    = "pebble.new" // until it is complete; never holds anything acknowledged
	tmpSuffix  = ".tmp"
)

// harmless is what a folder may hold before a store is made in it.
var harmless = []string{lockName, ownerName, ownerName + tmpSuffix, newName, "lost+found"}

// folder is a store's folder on a file system.
type folder struct {
	fs  vfs.FS
	dir string
}

func (f folder) path(name string) string { return f.fs.PathJoin(f.dir, name) }

// openFolder makes the folder if it is missing.
func openFolder(v vfs.FS, dir string) (folder, error) {
	if dir == "" {
		return folder{}, errors.New("a store needs a folder: its name is empty")
	}
	if err := makeDir(v, dir); err != nil {
		return folder{}, fmt.Errorf("data folder %s can't be made: %w", dir, err)
	}
	if v == vfs.Default { // one folder has one name, or the lock would not work within a process
		name, err := filepath.EvalSymlinks(dir)
		if err == nil {
			name, err = filepath.Abs(name)
		}
		if err != nil {
			return folder{}, fmt.Errorf("data folder %s: %w", dir, err)
		}
		dir = name
	}
	return folder{fs: v, dir: dir}, nil
}

// makeDir makes a folder, and those it lies in, durably.
func makeDir(v vfs.FS, dir string) error {
	var missing []string
	for d := dir; ; d = v.PathDir(d) {
		_, err := v.Stat(d)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || d == v.PathDir(d) {
			return err
		}
		missing = append(missing, d)
	}
	if err := v.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	for _, d := range missing {
		if err := syncDir(v, v.PathDir(d)); err != nil {
			return err
		}
	}
	return nil
}

// lock takes the folder for this process, or returns a *store.LockedError.
func (f folder) lock(now time.Time) (io.Closer, error) {
	l, err := f.fs.Lock(f.path(lockName))
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) || errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("data folder %s can't be written to: %w", f.dir, err)
	}
	if err != nil { // every other error of the lock itself means that it is taken
		return nil, &store.LockedError{Dir: f.dir, Owner: f.owner()}
	}
	if err := f.writeWhole(ownerName, ownerLine(now)); err != nil {
		return nil, errors.Join(fmt.Errorf("data folder %s can't be written to: %w", f.dir, err), l.Close())
	}
	return l, nil
}

// ownerLine describes this process.
func ownerLine(now time.Time) string {
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown host"
	}
	return fmt.Sprintf("process %d on %s since %s", os.Getpid(), host, now.UTC().Format(time.RFC3339))
}

// owner returns what is known of the process that holds the folder.
func (f folder) owner() string {
	line, err := f.read(ownerName)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(line)
}

// created reports whether a store is in the folder. If none is, it reports
// anything else that is there as an error.
func (f folder) created() (bool, error) {
	names, err := f.fs.List(f.dir)
	if err != nil {
		return false, fmt.Errorf("data folder %s can't be listed: %w", f.dir, err)
	}
	if slices.Contains(names, engineName) {
		return true, nil
	}
	slices.Sort(names)
	for _, n := range names {
		if !slices.Contains(harmless, n) {
			return false, fmt.Errorf("folder %s is not timewheel's: it holds %s; use an empty folder or one that does not exist", f.dir, n)
		}
	}
	return false, nil
}

// publish makes the new engine folder the store.
func (f folder) publish() error {
	if err := f.fs.Rename(f.path(newName), f.path(engineName)); err != nil {
		return err
	}
	return syncDir(f.fs, f.dir)
}

// read returns a small file's text.
func (f folder) read(name string) (string, error) {
	file, err := f.fs.Open(f.path(name))
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.LimitReader(file, 4096))
	return string(b), errors.Join(err, file.Close())
}

// writeWhole replaces a small file in one step, and durably.
func (f folder) writeWhole(name, line string) error {
	tmp := f.path(name + tmpSuffix)
	file, err := f.fs.Create(tmp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = file.Write([]byte(line + "\n"))
	if err == nil {
		err = file.Sync()
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err := f.fs.Rename(tmp, f.path(name)); err != nil {
		return err
	}
	return syncDir(f.fs, f.fs.PathDir(f.path(name)))
}

// remove removes a file durably.
func (f folder) remove(name string) error {
	if err := f.fs.Remove(f.path(name)); err != nil {
		return err
	}
	return syncDir(f.fs, f.fs.PathDir(f.path(name)))
}

// syncDir makes what was created, renamed or removed in a folder durable.
func syncDir(v vfs.FS, dir string) error {
	d, err := v.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
