package webhook_test

import (
	"io"
	"net/http"
	"strconv"
	"sync"
	"testing"

	"github.com/timewheel-dev/timewheel/deliver/webhook"
	"github.com/timewheel-dev/timewheel/task"
)

// BenchmarkPush posts to one receiver in this process, so half of the time and of
// the allocations are the receiver's. Only the posts per second mean something
// outside.
func BenchmarkPush(b *testing.B) {
	receiver := answering(b, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // seen by the outcome
	})
	for _, atOnce := range []int{1, 64} {
		b.Run("at-once="+strconv.Itoa(atOnce), func(b *testing.B) {
			d := newDeliverer(b, webhook.Options{MaxIdlePerHost: atOnce})
			turns := make(chan struct{}, atOnce)
			var pushers sync.WaitGroup
			for range atOnce {
				pushers.Go(func() {
					lease := leaseFor(receiver.URL)
					for range turns {
						if o := d.Push(b.Context(), lease, []string{vectorSecret}); o.Verdict != task.Succeeded {
							b.Errorf("outcome %+v", o)
						}
					}
				})
			}
			b.ReportAllocs()
			for b.Loop() {
				turns <- struct{}{}
			}
			close(turns)
			pushers.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "posts/s")
		})
	}
}

// BenchmarkRequest is this package's own share: all of a push but package http.
func BenchmarkRequest(b *testing.B) {
	for _, size := range []int{256, 1 << 20} {
		b.Run("payload="+strconv.Itoa(size), func(b *testing.B) {
			lease := leaseFor("http://127.0.0.1:9000/close?shop=1")
			lease.Task.Body.Payload = make([]byte, size)
			d := newDeliverer(b, webhook.Options{})
			b.ReportAllocs()
			for b.Loop() {
				if err := d.Request(b.Context(), lease, []string{vectorSecret}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
