package cli

import (
	"bytes"
	"encoding/xml"
	"math"
	"slices"
	"strconv"
	"testing"
)

func curves(points ...point) []curve { return []curve{{"a", points}} }

func TestXScale(t *testing.T) {
	for _, c := range []struct {
		xs, want []float64
	}{
		{[]float64{0, 1000, 10_000, 100_000}, []float64{0, 20, 40, 60}}, // 0 is one decade before the first
		{[]float64{1, 10, 1000}, []float64{0, 20, 60}},
		{[]float64{7}, []float64{30}},
		{[]float64{0}, []float64{30}},
	} {
		at := xScale(c.xs, 0, 60)
		for i, x := range c.xs {
			if got := at(x); math.Abs(got-c.want[i]) > 1e-9 {
				t.Errorf("of %v, %v stands at %v, want %v", c.xs, x, got, c.want[i])
			}
		}
	}
}

func TestDecades(t *testing.T) {
	for _, c := range []struct {
		ys        []float64
		least     float64
		low, high int
	}{
		{[]float64{12, 4000}, 0, 1, 4},
		{[]float64{10, 1000}, 0, 1, 3},
		{[]float64{100}, 0, 2, 3},
		{[]float64{0, 500}, 0.01, -2, 3},
		{[]float64{0}, 0.01, -2, -1},
		{nil, 0, 0, 1},
	} {
		ch := chart{least: c.least}
		for _, y := range c.ys {
			ch.curves = append(ch.curves, curve{points: []point{{1, y}}})
		}
		if low, high := ch.decades(); low != c.low || high != c.high {
			t.Errorf("%v: decades %d to %d, want %d to %d", c.ys, low, high, c.low, c.high)
		}
	}
}

func TestMarks(t *testing.T) {
	if got := marks(1, 2); !slices.Equal(got, []float64{10, 20, 50, 100}) {
		t.Errorf("one decade has the marks %v", got)
	}
	if got := marks(-2, 3); !slices.Equal(got, []float64{0.01, 0.1, 1, 10, 100, 1000}) {
		t.Errorf("five decades have the marks %v", got)
	}
}

// TestDrawingsOfOddFigures must be files that can be shown, with no coordinate
// that is no number.
func TestDrawingsOfOddFigures(t *testing.T) {
	for name, cs := range map[string][]curve{
		"none":          nil,
		"no points":     curves(),
		"one at zero":   curves(point{0, 0}),
		"all the same":  curves(point{1, 5}, point{10, 5}),
		"odd name":      {{`<&"`, []point{{1, 1}}}},
		"a wide spread": curves(point{0, 1e-300}, point{1e12, 1e300}),
	} {
		t.Run(name, func(t *testing.T) {
			d := drawing{title: name, charts: []chart{{curves: cs, mark: func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }}}}
			svg := d.svg()
			if err := xml.Unmarshal(svg, new(struct{})); err != nil {
				t.Errorf("%v in\n%s", err, svg)
			}
			for _, bad := range []string{"NaN", "Inf", "%!"} {
				if bytes.Contains(svg, []byte(bad)) {
					t.Errorf("%s in\n%s", bad, svg)
				}
			}
		})
	}
}
