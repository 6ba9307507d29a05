package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/timewheel-dev/timewheel/client"
)

type listCmd struct {
	Queue     string `required:"" placeholder:"NAME" help:"Queue."`
	State     string `enum:",scheduled,ready,leased,completed,cancelled,dead" default:"" placeholder:"STATE" help:"Only tasks in this state (scheduled, ready, leased, completed, cancelled, dead), by due instant. Without it: all, by key."`
	DueBefore string `placeholder:"INSTANT" help:"Only tasks due before this. Needs --state."`
	Limit     int    `default:"100" placeholder:"N" help:"At most so many tasks. 0: all."`
}

// Run lists tasks.
func (c *listCmd) Run(ctx context.Context, a *app) error {
	before, err := parseInstant("--due-before", c.DueBefore)
	switch {
	case err != nil:
		return err
	case c.Limit < 0:
		return &usageError{"--limit must not be negative"}
	case !before.IsZero() && c.State == "":
		return &usageError{"--due-before needs --state beside it"}
	}
	remote, err := a.remote()
	if err != nil {
		return err
	}
	l := &lister{a: a, table: a.newList(), head: []string{"KEY", "STATE", "DUE", "ATTEMPT", "LAST ERROR"}}
	o := client.ListOptions{State: client.TaskState(c.State), DueBefore: before, PageSize: maxPage}
	if c.Limit > 0 {
		o.PageSize = min(c.Limit, maxPage)
	}
	for t, err := range remote.List(ctx, c.Queue, o) {
		if err == nil && c.Limit > 0 && l.shown == c.Limit {
			return l.end(true)
		}
		if err == nil {
			err = l.show(&t, clipKey(t.Key), string(t.State), instant(t.Due), strconv.FormatUint(uint64(t.Attempt), 10), short(t.LastError, 60))
		}
		if err != nil {
			return err
		}
	}
	return l.endOf(ctx, remote, c.Queue, strings.TrimSpace(c.State+" tasks"))
}

// maxPage is the largest page that the API gives.
const maxPage = 1000

// lister shows what is listed, a table of it at a time, so that a long list is
// not held in memory.
type lister struct {
	a     *app
	table *table
	head  []string
	shown int
}

// show shows one item: as JSON, or as the cells of a row.
func (l *lister) show(item any, cells ...string) error {
	l.shown++
	if l.a.JSON {
		return writeJSON(l.a.out, item)
	}
	if l.shown == 1 {
		l.table.row(l.head...)
	}
	l.table.row(cells...)
	if l.shown%maxPage == 0 {
		return l.table.flush()
	}
	return nil
}

// end says if there are more.
func (l *lister) end(more bool) error {
	if err := l.table.flush(); err != nil || !more {
		return err
	}
	_, err := fmt.Fprintf(l.a.err, "there are more than %d: --limit 0 lists all\n", l.shown)
	return err
}

// endOf ends a list of all that a queue has, "" for all queues, and says if that
// is nothing: the queue's name may be a slip.
func (l *lister) endOf(ctx context.Context, remote *client.Client, queue, nouns string) error {
	if l.shown > 0 {
		return l.end(false)
	}
	text := "there are no " + nouns
	if queue != "" {
		_, err := remote.Queue(ctx, queue)
		switch {
		case client.IsNotFound(err):
			text = "queue " + queue + " was never used"
		case err != nil:
			return err
		default:
			text = "queue " + queue + " has no " + nouns
		}
	}
	_, err := fmt.Fprintln(l.a.err, text)
	return err
}
