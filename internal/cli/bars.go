package cli

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
	"time"
)

// barDrawing is bars over time, with a line over the same time beneath, for
// several runs side by side. All have the same linear axes, so that they can be compared.
//
//	title
//	subtitle
//	┌ panel ┐┌ panel ┐
//	│ ▂█▄▁  ││ ▂▂▂▂▂ │
//	│ ╱╲__  ││ _____ │
//	└───────┘└───────┘
type barDrawing struct {
	title, subtitle              string
	barsTitle, lineTitle, xTitle string

	bar      time.Duration // what one bar counts, the first from 0 on
	from, to time.Duration // of the axis of time; to is after from and after the last bar
	panels   []barPanel
}

type barPanel struct {
	title  string
	counts []int
	line   []point // x in seconds, ascending
}

// Lengths in pixels.
const (
	barsHead   = 60  // title, subtitle
	barsWidth  = 480 // of a panel
	barsHeight = 300 // of its bars, with their title
	lineHeight = 206 // of its line, with its title and the axis of time
	barsTop    = 52  // from a panel's edge to its bars
	lineTop    = 46
	lineBottom = 52
)

// svg returns the drawing as a file.
func (d *barDrawing) svg() []byte {
	width := 2*margin + barsWidth*len(d.panels)
	height := 2*margin + barsHead + barsHeight + lineHeight
	c := &canvas{}
	c.add(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img">`, width, height)
	c.add(`<title>%s</title>`, html.EscapeString(d.title))
	c.add("%s", chartLook)
	c.add(`<rect width="%d" height="%d" fill="#fdfdfb"/>`, width, height)
	c.text(margin, margin+16, "title", d.title)
	c.text(margin, margin+38, "dim", d.subtitle)
	most, worst := d.highest()
	for i := range d.panels {
		p := &d.panels[i]
		left := float64(margin + i*barsWidth)
		d.drawBars(c, p, d.plot(left, margin+barsHead+barsTop, barsHeight-barsTop, most))
		d.drawLine(c, p, d.plot(left, margin+barsHead+barsHeight+lineTop, lineHeight-lineTop-lineBottom, worst))
	}
	c.add("</svg>")
	return []byte(c.b.String())
}

// highest returns what the axes of all panels reach up to: a bar, and a line.
func (d *barDrawing) highest() (most, worst linear) {
	highestBar, highestPoint := 0.0, 0.0
	for _, p := range d.panels {
		for _, n := range p.counts {
			highestBar = max(highestBar, float64(n))
		}
		for _, pt := range p.line {
			highestPoint = max(highestPoint, pt.y)
		}
	}
	return linearUpTo(highestBar, 5), linearUpTo(highestPoint, 3)
}

// plot returns a field whose y axis begins at 0, and draws nothing.
func (d *barDrawing) plot(left, top, height float64, y linear) barPlot {
	p := barPlot{axis: y}
	p.left, p.right, p.top, p.bottom = left+plotLeft, left+barsWidth-plotRight, top, top+height
	horizontal := scale{d.from.Seconds(), d.to.Seconds(), p.left, p.right}
	vertical := scale{0, y.top, p.bottom, p.top}
	p.x, p.y = horizontal.at, vertical.at
	return p
}

// barPlot is a field with a linear y axis.
type barPlot struct {
	plot

	axis linear
}

// drawAxes draws the grid and what its lines mean.
func (p barPlot) drawAxes(c *canvas, unit string) {
	c.text(p.left, p.top-14, "dim", unit)
	for _, v := range p.axis.marks(0, p.axis.top) {
		c.straight(p.left, p.y(v), p.right, p.y(v), "grid")
		c.text(p.left-8, p.y(v)+4, "y", number(v))
	}
	c.straight(p.left, p.top, p.left, p.bottom, "axis")
	c.straight(p.left, p.bottom, p.right, p.bottom, "axis")
}

func (d *barDrawing) drawBars(c *canvas, panel *barPanel, p barPlot) {
	c.text(p.left, p.top-32, "head", panel.title)
	p.drawAxes(c, d.barsTitle)
	c.add(`<g fill="%s">`, curveStyles[0].colour)
	for i, n := range panel.counts {
		begin, end := p.x((time.Duration(i) * d.bar).Seconds()), p.x((time.Duration(i+1) * d.bar).Seconds())
		if top := p.y(float64(n)); n > 0 {
			gap := min(1, (end-begin)/4)
			c.add(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, begin, top, end-begin-gap, p.bottom-top)
		}
	}
	c.add("</g>")
}

func (d *barDrawing) drawLine(c *canvas, panel *barPanel, p barPlot) {
	p.drawAxes(c, d.lineTitle)
	seconds := linearUpTo(d.to.Seconds()-d.from.Seconds(), 8)
	for _, v := range seconds.marks(d.from.Seconds(), d.to.Seconds()) {
		c.straight(p.x(v), p.bottom, p.x(v), p.bottom+5, "axis")
		c.text(p.x(v), p.bottom+20, "x", number(v))
	}
	c.text((p.left+p.right)/2, p.bottom+40, "x dim", d.xTitle)
	var corners []string
	for _, pt := range panel.line {
		corners = append(corners, fmt.Sprintf("%.1f,%.1f", p.x(pt.x), p.y(pt.y)))
	}
	c.add(`<polyline points="%s" fill="none" stroke="%s" stroke-width="1.5" stroke-linejoin="round"/>`, strings.Join(corners, " "), curveStyles[1].colour)
}

// linear is a linear axis: up to where it reaches, and how far apart its marks are.
type linear struct{ top, step float64 }

// linearUpTo returns an axis from 0 on that has room for a value, with about so
// many marks at round numbers.
func linearUpTo(highest float64, about int) linear {
	if highest <= 0 {
		return linear{1, 1}
	}
	power := math.Pow10(int(math.Floor(math.Log10(highest / float64(about)))))
	steps := []float64{power, 2 * power, 5 * power, 10 * power}
	i := slices.IndexFunc(steps, func(s float64) bool { return s*float64(about) >= highest })
	step := steps[max(i, 0)]
	return linear{step * math.Ceil(highest/step), step}
}

// marks returns the multiples of the step in [from, to].
func (l linear) marks(from, to float64) []float64 {
	var all []float64
	for i := math.Ceil(from / l.step); i*l.step <= to; i++ {
		all = append(all, i*l.step)
	}
	return all
}

// number writes a round number of an axis.
func number(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e9 {
		return thousands(int(v))
	}
	return fmt.Sprintf("%.3g", v)
}
