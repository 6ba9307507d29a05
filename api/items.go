package api

import (
	"net/http"

	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/scheduler"
)

// items are the parts of a batch. A part that is wrong has an error of its own,
// and does not keep the others from what they ask for.
type items[T any] struct {
	good []T
	errs []error // one for each item, in order; nil: it is the next of good
	over bool    // there were more than scheduler.MaxBatch
}

func (b *items[T]) add(item T, err error) {
	if len(b.errs) == scheduler.MaxBatch {
		b.over = true
		return
	}
	b.errs = append(b.errs, err)
	if err == nil {
		b.good = append(b.good, item)
	}
}

// check refuses a batch that is empty or too long. The name is that of the
// field with the items.
func (b *items[T]) check(name string) error {
	switch {
	case b.over:
		return tooMany(name)
	case len(b.errs) == 0:
		return fault(name, "must have at least one item")
	}
	return nil
}

func tooMany(name string) error {
	return problemf(wire.ProblemCodeBatchTooLarge, "more than %d %s: send them in parts", scheduler.MaxBatch, name)
}

// itemProblem returns what went wrong with one item of a batch.
func (c *call) itemProblem(err error) *wire.Problem {
	p := problemOf(err)
	if p.Status == http.StatusInternalServerError {
		c.Log.Error("item of a batch failed", "path", c.r.URL.EscapedPath(), "error", err)
	}
	return p
}
