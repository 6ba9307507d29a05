package cli

import (
	"fmt"
	"time"
)

const progressPause = 200 * time.Millisecond

// eraseLine takes the cursor to the line's begin and clears the line.
const eraseLine = "\r\x1b[K"

// showProgress shows on a terminal how far the tally has come, until it is
// stopped.
func (a *app) showProgress(t *tally) (stop func()) {
	if !a.errTerminal || a.JSON {
		return func() {}
	}
	t.live = true
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(progressPause)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				t.progress()
			case <-over:
				return
			}
		}
	}()
	return func() {
		close(over)
		<-ended
		fmt.Fprint(a.err, eraseLine) //nolint:errcheck // it is only for the eye
	}
}

func (t *tally) progress() {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, took := t.created+t.replaced, time.Since(t.begun)
	//nolint:errcheck // it is only for the eye
	fmt.Fprintf(t.err, "%s%s lines, %s %s, %s failed, %s", eraseLine,
		thousands(t.lines), thousands(n), t.work.done, thousands(t.failed), rate(n, took))
}
