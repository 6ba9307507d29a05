package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/timewheel-dev/timewheel/client"
)

// showTask writes all of a task for a person.
func showTask(w io.Writer, t client.Task) error {
	tab := newTable(w)
	tab.row("task", t.Queue+"/"+t.Key)
	tab.row("id", t.ID)
	tab.row("state", string(t.State))
	tab.row("due", instant(t.Due))
	if t.Schedule != "" {
		tab.row("occurrence", occurrenceOf(t))
	}
	if !t.Next.IsZero() {
		tab.row(nextName(t.State), instant(t.Next))
	}
	tab.row("attempt", fmt.Sprintf("%d, failures %d of at most %d", t.Attempt, t.Failures, t.Retry.MaxAttempts))
	if t.LastError != "" {
		tab.row("last error", t.LastError)
	}
	for i, line := range outputLines(t.Output) {
		tab.row([]string{"output", ""}[min(i, 1)], line)
	}
	tab.row("created", instant(t.CreatedAt))
	tab.row("updated", instant(t.UpdatedAt))
	if !t.FiredAt.IsZero() {
		tab.row("fired", instant(t.FiredAt))
	}
	if !t.FinishedAt.IsZero() {
		tab.row("finished", instant(t.FinishedAt))
	}
	tab.row("revision", strconv.FormatUint(t.Revision, 10))
	tab.row("timeout", t.Timeout.String())
	tab.row("backoff", t.Retry.MinBackoff.String()+" to "+t.Retry.MaxBackoff.String())
	tab.row("retention", t.Retention.String())
	showBody(tab, t)
	return tab.flush()
}

// occurrenceOf says which occurrence of which schedule a task is.
func occurrenceOf(t client.Task) string {
	text := instant(t.Occurrence) + " of " + t.Schedule
	if t.Missed > 0 {
		text += fmt.Sprintf(", which stands for %d more that were missed", t.Missed)
	}
	return text
}

// outputLines returns the lines of what an attempt wrote, none for nothing.
func outputLines(output string) []string {
	if output = strings.TrimSpace(output); output == "" {
		return nil
	}
	return strings.Split(strings.ReplaceAll(output, "\t", "    "), "\n")
}

// nextName says what happens at a task's next instant.
func nextName(s client.TaskState) string {
	switch s {
	case client.Scheduled:
		return "next attempt"
	case client.Leased:
		return "leased until"
	default:
		return "kept until"
	}
}

func showBody(tab *table, t client.Task) {
	if t.Webhook != nil {
		tab.row("webhook", t.Webhook.URL)
		for _, name := range slices.Sorted(maps.Keys(t.Webhook.Headers)) {
			tab.row("header", name+": "+t.Webhook.Headers[name])
		}
	}
	if len(t.Metadata) > 0 {
		pairs := make([]string, 0, len(t.Metadata))
		for _, k := range slices.Sorted(maps.Keys(t.Metadata)) {
			pairs = append(pairs, k+"="+t.Metadata[k])
		}
		tab.row("metadata", strings.Join(pairs, " "))
	}
	switch {
	case t.Payload != nil:
		tab.row("payload", string(t.Payload))
	case len(t.PayloadBase64) > 0:
		tab.row("payload", fmt.Sprintf("%d bytes of %s", len(t.PayloadBase64), t.ContentType))
	}
}
