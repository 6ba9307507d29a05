package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/timewheel-dev/timewheel/client"
)

// The queues of a burst, and who works on them.
const (
	burstQueue   = "burst"
	burstLoops   = 4
	burstClaim   = 500
	burstPutters = 4 // batches of schedules under way at once

	otherQueue = "other"
	otherLoops = 2
	otherClaim = 100
)

// burstLead is what a burst is put off by, beside latenessLead, for the tasks of
// the other queue and for the second that it is rounded down to.
const burstLead = 2 * time.Second

// burstRun is one burst, on one daemon.
type burstRun struct {
	*benchBurstCmd

	tell   func(string)
	remote *client.Client
	at     time.Time // the second of the burst

	mu   sync.Mutex
	seen burstSeen // guarded by mu while the workers run
}

// errBurstOver ends the workers.
var errBurstOver = errors.New("the burst is over")

// prepare puts the schedules and the other queue's tasks.
func (r *burstRun) prepare(ctx context.Context) error {
	r.tell("putting the schedules")
	begun := time.Now()
	r.at = begun.Add(burstLead + latenessLead(r.Schedules) + r.Quiet).Truncate(time.Second)
	if err := r.putSchedules(ctx); err != nil {
		return fmt.Errorf("putting the schedules: %w", err)
	}
	r.seen.put = time.Since(begun)
	if err := r.scheduleOthers(ctx); err != nil {
		return fmt.Errorf("scheduling the tasks of the other queue: %w", err)
	}
	if time.Until(r.at) < r.Quiet {
		return fmt.Errorf("this machine took %s to put the schedules, which is too long: try fewer with --schedules", time.Since(begun).Round(time.Millisecond))
	}
	return nil
}

// putSchedules puts all schedules, in batches.
func (r *burstRun) putSchedules(ctx context.Context) error {
	return inParallel(ctx, burstPutters, func(ctx context.Context, putter int) error {
		for first := putter * batchLines; first < r.Schedules; first += burstPutters * batchLines {
			batch := make([]client.NewSchedule, 0, batchLines)
			for i := first; i < min(first+batchLines, r.Schedules); i++ {
				batch = append(batch, client.NewSchedule{
					Queue: burstQueue, Key: strconv.Itoa(i), Every: client.Duration(24 * time.Hour), Anchor: r.at, Times: 1,
					Jitter: client.Duration(r.seen.jitter),
				})
			}
			answer, err := r.remote.PutSchedules(ctx, batch)
			if err == nil && answer.Failed > 0 {
				err = fmt.Errorf("%d of %d were refused", answer.Failed, len(batch))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// scheduleOthers schedules the tasks of the other queue, for as long as the burst
// may take: what is due after it does not count.
func (r *burstRun) scheduleOthers(ctx context.Context) error {
	all := make([]client.NewTask, r.seen.others)
	for i := range all {
		all[i] = client.NewTask{Queue: otherQueue, Key: strconv.Itoa(i), Due: r.at.Add(r.seen.otherDue(i))}
	}
	for batch := range slices.Chunk(all, batchLines) {
		answer, err := r.remote.ScheduleBatch(ctx, batch)
		if err == nil && answer.Failed > 0 {
			err = fmt.Errorf("%d of %d were refused", answer.Failed, len(batch))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// work claims and completes the tasks of both queues until the burst is over, or
// its time is up.
func (r *burstRun) work(ctx context.Context) error {
	ctx, cancel := context.WithDeadline(ctx, r.at.Add(r.seen.atMost()))
	defer cancel()
	err := inParallel(ctx, burstLoops+otherLoops, func(ctx context.Context, worker int) error {
		if worker < burstLoops {
			return r.loop(ctx, burstQueue, burstClaim, &r.seen.burst)
		}
		return r.loop(ctx, otherQueue, otherClaim, &r.seen.other)
	})
	if errors.Is(err, errBurstOver) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// loop claims and completes tasks of one queue.
func (r *burstRun) loop(ctx context.Context, queue string, most int, into *sightings) error {
	for {
		tasks, err := r.remote.Claim(ctx, queue, client.ClaimRequest{Max: most, Wait: client.Duration(claimWait)})
		if err != nil {
			return err
		}
		if len(tasks) == 0 {
			continue
		}
		over := r.note(tasks, into)
		leases := make([]client.Complete, len(tasks))
		for i := range tasks {
			leases[i].LeaseToken = tasks[i].LeaseToken
		}
		if _, err := r.remote.CompleteBatch(ctx, leases); err != nil {
			return err
		}
		if over {
			return errBurstOver
		}
	}
}

// note takes claimed tasks down. It reports whether that was the last of it.
func (r *burstRun) note(tasks []client.ClaimedTask, into *sightings) (over bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range tasks {
		t := &tasks[i]
		into.add(t.Key, sighting{due: t.Due.Sub(r.at), fired: t.FiredAt.Sub(r.at)})
	}
	return r.seen.complete()
}

// inParallel calls f n times at once, with 0 to n−1. The first error ends the
// context of all, and is returned, as is why ctx ended, if it did.
func inParallel(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			if err := f(ctx, i); err != nil {
				stop(err)
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}
