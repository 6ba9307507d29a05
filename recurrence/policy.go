package recurrence

import (
	"fmt"
	"strings"
)

// Gap says what becomes of wall-clock times that never come, because the clocks
// went forward over them.
type Gap uint8

// The policies for gaps.
const (
	GapDefault Gap = iota // GapAfter for fixed times, GapSkip for hourly rules
	GapAfter              // "after": once, at the first instant after the gap, however many times it holds
	GapSkip               // "skip": not at all
)

// Fold says what becomes of wall-clock times that come twice, because the clocks
// went back over them. The HTTP API calls it overlap.
type Fold uint8

// The policies for wall-clock times that come twice.
const (
	FoldDefault Fold = iota // FoldFirst for fixed times, FoldBoth for hourly rules
	FoldFirst               // "first": at their first pass only
	FoldSecond              // "second": at their second pass only
	FoldBoth                // "both": at both
)

// DayRule says how the two day fields of a cron expression, day of month and day of
// week, work together.
type DayRule uint8

// The day rules.
const (
	// DaysDefault is DaysQuartz for an expression with a ? in a day field, but with
	// days of the week still numbered 0–7, and DaysOr for all others.
	DaysDefault DayRule = iota

	// DaysOr, "or", is the rule of Vixie's cron and of POSIX: a day that either field
	// names is enough. A field written *, ? or */1 names no day in particular and does
	// not take part. */2 does: it names every second day. (Vixie's own program goes by
	// the first character, and so makes an "and" of a field that begins with *.)
	DaysOr

	// DaysAnd, "and": a day must be named by both fields.
	DaysAnd

	// DaysQuartz, "quartz", is the rule of Quartz: exactly one of the two fields must
	// be ?, and the other decides. Days of the week are numbered as Quartz numbers
	// them, from 1 for Sunday to 7 for Saturday.
	DaysQuartz
)

var (
	gapNames     = []string{"", "after", "skip"}
	foldNames    = []string{"", "first", "second", "both"}
	dayRuleNames = []string{"", "or", "and", "quartz"}
)

// String returns "after", "skip", or "" for the default.
func (g Gap) String() string { return policyName(gapNames, int(g)) }

// String returns "first", "second", "both", or "" for the default.
func (f Fold) String() string { return policyName(foldNames, int(f)) }

// String returns "or", "and", "quartz", or "" for the default.
func (d DayRule) String() string { return policyName(dayRuleNames, int(d)) }

// ParseGap is the reverse of [Gap.String].
func ParseGap(s string) (Gap, error) {
	i, err := parsePolicy("gap policy", gapNames, s)
	return Gap(i), err
}

// ParseFold is the reverse of [Fold.String].
func ParseFold(s string) (Fold, error) {
	i, err := parsePolicy("overlap policy", foldNames, s)
	return Fold(i), err
}

// ParseDayRule is the reverse of [DayRule.String].
func ParseDayRule(s string) (DayRule, error) {
	i, err := parsePolicy("day rule", dayRuleNames, s)
	return DayRule(i), err
}

func policyName(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("unknown(%d)", i)
}

func parsePolicy(what string, names []string, s string) (int, error) {
	for i, name := range names {
		if s == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("recurrence: %s %q is unknown; allowed are %s, or nothing for the default",
		what, clip(s), strings.Join(names[1:], ", "))
}
