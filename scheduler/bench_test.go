package scheduler_test

import (
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/store/pebblestore"
	"github.com/timewheel-dev/timewheel/task"
)

// onDisk opens a scheduler on the embedded store in a temporary folder.
func onDisk(b *testing.B) *scheduler.Scheduler {
	b.Helper()
	st, err := pebblestore.Open(b.TempDir(), pebblestore.Options{})
	if err != nil {
		b.Fatal(err)
	}
	s, err := scheduler.Open(b.Context(), st, scheduler.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
		if err := st.Close(); err != nil {
			b.Error(err)
		}
	})
	return s
}

func request(key int64, delay time.Duration) scheduler.ScheduleRequest {
	return scheduler.ScheduleRequest{Spec: task.Spec{Queue: "q", Key: strconv.FormatInt(key, 10), Delay: delay, Payload: make([]byte, 256)}}
}

// One task a call, from 64 callers at once, each durable when it returns.
func BenchmarkSchedule64(b *testing.B) {
	s := onDisk(b)
	var key atomic.Int64
	b.SetParallelism(32) // times GOMAXPROCS
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if r := s.Schedule(b.Context(), request(key.Add(1), time.Hour)); r.Err != nil {
				b.Error(r.Err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
}

// A thousand tasks a call, from four callers.
func BenchmarkScheduleBatch1000(b *testing.B) {
	s := onDisk(b)
	var key atomic.Int64
	b.SetParallelism(2)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			rs := make([]scheduler.ScheduleRequest, 1000)
			for i := range rs {
				rs[i] = request(key.Add(1), time.Hour)
			}
			if _, err := s.ScheduleBatch(b.Context(), rs); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(b.N)*1000/b.Elapsed().Seconds(), "tasks/s")
}

// The whole path of a task: scheduled, due, claimed, completed, with 100 workers
// in batches of 100.
func BenchmarkWholePath(b *testing.B) {
	s := onDisk(b)
	done := make(chan int, 100)
	for range 8 {
		go func() {
			for {
				ls, err := s.Claim(b.Context(), scheduler.ClaimRequest{Queue: "q", Max: 100, Wait: time.Minute})
				if err != nil {
					return
				}
				ss := make([]scheduler.Settlement, len(ls))
				for i, l := range ls {
					ss[i] = scheduler.Settlement{Token: l.Token, Outcome: success}
				}
				if _, err := s.Settle(b.Context(), ss); err != nil {
					return
				}
				done <- len(ls)
			}
		}()
	}
	b.ResetTimer()
	go func() {
		for from := 0; from < b.N; from += 1000 {
			rs := make([]scheduler.ScheduleRequest, min(1000, b.N-from))
			for i := range rs {
				rs[i] = request(int64(from+i), 0)
			}
			if _, err := s.ScheduleBatch(b.Context(), rs); err != nil {
				b.Error(err)
			}
		}
	}()
	for n := 0; n < b.N; {
		n += <-done
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
}
