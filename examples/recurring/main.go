// Command recurring is the example of a shop's recurring work, in one Go program
// with a store of its own:
//
//   - coupons on the hour, in Shanghai;
//   - the statistics of the month, on its first day at half past three, and by
//     hand when somebody asks;
//   - the report of the night, at two in New York and at two in Berlin, also in
//     the nights when their clocks are changed;
//   - ten thousand pollers, each every ten minutes, spread evenly and in the same
//     phase after every restart.
//
// It sets them up, shows when they come, starts anew on the same folder to show
// that nothing has moved, and then works for a while:
//
//	go run ./examples/recurring -for 20s
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/timewheel-dev/timewheel/recurrence"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/store/pebblestore"
	"github.com/timewheel-dev/timewheel/task"
)

func main() {
	work := flag.Duration("for", 20*time.Second, "how long to work")
	folder := flag.String("data", "", "the store's folder; a temporary one if not given")
	flag.Parse()
	if err := run(*folder, *work); err != nil {
		fmt.Fprintln(os.Stderr, "recurring:", err)
		os.Exit(1)
	}
}

func run(folder string, work time.Duration) error {
	if folder == "" {
		temp, err := os.MkdirTemp("", "recurring-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(temp) }()
		folder = filepath.Join(temp, "data")
	}
	fmt.Println("at first:")
	if err := visit(folder, func(s *scheduler.Scheduler) error { return errors.Join(setUp(s), show(s)) }); err != nil {
		return err
	}
	fmt.Println("\nafter a restart:")
	return visit(folder, func(s *scheduler.Scheduler) error { return errors.Join(show(s), workFor(s, work)) })
}

// visit opens the store and its scheduler for f, as one run of the program.
func visit(folder string, f func(*scheduler.Scheduler) error) error {
	st, err := pebblestore.Open(folder, pebblestore.Options{})
	if err != nil {
		return err
	}
	s, err := scheduler.Open(context.Background(), st, scheduler.Options{})
	if err != nil {
		return errors.Join(err, st.Close())
	}
	return errors.Join(f(s), s.Close(), st.Close())
}

// shop is the recurring work but for the pollers.
var shop = []scheduler.PutScheduleRequest{
	{
		Queue: "coupons", Key: "hourly",
		Rule: recurrence.Spec{Cron: []string{"0 * * * *"}, Zone: "Asia/Shanghai"},
	},
	{
		Queue: "statistics", Key: "monthly",
		Rule: recurrence.Spec{Cron: []string{"30 3 1 * *"}, Zone: "Asia/Shanghai"},
		Plan: task.Plan{Overlap: task.OverlapSkip}, // one at a time, also by hand
	},
	{
		Queue: "reports", Key: "new-york",
		Rule: recurrence.Spec{Cron: []string{"0 2 * * *"}, Zone: "America/New_York"}, // once, on every day there is
		Plan: task.Plan{Misfire: task.Misfire{Policy: task.MisfireAll, Limit: 7}},    // a night that was missed is made up for
	},
	{
		Queue: "reports", Key: "berlin",
		Rule: recurrence.Spec{Cron: []string{"0 2 * * *"}, Zone: "Europe/Berlin"},
		Plan: task.Plan{Misfire: task.Misfire{Policy: task.MisfireAll, Limit: 7}},
	},
}

const pollers = 10_000

// setUp may be done at every start: what is there already stays in its phase.
func setUp(s *scheduler.Scheduler) error {
	all := append([]scheduler.PutScheduleRequest(nil), shop...)
	for i := range pollers {
		all = append(all, scheduler.PutScheduleRequest{
			Queue: "polls", Key: fmt.Sprintf("device-%05d", i),
			Rule: recurrence.Spec{Every: 10 * time.Minute, Spread: true},
			Plan: task.Plan{
				Misfire: task.Misfire{Policy: task.MisfireSkip},
				Overlap: task.OverlapSkip,
				Task:    task.Spec{Retention: -1}, // a poll that is over leaves no record
			},
		})
	}
	for len(all) > 0 {
		n := min(len(all), scheduler.MaxBatch)
		results, err := s.PutSchedules(context.Background(), all[:n])
		if err != nil {
			return err
		}
		for _, r := range results {
			if r.Err != nil {
				return r.Err
			}
		}
		all = all[n:]
	}
	return nil
}

// show prints when the work comes, and how evenly the pollers are spread.
func show(s *scheduler.Scheduler) error {
	ctx := context.Background()
	for _, w := range shop {
		o, err := s.Occurrences(ctx, scheduler.OccurrencesRequest{Queue: w.Queue, Key: w.Key, Coming: 3})
		if err != nil {
			return err
		}
		fmt.Printf("  %-19s", w.Queue+"/"+w.Key)
		for _, c := range o.Coming {
			fmt.Printf("  %s", c.At.Time().Format("2006-01-02 15:04 MST"))
		}
		fmt.Println()
	}
	var perMinute [10]int
	next := uint64(14695981039346656037) // of all pollers' phases
	for r := (scheduler.ListSchedulesRequest{Queue: "polls", PageSize: scheduler.MaxPageSize}); ; {
		page, err := s.ListSchedules(ctx, r)
		if err != nil {
			return err
		}
		for _, p := range page.Schedules {
			phase := p.Cursor.Time().Sub(time.Unix(0, 0)) % (10 * time.Minute)
			perMinute[phase/time.Minute]++
			next = next*1099511628211 ^ uint64(phase)
		}
		if r.PageToken = page.NextPageToken; r.PageToken == "" {
			break
		}
	}
	fmt.Printf("  polls in each of the ten minutes: %v; phases %016x\n", perMinute, next)
	return nil
}

// workFor runs what falls due, and one month's statistics by hand.
func workFor(s *scheduler.Scheduler, d time.Duration) error {
	ctx, stop := context.WithTimeout(context.Background(), d)
	defer stop()
	var polled atomic.Int64
	s.Handle("polls", func(context.Context, *task.Task) error {
		polled.Add(1)
		return nil
	}, scheduler.HandleOptions{Concurrency: 32})
	for _, queue := range []string{"coupons", "statistics", "reports"} {
		s.Handle(queue, func(_ context.Context, t *task.Task) error {
			fmt.Printf("  %s: %s\n", queue, t.Key)
			return nil
		}, scheduler.HandleOptions{})
	}
	if _, err := s.TriggerSchedule(ctx, "statistics", "monthly"); err != nil {
		return err
	}
	fmt.Printf("\nworking for %s:\n", d)
	if err := s.Run(ctx); err != nil {
		return err
	}
	fmt.Printf("  polls: %d, of %d a second\n", polled.Load(), pollers/600)
	return nil
}
