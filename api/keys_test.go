package api_test

import (
	"strings"
	"testing"

	"github.com/timewheel-dev/timewheel/api"
	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/client"
	"github.com/timewheel-dev/timewheel/scheduler"
)

// keys are hard on paths.
var keys = []string{
	"42", "a/b", "/", "//", "a//b", "..", ".", "...", "../../x", "a/../b", "a:run", ":run", "run:", "a:b:c", ":", "::",
	"with space", "plus+plus", "100%", "%2F", "%252F", "a?b=c", "a#b", "a&b;c,d", "käse", "日本語", "😀", "~tilde~", `back\slash`, `"quoted"`, "{key}", "a@b", "a=b", "[x]", "|", "<>", "^`",
	strings.Repeat("é", 256), strings.Repeat("/", 512),
}

func TestAnyKeyWorksWithTheClient(t *testing.T) {
	bubble(t, api.Options{}, func(t *testing.T, d *door) {
		c := online(t, d, "")
		for _, key := range keys {
			made, err := c.Schedule(t.Context(), client.NewTask{Queue: "q", Key: key, Delay: client.In(1e9)})
			if err != nil || made.Key != key || made.Replaced {
				t.Errorf("%q: scheduled as %q, replaced %v: %v", key, made.Key, made.Replaced, err)
				continue
			}
			if _, err := c.Run(t.Context(), "q", key); err != nil {
				t.Errorf("%q: run: %v", key, err)
			}
			if got, err := c.Get(t.Context(), "q", key); err != nil || got.Key != key || got.ID != made.ID {
				t.Errorf("%q: got %q: %v", key, got.Key, err)
			}
			if err := c.Cancel(t.Context(), "q", key); err != nil {
				t.Errorf("%q: cancel: %v", key, err)
			}
		}
		left := map[string]bool{}
		for task, err := range c.List(t.Context(), "q", client.ListOptions{State: client.Cancelled, PageSize: 7}) {
			if err != nil {
				t.Fatal(err)
			}
			left[task.Key] = true
		}
		if len(left) != len(keys) {
			t.Errorf("%d tasks are listed, want %d", len(left), len(keys))
		}
	})
}

// What people type has less escapes than what the client sends.
func TestKeysInRawPaths(t *testing.T) {
	bubble(t, api.Options{}, func(t *testing.T, d *door) {
		for target, key := range map[string]string{
			"order:42":     "order:42",
			"a%2Fb":        "a/b",
			"a%2fb":        "a/b",
			"..":           "..",
			"%2E":          ".",
			"a%3Arun":      "a:run",
			"a:run":        "a:run",
			"a+b":          "a+b",
			"a%20b":        "a b",
			"%25":          "%",
			"k%C3%A4se":    "käse",
			"käse":         "käse",
			"a;b,c=d@e$f!": "a;b,c=d@e$f!",
			"%34%32":       "42",
		} {
			a := d.do("PUT", "/v1/queues/q/tasks/"+target, `{"delay":"1h"}`)
			if got := read[wire.Task](a).Key; got != key {
				t.Errorf("%s is the key %q, want %q", target, got, key)
			}
			if at := a.Header().Get("Location"); at != "" && read[wire.Task](d.do("GET", at, "").must(200)).Key != key {
				t.Errorf("Location %s does not lead to %q", at, key)
			}
		}
		d.do("POST", "/v1/queues/q/tasks/order:42:run", "").must(200)
		d.do("POST", "/v1/queues/q/tasks/a:run:run", "").must(200)
		d.do("POST", "/v1/queues/q/tasks/a%3Arun:run", "").must(200)
		d.do("POST", "/v1/queues/q/tasks/a%3Arun", "").problem(405, wire.ProblemCodeMethodNotAllowed)
		d.do("POST", "/v1/queues/q/tasks/order:42", "").problem(405, wire.ProblemCodeMethodNotAllowed)
	})
}

func FuzzPathSegment(f *testing.F) {
	for _, key := range keys {
		f.Add(key)
	}
	h := api.New(failing{err: scheduler.ErrNotFound}, api.Options{Log: quiet()})
	f.Fuzz(func(t *testing.T, key string) {
		w := serve(h, "GET", "/v1/queues/q/tasks/"+wire.PathSegment(key), "")
		if w.Code != 404 && w.Code != 400 {
			t.Errorf("%q: status %d: %s", key, w.Code, w.Body)
		}
		if strings.Contains(w.Body.String(), string(wire.ProblemCodeUnknownPath)) {
			t.Errorf("%q leads nowhere: %s", key, w.Body)
		}
	})
}
