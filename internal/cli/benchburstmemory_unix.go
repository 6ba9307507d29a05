//go:build unix

package cli

import (
	"runtime"
	"syscall"
)

// peakMemory returns the most memory that this process has held so far, in
// bytes, or 0 if the system does not say.
func peakMemory() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	unit := 1024.0
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		unit = 1 // all others count KiB
	}
	return float64(u.Maxrss) * unit
}
