package wheel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// filled returns a wheel with n timers between 2^19 and 2^22 ticks away, which
// at 1 ms a tick is 9 to 70 minutes.
func filled(n int) (*Hierarchical, []Handle) {
	w := NewHierarchical(Geometry{}, 0)
	random := rand.New(rand.NewPCG(1, 2))
	handles := make([]Handle, n)
	for i := range handles {
		handles[i] = w.Add(1<<19 + random.Uint64N(1<<22-1<<19))
	}
	return w, handles
}

func eachSize(b *testing.B, run func(b *testing.B, w *Hierarchical, handles []Handle), sizes ...int) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("live=%d", n), func(b *testing.B) {
			w, handles := filled(n)
			b.ReportAllocs()
			run(b, w, handles)
		})
	}
}

// BenchmarkAddCancel is the life of a timeout that did not happen.
func BenchmarkAddCancel(b *testing.B) {
	eachSize(b, func(b *testing.B, w *Hierarchical, _ []Handle) {
		for b.Loop() {
			w.Cancel(w.Add(w.Now() + 30_000))
		}
	}, 0, 1_000_000)
}

// BenchmarkReplace cancels a random timer and adds another.
func BenchmarkReplace(b *testing.B) {
	eachSize(b, func(b *testing.B, w *Hierarchical, handles []Handle) {
		random := rand.New(rand.NewPCG(3, 4))
		for b.Loop() {
			i := random.IntN(len(handles))
			w.Cancel(handles[i])
			handles[i] = w.Add(1<<19 + random.Uint64N(1<<22-1<<19))
		}
	}, 10_000, 5_000_000)
}

// BenchmarkReset moves a random timer.
func BenchmarkReset(b *testing.B) {
	eachSize(b, func(b *testing.B, w *Hierarchical, handles []Handle) {
		random := rand.New(rand.NewPCG(3, 4))
		for b.Loop() {
			w.Reset(handles[random.IntN(len(handles))], 1<<19+random.Uint64N(1<<22-1<<19))
		}
	}, 10_000, 5_000_000)
}

// BenchmarkEmptyYear advances over a year of 1 ms ticks with one timer ahead.
func BenchmarkEmptyYear(b *testing.B) {
	const year = 365 * 24 * 3600 * 1000
	w := NewHierarchical(Geometry{}, 0)
	for b.Loop() {
		h := w.Add(w.Now() + 2*year)
		w.Advance(w.Now()+year, 0, func(Handle) {})
		w.Cancel(h)
	}
}

// BenchmarkExpire is the whole life of a timer that expires, its share of the
// cascades included; an operation is one timer. The structures stand side by side.
func BenchmarkExpire(b *testing.B) {
	const n = 10_000
	for name, build := range map[string]func() Timers{
		"hierarchical": func() Timers { return NewHierarchical(Geometry{}, 0) },
		"heap":         func() Timers { return NewHeap(0) },
	} {
		b.Run(name, func(b *testing.B) {
			w := build()
			random := rand.New(rand.NewPCG(5, 6))
			expired := 0
			for b.Loop() {
				w.Add(w.Now() + random.Uint64N(60_000))
				if w.Len() < n {
					continue
				}
				next, _ := w.Next()
				w.Advance(next, 0, func(Handle) { expired++ })
			}
			b.ReportMetric(float64(expired)/float64(b.N), "expired/op")
		})
	}
}

// BenchmarkBurst expires a million timers of one second of 1 ms ticks.
func BenchmarkBurst(b *testing.B) {
	const n = 1_000_000
	w := NewHierarchical(Geometry{}, 0)
	random := rand.New(rand.NewPCG(7, 8))
	for b.Loop() {
		b.StopTimer()
		start := w.Now() + 60_000
		for range n {
			w.Add(start + random.Uint64N(1000))
		}
		b.StartTimer()
		w.Advance(start+1000, 0, func(Handle) {})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/timer")
}
