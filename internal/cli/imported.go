package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/timewheel-dev/timewheel/client"
	"github.com/timewheel-dev/timewheel/internal/cli/crontab"
	"github.com/timewheel-dev/timewheel/recurrence"
)

// imported is what was made of one line of a crontab: the setting of a variable,
// a schedule, or nothing.
type imported struct {
	Line        int       `json:"line"`
	Variable    string    `json:"variable,omitempty"`
	Key         string    `json:"key,omitempty"`
	Command     string    `json:"command,omitempty"`
	Description string    `json:"description,omitempty"`
	Next        time.Time `json:"next,omitzero"`
	Refused     string    `json:"refused,omitempty"`
	Notes       []string  `json:"notes,omitempty"`

	schedule *client.NewSchedule
}

// importSum is what --json says at the end.
type importSum struct {
	Queue    string `json:"queue"`
	DryRun   bool   `json:"dry_run,omitempty"`
	Good     int    `json:"schedules"`
	Created  int    `json:"created"`
	Replaced int    `json:"replaced"`
	Refused  int    `json:"refused"`
}

// refuse makes the line one that was not taken over.
func (m *imported) refuse(why string) {
	*m = imported{Line: m.Line, Refused: why}
}

// convert makes of a line what it can.
func (c *importCrontabCmd) convert(l crontab.Line, zone string, now time.Time) imported {
	m := imported{Line: l.Number, Refused: l.Fault, Notes: l.Notes}
	switch {
	case l.Set != nil:
		m.Variable = l.Set.Name
		if err := checkZone(l.Set); err != nil {
			m.refuse(err.Error())
		}
	case l.Entry != nil:
		m.schedule = c.schedule(l.Entry, zone)
		m.Key, m.Command = m.schedule.Key, m.schedule.Task.Metadata["command"]
		if err := m.describe(now); err != nil {
			m.refuse(err.Error())
		}
	}
	return m
}

// checkZone judges a CRON_TZ. The lines below it are refused, too.
func checkZone(v *crontab.Variable) error {
	zone := strings.TrimPrefix(v.Value, ":")
	if v.Name != "CRON_TZ" || zone == "" {
		return nil
	}
	if _, err := recurrence.LoadZone(zone); err != nil {
		return errors.New(plainWords(err))
	}
	return nil
}

// schedule is what an entry becomes.
func (c *importCrontabCmd) schedule(e *crontab.Entry, zone string) *client.NewSchedule {
	if e.Zone != "" {
		zone = e.Zone
	}
	s := &client.NewSchedule{
		Queue: c.Queue, Key: c.Prefix + e.Name,
		Cron: client.Cron{e.Times}, TimeZone: zone, Jitter: client.Duration(e.Jitter),
		Misfire: client.Misfire{Policy: client.MisfirePolicy(c.Misfire)}, Overlap: client.Overlap(c.Overlap),
		Task: client.ScheduleTask{
			PayloadBase64: []byte(e.Script()), ContentType: shellScript,
			Retry:   client.Retry{MaxAttempts: c.RetryMaxAttempts},
			Timeout: client.Duration(c.Timeout), Retention: client.In(c.Retention),
			Metadata: map[string]string{"command": short(strings.ToValidUTF8(e.Command, "·"), 200)},
		},
	}
	if e.User != "" {
		s.Task.Metadata["user"] = strings.ToValidUTF8(e.User, "·")
	}
	if e.BothDays {
		s.DayRule = recurrence.DaysAnd.String()
	}
	switch e.Changes {
	case crontab.RealTimes:
		s.DST = client.DST{Gap: recurrence.GapSkip.String(), Overlap: recurrence.FoldBoth.String()}
	case crontab.FixedOnes:
		s.DST = client.DST{Gap: recurrence.GapAfter.String(), Overlap: recurrence.FoldFirst.String()}
	case crontab.AsNamed:
	}
	return s
}

