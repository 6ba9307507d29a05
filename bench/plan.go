package main

import (
	"math/bits"
	"time"
)

// plan says which of the measurements of one workload this is.
type plan struct {
	Workload string  `json:"workload"`
	Rival    string  `json:"rival"`
	Round    int     `json:"round"` // from 1; seeds what is random, the same for all rivals
	Scale    float64 `json:"scale"` // 1 is the real size
}

// minSpan is the shortest time that a scaled-down workload takes for what is to
// take seconds; below it everything would be due at once.
const minSpan = 20 * time.Millisecond

// count scales a number of timers or operations.
func (p plan) count(n int) int { return max(int(float64(n)*p.Scale), 100) }

// span scales a time over which a workload goes.
func (p plan) span(d time.Duration) time.Duration {
	return max(time.Duration(float64(d)*p.Scale), min(d, minSpan))
}

// random returns the round's source of random numbers; streams differ by n.
func (p plan) random(n int) *xorshift {
	x := xorshift(uint64(p.Round)*0x9e3779b97f4a7c15 + uint64(n)*0xbf58476d1ce4e5b9 + 1)
	for range 8 { // seeds that differ in few bits give like numbers at first
		x.next()
	}
	return &x
}

// xorshift is Marsaglia's xorshift64: random enough to choose timers, and so
// cheap, about a nanosecond, that it hardly adds to what is measured.
type xorshift uint64

func (x *xorshift) next() uint64 {
	*x ^= *x << 13
	*x ^= *x >> 7
	*x ^= *x << 17
	return uint64(*x)
}

// below returns a number from 0 to n-1.
func (x *xorshift) below(n int) int {
	hi, _ := bits.Mul64(x.next(), uint64(n))
	return int(hi)
}

// within returns a duration from 0 to less than d.
func (x *xorshift) within(d time.Duration) time.Duration { return time.Duration(x.below(int(d))) }

// delays is a table of random delays that no measurement lives to see the end
// of, from 10 minutes to an hour, as timeouts of connections are. It is a table,
// small enough for the nearest cache, so that choosing one costs next to nothing.
type delays [1024]time.Duration

func (p plan) delays() *delays {
	random := p.random(-1)
	var ds delays
	for i := range ds {
		ds[i] = 10*time.Minute + random.within(50*time.Minute)
	}
	return &ds
}

func (ds *delays) at(i int) time.Duration { return ds[uint(i)%uint(len(ds))] }
