package cli

import (
	"context"
	"time"
)

// Bounds on a batch.
const (
	batchLines = 1000
	batchBytes = 8 << 20
	batchWait  = 50 * time.Millisecond // for further lines, when they come slowly
)

// line is one line of a file and what it says.
type line[T any] struct {
	number int
	size   int // in bytes
	item   T
}

// lane gathers lines into batches and sends them, one batch at a time.
type lane[T any] struct {
	lines chan line[T]
	send  func(context.Context, []line[T]) error
	stop  func(error) // stops all lanes
	held  *line[T]    // the first line of the next batch, which had no room in the one before
}

// run sends all lines that come until the channel is closed. After an error
// it stops all lanes.
func (l *lane[T]) run(ctx context.Context) {
	for {
		batch := l.gather()
		if len(batch) == 0 {
			return
		}
		if err := l.send(ctx, batch); err != nil {
			l.stop(err)
			return
		}
	}
}

// gather waits for a line, then takes what comes soon. It returns none at the
// end.
func (l *lane[T]) gather() []line[T] {
	first, ok := l.first()
	if !ok {
		return nil
	}
	batch, size := []line[T]{first}, first.size
	wait := time.NewTimer(batchWait)
	defer wait.Stop()
	for len(batch) < batchLines {
		select {
		case next, ok := <-l.lines:
			if !ok {
				return batch
			}
			if size+next.size > batchBytes {
				l.held = &next
				return batch
			}
			batch, size = append(batch, next), size+next.size
		case <-wait.C:
			return batch
		}
	}
	return batch
}

func (l *lane[T]) first() (line[T], bool) {
	if l.held != nil {
		first := *l.held
		l.held = nil
		return first, true
	}
	first, ok := <-l.lines
	return first, ok
}
