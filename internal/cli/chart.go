package cli

import (
	"math"
	"slices"
)

// chart is curves over two logarithmic axes.
type chart struct {
	title, unit, xTitle string

	curves []curve
	least  float64              // a y below this is drawn at it; 0: none is
	mark   func(float64) string // writes a power of ten on the y axis
}

type curve struct {
	name   string
	points []point // x ascending
}

// point is a place on a chart. An x of 0 is drawn one decade before the first x
// above, since a logarithmic axis has no place for it.
type point struct{ x, y float64 }

// xs returns all x of a chart, in order.
func (ch *chart) xs() []float64 {
	var all []float64
	for _, l := range ch.curves {
		for _, p := range l.points {
			all = append(all, p.x)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// decades returns the powers of ten between which all y lie; they are not the
// same one.
func (ch *chart) decades() (low, high int) {
	smallest, largest := math.Inf(1), math.Inf(-1)
	for _, l := range ch.curves {
		for _, p := range l.points {
			y := ch.drawn(p.y)
			smallest, largest = min(smallest, y), max(largest, y)
		}
	}
	if smallest > largest {
		return 0, 1
	}
	low, high = int(math.Floor(math.Log10(smallest))), int(math.Ceil(math.Log10(largest)))
	return low, max(high, low+1)
}

// drawn returns the y at which a y is drawn.
func (ch *chart) drawn(y float64) float64 { return max(y, ch.least, math.SmallestNonzeroFloat32) }

// scale maps an interval onto another one.
type scale struct{ from, to, begin, end float64 }

func (s scale) at(v float64) float64 {
	return s.begin + (v-s.from)/(s.to-s.from)*(s.end-s.begin)
}

// xScale returns where an x stands between begin and end.
func xScale(xs []float64, begin, end float64) func(x float64) float64 {
	if len(xs) == 0 {
		return func(float64) float64 { return begin }
	}
	zero := 0.0 // where 0 stands, a power of ten
	if i := slices.IndexFunc(xs, func(x float64) bool { return x > 0 }); i >= 0 {
		zero = math.Log10(xs[i]) - 1
	}
	log := func(x float64) float64 {
		if x <= 0 {
			return zero
		}
		return math.Log10(x)
	}
	s := scale{log(xs[0]), log(xs[len(xs)-1]), begin, end}
	if s.from == s.to {
		s.from, s.to = s.from-1, s.to+1
	}
	return func(x float64) float64 { return s.at(log(x)) }
}
