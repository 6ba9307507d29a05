package daemon

import (
	"context"
	"log/slog"
	"sync/atomic"
)

// journalRoom is how many lines can wait for a slow log.
const journalRoom = 1024

// journal writes to the log what the scheduler's writers tell of trouble. They
// must never wait for a log that is slow or stuck, so it takes the lines off
// them and, when its room is full, counts what it drops.
type journal struct {
	log     *slog.Logger
	lines   chan troubleLine
	dropped atomic.Int64
}

type troubleLine struct {
	where string
	err   error
}

func newJournal(log *slog.Logger) *journal {
	return &journal{log: log, lines: make(chan troubleLine, journalRoom)}
}

// trouble takes one line. It never waits.
func (j *journal) trouble(where string, err error) {
	select {
	case j.lines <- troubleLine{where, err}:
	default:
		j.dropped.Add(1)
	}
}

// run writes lines until ctx is done, then those that wait.
func (j *journal) run(ctx context.Context) {
	for {
		select {
		case l := <-j.lines:
			j.write(l)
		case <-ctx.Done():
			j.flush()
			return
		}
	}
}

func (j *journal) flush() {
	for {
		select {
		case l := <-j.lines:
			j.write(l)
		default:
			return
		}
	}
}

func (j *journal) write(l troubleLine) {
	j.log.Error("trouble", "where", l.where, "err", l.err)
	if n := j.dropped.Swap(0); n > 0 {
		j.log.Warn("log lines were dropped because the log is slow", "count", n)
	}
}
