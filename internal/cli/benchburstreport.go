package cli

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"time"
)

// burstSlot is in what parts of time the tasks of a burst are counted.
const burstSlot = 250 * time.Millisecond

// burstReport is what was measured.
type burstReport struct {
	runs    []burstSeen
	setting string // how it was measured
}

// burstResult is what --json shows of one run. Times are in seconds.
type burstResult struct {
	Schedules int     `json:"schedules"`
	Jitter    float64 `json:"jitter_seconds"`
	PutRate   float64 `json:"put_per_second"`
	Took      float64 `json:"took_seconds"`
	Peak      int     `json:"peak_per_250ms"`
	Memory    float64 `json:"peak_resident_bytes_so_far,omitempty"`

	Burst  lateResult `json:"burst"`
	Before lateResult `json:"other_before"`
	During lateResult `json:"other_during"`
}

func (s *burstSeen) result() burstResult {
	end := s.took()
	before, during := s.other.dueIn(-s.quiet, 0), s.other.dueIn(0, end)
	r := burstResult{
		Schedules: s.schedules, Jitter: s.jitter.Seconds(), Took: end.Seconds(), Memory: s.memory,
		Burst:  s.burst.result(s.schedules),
		Before: before.result(s.othersDue(-s.quiet, 0)),
		During: during.result(s.othersDue(0, end)),
	}
	if s.put > 0 {
		r.PutRate = float64(s.schedules) / s.put.Seconds()
	}
	if counts := s.burst.perSlot(burstSlot); len(counts) > 0 {
		r.Peak = slices.Max(counts)
	}
	return r
}

func (r burstReport) show(a *app, svg string) error {
	for i := range r.runs {
		result := r.runs[i].result()
		write := result.writeTable
		if a.JSON {
			write = func(a *app) error { return writeJSON(a.out, result) }
		}
		if err := write(a); err != nil {
			return err
		}
	}
	if !a.JSON {
		const told = "Lateness is when the daemon claimed a task for a worker, after when it was due, jitter included. Memory is of this process,\nthe daemon and its workers together, the most so far.\n"
		if _, err := fmt.Fprintf(a.out, "%s%s\n", told, r.setting); err != nil {
			return err
		}
	}
	if svg == "" {
		return nil
	}
	return os.WriteFile(svg, r.drawing(), 0o644) //nolint:gosec // a picture for everybody to see
}

// burstHeading names a run by its jitter.
func burstHeading(jitter time.Duration) string {
	if jitter == 0 {
		return "Without jitter"
	}
	return "With a jitter of " + jitter.String()
}

// writeTable writes what people read of one run.
func (r burstResult) writeTable(a *app) error {
	memory := "unknown"
	if r.Memory > 0 {
		memory = fmt.Sprintf("%.0f MiB", r.Memory/(1<<20))
	}
	heading := burstHeading(time.Duration(r.Jitter * float64(time.Second)))
	_, err := fmt.Fprintf(a.out, "%s: put at %s schedules/s; the burst took %.2f s, at most %s in %s; memory %s\n",
		heading, thousands(int(r.PutRate)), r.Took, thousands(r.Peak), burstSlot, memory)
	if err != nil {
		return err
	}
	tab := newTable(a.out, "QUEUE", "TASKS", "P50", "P99", "MAX", "EARLY", "LOST", "DOUBLES")
	for _, row := range []struct {
		name string
		lateResult
	}{{"burst", r.Burst}, {"other, before the burst", r.Before}, {"other, during the burst", r.During}} {
		tab.row(row.name, thousands(row.Tasks), millis(row.P50), millis(row.P99), millis(row.Max),
			thousands(row.Early), thousands(row.Lost), thousands(row.Doubles))
	}
	tab.row()
	return tab.flush()
}

// drawing returns the report as an SVG.
func (r burstReport) drawing() []byte {
	from, to := time.Duration(0), time.Duration(0)
	for i := range r.runs {
		from, to = min(from, -r.runs[i].quiet), max(to, r.runs[i].took())
	}
	slot := burstSlotOf(to - from)
	d := barDrawing{
		title: "Many schedules due in the same second", subtitle: r.setting,
		bar: slot, from: from, to: to.Truncate(slot) + slot,
		barsTitle: fmt.Sprintf("tasks of the burst that were fired in %s", slot),
		lineTitle: fmt.Sprintf("lateness of the other queue, in ms, the worst of %s", slot),
		xTitle:    "seconds since the schedules are due",
	}
	for i := range r.runs {
		s := &r.runs[i]
		during := s.other.dueIn(-s.quiet, s.took())
		d.panels = append(d.panels, barPanel{title: burstHeading(s.jitter), counts: s.burst.perSlot(slot), line: during.worst(slot)})
	}
	return d.svg()
}

// burstSlotOf returns what one bar of a drawing counts that is as long as that:
// burstSlot, or a multiple of it if there would be too many.
func burstSlotOf(length time.Duration) time.Duration {
	const most = 200
	slot := burstSlot
	for length > most*slot {
		slot *= 2
	}
	return slot
}

// worst returns the worst lateness, in ms, of what was due in each part of a
// while, over the part's middle in seconds.
func (s *sightings) worst(slot time.Duration) []point {
	late := make(map[time.Duration]time.Duration)
	for _, one := range s.first {
		middle := time.Duration(math.Floor(float64(one.due)/float64(slot)))*slot + slot/2
		late[middle] = max(late[middle], one.fired-one.due)
	}
	points := make([]point, 0, len(late))
	for _, middle := range slices.Sorted(maps.Keys(late)) {
		points = append(points, point{middle.Seconds(), 1000 * late[middle].Seconds()})
	}
	return points
}
