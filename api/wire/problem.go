package wire

import "fmt"

// Error returns the detail and the code.
func (p *Problem) Error() string {
	if p.Code == "" {
		return fmt.Sprintf("%s (status %d)", p.Detail, p.Status)
	}
	return fmt.Sprintf("%s (%s)", p.Detail, p.Code)
}
