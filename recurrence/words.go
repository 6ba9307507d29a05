package recurrence

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// stamp writes an instant with its zone's offset.
func stamp(t time.Time) string { return t.Format(time.RFC3339Nano) }

// durationInWords writes a duration with the units that it has: 1 hour 30 minutes.
func durationInWords(d time.Duration) string {
	var words []string
	for _, unit := range [...]struct {
		name string
		size time.Duration
	}{
		{"day", 24 * time.Hour},
		{"hour", time.Hour},
		{"minute", time.Minute},
		{"second", time.Second},
		{"millisecond", time.Millisecond},
		{"microsecond", time.Microsecond},
		{"nanosecond", 1},
	} {
		if n := d / unit.size; n > 0 {
			words = append(words, count(int(n), unit.name))
			d %= unit.size
		}
	}
	if text := strings.Join(words, " "); text[:2] != "1 " || len(words) > 1 {
		return text
	}
	return strings.TrimPrefix(words[0], "1 ") // every minute
}

func count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y") && !strings.HasSuffix(noun, "day"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(noun, "y"))
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// enumerate writes "a, b and c".
func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// spell writes ascending values: runs of three and more as "a to c", equal steps
// as "a, c and so on to m", others one by one.
func spell(values []int, word func(int) string) string {
	if n := len(values); n > 4 && stepOf(values) > 1 {
		return word(values[0]) + ", " + word(values[1]) + " and so on to " + word(values[n-1])
	}
	var words []string
	for i := 0; i < len(values); i++ {
		end := i
		for end+1 < len(values) && values[end+1] == values[end]+1 {
			end++
		}
		if end-i >= 2 {
			words = append(words, word(values[i])+" to "+word(values[end]))
			i = end
			continue
		}
		words = append(words, word(values[i]))
	}
	return enumerate(clipWords(words))
}

// clipWords keeps a description short whatever a stranger put into his list.
func clipWords(words []string) []string {
	const most = 16
	if len(words) <= most {
		return words
	}
	return append(words[:most-1], strconv.Itoa(len(words)-most+1)+" more")
}

// stepOf returns the step between values if it is the same between all of them,
// else 0.
func stepOf(values []int) int {
	if len(values) < 2 {
		return 0
	}
	step := values[1] - values[0]
	for i := 2; i < len(values); i++ {
		if values[i]-values[i-1] != step {
			return 0
		}
	}
	return step
}

// members lists the bits of a set, ascending.
func members(set uint64) []int {
	values := make([]int, 0, bits.OnesCount64(set))
	for ; set != 0; set &= set - 1 {
		values = append(values, bits.TrailingZeros64(set))
	}
	return values
}

func twoDigits(n int) string { return fmt.Sprintf("%02d", n) }

// ordinal writes 1st, 2nd, 3rd, 4th.
func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

// nth writes an ordinal up to five in letters.
func nth(n int) string { return [...]string{"", "first", "second", "third", "fourth", "fifth"}[n] }
