package task_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/task"
)

// goodPlan is a plan without fault, with something in every field.
func goodPlan() task.Plan {
	s := good()
	s.Queue, s.Key, s.Delay = "", "", 0
	return task.Plan{
		Rule: []byte(`{"cron":"0 9 * * *"}`), Times: 10, Jitter: time.Minute,
		Misfire: task.Misfire{Policy: task.MisfireAll, Limit: 10, Window: time.Hour, Grace: time.Second},
		Overlap: task.OverlapQueue, QueueLimit: 5, Task: s,
	}
}

func TestPlans(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*task.Plan)
		want   string
	}{
		{"good", func(*task.Plan) {}, ""},
		{"what is not looked at", func(p *task.Plan) {
			p.Task.Queue, p.Task.Key, p.Task.Due, p.Task.Delay = "no/queue", "\x00", time.Now(), -1
		}, ""},
		{"all open", func(p *task.Plan) { *p = task.Plan{Rule: []byte("x")} }, ""},

		{"no rule", func(p *task.Plan) { p.Rule = nil }, "cron and what goes with it must be 1 to 65536 bytes long, got 0"},
		{"the longest rule", func(p *task.Plan) { p.Rule = make([]byte, task.MaxRuleLen) }, ""},
		{"a longer rule", func(p *task.Plan) { p.Rule = make([]byte, task.MaxRuleLen+1) }, "cron and what goes with it must be 1 to 65536 bytes long, got 65537"},

		{"the longest jitter", func(p *task.Plan) { p.Jitter = task.MaxJitter }, ""},
		{"a longer jitter", func(p *task.Plan) { p.Jitter = task.MaxJitter + 1 }, "jitter must be from 0s to 24h0m0s, got"},
		{"a negative jitter", func(p *task.Plan) { p.Jitter = -1 }, "jitter must be from 0s to 24h0m0s, got -1ns"},

		{"an unknown misfire policy", func(p *task.Plan) { p.Misfire.Policy = 4 }, `misfire.policy must be one of ["once" "all" "last" "skip"], got 4`},
		{"the largest misfire limit", func(p *task.Plan) { p.Misfire.Limit = task.MaxMisfireLimit }, ""},
		{"a larger misfire limit", func(p *task.Plan) { p.Misfire.Limit = task.MaxMisfireLimit + 1 }, "misfire.limit must not be over 10000, got 10001"},
		{"the largest number", func(p *task.Plan) { p.Misfire.Limit = math.MaxUint32 }, "misfire.limit must not be over 10000, got 4294967295"},
		{"a negative window", func(p *task.Plan) { p.Misfire.Window = -1 }, "misfire.window must be from 0s to 87600h0m0s, got -1ns"},
		{"the longest window", func(p *task.Plan) { p.Misfire.Window = task.MaxRetention }, ""},
		{"a longer window", func(p *task.Plan) { p.Misfire.Window = task.MaxRetention + 1 }, "misfire.window must be from 0s to 87600h0m0s, got"},
		{"a negative grace", func(p *task.Plan) { p.Misfire.Grace = -1 }, "misfire.grace must be from 0s to 87600h0m0s, got -1ns"},
		{"a longer grace", func(p *task.Plan) { p.Misfire.Grace = task.MaxRetention + 1 }, "misfire.grace must be from 0s to 87600h0m0s, got"},

		{"an unknown overlap policy", func(p *task.Plan) { p.Overlap = 4 }, `overlap must be one of ["allow" "skip" "queue" "replace"], got 4`},
		{"the longest queue", func(p *task.Plan) { p.QueueLimit = task.MaxQueueLimit }, ""},
		{"a longer queue", func(p *task.Plan) { p.QueueLimit = task.MaxQueueLimit + 1 }, "queue_limit must not be over 1000, got 1001"},

		{"a fault of the task", func(p *task.Plan) { p.Task.Timeout = -1 }, "task.timeout must be from 0s to 24h0m0s, got -1ns"},
		{"a large payload", func(p *task.Plan) { p.Task.Payload = make([]byte, maxPayload+1) }, "task.payload"},
	} {
		p := goodPlan()
		c.change(&p)
		before := p.Task
		checkFaults(t, c.name, p.Validate("orders", "nightly", maxPayload), c.want)
		if !reflect.DeepEqual(p.Task, before) {
			t.Errorf("%s: validating changed the task", c.name)
		}
	}
}

