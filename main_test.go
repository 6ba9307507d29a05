package timewheel_test

import (
	"testing"

	"go.uber.org/goleak"
)

// Stop must end every goroutine of a wheel, so no test may leave one behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
