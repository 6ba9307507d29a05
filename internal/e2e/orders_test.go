package e2e

import (
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// The example of the README, smaller: orders with webhooks, some cancelled
// half-way, the daemon killed with -9 once. The script fails if anything is
// early, lost, doubled, or fired after its cancellation was acknowledged.
func TestOrdersExample(t *testing.T) {
	script := exec.Command("bash", "examples/orders/run.sh")
	script.Dir = root
	script.Env = append(os.Environ(),
		"N=2000", "OVER=6s", "START=2s", "CANCEL=200", "DIR="+t.TempDir(),
		"PORT="+port(t), "RECEIVER_PORT="+port(t))
	out, err := script.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"orders scheduled +2000", "cancelled, acknowledged +200", "delivered +1800", "early +0", "lost +0", "doubled .* 0", "after an acknowledged cancel +0"} {
		if !regexp.MustCompile(`(?m)^.*` + want + `$`).Match(out) {
			t.Errorf("the report lacks %q", want)
		}
	}
	t.Log("\n" + string(out))
}

func port(t *testing.T) string {
	t.Helper()
	_, p, err := net.SplitHostPort(freeAddr(t))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(p)
}
