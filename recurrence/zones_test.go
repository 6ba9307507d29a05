package recurrence

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestLoadZone(t *testing.T) {
	for _, name := range ZoneNames() {
		zone, err := LoadZone(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if zone.String() != name {
			t.Errorf("%s: calls itself %s", name, zone)
		}
	}
	if n := len(ZoneNames()); n < 590 {
		t.Errorf("%d names: some are missing", n)
	}
	if !slices.IsSorted(ZoneNames()) {
		t.Error("the names are not sorted")
	}
}

// Facts of the almanac, for machines without anything to compare with.
func TestLoadZoneFacts(t *testing.T) {
	for _, c := range []struct{ zone, instant, want string }{
		{"", "2026-07-01T00:00:00Z", "2026-07-01T00:00:00Z UTC"},
		{"UTC", "2026-07-01T00:00:00Z", "2026-07-01T00:00:00Z UTC"},
		{"Europe/Berlin", "1850-01-01T00:00:00Z", "1850-01-01T00:53:28+00:53 LMT"},
		{"Europe/Berlin", "2026-03-29T00:59:59Z", "2026-03-29T01:59:59+01:00 CET"},
		{"Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-29T03:00:00+02:00 CEST"},
		{"Europe/Berlin", "2199-07-01T00:00:00Z", "2199-07-01T02:00:00+02:00 CEST"}, // by the rule
		{"America/New_York", "2026-11-01T06:00:00Z", "2026-11-01T01:00:00-05:00 EST"},
		{"US/Eastern", "2026-11-01T06:00:00Z", "2026-11-01T01:00:00-05:00 EST"}, // a link
		{"Australia/Lord_Howe", "2026-04-04T15:00:00Z", "2026-04-05T01:30:00+10:30 +1030"},
		{"Asia/Shanghai", "2026-07-01T00:00:00Z", "2026-07-01T08:00:00+08:00 CST"},
		{"Pacific/Apia", "2011-12-30T09:59:59Z", "2011-12-29T23:59:59-10:00 -10"},
		{"Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-31T00:00:00+14:00 +14"},
		{"Africa/Monrovia", "1972-01-07T00:44:30Z", "1972-01-07T00:44:30Z GMT"},
		{"Etc/GMT-14", "2026-07-01T00:00:00Z", "2026-07-01T14:00:00+14:00 +14"},
	} {
		at, err := time.Parse(time.RFC3339, c.instant)
		if err != nil {
			t.Fatal(err)
		}
		zone, err := LoadZone(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		if got := at.In(zone).Format(time.RFC3339 + " MST"); got != c.want {
			t.Errorf("%s in %q: %s, want %s", c.instant, c.zone, got, c.want)
		}
	}
}

func TestLoadZoneRefuses(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"Local", `"Local" is another one on every machine`},
		{"Mars/Base", `unknown time zone "Mars/Base": allowed are the names of the IANA time zone database ` + ZoneVersion()},
		{"../../etc/passwd", `unknown time zone "../../etc/passwd": allowed are`},
		{"Berlin", "did you mean Europe/Berlin?"},
		{"europe/berlin", "did you mean Europe/Berlin?"},
		{"Europe/Berln", "did you mean Europe/Berlin?"},
		{"America/New York", "did you mean America/New_York?"},
		{"utc", "did you mean Etc/UTC or UTC?"},
		{"PST", "allowed are the names"},
		{"Africa/", "allowed are the names"},
		{strings.Repeat("x", 1000), `xx…": allowed are the names`},
	} {
		zone, err := LoadZone(c.name)
		if err == nil {
			t.Errorf("%q: loaded %s, want an error", c.name, zone)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v\nwant %s", c.name, err, c.want)
		}
	}
}

// Our zones must be Go's in all that a caller can ask, at every change and by
// the rules behind the last one.
func TestZonesAreThoseOfGo(t *testing.T) {
	files, version := installedZones(t)
	if version != ZoneVersion() {
		t.Skipf("this Go has release %s, ours is %s: `make zones` would take it over", version, ZoneVersion())
	}
	for _, name := range ZoneNames() {
		file, ok := files[name]
		if !ok {
			t.Errorf("%s: no zone of this Go", name)
			continue
		}
		delete(files, name)
		want, err := time.LoadLocationFromTZData(name, file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := LoadZone(name)
		if err != nil {
			t.Fatal(err)
		}
		compareZones(t, got, want)
	}
	for name := range files {
		t.Errorf("%s: is missing", name)
	}
}

func compareZones(t *testing.T, got, want *time.Location) {
	t.Helper()
	begin := time.Date(1850, 1, 1, 0, 0, 0, 0, time.UTC)
	end := time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, pair := range [][2]*time.Location{{got, want}, {want, got}} {
		for at := begin; at.Before(end); {
			_, next := at.In(pair[0]).ZoneBounds()
			if next.IsZero() || next.After(end) {
				next = end
			}
			if !next.After(at) { // on 31 December of leap years, package time ends the year a day early
				next = at.Add(24 * time.Hour)
			}
			for _, around := range []time.Time{next.Add(-time.Second), next, next.Add(time.Second)} {
				if a, b := localTime(around, got), localTime(around, want); a != b {
					t.Fatalf("%s at %s: %+v, want %+v", got, around, a, b)
				}
			}
			at = next
		}
	}
}

type zoneAt struct {
	name   string
	offset int
	dst    bool
}

func localTime(at time.Time, zone *time.Location) zoneAt {
	at = at.In(zone)
	name, offset := at.Zone()
	return zoneAt{name, offset, at.IsDST()}
}

func BenchmarkLoadZone(b *testing.B) {
	for _, name := range []string{"Asia/Shanghai", "Europe/Berlin", "America/New_York", "Africa/Casablanca"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := LoadZone(name); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
