package recurrence

import (
	"fmt"
	"strings"
)

// Fault says what is wrong with one field of a [Spec], and what is allowed.
type Fault struct {
	Field  string // as in JSON: "every", "dst.gap", "cron[1]"
	Reason string
}

// Faults is the error for a [Spec] that makes no rule: every fault that was found.
type Faults []Fault //nolint:errname // it reads as what it is: recurrence.Faults

// Error joins the faults.
func (f Faults) Error() string {
	parts := make([]string, len(f))
	for i, fault := range f {
		parts[i] = fault.Field + " " + fault.Reason
	}
	return strings.Join(parts, "; ")
}

// maxFaults keeps the answer to a bad Spec shorter than the Spec.
const maxFaults = 50

func (f *Faults) add(field, format string, args ...any) {
	if len(*f) < maxFaults {
		*f = append(*f, Fault{field, fmt.Sprintf(format, args...)})
	}
}

// at names an element of a list, such as cron[1].
func at(field string, i int) string { return fmt.Sprintf("%s[%d]", field, i) }
