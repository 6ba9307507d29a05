package storetest

import (
	"context"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

var closedRules = []rule{
	{
		name: "EveryCallAfterClose",
		why:  "a closed store answers every call with ErrClosed",
		test: func(r *rig) {
			r.create(newTask("q", "k", t0))
			r.close()
			for name, err := range callAll(r.ctx, r.s) {
				if err == nil {
					r.Errorf("%s: no error", name)
					continue
				}
				r.wantErr(err, store.ErrClosed)
			}
			r.wantErr(r.s.Close(), store.ErrClosed)
		},
	},
	{
		name: "CloseWaitsForCommits",
		why:  "a commit that is under way when the store is closed ends as one that was applied or as one that was not",
		test: func(r *rig) {
			t := newTask("q", "k", t0)
			r.create(t)
			began, ended := make(chan struct{}), make(chan error)
			go func() {
				close(began)
				for prev := t; ; {
					next := moved(prev, task.Scheduled)
					b := store.Batch{Shard: r.shardOf(t), Epoch: r.grants[r.shardOf(t)].Epoch, Writes: []store.Write{{Prev: prev, Task: next}}}
					if err := r.s.Commit(r.ctx, b); err != nil {
						ended <- err
						return
					}
					prev = next
				}
			}()
			<-began
			r.close()
			r.wantErr(<-ended, store.ErrClosed)
		},
	},
	{
		name: "ADoneContext",
		why:  "a call whose context is done reports that",
		test: func(r *rig) {
			ctx, cancel := context.WithCancel(r.ctx)
			cancel()
			for name, err := range callAll(ctx, r.s) {
				if err == nil {
					r.Errorf("%s: no error", name)
					continue
				}
				r.wantErr(err, context.Canceled)
			}
		},
	},
}

// callAll calls every method that can fail and returns the errors.
func callAll(ctx context.Context, s store.Store) map[string]error {
	errs := make(map[string]error)
	_, errs["Acquire"] = s.Acquire(ctx, node, []int{0})
	_, errs["Renew"] = s.Renew(ctx, node, nil)
	errs["Release"] = s.Release(ctx, node, nil)
	errs["Commit"] = s.Commit(ctx, store.Batch{Epoch: 1})
	_, errs["Get"] = s.Get(ctx, 0, []store.Ref{{Queue: "q", Key: "k"}}, true)
	_, errs["Due"] = s.Due(ctx, 0, store.Pos{}, 1)
	_, errs["Lanes"] = s.Lanes(ctx, 0, task.Lane{}, 1)
	_, errs["Ready"] = s.Ready(ctx, 0, task.Lane{Queue: "q"}, store.Pos{}, 1)
	_, errs["List"] = s.List(ctx, 0, store.ListQuery{Queue: "q", Limit: 1})
	_, errs["GetSchedules"] = s.GetSchedules(ctx, 0, []store.Ref{{Queue: "q", Key: "k"}})
	_, errs["ListSchedules"] = s.ListSchedules(ctx, 0, store.ScheduleQuery{Limit: 1})
	_, errs["Queues"] = s.Queues(ctx, "", 1)
	_, errs["Queue"] = s.Queue(ctx, "q")
	errs["PutQueue"] = s.PutQueue(ctx, task.Queue{Name: "q", Revision: 1})
	return errs
}
