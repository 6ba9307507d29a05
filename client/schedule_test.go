package client_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/client"
)

// A schedule through all its calls.
func TestSchedule(t *testing.T) {
	bubble(t, "s3cret", func(t *testing.T, c *client.Client) {
		ctx := t.Context()
		want := client.NewSchedule{
			Queue: "reports", Key: "a/b", Cron: client.Cron{"0 9 * * mon-fri"}, TimeZone: "Europe/Berlin",
			DST: client.DST{Gap: "skip", Overlap: "both"}, Exclude: []string{"12-24..01-02"}, Jitter: client.Duration(time.Minute),
			Misfire: client.Misfire{Policy: client.MisfireAll, Limit: 3}, Overlap: client.OverlapSkip,
			Task: client.ScheduleTask{Payload: []byte("{ \"n\":\n1, \"text\": \"<&>\" }"), Retention: client.In(time.Hour)},
		}
		made := must(c.PutSchedule(ctx, want))(t)
		monday := time.Date(2000, 1, 3, 8, 0, 0, 0, time.UTC)
		if made.Replaced || made.Revision != 1 || made.State != client.ScheduleActive || !made.Next.Equal(monday) || made.NextDue.Before(monday) {
			t.Errorf("made %+v", made)
		}
		got := must(c.GetSchedule(ctx, "reports", "a/b"))(t)
		if string(got.Task.Payload) != string(want.Task.Payload) || !slices.Equal(got.Cron, want.Cron) || got.DST != want.DST || got.Misfire != want.Misfire ||
			got.Overlap != want.Overlap || got.Jitter != want.Jitter || *got.Task.Retention != *want.Task.Retention || !strings.Contains(got.Description, "Europe/Berlin") {
			t.Errorf("got %+v", got)
		}
		want.IfAbsent = true
		if _, err := c.PutSchedule(ctx, want); !client.IsAlreadyExists(err) {
			t.Errorf("if absent: %v", err)
		}
		want.IfAbsent, want.Cron, want.TimeZone, want.DST = false, nil, "", client.DST{}
		want.Every, want.Spread = client.Duration(10*time.Minute), true
		if _, err := c.PutSchedule(ctx, want, client.IfRevision(7)); !client.IsRevisionMismatch(err) {
			t.Errorf("another revision: %v", err)
		}
		if again := must(c.PutSchedule(ctx, want, client.IfRevision(1)))(t); !again.Replaced || again.ID != made.ID || again.Every != want.Every {
			t.Errorf("again %+v", again)
		}
		check(t, c.DeleteSchedule(ctx, "reports", "a/b", client.IfRevision(2)))
		if _, err := c.GetSchedule(ctx, "reports", "a/b"); !client.IsNotFound(err) {
			t.Errorf("deleted: %v", err)
		}
	})
}

func TestPauseAndTrigger(t *testing.T) {
	bubble(t, "s3cret", func(t *testing.T, c *client.Client) {
		ctx := t.Context()
		must(c.PutSchedule(ctx, client.NewSchedule{Queue: "q", Key: "k", Every: client.Duration(time.Hour), Overlap: client.OverlapQueue, QueueLimit: 1}))(t)
		if s := must(c.PauseSchedule(ctx, "q", "k"))(t); s.State != client.SchedulePaused || !s.Next.IsZero() {
			t.Errorf("paused %+v", s)
		}
		start := time.Now()
		if made := must(c.TriggerSchedule(ctx, "q", "k"))(t); made.Fate != "fired" || made.Task == nil || made.Task.Schedule != "k" || !made.At.Equal(start) {
			t.Errorf("triggered %+v", made)
		}
		if _, err := c.TriggerSchedule(ctx, "q", "k"); !client.IsOverlap(err) {
			t.Errorf("triggered beside the first, while the queue stands still: %v", err)
		}
		time.Sleep(90 * time.Minute) // in the bubble
		if s := must(c.ResumeSchedule(ctx, "q", "k"))(t); s.State != client.ScheduleActive || !s.Next.Equal(start.Add(2*time.Hour)) || s.Missed != 0 || s.Triggered != 1 {
			t.Errorf("resumed %+v", s)
		}
		if made := must(c.TriggerSchedule(ctx, "q", "k"))(t); made.Fate != "queued" || made.Task != nil {
			t.Errorf("triggered again %+v", made)
		}
		if _, err := c.TriggerSchedule(ctx, "q", "k"); !client.IsOverlap(err) {
			t.Errorf("triggered beyond the limit: %v", err)
		}
		found := must(c.Occurrences(ctx, "q", "k", client.OccurrencesOptions{N: 2}))(t)
		if len(found.Coming) != 2 || !found.Coming[1].At.Equal(start.Add(3*time.Hour)) || len(found.Queued) != 1 || len(found.Past) != 1 {
			t.Errorf("occurrences %+v", found)
		}
		if found := must(c.Occurrences(ctx, "q", "k", client.OccurrencesOptions{Before: start}))(t); len(found.Past) != 0 || len(found.Coming) != 10 {
			t.Errorf("before the first: %+v", found)
		}
		if q := must(c.Queue(ctx, "q"))(t); q.Schedules == nil || *q.Schedules != 1 {
			t.Errorf("queue %+v", q)
		}
	})
}

