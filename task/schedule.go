package task

import "time"

// Schedule is a recurrence and the task that each of its occurrences becomes.
//
// Like a Task it has a head (the fields here, rewritten whenever it moves on)
// and a Plan, what somebody asked for, which changes only when they ask for
// something else. A Schedule that was read without its plan has a nil Plan; a
// store keeps the stored one when it is given such a Schedule.
type Schedule struct {
	ID       ID
	Queue    string
	Key      string // unique among the queue's schedules
	Revision uint64 // 1 at first, one more with every change of the record
	Created  Instant
	Updated  Instant

	Paused bool
	Anchor Instant // the phase of an interval that names none: when the key was first scheduled
	Cursor Instant // the occurrence to come, as the recurrence names it; 0: none is left
	Next   Instant // when the scheduler has to look at it again: Cursor and its jitter, or Turn; 0 while paused or finished
	Turn   Instant // while it catches up after an outage: when it is its turn; 0 otherwise
	Last   Instant // the newest occurrence that became a task, triggered ones included; 0 before the first

	Fired     uint64    // occurrences that became tasks
	Triggered uint64    // of those and of the queued ones: how many somebody triggered
	Missed    uint64    // occurrences that did not, as the misfire policy had it
	Skipped   uint64    // occurrences that did not, since an earlier one was not finished
	Queued    []Instant // occurrences that wait for an earlier one to finish, oldest first

	Zones string // version of the zone data that Cursor was worked out with; "" if it depends on none

	Plan *Plan
}

// Plan is what a schedule was asked for.
type Plan struct {
	// Rule is the recurrence in the text form of package recurrence, which this
	// package and the stores pass on as it is.
	Rule []byte

	Times  uint64        // occurrences of the recurrence that become tasks in all; 0: no end
	Jitter time.Duration // each occurrence is due up to so much later than the recurrence says

	Misfire Misfire
	Overlap Overlap
	// QueueLimit bounds how many occurrences wait where Overlap is OverlapQueue;
	// what comes beyond is skipped. 0: DefaultQueueLimit.
	QueueLimit uint32

	// Task is what an occurrence becomes. Its Queue, Key, Due and Delay are not
	// looked at. What it leaves open is taken from the queue's defaults when an
	// occurrence becomes a task.
	Task Spec
}

// Misfire says what becomes of occurrences that were missed: those that are
// late by more than Grace, since nothing ran when they were due, and those
// whose successor is due already.
type Misfire struct {
	Policy MisfirePolicy
	Limit  uint32        // with MisfireAll: the newest so many are made up for; 0: DefaultMisfireLimit
	Window time.Duration // what is late by more is dropped, whatever the policy; 0: no bound
	Grace  time.Duration // what is late by no more was not missed; 0: DefaultGrace
}

// MisfirePolicy is one way to treat missed occurrences. Its numbers are stored.
type MisfirePolicy uint8

// The misfire policies. What is due now, missed or not, becomes:
const (
	MisfireOnce MisfirePolicy = iota // one task, that of the first missed occurrence, which stands for all
	MisfireAll                       // a task for each, oldest first
	MisfireLast                      // one task, that of the latest occurrence
	MisfireSkip                      // a task for the latest occurrence if it was not missed, else none
)

// MisfirePolicies lists the names of all policies by number.
var MisfirePolicies = [...]string{"once", "all", "last", "skip"}

// String returns the name of the policy as the API writes it.
func (p MisfirePolicy) String() string { return nameOf(MisfirePolicies[:], p) }

// Overlap says what happens to an occurrence that is due while the task of an
// earlier one is not finished. Its numbers are stored.
type Overlap uint8

// The overlap policies.
const (
	OverlapAllow   Overlap = iota // it becomes a task all the same
	OverlapSkip                   // it does not become a task
	OverlapQueue                  // it becomes a task when the earlier one is finished
	OverlapReplace                // it becomes a task, and the earlier one is cancelled, even while it runs
)

// Overlaps lists the names of all policies by number.
var Overlaps = [...]string{"allow", "skip", "queue", "replace"}

