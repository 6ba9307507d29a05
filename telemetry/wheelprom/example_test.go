package wheelprom_test

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/timewheel-dev/timewheel"
	"github.com/timewheel-dev/timewheel/telemetry/wheelprom"
)

func ExampleNewCollector() {
	w := timewheel.New(timewheel.Config{})
	reg := prometheus.NewRegistry() // or prometheus.DefaultRegisterer
	reg.MustRegister(wheelprom.NewCollector(w, "sessions"))

	w.AfterFunc(time.Hour, func() {})
	w.AfterFunc(time.Minute, func() {}).Stop()

	families, err := reg.Gather() // promhttp.HandlerFor(reg, …) does this at each scrape
	for _, f := range families {
		switch f.GetName() {
		case "timewheel_timers_live":
			fmt.Println(f.GetName(), f.GetMetric()[0].GetGauge().GetValue())
		case "timewheel_timers_cancelled_total":
			fmt.Println(f.GetName(), f.GetMetric()[0].GetCounter().GetValue())
		}
	}
	if _, stopErr := w.Stop(context.Background()); err != nil || stopErr != nil {
		fmt.Println(err, stopErr)
	}
	// Output:
	// timewheel_timers_cancelled_total 1
	// timewheel_timers_live 1
}
