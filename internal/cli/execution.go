package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"
)

// execution runs one command for one attempt.
type execution struct {
	line     string // for the shell
	env      []string
	stdin    []byte
	out, err io.Writer
	grace    time.Duration // between asking the processes to end and killing them
}

// ending is how an execution ended.
type ending struct {
	code   int    // exit code; −1 if there is none
	tail   string // the last of what the command wrote to its standard error
	output string // the last of what it wrote to its standard output and error
	fault  error  // why there is no exit code: it could not be started, or was killed
}

const (
	tailLen   = 900     // so that an error has room for a few words beside the tail
	outputLen = 4 << 10 // what a daemon keeps
)

// run runs the command until it ends by itself or ctx is done, when it and all
// processes that it started are ended. It returns when they are.
func (e execution) run(ctx context.Context) ending {
	var killing sync.WaitGroup
	var kill *time.Timer
	output := &tailWriter{next: io.Discard, limit: outputLen}
	both := &sharedWriter{next: output}
	tail := &tailWriter{next: io.MultiWriter(both, e.err), limit: tailLen}
	cmd := shell(ctx, e.line)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = e.env, bytes.NewReader(e.stdin), io.MultiWriter(both, e.out), tail
	cmd.Cancel = func() error {
		killing.Add(1)
		kill = time.AfterFunc(e.grace, func() {
			defer killing.Done()
			killGroup(cmd.Process)
		})
		endGroup(cmd.Process)
		return nil
	}
	// Processes that outlive the command may hold its streams open. They are
	// not waited for longer than this.
	cmd.WaitDelay = e.grace + 250*time.Millisecond
	err := cmd.Run()
	if kill != nil {
		if kill.Stop() {
			killing.Done()
			killGroup(cmd.Process) // what did not end with the command ends now
		}
		killing.Wait()
	}
	code, fault := e.ended(ctx, cmd, err)
	return ending{code: code, tail: tail.String(), output: output.String(), fault: fault}
}

func (e execution) ended(ctx context.Context, cmd *exec.Cmd, err error) (code int, fault error) {
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return -1, context.Cause(ctx)
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return cmd.ProcessState.ExitCode(), nil
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return exit.ExitCode(), nil
	}
	return -1, fmt.Errorf("running the command: %w", err)
}

// tailWriter passes on what is written and keeps the last of it.
type tailWriter struct {
	next  io.Writer
	limit int
	kept  []byte
}

// Write implements io.Writer.
func (t *tailWriter) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - t.limit; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return t.next.Write(p)
}

// String returns the last bytes as text without space at its ends.
func (t *tailWriter) String() string {
	return string(bytes.TrimSpace(bytes.ToValidUTF8(t.kept, nil)))
}

// sharedWriter lets commands that run at once write to one stream.
type sharedWriter struct {
	mu   sync.Mutex
	next io.Writer // guarded by mu
}

// Write implements io.Writer.
func (s *sharedWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next.Write(p)
}
