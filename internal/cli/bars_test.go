package cli

import (
	"bytes"
	"encoding/xml"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestLinearUpTo(t *testing.T) {
	for _, c := range []struct {
		highest float64
		want    linear
	}{
		{0, linear{1, 1}},
		{-3, linear{1, 1}},
		{5, linear{5, 1}},
		{6, linear{6, 2}},
		{12, linear{15, 5}},
		{1234, linear{1500, 500}},
	} {
		if got := linearUpTo(c.highest, 5); got != c.want {
			t.Errorf("up to %v: %+v, want %+v", c.highest, got, c.want)
		}
	}
}

func TestLinearUpToHasRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		highest, about := rapid.Float64Range(1e-9, 1e9).Draw(t, "highest"), rapid.IntRange(1, 10).Draw(t, "about")
		l := linearUpTo(highest, about)
		if l.top < highest || l.top-highest > l.step*1.001 || l.top/l.step > float64(about)+0.001 {
			t.Errorf("up to %v: %+v", highest, l)
		}
	})
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", -2: "-2", 0.5: "0.5", 12_000: "12,000", 1e12: "1e+12", 3 * 0.1: "0.3"} {
		if got := number(v); got != want {
			t.Errorf("%v is written %s, want %s", v, got, want)
		}
	}
}

// TestBarDrawingsOfOddFigures must be files that can be shown, with no
// coordinate that is no number, and no bar with a negative length.
func TestBarDrawingsOfOddFigures(t *testing.T) {
	for name, panels := range map[string][]barPanel{
		"none":     nil,
		"empty":    {{}},
		"odd name": {{title: `<&"`, counts: []int{0, 1, 0, math.MaxInt32}, line: []point{{1, 0}}}},
	} {
		t.Run(name, func(t *testing.T) {
			d := barDrawing{title: name, bar: time.Second, to: 4 * time.Second, panels: panels}
			svg := d.svg()
			if err := xml.Unmarshal(svg, new(struct{})); err != nil {
				t.Errorf("%v in\n%s", err, svg)
			}
			for _, bad := range []string{"NaN", "Inf", "%!", `width="-`, `height="-`} {
				if bytes.Contains(svg, []byte(bad)) {
					t.Errorf("%s in\n%s", bad, svg)
				}
			}
		})
	}
}
