// Package backoff says how long to wait before the next attempt.
//
// It owns one pure function from an attempt's number to a delay. It refuses to
// know everything else: clocks, tasks, and where random numbers come from.
//
//	delay
//	 Max ┤              ┌──────────  capped
//	     │          ┌───┘
//	     │      ┌───┘    doubling, each step spread by the jitter
//	 Min ┤──────┘
//	     └──1───2───3───4───5──▶ attempt that failed
//
// Functions here keep no state and may be called from any number of goroutines.
package backoff
