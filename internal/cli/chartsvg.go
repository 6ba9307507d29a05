package cli

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// drawing is charts side by side, with one legend, since they have the same curves.
//
//	title
//	subtitle
//	● curve   ■ curve   ▲ curve …
//	┌ chart ┐┌ chart ┐
//	│       ││       │
//	└───────┘└───────┘
//	notes
type drawing struct {
	title, subtitle string
	charts          []chart
	notes           []string
}

// Lengths in pixels.
const (
	margin      = 24
	headHeight  = 104 // title, subtitle, legend
	chartWidth  = 380
	chartHeight = 340
	plotLeft    = 64 // from the chart's edges
	plotTop     = 56
	plotRight   = 16
	plotBottom  = 52
	plotPadding = 16 // left and right of the first and last x
	noteHeight  = 18
	legendStep  = 130
	apart       = 4 // by which curves are moved sideways, so that none hides another
)

// curveStyle is how a curve is told from others: in colours that those who see
// few of them can tell apart, too (after Okabe and Ito), and by its marks.
type curveStyle struct{ colour, mark string }

var curveStyles = [...]curveStyle{
	{"#0072b2", `<circle r="4.5"/>`},
	{"#d55e00", `<rect x="-4" y="-4" width="8" height="8"/>`},
	{"#009e73", `<path d="M0-5.5 5 4H-5Z"/>`},
	{"#a0509a", `<path d="M0-5.5 5.5 0 0 5.5-5.5 0Z"/>`},
	{"#b98a00", `<path d="M0 5.5 5-4H-5Z"/>`},
	{"#555555", `<path d="M-4-4 4 4M-4 4 4-4" fill="none" stroke-width="2.2"/>`},
}

// canvas is an SVG that grows.
type canvas struct{ b strings.Builder }

func (c *canvas) add(format string, args ...any) {
	fmt.Fprintf(&c.b, format+"\n", args...)
}

// text writes s; class says how it looks.
func (c *canvas) text(x, y float64, class, s string) {
	c.add(`<text x="%.1f" y="%.1f" class="%s">%s</text>`, x, y, class, html.EscapeString(s))
}

