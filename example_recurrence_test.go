package timewheel_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timewheel-dev/timewheel"
	"github.com/timewheel-dev/timewheel/recurrence"
)

// The rules of package recurrence fit as they are.
func ExampleWheel_Schedule_cron() {
	w := timewheel.New(timewheel.Config{})
	berlin, err := recurrence.LoadZone("Europe/Berlin")
	if err != nil {
		fmt.Println(err)
		return
	}
	rule, err := recurrence.Cron("0 9 29 2 *", recurrence.In(berlin))
	if err != nil {
		fmt.Println(err)
		return
	}
	timer := w.Schedule(rule, func() { fmt.Println("a leap day") })
	due, waits := timer.Due()
	fmt.Println(due.Format("2 January 15:04"), due.Location(), waits)
	_, _ = w.Stop(context.Background())
	// Output: 29 February 09:00 Europe/Berlin true
}

// A rule may end by itself, here after three times; the timer ends with it.
func ExampleWheel_Schedule_times() {
	w := timewheel.New(timewheel.Config{})
	rule, err := recurrence.Times(recurrence.Every(5*time.Millisecond, time.Time{}), time.Now(), 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	ran := make(chan struct{}, 3)
	w.Schedule(rule, func() { ran <- struct{}{} }, timewheel.OnMissed(timewheel.Burst))
	for range 3 {
		<-ran
	}
	fmt.Println("3 runs")
	_, _ = w.Stop(context.Background())
	// Output: 3 runs
}

// A wheel runs a cron line for days, over a change of the clocks, in no time: in
// the bubble the clock begins at midnight UTC on 2000-01-01.
func TestScheduleFollowsCronOverAClockChange(t *testing.T) {
	berlin, err := recurrence.LoadZone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	rule, err := recurrence.Cron("30 2 * * *", recurrence.In(berlin))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2000, time.March, 24, 12, 0, 0, 0, berlin)))
		w := timewheel.New(timewheel.Config{})
		var ran []string
		w.Schedule(rule, func() { ran = append(ran, time.Now().In(berlin).Format("2 15:04 MST")) })
		time.Sleep(time.Until(time.Date(2000, time.March, 28, 0, 0, 0, 0, berlin)))
		synctest.Wait()
		got := fmt.Sprint(ran)
		if want := "[25 02:30 CET 26 03:00 CEST 27 02:30 CEST]"; got != want {
			t.Errorf("ran at %s, want %s", got, want)
		}
		if _, err := w.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
