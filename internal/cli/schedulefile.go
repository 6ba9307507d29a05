package cli

import (
	"context"

	"github.com/timewheel-dev/timewheel/client"
)

// file schedules the lines of the file that --from names.
func (c *scheduleCmd) file(ctx context.Context, a *app, defaults client.NewTask) error {
	remote, err := a.remote()
	if err != nil {
		return err
	}
	l := &loader[client.NewTask]{
		tally: newTally(a, ofTasks),
		parse: func(text []byte) (client.NewTask, string, error) {
			t, err := parseLine(text, &defaults)
			return t, t.Key, err
		},
		put: func(ctx context.Context, tasks []client.NewTask) (batchOutcome, error) {
			resp, err := remote.ScheduleBatch(ctx, tasks)
			done := batchOutcome{created: resp.Created, replaced: resp.Replaced}
			for _, r := range resp.Results {
				done.problems = append(done.problems, r.Problem)
			}
			return done, err
		},
	}
	return l.file(ctx, a, c.From)
}
