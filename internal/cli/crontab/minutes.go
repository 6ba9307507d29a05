package crontab

import (
	"strconv"
	"strings"
)

const lastMinute = 59

// writtenOut returns the minutes as a list, if they have a step and do not begin
// with an asterisk. Vixie's cron goes by that first character: without it, each
// minute is a time of its own, which is made up for when the clocks pass over
// it; else the line repeats, and follows the clocks. Other schedulers take every
// step for what repeats. Minutes that are wrong are returned as they are, for
// whoever reads the times to say so.
func writtenOut(field string) string {
	if field[0] == '*' || !strings.Contains(field, "/") {
		return field
	}
	var named [lastMinute + 1]bool
	for element := range strings.SplitSeq(field, ",") {
		from, to, step, ok := span(element)
		if !ok {
			return field
		}
		for m := from; m <= to; m += step {
			named[m] = true
		}
	}
	var words []string
	for m, is := range named {
		if is {
			words = append(words, strconv.Itoa(m))
		}
	}
	return strings.Join(words, ",")
}

// span reads one element of the minutes: a, a-b, a-b/n, */n.
func span(element string) (from, to, step int, ok bool) {
	base, by, stepped := strings.Cut(element, "/")
	low, high, ranged := strings.Cut(base, "-")
	switch {
	case base == "*":
		low, high = "0", strconv.Itoa(lastMinute)
	case !ranged:
		high = low
	}
	if !stepped {
		by = "1"
	}
	from, lowErr := strconv.Atoi(low)
	to, highErr := strconv.Atoi(high)
	step, stepErr := strconv.Atoi(by)
	ok = lowErr == nil && highErr == nil && stepErr == nil &&
		from <= to && to <= lastMinute && step >= 1 && step <= lastMinute
	return from, to, step, ok
}
