package main

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// childVariable is the environment variable by which a process is told that it is
// to compare, and with which rival.
const childVariable = "TIMEWHEEL_CRONDIFF_RIVAL"

// patience is how much time of a processor a rival may take for one answer. Time
// on the clock would take a busy machine for a search that never ends.
const patience = time.Second

// child is a process that compares with one rival: a call that never returns
// cannot be ended otherwise.
type child struct {
	cmd *exec.Cmd
	in  *gob.Encoder
	out *gob.Decoder
	end func() error
}

func startChild(ctx context.Context, name string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), childVariable+"="+name)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &child{cmd: cmd, in: gob.NewEncoder(in), out: gob.NewDecoder(out), end: in.Close}, nil
}

// compare has the child compare one trial.
func (c *child) compare(t trial) (result comparison, err error) {
	if err := c.in.Encode(t); err != nil {
		return result, err
	}
	err = c.out.Decode(&result)
	return result, err
}

func (c *child) stop() error { return errors.Join(c.end(), c.cmd.Wait()) }

// compareHere is what a child does: it answers each trial with its comparison. A
// trial in which the rival gets stuck is the last.
func compareHere(name string, in io.Reader, out io.Writer) error {
	r, err := rivalNamed(name)
	if err != nil {
		return err
	}
	trials, results := gob.NewDecoder(in), gob.NewEncoder(out)
	var dog watchdog
	go dog.watch(results)
	for {
		var t trial
		if err := trials.Decode(&t); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		result, err := compare(r, t, dog.asked)
		if err != nil {
			return err
		}
		dog.asked(difference{})
		if err := results.Encode(result); err != nil {
			return err
		}
	}
}

// watchdog ends the process when a question is not answered in time.
type watchdog struct {
	mu       sync.Mutex
	question difference // the zero one: none is asked
	number   int
}

func (w *watchdog) asked(d difference) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.question = d
	w.number++
}

// watch writes the question that was asked for too long as a difference, and ends
// the process. It keeps the lock then, so that nothing else is written.
func (w *watchdog) watch(results *gob.Encoder) {
	seen, began := -1, time.Duration(0)
	for range time.Tick(patience / 4) {
		w.mu.Lock()
		used := cpuTime()
		if w.number != seen {
			seen, began = w.number, used
		}
		if w.question.Rival != "" && used-began > patience {
			exitOn(results.Encode(comparison{Compared: 1, Differences: []difference{w.question}}))
			os.Exit(0)
		}
		w.mu.Unlock()
	}
}

// cpuTime is how much time of a processor this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	exitOn(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "crondiff:", err)
		os.Exit(1)
	}
}
