package recurrence

import (
	"strings"
)

const (
	// longestZoneName is more than the longest name has. What is longer is not
	// compared with any.
	longestZoneName = 64
	// mostHints is how many names an error offers.
	mostHints = 3
)

// zonesLike returns the names, at most mostHints, that a person may have meant
// by name: the same but for case, blanks and the continent, or else with the
// fewest slips, two at most.
func zonesLike(name string) []string {
	if name == "" || len(name) > longestZoneName {
		return nil
	}
	wanted := plainZoneName(name)
	var near []string
	fewest := 2
	for _, candidate := range ZoneNames() {
		switch slips := slipsBetween(wanted, candidate); {
		case slips < fewest:
			near, fewest = []string{candidate}, slips
		case slips == fewest:
			near = append(near, candidate)
		}
	}
	return near[:min(len(near), mostHints)]
}

// slipsBetween counts the slips between what was asked for and a name, or the
// city of that name. A short word is near to everything: it must be right.
func slipsBetween(wanted, candidate string) int {
	candidate = plainZoneName(candidate)
	city := candidate[strings.LastIndexByte(candidate, '/')+1:]
	if wanted == candidate || wanted == city {
		return 0
	}
	if len(wanted) < 5 {
		return len(wanted)
	}
	return min(editDistance(wanted, candidate), editDistance(wanted, city))
}

func plainZoneName(name string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(name)))
}

// editDistance counts the bytes to put in, take out or change to make b of a
// (Levenshtein's distance). Names whose lengths differ by more than matters here
// are merely far apart.
func editDistance(a, b string) int {
	if d := len(a) - len(b); d < -2 || d > 2 {
		return max(len(a), len(b))
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
