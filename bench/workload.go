package main

// workload is one thing that is measured of each rival.
type workload struct {
	name, title string
	// fires: callbacks run, so that it matters how a rival runs them.
	fires bool
	rows  []row
}

// row is one figure of a workload, as a row of the table. Of all figures, less
// is better.
type row struct {
	figure, label, unit string
	// ratio: compared with the baseline's, and not only shown.
	ratio bool
}

// workloads are all that can be measured, in the order of the table's rows.
var workloads = []workload{
	{name: "addcancel", title: "add + cancel", rows: []row{
		{"live0_1_ns", "0 live, 1 goroutine", "ns", true},
		{"live0_2_ns", "0 live, 2 goroutines", "ns", true},
		{"live1m_1_ns", "1,000,000 live, 1 goroutine", "ns", true},
		{"live1m_2_ns", "1,000,000 live, 2 goroutines", "ns", true},
		{"clock_ns", "a reading of the clock, same process", "ns", false},
		{"floor_ns", "a reading of the clock and two holds of a free mutex, same process", "ns", false},
		{"above_clock_ns", "1,000,000 live, 1 goroutine, above that reading", "ns", false},
		{"harness_ns", "the harness's own part of each", "ns", false},
		{"allocs", "allocations", "", false},
	}},
	{name: "cancelrandom", title: "cancel a random one of 5,000,000 live and add one", rows: []row{{"ns", "", "ns", true}}},
	{name: "resetrandom", title: "reset a random one of 5,000,000 live", rows: []row{{"ns", "", "ns", true}}},
	{name: "memory", title: "heap per live timer", rows: []row{
		{"bytes", "bytes", "B", true},
		{"objects", "objects", "", false},
		{"handle_bytes", "the caller's handle, not counted above", "B", false},
	}},
	{name: "gc", title: "forced collection, 5,000,000 live", rows: []row{
		{"held_ms", "handles in a slice", "ms", true},
		{"alone_ms", "no handles", "ms", true},
	}},
	{name: "burst", title: "1,000,000 due within one second", fires: true, rows: []row{
		{"cpu_s", "processor time, adding included", "s", true},
		{"p50_us", "lateness p50", "µs", true},
		{"p99_us", "lateness p99", "µs", true},
		{"max_us", "lateness max", "µs", false},
		{"early", "early", "", false},
		{"lost", "not fired 30 s later", "", false},
	}},
	{name: "lateness", title: "2,000 over 10 s, idle process", fires: true, rows: []row{
		{"p50_us", "lateness p50", "µs", true},
		{"p99_us", "lateness p99", "µs", true},
		{"max_us", "lateness max", "µs", false},
		{"early", "early", "", false},
		{"lost", "not fired 30 s later", "", false},
	}},
	{name: "idle", title: "100,000 due in an hour, 10 s", rows: []row{{"cpu_ms", "processor time", "ms", true}}},
	{name: "stress", title: "400,000 of random delay, 30 % stopped, 30 % reset", fires: true, rows: []row{
		{"early", "early", "", false},
		{"lost", "lost", "", false},
		{"doubled", "fired twice", "", false},
		{"after_stop", "fired after a Stop that said true", "", false},
	}},
}

func workloadsNamed(list string) ([]workload, error) {
	return named("workload", workloads, func(w workload) string { return w.name }, list)
}

// suits reports whether the workload is measured of the rival.
func (w workload) suits(r rival) bool { return w.fires || !r.variant }
