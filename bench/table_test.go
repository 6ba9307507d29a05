package main

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	here := machine{CPUs: 2, CPU: "Some CPU", System: "linux/amd64", Go: "go1.26.8", Date: "2026-11-21"}
	var results []result
	for round, of := range []map[string]figures{
		{"time": {"bytes": 130, "objects": 1}, "timewheel": {"bytes": 30, "objects": 0}},
		{"time": {"bytes": 120, "objects": 1}, "timewheel": {"bytes": 26.25, "objects": 0}},
		{"time": {"bytes": 125, "objects": 1}, "timewheel": {"bytes": 25, "objects": 0}},
	} {
		for rival, f := range of {
			results = append(results, result{plan{"memory", rival, round + 1, 1}, f, here})
		}
	}
	results = append(results, result{plan{"idle", "heap", 1, 1}, figures{"cpu_ms": 1234.5}, here})
	var got strings.Builder
	if err := writeTable(&got, results); err != nil {
		t.Fatal(err)
	}
	want := `| | timewheel | time | heap |
|---|---|---|---|
| heap per live timer: bytes | **4.76 ×** 26.2 B (25–30) | 125 B (120–130) | – |
| heap per live timer: objects | 0 | 1 | – |
| 100,000 due in an hour, 10 s: processor time | – | – | 1,234 ms |

2 processors (Some CPU), linux/amd64, go1.26.8, 2026-11-21. Medians of 3 rounds (least–most); × is how many times less than package time in the same run.
`
	if got.String() != want {
		t.Errorf("the table is\n%s, want\n%s", got.String(), want)
	}
}

func TestScaledTableSaysSo(t *testing.T) {
	var got strings.Builder
	if err := writeTable(&got, []result{{plan{"idle", "time", 1, 0.01}, figures{"cpu_ms": 1}, machine{}}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got.String(), "scaled by 0.01") {
		t.Errorf("the table of a scaled run does not say so:\n%s", got.String())
	}
}

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{
		{0, "0"},
		{7, "7"},
		{0.034, "0.03"},
		{2.345, "2.35"},
		{47.26, "47.3"},
		{123.4, "123"},
		{999.9, "1,000"},
		{1234567, "1,234,567"},
		{-1234, "-1,234"},
		{-123.4, "-123"},
	} {
		if got := number(c.v); got != c.want {
			t.Errorf("%v is shown as %s, want %s", c.v, got, c.want)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{5}, 5},
		{[]float64{9, 1}, 5},
		{[]float64{9, 1, 4}, 4},
		{[]float64{9, 1, 4, 5}, 4.5},
	} {
		if got := median(c.values); got != c.want {
			t.Errorf("the median of %v is %v, want %v", c.values, got, c.want)
		}
	}
}
