package cli

import (
	"context"
	"time"

	"github.com/timewheel-dev/timewheel/client"
)

// keeper renews one lease while its command runs.
type keeper struct {
	w     *worker
	token string
	lost  func(error) // called when the lease is no longer ours
	until time.Time   // so long it is ours for sure
}

// keep renews a lease that was received at an instant, until the returned
// function is called, which waits for a renewal under way. lost is called when
// the lease was refused, or has run out because nobody could be asked.
func (w *worker) keep(token string, received time.Time, lost func(error)) (stop func()) {
	// A tenth of the lease is left for the way that it took to get here.
	k := &keeper{w: w, token: token, lost: lost, until: received.Add(w.Lease - w.Lease/10)}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		k.run(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

func (k *keeper) run(ctx context.Context) {
	for {
		sleep(ctx, min(k.w.Lease/renewals, max(0, time.Until(k.until))))
		if ctx.Err() != nil {
			return
		}
		if !k.renew(ctx) {
			k.lost(errLeaseLost)
			return
		}
	}
}

// renew asks for the lease to be kept. It reports whether it is ours still.
func (k *keeper) renew(ctx context.Context) bool {
	ctx, cancel := context.WithDeadline(ctx, k.until)
	defer cancel()
	asked := time.Now()
	_, err := k.w.remote.Renew(ctx, k.token, k.w.Lease)
	switch {
	case client.IsStaleLease(err):
		return false
	case err != nil:
		return time.Now().Before(k.until)
	}
	k.until = asked.Add(k.w.Lease)
	return true
}