func TestAllFaultsOfAPlanAreSaidAtOnce(t *testing.T) {
	p := task.Plan{Jitter: -1, Overlap: 9, QueueLimit: 1 << 20, Misfire: task.Misfire{Policy: 9, Limit: 1 << 20, Window: -1, Grace: -1}}
	p.Task.Timeout = -1
	err := fmt.Sprint(p.Validate("no queue", "", maxPayload))
	for _, field := range []string{"queue", "key", "cron and what goes with it", "jitter", "misfire.policy", "misfire.window", "misfire.grace", "misfire.limit", "overlap", "queue_limit", "task.timeout"} {
		if !strings.Contains(err, field+" must") {
			t.Errorf("%s has nothing on %s", err, field)
		}
	}
}

func TestScheduleKeys(t *testing.T) {
	for key, want := range map[string]string{
		"k": "", "größe/42": "", "a@b": "", "@": "", "k@2026-11-21": "", "@2026-11-21T09:00:00Z": "",
		strings.Repeat("k", task.MaxScheduleKeyLen): "",

		"":    "key must be 1 to 484 bytes long for a schedule, got 0",
		"a\n": `key must not have control characters, got "a\n"`,
		strings.Repeat("k", task.MaxScheduleKeyLen+1): "key must be 1 to 484 bytes long for a schedule, got 485",
		"k@2026-11-21T09:00:00Z":                      `key must not end in @ and an instant for a schedule, as the keys of occurrences do, got "k@2026-11-21T09:00:00Z"`,
		"k@2026-13-99T99:00:00.5Z":                    "key must not end in @ and an instant", // it has no shard of its own
	} {
		checkFaults(t, key, task.ValidateScheduleRef("orders", key), want)
		p := goodPlan()
		checkFaults(t, key, p.Validate("orders", key, maxPayload), want)
	}
	checkFaults(t, "queue", task.ValidateScheduleRef("a b", "k"), "queue must be")
}

// TestPolicyNumbers are those on disk, and their names those of the API.
func TestPolicyNumbers(t *testing.T) {
	for n, name := range []string{"once", "all", "last", "skip"} {
		if got := task.MisfirePolicy(n).String(); got != name {
			t.Errorf("misfire policy %d is %s, want %s", n, got, name)
		}
	}
	for n, name := range []string{"allow", "skip", "queue", "replace"} {
		if got := task.Overlap(n).String(); got != name {
			t.Errorf("overlap policy %d is %s, want %s", n, got, name)
		}
	}
	for want, got := range map[string]fmt.Stringer{
		"task.MisfirePolicy(4)": task.MisfirePolicy(4), "task.Overlap(255)": task.Overlap(255),
	} {
		if got.String() != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestAScheduleClonedSharesOnlyThePlan(t *testing.T) {
	s := sampleSchedule()
	s.Plan = samplePlan()
	c := s.Clone()
	if !reflect.DeepEqual(c, s) || c.Plan != s.Plan {
		t.Errorf("%+v, want %+v", c, s)
	}
	c.Queued[0]++
	c.Revision++
	if want := sampleSchedule(); s.Queued[0] != want.Queued[0] || s.Revision != want.Revision {
		t.Error("the clone is the schedule itself")
	}
}

func TestFinishedSchedules(t *testing.T) {
	for _, tc := range []struct {
		s    task.Schedule
		want bool
	}{
		{task.Schedule{}, true},
		{task.Schedule{Last: 5, Fired: 3}, true},
		{task.Schedule{Cursor: 5}, false},
		{task.Schedule{Cursor: 5, Paused: true}, false},
		{task.Schedule{Queued: []task.Instant{5}}, false},
	} {
		if got := tc.s.Finished(); got != tc.want {
			t.Errorf("%+v: %v", tc.s, got)
		}
	}
}
