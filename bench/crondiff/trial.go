package main

import (
	"math/rand/v2"
	"time"

	"github.com/timewheel-dev/timewheel/recurrence"
)

// trial is one expression in one zone, and the instant from which on rivals are
// asked for occurrences.
type trial struct {
	Expr  expression
	Zone  string
	After int64 // Unix seconds
}

// occurrencesPerTrial is how many answers of each rival are compared.
const occurrencesPerTrial = 20

// zones are those whose clocks change in different ways. Apia is asked about the
// day that it never had, among others.
var zones = []string{
	"UTC", "Asia/Shanghai", "America/New_York", "Europe/London", "Australia/Lord_Howe", "Africa/Casablanca",
	"America/Santiago", "America/Havana", "Africa/Cairo", "Asia/Beirut", "Pacific/Apia",
}

var (
	firstInstant = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	lastInstant  = time.Date(2050, 1, 1, 0, 0, 0, 0, time.UTC)
	missingDay   = time.Date(2011, 12, 30, 0, 0, 0, 0, time.UTC)
)

// makeTrials makes up n trials. The same seed makes the same ones.
func makeTrials(seed uint64, n int) []trial {
	random := rand.New(rand.NewPCG(seed, 0))
	trials := make([]trial, 0, n)
	for len(trials) < n {
		t := trial{Expr: maker{random}.expression(), Zone: zones[random.IntN(len(zones))]}
		t.After = instantIn(random, t.Zone).Unix()
		if _, err := recurrence.Cron(t.Expr.String()); err == nil { // 31 February is refused, by us alone
			trials = append(trials, t)
		}
	}
	return trials
}

// instantIn returns an instant, in two cases of three within the three days
// before a change of the zone's clocks.
func instantIn(random *rand.Rand, name string) time.Time {
	at := firstInstant.Add(time.Duration(random.Int64N(int64(lastInstant.Sub(firstInstant)))))
	if random.IntN(3) == 0 {
		return at
	}
	if name == "Pacific/Apia" && random.IntN(60) == 0 { // seldom: it costs patience
		at = missingDay.AddDate(0, 0, -random.IntN(30))
	}
	zone := mustLoad(name)
	if _, change := at.In(zone).ZoneBounds(); !change.IsZero() {
		at = change
	}
	return at.Add(-time.Duration(random.Int64N(int64(72 * time.Hour))))
}

// mustLoad loads one of zones: all rivals get the same data.
func mustLoad(name string) *time.Location {
	zone, err := recurrence.LoadZone(name)
	if err != nil {
		panic(err)
	}
	return zone
}
