package cli

import (
	"math"
	"slices"
	"time"
)

// percentile returns the smallest of the sorted values that p percent of them
// do not exceed (the nearest rank), 0 if there are none.
func percentile(sorted []time.Duration, p float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := int(math.Ceil(p / 100 * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// median returns the middle of vs, the mean of the two middle ones if there is
// an even number, 0 if there are none.
func median(vs []float64) float64 {
	if len(vs) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(vs))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
