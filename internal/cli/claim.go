package cli

import (
	"context"
	"strconv"
	"time"

	"github.com/timewheel-dev/timewheel/client"
)

type claimCmd struct {
	Queue string        `required:"" placeholder:"NAME" help:"Queue."`
	Max   int           `default:"1" placeholder:"N" help:"At most so many tasks, up to 1000."`
	Lease time.Duration `placeholder:"DURATION" help:"How long the attempts may take before the tasks are given to others. Each task's own timeout, if not given."`
	Wait  time.Duration `default:"0s" placeholder:"DURATION" help:"How long to wait for the first task, up to 1m."`
}

// Help is shown below the summary.
func (claimCmd) Help() string {
	return `Prints the claimed tasks with their lease tokens. Say what became of them with timewheel leases. For more than a look, timewheel worker does all of it.`
}

// Run claims tasks.
func (c *claimCmd) Run(ctx context.Context, a *app) error {
	remote, err := a.remote()
	if err != nil {
		return err
	}
	tasks, err := remote.Claim(ctx, c.Queue, client.ClaimRequest{
		Max: c.Max, Lease: client.Duration(c.Lease), Wait: client.Duration(c.Wait),
	})
	if err != nil {
		return err
	}
	if a.JSON {
		for i := range tasks {
			if err := writeJSON(a.out, &tasks[i]); err != nil {
				return err
			}
		}
		return nil
	}
	table := newTable(a.out, "KEY", "ATTEMPT", "DUE", "LEASED UNTIL", "LEASE TOKEN")
	for _, t := range tasks {
		table.row(t.Key, strconv.FormatUint(uint64(t.Attempt), 10), instant(t.Due), instant(t.LeaseUntil), t.LeaseToken)
	}
	return table.flush()
}
