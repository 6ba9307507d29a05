package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// record is what is known of one order.
type record struct {
	due       time.Time
	cancelled bool // and the cancellation was acknowledged
	attempts  []int
}

// findings is the report.
type findings struct {
	orders, cancelled, delivered, redelivered    int
	early, lost, doubled, afterCancel, strangers int
	lateness                                     []time.Duration // of first deliveries
}

// report compares what was ordered with what came. It fails if a promise was
// broken.
func report(args []string) error {
	fs := flag.NewFlagSet("report", flag.ExitOnError)
	orders := fs.String("orders", "orders.ndjson", "what was scheduled")
	cancelled := fs.String("cancelled", "", "keys whose cancellation was acknowledged, one a line")
	deliveries := fs.String("deliveries", "deliveries.tsv", "what receive noted")
	if err := fs.Parse(args); err != nil {
		return err
	}
	records, err := readOrders(*orders)
	if err != nil {
		return err
	}
	if *cancelled != "" {
		if err := readCancelled(*cancelled, records); err != nil {
			return err
		}
	}
	f := &findings{orders: len(records)}
	if err := f.readDeliveries(*deliveries, records); err != nil {
		return err
	}
	f.sum(records)
	f.print(os.Stdout)
	if f.early+f.lost+f.doubled+f.afterCancel+f.strangers > 0 {
		return errors.New("a promise was broken")
	}
	return nil
}

func readOrders(name string) (map[string]*record, error) {
	records := make(map[string]*record)
	err := eachLine(name, func(line string) error {
		var o order
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			return err
		}
		records[o.Key] = &record{due: o.Due}
		return nil
	})
	return records, err
}

func readCancelled(name string, records map[string]*record) error {
	return eachLine(name, func(key string) error {
		if records[key] == nil {
			return fmt.Errorf("%q was cancelled and never ordered", key)
		}
		records[key].cancelled = true
		return nil
	})
}

func (f *findings) readDeliveries(name string, records map[string]*record) error {
	return eachLine(name, func(line string) error {
		parts := strings.Split(line, "\t")
		if len(parts) != 4 {
			return fmt.Errorf("deliveries: %q has not 4 fields", line)
		}
		attempt, err := strconv.Atoi(parts[1])
		if err != nil {
			return err
		}
		us, err := strconv.ParseInt(parts[3], 10, 64)
		if err != nil {
			return err
		}
		f.note(records[parts[0]], attempt, time.UnixMicro(us))
		return nil
	})
}

// note judges one delivery.
func (f *findings) note(r *record, attempt int, at time.Time) {
	if r == nil {
		f.strangers++
		return
	}
	late := at.Sub(r.due)
	if late < 0 {
		f.early++
	}
	if r.cancelled {
		f.afterCancel++
	}
	switch {
	case len(r.attempts) == 0:
		f.delivered++
		f.lateness = append(f.lateness, late)
	case slices.Contains(r.attempts, attempt):
		f.doubled++
	default:
		f.redelivered++
	}
	r.attempts = append(r.attempts, attempt)
}

func (f *findings) sum(records map[string]*record) {
	for _, r := range records {
		switch {
		case r.cancelled:
			f.cancelled++
		case len(r.attempts) == 0:
			f.lost++
		}
	}
	slices.Sort(f.lateness)
}

func (f *findings) print(w io.Writer) {
	for _, row := range []struct {
		name  string
		value any
	}{
		{"orders scheduled", f.orders},
		{"cancelled, acknowledged", f.cancelled},
		{"delivered", f.delivered},
		{"delivered again, as a higher attempt", f.redelivered},
		{"early", f.early},
		{"lost", f.lost},
		{"doubled under one attempt number", f.doubled},
		{"fired after an acknowledged cancel", f.afterCancel},
		{"lateness p50", f.percentile(0.50)},
		{"lateness p90", f.percentile(0.90)},
		{"lateness p99", f.percentile(0.99)},
		{"lateness max (the restart included)", f.percentile(1)},
	} {
		_, _ = fmt.Fprintf(w, "%-38s %v\n", row.name, row.value) // to a terminal
	}
}

func (f *findings) percentile(p float64) time.Duration {
	if len(f.lateness) == 0 {
		return 0
	}
	return f.lateness[int(p*float64(len(f.lateness)-1))].Round(10 * time.Microsecond)
}

func eachLine(name string, f func(line string) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // only read
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if err := f(lines.Text()); err != nil {
			return err
		}
	}
	return lines.Err()
}
