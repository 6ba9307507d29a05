package main

import (
	"fmt"
	"slices"
	"testing"
)

func TestPlans(t *testing.T) {
	r := run{
		workloads: []workload{{name: "idle"}, {name: "burst", fires: true}},
		rivals:    []rival{{name: "a"}, {name: "a-pool", variant: true}, {name: "b"}},
		rounds:    2,
		scale:     1,
	}
	var got []string
	for _, p := range r.plans() {
		got = append(got, fmt.Sprint(p.Round, " ", p.Workload, " ", p.Rival))
	}
	want := []string{
		"1 idle a", "1 idle b", "1 burst a", "1 burst a-pool", "1 burst b",
		"2 idle b", "2 idle a", "2 burst a-pool", "2 burst b", "2 burst a",
	}
	if !slices.Equal(got, want) {
		t.Errorf("plans are\n%q, want\n%q", got, want)
	}
}

// The same round has the same random numbers for all rivals, another round and
// another stream have others.
func TestRandom(t *testing.T) {
	first := plan{Rival: "a", Round: 1}.random(1).next()
	if again := (plan{Rival: "b", Round: 1}).random(1).next(); again != first {
		t.Errorf("two rivals get %d and %d", first, again)
	}
	for _, other := range []uint64{plan{Round: 2}.random(1).next(), plan{Round: 1}.random(2).next()} {
		if other == first {
			t.Error("two rounds or streams have the same numbers")
		}
	}
	random, counts := plan{Round: 1}.random(1), [10]int{}
	for range 10_000 {
		counts[random.below(len(counts))]++
	}
	if slices.Min(counts[:]) < 900 || slices.Max(counts[:]) > 1100 {
		t.Errorf("of 10,000 numbers below 10 there are %v of each", counts)
	}
}
