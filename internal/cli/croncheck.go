package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/timewheel-dev/timewheel/recurrence"
)

type cronCheckCmd struct {
	expression `embed:""`
}

// Help is shown below the summary.
func (cronCheckCmd) Help() string {
	return `The exit code is 0 for an expression that is right, and 1 for one that is not; then the standard error shows where, and says what is allowed. Right is only what has an occurrence from now on: not 31 February, nor a year that is over.`
}

// checked is what --json says of an expression.
type checked struct {
	Expression  string `json:"expression"`
	Valid       bool   `json:"valid"`
	Description string `json:"description,omitempty"`
	Field       string `json:"field,omitempty"`
	Column      int    `json:"column,omitempty"` // from 1
	Reason      string `json:"reason,omitempty"`
	Note        string `json:"note,omitempty"` // what a schedule makes of it
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
	if rule.Next(time.Now()).IsZero() {
		return c.refuse(a, &recurrence.ParseError{Reason: "none of its occurrences is left: all are past"})
	}
	words, note := recurrence.Describe(rule), scheduleNote(c.Expr, rule)
	if a.JSON {
		return writeJSON(a.out, checked{Expression: c.Expr, Valid: true, Description: words, Note: note})
	}
	if _, err = fmt.Fprintln(a.out, words); err == nil && note != "" {
		_, err = fmt.Fprintln(a.err, "note: "+note)
	}
	return err
}

// scheduleNote says how an expression that is no cron expression to a schedule is
// stored, "" for those that are.
func scheduleNote(expr string, rule recurrence.Rule) string {
	flag := flagOf(expr)
	if _, ok := rule.(*recurrence.IntervalRule); ok && rule.Next(time.Unix(0, 0)).Sub(time.Unix(0, 0)) < recurrence.MinInterval {
		return fmt.Sprintf("a schedule's interval is %s at the least", recurrence.MinInterval)
	}
	if flag != "" {
		return "a schedule takes it as " + flag
	}
	return ""
}

// flagOf returns the flag of schedules put that says the same as an expression
// with @every or @at, "" for others.
func flagOf(expr string) string {
	word, rest, _ := strings.Cut(strings.TrimSpace(expr), " ")
	if rest = strings.TrimSpace(rest); rest != "" && (word == "@every" || word == "@at") {
		return "--" + word[1:] + " " + rest
	}
	return ""
}

// refuse says what is wrong. That is what the command is for, so it is no fault
// of the command line. An error without an expression is about all of it.
func (c *cronCheckCmd) refuse(a *app, e *recurrence.ParseError) error {
	switch {
	case a.JSON:
		err := writeJSON(a.out, checked{Expression: c.Expr, Field: e.Field, Column: e.Pos + 1, Reason: e.Reason + hint(e)})
		return errors.Join(err, errReported)
	case e.Expr == "" && e.Text == "" && c.Expr != "":
		return errors.New(e.Reason)
	}
	if _, err := fmt.Fprint(a.err, pointer(e)); err != nil {
		return err
	}
	return errors.New(parseFault(e))
}
