package pebblestore

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/timewheel-dev/timewheel/store"
)

// formatVersion is the version of everything that this package writes. It only
// goes up; docs/internals/formats.md says what each version is.
const formatVersion = 1

// formatName is the file, beside Pebble's, that holds the version. It is read
// before Pebble touches anything.
const formatName = "FORMAT"

const formatLine = "timewheel store, format %d"

// checkFormat reports whether this program can read the store.
func (f folder) checkFormat() error {
	text, err := f.read(f.fs.PathJoin(engineName, formatName))
	if errors.Is(err, fs.ErrNotExist) {
		return corrupt("%s has no file %s", f.path(engineName), formatName)
	}
	if err != nil {
		return err
	}
	var found int
	if _, err := fmt.Sscanf(text, formatLine, &found); err != nil || text != fmt.Sprintf(formatLine, found)+"\n" || found < 1 {
		return corrupt("file %s says %q", formatName, text)
	}
	if found > formatVersion {
		return &store.FormatError{Dir: f.dir, Found: found, Known: formatVersion}
	}
	return nil
}
