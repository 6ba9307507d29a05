package scheduler_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel/recurrence"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/store"
	"github.com/timewheel-dev/timewheel/task"
)

// inOldZones runs f in a bubble with a scheduler that takes every zone to be so
// far east of Greenwich; from the next open on it is right again.
func inOldZones(t *testing.T, east time.Duration, f func(t *testing.T, r *rig, s *troubled)) {
	t.Helper()
	inTrouble(t, 2, scheduler.Options{Window: 256}, func(t *testing.T, r *rig, s *troubled) {
		r.UseZones("1999a", func(name string) (*time.Location, error) {
			return time.FixedZone(name, int(east/time.Second)), nil
		})
		f(t, r, s)
	})
}

// atNoon is due at noon in Shanghai, which is 04:00 UTC.
func atNoon(key string, change ...func(*scheduler.PutScheduleRequest)) scheduler.PutScheduleRequest {
	r := hourly(key, change...)
	r.Rule = recurrence.Spec{Cron: []string{"0 12 * * *"}, Zone: "Asia/Shanghai"}
	return r
}

// TestNewZoneData: noon was thought to be at another hour. The scheduler is back
// at 02:30.
func TestNewZoneData(t *testing.T) {
	for _, tc := range []struct {
		name string
		old  time.Duration // hours east: noon is at 12 less so many, UTC
		want []string      // at 05:00
	}{
		{"moved later", 9 * time.Hour, []string{"04:00 ready"}},
		{"moved earlier", 4 * time.Hour, []string{"04:00 ready"}},
		{"was due while it was down", 10 * time.Hour, []string{"02:00 ready", "04:00 ready"}},
		{"as it was", 8 * time.Hour, []string{"04:00 ready"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inOldZones(t, tc.old, func(t *testing.T, r *rig, _ *troubled) {
				for i := range 10 {
					r.put(atNoon(fmt.Sprint("s", i)))
				}
				if s := r.getSchedule("s0"); s.Zones != "1999a" || s.Cursor.Time().Hour() != int(12-tc.old/time.Hour) {
					t.Fatalf("%+v at %s", s.Schedule, s.Cursor.Time())
				}
				r.down(150 * time.Minute)
				time.Sleep(time.Minute)
				for i := range 10 {
					s := r.getSchedule(fmt.Sprint("s", i))
					if s.Zones != recurrence.ZoneVersion() || s.Cursor.Time().Hour() != 4 || s.Next != s.Cursor {
						t.Errorf("goes on at %s by zones of %s, its next look is at %s", s.Cursor.Time(), s.Zones, s.Next.Time())
					}
				}
				time.Sleep(149 * time.Minute)
				for i := range 10 {
					r.wantMade(fmt.Sprint("s", i), tc.want...)
				}
			})
		})
	}
}

// What moved to an instant that passed during the outage was missed.
func TestNewZoneDataIntoTheOutage(t *testing.T) {
	inOldZones(t, 4*time.Hour, func(t *testing.T, r *rig, _ *troubled) {
		r.put(atNoon("made"))
		r.put(atNoon("dropped", func(r *scheduler.PutScheduleRequest) { r.Plan.Misfire.Policy = task.MisfireSkip }))
		r.down(5 * time.Hour)
		time.Sleep(time.Minute)
		r.wantMade("made", "04:00 ready")
		r.wantMade("dropped")
		if s := r.getSchedule("dropped"); s.Missed != 1 || s.Cursor.Time().Day() != 2 {
			t.Errorf("missed %d, goes on at %s", s.Missed, s.Cursor.Time())
		}
	})
}

// Paused and finished schedules stay what they are.
func TestNewZoneDataOfTheIdle(t *testing.T) {
	inOldZones(t, 9*time.Hour, func(t *testing.T, r *rig, _ *troubled) {
		r.put(atNoon("finished", times(1)))
		r.put(atNoon("paused"))
		if _, err := r.PauseSchedule(t.Context(), "q", "paused"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(4 * time.Hour)
		r.reopen()
		time.Sleep(47 * time.Hour)
		r.wantMade("finished", "03:00 ready")
		r.wantMade("paused")
		if s, err := r.ResumeSchedule(t.Context(), "q", "paused"); err != nil || s.Cursor.Time().Hour() != 4 {
			t.Fatal(s, err)
		}
		time.Sleep(24 * time.Hour)
		r.wantMade("paused", "04:00 ready")
		if s := r.getSchedule("finished"); !s.Finished() {
			t.Errorf("goes on at %s", s.Cursor.Time())
		}
	})
}

// Five thousand schedules are worked out anew while calls come in: in bounded
// batches, and no call is undone.
func TestNewZoneDataOfMany(t *testing.T) {
	const n = 5000
	inOldZones(t, 9*time.Hour, func(t *testing.T, r *rig, s *troubled) {
		rs := make([]scheduler.PutScheduleRequest, n)
		for i := range rs {
			rs[i] = atNoon(fmt.Sprint("s", i))
		}
		if _, err := r.PutSchedules(t.Context(), rs); err != nil {
			t.Fatal(err)
		}
		r.close()
		var most atomic.Int64
		s.set(hooks{commit: func(b store.Batch) error {
			most.Store(max(most.Load(), int64(len(b.Schedules))))
			time.Sleep(time.Millisecond)
			return nil
		}})
		r.open()
		for i := range 200 {
			key := fmt.Sprint("s", i*25)
			var err error
			switch i % 4 {
			case 0:
				err = r.DeleteSchedule(t.Context(), "q", key, 0)
			case 1:
				_, err = r.PauseSchedule(t.Context(), "q", key)
			case 2:
				r.put(hourly(key, times(1)))
			case 3:
				_, err = r.TriggerSchedule(t.Context(), "q", key)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		if most.Load() > 100 {
			t.Errorf("a batch of %d schedules", most.Load())
		}
		time.Sleep(5 * time.Hour)
		synctest.Wait()
		info, err := r.Queue(t.Context(), "q")
		if err != nil {
			t.Fatal(err)
		}
		// The deleted and the paused made none, the triggered two, all others one.
		if got := info.Counts[task.Ready]; got != n-50-50+50 {
			t.Errorf("%d tasks, want %d", got, n-50)
		}
	})
}
