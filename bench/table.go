package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// table holds all measured values by what they are of.
type table struct {
	results []result
	values  map[cell][]float64
}

// cell names the values of one figure.
type cell struct{ workload, figure, rival string }

// writeTable prints results as a table in Markdown, for docs/performance.md.
func writeTable(w io.Writer, results []result) error {
	if len(results) == 0 {
		return nil
	}
	t := table{results, map[cell][]float64{}}
	for _, r := range results {
		for figure, value := range r.Figures {
			c := cell{r.Workload, figure, r.Rival}
			t.values[c] = append(t.values[c], value)
		}
	}
	_, err := io.WriteString(w, t.markdown())
	return err
}

func (t table) markdown() string {
	var b strings.Builder
	names := t.rivals()
	fmt.Fprintf(&b, "| | %s |\n|---|%s\n", strings.Join(names, " | "), strings.Repeat("---|", len(names)))
	for _, w := range workloads {
		for _, r := range w.rows {
			t.writeRow(&b, w, r, names)
		}
	}
	fmt.Fprintf(&b, "\n%s\n", t.legend())
	return b.String()
}

// rivals returns the names of the rivals that were measured, in their order.
func (t table) rivals() []string {
	var names []string
	for _, r := range rivals() {
		if slices.ContainsFunc(t.results, func(one result) bool { return one.Rival == r.name }) {
			names = append(names, r.name)
		}
	}
	return names
}

// writeRow writes the row, if any rival has values for it.
func (t table) writeRow(b *strings.Builder, w workload, r row, names []string) {
	cells, measured := make([]string, len(names)), false
	for i, name := range names {
		cells[i] = t.show(w, r, name)
		measured = measured || cells[i] != nothingMeasured
	}
	if !measured {
		return
	}
	label := w.title
	if r.label != "" {
		label += ": " + r.label
	}
	fmt.Fprintf(b, "| %s | %s |\n", label, strings.Join(cells, " | "))
}

const nothingMeasured = "–"

// show writes one cell: the ratio first, then the figure and its spread.
func (t table) show(w workload, r row, name string) string {
	values := t.values[cell{w.name, r.figure, name}]
	if len(values) == 0 {
		return nothingMeasured
	}
	shown := spread(values, r.unit)
	base := t.values[cell{w.name, r.figure, baseline}]
	if !r.ratio || name == baseline || len(base) == 0 || median(values) <= 0 {
		return shown
	}
	return fmt.Sprintf("**%s ×** %s", number(median(base)/median(values)), shown)
}

func (t table) legend() string {
	first := t.results[0]
	last := slices.MaxFunc(t.results, func(a, b result) int { return cmp.Compare(a.Round, b.Round) })
	legend := fmt.Sprintf("%s. %s; × is how many times less than package %s in the same run.", first.Machine, rounds(last.Round), baseline)
	if first.Scale != 1 {
		legend += fmt.Sprintf(" Sizes and times are scaled by %g: these are no results.", first.Scale)
	}
	return legend
}

func rounds(n int) string {
	if n == 1 {
		return "One round"
	}
	return fmt.Sprintf("Medians of %d rounds (least–most)", n)
}

// spread shows the median, and the least and the most if there are several.
func spread(values []float64, unit string) string {
	shown := number(median(values))
	if unit != "" {
		shown += " " + unit
	}
	if least, most := number(slices.Min(values)), number(slices.Max(values)); least != most {
		shown += fmt.Sprintf(" (%s–%s)", least, most)
	}
	return shown
}

// median returns the middle one, or the mean of the two in the middle.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// number shows a value with three digits or all before the point, and commas
// between thousands.
func number(v float64) string {
	size := max(v, -v)
	switch {
	case v == float64(int64(v)) || size >= 100:
		return thousands(strconv.FormatFloat(v, 'f', 0, 64))
	case size >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	default:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
}

func thousands(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}