// String returns the name of the policy as the API writes it.
func (o Overlap) String() string { return nameOf(Overlaps[:], o) }

// What a schedule gets where it does not say otherwise, and bounds.
const (
	DefaultGrace        = time.Minute
	DefaultMisfireLimit = 100
	DefaultQueueLimit   = 100

	MaxMisfireLimit = 10_000
	MaxQueueLimit   = 1000
	MaxJitter       = 24 * time.Hour
	MaxRuleLen      = 64 << 10
)

// Clone returns a copy of s that shares only the Plan, which is never changed
// in place.
func (s *Schedule) Clone() *Schedule {
	c := *s
	c.Queued = append([]Instant(nil), s.Queued...)
	return &c
}

// Exhausted reports whether as many occurrences of the recurrence were let in, into
// tasks or the queue, as the plan allows.
func (s *Schedule) Exhausted() bool {
	return s.Plan.Times > 0 && s.Fired+uint64(len(s.Queued)) >= s.Plan.Times+s.Triggered
}

// Finished reports whether nothing more will happen to the schedule by itself.
func (s *Schedule) Finished() bool { return s.Cursor == 0 && len(s.Queued) == 0 }

// Validate reports all that is wrong with p, as an Invalid, or nil, but for its
// Rule, of which it knows the length alone. maxPayload is in bytes.
func (p *Plan) Validate(queue, key string, maxPayload int) error {
	spec := p.Task
	spec.Queue, spec.Key, spec.Due, spec.Delay = queue, "", time.Time{}, 0
	var f faults
	if err := spec.Validate(maxPayload); err != nil {
		f = faults(err.(Invalid)) //nolint:errorlint,forcetypeassert // it returns nothing else
	}
	for i := range f {
		if f[i].Field != "queue" {
			f[i].Field = "task." + f[i].Field
		}
	}
	f.scheduleKey(key)
	if len(p.Rule) == 0 || len(p.Rule) > MaxRuleLen {
		f.add("cron", "and what goes with it must be 1 to %d bytes long, got %d", MaxRuleLen, len(p.Rule))
	}
	f.within("jitter", p.Jitter, 0, MaxJitter)
	if f.oneOf("misfire.policy", int(p.Misfire.Policy), MisfirePolicies[:]) && p.Misfire.Policy != MisfireAll && p.Misfire.Limit > 0 {
		f.add("misfire.limit", "means nothing without the policy all: leave it out")
	}
	f.within("misfire.window", p.Misfire.Window, 0, MaxRetention)
	f.within("misfire.grace", p.Misfire.Grace, 0, MaxRetention)
	f.atMost("misfire.limit", p.Misfire.Limit, MaxMisfireLimit)
	if f.oneOf("overlap", int(p.Overlap), Overlaps[:]) && p.Overlap != OverlapQueue && p.QueueLimit > 0 {
		f.add("queue_limit", "means nothing without the overlap policy queue: leave it out")
	}
	f.atMost("queue_limit", p.QueueLimit, MaxQueueLimit)
	return f.err()
}

// ValidateScheduleRef reports what is wrong with a queue's name and the key of
// a schedule, or nil.
func ValidateScheduleRef(queue, key string) error {
	var f faults
	f.queue(queue)
	f.scheduleKey(key)
	return f.err()
}

// scheduleKey judges the key of a schedule, which the keys of its occurrences
// begin with.
func (f *faults) scheduleKey(key string) {
	switch {
	case key == "" || len(key) > MaxScheduleKeyLen:
		f.add("key", "must be 1 to %d bytes long for a schedule, got %d", MaxScheduleKeyLen, len(key))
	case rootLen(key) != len(key):
		f.add("key", "must not end in @ and an instant for a schedule, as the keys of occurrences do, got %q", clip(key))
	default:
		f.key(key)
	}
}

func (f *faults) oneOf(field string, n int, names []string) bool {
	if n >= len(names) {
		f.add(field, "must be one of %q, got %d", names, n)
		return false
	}
	return true
}

func (f *faults) atMost(field string, n, most uint32) {
	if n > most {
		f.add(field, "must not be over %d, got %d", most, n)
	}
}
