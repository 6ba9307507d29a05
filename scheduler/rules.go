package scheduler

import (
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	"github.com/timewheel-dev/timewheel/recurrence"
	"github.com/timewheel-dev/timewheel/task"
)

// rules compiles the recurrences of schedules, and keeps what it has made: most of the time a
// rule is asked for again soon.
type rules struct {
	version string // of the zone data
	load    func(name string) (*time.Location, error)

	mu    sync.RWMutex
	zones map[string]*time.Location // guarded by mu
	made  map[ruleKey]timetable     // guarded by mu; at most maxRules
}

// maxRules bounds the rules that are kept; beyond it they are made anew.
const maxRules = 10_000

// ruleKey is all that a timetable depends on.
type ruleKey struct {
	queue, key string
	rule       string // its text
	anchor     task.Instant
	jitter     time.Duration
}

func newRules() *rules {
	return &rules{
		version: recurrence.ZoneVersion(), load: recurrence.LoadZone,
		zones: make(map[string]*time.Location), made: make(map[ruleKey]timetable),
	}
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
	spec   recurrence.Spec
	rule   recurrence.Rule
	jitter time.Duration
	seed   string
	zones  string        // version of the zone data that rule depends on; "" if it does on none
	every  time.Duration // between all occurrences; 0 if that differs
}

// compile makes the timetable of a schedule with its plan.
func (r *rules) compile(s *task.Schedule) (timetable, error) {
	key := ruleKey{s.Queue, s.Key, string(s.Plan.Rule), s.Anchor, s.Plan.Jitter}
	r.mu.RLock()
	t, ok := r.made[key]
	r.mu.RUnlock()
	if ok {
		return t, nil
	}
	var spec recurrence.Spec
	if err := spec.UnmarshalJSON(s.Plan.Rule); err != nil {
		return timetable{}, fmt.Errorf("the recurrence of schedule %s/%s can't be read: %w", s.Queue, s.Key, err)
	}
	t, err := r.make(s, spec)
	if err != nil {
		return timetable{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.made) >= maxRules {
		clear(r.made)
	}
	r.made[key] = t
	return t, nil
}

// make makes the timetable of a schedule whose rule is known.
func (r *rules) make(s *task.Schedule, spec recurrence.Spec) (timetable, error) {
	t := timetable{spec: spec, jitter: s.Plan.Jitter, seed: s.Queue + "/" + s.Key}
	var err error
	t.rule, err = t.spec.Compile(recurrence.Context{Key: t.seed, Anchor: s.Anchor.Time(), Zones: r.zone})
	if err != nil {
		return timetable{}, fmt.Errorf("schedule %s: %w", t.seed, err)
	}
	if len(t.spec.Cron) > 0 || len(t.spec.Exclude) > 0 {
		t.zones = r.version
	}
	if len(t.spec.Exclude) == 0 {
		t.every = t.spec.Every
	}
	return t, nil
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
