package api

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

func encoded(t *rapid.T, v any) string {
	var b bytes.Buffer
	if err := wire.Encode(&b, v); err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimRight(b.Bytes(), "\n"))
}

// drawTask makes any task that could be stored.
func drawTask(t *rapid.T) *task.Task {
	instant := rapid.OneOf(rapid.Just(task.Instant(0)), rapid.Custom(func(t *rapid.T) task.Instant {
		return task.Instant(rapid.Int64Range(1, int64(task.MaxInstant)).Draw(t, "instant"))
	}))
	duration := func(label string) int64 { return rapid.Int64Range(0, int64(task.MaxRetention)).Draw(t, label) }
	made := &task.Task{
		Queue: rapid.StringMatching(`[a-z][a-z0-9._-]{0,9}`).Draw(t, "queue"), Key: rapid.String().Draw(t, "key"),
		State: rapid.SampledFrom(task.States[:]).Draw(t, "state"), Revision: rapid.Uint64().Draw(t, "revision"),
		Attempt: rapid.Uint32().Draw(t, "attempt"), Failures: rapid.Uint32().Draw(t, "failures"),
		Due: instant.Draw(t, "due") + 1, Next: instant.Draw(t, "next"), Created: 1 + instant.Draw(t, "created"), Updated: 1 + instant.Draw(t, "updated"),
		Fired: instant.Draw(t, "fired"), Finished: instant.Draw(t, "finished"),
		LastError: rapid.String().Draw(t, "error"),
	}
	for _, d := range []*int64{(*int64)(&made.Timeout), (*int64)(&made.Retention), (*int64)(&made.Retry.MinBackoff), (*int64)(&made.Retry.MaxBackoff)} {
		*d = duration("duration") * rapid.Int64Range(0, 1).Draw(t, "given")
	}
	made.Retry.MaxAttempts = rapid.Uint32Range(0, 3).Draw(t, "attempts")
	made.Output = rapid.SampledFrom([]string{"", "done\n"}).Draw(t, "output")
	if rapid.Bool().Draw(t, "occurrence") {
		made.Occurrence, made.Missed = instant.Draw(t, "at"), rapid.Uint32Range(0, 2).Draw(t, "missed")
		made.Key = task.OccurrenceKey(made.Key, made.Occurrence)
	}
	copy(made.ID[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
	return made
}

// What is written by hand is what wire.Encode would write.
func TestAppendIsEncode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		made := drawTask(t)
		made.Due = min(made.Due, task.MaxInstant)
		made.Created, made.Updated = min(made.Created, task.MaxInstant), min(made.Updated, task.MaxInstant)
		head := wireHead(made)
		if got, want := string(appendHead(nil, made)), encoded(t, &head); got != want {
			t.Fatalf("head\n%s\nwant\n%s", got, want)
		}
		r := scheduler.ScheduleResult{Task: made, Replaced: rapid.Bool().Draw(t, "replaced")}
		result := wire.BatchResult{Key: made.Key, ID: made.ID.String(), Revision: made.Revision, Due: made.Due.Time(), Replaced: r.Replaced}
		if made.Key == "" || made.Revision == 0 {
			return // which the Scheduler never makes
		}
		if got, want := string(appendScheduled(nil, r)), encoded(t, &result); got != want {
			t.Fatalf("result\n%s\nwant\n%s", got, want)
		}
	})
}
