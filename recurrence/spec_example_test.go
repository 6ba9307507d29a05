package recurrence_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/timewheel-dev/timewheel/recurrence"
)

func ExampleSpec() {
	var spec recurrence.Spec
	err := json.Unmarshal([]byte(`{
		"cron": ["0 9 * * mon-fri", "0 11 * * sat"],
		"time_zone": "Europe/Berlin",
		"dst": {"gap": "skip"},
		"exclude": ["12-24..01-01"],
		"start": "2026-12-01T00:00:00+01:00"
	}`), &spec)
	fmt.Println(err)
	rule, err := spec.Compile(recurrence.Context{})
	fmt.Println(err)
	printNext(rule, noon, 2)
	// Output:
	// <nil>
	// <nil>
	// Tue 2026-12-01 09:00:00 +01:00
	// Wed 2026-12-02 09:00:00 +01:00
}

// Ten thousand polls that came into being at the same moment spread over their
// interval, and each keeps its phase when the program starts anew.
func ExampleSpec_Compile() {
	spec := recurrence.Spec{Every: 10 * time.Minute, Spread: true}
	for _, key := range []string{"poll-1", "poll-2", "poll-3"} {
		rule, _ := spec.Compile(recurrence.Context{Key: key})
		fmt.Println(key, rule.Next(noon).Format("15:04:05.000"))
	}
	// Output:
	// poll-1 12:05:12.794
	// poll-2 12:01:25.671
	// poll-3 12:07:37.460
}

func ExampleSpec_Validate() {
	spec := recurrence.Spec{Cron: []string{"0 9 31 2 *"}, Zone: "Europe/Berlim", Exclude: []string{"12-25", "02-30"}}
	if faults, ok := errors.AsType[recurrence.Faults](spec.Validate()); ok {
		for _, f := range faults {
			fmt.Println(f.Field, f.Reason)
		}
	}
	// Output:
	// time_zone is refused: unknown time zone "Europe/Berlim": did you mean Europe/Berlin?
	// cron is refused: day of month, column 5, at "31": it would never fire: day of month 31 never comes in February
	// exclude[1] must be a date of the calendar, as in 2026-12-25 or, for every year, 12-25, two of them with .. between, or one of sun mon tue wed thu fri sat; got "02-30"
}

func ExampleSpec_MarshalJSON() {
	spec := recurrence.Spec{Every: 90 * time.Minute, Anchor: noon}
	text, err := json.Marshal(spec)
	fmt.Println(string(text), err)
	// Output: {"every":"1h30m0s","anchor":"2026-11-21T12:00:00Z"} <nil>
}

func ExampleSpec_UnmarshalJSON() {
	var spec recurrence.Spec
	err := json.Unmarshal([]byte(`{"every": "10", "jitter": "5s"}`), &spec)
	fmt.Println(err)
	// Output: every must be a duration over 0 such as "90s", "1h30m" or "48h", got "10"; jitter is unknown: allowed are cron, every, at, anchor, spread, time_zone, day_rule, dst, exclude, start, end
}

func ExampleFaults() {
	err := recurrence.Spec{Every: time.Millisecond, Exclude: []string{"tomorrow"}}.Validate()
	faults, ok := errors.AsType[recurrence.Faults](err)
	fmt.Println(ok, len(faults), faults[1].Field)
	// Output: true 2 exclude[0]
}
