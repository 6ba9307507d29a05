package cli

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/timewheel-dev/timewheel/api/wire"
)

// maxShown bounds how many broken lines of a kind a person is shown.
const maxShown = 20

// tally counts what became of the lines of a file and reports the broken ones.
type tally struct {
	work     work
	json     bool
	live     bool // a line of progress may stand on the terminal
	out, err io.Writer
	begun    time.Time

	mu       sync.Mutex
	lines    int   // guarded by mu: read so far
	created  int   // guarded by mu
	replaced int   // guarded by mu
	failed   int   // guarded by mu
	local    int   // guarded by mu: of the failed ones, those that were not sent
	unsure   int   // guarded by mu: number of the first line of which it is open what became of it, 0: none
	fault    error // guarded by mu: of writing
}

// work is what is done to the lines of a file, in words.
type work struct {
	done  string // what happened to the good ones
	nouns string // what they are
	again string // why it does no harm to run it again
}

var (
	ofTasks     = work{"scheduled", "tasks", "a task that has a key only replaces itself"}
	ofSchedules = work{"stored", "schedules", "a schedule that is there stays as it is"}
)

func newTally(a *app, w work) *tally {
	return &tally{work: w, json: a.JSON, out: a.out, err: a.err, begun: time.Now()}
}

func (t *tally) read() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines++
}

func (t *tally) add(created, replaced int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.created += created
	t.replaced += replaced
}

// open notes a line of which nobody can say what became of it.
func (t *tally) open(line int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.unsure == 0 || line < t.unsure {
		t.unsure = line
	}
}

// badLine is what --json says of a broken line.
type badLine struct {
	Line   int              `json:"line"`
	Code   wire.ProblemCode `json:"code,omitempty"`
	Detail string           `json:"detail"`
}

// bad reports a line that was refused.
func (t *tally) bad(number int, why string, code wire.ProblemCode) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed++
	if code == "" {
		t.local++
	}
	kind, nth := "that can't be read", t.local
	if code != "" {
		kind, nth = "that the daemon refuses", t.failed-t.local
	}
	var err error
	switch {
	case t.json:
		err = writeJSON(t.out, badLine{number, code, why})
	case nth <= maxShown:
		_, err = fmt.Fprintf(t.err, "%sline %d: %s\n", t.clear(), number, visible(why))
	case nth == maxShown+1:
		_, err = fmt.Fprintf(t.err, "%sfurther lines %s are counted only; --json shows them all\n", t.clear(), kind)
	}
	t.fault = errors.Join(t.fault, err)
}

// clear removes the line of progress.
func (t *tally) clear() string {
	if t.live {
		return eraseLine
	}
	return ""
}

// total is what --json says at the end.
type total struct {
	Lines    int `json:"lines"`
	Created  int `json:"created"`
	Replaced int `json:"replaced"`
	Failed   int `json:"failed"`
}

// conclude writes the summary. err is what stopped the loading, if anything did.
func (t *tally) conclude(err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	took := time.Since(t.begun)
	if werr := t.summary(took); werr != nil {
		t.fault = errors.Join(t.fault, werr)
	}
	switch {
	case err != nil && t.unsure > 0:
		return fmt.Errorf("%w; stopped at line %d: lines from there on may not be %s: run it again, %s",
			explain(err), t.unsure, t.work.done, t.work.again)
	case err != nil:
		return err
	case t.fault != nil:
		return fmt.Errorf("writing: %w", t.fault)
	case t.failed > 0:
		return errReported
	}
	return nil
}

func (t *tally) summary(took time.Duration) error {
	if t.json {
		return writeJSON(t.out, total{t.lines, t.created, t.replaced, t.failed})
	}
	n := t.created + t.replaced
	_, err := fmt.Fprintf(t.out, "%s %s of %s %s in %s (%s): %s new, %s replaced, %s failed\n",
		t.work.done, thousands(n), thousands(t.lines), t.work.nouns, took.Round(time.Millisecond), rate(n, took),
		thousands(t.created), thousands(t.replaced), thousands(t.failed))
	return err
}
