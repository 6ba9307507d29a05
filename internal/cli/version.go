package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/timewheel-dev/timewheel/recurrence"
)

// version is set by the linker; see the Makefile.
var version string

// Version returns what this program calls itself: what it was built as, else
// the version of its module, else "devel".
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

type versionCmd struct{}

// Run shows the version.
func (versionCmd) Run(a *app) error {
	platform := runtime.GOOS + "/" + runtime.GOARCH
	if a.JSON {
		return writeJSON(a.out, map[string]string{
			"version": Version(), "go_version": runtime.Version(), "platform": platform,
			"zone_data": recurrence.ZoneVersion(),
		})
	}
	_, err := fmt.Fprintf(a.out, "timewheel %s (%s, %s, zone data %s)\n", Version(), runtime.Version(), platform, recurrence.ZoneVersion())
	return err
}
