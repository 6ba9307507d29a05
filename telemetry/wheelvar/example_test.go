package wheelvar_test

import (
	"context"
	"encoding/json"
	"expvar"
	"fmt"
	"time"

	"github.com/timewheel-dev/timewheel"
	"github.com/timewheel-dev/timewheel/telemetry/wheelvar"
)

func ExampleNew() {
	w := timewheel.New(timewheel.Config{})
	expvar.Publish("timers", wheelvar.New(w))

	w.AfterFunc(time.Hour, func() {})
	w.AfterFunc(time.Minute, func() {}).Stop()

	var shown struct {
		Live      int `json:"live"`
		Set       int `json:"set"`
		Cancelled int `json:"cancelled"`
	}
	err := json.Unmarshal([]byte(expvar.Get("timers").String()), &shown) // GET /debug/vars has it under "timers"
	fmt.Printf("%+v\n", shown)
	if _, stopErr := w.Stop(context.Background()); err != nil || stopErr != nil {
		fmt.Println(err, stopErr)
	}
	// Output: {Live:1 Set:2 Cancelled:1}
}
