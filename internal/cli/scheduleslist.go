package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/timewheel-dev/timewheel/client"
)

type schedulesListCmd struct {
	Queue string `required:"" placeholder:"NAME" help:"Queue."`
	Limit int    `default:"100" placeholder:"N" help:"At most so many schedules. 0: all."`
}

// Run lists schedules.
func (c *schedulesListCmd) Run(ctx context.Context, a *app) error {
	if c.Limit < 0 {
		return &usageError{"--limit must not be negative"}
	}
	remote, err := a.remote()
	if err != nil {
		return err
	}
	l := &lister{a: a, table: newTable(a.out), head: []string{"KEY", "STATE", "NEXT", "FIRED", "MISSED", "SKIPPED", "WHEN"}}
	o := client.ListSchedulesOptions{PageSize: maxPage}
	if c.Limit > 0 {
		o.PageSize = min(c.Limit, maxPage)
	}
	for s, err := range remote.ListSchedules(ctx, c.Queue, o) {
		if err == nil && c.Limit > 0 && l.shown == c.Limit {
			return l.end(true)
		}
		if err == nil {
			err = l.show(&s, s.Key, string(s.State), instant(s.Next), count(s.Fired), count(s.Missed), count(s.Skipped), short(s.Description, 80))
		}
		if err != nil {
			return err
		}
	}
	return l.end(false)
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
