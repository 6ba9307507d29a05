package recurrence_test

import (
	"fmt"
	"log"
	"time"

	"github.com/timewheel-dev/timewheel/recurrence"
)

func ExampleCron() {
	berlin, err := recurrence.LoadZone("Europe/Berlin")
	if err != nil {
		log.Fatal(err)
	}
	rule, err := recurrence.Cron("30 2 * * *", recurrence.In(berlin))
	if err != nil {
		log.Fatal(err)
	}
	at := time.Date(2026, time.March, 28, 0, 0, 0, 0, berlin)
	for range 3 {
		at = rule.Next(at)
		fmt.Println(at.Format(time.RFC3339))
	}
	// Output:
	// 2026-03-28T02:30:00+01:00
	// 2026-03-29T03:00:00+02:00
	// 2026-03-30T02:30:00+02:00
}

func ExampleCron_error() {
	_, err := recurrence.Cron("0 9 31 2 *")
	fmt.Println(err)
	// Output:
	// recurrence: "0 9 31 2 *": day of month, column 5, at "31": it would never fire: day of month 31 never comes in February
}

func ExampleParse() {
	rule, err := recurrence.Parse("@every 90s")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rule.Next(time.Date(2026, time.May, 1, 12, 0, 0, 0, time.UTC)))
	// Output: 2026-05-01 12:01:30 +0000 UTC
}

func ExampleBetween() {
	rule, err := recurrence.Cron("0 12 * * FRIL")
	if err != nil {
		log.Fatal(err)
	}
	from := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	for _, at := range recurrence.Between(rule, from, from.AddDate(0, 3, 0), 10) {
		fmt.Println(at.Format("Mon 2 January 15:04"))
	}
	// Output:
	// Fri 30 January 12:00
	// Fri 27 February 12:00
	// Fri 27 March 12:00
}

func ExampleOnFold() {
	london, err := recurrence.LoadZone("Europe/London")
	if err != nil {
		log.Fatal(err)
	}
	evening := time.Date(2026, time.October, 24, 20, 0, 0, 0, london)
	for _, fold := range []recurrence.Fold{recurrence.FoldFirst, recurrence.FoldSecond} {
		rule, err := recurrence.Cron("30 1 * * *", recurrence.In(london), recurrence.OnFold(fold))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(fold, rule.Next(evening))
	}
	// Output:
	// first 2026-10-25 01:30:00 +0100 BST
	// second 2026-10-25 01:30:00 +0000 GMT
}

func ExampleOnGap() {
	santiago, err := recurrence.LoadZone("America/Santiago")
	if err != nil {
		log.Fatal(err)
	}
	noon := time.Date(2026, time.September, 5, 12, 0, 0, 0, santiago)
	for _, gap := range []recurrence.Gap{recurrence.GapAfter, recurrence.GapSkip} {
		rule, err := recurrence.Cron("0 0 * * *", recurrence.In(santiago), recurrence.OnGap(gap))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(gap, rule.Next(noon))
	}
	// Output:
	// after 2026-09-06 01:00:00 -0300 -03
	// skip 2026-09-07 00:00:00 -0300 -03
}

func ExampleOnDays() {
	from := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	for _, days := range []recurrence.DayRule{recurrence.DaysOr, recurrence.DaysAnd} {
		rule, err := recurrence.Cron("0 0 13 * FRI", recurrence.OnDays(days))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(days, rule.Next(from).Format("Mon 2 January"))
	}
	// Output:
	// or Fri 2 January
	// and Fri 13 February
}

func ExampleKey() {
	for _, key := range []string{"shop-1", "shop-2"} {
		rule, err := recurrence.Cron("H H(1-4) * * *", recurrence.Key(key))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(key, rule.Next(time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)).Format("15:04"))
	}
	// Output:
	// shop-1 01:13
	// shop-2 03:36
}
