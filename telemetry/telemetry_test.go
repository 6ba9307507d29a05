package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// fakeSource answers with n queues in pages, each with 2 scheduled tasks and 1
// dead one.
type fakeSource struct {
	n   int
	err error
}

func (f fakeSource) Stats() scheduler.Stats {
	return scheduler.Stats{Shards: 8, Wheel: 12, Ready: 3, Pushing: 2, Claims: 1}
}

func (f fakeSource) Queues(_ context.Context, after string, limit int) ([]scheduler.QueueInfo, error) {
	if f.err != nil {
		return nil, f.err
	}
	var page []scheduler.QueueInfo
	for i := range f.n {
		name := fmt.Sprintf("q%06d", i)
		if name > after && len(page) < limit {
			q := scheduler.QueueInfo{Queue: task.Queue{Name: name}, Schedules: 3}
			q.Counts[task.Scheduled], q.Counts[task.Dead] = 2, 1
			page = append(page, q)
		}
	}
	return page, nil
}

// scrape returns what a GET shows, a map from "name{labels}" to the value.
func scrape(t *testing.T, m *Metrics) map[string]string {
	t.Helper()
	rec := httptest.NewRecorder()
	m.Handler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if rec.Code != http.StatusOK {
		t.Fatalf("scrape: status %d: %s", rec.Code, rec.Body)
	}
	shown := make(map[string]string)
	for line := range strings.Lines(rec.Body.String()) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !strings.HasPrefix(line, "#") {
			shown[name] = value
		}
	}
	return shown
}

func expect(t *testing.T, shown map[string]string, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if shown[name] != value {
			t.Errorf("%s is %q, want %q", name, shown[name], value)
		}
	}
}

func TestEventsAreCounted(t *testing.T) {
	m := New("1.2.3")
	ev := m.Events()
	mail := &task.Task{Queue: "mail", State: task.Scheduled}
	ev.Scheduled("mail", 7)
	ev.Fired(mail, 3*time.Millisecond)
	ev.Fired(mail, 90*time.Microsecond)
	ev.Settled(mail, task.Outcome{Verdict: task.Failed})
	ev.Settled(mail, task.Outcome{Verdict: task.Snoozed})
	ev.Settled(mail, task.Outcome{Verdict: task.Released})
	ev.Settled(&task.Task{Queue: "mail", State: task.Completed}, task.Outcome{Verdict: task.Succeeded})
	ev.Settled(&task.Task{Queue: "mail", State: task.Dead}, task.Outcome{Verdict: task.Refused})
	ev.Cancelled(&task.Task{Queue: "mail", State: task.Cancelled})
	ev.Committed(40, 2*time.Millisecond)
	ev.Trouble("push", errors.New("no"))
	ev.Occurred("mail", scheduler.FateFired, 2)
	ev.Occurred("mail", scheduler.FateMissed, 40)
	ev.Occurred("mail", scheduler.FateFired, 1)
	expect(t, scrape(t, m), map[string]string{
		`timewheel_tasks_scheduled_total{queue="mail"}`:           "7",
		`timewheel_tasks_fired_total{queue="mail"}`:               "2",
		`timewheel_tasks_failed_total{queue="mail"}`:              "2",
		`timewheel_tasks_completed_total{queue="mail"}`:           "1",
		`timewheel_tasks_dead_total{queue="mail"}`:                "1",
		`timewheel_tasks_cancelled_total{queue="mail"}`:           "1",
		`timewheel_fire_lateness_seconds_bucket{le="0.00025"}`:    "1",
		`timewheel_fire_lateness_seconds_bucket{le="0.005"}`:      "2",
		`timewheel_fire_lateness_seconds_count`:                   "2",
		`timewheel_store_commit_records_sum`:                      "40",
		`timewheel_store_commit_seconds_count`:                    "1",
		`timewheel_trouble_total`:                                 "1",
		`timewheel_occurrences_total{fate="fired",queue="mail"}`:  "3",
		`timewheel_occurrences_total{fate="missed",queue="mail"}`: "40",
	})
}

