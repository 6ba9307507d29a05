package scheduler

import (
	"context"
	"math"
	"time"

	"github.com/timewheel-dev/timewheel/internal/wheel"
	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// window is the near future of one shard, in a timing wheel whose tick is a
// microsecond, the unit of Instant:
//
//	 now            loaded                beyond
//	──┼───────────────┼─────────────────────┼──────────▶ Next
//	  │   all here    │ in the store alone; the first at beyond or later
//
// Every stored record whose (Next, ID) is not after loaded has an entry, in the
// wheel or, when its instant has come and no pass has taken it yet, in tasks or
// schedules.
// When beyond comes within the horizon, and there is room, more is loaded; when there are
// more than max entries, the farther half is dropped again. So memory is
// bounded by max, whatever the number of pending tasks.
//
// It belongs to its shard's writer.
type window struct {
	store   store.Store
	shard   int
	max     int
	horizon time.Duration

	wheel *wheel.Hierarchical
	what  wheel.Slab[waiting] // by Handle.Index
	byID  map[task.ID]wheel.Handle

	tasks, schedules *expired // out of the wheel
	blocked          bool     // schedules wait for a permit, whose coming wakes the shard

	loaded store.Pos
	beyond task.Instant // the earliest that may be in the store alone
}

// waiting is the record that an entry of the wheel is about.
type waiting struct {
	id       task.ID
	ref      store.Ref
	schedule bool // it is a schedule, not a task
}

const never = task.Instant(math.MaxInt64)

// lastID is not before any id.
var lastID = task.ID{
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
}

func newWindow(st store.Store, shard, most int, horizon time.Duration) *window {
	return &window{
		store: st, shard: shard, max: most, horizon: horizon,
		wheel: wheel.NewHierarchical(wheel.Geometry{}, 0), byID: make(map[task.ID]wheel.Handle),
		tasks: newExpired(), schedules: newExpired(),
	}
}

func (w *window) len() int { return w.wheel.Len() + w.tasks.len() + w.schedules.len() }

// reload drops all and reads the nearest entries from the store.
func (w *window) reload(ctx context.Context, now task.Instant) error {
	w.lose(now)
	return w.load(ctx, now)
}

// lose drops all; from is when to read the store again.
func (w *window) lose(from task.Instant) {
	w.wheel.Clear(uint64(from))
	w.what = wheel.Slab[waiting]{}
	clear(w.byID)
	w.tasks, w.schedules, w.blocked = newExpired(), newExpired(), false
	w.loaded, w.beyond = store.Pos{}, from
}

// load reads entries on from loaded, up to the horizon or half of max.
func (w *window) load(ctx context.Context, now task.Instant) error {
	edge := store.Pos{At: now.Add(w.horizon), ID: lastID}
	room := w.max/2 - w.len()
	page, err := w.store.Due(ctx, w.shard, w.loaded, room+1)
	if err != nil {
		return err
	}
	for i, e := range page {
		if i == room || e.Compare(edge) > 0 {
			w.beyond = e.At
			if e.Compare(edge) > 0 && edge.Compare(w.loaded) > 0 {
				w.loaded = edge
			}
			return nil
		}
		w.add(e)
		w.loaded = e.Pos
	}
	w.beyond = never
	if edge.Compare(w.loaded) > 0 {
		w.loaded = edge
	}
	return nil
}

// wantsLoad reports whether entries within the horizon are not loaded though
// there is room.
func (w *window) wantsLoad(now task.Instant) bool {
	return w.beyond <= now.Add(w.horizon) && w.hasRoom()
}

// hasRoom reports whether a load is worth its while.
func (w *window) hasRoom() bool { return w.len() <= w.max/4 }

// settle brings the window back within its bounds after a pass.
func (w *window) settle(ctx context.Context, now task.Instant) error {
	switch {
	case w.len() > w.max:
		return w.reload(ctx, now)
	case w.wantsLoad(now):
		return w.load(ctx, now)
	}
	return nil
}

func (w *window) add(e store.Entry) {
	h := w.wheel.Add(uint64(e.At))
	w.what.Set(h.Index(), waiting{e.ID, e.Ref, e.Schedule})
	w.byID[e.ID] = h
}

// put enters a stored record that has a Next instant, if it lies in the window.
func (w *window) put(e store.Entry) {
	switch {
	case e.At == 0:
	case e.Compare(w.loaded) <= 0:
		w.add(e)
	default:
		w.beyond = min(w.beyond, e.At)
	}
}

// putBack returns schedules that were taken out and that the pass had no room for.
func (w *window) putBack(due []waiting) {
	for _, d := range due {
		w.schedules.add(d)
	}
}

// taskEntry is a task's place in the index by Next.
func taskEntry(t *task.Task) store.Entry {
	return store.Entry{Pos: store.Pos{At: t.Next, ID: t.ID}, Ref: store.RefOf(t)}
}

// scheduleEntry is a schedule's place there.
func scheduleEntry(s *task.Schedule) store.Entry {
	return store.Entry{Pos: store.Pos{At: s.Next, ID: s.ID}, Ref: store.ScheduleRef(s), Schedule: true}
}

func (w *window) remove(id task.ID) {
	w.tasks.remove(id)
	w.schedules.remove(id)
	h, ok := w.byID[id]
	if !ok {
		return
	}
	delete(w.byID, id)
	w.what.Set(h.Index(), waiting{})
	w.wheel.Cancel(h)
}

// next returns when there is something to do: an expiry, or entries to load.
func (w *window) next() (task.Instant, bool) {
	at := never
	if tick, ok := w.wheel.Next(); ok {
		at = task.Instant(min(tick, math.MaxInt64))
	}
	if w.takable() {
		at = 1
	}
	if w.beyond != never && w.hasRoom() {
		at = min(at, max(w.beyond.Add(-w.horizon), 1))
	}
	return at, at != never
}

// takable reports whether something is out of the wheel that a pass can take.
func (w *window) takable() bool {
	return w.tasks.len() > 0 || w.schedules.len() > 0 && !w.blocked
}

// expire takes what has come out of the wheel, and returns at most limit tasks, in
// turn of each queue.
func (w *window) expire(ctx context.Context, now task.Instant, limit int) (due []waiting, more bool, err error) {
	if uint64(now) < w.wheel.Now() { // the clock was set back; a wheel only goes forward
		err = w.reload(ctx, now)
	} else if w.wantsLoad(now) {
		err = w.load(ctx, now)
	}
	if err != nil {
		return nil, false, err
	}
	w.wheel.Advance(uint64(now), math.MaxInt, func(h wheel.Handle) {
		entry := w.what.At(h.Index())
		if entry.schedule {
			w.schedules.add(*entry)
		} else {
			w.tasks.add(*entry)
		}
		delete(w.byID, entry.id)
		*entry = waiting{}
	})
	due = w.tasks.take(limit)
	return due, w.tasks.len() > 0 || w.beyond <= now, nil
}
