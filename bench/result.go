package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// result is what one process measured, a line of JSON.
type result struct {
	plan

	Figures figures `json:"figures"`
	Machine machine `json:"machine"`
}

// writeResult appends one line.
func writeResult(w io.Writer, r result) error {
	return json.NewEncoder(w).Encode(r)
}

// readResults reads all lines.
func readResults(r io.Reader) ([]result, error) {
	var results []result
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		var one result
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("line %d is not a result: %w", len(results)+1, err)
		}
		results = append(results, one)
	}
	return results, lines.Err()
}
