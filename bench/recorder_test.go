package main

import (
	"maps"
	"testing"
	"testing/synctest"
	"time"
)

func TestRecorder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder(101)
		r.start = time.Now()
		onTime := r.callback(time.Second)
		early := r.callback(time.Second + 1)
		late := r.callback(time.Second - 5*time.Millisecond)
		time.Sleep(time.Second)
		early()
		late()
		for range 98 {
			onTime()
		}
		r.wait(time.Minute) // one is missing
		if waited := time.Since(r.start); waited != time.Second+time.Minute {
			t.Errorf("waited until %v for one that never comes, want a minute of patience", waited)
		}
		want := figures{"early": 1, "lost": 1, "p50_us": 0, "p99_us": 0, "max_us": 5000}
		if got := r.figures(); !maps.Equal(got, want) {
			t.Errorf("figures are %v, want %v", got, want)
		}
		r.callback(61 * time.Second)()
		r.wait(time.Minute)
		if waited := time.Since(r.start); waited != 61*time.Second {
			t.Errorf("waited until %v though all have fired", waited)
		}
	})
}

func TestPercentile(t *testing.T) {
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(i + 1)
	}
	for q, want := range map[int]time.Duration{0: 1, 1: 1, 50: 50, 99: 99, 100: 100} {
		if got := percentile(hundred, q); got != want {
			t.Errorf("percentile %d of 1 to 100 is %d, want %d", q, got, want)
		}
	}
	if got := percentile(hundred[:1], 50); got != 1 {
		t.Errorf("the median of one value 1 is %d", got)
	}
}
