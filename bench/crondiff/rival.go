package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/adhocore/gronx"
	"github.com/hashicorp/cronexpr"
	netresearch "github.com/netresearch/go-cron"
	"github.com/reugn/go-quartz/quartz"
	robfig "github.com/robfig/cron/v3"
)

// next returns the first occurrence after an instant that is in the zone; the
// zero Time if there is none.
type next func(after time.Time) (time.Time, error)

// rival is another parser. Its open returns errRefused for what its dialect has
// no form for.
type rival struct {
	name, module string
	open         func(e expression, zone *time.Location) (next, error)
}

// gronxName is the one that takes */n in a day field as * in the rule about both.
const gronxName = "gronx"

var errRefused = errors.New("refused")

var rivals = []rival{
	{"robfig", "github.com/robfig/cron/v3", openRobfig},
	{"netresearch", "github.com/netresearch/go-cron", openNetresearch},
	{"hashicorp", "github.com/hashicorp/cronexpr", openHashicorp},
	{gronxName, "github.com/adhocore/gronx", openGronx},
	{"go-quartz", "github.com/reugn/go-quartz", openQuartz},
}

func rivalNamed(name string) (rival, error) {
	for _, r := range rivals {
		if r.name == name {
			return r, nil
		}
	}
	return rival{}, fmt.Errorf("unknown rival %q", name)
}

func openRobfig(e expression, zone *time.Location) (next, error) {
	parsed, err := robfig.ParseStandard(e.String())
	if err != nil {
		return nil, refusal(err)
	}
	parsed.(*robfig.SpecSchedule).Location = zone
	return func(after time.Time) (time.Time, error) { return parsed.Next(after), nil }, nil
}

// openNetresearch asks for the "or" of the day fields, which is not its default. It
// writes names in small letters: THU holds an H, and is refused for it.
func openNetresearch(e expression, zone *time.Location) (next, error) {
	const fields = netresearch.Minute | netresearch.Hour | netresearch.Dom | netresearch.Month | netresearch.Dow
	parsed, err := netresearch.MustNewParser(fields | netresearch.DowOrDom).Parse(strings.ToLower(e.String()))
	if err != nil {
		return nil, refusal(err)
	}
	parsed.(*netresearch.SpecSchedule).Location = zone
	return func(after time.Time) (time.Time, error) { return parsed.Next(after), nil }, nil
}

func openHashicorp(e expression, _ *time.Location) (next, error) {
	parsed, err := cronexpr.Parse(e.String())
	if err != nil {
		return nil, refusal(err)
	}
	return func(after time.Time) (time.Time, error) { return parsed.Next(after), nil }, nil
}

func openGronx(e expression, _ *time.Location) (next, error) {
	expr := e.String()
	if !gronx.IsValid(expr) {
		return nil, errRefused
	}
	return func(after time.Time) (time.Time, error) { return gronx.NextTickAfter(expr, after, false) }, nil
}

// openQuartz adds the seconds. Where both day fields name days it has no rule.
func openQuartz(e expression, zone *time.Location) (next, error) {
	day, weekday := e.Day.Text, e.Weekday.Text
	switch {
	case e.both():
		return nil, errRefused
	case e.Weekday.Star:
		weekday = "?"
	default:
		day = "?"
	}
	trigger, err := quartz.NewCronTriggerWithLoc(strings.Join([]string{"0", e.Minute.Text, e.Hour.Text, day, e.Month.Text, weekday}, " "), zone)
	if err != nil {
		return nil, refusal(err)
	}
	return func(after time.Time) (time.Time, error) {
		at, err := trigger.NextFireTime(after.UnixNano())
		if err != nil {
			return time.Time{}, err
		}
		return time.Unix(0, at).In(zone), nil
	}, nil
}

func refusal(err error) error { return fmt.Errorf("%w: %w", errRefused, err) }
