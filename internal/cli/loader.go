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

// loader sends what the lines of a file say.
//
//	file ─▶ parse ─▶ by hash of the key ─┬─▶ lane ─▶ batches, one after the other
//	                                     └─▶ …
//
// All lines of one key go down one lane, so that the last of them wins.
type loader[T any] struct {
	parse func(text []byte) (item T, key string, err error) // the key may be ""
	put   func(context.Context, []T) (batchOutcome, error)
	tally *tally
	lanes [lanes]*lane[T]
}

// batchOutcome is what became of a batch.
type batchOutcome struct {
	created, replaced int
	problems          []*client.Problem // of each item, nil for those that are good
}

// file sends the lines of a file, - for the standard input.
func (l *loader[T]) file(ctx context.Context, a *app, name string) error {
	in, err := openInput(name, l.tally.work.nouns, a.in)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	stopProgress := a.showProgress(l.tally)
	err = l.load(ctx, in)
	stopProgress()
	return l.tally.conclude(err)
}

// load returns when all lines are sent, or an error stopped it.
func (l *loader[T]) load(ctx context.Context, in io.Reader) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var group sync.WaitGroup
	for i := range l.lanes {
		l.lanes[i] = &lane[T]{lines: make(chan line[T], 2*batchLines), send: l.send, stop: stop}
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
func (l *loader[T]) read(ctx context.Context, lines *lineReader) error {
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
		var item T
		var key string
		if err == nil {
			item, key, err = l.parse(text)
		}
		if err != nil {
			l.tally.bad(number, err.Error(), "")
			continue
		}
		at := uint64(number) // a line without a key goes anywhere
		if key != "" {
			at = maphash.String(seed, key)
		}
		select {
		case l.lanes[at%lanes].lines <- line[T]{number: number, size: len(text), item: item}:
		case <-ctx.Done():
			l.tally.open(number)
			return context.Cause(ctx)
		}
	}
}

// send sends one batch.
func (l *loader[T]) send(ctx context.Context, batch []line[T]) error {
	items := make([]T, len(batch))
	for i := range batch {
		items[i] = batch[i].item
	}
	done, err := l.put(ctx, items)
	if err == nil && len(done.problems) != len(batch) {
		err = fmt.Errorf("the daemon answered %d lines with %d results", len(batch), len(done.problems))
	}
	if err != nil {
		l.tally.open(batch[0].number)
		return err
	}
	l.tally.add(done.created, done.replaced)
	for i, p := range done.problems {
		if p != nil {
			l.tally.bad(batch[i].number, problemText(p), p.Code)
		}
	}
	return nil
}
