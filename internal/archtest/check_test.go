package archtest_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/timewheel-dev/timewheel/internal/archtest"
)

// Every rule of the checker is shown a made-up file that breaks it, and one
// beside it that does not.
func TestCheckRefuses(t *testing.T) {
	for _, tc := range []struct {
		name, file string
		imports    []string
		want       string // part of the violation; "" if the file is fine
	}{
		{"downwards", "scheduler/run.go", ours("store", "task", "internal/wheel"), ""},
		{"upwards", "store/store.go", ours("scheduler"), "floor 3 is above floor 1; store refuses to know drivers"},
		{"sideways", "client/client.go", ours("api"), "both live on floor 4; client refuses to know the server"},
		{"driver to driver", "store/memstore/mem.go", ours("store/pebblestore"), "both live on floor 2"},
		{"the root package is a package too", "task/task.go", ours("."), "floor 2 is above floor 0"},
		{"the wire types stand on nothing of ours", "api/wire/types.gen.go", ours("task"), "both live on floor 0"},
		{"a path that only starts alike", "store/storage/x.go", nil, "has no row"},
		{"no row", "internal/newcomer/new.go", nil, "say in internal/archtest/floors.go which floor it lives on"},
		{"below a pattern", "deliver/webhook/post.go", ours("task"), ""},
		{"whatever the build tag", "store/x_windows.go", ours("scheduler"), "above"},

		{"a ban of the standard library", "internal/wheel/x.go", []string{"time"}, "the caller converts"},
		{"a ban of ours", "scheduler/x.go", ours("deliver/webhook"), "the scheduler knows outcomes, not transports"},
		{"no ban", "scheduler/x.go", []string{"time", "sync"}, ""},
		{"a driver, chosen where it should be", "internal/daemon/x.go", ours("store/pebblestore"), ""},
		{"a driver, chosen where it should not be", "api/x.go", ours("store/pebblestore"), "chosen in the composition root"},

		{"pure, with golang.org/x/sys", "wheel.go", append(ours("internal/wheel"), "golang.org/x/sys/unix"), ""},
		{"pure, with a module of others", "wheel.go", []string{"github.com/cockroachdb/pebble/v2"}, "promises its users"},
		{"pure, with an impure package of ours", "wheel.go", ours("api/wire"), "that one does not"},
		{"a listed module", "store/pebblestore/x.go", []string{"github.com/cockroachdb/pebble/v2/vfs"}, ""},
		{"an unlisted module", "store/memstore/x.go", []string{"github.com/cockroachdb/pebble/v2/vfs"}, "a new dependency is a decision"},
		{"cgo", "store/pebblestore/x.go", []string{"C"}, "without a C compiler"},

		{"test tools in a program", "scheduler/x.go", []string{"testing"}, "does not carry its tests' tools"},
		{"a test kit in a program", "scheduler/x.go", ours("store/storetest"), "this file is no test"},
		{"test tools in a kit", "store/storetest/x.go", append(ours("store"), "testing", "pgregory.net/rapid"), ""},
		{"a kit and one driver", "store/storetest/x.go", ours("store/memstore"), "refuses to know any one driver"},

		{"a test of its own package", "store/memstore/x_test.go", ours("store/memstore"), ""},
		{"a test with its floor's kit", "store/memstore/x_test.go", ours("store/storetest"), ""},
		{"a test with a kit above it", "store/x_test.go", ours("store/storetest"), "above"},
		{"a test with a driver below it", "scheduler/x_test.go", ours("store/memstore"), ""},
		{"a test with what its row lists", "api/x_test.go", ours("client"), ""},
		{"a test with what its row does not list", "api/x_test.go", ours("telemetry"), "both live on floor 4"},
		{"a test of a pure package", "task/x_test.go", []string{"pgregory.net/rapid", "go.uber.org/goleak"}, ""},
		{"a test with an unlisted module", "task/x_test.go", []string{"github.com/oklog/run"}, "a new dependency"},
		{"a test free of its package's bans", "internal/wheel/x_test.go", []string{"time"}, ""},

		{"examples import what they like", "examples/orders/main.go", append(ours("api", "examples/orders/gen"), "github.com/oklog/run"), ""},
		{"nobody imports examples", "internal/cli/x.go", ours("examples/orders"), "beside the house"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			found := check(t, fstest.MapFS{tc.file: source(tc.imports)})
			expect(t, found, tc.want)
		})
	}
}

