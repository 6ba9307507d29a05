package recurrence

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// compiler turns a Spec into a rule and collects what is wrong with it.
type compiler struct {
	spec    Spec
	context Context
	zone    *time.Location
	faults  Faults
}

// compile returns the rule if it finds no faults.
func (c *compiler) compile() Rule {
	c.checkKinds()
	c.checkPolicies()
	c.loadZone()
	rule := c.base()
	c.checkBounds()
	days := c.excluded()
	if len(c.faults) > 0 {
		return nil
	}
	return c.narrow(rule, days)
}

// checkKinds asks for one of cron, every and at, and for nothing that means
// nothing beside it.
func (c *compiler) checkKinds() {
	s := &c.spec
	kinds := make([]string, 0, 3)
	for _, k := range []struct {
		name string
		set  bool
	}{{"cron", len(s.Cron) > 0}, {"every", s.Every != 0}, {"at", len(s.At) > 0}} {
		if k.set {
			kinds = append(kinds, k.name)
		}
	}
	if len(kinds) == 0 {
		c.faults.add("cron", "is missing: give one of cron, every and at")
		return
	}
	for _, k := range kinds[1:] {
		c.faults.add(k, "must not be set beside %s: give one of cron, every and at", kinds[0])
	}
	c.belongs("anchor", !s.Anchor.IsZero(), "every", s.Every != 0)
	c.belongs("spread", s.Spread, "every", s.Every != 0)
	c.belongs("day_rule", s.Days != DaysDefault, "cron", len(s.Cron) > 0)
	c.belongs("dst.gap", s.Gap != GapDefault, "cron", len(s.Cron) > 0)
	c.belongs("dst.overlap", s.Fold != FoldDefault, "cron", len(s.Cron) > 0)
}

func (c *compiler) belongs(field string, set bool, kind string, is bool) {
	if set && !is {
		c.faults.add(field, "means nothing without %s: leave it out", kind)
	}
}

func (c *compiler) checkPolicies() {
	s := &c.spec
	c.oneOf("day_rule", int(s.Days), dayRuleNames)
	c.oneOf("dst.gap", int(s.Gap), gapNames)
	c.oneOf("dst.overlap", int(s.Fold), foldNames)
}

func (c *compiler) oneOf(field string, n int, names []string) {
	if n >= len(names) {
		c.faults.add(field, "must be one of %q, got number %d", names[1:], n)
	}
}

func (c *compiler) loadZone() {
	zone, err := c.context.Zones(c.spec.Zone)
	if err != nil {
		c.faults.add("time_zone", "is refused: %v", err)
		c.spec.Zone = "" // what else is wrong is found without it
		return
	}
	c.zone = zone
}

// base returns the rule before it is narrowed down.
func (c *compiler) base() Rule {
	switch s := &c.spec; {
	case len(s.Cron) > 0:
		return c.cron()
	case s.Every != 0:
		return c.every()
	default:
		return c.instants()
	}
}

func (c *compiler) cron() Rule {
	lines := c.spec.Cron
	if len(lines) > MaxCronLines {
		c.faults.add("cron", "can be %d expressions at most, got %d", MaxCronLines, len(lines))
		return nil
	}
	rules := make([]Rule, len(lines))
	for i, line := range lines {
		rule, err := Cron(line, c.options()...)
		if err != nil {
			c.cronFault(i, err)
		}
		rules[i] = rule
	}
	if len(rules) == 1 {
		return rules[0]
	}
	return Union(rules...)
}

func (c *compiler) options() []Option {
	s := &c.spec
	options := []Option{OnDays(s.Days), OnGap(s.Gap), OnFold(s.Fold), Key(c.context.Key), Zones(c.context.Zones)}
	if s.Zone != "" {
		options = append(options, In(c.zone))
	}
	return options
}

// cronFault adds what is wrong with an expression, without repeating it.
func (c *compiler) cronFault(i int, err error) {
	field := "cron"
	if len(c.spec.Cron) > 1 {
		field = at(field, i)
	}
	for _, other := range [...]string{"every", "at"} {
		if strings.HasPrefix(strings.TrimSpace(c.spec.Cron[i]), "@"+other) {
			c.faults.add(field, "must be a cron expression: what follows @%s stands in %s", other, other)
			return
		}
	}
	e, ok := errors.AsType[*ParseError](err)
	if !ok {
		c.faults.add(field, "is refused: %v", err)
		return
	}
	var where strings.Builder
	if e.Field != "" {
		where.WriteString(e.Field + ", ")
	}
	fmt.Fprintf(&where, "column %d", e.Pos+1)
	if e.Text != "" {
		fmt.Fprintf(&where, ", at %q", e.Text)
	}
	c.faults.add(field, "is refused: %s: %s", where.String(), e.Reason)
}

