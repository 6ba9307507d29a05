package pebblestore

import (
	"io"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// failFS is the file system that Pebble gets: every write goes through the
// failstop. Reads, and removals of files that are not needed any more, pass.
type failFS struct {
	vfs.FS
	stop *failstop
}

func (f failFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return f.open("create", name, func() (vfs.File, error) { return f.FS.Create(name, c) })
}

func (f failFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return f.open("open", name, func() (vfs.File, error) { return f.FS.OpenReadWrite(name, c, opts...) })
}

func (f failFS) ReuseForWrite(oldname, newname string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return f.open("reuse", newname, func() (vfs.File, error) { return f.FS.ReuseForWrite(oldname, newname, c) })
}

func (f failFS) OpenDir(name string) (vfs.File, error) {
	dir, err := f.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return failFile{dir, f.stop, name}, nil
}

func (f failFS) Rename(oldname, newname string) error {
	f.stop.write("rename", newname, func() error { return f.FS.Rename(oldname, newname) })
	return nil
}

func (f failFS) MkdirAll(dir string, perm os.FileMode) error {
	f.stop.write("mkdir", dir, func() error { return f.FS.MkdirAll(dir, perm) })
	return nil
}

// Remove passes its error on, since Pebble bears with it, but not once the
// switch is thrown.
func (f failFS) Remove(name string) (err error) {
	f.stop.write("remove", name, func() error {
		err = f.FS.Remove(name)
		return nil
	})
	return err
}

// Lock locks nothing: the store holds the lock of the whole folder.
func (f failFS) Lock(string) (io.Closer, error) { return noLock{}, nil }

// Unwrap returns the file system below.
func (f failFS) Unwrap() vfs.FS { return f.FS }

func (f failFS) open(op, name string, open func() (vfs.File, error)) (vfs.File, error) {
	var file vfs.File
	f.stop.write(op, name, func() (err error) {
		file, err = open()
		return err
	})
	return failFile{file, f.stop, name}, nil
}

type noLock struct{}

func (noLock) Close() error { return nil }

// failFile is a file whose writes go through the failstop.
type failFile struct {
	vfs.File
	stop *failstop
	name string
}

func (f failFile) Write(p []byte) (n int, err error) {
	f.stop.write("write", f.name, func() (err error) {
		n, err = f.File.Write(p)
		return err
	})
	return n, nil
}

func (f failFile) WriteAt(p []byte, off int64) (n int, err error) {
	f.stop.write("write", f.name, func() (err error) {
		n, err = f.File.WriteAt(p, off)
		return err
	})
	return n, nil
}

func (f failFile) Sync() error {
	f.stop.write("sync", f.name, f.File.Sync)
	return nil
}

func (f failFile) SyncData() error {
	f.stop.write("sync", f.name, f.File.SyncData)
	return nil
}

func (f failFile) SyncTo(length int64) (full bool, err error) {
	f.stop.write("sync", f.name, func() (err error) {
		full, err = f.File.SyncTo(length)
		return err
	})
	return full, nil
}
