package daemon

import (
	"fmt"
	"strconv"
	"strings"
)

// Size is a number of bytes that is written with a unit: 512, 64KiB, 1MiB, 2GiB.
type Size int64

var units = [...]struct {
	name string
	size Size
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}

// UnmarshalText reads what String writes.
func (s *Size) UnmarshalText(text []byte) error {
	digits, unit := string(text), Size(1)
	for _, u := range units {
		if d, ok := strings.CutSuffix(digits, u.name); ok {
			digits, unit = strings.TrimSpace(d), u.size
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || Size(n) > (1<<62)/unit {
		return fmt.Errorf("must be a size such as 512, 64KiB, 1MiB or 2GiB, got %q", text)
	}
	*s = Size(n) * unit
	return nil
}

// String writes s in the largest unit that leaves a whole number.
func (s Size) String() string {
	for _, u := range units {
		if s >= u.size && s%u.size == 0 && u.size > 1 {
			return strconv.FormatInt(int64(s/u.size), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}
