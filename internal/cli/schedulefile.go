package cli

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"sync"

	"github.com/timewheel-dev/timewheel/client"
)

// lanes is how many batches are under way at once.
const lanes = 4

// loader schedules the lines of a file.
//
//	file ─▶ parse ─▶ by hash of the key ─┬─▶ lane ─▶ batches, one after the other
//	                                     └─▶ …
//
// All lines of one key go down one lane, so that the last of them wins.
type loader struct {
	remote   *client.Client
	defaults client.NewTask
	tally    *tally
	lanes    [lanes]*lane
}

// file schedules the lines of the file that --from names.
func (c *scheduleCmd) file(ctx context.Context, a *app, defaults client.NewTask) error {
	remote, err := a.remote()
	if err != nil {
		return err
	}
	in, err := openInput(c.From, a.in)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	l := &loader{remote: remote, defaults: defaults, tally: newTally(a)}
	stopProgress := a.showProgress(l.tally)
	err = l.load(ctx, in)
	stopProgress()
	return l.tally.conclude(err)
}

// load returns when all lines are scheduled, or an error stopped it.
func (l *loader) load(ctx context.Context, in io.Reader) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var group sync.WaitGroup
	for i := range l.lanes {
		l.lanes[i] = &lane{lines: make(chan line, 2*batchLines), send: l.send, stop: stop}
		group.Go(func() { l.lanes[i].run(ctx) })
	}
	err := l.read(ctx, newLineReader(in))
	for _, lane := range l.lanes {
		close(lane.lines)
	}
	group.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// read parses lines and hands them to their lanes until the end of the file.
func (l *loader) read(ctx context.Context, lines *lineReader) error {
	seed := maphash.MakeSeed()
	for {
		text, number, err := lines.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, errLongLine) {
			return fmt.Errorf("reading line %d: %w", number, err)
		}
		l.tally.read()
		var t client.NewTask
		if err == nil {
			t, err = parseLine(text, &l.defaults)
		}
		if err != nil {
			l.tally.bad(number, err.Error(), "")
			continue
		}
		at := uint64(number) // a line without a key goes anywhere
		if t.Key != "" {
			at = maphash.String(seed, t.Key)
		}
		select {
		case l.lanes[at%lanes].lines <- line{number: number, size: len(text), task: t}:
		case <-ctx.Done():
			l.tally.open(number)
			return context.Cause(ctx)
		}
	}
}

// send schedules one batch.
func (l *loader) send(ctx context.Context, batch []line) error {
	tasks := make([]client.NewTask, len(batch))
	for i := range batch {
		tasks[i] = batch[i].task
	}
	resp, err := l.remote.ScheduleBatch(ctx, tasks)
	if err == nil && len(resp.Results) != len(batch) {
		err = fmt.Errorf("the daemon answered %d tasks with %d results", len(batch), len(resp.Results))
	}
	if err != nil {
		l.tally.open(batch[0].number)
		return err
	}
	l.tally.add(resp.Created, resp.Replaced)
	for i, r := range resp.Results {
		if r.Problem != nil {
			l.tally.bad(batch[i].number, problemText(r.Problem), r.Problem.Code)
		}
	}
	return nil
}