func (c *compiler) every() Rule {
	s := &c.spec
	n := len(c.faults)
	switch {
	case s.Every < MinInterval || s.Every > MaxInterval:
		c.faults.add("every", "must be from %s to %s, got %s", MinInterval, MaxInterval, s.Every)
	case s.Every%time.Millisecond != 0:
		c.faults.add("every", "must be a whole number of milliseconds, got %s", s.Every)
	}
	switch {
	case s.Spread && !s.Anchor.IsZero():
		c.faults.add("spread", "must not be set beside anchor: both choose the phase")
	case s.Spread && c.context.Key == "":
		c.faults.add("spread", "needs a key to hash, and there is none")
	}
	if !s.Anchor.IsZero() {
		c.checkInstant("anchor", s.Anchor)
	}
	if len(c.faults) > n {
		return nil
	}
	return Every(s.Every, c.anchor().In(c.zone))
}

func (c *compiler) anchor() time.Time {
	switch s := &c.spec; {
	case s.Spread:
		return time.Unix(0, 0).Add(phase(c.context.Key, s.Every))
	case !s.Anchor.IsZero():
		return s.Anchor
	case !c.context.Anchor.IsZero():
		return c.context.Anchor.Truncate(time.Microsecond)
	}
	return time.Unix(0, 0)
}

func (c *compiler) instants() Rule {
	list := c.spec.At
	if len(list) > MaxInstants {
		c.faults.add("at", "can be %d instants at most, got %d", MaxInstants, len(list))
		return nil
	}
	local := make([]time.Time, len(list))
	for i, t := range list {
		c.checkInstant(at("at", i), t)
		local[i] = t.In(c.zone)
	}
	return At(local...)
}

// checkInstant refuses what a schedule can't keep: its instants are whole
// microseconds, of the years that RFC 3339 can write.
func (c *compiler) checkInstant(field string, t time.Time) {
	switch year := t.UTC().Year(); {
	case year < minYear || year > maxYear:
		c.faults.add(field, "must be from %d to %d, got the year %d", minYear, maxYear, year)
	case t.Nanosecond()%1000 != 0:
		c.faults.add(field, "must be a whole number of microseconds, got %s", t.UTC().Format(time.RFC3339Nano))
	}
}

func (c *compiler) checkBounds() {
	s := &c.spec
	if !s.Start.IsZero() {
		c.checkInstant("start", s.Start)
	}
	if !s.End.IsZero() {
		c.checkInstant("end", s.End)
		if !s.Start.Before(s.End) {
			c.faults.add("end", "must be after start, %s", s.Start.UTC().Format(time.RFC3339Nano))
		}
	}
}

func (c *compiler) excluded() Days {
	s := &c.spec
	days, faults := parseDays(s.Exclude)
	for _, f := range faults {
		field := "exclude"
		if f.entry >= 0 {
			field = at(field, f.entry)
		}
		c.faults.add(field, "%s", f.reason)
	}
	return days
}

// narrow applies bounds and exclusions. It refuses a rule of which nothing is
// left.
func (c *compiler) narrow(rule Rule, days Days) Rule {
	s, zone := &c.spec, zoneOf(rule, c.zone)
	if !s.Start.IsZero() || !s.End.IsZero() {
		rule = Bound(rule, s.Start, s.End)
		if neverFires(rule) {
			field := "end"
			if s.End.IsZero() {
				field = "start"
			}
			c.faults.add(field, "leaves no occurrence: there is none within start and end")
			return nil
		}
	}
	if len(s.Exclude) > 0 {
		rule = &exceptRule{rule, days, zone, without(rule, &days, zone)}
		if neverFires(rule) {
			c.faults.add("exclude", "leaves no occurrence: all are on excluded days")
		}
	}
	return rule
}

// zoneOf returns the zone by whose calendar days are excluded from a rule. Cron lines
// can begin with a zone; it returns nil if each has its own.
func zoneOf(rule Rule, zone *time.Location) *time.Location {
	switch r := rule.(type) {
	case *CronRule:
		return r.loc
	case unionRule:
		common := zoneOf(r[0], zone)
		for _, part := range r[1:] {
			if zoneOf(part, zone) != common {
				return nil
			}
		}
		return common
	}
	return zone
}

func neverFires(rule Rule) bool {
	return rule.Next(time.Date(minYear, time.January, 1, 0, 0, 0, -1, time.UTC)).IsZero()
}
