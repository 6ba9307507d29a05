package cli

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time that this process has used, in user and in
// kernel mode. Windows adds it up at each interrupt of its clock, some 15 ms apart.
func cpuTime() time.Duration {
	process, err := syscall.GetCurrentProcess()
	if err != nil {
		panic("this process has no handle of itself: " + err.Error()) // it has no way to fail
	}
	var begun, ended, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(process, &begun, &ended, &kernel, &user); err != nil {
		panic("reading this process's own processor time: " + err.Error()) // nor has this
	}
	return hundredNanos(kernel) + hundredNanos(user)
}

// hundredNanos converts a count of 100 ns; Filetime.Nanoseconds takes it for an instant.
func hundredNanos(t syscall.Filetime) time.Duration {
	return 100 * time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime))
}
