//go:build unix

package cli

import (
	"context"
	"os"
	"os/exec"
	"syscall"
)

// shell returns a command for the shell, as the first of a process group.
func shell(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", line)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// endGroup asks a command and all that it started to end.
func endGroup(p *os.Process) { signalGroup(p, syscall.SIGTERM) }

// killGroup ends a command and all that it started.
func killGroup(p *os.Process) { signalGroup(p, syscall.SIGKILL) }

func signalGroup(p *os.Process, s syscall.Signal) {
	if err := syscall.Kill(-p.Pid, s); err != nil {
		return // the group has no processes any more
	}
}
