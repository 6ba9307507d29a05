package recurrence

import (
	"fmt"
	"testing"
	"time"
)

// excludedSpecs are as dear as the limits allow, each in its own way.
func excludedSpecs() map[string]Spec {
	lines := func(format string, last ...string) []string {
		list := last
		for i := len(last); i < MaxCronLines; i++ {
			list = append(list, fmt.Sprintf(format, i, i))
		}
		return list
	}
	dates := func(first time.Time, years, months, days int) []string {
		var list []string
		for range MaxDays - 1 {
			list = append(list, first.Format(time.DateOnly))
			first = first.AddDate(years, months, days)
		}
		return list
	}
	ranges := func(days int) []string {
		list := dates(year(2026).AddDate(0, 0, 1), 1, 0, 0)
		for i, text := range list {
			first, _ := time.Parse(time.DateOnly, text)
			list[i] += ".." + first.AddDate(0, 0, days).Format(time.DateOnly)
		}
		return list
	}
	repeated := make([]string, MaxDays)
	for i := range repeated {
		repeated[i] = "12-01..10-20"
	}
	leapSundays := []string{"mon", "tue", "wed", "thu", "fri", "sat", "03-01..02-28"}
	for y := 1980; y < 9950; y++ {
		if t := time.Date(y, 2, 29, 0, 0, 0, 0, time.UTC); t.Day() == 29 && t.Weekday() == time.Sunday {
			leapSundays = append(leapSundays, t.Format(time.DateOnly))
		}
	}
	start := year(2026)
	return map[string]Spec{
		"mondays":         {Cron: lines("%d %d * * mon", "0 0 0 1 1 ? 2060"), Exclude: []string{"mon"}, Start: start},
		"mondaysBerlin":   {Cron: lines("%d %d * * mon", "0 0 0 1 1 ? 2037"), Exclude: []string{"mon"}, Start: start, Zone: "Europe/Berlin"},
		"datesBerlin":     {Cron: lines("%d %d * * mon", "0 0 0 1 1 ? 2149"), Exclude: append(dates(year(2060), 0, 0, 2), "mon"), Start: start, Zone: "Europe/Berlin"},
		"refused":         {Cron: lines("%d %d * * mon"), Exclude: []string{"mon"}, Zone: "Europe/Berlin"},
		"repeated":        {Cron: lines("%d %d * * *"), Exclude: repeated},
		"newYears":        {Cron: lines("%d %d 1 1 *"), Exclude: dates(year(2026), 1, 0, 0), Zone: "Europe/Berlin"},
		"mostOfYears":     {Cron: lines("%d %d 3-25,LW,L-3 * *"), Exclude: ranges(362), Zone: "Europe/Berlin"},
		"skippedHours":    {Cron: lines("3%d 2 8-14,20 3 */1", "0 9 20 3 *")[:9], Days: DaysAnd, Gap: GapSkip, Exclude: dates(time.Date(2026, 3, 20, 0, 0, 0, 0, time.UTC), 1, 0, 0), Zone: "America/New_York"},
		"leapSundays":     {Cron: lines("%d %d 29 2 *"), Exclude: leapSundays, Zone: "Europe/Berlin"},
		"interval":        {Every: 48 * time.Hour, Exclude: dates(start, 0, 0, 2), Zone: "Europe/Berlin", Anchor: start},
		"thursdays":       {Every: 7 * 24 * time.Hour, Exclude: []string{"thu"}, Zone: "Europe/Berlin"},
		"leapSundaysOnly": {Every: 24 * time.Hour, Exclude: leapSundays[:7], Zone: "Europe/Berlin"},
		"intervalSundays": {Every: 24 * time.Hour, Exclude: leapSundays, Zone: "Europe/Berlin"},
	}
}

func BenchmarkExclude(b *testing.B) {
	for name, spec := range excludedSpecs() {
		b.Run(name, func(b *testing.B) {
			b.Run("Compile", func(b *testing.B) {
				for b.Loop() {
					_, _ = spec.Compile(Context{}) // some are refused, which takes as long
				}
			})
			rule, err := spec.Compile(Context{})
			if err != nil {
				return
			}
			for _, at := range []int{1990, 2026, 5000} {
				b.Run(fmt.Sprintf("Next%d", at), func(b *testing.B) {
					for b.Loop() {
						rule.Next(year(at))
					}
				})
				b.Run(fmt.Sprintf("Previous%d", at), func(b *testing.B) {
					for b.Loop() {
						rule.Previous(year(at))
					}
				})
			}
		})
	}
}
