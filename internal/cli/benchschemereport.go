package cli

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"
)

// schemeKind is one way to measure a wheel.
type schemeKind struct {
	title, unit string
	idle        bool    // takes benchSchemesCmd.Idle, and needs timers that wait
	least       float64 // below this, a chart tells nothing apart
	measure     func(*measuredWheel, context.Context, time.Duration) float64
	cell        func(float64) string // as the table has it
	mark        func(float64) string // as an axis has it
}

// The indexes of schemeKinds.
const (
	kindSetAndStop = iota
	kindExpire
	kindIdle
)

var schemeKinds = [...]schemeKind{
	kindSetAndStop: {
		title: "To set a timer and stop it", unit: "time for both",
		measure: (*measuredWheel).setAndStop, cell: nanos, mark: nanosMark,
	},
	kindExpire: {
		title: "A timer that fires", unit: "processor time for each",
		measure: (*measuredWheel).expire, cell: nanos, mark: nanosMark,
	},
	kindIdle: {
		title: "Idle: nothing is due for an hour", unit: "processor time, ms per second",
		idle: true, least: 0.1,
		measure: (*measuredWheel).idle,
		cell:    func(v float64) string { return fmt.Sprintf("%.2f", v) },
		mark:    func(v float64) string { return fmt.Sprintf("%g", v) },
	},
}

func (k *schemeKind) applies(live int) bool { return !k.idle || live > 0 }

// nanos writes a number of ns.
func nanos(v float64) string { return thousands(int(math.Round(v))) + " ns" }

// nanosMark writes a power of ten of ns.
func nanosMark(v float64) string {
	for _, unit := range []string{"ns", "µs", "ms"} {
		if v < 1000 {
			return fmt.Sprintf("%g %s", v, unit)
		}
		v /= 1000
	}
	return fmt.Sprintf("%g s", v)
}

// figure returns the median of one kind, or nil if it was not measured.
func (c *schemeCell) figure(kind int) *float64 {
	if len(c.rounds[kind]) == 0 {
		return nil
	}
	m := median(c.rounds[kind])
	return &m
}

// schemeReport is what was measured.
type schemeReport struct {
	cells   []schemeCell // by live, then by scheme
	setting string       // how it was measured
}

// schemeResult is what --json shows of one scheme with one number of timers.
type schemeResult struct {
	Scheme     string   `json:"scheme"`
	Live       int      `json:"live"`
	SetAndStop *float64 `json:"set_and_stop_ns,omitempty"`
	Expire     *float64 `json:"expire_cpu_ns,omitempty"`
	Idle       *float64 `json:"idle_cpu_ms_per_second,omitempty"`
	LeftOut    string   `json:"left_out,omitempty"`
}

func (r schemeReport) show(a *app, svg string) error {
	write := r.writeTables
	if a.JSON {
		write = r.writeJSON
	}
	if err := write(a); err != nil || svg == "" {
		return err
	}
	return os.WriteFile(svg, r.drawing(), 0o644) //nolint:gosec // a picture for everybody to see
}

func (r schemeReport) writeJSON(a *app) error {
	for i := range r.cells {
		c := &r.cells[i]
		err := writeJSON(a.out, schemeResult{
			Scheme: c.scheme, Live: c.live, LeftOut: c.leftOut,
			SetAndStop: c.figure(kindSetAndStop), Expire: c.figure(kindExpire), Idle: c.figure(kindIdle),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// writeTables writes a table of each kind, and what was left out.
func (r schemeReport) writeTables(a *app) error {
	for kind := range schemeKinds {
		k := &schemeKinds[kind]
		if _, err := fmt.Fprintf(a.out, "%s (%s)\n", k.title, k.unit); err != nil {
			return err
		}
		tab := newTable(a.out, append([]string{"LIVE"}, r.schemes(strings.ToUpper)...)...)
		for row := range slices.Chunk(r.cells, len(r.schemes(nil))) {
			if k.applies(row[0].live) {
				tab.row(rowOf(row, kind)...)
			}
		}
		tab.row()
		if err := tab.flush(); err != nil {
			return err
		}
	}
	for _, note := range append(r.notes(), r.setting) {
		if _, err := fmt.Fprintln(a.out, note); err != nil {
			return err
		}
	}
	return nil
}

func rowOf(cells []schemeCell, kind int) []string {
	row := []string{thousands(cells[0].live)}
	for i := range cells {
		text := "-"
		if v := cells[i].figure(kind); v != nil {
			text = schemeKinds[kind].cell(*v)
		}
		row = append(row, text)
	}
	return row
}

// schemes returns the names of the schemes, each changed by f if there is one.
func (r schemeReport) schemes(f func(string) string) []string {
	var names []string
	for i := range r.cells {
		if r.cells[i].live != r.cells[0].live {
			break
		}
		name := r.cells[i].scheme
		if f != nil {
			name = f(name)
		}
		names = append(names, name)
	}
	return names
}

// notes say what was left out.
func (r schemeReport) notes() []string {
	var notes []string
	for i := range r.cells {
		if c := &r.cells[i]; c.leftOut != "" {
			notes = append(notes, fmt.Sprintf("left out: %s with %s timers: %s", c.scheme, thousands(c.live), c.leftOut))
		}
	}
	return notes
}

// drawing returns the report as an SVG.
func (r schemeReport) drawing() []byte {
	d := drawing{title: "What a wheel costs, by its scheme", subtitle: r.setting, notes: r.notes()}
	for kind := range schemeKinds {
		d.charts = append(d.charts, r.chart(kind))
	}
	return d.svg()
}

func (r schemeReport) chart(kind int) chart {
	k := &schemeKinds[kind]
	c := chart{title: k.title, unit: k.unit, xTitle: "timers that wait", least: k.least, mark: k.mark}
	for i, name := range r.schemes(nil) {
		l := curve{name: name}
		for row := range slices.Chunk(r.cells, len(r.schemes(nil))) {
			if v := row[i].figure(kind); v != nil {
				l.points = append(l.points, point{float64(row[i].live), *v})
			}
		}
		c.curves = append(c.curves, l)
	}
	return c
}