// describe says when the schedule has occurrences. The error is for a rule that
// has none.
func (m *imported) describe(now time.Time) error {
	rule, err := m.rule()
	if err != nil {
		return faultsInWords(err)
	}
	m.Description, m.Next = recurrence.Describe(rule), rule.Next(now)
	return nil
}

// rule is the schedule's recurrence as the daemon will read it.
func (m *imported) rule() (recurrence.Rule, error) {
	s := m.schedule
	days, err := recurrence.ParseDayRule(s.DayRule)
	if err != nil {
		return nil, err
	}
	gap, err := recurrence.ParseGap(s.DST.Gap)
	if err != nil {
		return nil, err
	}
	fold, err := recurrence.ParseFold(s.DST.Overlap)
	if err != nil {
		return nil, err
	}
	spec := recurrence.Spec{Cron: s.Cron, Zone: s.TimeZone, Days: days, Gap: gap, Fold: fold}
	return spec.Compile(recurrence.Context{Key: s.Queue + "/" + s.Key})
}

// faultsInWords names no fields, which a crontab has not.
func faultsInWords(err error) error {
	var faults recurrence.Faults
	if !errors.As(err, &faults) {
		return err
	}
	words := make([]string, len(faults))
	for i, f := range faults {
		words[i] = strings.TrimPrefix(f.Reason, "is refused: ")
	}
	return errors.New(strings.Join(words, "; "))
}

// show writes what was made of all lines.
func (c *importCrontabCmd) show(a *app, made []imported, sum importSum) error {
	for _, m := range made {
		switch {
		case m.Refused != "":
			sum.Refused++
		case m.schedule != nil:
			sum.Good++
		}
		var err error
		if a.JSON {
			err = writeJSON(a.out, m)
		} else {
			_, err = fmt.Fprint(a.out, m.text())
		}
		if err != nil {
			return err
		}
	}
	if err := c.conclude(a, sum); err != nil {
		return err
	}
	if sum.Refused > 0 {
		return errReported
	}
	return nil
}

// text is what a person is told of the line.
func (m imported) text() string {
	var b strings.Builder
	switch {
	case m.Refused != "":
		fmt.Fprintf(&b, "line %d: refused: %s\n", m.Line, visible(m.Refused))
	case m.Variable != "":
		notes := m.Notes
		if len(notes) == 0 {
			notes = []string{"is handed to the commands below"}
		}
		fmt.Fprintf(&b, "line %d: %s: %s\n", m.Line, m.Variable, strings.Join(notes, "; "))
	default:
		fmt.Fprintf(&b, "line %d: %s\n    runs %s\n    %s\n    next %s\n", m.Line, visible(m.Key), visible(m.Command), visible(m.Description), wallTime(m.Next))
		for _, n := range m.Notes {
			fmt.Fprintf(&b, "    note: %s\n", n)
		}
	}
	return b.String()
}

// conclude writes what holds for all lines, and warns if none has a command.
func (c *importCrontabCmd) conclude(a *app, s importSum) error {
	if s.Good+s.Refused == 0 {
		if _, err := fmt.Fprintln(a.err, "warning: the crontab has no line with a command"); err != nil {
			return err
		}
	}
	if a.JSON {
		return writeJSON(a.out, s)
	}
	var text strings.Builder
	if s.Good > 0 {
		fmt.Fprintf(&text, "all of them: overlap %s, misfire %s, timeout %s, attempts %d\n", c.Overlap, c.Misfire, c.Timeout, c.RetryMaxAttempts)
	}
	if s.DryRun {
		fmt.Fprintf(&text, "nothing was sent; schedules for queue %s: %d; lines refused: %d\n", s.Queue, s.Good, s.Refused)
	} else {
		fmt.Fprintf(&text, "imported into queue %s: schedules %d, new %d, put again %d; lines refused: %d\n", s.Queue, s.Good, s.Created, s.Replaced, s.Refused)
	}
	if s.Good > 0 && !s.DryRun {
		fmt.Fprintf(&text, "their commands run with: timewheel worker --queue %s --exec sh --concurrency 16\n", s.Queue)
	}
	_, err := fmt.Fprint(a.out, text.String())
	return err
}
