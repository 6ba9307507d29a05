package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/timewheel-dev/timewheel"
)

type benchSchemesCmd struct {
	MaxLive  int           `default:"1000000" placeholder:"N" help:"The most timers that wait in one wheel. Each scheme is measured with none, and with every power of ten from 1,000 up to this."`
	Rounds   int           `default:"3" placeholder:"N" help:"How often each measurement is made. The medians are shown."`
	Time     time.Duration `default:"100ms" placeholder:"DURATION" help:"How long each measurement of a busy wheel takes."`
	Idle     time.Duration `default:"350ms" placeholder:"DURATION" help:"How long each measurement of an idle wheel takes."`
	Tick     time.Duration `default:"100us" placeholder:"DURATION" help:"The tick of the wheels."`
	Patience time.Duration `default:"5s" placeholder:"DURATION" help:"How long it may take to set the timers of one wheel. A scheme that needs longer is left out at that number, and the output says so."`
	SVG      string        `name:"svg" placeholder:"FILE" help:"Draw the figures as charts into this file, too."`
}

// Help is shown below the summary.
func (benchSchemesCmd) Help() string {
	return `Each scheme has a wheel with one shard, into which timers are set that are due in one to two hours. Then this is measured, in this process and with the driver at work: to set a timer and stop it again; what a timer costs that fires, when 256 do at a time; and the processor time that the wheel takes while nothing is due. The schemes take turns, and all wheels but the one that is measured are paused. It takes about a minute; close what else makes the machine busy. Windows counts processor time in steps of some 15 ms, so give it --time 1s --idle 10s.`
}

// fewestLive is the least number of timers that is measured, beside none.
const fewestLive = 1000

// schemeCell is one scheme with one number of timers, and what was measured of it.
type schemeCell struct {
	scheme  string
	live    int
	leftOut string                      // why nothing was measured
	rounds  [len(schemeKinds)][]float64 // none for a kind that does not apply
}

// Run measures and shows.
func (c *benchSchemesCmd) Run(ctx context.Context, a *app) error {
	switch cfg := (timewheel.Config{Tick: c.Tick}); {
	case c.MaxLive < 1 || c.Rounds < 1 || c.Time <= 0 || c.Idle <= 0 || c.Tick <= 0 || c.Patience <= 0:
		return &usageError{"all numbers and durations must be above 0"}
	case cfg.Validate() != nil:
		return &usageError{"--tick: " + cfg.Validate().Error()}
	}
	if c.SVG != "" {
		if err := mayWrite(c.SVG); err != nil {
			return err
		}
	}
	var cells []schemeCell
	for _, live := range liveSizes(c.MaxLive) {
		more, err := c.measure(ctx, a, live)
		if err != nil {
			return err
		}
		cells = append(cells, more...)
	}
	return schemeReport{cells: cells, setting: c.setting()}.show(a, c.SVG)
}

// mayWrite makes sure that the minute is not spent for a file that can't be written.
func mayWrite(file string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE, 0o644) //nolint:gosec // a picture for everybody to see
	if err != nil {
		return fmt.Errorf("--svg: %w", err)
	}
	return f.Close()
}

// liveSizes returns the numbers of timers that are measured.
func liveSizes(most int) []int {
	sizes := []int{0}
	for n := fewestLive; n < most; n *= 10 {
		sizes = append(sizes, n)
	}
	return append(sizes, most)
}

// measure measures all schemes with that many timers.
func (c *benchSchemesCmd) measure(ctx context.Context, a *app, live int) (cells []schemeCell, err error) {
	schemes := timewheel.Schemes()
	cells = make([]schemeCell, len(schemes))
	wheels := make([]*measuredWheel, len(schemes))
	defer func() {
		for _, w := range wheels {
			err = errors.Join(err, w.close())
		}
	}()
	for i, s := range schemes {
		a.tell("%s timers: setting those of %s", thousands(live), s)
		cells[i] = schemeCell{scheme: s.String(), live: live}
		wheels[i] = newMeasuredWheel(s, c.Tick)
		switch filled, err := wheels[i].fill(ctx, live, c.Patience); {
		case err != nil:
			return nil, err
		case !filled:
			cells[i].leftOut = fmt.Sprintf("to set them took more than %s", c.Patience)
		}
		wheels[i].Pause()
	}
	debug.FreeOSMemory() // so that the collector has nothing to do while an idle wheel is measured
	for round := range c.Rounds {
		a.tell("%s timers: round %d of %d", thousands(live), round+1, c.Rounds)
		c.round(ctx, wheels, cells)
	}
	a.tell("")
	return cells, ctx.Err()
}

// round makes each measurement once, the schemes one after the other, until ctx
// is done.
func (c *benchSchemesCmd) round(ctx context.Context, wheels []*measuredWheel, cells []schemeCell) {
	for k := range schemeKinds {
		for i, w := range wheels {
			if cells[i].leftOut == "" && schemeKinds[k].applies(cells[i].live) && ctx.Err() == nil {
				cells[i].rounds[k] = append(cells[i].rounds[k], c.measureOne(ctx, w, &schemeKinds[k]))
			}
		}
	}
}

// measureOne makes one measurement on a wheel that is otherwise paused.
func (c *benchSchemesCmd) measureOne(ctx context.Context, w *measuredWheel, k *schemeKind) float64 {
	d := c.Time
	if k.idle {
		d = c.Idle
	}
	w.Resume()
	defer w.Pause()
	w.fire(1) // when it has, the wheel is done with the ticks of the pause
	return k.measure(w, ctx, d)
}

// setting says how it was measured.
func (c *benchSchemesCmd) setting() string {
	return fmt.Sprintf("medians of %d rounds, in turns; %s ticks, one shard; %s on %s/%s, %d processors",
		c.Rounds, c.Tick, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))
}

// tell shows on a terminal what is under way, in place of what it showed before.
func (a *app) tell(format string, args ...any) {
	if a.errTerminal && !a.JSON {
		fmt.Fprintf(a.err, eraseLine+format, args...) //nolint:errcheck // it is only for the eye
	}
}
