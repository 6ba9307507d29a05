package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// machine says where a result is from.
type machine struct {
	CPUs   int    `json:"cpus"`
	CPU    string `json:"cpu,omitempty"` // its name, where the system tells it
	System string `json:"system"`
	Go     string `json:"go"`
	Date   string `json:"date"` // of the measurement, in UTC
}

func thisMachine() machine {
	return machine{
		CPUs:   runtime.NumCPU(),
		CPU:    cpuName(),
		System: runtime.GOOS + "/" + runtime.GOARCH,
		Go:     runtime.Version(),
		Date:   time.Now().UTC().Format(time.DateOnly),
	}
}

func (m machine) String() string {
	cpu := ""
	if m.CPU != "" {
		cpu = " (" + m.CPU + ")"
	}
	return fmt.Sprintf("%d processors%s, %s, %s, %s", m.CPUs, cpu, m.System, m.Go, m.Date)
}

// cpuName returns the processor's name as Linux tells it, and nothing elsewhere:
// it is a hint to the reader of the table, no figure hangs on it.
func cpuName() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(info)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
