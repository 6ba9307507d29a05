//go:build windows

package cli

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// shell returns a command for the command interpreter, apart from the worker's
// console signals. The line reaches the interpreter as it is.
func shell(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd.exe")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CmdLine:       `cmd.exe /D /S /C "` + line + `"`,
		CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP,
	}
	return cmd
}

// endGroup does nothing: there is no way to ask that every process understands.
// They are killed when their time is up.
func endGroup(*os.Process) {}

// killGroup ends a command and all that it started.
func killGroup(p *os.Process) {
	kill := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid))
	if err := kill.Run(); err != nil {
		return // it has ended already
	}
}
