package recurrence

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// LoadZone returns the zone of an IANA name, such as "Europe/Berlin". The names
// "" and "UTC" are [time.UTC].
//
// The zone comes from data that is part of this package, of the version that
// [ZoneVersion] tells, and never from the machine: two nodes agree on it, and it
// changes only when the program does. Each call decodes the zone anew, which
// takes some microseconds; keep what you need often.
//
// "Local" is refused, for it means another zone on another machine. The error
// for a name that is unknown tells those that look like it.
func LoadZone(name string) (*time.Location, error) {
	switch name {
	case "", "UTC":
		return time.UTC, nil
	case "Local":
		return nil, errors.New(`time zone "Local" is another one on every machine: name the zone itself, such as "Europe/Berlin", or UTC`)
	}
	record, ok := embeddedZones.find(name)
	if !ok {
		return nil, unknownZone(name)
	}
	zone, err := time.LoadLocationFromTZData(name, record.tzif())
	if err != nil {
		return nil, fmt.Errorf("time zone %q: %w", name, err)
	}
	return zone, nil
}

// ZoneNames returns the names of all zones that [LoadZone] knows, sorted. Some
// are links: other names of the same zone.
func ZoneNames() []string {
	names := make([]string, embeddedZones.names())
	for i := range names {
		names[i] = embeddedZones.name(i)
	}
	return names
}

// ZoneVersion returns the release of the IANA time zone database that
// [LoadZone] reads, such as "2025c". Later releases are greater as strings.
// Instants that were computed with another version may be others now.
func ZoneVersion() string { return embeddedZones.version() }

func unknownZone(name string) error {
	shown := name
	if len(shown) > longestZoneName {
		shown = shown[:longestZoneName] + "…"
	}
	near := zonesLike(name)
	if len(near) == 0 {
		return fmt.Errorf(`unknown time zone %q: allowed are the names of the IANA time zone database %s, such as "Europe/Berlin", and "UTC"`, shown, ZoneVersion())
	}
	return fmt.Errorf("unknown time zone %q: did you mean %s?", shown, strings.Join(near, " or "))
}