func (c *canvas) straight(x1, y1, x2, y2 float64, class string) {
	c.add(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" class="%s"/>`, x1, y1, x2, y2, class)
}

const chartLook = `<style>
text { font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif; font-size: 12px; fill: #333 }
.title { font-size: 18px; font-weight: 600; fill: #111 }
.head { font-size: 14px; font-weight: 600; fill: #111 }
.dim { fill: #666 }
.x { text-anchor: middle }
.y { text-anchor: end }
.grid { stroke: #e4e4e4 }
.axis { stroke: #888 }
</style>`

// svg returns the drawing as a file.
func (d *drawing) svg() []byte {
	width := 2*margin + chartWidth*len(d.charts)
	height := 2*margin + headHeight + chartHeight + noteHeight*len(d.notes)
	c := &canvas{}
	c.add(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img">`, width, height)
	c.add(`<title>%s</title>`, html.EscapeString(d.title))
	c.add("%s", chartLook)
	c.add(`<rect width="%d" height="%d" fill="#fdfdfb"/>`, width, height)
	c.text(margin, margin+16, "title", d.title)
	c.text(margin, margin+38, "dim", d.subtitle)
	if len(d.charts) > 0 {
		c.legend(d.charts[0].curves)
	}
	for i := range d.charts {
		d.charts[i].draw(c, float64(margin+i*chartWidth), margin+headHeight)
	}
	for i, note := range d.notes {
		c.text(margin, float64(margin+headHeight+chartHeight+noteHeight*(i+1)), "", note)
	}
	c.add("</svg>")
	return []byte(c.b.String())
}

func (c *canvas) legend(curves []curve) {
	const y = margin + 70
	for i, l := range curves {
		x := float64(margin + 12 + i*legendStep)
		style := curveStyles[i%len(curveStyles)]
		c.add(`<line x1="%.1f" y1="%d" x2="%.1f" y2="%[2]d" stroke="%[4]s" stroke-width="2"/>`, x-12, y, x+12, style.colour)
		c.markAt(x, y, style)
		c.text(x+20, y+4, "", l.name)
	}
}

func (c *canvas) markAt(x, y float64, s curveStyle) {
	c.add(`<g transform="translate(%.1f %.1f)" fill="%s" stroke="%[3]s">%s</g>`, x, y, s.colour, s.mark)
}

// plot is the field of a chart between its axes.
type plot struct {
	left, right, top, bottom float64
	x, y                     func(float64) float64
}

// draw draws the chart with its upper left corner at x, y.
func (ch *chart) draw(c *canvas, x, y float64) {
	low, high := ch.decades()
	p := plot{left: x + plotLeft, right: x + chartWidth - plotRight, top: y + plotTop, bottom: y + chartHeight - plotBottom}
	vertical := scale{float64(low), float64(high), p.bottom, p.top}
	p.x = xScale(ch.xs(), p.left+plotPadding, p.right-plotPadding)
	p.y = func(v float64) float64 { return vertical.at(math.Log10(ch.drawn(v))) }

	c.text(p.left, y+20, "head", ch.title)
	c.text(p.left, y+38, "dim", ch.unit)
	ch.drawAxes(c, p, low, high)
	for i := range ch.curves {
		sideways := apart * (float64(i) - float64(len(ch.curves)-1)/2)
		ch.curves[i].draw(c, p, sideways, curveStyles[i%len(curveStyles)])
	}
}

func (ch *chart) drawAxes(c *canvas, p plot, low, high int) {
	for _, v := range marks(low, high) {
		label := ch.mark(v)
		if ch.least > 0 && v <= ch.least {
			label = "≤ " + label
		}
		c.straight(p.left, p.y(v), p.right, p.y(v), "grid")
		c.text(p.left-8, p.y(v)+4, "y", label)
	}
	c.straight(p.left, p.top, p.left, p.bottom, "axis")
	c.straight(p.left, p.bottom, p.right, p.bottom, "axis")
	xs := ch.xs()
	for _, x := range xs {
		c.straight(p.x(x), p.bottom, p.x(x), p.bottom+5, "axis")
		c.text(p.x(x), p.bottom+20, "x", thousands(int(x)))
	}
	if len(xs) > 1 && xs[0] == 0 { // here the axis is not logarithmic
		gap := (p.x(xs[0]) + p.x(xs[1])) / 2
		c.straight(gap-5, p.bottom+5, gap-1, p.bottom-5, "axis")
		c.straight(gap+1, p.bottom+5, gap+5, p.bottom-5, "axis")
	}
	c.text((p.left+p.right)/2, p.bottom+40, "x dim", ch.xTitle)
}

// marks returns the values that a logarithmic axis shows: powers of ten, and
// some between them if there are few.
func marks(low, high int) []float64 {
	var all []float64
	for decade := low; decade <= high; decade++ {
		all = append(all, math.Pow10(decade))
		if high-low <= 2 && decade < high {
			all = append(all, 2*math.Pow10(decade), 5*math.Pow10(decade))
		}
	}
	return all
}

func (l *curve) draw(c *canvas, p plot, sideways float64, style curveStyle) {
	var corners []string
	for _, pt := range l.points {
		corners = append(corners, fmt.Sprintf("%.1f,%.1f", p.x(pt.x)+sideways, p.y(pt.y)))
	}
	c.add(`<polyline points="%s" fill="none" stroke="%s" stroke-width="2" stroke-linejoin="round"/>`, strings.Join(corners, " "), style.colour)
	for _, pt := range l.points {
		c.markAt(p.x(pt.x)+sideways, p.y(pt.y), style)
	}
}
