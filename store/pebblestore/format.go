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

const formatLine = "timewheel store, format %d"

// checkFormat returns the store's format, an error if this program can't read it.
func (f folder) checkFormat() (found int, err error) {
	text, err := f.read(f.fs.PathJoin(engineName, formatName))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, corrupt("%s has no file %s", f.path(engineName), formatName)
	}
	if err != nil {
		return 0, err
	}
	if _, err := fmt.Sscanf(text, formatLine, &found); err != nil || text != fmt.Sprintf(formatLine, found)+"\n" || found < 1 {
		return 0, corrupt("file %s says %q", formatName, text)
	}
	if found > formatVersion {
		return 0, &store.FormatError{Dir: f.dir, Found: found, Known: formatVersion}
	}
	return found, nil
}

// writeFormat writes this program's version beside Pebble's files in a folder,
// in one step, and durably.
func (f folder) writeFormat(engine string) error {
	return f.writeWhole(f.fs.PathJoin(engine, formatName), fmt.Sprintf(formatLine, formatVersion))
}
