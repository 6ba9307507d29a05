package api_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/timewheel-dev/timewheel/api"
	"github.com/timewheel-dev/timewheel/api/wire"
)

// word is an argument on a command line: in quotes, or without spaces.
var word = regexp.MustCompile(`'([^']*)'|(\S+)`)

// command is a curl command of the reference page.
type command struct {
	method, target, body string
	headers              []string
}

func parseCurl(t *testing.T, line string) (c command) {
	t.Helper()
	c.method = "GET"
	next := ""
	for _, m := range word.FindAllStringSubmatch(strings.TrimPrefix(line, "curl "), -1) {
		arg := m[1] + m[2]
		switch {
		case next == "-X":
			c.method = arg
		case next == "-H":
			c.headers = append(c.headers, arg)
		case next != "":
			c.body = arg
			if c.method == "GET" {
				c.method = "POST"
			}
		case strings.HasPrefix(arg, "-"):
			next = arg
			continue
		default:
			c.target = strings.TrimPrefix(arg, "127.0.0.1:7390")
		}
		next = ""
	}
	if !strings.HasPrefix(c.target, "/") || next != "" {
		t.Fatalf("not a command of the kind that this test can run: %s", line)
	}
	return c
}

// Every command of the reference page works, in the order of the page.
func TestReferencePageWorks(t *testing.T) {
	page, err := os.ReadFile("../docs/reference/http-api.md")
	if err != nil {
		t.Fatal(err)
	}
	bubble(t, api.Options{Metrics: http.HandlerFunc(up)}, func(t *testing.T, d *door) {
		var claimed wire.ClaimedTask
		known := strings.NewReplacer("@orders.ndjson", `{"key":"50","delay":"1h"}`+"\n"+`{"delay":"2h"}`)
		n := 0
		for line := range strings.Lines(string(page)) {
			if !strings.HasPrefix(line, "curl ") {
				continue
			}
			n++
			line = strings.NewReplacer("TOKEN", claimed.LeaseToken, "KEY", claimed.Key).Replace(strings.TrimSpace(line))
			c := parseCurl(t, line)
			if c.body != "" && len(c.headers) == 0 {
				c.headers = []string{"Content-Type: application/x-www-form-urlencoded"} // as curl does
			}
			synctest.Wait()
			a := d.do(c.method, c.target, known.Replace(c.body), c.headers...)
			if a.Code > 299 || strings.Contains(a.Body.String(), `"problem"`) {
				t.Errorf("%s\n%d %s", line, a.Code, a.Body)
			}
			if strings.HasSuffix(c.target, ":claim") {
				tasks := read[wire.ClaimResponse](a).Tasks
				if len(tasks) == 0 {
					t.Fatalf("%s claimed nothing", line)
				}
				claimed = tasks[0]
			}
		}
		if n < 25 {
			t.Errorf("only %d commands were found", n)
		}
	})
}
