package scheduler

import (
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	"github.com/timewheel-dev/timewheel/recurrence"
	"github.com/timewheel-dev/timewheel/task"
)

// rules compiles the recurrences of schedules. It keeps the zones that it has
// read: there are some hundred, and reading one takes longer than all the rest.
type rules struct {
	version string // of the zone data
	load    func(name string) (*time.Location, error)

	mu    sync.RWMutex
	zones map[string]*time.Location // guarded by mu
}

func newRules() *rules {
	return &rules{version: recurrence.ZoneVersion(), load: recurrence.LoadZone, zones: make(map[string]*time.Location)}
}

func (r *rules) zone(name string) (*time.Location, error) {
	r.mu.RLock()
	loc := r.zones[name]
	r.mu.RUnlock()
	if loc != nil {
		return loc, nil
	}
	loc, err := r.load(name)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.zones[name] = loc
	return loc, nil
}

// timetable is when a schedule's occurrences are due.
type timetable struct {
	rule   recurrence.Rule
	jitter time.Duration
	seed   string
	zones  string // version of the zone data that rule depends on; "" if it does on none
}

// compile makes the timetable of a schedule that was read with its plan.
func (r *rules) compile(s *task.Schedule) (timetable, error) {
	spec, err := specOf(s.Plan)
	if err != nil {
		return timetable{}, err
	}
	return r.timetable(s, spec)
}

func (r *rules) timetable(s *task.Schedule, spec recurrence.Spec) (timetable, error) {
	seed := s.Queue + "/" + s.Key
	rule, err := spec.Compile(recurrence.Context{Key: seed, Anchor: s.Anchor.Time(), Zones: r.zone})
	if err != nil {
		return timetable{}, fmt.Errorf("schedule %s: %w", seed, err)
	}
	t := timetable{rule: rule, jitter: s.Plan.Jitter, seed: seed}
	if len(spec.Cron) > 0 || len(spec.Exclude) > 0 {
		t.zones = r.version
	}
	return t, nil
}

func specOf(p *task.Plan) (recurrence.Spec, error) {
	var spec recurrence.Spec
	if err := spec.UnmarshalJSON(p.Rule); err != nil {
		return spec, fmt.Errorf("the stored recurrence can't be read: %w", err)
	}
	return spec, nil
}

// next returns the first occurrence after an instant, 0 if there is none that an
// Instant can be due at.
func (t timetable) next(after task.Instant) task.Instant {
	return instantOf(t.rule.Next(time.UnixMicro(int64(after))))
}

// previous returns the last occurrence before an instant, 0 if there is none.
func (t timetable) previous(before task.Instant) task.Instant {
	return instantOf(t.rule.Previous(time.UnixMicro(int64(before))))
}

// instantOf rounds an occurrence up, so that none is early.
func instantOf(at time.Time) task.Instant {
	i := task.CeilInstant(at)
	if at.IsZero() || i <= 0 || i > task.MaxInstant {
		return 0
	}
	return i
}

// ahead returns the first occurrence that is due after an instant, 0 if there
// is none.
func (t timetable) ahead(after task.Instant) task.Instant {
	if at := t.previous(after + 1); t.due(at) > after {
		return at
	}
	return t.next(after)
}

// due returns when an occurrence is due: later than the recurrence says by a
// jitter that is always the same for this occurrence of this schedule, and less
// than the time until the next one, so that occurrences stay in their order.
func (t timetable) due(at task.Instant) task.Instant {
	span := t.jitter
	if span == 0 || at == 0 {
		return at
	}
	if next := t.next(at); next != 0 {
		span = min(span, next.Sub(at))
	}
	us := uint64(span / time.Microsecond)
	if us == 0 {
		return at
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%s@%d", t.seed, at) // a hash takes all
	return min(at+task.Instant(mix(h.Sum64())%us), task.MaxInstant)
}

// mix spreads what differs in the last bytes alone over all bits (the finalizer
// of MurmurHash3).
func mix(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