func TestCheckRefusesTheRealClock(t *testing.T) {
	const asTime, asOther = `"time"`, `t "time"`
	for _, tc := range []struct {
		name, file, imports, body, want string
	}{
		{"a call", "scheduler/x.go", asTime, "var x = time.Now()", "scheduler/x.go:4: uses time.Now: ask package clock"},
		{"a value", "scheduler/x.go", asTime, "var now = time.Now", "ask package clock"},
		{"by another name", "scheduler/x.go", asOther, "var now = t.Now", "uses time.Now"},
		{"of another package", "scheduler/x.go", asOther, "var now = time.Now", ""},
		{"elapsed", "store/memstore/x.go", asTime, "var x = time.Since(y)", "ask package clock"},
		{"asleep", "store/memstore/x.go", asTime, "func f() { time.Sleep(1) }", "can't be stopped"},
		{"waiting", "store/memstore/x.go", asTime, "var x = time.After(1)", "can't be stopped"},
		{"timers", "scheduler/x.go", asTime, "var x = time.NewTimer(time.Second)", ""},
		{"the seam itself", "clock/x.go", asTime, "var x = time.Now()", ""},
		{"the driver of the root package", "x.go", asTime, "var x = time.Now()", ""},
		{"an edge", "api/x.go", asTime, "var x = time.Now()", ""},
		{"a test outside a bubble reads", "scheduler/x_test.go", asTime, "var x = time.Now()", ""},
		{"a test outside a bubble sleeps", "scheduler/x_test.go", asTime, "func f() { time.Sleep(1) }", "a test that sleeps hopes"},
		{"a test in a bubble sleeps", "scheduler/x_test.go", asTime + `; import _ "testing/synctest"`, "func f() { time.Sleep(1) }", ""},
		{"no Go at all", "scheduler/x.go", asTime, "func {", "does not parse"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			src := fmt.Sprintf("package x\n\nimport %s\n%s\n", tc.imports, tc.body)
			found := check(t, fstest.MapFS{tc.file: {Data: []byte(src)}})
			expect(t, found, tc.want)
		})
	}
}

func TestCheckPassesOverWhatIsNotOfTheModule(t *testing.T) {
	bad := source(ours("scheduler"))
	found := check(t, fstest.MapFS{
		"store/testdata/x.go":  bad,
		"store/_drafts/x.go":   bad,
		".cache/x.go":          bad,
		"vendor/other/x.go":    bad,
		"bench/go.mod":         {Data: []byte("module bench\n")},
		"bench/internal/x.go":  bad,
		"store/README.md":      {Data: []byte("no Go")},
		"store/store.go":       source(ours("task")),
		"internal/odd/go.mod":  {Data: []byte("module odd\n")},
		"internal/odd/main.go": bad,
	})
	expect(t, found, "")
}

func TestCheckReportsEveryFault(t *testing.T) {
	found := check(t, fstest.MapFS{
		"store/a.go":        source(ours("scheduler", "api")),
		"task/b.go":         source([]string{"net/http"}),
		"internal/new/c.go": source(nil),
		"internal/new/d.go": source(nil), // the package is reported once
	})
	if len(found) != 4 {
		t.Errorf("found %d violations, want 4: %v", len(found), found)
	}
}

func TestCheckTellsOfUnreadableImports(t *testing.T) {
	_, err := archtest.Floors.Check(fstest.MapFS{"task/x.go": {Data: []byte("package task\nimport \"un")}})
	if err == nil || !strings.Contains(err.Error(), "task/x.go:2") {
		t.Errorf("Check returned %v, want an error with file and line", err)
	}
}

func check(t *testing.T, fsys fstest.MapFS) []archtest.Violation {
	t.Helper()
	found, err := archtest.Floors.Check(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// expect wants one violation with the text in it, or none if that is empty.
func expect(t *testing.T, found []archtest.Violation, want string) {
	t.Helper()
	switch {
	case want == "" && len(found) > 0:
		t.Errorf("found %v, want no violation", found)
	case want != "" && (len(found) != 1 || !strings.Contains(found[0].String(), want)):
		t.Errorf("found %v, want one violation with %q", found, want)
	}
}

// ours turns paths below the module's into import paths.
func ours(pkgs ...string) []string {
	var paths []string
	for _, p := range pkgs {
		if p == "." {
			paths = append(paths, archtest.Module)
			continue
		}
		paths = append(paths, archtest.Module+"/"+p)
	}
	return paths
}

// source returns a file with these imports.
func source(imports []string) *fstest.MapFile {
	var b strings.Builder
	b.WriteString("package x\n\n")
	for _, path := range imports {
		fmt.Fprintf(&b, "import _ %q\n", path)
	}
	return &fstest.MapFile{Data: []byte(b.String())}
}
