package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/timewheel-dev/timewheel/client"
)

// recurrenceFlags say when a schedule has occurrences.
type recurrenceFlags struct {
	Cron  []string      `group:"when" xor:"when" sep:"none" placeholder:"EXPRESSION" help:"Cron expression, in quotes; see timewheel cron. Can be repeated."`
	Every time.Duration `group:"when" xor:"when" placeholder:"DURATION" help:"An interval, such as 10m, from 1s on."`
	At    []string      `group:"when" xor:"when" placeholder:"INSTANT" help:"An instant, such as 2026-12-01T09:00:00Z. Can be repeated."`

	Anchor string `group:"when" placeholder:"INSTANT" help:"An occurrence of --every, which sets its phase. When the schedule is made, if not given."`
	Spread bool   `group:"when" help:"The phase of --every comes from the key, so that many schedules spread evenly."`

	TZ           string `group:"when" name:"tz" placeholder:"ZONE" help:"Time zone of --cron and --exclude, such as Europe/Berlin. UTC, if not given."`
	DayRule      string `group:"when" enum:",or,and,quartz" default:"" placeholder:"RULE" help:"What two day fields of --cron mean together: or, and, quartz."`
	Gap          string `group:"when" enum:",after,skip" default:"" placeholder:"POLICY" help:"Times of --cron that the clocks skip: after (once, at the first moment after them) or skip."`
	ClockOverlap string `group:"when" enum:",first,second,both" default:"" placeholder:"POLICY" help:"Times of --cron that come twice: first, second or both."`

	Exclude []string      `group:"when" placeholder:"DAYS" help:"Days without occurrences: 2026-12-24, 12-25 of every year, 12-24..01-01, sun. Can be repeated."`
	Start   string        `group:"when" placeholder:"INSTANT" help:"No occurrence before it."`
	End     string        `group:"when" placeholder:"INSTANT" help:"No occurrence from it on."`
	Times   uint64        `group:"when" placeholder:"N" help:"So many occurrences become tasks in all. Without end, if not given."`
	Jitter  time.Duration `group:"when" placeholder:"DURATION" help:"Each occurrence is due up to so much later, so that not all are due on the hour. Up to 24h."`
}

// recurrence puts what the flags say into a schedule.
func (f *recurrenceFlags) recurrence(s *client.NewSchedule) (err error) {
	s.Every = client.Duration(f.Every)
	for _, expr := range f.Cron {
		if flag := flagOf(expr); flag != "" {
			return &usageError{fmt.Sprintf("--cron %q is no cron expression: say %s", expr, flag)}
		}
		s.Cron = append(s.Cron, strings.TrimSpace(expr))
	}
	s.Spread, s.TimeZone, s.DayRule = f.Spread, f.TZ, f.DayRule
	s.DST = client.DST{Gap: f.Gap, Overlap: f.ClockOverlap}
	s.Exclude, s.Times, s.Jitter = f.Exclude, f.Times, client.Duration(f.Jitter)
	for _, text := range f.At {
		at, err := parseInstant("--at", text)
		if err != nil {
			return err
		}
		s.At = append(s.At, at)
	}
	for _, one := range []struct {
		flag, text string
		into       *time.Time
	}{
		{"--anchor", f.Anchor, &s.Anchor},
		{"--start", f.Start, &s.Start},
		{"--end", f.End, &s.End},
	} {
		if *one.into, err = parseInstant(one.flag, one.text); err != nil {
			return err
		}
	}
	return nil
}

// misfireFlags say what becomes of occurrences that are late or overlap.
type misfireFlags struct {
	Misfire       string        `group:"late" enum:",once,all,last,skip" default:"" placeholder:"POLICY" help:"What becomes of occurrences that were missed, since nothing ran: once (one task for all), all, last (the latest) or skip. Without it: once."`
	MisfireLimit  uint32        `group:"late" placeholder:"N" help:"With --misfire all: only the newest so many, up to 10000. 100, if not given."`
	MisfireWindow time.Duration `group:"late" placeholder:"DURATION" help:"What is late by more is dropped, whatever the policy. No bound, if not given."`
	MisfireGrace  time.Duration `group:"late" placeholder:"DURATION" help:"What is late by no more was not missed. 1m, if not given."`

	Overlap    string `group:"late" enum:",allow,skip,queue,replace" default:"" placeholder:"POLICY" help:"What happens to an occurrence while the task of an earlier one is not finished: allow (both run), skip, queue (it waits) or replace (the earlier one is ended). Without it: allow."`
	QueueLimit uint32 `group:"late" placeholder:"N" help:"With --overlap queue: so many may wait, up to 1000; what comes beyond is skipped. 100, if not given."`
}

func (f *misfireFlags) misfire(s *client.NewSchedule) {
	s.Misfire = client.Misfire{
		Policy: client.MisfirePolicy(f.Misfire), Limit: f.MisfireLimit,
		Window: client.Duration(f.MisfireWindow), Grace: client.Duration(f.MisfireGrace),
	}
	s.Overlap, s.QueueLimit = client.Overlap(f.Overlap), f.QueueLimit
}

// occurrenceFlags say what each occurrence becomes.
type occurrenceFlags struct {
	payloadFlags `embed:""`
	policyFlags  `embed:""`
}

// task returns the task of each occurrence.
func (f *occurrenceFlags) task(stdin io.Reader) (t client.ScheduleTask, err error) {
	body, err := f.body(stdin)
	if err != nil {
		return t, err
	}
	t = client.ScheduleTask{
		Payload: body.json, PayloadBase64: body.bytes, ContentType: body.contentType,
		Retry: f.retry(), Timeout: client.Duration(f.Timeout), Retention: f.retention(), Metadata: f.Metadata,
	}
	t.Webhook, err = f.webhook()
	return t, err
}
