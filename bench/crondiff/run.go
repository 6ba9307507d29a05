package main

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// tally is what came of all trials with one rival.
type tally struct {
	Rival    rival
	Trials   int
	Refused  int
	Compared int
	Classes  map[class][]difference
}

// measure compares one rival over all trials.
func measure(ctx context.Context, r rival, trials []trial) (t tally, err error) {
	t = tally{Rival: r, Classes: map[class][]difference{}}
	c, err := startChild(ctx, r.name)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, c.stop()) }()
	for _, one := range trials {
		result, err := c.compare(one)
		if err != nil {
			return t, fmt.Errorf("%s: %s in %s: %w", r.name, one.Expr, one.Zone, err)
		}
		t.add(result)
		if stuck(result) {
			if err := c.stop(); err != nil {
				return t, err
			}
			if c, err = startChild(ctx, r.name); err != nil {
				return t, err
			}
		}
	}
	return t, nil
}

// stuck reports whether the child ended itself after this result.
func stuck(c comparison) bool {
	return len(c.Differences) == 1 && c.Differences[0].Fault == faultStuck
}

func (t *tally) add(c comparison) {
	t.Trials++
	t.Compared += c.Compared
	if c.Refused {
		t.Refused++
	}
	for _, d := range c.Differences {
		of := classify(d)
		t.Classes[of] = append(t.Classes[of], d)
	}
}

// measureAll compares all rivals and tells its progress.
func measureAll(ctx context.Context, trials []trial, progress io.Writer) ([]tally, error) {
	var all []tally
	for _, r := range rivals {
		t, err := measure(ctx, r, trials)
		if err != nil {
			return nil, err
		}
		_, err = fmt.Fprintf(progress, "%s: %d trials, %d refused, %d answers compared, %d classes of differences\n",
			r.name, t.Trials, t.Refused, t.Compared, len(t.Classes))
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}
