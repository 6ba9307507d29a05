package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/timewheel-dev/timewheel/recurrence"
)

type cronCheckCmd struct {
	expression `embed:""`
}

// Help is shown below the summary.
func (cronCheckCmd) Help() string {
	return `The exit code is 0 for an expression that is right, and 1 for one that is not; then the standard error shows where, and says what is allowed. Right is only what has an occurrence: not 31 February.`
}

// checked is what --json says of an expression.
type checked struct {
	Expression  string `json:"expression"`
	Valid       bool   `json:"valid"`
	Description string `json:"description,omitempty"`
	Field       string `json:"field,omitempty"`
	Column      int    `json:"column,omitempty"` // from 1
	Reason      string `json:"reason,omitempty"`
}

// Run checks an expression.
func (c *cronCheckCmd) Run(_ context.Context, a *app) error {
	rule, err := c.rule()
	var parse *recurrence.ParseError
	switch {
	case errors.As(err, &parse):
		return c.refuse(a, parse)
	case err != nil:
		return err
	}
	words := recurrence.Describe(rule)
	if a.JSON {
		return writeJSON(a.out, checked{Expression: c.Expr, Valid: true, Description: words})
	}
	_, err = fmt.Fprintln(a.out, words)
	return err
}

// refuse says what is wrong. That is what the command is for, so it is no fault
// of the command line.
func (c *cronCheckCmd) refuse(a *app, e *recurrence.ParseError) error {
	if a.JSON {
		err := writeJSON(a.out, checked{Expression: c.Expr, Field: e.Field, Column: e.Pos + 1, Reason: e.Reason})
		return errors.Join(err, errReported)
	}
	if _, err := fmt.Fprint(a.err, pointer(e)); err != nil {
		return err
	}
	return errors.New(parseFault(e))
}
