//go:build unix

package cli

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time that this process has used, in user and in
// kernel mode.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic("reading this process's own processor time: " + err.Error()) // it has no way to fail
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
