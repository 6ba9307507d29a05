package wheelvar

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/timewheel-dev/timewheel"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixed is a source whose figures don't change.
type fixed timewheel.Stats

func (f fixed) Stats() timewheel.Stats { return timewheel.Stats(f) }

func TestTheWholeIsShown(t *testing.T) {
	f := fixed{Live: 7, Set: 20, Fired: 4, Cancelled: 9, Queued: 2, Wakes: 3, Occupied: []int{5, 0, 1}}
	f.Lateness.Counts[0], f.Lateness.Counts[7] = 3, 1
	f.Lateness.Sum = 100 * time.Microsecond
	const want = `{"live":7,"set":20,"fired":4,"cancelled":9,"queued":2,"wakes":3,` +
		`"lateness":{"count":4,"sum_seconds":0.0001,"p50_seconds":0.000001,"p99_seconds":0.000128,"p999_seconds":0.000128,` +
		`"buckets":[3,0,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]},` +
		`"occupied":[5,0,1]}`
	if got := New(f).String(); got != want {
		t.Errorf("shown is\n%s, want\n%s", got, want)
	}
	if got := New(fixed{}).String(); strings.Contains(got, "occupied") {
		t.Errorf("a scheme without slots is shown with some: %s", got)
	}
}

// TestRequestsWhileTimersFire reads a wheel at work.
func TestRequestsWhileTimersFire(t *testing.T) {
	const n = 2000
	w := timewheel.New(timewheel.Config{})
	shown := New(w)
	var firing sync.WaitGroup
	firing.Add(n)
	var readers sync.WaitGroup
	over := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for last := uint64(0); ; {
				if got := read(t, shown.String()); got.Fired < last {
					t.Errorf("%d have fired, after %d had", got.Fired, last)
				} else {
					last = got.Fired
				}
				select {
				case <-over:
					return
				default:
				}
			}
		})
	}
	for i := range n {
		w.AfterFunc(time.Duration(i)*time.Microsecond, firing.Done)
	}
	firing.Wait()
	close(over)
	readers.Wait()
	if _, err := w.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	if got := read(t, shown.String()); got.Fired != n || got.Lateness.Count != n || got.Live != 0 {
		t.Errorf("in the end there is %+v, want %d that fired", got, n)
	}
}

func read(t *testing.T, s string) (v view) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Errorf("%v in %s", err, s)
	}
	return v
}
