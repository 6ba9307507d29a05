package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

var queueRules = []rule{
	{
		name: "NeverSeen",
		why:  "a queue that was never used has its name, zero counts and settings of revision 0; looking does not make it",
		test: func(r *rig) {
			row, err := r.s.Queue(r.ctx, "q")
			r.must(err)
			r.equal("row", row, store.QueueRow{Queue: task.Queue{Name: "q"}})
			r.equal("queues", r.queueNames(10), []string{})
		},
	},
	{
		name: "SettingsComeBack",
		why:  "all settings come back as they were put",
		test: func(r *rig) {
			q := fullQueue()
			r.must(r.s.PutQueue(r.ctx, q))
			r.wantSettings(q)
			q.Revision, q.Paused, q.SigningSecrets, q.Defaults.Webhook = 2, false, nil, nil
			q.Defaults.Retention = -1
			r.must(r.s.PutQueue(r.ctx, q))
			r.wantSettings(q)
		},
	},
	{
		name: "SettingsAreNotShared",
		why:  "the store keeps no reference to the settings it was given, and gives away none",
		test: func(r *rig) {
			q := fullQueue()
			r.must(r.s.PutQueue(r.ctx, q))
			q.SigningSecrets[0], q.Defaults.Webhook.Headers["X-A"] = "changed", "changed"
			r.wantSettings(fullQueue())
			row, err := r.s.Queue(r.ctx, q.Name)
			r.must(err)
			row.SigningSecrets[0], row.Defaults.Webhook.Headers["X-A"] = "changed", "changed"
			r.wantSettings(fullQueue())
		},
	},
	{
		name: "RevisionsAreChecked",
		why:  "settings are stored only on top of those that the caller has seen",
		test: func(r *rig) {
			put := func(revision uint64) error {
				return r.s.PutQueue(r.ctx, task.Queue{Name: "q", Revision: revision})
			}
			for _, revision := range []uint64{0, 2, 1 << 63} {
				r.wantErr(put(revision), store.ErrConflict)
			}
			r.must(put(1))
			for _, revision := range []uint64{0, 1, 3} {
				r.wantErr(put(revision), store.ErrConflict)
			}
			r.must(put(2))
		},
	},
	{
		name: "OneOfManyWins",
		why:  "of those who change the same revision at the same time one succeeds and the others hear of it",
		test: func(r *rig) {
			var wins atomic.Int32
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					switch err := r.s.PutQueue(r.ctx, task.Queue{Name: "q", Revision: 1}); {
					case err == nil:
						wins.Add(1)
					case !errors.Is(err, store.ErrConflict):
						r.Error(err)
					}
				})
			}
			wg.Wait()
			r.equal("winners", wins.Load(), 1)
		},
	},
	{
		name: "TasksAndSettingsMeet",
		why:  "a queue that has tasks and settings has one row with both, whichever came first",
		test: func(r *rig) {
			q := fullQueue()
			first, second := newTask(q.Name, "k", t0), newTask("other", "k", t0)
			r.create(first, second)
			r.must(r.s.PutQueue(r.ctx, q))
			q.Name = "other"
			r.must(r.s.PutQueue(r.ctx, q))
			r.wantSettings(q)
			r.wantCounts("other", []*task.Task{second})
			r.wantCounts(fullQueue().Name, []*task.Task{first})
			r.equal("queues", r.queueNames(10), []string{"other", fullQueue().Name})
		},
	},
	{
		name: "HadTasks",
		why:  "a queue whose tasks are all gone is still named",
		test: func(r *rig) {
			t := newTask("q", "k", t0)
			r.create(t)
			r.commit(store.Write{Prev: t})
			r.equal("queues", r.queueNames(10), []string{"q"})
		},
	},
	{
		name: "OrderedByName",
		why:  "queues come ordered by name, each once, in pages of any length",
		test: func(r *rig) {
			want := []string{"A", "a", "a-", "a.", "a.b", "aa", "b", "b0", "zzz"}
			for i, name := range want {
				if i%2 == 0 {
					r.must(r.s.PutQueue(r.ctx, task.Queue{Name: name, Revision: 1}))
				}
				if i%3 != 1 || i%2 != 0 {
					r.create(many(name, 5)...)
				}
			}
			for _, page := range []int{1, 2, 100} {
				r.equal("queues", r.queueNames(page), want)
			}
			rows, err := r.s.Queues(r.ctx, "", 0)
			r.must(err)
			r.equal("rows", len(rows), 0)
		},
	},
}

func fullQueue() task.Queue {
	return task.Queue{
		Name: "queue-1", Revision: 1, Paused: true, Concurrency: 17,
		SigningSecrets: []string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_second"},
		Defaults: task.Defaults{
			Webhook: &task.Webhook{URL: "https://example.org/ünï", Headers: map[string]string{"X-A": "1", "X-B": ""}},
			Retry:   task.Retry{MaxAttempts: 1<<32 - 1, MinBackoff: time.Millisecond, MaxBackoff: time.Hour},
			Timeout: time.Minute, Retention: 24 * time.Hour,
		},
	}
}

// wantSettings fails unless one queue has exactly these settings.
func (r *rig) wantSettings(want task.Queue) {
	r.Helper()
	row, err := r.s.Queue(r.ctx, want.Name)
	r.must(err)
	r.equal("settings", showQueue(row.Queue), showQueue(want))
	rows, err := r.s.Queues(r.ctx, "", 100)
	r.must(err)
	for _, row := range rows {
		if row.Name == want.Name {
			r.equal("listed settings", showQueue(row.Queue), showQueue(want))
		}
	}
}

func showQueue(q task.Queue) string {
	hook := "none"
	if w := q.Defaults.Webhook; w != nil {
		hook = fmt.Sprintf("%q %q", w.URL, w.Headers)
	}
	q.Defaults.Webhook = nil
	return fmt.Sprintf("%+v webhook %s", q, hook)
}

// queueNames reads the names of all queues, in pages.
func (r *rig) queueNames(page int) []string {
	r.Helper()
	names := []string{}
	last := ""
	for {
		rows, err := r.s.Queues(r.ctx, last, page)
		r.must(err)
		for _, row := range rows {
			names = append(names, row.Name)
			last = row.Name
		}
		if len(rows) < page {
			return names
		}
	}
}
