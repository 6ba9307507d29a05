package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/timewheel-dev/timewheel/recurrence"
)

type cronCmd struct {
	Next     cronNextCmd     `cmd:"" help:"Show when a cron expression has occurrences."`
	Describe cronDescribeCmd `cmd:"" help:"Say in words what a cron expression means."`
	Check    cronCheckCmd    `cmd:"" help:"Say whether a cron expression is right, and if not, where."`
}

// Help is shown below the summary.
func (cronCmd) Help() string {
	return `These commands need no daemon. An expression has 5 fields (minute, hour, day of the month, month and day of the week), 6 with seconds before them, or 7 with years after those; or it is a name such as @daily, an interval such as "@every 90s", or an instant such as "@at 2026-12-01T09:00:00Z". Put it in quotes.`
}

// expression is a cron expression and how it is to be read.
type expression struct {
	Expr    string `arg:"" name:"expression" help:"Cron expression, in quotes."`
	TZ      string `name:"tz" placeholder:"ZONE" help:"Time zone, such as Europe/Berlin. UTC, if neither this nor the expression names one."`
	Gap     string `enum:",after,skip" default:"" placeholder:"POLICY" help:"Times that the clocks skip in spring: after (once, at the first moment after them) or skip. Without it: after for fixed times, skip for what recurs every hour."`
	Overlap string `enum:",first,second,both" default:"" placeholder:"POLICY" help:"Times that come twice in autumn: first, second or both. Without it: first for fixed times, both for what recurs every hour."`
	DayRule string `enum:",or,and,quartz" default:"" placeholder:"RULE" help:"What two day fields mean together: or (a day that either names), and (both name), quartz (one of them is ?, and days of the week are 1–7 from Sunday)."`
	Key     string `placeholder:"KEY" help:"What H spreads by. The daemon uses QUEUE/KEY of the schedule."`
}

// rule reads the expression.
func (x expression) rule() (recurrence.Rule, error) {
	gap, gapErr := recurrence.ParseGap(x.Gap)
	fold, foldErr := recurrence.ParseFold(x.Overlap)
	days, daysErr := recurrence.ParseDayRule(x.DayRule)
	if err := errors.Join(gapErr, foldErr, daysErr); err != nil {
		return nil, err
	}
	options := []recurrence.Option{
		recurrence.OnGap(gap), recurrence.OnFold(fold), recurrence.OnDays(days), recurrence.Key(x.Key),
	}
	if x.TZ != "" {
		zone, err := recurrence.LoadZone(x.TZ)
		if err != nil {
			return nil, &usageError{"--tz: " + plainWords(err)}
		}
		options = append(options, recurrence.In(zone), recurrence.Anchor(time.Unix(0, 0).In(zone)))
	}
	return recurrence.Parse(strings.TrimSpace(x.Expr), options...)
}

// plainWords is what an error of package recurrence says, without its name.
func plainWords(err error) string { return strings.TrimPrefix(err.Error(), "recurrence: ") }

// explain turns the error of rule into one for a person, and writes above it
// where the fault is.
func (x expression) explain(a *app, err error) error {
	var parse *recurrence.ParseError
	if !errors.As(err, &parse) {
		return err
	}
	if _, werr := fmt.Fprint(a.err, pointer(parse)); werr != nil {
		return werr
	}
	return &usageError{parseFault(parse)}
}

// pointer writes an expression and, in a second line, marks the part at fault.
func pointer(e *recurrence.ParseError) string {
	if e.Expr == "" {
		return ""
	}
	width := 1
	if strings.HasPrefix(e.Expr[e.Pos:], e.Text) {
		width = max(1, utf8.RuneCountInString(e.Text))
	}
	indent := strings.Repeat(" ", utf8.RuneCountInString(e.Expr[:e.Pos]))
	return "    " + visible(e.Expr) + "\n    " + indent + strings.Repeat("^", width) + "\n"
}

// parseFault says what is wrong with an expression, which is not repeated.
func parseFault(e *recurrence.ParseError) string {
	where := fmt.Sprintf("column %d", e.Pos+1)
	if e.Field != "" {
		where = e.Field + ", " + where
	}
	return where + ": " + e.Reason + hint(e)
}

// hint says what else may be at fault.
func hint(e *recurrence.ParseError) string {
	fields := strings.Fields(e.Expr)
	switch {
	case visible(e.Text) != e.Text:
		return fmt.Sprintf("; there is something that can't be seen: %q", e.Text)
	case strings.HasPrefix(e.Reason, "H spreads by a key"):
		return ": --key QUEUE/KEY"
	case e.Field == "day of week" && len(fields) == 6 && isYear(fields[5]):
		return "; of 6 fields the first is the second: with a year it takes 7, 0 " + strings.Join(fields, " ")
	}
	return ""
}

func isYear(text string) bool {
	_, err := strconv.ParseUint(text, 10, 16)
	return err == nil && len(text) == 4
}

type cronNextCmd struct {
	expression `embed:""`
	After      string `placeholder:"INSTANT" help:"Only occurrences after this, such as 2026-12-01T09:00:00Z. Now, if not given."`
	Count      int    `default:"5" placeholder:"N" help:"How many, up to 10000."`
}

const maxOccurrences = 10_000

// Run shows occurrences.
func (c *cronNextCmd) Run(_ context.Context, a *app) error {
	after, err := parseInstant("--after", c.After)
	switch {
	case err != nil:
		return err
	case c.Count < 1 || c.Count > maxOccurrences:
		return &usageError{fmt.Sprintf("--count must be from 1 to %d, got %d", maxOccurrences, c.Count)}
	case c.After == "":
		after = time.Now()
	}
	rule, err := c.rule()
	if err != nil {
		return c.explain(a, err)
	}
	found := make([]time.Time, 0, c.Count)
	for t := rule.Next(after); !t.IsZero() && len(found) < c.Count; t = rule.Next(t) {
		found = append(found, t)
	}
	if a.JSON {
		return writeJSON(a.out, found)
	}
	for _, t := range found {
		if _, err := fmt.Fprintln(a.out, wallTime(t)); err != nil {
			return err
		}
	}
	if len(found) < c.Count {
		_, err = fmt.Fprintln(a.err, "there are no more")
	}
	return err
}

// wallTime writes an instant as the clocks of its zone show it.
func wallTime(t time.Time) string {
	return strings.TrimSpace(t.Format("Mon 2006-01-02 15:04:05.999999999 -07:00 ") + t.Location().String())
}

type cronDescribeCmd struct {
	expression `embed:""`
}

// Run describes an expression.
func (c *cronDescribeCmd) Run(_ context.Context, a *app) error {
	rule, err := c.rule()
	if err != nil {
		return c.explain(a, err)
	}
	words := recurrence.Describe(rule)
	if a.JSON {
		return writeJSON(a.out, map[string]string{"expression": c.Expr, "description": words})
	}
	_, err = fmt.Fprintln(a.out, words)
	return err
}
