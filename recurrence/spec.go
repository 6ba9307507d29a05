package recurrence

import (
	"hash/fnv"
	"time"
)

// Limits on a [Spec].
const (
	MaxCronLines = 20
	MaxInstants  = 1000
	MinInterval  = time.Second
	MaxInterval  = 100 * 365 * 24 * time.Hour
)

// Spec is a rule as data: what a store keeps and the HTTP API speaks. It has one
// of Cron, Every and At; what else it has narrows that down. In JSON it is an
// object such as
//
//	{"cron": "0 9 * * mon-fri", "time_zone": "Europe/Berlin", "exclude": ["12-24..01-01"]}
//
// Instants are RFC 3339 strings, and durations are strings such as "10m".
type Spec struct {
	Cron  []string      // "cron": expressions, as Cron reads them, that together make the rule; one may stand as a plain string
	Every time.Duration // "every": an interval of whole milliseconds
	At    []time.Time   // "at": instants in whole microseconds

	Anchor time.Time // "anchor": an occurrence of Every, past or future; zero: Context.Anchor
	Spread bool      // "spread": Every's phase is a hash of Context.Key, so that many rules spread evenly

	Zone string  // "time_zone": of Cron and Exclude, an IANA name; "": UTC
	Days DayRule // "day_rule": of Cron
	Gap  Gap     // "dst": {"gap"}: of Cron
	Fold Fold    // "dst": {"overlap"}: of Cron

	Exclude []string // "exclude": days without occurrences, as ParseDays reads them, by the calendar of Zone, or of a cron expression's own CRON_TZ

	Start time.Time // "start": nothing before it; zero: no bound
	End   time.Time // "end": nothing from it on; zero: no bound
}

// Context is what a [Spec] leaves to whoever keeps it.
type Context struct {
	Key    string    // what H and Spread hash: the name of the schedule, say
	Anchor time.Time // of an interval that has none of its own; zero: the Unix epoch
	// Zones finds time zones, from a cache, say. Nil is LoadZone.
	Zones func(name string) (*time.Location, error)
}

// Validate reports all that is wrong with s, as [Faults], or nil. What depends on
// the key alone, such as 31 H, it judges by a key that suits.
func (s Spec) Validate() error {
	_, err := s.Compile(Context{Key: s.suitableKey()})
	return err
}

// Compile returns the rule that s means. The error is [Faults]: all that is wrong
// with s, as Validate reports it.
func (s Spec) Compile(c Context) (Rule, error) {
	if c.Zones == nil {
		c.Zones = LoadZone
	}
	b := compiler{spec: s, context: c, zone: time.UTC}
	rule := b.compile()
	if len(b.faults) > 0 {
		return nil, b.faults
	}
	return rule, nil
}

// suitableKey returns a key with which as many of the expressions as possible
// make sense: 0 0 31 H * does not where H is June.
func (s Spec) suitableKey() string {
	const keys = "abcdefghijklmnopqrstuvwxyz"
	for _, key := range keys {
		if s.suits(string(key)) {
			return string(key)
		}
	}
	return keys[:1]
}

func (s Spec) suits(key string) bool {
	if len(s.Cron) > MaxCronLines {
		return true
	}
	for _, line := range s.Cron {
		if _, err := Cron(line, Key(key), OnDays(s.Days)); err != nil {
			return false
		}
	}
	return true
}

// phase spreads intervals: a time from 0 up to every, in whole milliseconds. It
// is h xor h>>32, modulo the interval, where h is the 64-bit FNV-1a hash of the key.
// As stored schedules depend on it, it never changes.
func phase(key string, every time.Duration) time.Duration {
	h := fnv.New64a()
	_, _ = h.Write([]byte(key)) // a hash takes all
	sum := h.Sum64()
	return time.Duration((sum^sum>>32)%uint64(every/time.Millisecond)) * time.Millisecond
}