func TestSchedulesInBatches(t *testing.T) {
	bubble(t, "s3cret", func(t *testing.T, c *client.Client) {
		ctx := t.Context()
		many := make([]client.NewSchedule, 250)
		for i := range many {
			many[i] = client.NewSchedule{
				Queue: "polls", Key: fmt.Sprintf("%04d", i), Every: client.Duration(10 * time.Minute), Spread: true,
				Task: client.ScheduleTask{Payload: []byte("{\n\"text\": \"a\\nb\"\r\n}")},
			}
		}
		many[7].Every = 0
		answer := must(c.PutSchedules(ctx, many))(t)
		if answer.Created != 249 || answer.Failed != 1 || !client.IsInvalid(answer.Results[7].Problem) || answer.Results[8].Key != "0008" {
			t.Errorf("created %d, failed %d, %+v", answer.Created, answer.Failed, answer.Results[7])
		}
		if s := must(c.GetSchedule(ctx, "polls", "0008"))(t); string(s.Task.Payload) != `{"text":"a\nb"}` {
			t.Errorf("payload %s", s.Task.Payload)
		}
		n := 0
		for s, err := range c.ListSchedules(ctx, "polls", client.ListSchedulesOptions{PageSize: 100}) {
			check(t, err)
			if n++; s.Queue != "polls" || s.Task.Payload != nil {
				t.Errorf("listed %+v", s)
			}
		}
		if n != 249 {
			t.Errorf("%d schedules are listed, want 249", n)
		}
		lines := must(c.PutScheduleLines(ctx, "polls", strings.NewReader(`{"key":"0008","cron":"@daily"}`)))(t)
		if lines.Replaced != 1 {
			t.Errorf("lines %+v", lines)
		}
		many[0].Task.Payload = []byte("{\n")
		if _, err := c.PutSchedules(ctx, many); err == nil || !strings.Contains(err.Error(), "payload") {
			t.Errorf("a payload that is no JSON: %v", err)
		}
	})
}

// A worker's output is kept with the occurrence.
func TestOutput(t *testing.T) {
	bubble(t, "s3cret", func(t *testing.T, c *client.Client) {
		ctx := t.Context()
		must(c.PutSchedule(ctx, client.NewSchedule{Queue: "q", Key: "k", Every: client.Duration(time.Hour)}))(t)
		made := must(c.TriggerSchedule(ctx, "q", "k"))(t)
		tasks := must(c.Claim(ctx, "q", client.ClaimRequest{Wait: client.Duration(time.Minute)}))(t)
		answer := must(c.CompleteBatch(ctx, []client.Complete{{LeaseToken: tasks[0].LeaseToken, Output: "all is well\n"}}))(t)
		if answer.Failed != 0 {
			t.Fatalf("%+v", answer)
		}
		if got := must(c.Get(ctx, "q", made.Task.Key))(t); got.Output != "all is well\n" || got.Schedule != "k" || !got.Occurrence.Equal(made.At) {
			t.Errorf("got %+v", got)
		}
	})
}
