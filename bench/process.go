package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// planVariable is the environment variable by which a process is told that it
// is to measure, and what: the plan as JSON.
const planVariable = "TIMEWHEEL_BENCH_PLAN"

// processLimit bounds one measuring process. The slowest rival needs under two
// minutes for its longest workload; one that hangs must not hang the run.
const processLimit = 10 * time.Minute

// measureApart measures in a fresh process.
func measureApart(ctx context.Context, p plan) (figures, error) {
	ctx, cancel := context.WithTimeout(ctx, processLimit)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	told, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	var out, complaints bytes.Buffer
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), planVariable+"="+string(told))
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s of %s: %w: %s", p.Workload, p.Rival, errors.Join(err, ctx.Err()), firstOf(complaints.Bytes()))
	}
	var f figures
	if err := json.Unmarshal(out.Bytes(), &f); err != nil {
		return nil, fmt.Errorf("%s of %s wrote no figures: %w", p.Workload, p.Rival, err)
	}
	return f, nil
}

// firstOf returns the beginning of what a process complained of: a crash of
// a hundred thousand goroutines is long.
func firstOf(complaints []byte) []byte {
	return complaints[:min(len(complaints), 2000)]
}

// measureHere is what a measuring process does.
func measureHere(told string, out io.Writer) error {
	var p plan
	if err := json.Unmarshal([]byte(told), &p); err != nil {
		return fmt.Errorf("%s holds no plan: %w", planVariable, err)
	}
	if n := runtime.NumGoroutine(); n > 1 {
		return fmt.Errorf("%d goroutines run before anything was begun: a rival's package starts them, and they would disturb all", n)
	}
	chosen, err := rivalsNamed(p.Rival)
	if err != nil {
		return err
	}
	measure, ok := chosen[0].measure[p.Workload]
	if !ok {
		return fmt.Errorf("there is no workload %q", p.Workload)
	}
	return json.NewEncoder(out).Encode(measure(p))
}
