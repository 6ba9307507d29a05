package recurrence_test

import (
	"fmt"
	"time"

	"github.com/timewheel-dev/timewheel/recurrence"
)

// printNext prints the first occurrences of a rule after an instant.
func printNext(rule recurrence.Rule, after time.Time, n int) {
	for range n {
		if after = rule.Next(after); after.IsZero() {
			fmt.Println("none")
			return
		}
		fmt.Println(after.Format("Mon 2006-01-02 15:04:05 -07:00"))
	}
}

var noon = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

func ExampleEvery() {
	created := time.Date(2026, time.November, 1, 8, 3, 0, 0, time.UTC)
	printNext(recurrence.Every(10*time.Minute, created), noon, 2)
	// Output:
	// Sat 2026-11-21 12:03:00 +00:00
	// Sat 2026-11-21 12:13:00 +00:00
}

func ExampleIntervalRule_Next() {
	rule := recurrence.Every(time.Hour, time.Time{})
	fmt.Println(rule.Next(noon)) // strictly after
	fmt.Println(rule.Next(noon.Add(-1)))
	// Output:
	// 2026-11-21 13:00:00 +0000 UTC
	// 2026-11-21 12:00:00 +0000 UTC
}

func ExampleIntervalRule_Previous() {
	rule := recurrence.Every(time.Hour, time.Time{})
	fmt.Println(rule.Previous(noon))
	// Output: 2026-11-21 11:00:00 +0000 UTC
}

func ExampleAt() {
	rule := recurrence.At(noon.Add(2*time.Hour), noon.Add(time.Hour), noon)
	printNext(rule, noon, 3)
	// Output:
	// Sat 2026-11-21 13:00:00 +00:00
	// Sat 2026-11-21 14:00:00 +00:00
	// none
}

func ExampleInstantsRule_Next() {
	once := recurrence.At(noon)
	fmt.Println(once.Next(noon.Add(-time.Hour)))
	fmt.Println(once.Next(noon).IsZero())
	// Output:
	// 2026-11-21 12:00:00 +0000 UTC
	// true
}

func ExampleInstantsRule_Previous() {
	once := recurrence.At(noon)
	fmt.Println(once.Previous(noon.Add(time.Hour)))
	// Output: 2026-11-21 12:00:00 +0000 UTC
}

func ExampleUnion() {
	morning, _ := recurrence.Cron("0 9 * * mon-fri")
	weekend, _ := recurrence.Cron("0 11 * * sat,sun")
	printNext(recurrence.Union(morning, weekend), noon, 2)
	// Output:
	// Sun 2026-11-22 11:00:00 +00:00
	// Mon 2026-11-23 09:00:00 +00:00
}

func ExampleExcept() {
	berlin, _ := recurrence.LoadZone("Europe/Berlin")
	workdays, _ := recurrence.Cron("0 9 * * mon-fri", recurrence.In(berlin))
	holidays, _ := recurrence.ParseDays([]string{"12-24..01-01", "2027-01-06"})
	printNext(recurrence.Except(workdays, holidays, berlin), time.Date(2026, time.December, 23, 0, 0, 0, 0, berlin), 5)
	// Output:
	// Wed 2026-12-23 09:00:00 +01:00
	// Mon 2027-01-04 09:00:00 +01:00
	// Tue 2027-01-05 09:00:00 +01:00
	// Thu 2027-01-07 09:00:00 +01:00
	// Fri 2027-01-08 09:00:00 +01:00
}

func ExampleBound() {
	daily := recurrence.Every(24*time.Hour, time.Time{})
	rule := recurrence.Bound(daily, noon.AddDate(0, 0, 9), noon.AddDate(0, 0, 11))
	printNext(rule, noon, 3)
	// Output:
	// Tue 2026-12-01 00:00:00 +00:00
	// Wed 2026-12-02 00:00:00 +00:00
	// none
}

func ExampleTimes() {
	hourly := recurrence.Every(time.Hour, time.Time{})
	rule, err := recurrence.Times(hourly, noon, 2)
	fmt.Println(err)
	printNext(rule, time.Time{}, 3)
	// Output:
	// <nil>
	// Sat 2026-11-21 12:00:00 +00:00
	// Sat 2026-11-21 13:00:00 +00:00
	// none
}

func ExampleParseDays() {
	days, err := recurrence.ParseDays([]string{"sat", "sun", "12-24..01-01", "2027-05-14"})
	fmt.Println(days.Has(2030, time.December, 31), err)
	_, err = recurrence.ParseDays([]string{"sat", "02-30"})
	fmt.Println(err)
	// Output:
	// true <nil>
	// recurrence: entry 2 of the list of days must be a date of the calendar, as in 2026-12-25 or, for every year, 12-25, two of them with .. between, or one of sun mon tue wed thu fri sat; got "02-30"
}

func ExampleDays_Has() {
	days, _ := recurrence.ParseDays([]string{"2026-12-25..2026-12-27"})
	fmt.Println(days.Has(2026, time.December, 24), days.Has(2026, time.December, 25))
	// Output: false true
}

func ExampleDescribe() {
	berlin, _ := recurrence.LoadZone("Europe/Berlin")
	for _, expr := range []string{"*/15 8-17 * * *", "0 12 * * FRIL", "0 9 13 * FRI"} {
		rule, _ := recurrence.Cron(expr)
		fmt.Println(recurrence.Describe(rule))
	}
	rule, _ := recurrence.Cron("30 2 * * *", recurrence.In(berlin))
	fmt.Println(recurrence.Describe(rule))
	// Output:
	// every 15 minutes from 08:00 to 17:45 every day, in UTC
	// at 12:00 on the last Friday of the month, in UTC
	// at 09:00 on the 13th of the month, or on a Friday: either is enough, in UTC
	// at 02:30 every day, in Europe/Berlin; when clocks go forward over it: at the first moment after; when they go back over it: at the first pass
}
