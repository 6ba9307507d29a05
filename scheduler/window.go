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
// Every stored record whose (Next, ID) is not after loaded has an entry.
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

	wheel  *wheel.Hierarchical
	what   wheel.Slab[waiting] // by Handle.Index
	byID   map[task.ID]wheel.Handle
	loaded store.Pos
	beyond task.Instant // the earliest that may be in the store alone
}

// waiting is the record that an entry of the wheel is about.
type waiting struct {
	id  task.ID
	ref store.Ref
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
	}
}

func (w *window) len() int { return w.wheel.Len() }

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
	w.loaded, w.beyond = store.Pos{}, from
}

// load reads entries on from loaded, up to the horizon or half of max.
func (w *window) load(ctx context.Context, now task.Instant) error {
	edge := store.Pos{At: now.Add(w.horizon), ID: lastID}
	room := w.max/2 - w.wheel.Len()
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
	return w.beyond <= now.Add(w.horizon) && w.wheel.Len() <= w.max/4
}

// settle brings the window back within its bounds after a pass.
func (w *window) settle(ctx context.Context, now task.Instant) error {
	switch {
	case w.wheel.Len() > w.max:
		return w.reload(ctx, now)
	case w.wantsLoad(now):
		return w.load(ctx, now)
	}
	return nil
}

func (w *window) add(e store.Entry) {
	h := w.wheel.Add(uint64(e.At))
	w.what.Set(h.Index(), waiting{e.ID, e.Ref})
	w.byID[e.ID] = h
}

// put enters a stored record that has a Next instant, if it lies in the window.
func (w *window) put(t *task.Task) {
	if t.Next == 0 {
		return
	}
	e := store.Entry{Pos: store.Pos{At: t.Next, ID: t.ID}, Ref: store.RefOf(t)}
	if e.Compare(w.loaded) <= 0 {
		w.add(e)
	} else {
		w.beyond = min(w.beyond, e.At)
	}
}

func (w *window) remove(id task.ID) {
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
	if w.beyond != never && w.wheel.Len() <= w.max/4 {
		at = min(at, max(w.beyond.Add(-w.horizon), 1))
	}
	return at, at != never
}

// expire takes out at most limit records whose Next instant has come.
func (w *window) expire(ctx context.Context, now task.Instant, limit int) (refs []store.Ref, more bool, err error) {
	if uint64(now) < w.wheel.Now() { // the clock was set back; a wheel only goes forward
		err = w.reload(ctx, now)
	} else if w.wantsLoad(now) {
		err = w.load(ctx, now)
	}
	if err != nil {
		return nil, false, err
	}
	more = w.wheel.Advance(uint64(now), limit, func(h wheel.Handle) {
		entry := w.what.At(h.Index())
		refs = append(refs, entry.ref)
		delete(w.byID, entry.id)
		*entry = waiting{}
	})
	return refs, more || w.beyond <= now, nil
}
