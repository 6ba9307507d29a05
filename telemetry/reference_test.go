package telemetry

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"

	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

//go:generate go test -run TestReference -update .

var update = flag.Bool("update", false, "write docs/reference/metrics.md anew")

const referenceHead = `# Metrics

<!-- Written from the code: go generate ./telemetry -->

` + "`GET /metrics`" + ` shows these in the formats of Prometheus, beside those of the Go runtime (` + "`go_…`" + `) and the
process (` + "`process_…`" + `). Durations are in seconds. The first %d queues have a label of their own; the others share
the label ` + "`_other`" + `.

| metric | type | labels | meaning |
|---|---|---|---|
`

const referenceTail = `
Useful questions:

| question | expression |
|---|---|
| How late do tasks fire, at the 99th percentile? | ` + "`histogram_quantile(0.99, sum by (le) (rate(timewheel_fire_lateness_seconds_bucket[5m])))`" + ` |
| How many tasks wait? | ` + "`sum by (queue) (timewheel_tasks{state=~\"scheduled\\|ready\"})`" + ` |
| Which queues have tasks that somebody must look at? | ` + "`timewheel_tasks{state=\"dead\"} > 0`" + ` |
| Which queues had occurrences that got no task, since the daemon was started? | ` + "`sum by (queue, fate) (timewheel_occurrences_total{fate=~\"missed\\|skipped\"}) > 0`" + ` |
| Do tasks become ready faster than they are claimed? | ` + "`deriv(timewheel_tasks{state=\"ready\"}[10m]) > 0`" + ` |
`

// TestReference holds docs/reference/metrics.md and the code together.
func TestReference(t *testing.T) {
	m := New("1.2.3")
	m.Watch(fakeSource{n: 1})
	m.Events().Cancelled(&task.Task{Queue: "mail"})
	m.Events().Occurred("mail", scheduler.FateFired, 1)
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	fmt.Fprintf(&page, referenceHead, MaxQueues)
	for _, f := range families {
		if strings.HasPrefix(f.GetName(), "timewheel_") {
			fmt.Fprintf(&page, "| `%s` | %s | %s | %s |\n", f.GetName(), strings.ToLower(f.GetType().String()), labels(f), f.GetHelp())
		}
	}
	page.WriteString(referenceTail)

	file := filepath.Join("..", "docs", "reference", "metrics.md")
	if *update {
		if err := os.WriteFile(file, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != page.String() {
		t.Errorf("%s is not what the code says: run go generate ./telemetry", file)
	}
}

func labels(f *dto.MetricFamily) string {
	var names []string
	for _, l := range f.GetMetric()[0].GetLabel() {
		names = append(names, "`"+l.GetName()+"`")
	}
	return strings.Join(names, ", ")
}
