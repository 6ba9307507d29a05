package recurrence

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"
)

// Every zone is compared with the oracle around changes of its offset from 1970 to
// 2100 and in random windows, for random expressions and all policies. A plain
// `go test` takes a few windows of each zone; all of them, some minutes' worth:
//
//	RECURRENCE_ALL=1 go test -run EveryZone -timeout 1h ./recurrence
//
// RECURRENCE_SEED=n chooses other expressions and windows; a failure prints it.
func TestEveryZoneAgreesWithTheOracle(t *testing.T) {
	seed := uint64(1)
	if s := os.Getenv("RECURRENCE_SEED"); s != "" {
		if _, err := fmt.Sscan(s, &seed); err != nil {
			t.Fatal(err)
		}
	}
	names := ZoneNames()
	if testing.Short() {
		names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, "A") })
	}
	most := 0
	var total tally
	for _, name := range names {
		c := newZoneCheck(t, name, seed)
		c.run(os.Getenv("RECURRENCE_ALL") != "")
		most = max(most, c.tally.steps)
		total.windows += c.tally.windows
		total.rules += c.tally.rules
		total.occurrences += c.tally.occurrences
	}
	t.Logf("%d zones, %d windows, %d rules in them, %d occurrences, at most %d steps for one",
		len(names), total.windows, total.rules, total.occurrences, most)
}

type tally struct{ windows, rules, occurrences, steps int }

// mostSteps is how many years, months and spans one Next or Previous may look at. The
// worst are rules whose every time a zone skips for decades: some nine steps a year.
const mostSteps = 600

type zoneCheck struct {
	t     *testing.T
	name  string
	loc   *time.Location
	rand  *rand.Rand
	seed  uint64
	tally tally
}

