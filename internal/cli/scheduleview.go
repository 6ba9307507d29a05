package cli

import (
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/timewheel-dev/timewheel/client"
	"github.com/timewheel-dev/timewheel/recurrence"
)

// showSchedule writes all of a schedule for a person.
func showSchedule(w io.Writer, s client.Schedule) error {
	tab := newTable(w)
	tab.row("schedule", s.Queue+"/"+s.Key)
	tab.row("id", s.ID)
	tab.row("state", string(s.State))
	tab.row("when", s.Description)
	showRule(tab, s)
	if !s.Next.IsZero() {
		tab.row("next", nextOf(s))
	}
	if !s.Last.IsZero() {
		tab.row("last", instant(s.Last))
	}
	tab.row("fired", occurrences(s))
	tab.row("misfire", misfireOf(s.Misfire))
	tab.row("overlap", overlapOf(s))
	if len(s.Queued) > 0 {
		tab.row("waiting", strconv.Itoa(len(s.Queued))+", the first of "+instant(s.Queued[0]))
	}
	if s.ZoneData != "" {
		tab.row("zone data", s.ZoneData)
	}
	tab.row("created", instant(s.CreatedAt))
	tab.row("updated", instant(s.UpdatedAt))
	tab.row("revision", strconv.FormatUint(s.Revision, 10))
	showTemplate(tab, s.Task)
	return tab.flush()
}

// showRule writes the expressions, which the description has in words only.
func showRule(tab *table, s client.Schedule) {
	for _, expr := range s.Cron {
		tab.row("cron", expr)
	}
	if s.DayRule != "" {
		tab.row("day rule", s.DayRule)
	}
	if s.Times > 0 {
		tab.row("times", count(s.Times))
	}
	if s.Jitter > 0 {
		tab.row("jitter", s.Jitter.String())
	}
}

func nextOf(s client.Schedule) string {
	text := instant(s.Next)
	if zone, err := recurrence.LoadZone(s.TimeZone); err == nil && zone != time.UTC {
		text += ", " + wallTime(s.Next.In(zone))
	}
	if s.NextDue.IsZero() || s.NextDue.Equal(s.Next) {
		return text
	}
	return text + ", due " + instant(s.NextDue)
}

func occurrences(s client.Schedule) string {
	text := count(s.Fired) + ", missed " + count(s.Missed) + ", skipped " + count(s.Skipped)
	if s.Triggered > 0 {
		text += ", triggered " + count(s.Triggered)
	}
	return text
}

// misfireOf is a policy and what it is bound by.
func misfireOf(m client.Misfire) string {
	parts := []string{string(m.Policy)}
	if m.Policy == client.MisfireAll && m.Limit > 0 {
		parts = append(parts, "up to "+count(uint64(m.Limit)))
	}
	if m.Window > 0 {
		parts = append(parts, "late by "+m.Window.String()+" at most")
	}
	if m.Grace > 0 {
		parts = append(parts, "grace "+m.Grace.String())
	}
	return strings.Join(parts, ", ")
}

func overlapOf(s client.Schedule) string {
	if s.Overlap == client.OverlapQueue && s.QueueLimit > 0 {
		return string(s.Overlap) + ", up to " + count(uint64(s.QueueLimit))
	}
	return string(s.Overlap)
}

// showTemplate writes what each occurrence becomes; what the queue decides is
// left out.
func showTemplate(tab *table, t client.ScheduleTask) {
	if t.Timeout > 0 {
		tab.row("timeout", t.Timeout.String())
	}
	showDefaults(tab, client.QueueDefaults{Retry: t.Retry, Retention: t.Retention})
	showBody(tab, client.Task{
		Webhook: t.Webhook, Metadata: t.Metadata,
		Payload: t.Payload, PayloadBase64: t.PayloadBase64, ContentType: t.ContentType,
	})
}