func TestEveryFateIsExplained(t *testing.T) {
	for _, fate := range scheduler.Fates {
		if fate != "" && !strings.Contains(fates, fate+" (") {
			t.Errorf("the help of timewheel_occurrences_total lacks %s", fate)
		}
	}
}

func TestFiguresAreReadAtTheScrape(t *testing.T) {
	m := New("1.2.3")
	m.Watch(fakeSource{n: 2})
	expect(t, scrape(t, m), map[string]string{
		`timewheel_wheel_entries`:                            "12",
		`timewheel_ready_entries`:                            "3",
		`timewheel_pushes_running`:                           "2",
		`timewheel_claims_waiting`:                           "1",
		`timewheel_shards`:                                   "8",
		`timewheel_tasks{queue="q000000",state="scheduled"}`: "2",
		`timewheel_tasks{queue="q000001",state="dead"}`:      "1",
		`timewheel_tasks{queue="q000001",state="leased"}`:    "0",
		`timewheel_schedules{queue="q000001"}`:               "3",
	})
}

func TestQueuesBeyondTheLimitShareALabel(t *testing.T) {
	m := New("1.2.3")
	ev := m.Events()
	for i := range MaxQueues + 50 {
		ev.Scheduled(fmt.Sprintf("q%06d", i), 1)
		ev.Occurred(fmt.Sprintf("q%06d", i), scheduler.FateFired, 1)
	}
	m.Watch(fakeSource{n: MaxQueues + 50})
	shown := scrape(t, m)
	expect(t, shown, map[string]string{
		`timewheel_tasks_scheduled_total{queue="_other"}`:          "50",
		`timewheel_tasks_scheduled_total{queue="q000999"}`:         "1",
		`timewheel_tasks{queue="_other",state="scheduled"}`:        "100",
		`timewheel_tasks{queue="_other",state="dead"}`:             "50",
		`timewheel_schedules{queue="_other"}`:                      "150",
		`timewheel_occurrences_total{fate="fired",queue="_other"}`: "50",
		`timewheel_tasks{queue="q000999",state="dead"}`:            "1",
	})
	if v, ok := shown[`timewheel_tasks_scheduled_total{queue="q001000"}`]; ok {
		t.Errorf("queue %d has a label of its own, with value %s", MaxQueues, v)
	}
}

func TestManyGoroutinesMeetOneQueue(t *testing.T) {
	s := newQueueSet(3)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for i := range 300 {
				s.of(fmt.Sprintf("q%d", i%3)).fired.Inc()
			}
		})
	}
	wg.Wait()
	for i := range 3 {
		if name := fmt.Sprintf("q%d", i); s.label(name) != name {
			t.Errorf("queue %s goes by %q though there was a label for it", name, s.label(name))
		}
	}
	if s.label("late") != otherQueues {
		t.Errorf("a fourth queue goes by %q, want %q", s.label("late"), otherQueues)
	}
}

func TestAFailedReadSpoilsOnlyItsOwnMetric(t *testing.T) {
	m := New("1.2.3")
	m.Watch(fakeSource{err: errors.New("disk gone")})
	shown := scrape(t, m)
	expect(t, shown, map[string]string{`timewheel_wheel_entries`: "12"})
	for name := range shown {
		if strings.HasPrefix(name, "timewheel_tasks{") || strings.HasPrefix(name, "timewheel_schedules{") {
			t.Errorf("%s is shown, though the counts could not be read", name)
		}
	}
}

func BenchmarkEvents(b *testing.B) {
	ev := New("1.2.3").Events()
	t := &task.Task{Queue: "mail", State: task.Completed}
	for b.Loop() {
		ev.Scheduled("mail", 1)
		ev.Fired(t, time.Millisecond)
		ev.Settled(t, task.Outcome{Verdict: task.Succeeded})
	}
}
