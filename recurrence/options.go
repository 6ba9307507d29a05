package recurrence

import "time"

// Option is a choice that [Cron] and [Parse] take beside the expression.
type Option func(*options)

type options struct {
	zone   *time.Location // nil: not chosen
	days   DayRule
	gap    Gap
	fold   Fold
	key    string
	zones  func(string) (*time.Location, error)
	anchor time.Time
}

// In sets the time zone whose wall clock a cron expression means. The default is
// UTC. If the expression begins with CRON_TZ= or TZ=, it must name the same zone.
func In(zone *time.Location) Option { return func(o *options) { o.zone = zone } }

// OnDays sets how the two day fields work together.
func OnDays(rule DayRule) Option { return func(o *options) { o.days = rule } }

// OnGap sets what becomes of times that the clocks skip.
func OnGap(policy Gap) Option { return func(o *options) { o.gap = policy } }

// OnFold sets what becomes of times that come twice.
func OnFold(policy Fold) Option { return func(o *options) { o.fold = policy } }

// Key sets what H is a hash of: the name of the schedule, say. Without a key, H is
// refused.
func Key(key string) Option { return func(o *options) { o.key = key } }

// Zones sets what finds the zone that CRON_TZ= or TZ= names. The default is
// [LoadZone].
func Zones(load func(name string) (*time.Location, error)) Option {
	return func(o *options) { o.zones = load }
}

// Anchor sets an instant at which intervals, @every, have an occurrence. The
// default is the Unix epoch.
func Anchor(at time.Time) Option { return func(o *options) { o.anchor = at } }
