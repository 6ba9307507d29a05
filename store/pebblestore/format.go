package pebblestore

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/timewheel-dev/timewheel/store"
)

// formatVersion is the version of everything that this package writes. It only
// goes up; docs/internals/formats.md says what each version is.
const formatVersion = 2

// formatName is the file, beside Pebble's, that holds the version. It is read
// before Pebble touches anything.
const formatName = "FORMAT"

// upgradingName is the file beside it that says, in the same words, which format
// an upgrade began with. It is there until the upgrade is over.
const upgradingName = "UPGRADING"

const formatLine = "timewheel store, format %d"

// checkFormat returns the store's format, of a store whose upgrade was cut off
// the one that it began with, and an error if this program can't read it.
func (f folder) checkFormat() (int, error) {
	found, err := f.readFormat(formatName)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, corrupt("%s has no file %s", f.path(engineName), formatName)
	}
	if err != nil {
		return 0, err
	}
	if found > formatVersion {
		return 0, &store.FormatError{Dir: f.dir, Found: found, Known: formatVersion}
	}
	from, err := f.readFormat(upgradingName)
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err == nil && from > found {
		err = corrupt("file %s says format %d, and file %s format %d; the former can't be the newer one", upgradingName, from, formatName, found)
	}
	return from, err
}

// readFormat returns what a file of the store says.
func (f folder) readFormat(name string) (format int, err error) {
	text, err := f.read(f.fs.PathJoin(engineName, name))
	if err != nil {
		return 0, err
	}
	if _, err := fmt.Sscanf(text, formatLine, &format); err != nil || text != fmt.Sprintf(formatLine, format)+"\n" || format < 1 {
		return 0, corrupt("file %s says %q", name, text)
	}
	return format, nil
}

// writeFormat writes a format into a file beside Pebble's files in a folder, in
// one step, and durably.
func (f folder) writeFormat(engine, name string, format int) error {
	return f.writeWhole(f.fs.PathJoin(engine, name), fmt.Sprintf(formatLine, format))
}

// beginUpgrade has older programs refuse the store from here on, and this one
// upgrade it until endUpgrade, whatever comes between.
func (f folder) beginUpgrade(from int) error {
	if err := f.writeFormat(engineName, upgradingName, from); err != nil {
		return err
	}
	return f.writeFormat(engineName, formatName, formatVersion)
}

func (f folder) endUpgrade() error {
	return f.remove(f.fs.PathJoin(engineName, upgradingName))
}