func newZoneCheck(t *testing.T, name string, seed uint64) *zoneCheck {
	loc, err := LoadZone(name)
	if err != nil {
		t.Fatal(err)
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	return &zoneCheck{t: t, name: name, loc: loc, seed: seed, rand: rand.New(rand.NewPCG(seed, h.Sum64()))}
}

func (c *zoneCheck) run(all bool) {
	changes := changesOf(c.loc)
	c.rand.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
	around, rules := int64(3*86400), 8
	if !all {
		changes, around, rules = changes[:min(2, len(changes))], 86400, 6
	}
	for _, at := range changes {
		at -= at % 60
		c.window(newWindow(c.loc, at-around, at+around, 60), rules, false)
		if c.rand.IntN(8) == 0 {
			c.window(newWindow(c.loc, at-3*3600, at+3*3600, 1), 4, true)
		}
	}
	for range 1 + len(changes)/10 {
		at := c.rand.Int64N(131*365*86400) / 60 * 60
		c.window(newWindow(c.loc, at, at+2*around, 60), rules/2, false)
	}
}

// changesOf lists where a zone's offset changes, from 1970 to 2100, by day and then by
// halves.
func changesOf(loc *time.Location) []int64 {
	const day = 24 * 3600
	var all []int64
	for at := int64(0); at < 131*365*day; at += day {
		last := offsetOf(loc, at)
		if offsetOf(loc, at+day) != last {
			all = append(all, at+int64(sort.Search(day, func(s int) bool { return offsetOf(loc, at+int64(s)) != last })))
		}
	}
	return all
}

func (c *zoneCheck) window(w *window, rules int, bySecond bool) {
	c.tally.windows++
	for range rules {
		expr, days := randomExpr(c.rand, w.dates, bySecond)
		gap, fold := Gap(c.rand.IntN(3)), Fold(c.rand.IntN(4))
		rule, err := Cron(expr, In(c.loc), OnDays(days), OnGap(gap), OnFold(fold))
		if err != nil {
			if strings.Contains(err.Error(), "never") {
				continue // 31 February and the like
			}
			c.t.Fatal(err)
		}
		c.tally.rules++
		want := w.occurrences(newOracleRule(expr, days, gap, fold))
		c.tally.occurrences += len(want)
		c.compare(rule, w, want)
		if c.t.Failed() {
			c.t.Fatalf("RECURRENCE_SEED=%d: %q in %s, days %q, gap %q, fold %q, from %s", c.seed, expr, c.name, days, gap, fold, time.Unix(w.from, 0).UTC())
		}
	}
}

// compare walks the rule through the window forth and back.
func (c *zoneCheck) compare(rule *CronRule, w *window, want []int64) {
	var forth, back []int64
	at := time.Unix(w.from, 0).Add(-1)
	for range len(want) + 1 {
		if at = c.counted(rule, at, (*search).next); at.IsZero() || at.Unix() >= w.to {
			break
		}
		forth = append(forth, at.Unix())
	}
	at = time.Unix(w.to, 0)
	for range len(want) + 1 {
		if at = c.counted(rule, at, (*search).previous); at.IsZero() || at.Unix() < w.from {
			break
		}
		back = append(back, at.Unix())
	}
	slices.Reverse(back)
	if !slices.Equal(forth, want) {
		c.t.Errorf("Next gives %s", difference(forth, want, c.loc))
	}
	if !slices.Equal(back, want) {
		c.t.Errorf("Previous gives %s", difference(back, want, c.loc))
	}
}

func (c *zoneCheck) counted(rule *CronRule, at time.Time, ask func(*search, time.Time) time.Time) time.Time {
	s := newSearch(rule)
	found := ask(&s, at)
	c.tally.steps = max(c.tally.steps, s.steps)
	if s.steps > mostSteps {
		c.t.Errorf("%d steps from %s", s.steps, at)
	}
	return found
}

func difference(got, want []int64, loc *time.Location) string {
	var b strings.Builder
	for _, at := range got {
		if !slices.Contains(want, at) {
			fmt.Fprintf(&b, "%s too much; ", time.Unix(at, 0).In(loc))
		}
	}
	for _, at := range want {
		if !slices.Contains(got, at) {
			fmt.Fprintf(&b, "%s is missing; ", time.Unix(at, 0).In(loc))
		}
	}
	fmt.Fprintf(&b, "%d for %d", len(got), len(want))
	return b.String()
}

// randomExpr makes an expression of which much happens on some dates, and at night.
func randomExpr(r *rand.Rand, dates []time.Time, bySecond bool) (string, DayRule) {
	date := dates[r.IntN(len(dates))]
	pick := func(choices ...string) string { return choices[r.IntN(len(choices))] }
	list := func(n, below int) string {
		values := make([]string, n)
		for i := range values {
			values[i] = fmt.Sprint(r.IntN(below))
		}
		return strings.Join(values, ",")
	}
	minute := pick("0", "30", "59", list(1, 60), list(2, 60), list(5, 60), "*", "*/15", "10-40/7", "5/20", "*/1", "0,30")
	hour := pick("0", "1", "2", "3", "23", list(1, 24), list(3, 24), "*", "*/2", "0-3", "22,23,0", "1/6", "0-23")
	second := ""
	if bySecond {
		second = pick("0", "0", list(1, 60), list(3, 60), "*", "*/20", "15/30") + " "
		hour = pick("*", hour, list(3, 24))
	}
	day := pick("*", "*", "*", "*", fmt.Sprint(date.Day()), "*/2", "*/1", "L", "L-2", "LW", "15W", fmt.Sprintf("%dW", date.Day()), "1-7", "8-14,L", "30,31", "1W")
	month := pick("*", "*", "*", fmt.Sprint(int(date.Month())), "*/2", "3,9,10,11")
	weekday := pick("*", "*", "*", "*", fmt.Sprint(int(date.Weekday())), "0", "1-5", "5-1", "0#2", "0L", "6L,3#1", "*/2", "0,6", fmt.Sprintf("%d#%d", date.Weekday(), min(5, (date.Day()+6)/7)))
	year := ""
	if bySecond && r.IntN(3) == 0 {
		year = " " + pick("*", fmt.Sprint(date.Year()), "1970-2100", "1971/2")
	}
	days := DayRule(r.IntN(3))
	return second + strings.Join([]string{minute, hour, day, month, weekday}, " ") + year, days
}
