package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"
)

// order is a line of orders.ndjson: a task as timewheel reads it.
type order struct {
	Key     string    `json:"key"`
	Due     time.Time `json:"due"`
	Payload payload   `json:"payload"`
}

type payload struct {
	Order  int    `json:"order"`
	Total  string `json:"total"`
	Reason string `json:"reason"`
}

// generate writes n orders that are due at random instants of a span of time,
// and the keys of some in its last third, which will be paid.
func generate(args []string) error {
	fs := flag.NewFlagSet("generate", flag.ExitOnError)
	n := fs.Int("n", 100_000, "how many orders")
	start := fs.Duration("start", 10*time.Second, "when the first may be due, from now")
	over := fs.Duration("over", time.Minute, "the span in which they are due")
	paid := fs.Int("paid", 0, "how many orders, due in the last third of the span, will be paid")
	paidOut := fs.String("paid-out", "paid.txt", "the file for the keys of those, one a line")
	if err := fs.Parse(args); err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	enc := json.NewEncoder(out)
	first := time.Now().Add(*start)
	var keys []string
	for i := range *n {
		o := order{
			Key:     strconv.Itoa(i),
			Due:     first.Add(rand.N(*over)).UTC().Truncate(time.Microsecond),
			Payload: payload{Order: i, Total: strconv.FormatFloat(rand.Float64()*500, 'f', 2, 64), Reason: "not paid within 30 minutes"},
		}
		if len(keys) < *paid && o.Due.After(first.Add(*over*2/3)) {
			keys = append(keys, o.Key)
		}
		if err := enc.Encode(o); err != nil {
			return err
		}
	}
	if *paid > 0 {
		if err := os.WriteFile(*paidOut, []byte(strings.Join(keys, "\n")+"\n"), 0o600); err != nil {
			return err
		}
	}
	return out.Flush()
}
