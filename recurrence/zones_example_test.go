package recurrence_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/timewheel-dev/timewheel/recurrence"
)

func ExampleLoadZone() {
	zone, err := recurrence.LoadZone("Europe/Berlin")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(time.Date(2026, time.July, 1, 12, 0, 0, 0, time.UTC).In(zone))

	_, err = recurrence.LoadZone("Berlin")
	fmt.Println(err)
	// Output:
	// 2026-07-01 14:00:00 +0200 CEST
	// unknown time zone "Berlin": did you mean Europe/Berlin?
}

func ExampleZoneNames() {
	names := recurrence.ZoneNames()
	fmt.Println(slices.Contains(names, "Asia/Shanghai"))
	// Output: true
}

func ExampleZoneVersion() {
	fmt.Println(recurrence.ZoneVersion() >= "2025c")
	// Output: true
}
