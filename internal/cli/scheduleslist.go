package cli

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/timewheel-dev/timewheel/client"
)

type schedulesListCmd struct {
	Queue    string `placeholder:"NAME" help:"Queue. All queues, if not given."`
	Limit    int    `default:"100" placeholder:"N" help:"At most so many schedules. 0: all."`
	Payloads bool   `help:"With --json: the payloads of the tasks, too, so that it is a copy which schedules put --from takes."`
}

// Help is shown below the summary.
func (schedulesListCmd) Help() string {
	return `NEXT is in UTC. A copy of all schedules, and the way to store it again or elsewhere:

    timewheel schedules list --limit 0 --json --payloads > schedules.ndjson
    timewheel schedules put --from schedules.ndjson

Without --payloads the lines have no payloads, and what is stored of them has none. An interval without an anchor begins anew where its key had no schedule.`
}

// Run lists schedules.
func (c *schedulesListCmd) Run(ctx context.Context, a *app) error {
	switch {
	case c.Limit < 0:
		return &usageError{"--limit must not be negative"}
	case c.Payloads && !a.JSON:
		return &usageError{"--payloads needs --json beside it: a table has no room for them"}
	}
	remote, err := a.remote()
	if err != nil {
		return err
	}
	l := &lister{a: a, table: a.newList(), head: []string{"KEY", "STATE", "NEXT", "FIRED", "MISSED", "SKIPPED", "WHEN"}}
	if c.Queue == "" {
		l.head = slices.Insert(l.head, 0, "QUEUE")
	}
	for s, err := range c.schedules(ctx, remote) {
		if err == nil && c.Limit > 0 && l.shown == c.Limit {
			return l.end(true)
		}
		if err == nil && c.Payloads {
			if s, err = remote.GetSchedule(ctx, s.Queue, s.Key); client.IsNotFound(err) {
				continue // it was deleted just now
			}
		}
		if err == nil {
			err = c.show(l, s)
		}
		if err != nil {
			return err
		}
	}
	return l.endOf(ctx, remote, c.Queue, "schedules")
}

// schedules yields those of the queue, or of all.
func (c *schedulesListCmd) schedules(ctx context.Context, remote *client.Client) iter.Seq2[client.Schedule, error] {
	o := client.ListSchedulesOptions{PageSize: maxPage}
	if c.Limit > 0 {
		o.PageSize = min(c.Limit, maxPage)
	}
	if c.Queue != "" {
		return remote.ListSchedules(ctx, c.Queue, o)
	}
	return func(yield func(client.Schedule, error) bool) {
		for q, err := range remote.Queues(ctx) {
			if err != nil {
				yield(client.Schedule{}, err)
				return
			}
			for s, err := range remote.ListSchedules(ctx, q.Name, o) {
				if !yield(s, err) {
					return
				}
			}
		}
	}
}

func (c *schedulesListCmd) show(l *lister, s client.Schedule) error {
	cells := []string{clipKey(s.Key), string(s.State), instant(s.Next), count(s.Fired), count(s.Missed), count(s.Skipped), short(withoutClocks(s.Description), 60)}
	if c.Queue == "" {
		cells = slices.Insert(cells, 0, s.Queue)
	}
	return l.show(&s, cells...)
}

// withoutClocks leaves out of a description what happens when clocks change,
// which is the longest part and that of the fewest days.
func withoutClocks(description string) string {
	parts := slices.DeleteFunc(strings.Split(description, "; "), func(part string) bool {
		return strings.HasPrefix(part, "when clocks ") || strings.HasPrefix(part, "when they go back ")
	})
	return strings.Join(parts, "; ")
}

func count(n uint64) string { return strconv.FormatUint(n, 10) }

type schedulesNextCmd struct {
	scheduleRef `embed:""`
	N           int    `short:"n" name:"count" default:"10" placeholder:"N" help:"At most so many to come, and so many past ones, up to 1000."`
	Before      string `placeholder:"INSTANT" help:"Only past ones before this."`
}

// Run shows occurrences.
func (c *schedulesNextCmd) Run(ctx context.Context, a *app) error {
	before, err := parseInstant("--before", c.Before)
	switch {
	case err != nil:
		return err
	case c.N < 1 || c.N > maxPage:
		return &usageError{fmt.Sprintf("--count must be from 1 to %d, got %d", maxPage, c.N)}
	}
	remote, err := a.remote()
	if err != nil {
		return err
	}
	found, err := remote.Occurrences(ctx, c.Queue, c.Key, client.OccurrencesOptions{N: c.N, Before: before})
	switch {
	case err != nil:
		return c.about(err)
	case a.JSON:
		return writeJSON(a.out, found)
	}
	return showOccurrences(a, found)
}

// showOccurrences writes them in the order of time: past, waiting, to come.
func showOccurrences(a *app, found client.Occurrences) error {
	tab := newTable(a.out, "OCCURRENCE", "DUE", "STATE", "ATTEMPT", "OUTCOME")
	for _, t := range slices.Backward(found.Past) {
		tab.row(instant(t.Occurrence), instant(t.Due), string(t.State), strconv.FormatUint(uint64(t.Attempt), 10), short(outcome(t), 60))
	}
	for _, at := range found.Queued {
		tab.row(instant(at), "-", "waits for the one before", "", "")
	}
	for _, c := range found.Coming {
		tab.row(instant(c.At), instant(c.Due), "to come", "", "")
	}
	return tab.flush()
}

// outcome is the last that an occurrence said: its error, else the last line of
// its output.
func outcome(t client.Task) string {
	if t.LastError != "" && t.State != client.Completed {
		return t.LastError
	}
	lines := outputLines(t.Output)
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1]
}
