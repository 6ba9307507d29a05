package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// eachWidth is how many calls are under way at once.
const eachWidth = 64

// each does one thing to many keys and reports on each.
type each struct {
	a    *app
	done string // what has happened to a key when all went well
	do   func(ctx context.Context, key string) error

	mu     sync.Mutex
	good   int   // guarded by mu
	failed int   // guarded by mu
	fault  error // guarded by mu: of writing
}

func newEach(a *app, done string, do func(context.Context, string) error) *each {
	return &each{a: a, done: done, do: do}
}

// run takes keys from a source, which is to end with the error of yield, and
// returns when all are done. It stops at the first error that is not about one
// task alone.
func (e *each) run(ctx context.Context, source func(yield func(key string) error) error) error {
	begun := time.Now()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	keys := make(chan string)
	var workers sync.WaitGroup
	for range eachWidth {
		workers.Go(func() {
			for key := range keys {
				if err := e.one(ctx, key); err != nil {
					stop(err)
					return
				}
			}
		})
	}
	err := source(func(key string) error {
		select {
		case keys <- key:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	close(keys)
	workers.Wait()
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return e.conclude(err, time.Since(begun))
}

// keyResult is what --json says of one key.
type keyResult struct {
	Key    string `json:"key"`
	Result string `json:"result"`           // what happened, or the code of the problem
	Detail string `json:"detail,omitempty"` // of the problem
}

// one does it to one key. It returns errors that are not about this task alone.
func (e *each) one(ctx context.Context, key string) error {
	err := e.do(ctx, key)
	p, ok := taskProblem(err)
	if err != nil && !ok {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	r := keyResult{Key: key, Result: e.done}
	if err == nil {
		e.good++
	} else {
		e.failed++
		r.Result, r.Detail = string(p.Code), problemText(p)
	}
	var werr error
	switch {
	case e.a.JSON:
		werr = writeJSON(e.a.out, r)
	case err != nil && e.failed <= maxShown:
		_, werr = fmt.Fprintf(e.a.err, "%s: %s\n", visible(key), visible(r.Detail))
	case err != nil && e.failed == maxShown+1:
		_, werr = fmt.Fprintln(e.a.err, "further failures are counted only; --json shows them all")
	}
	e.fault = errors.Join(e.fault, werr)
	return nil
}

func (e *each) conclude(err error, took time.Duration) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.a.JSON {
		_, werr := fmt.Fprintf(e.a.out, "%s %s tasks in %s (%s), %s failed\n", e.done,
			thousands(e.good), took.Round(time.Millisecond), rate(e.good, took), thousands(e.failed))
		e.fault = errors.Join(e.fault, werr)
	}
	switch {
	case err != nil:
		return err
	case e.fault != nil:
		return fmt.Errorf("writing: %w", e.fault)
	case e.failed > 0:
		return errReported
	}
	return nil
}

// keysOf yields the lines of a file.
func keysOf(in io.Reader) func(func(string) error) error {
	return func(yield func(string) error) error {
		lines := newLineReader(in)
		for {
			text, number, err := lines.next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return fmt.Errorf("reading line %d: %w", number, err)
			}
			if err := yield(string(text)); err != nil {
				return err
			}
		}
	}
}
