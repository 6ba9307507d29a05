package task_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/task"
)

func TestWithDefaults(t *testing.T) {
	hook, other := &task.Webhook{URL: "http://a"}, &task.Webhook{URL: "http://b"}
	plain := task.Spec{
		Timeout: 30 * time.Second, Retention: 24 * time.Hour,
		Retry: task.Retry{MaxAttempts: 16, MinBackoff: time.Second, MaxBackoff: time.Hour},
	}
	full := task.Defaults{
		Webhook: hook, Timeout: 2, Retention: 3,
		Retry: task.Retry{MaxAttempts: 4, MinBackoff: 5, MaxBackoff: 6},
	}
	ofQueue := task.Spec{Webhook: hook, Timeout: 2, Retention: 3, Retry: task.Retry{MaxAttempts: 4, MinBackoff: 5, MaxBackoff: 6}}
	own := task.Spec{Webhook: other, Timeout: 20, Retention: 30, Retry: task.Retry{MaxAttempts: 40, MinBackoff: 50, MaxBackoff: 60}}
	with := func(s task.Spec, change func(*task.Spec)) task.Spec { change(&s); return s }

	for _, tc := range []struct {
		name string
		s    task.Spec
		d    task.Defaults
		want task.Spec
	}{
		{"the package's", task.Spec{}, task.Defaults{}, plain},
		{"the queue's", task.Spec{}, full, ofQueue},
		{"the task's own", own, full, own},
		{"field by field", task.Spec{Timeout: 20}, full, with(ofQueue, func(s *task.Spec) { s.Timeout = 20 })},
		{
			"a retry field by field",
			task.Spec{Retry: task.Retry{MaxAttempts: 1}},
			full,
			with(ofQueue, func(s *task.Spec) { s.Retry.MaxAttempts = 1 }),
		},
		{"not kept, says the task", task.Spec{Retention: -1}, full, with(ofQueue, func(s *task.Spec) { s.Retention = 0 })},
		{"not kept, says the queue", task.Spec{}, task.Defaults{Retention: -1}, with(plain, func(s *task.Spec) { s.Retention = 0 })},
		{
			"kept, says the task, other than the queue",
			task.Spec{Retention: 9},
			task.Defaults{Retention: -1},
			with(plain, func(s *task.Spec) { s.Retention = 9 }),
		},
		{
			"a min backoff over the default max lifts it",
			task.Spec{Retry: task.Retry{MinBackoff: 2 * time.Hour}},
			task.Defaults{},
			with(plain, func(s *task.Spec) { s.Retry.MinBackoff, s.Retry.MaxBackoff = 2*time.Hour, 2*time.Hour }),
		},
		{
			"the rest stays",
			task.Spec{Queue: "q", Key: "k", Delay: 7, Payload: []byte("p")},
			task.Defaults{},
			with(plain, func(s *task.Spec) { s.Queue, s.Key, s.Delay, s.Payload = "q", "k", 7, []byte("p") }),
		},
	} {
		if got := tc.s.WithDefaults(tc.d); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s:\n%+v\nwant\n%+v", tc.name, got, tc.want)
		}
	}
}

// TestDefaultsAreValid, else a task that leaves all open would be refused.
func TestDefaultsAreValid(t *testing.T) {
	s := task.Spec{Queue: "q"}.WithDefaults(task.Defaults{})
	if err := s.Validate(task.DefaultMaxPayload); err != nil {
		t.Error(err)
	}
}

func TestDueAt(t *testing.T) {
	for _, tc := range []struct {
		name string
		s    task.Spec
		want task.Instant
	}{
		{"now", task.Spec{}, noonInstant},
		{"after a delay", task.Spec{Delay: time.Hour}, noonInstant + 3_600_000_000},
		{"after a delay, rounded up", task.Spec{Delay: 1}, noonInstant + 1},
		{"at an instant", task.Spec{Due: noon.Add(time.Hour)}, noonInstant + 3_600_000_000},
		{"at an instant, rounded up", task.Spec{Due: noon.Add(1)}, noonInstant + 1},
		{"at an instant that has passed", task.Spec{Due: noon.Add(-time.Hour)}, noonInstant - 3_600_000_000},
		{"at an instant, in its own zone", task.Spec{Due: noon.In(time.FixedZone("", -7200))}, noonInstant},
	} {
		if got := tc.s.DueAt(noonInstant); got != tc.want {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.want)
		}
	}
}
