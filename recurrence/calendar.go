package recurrence

// calendar is the set of wall times that a rule names, apart from all zones.
type calendar struct {
	seconds, minutes, hours, months uint64 // bit v for v

	years []uint64  // bit y-minYear for y; nil for all
	days  monthDays // of each month
	kinds uint16    // kinds of years in which it names any day

	without *Days // what exclude took away; nil for nothing
}

// in returns the days that the calendar names in a month.
func (c *calendar) in(year, month int) dayBits {
	set := c.everyYear(kindOf(year), month)
	if c.without != nil {
		set &^= c.without.spanned(year, month)
	}
	return set
}

// everyYear returns the days of a month that it names in years of a kind, but for
// what particular years lack.
func (c *calendar) everyYear(kind yearKind, month int) dayBits {
	set := c.days.of(kind, month)
	if c.without != nil {
		set &^= c.without.everyYear(kind, month)
	}
	return set
}

// fertile returns whether the calendar names any day in a kind of year.
func (c *calendar) fertile(kind yearKind) bool {
	for m := c.months; m != 0; m &= m - 1 {
		if c.everyYear(kind, lowest(m)) != 0 {
			return true
		}
	}
	return false
}

// findKinds sets kinds.
func (c *calendar) findKinds() {
	for kind := range yearKind(yearKinds) {
		if c.fertile(kind) {
			c.kinds |= 1 << kind
		}
	}
}

func (c *calendar) hasYear(year int) bool {
	if c.years == nil {
		return true
	}
	i := year - minYear
	return c.years[i/64]>>(i%64)&1 != 0
}

// yearFrom returns the first year at or after one that the year field names, or one
// after maxYear.
func (c *calendar) yearFrom(year int) int {
	if c.years == nil || year > maxYear {
		return year
	}
	i := year - minYear
	set := bitsFrom(c.years[i/64], i%64)
	for i /= 64; set == 0; set = c.years[i] {
		if i++; i == len(c.years) {
			return maxYear + 1
		}
	}
	return minYear + i*64 + lowest(set)
}

// yearUpTo returns the last year at or before one that the year field names, or one
// before minYear.
func (c *calendar) yearUpTo(year int) int {
	if c.years == nil || year < minYear {
		return year
	}
	i := year - minYear
	set := bitsUpTo(c.years[i/64], i%64)
	for i /= 64; set == 0; set = c.years[i] {
		if i--; i < 0 {
			return minYear - 1
		}
	}
	return minYear + i*64 + highest(set)
}

// firstClock and lastClock return the first and the last time of a day, in seconds.
func (c *calendar) firstClock() int64 {
	return clockTime(lowest(c.hours), lowest(c.minutes), lowest(c.seconds))
}

func (c *calendar) lastClock() int64 {
	return clockTime(highest(c.hours), highest(c.minutes), highest(c.seconds))
}

func clockTime(h, m, s int) int64 { return int64(h)*hour + int64(m)*minute + int64(s) }

func clockParts(at int64) (h, m, s int) {
	hours, rest := floorDiv(at, hour)
	minutes, seconds := floorDiv(rest, minute)
	return int(hours), int(minutes), int(seconds)
}

// clockFrom returns the first time of day at or after one.
func (c *calendar) clockFrom(at int64) (int64, bool) {
	h, m, s := clockParts(at)
	if c.hours>>h&1 != 0 {
		if c.minutes>>m&1 != 0 {
			if set := bitsFrom(c.seconds, s); set != 0 {
				return clockTime(h, m, lowest(set)), true
			}
		}
		if set := bitsFrom(c.minutes, m+1); set != 0 {
			return clockTime(h, lowest(set), lowest(c.seconds)), true
		}
	}
	if set := bitsFrom(c.hours, h+1); set != 0 {
		return clockTime(lowest(set), lowest(c.minutes), lowest(c.seconds)), true
	}
	return 0, false
}

// clockUpTo returns the last time of day at or before one.
func (c *calendar) clockUpTo(at int64) (int64, bool) {
	h, m, s := clockParts(at)
	if c.hours>>h&1 != 0 {
		if c.minutes>>m&1 != 0 {
			if set := bitsUpTo(c.seconds, s); set != 0 {
				return clockTime(h, m, highest(set)), true
			}
		}
		if set := bitsUpTo(c.minutes, m) &^ (1 << m); set != 0 {
			return clockTime(h, highest(set), highest(c.seconds)), true
		}
	}
	if set := bitsUpTo(c.hours, h) &^ (1 << h); set != 0 {
		return clockTime(highest(set), highest(c.minutes), highest(c.seconds)), true
	}
	return 0, false
}
