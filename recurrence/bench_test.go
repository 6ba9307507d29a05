package recurrence

import (
	"testing"
	"time"
)

// benchRules are rules of all kinds, and where to ask them.
var benchRules = []struct {
	name, expr, zone string
	gap              Gap
	at               time.Time
}{
	{"quarter", "*/15 * * * *", "Europe/Berlin", 0, year(2026)},
	{"workdays", "0 9 * * MON-FRI", "Europe/Berlin", 0, year(2026)},
	{"workdays2060", "0 9 * * MON-FRI", "Europe/Berlin", 0, year(2060)},
	{"lastFriday", "0 12 * * FRIL", "America/New_York", 0, year(2026)},
	{"second", "* * * * * *", "UTC", 0, year(2026)},
	{"leapDay", "0 0 29 2 *", "America/New_York", 0, year(2026)},
	{"leapDay2096", "0 0 29 2 *", "America/New_York", 0, year(2096).AddDate(0, 3, 0)},
	{"leapDayOfYears", "0 0 0 29 2 ? *", "UTC", 0, year(2026)},
	{"year2099", "0 0 0 1 1 ? 2099", "Australia/Lord_Howe", 0, year(1970)},
	{"over", "0 0 0 1 1 ? 2000-2020", "Europe/Berlin", 0, year(2026)},
	{"year9000", "0 0 29 2 *", "America/Santiago", 0, year(9001)},
	{"end", "0 0 29 2 *", "America/Santiago", 0, year(9997)},
	{"beforeAll", "0 0 29 2 *", "America/Santiago", 0, time.Time{}},
	{"alwaysSkipped", "0 30 2 ? 3 SUN#2", "America/New_York", GapSkip, year(2026)},
	{"alwaysSkippedYears", "0 30 2 ? 3 SUN#2 1990-9999/3", "America/New_York", GapSkip, year(2026)},
}

func year(y int) time.Time { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC) }

func BenchmarkNext(b *testing.B) {
	benchmarkRules(b, (*CronRule).Next)
}

func BenchmarkPrevious(b *testing.B) {
	benchmarkRules(b, (*CronRule).Previous)
}

func benchmarkRules(b *testing.B, ask func(*CronRule, time.Time) time.Time) {
	for _, r := range benchRules {
		b.Run(r.name, func(b *testing.B) {
			zone, err := LoadZone(r.zone)
			if err != nil {
				b.Fatal(err)
			}
			rule, err := Cron(r.expr, In(zone), OnGap(r.gap))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				ask(rule, r.at)
			}
		})
	}
}

func BenchmarkCron(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Cron("0 9 * * MON-FRI"); err != nil {
			b.Fatal(err)
		}
	}
}
