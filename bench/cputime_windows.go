package main

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time that this process has used, in user and in
// kernel mode. Windows counts it in ticks of 100 ns, and adds them up at each
// interrupt of its clock, some 15 ms apart.
func cpuTime() time.Duration {
	process, err := syscall.GetCurrentProcess()
	must(err)
	var begun, ended, kernel, user syscall.Filetime
	must(syscall.GetProcessTimes(process, &begun, &ended, &kernel, &user))
	return ticks(kernel) + ticks(user)
}

func ticks(t syscall.Filetime) time.Duration {
	return 100 * time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime))
}
