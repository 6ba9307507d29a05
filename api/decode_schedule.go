package api

import (
	"errors"
	"time"

	"github.com/timewheel-dev/timewheel/api/internal/strictjson"
	"github.com/timewheel-dev/timewheel/recurrence"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// maxTimes bounds how often a schedule may be asked to fire: once a second for
// thirty years.
const maxTimes = 1_000_000_000

// scheduleInput is what a request says of a schedule.
type scheduleInput struct {
	queue, key optional[string] // in batches
	ifAbsent   bool             // in batches
	rule       recurrence.Spec
	plan       task.Plan
	paused     *bool
}

// scheduleFields are the fields of NewSchedule.
var scheduleFields = []field[scheduleInput]{
	{"cron", false, func(d *decoder, s *scheduleInput) { s.rule.Cron = d.cron() }},
	{"every", false, func(d *decoder, s *scheduleInput) { s.rule.Every = d.every() }},
	{"at", false, func(d *decoder, s *scheduleInput) { s.rule.At = d.instants() }},
	{"anchor", false, func(d *decoder, s *scheduleInput) { s.rule.Anchor = d.instant() }},
	{"spread", false, func(d *decoder, s *scheduleInput) { s.rule.Spread = d.boolean() }},
	{"time_zone", false, func(d *decoder, s *scheduleInput) { s.rule.Zone = d.text() }},
	{"day_rule", false, func(d *decoder, s *scheduleInput) { s.rule.Days = named(d, recurrence.DaysOr, recurrence.DaysQuartz) }},
	{"dst", false, func(d *decoder, s *scheduleInput) { object(d, dstFields, &s.rule) }},
	{"exclude", false, func(d *decoder, s *scheduleInput) { s.rule.Exclude = d.texts() }},
	{"start", false, func(d *decoder, s *scheduleInput) { s.rule.Start = d.instant() }},
	{"end", false, func(d *decoder, s *scheduleInput) { s.rule.End = d.instant() }},
	{"times", false, func(d *decoder, s *scheduleInput) { s.plan.Times = uint64(d.whole(1, maxTimes)) }},
	{"jitter", false, func(d *decoder, s *scheduleInput) { s.plan.Jitter = d.upTo(task.MaxJitter) }},
	{"misfire", false, func(d *decoder, s *scheduleInput) { object(d, misfireFields, &s.plan.Misfire) }},
	{"overlap", false, func(d *decoder, s *scheduleInput) { s.plan.Overlap = named(d, task.OverlapAllow, task.OverlapReplace) }},
	{"queue_limit", false, func(d *decoder, s *scheduleInput) { s.plan.QueueLimit = uint32(d.whole(1, task.MaxQueueLimit)) }},
	{"paused", false, func(d *decoder, s *scheduleInput) { s.paused = new(d.boolean()) }},
	{"task", false, func(d *decoder, s *scheduleInput) {
		var in taskInput
		object(d, contentFields, &in)
		s.plan.Task = in.content(d)
	}},
}

// batchScheduleFields are the fields of BatchSchedule.
var batchScheduleFields = append([]field[scheduleInput]{
	{"queue", false, func(d *decoder, s *scheduleInput) { s.queue.set(d.text()) }},
	{"key", false, func(d *decoder, s *scheduleInput) { s.key.set(d.text()) }},
	{"if_absent", false, func(d *decoder, s *scheduleInput) { s.ifAbsent = d.boolean() }},
}, scheduleFields...)

var dstFields = []field[recurrence.Spec]{
	{"gap", false, func(d *decoder, s *recurrence.Spec) { s.Gap = named(d, recurrence.GapAfter, recurrence.GapSkip) }},
	{"overlap", false, func(d *decoder, s *recurrence.Spec) { s.Fold = named(d, recurrence.FoldFirst, recurrence.FoldBoth) }},
}

var misfireFields = []field[task.Misfire]{
	{"policy", false, func(d *decoder, m *task.Misfire) { m.Policy = named(d, task.MisfireOnce, task.MisfireSkip) }},
	{"limit", false, func(d *decoder, m *task.Misfire) { m.Limit = uint32(d.whole(1, task.MaxMisfireLimit)) }},
	{"window", false, func(d *decoder, m *task.Misfire) { m.Window = d.positive(task.MaxRetention) }},
	{"grace", false, func(d *decoder, m *task.Misfire) { m.Grace = d.positive(task.MaxRetention) }},
}

// The values that stand for a wrong cron, every or at, so that what goes with
// it is not said to go with nothing.
const (
	anyCron  = "* * * * *"
	anyEvery = recurrence.MinInterval
)

// cron reads one expression, or an array of them.
func (d *decoder) cron() (lines []string) {
	faults := len(d.faults)
	if d.Kind() == strictjson.Array {
		lines = d.texts()
	} else {
		lines = []string{d.text()}
	}
	if len(d.faults) > faults {
		return []string{anyCron}
	}
	return lines
}

func (d *decoder) every() time.Duration {
	faults := len(d.faults)
	v := d.duration(recurrence.MinInterval, recurrence.MaxInterval)
	if len(d.faults) > faults {
		return anyEvery
	}
	return v
}

func (d *decoder) instants() (list []time.Time) {
	faults := len(d.faults)
	d.list(func() { list = append(list, d.instant()) })
	if len(d.faults) > faults {
		return []time.Time{time.Unix(0, 0)}
	}
	return list
}

func (d *decoder) texts() (list []string) {
	d.list(func() { list = append(list, d.text()) })
	return list
}

// named reads the name of a value from first to last.
func named[T interface {
	~uint8
	String() string
}](d *decoder, first, last T) T {
	var names []string
	for v := first; v <= last; v++ {
		names = append(names, v.String())
	}
	return first + T(d.oneOf(names))
}

// request makes a PutScheduleRequest for a queue and a key. What the Scheduler
// would object to is found here only if there is another fault, so that the answer
// names them all.
func (s *scheduleInput) request(d *decoder, queue, key string, maxPayload int) (scheduler.PutScheduleRequest, error) {
	r := scheduler.PutScheduleRequest{
		Queue: queue, Key: key, Rule: s.rule, Plan: s.plan, Paused: s.paused, IfAbsent: s.ifAbsent,
	}
	if err := fits(s.plan.Task.Payload, maxPayload); err != nil {
		return r, err
	}
	if len(d.faults) > 0 {
		plan := s.plan
		plan.Rule = []byte("{}") // the rule itself is looked at below
		d.merge(plan.Validate(queue, key, maxPayload))
		_, err := s.rule.Compile(recurrence.Context{Key: queue + "/" + key})
		d.merge(ruleFaults(err))
	}
	return r, d.invalid()
}

// ruleFaults makes the faults of a recurrence those of a request.
func ruleFaults(err error) error {
	faults, _ := errors.AsType[recurrence.Faults](err)
	invalid := make(task.Invalid, len(faults))
	for i, f := range faults {
		invalid[i] = task.Fault(f)
	}
	return invalid
}
