package cli

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// commands returns all commands of the grammar, groups included.
func commands(t *testing.T) []*kong.Node {
	t.Helper()
	ps, err := newParser(process{getenv: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	var all []*kong.Node
	var add func(*kong.Node)
	add = func(n *kong.Node) {
		all = append(all, n)
		for _, child := range n.Children {
			add(child)
		}
	}
	add(ps.Model.Node)
	return all
}

func TestHelp(t *testing.T) {
	s := newShell(t)
	for _, cmd := range commands(t) {
		path := cmd.Path()
		help := s.must(append(strings.Fields(path), "--help")...)
		name := strings.ReplaceAll(strings.TrimSpace("timewheel "+path), " ", "-")
		golden(t, "help/"+name+".txt", help)
	}
}

func TestNoCommandShowsTheHelp(t *testing.T) {
	s := newShell(t)
	out, err, code := s.run()
	if code != exitUsage || !strings.HasPrefix(out, "Usage: timewheel <command>") || !strings.HasPrefix(err, "timewheel: ") {
		t.Errorf("exit code %d\n%s%s", code, out, err)
	}
}

// TestWrongCommandLines are refused with one line that says what to do, before
// anything is done.
func TestWrongCommandLines(t *testing.T) {
	s := newShell(t)
	for _, c := range []struct{ args, says string }{
		{"skedule", "unexpected argument skedule"},
		{"get --queue orders", `missing flags: --key=KEY; see "timewheel get --help"`},
		{"get --queue orders --key 1 --frobnicate", "unknown flag --frobnicate"},
		{"list --queue orders --state asleep", `--state must be one of "scheduled","ready"`},
		{"list --queue orders --due-before 2026-12-01T00:00:00Z", "--due-before needs --state"},
		{"list --queue orders --limit=-1", "--limit must not be negative"},
		{"schedule --key 1 --in 30m", "--queue is missing"},
		{"schedule --queue orders --key 1", "say when: --in 30m, or --at 2026-12-01T09:00:00Z"},
		{"schedule --queue orders --in 30m --at 2026-12-01T09:00:00Z", "--in and --at can't be used together"},
		{"schedule --queue orders --in soon", `--in: must be a duration such as "90s"`},
		{"schedule --queue orders --in 99999999h", `--in: must not be over 2562047h, which is 292 years, got "99999999h"`},
		{"schedule --queue orders --at tomorrow", "--at must be an instant such as"},
		{"schedule --queue orders --in 1s --payload {broken", "--payload must be JSON"},
		{"schedule --queue orders --in 1s --payload 1 --payload-file x", "can't be used together"},
		{"schedule --queue orders --in 1s --content-type text/plain", "--content-type goes with --payload-file"},
		{"schedule --queue orders --in 1s --header A:b", "--header needs --webhook"},
		{"schedule --queue orders --in 1s --webhook http://x --header Ab", "--header must be NAME:VALUE"},
		{"schedule --queue orders --key 1 --from x", "--key is for one task"},
		{"cancel --queue orders", "--key=KEY or --from=FILE"},
		{"redrive --queue orders --key 1 --all", "can't be used together"},
		{"queues purge orders", "--state=STATE or --all"},
		{"queues set orders", "say what to change"},
		{"worker --queue mail", "missing flags: --exec=COMMAND"},
		{"worker --queue mail --exec true --concurrency 0", "--concurrency must be from 1 to 1000"},
		{"worker --queue mail --exec true --lease 1ms", "--lease must be 1s at least"},
		{"schedules put --key 1 --every 1h", "--queue is missing"},
		{"schedules put --queue q --every 1h", "--key is missing"},
		{"schedules put --queue q --key 1", `say when: --cron "0 9 * * *", --every 10m`},
		{"schedules put --queue q --key 1 --every 1h --cron @daily", "can't be used together"},
		{"schedules put --queue q --key 1 --every 1h --start noon", "--start must be an instant such as"},
		{"schedules put --queue q --key 1 --at noon", "--at must be an instant such as"},
		{"schedules put --queue q --key 1 --every 1h --misfire never", `--misfire must be one of "once","all"`},
		{"schedules put --queue q --key 1 --every 1h --gap first", "--gap must be one of"},
		{"schedules put --queue q --key 1 --every 1h --header A:b", "--header needs --webhook"},
		{"schedules put --queue q --key 1 --from x", "--key is for one schedule"},
		{"schedules get --queue q", "missing flags: --key=KEY"},
		{"schedules list --queue q --limit=-1", "--limit must not be negative"},
		{"schedules next --queue q --key 1 -n 1001", "--count must be from 1 to 1000"},
		{"schedules next --queue q --key 1 --before noon", "--before must be an instant such as"},
		{"import crontab", `expected "<file>"`},
		{"get --queue orders --key 1 --addr localhost", "--addr must be of the form http://HOST:PORT"},
		{"bench schedule --rounds 0", "must be 1 at least"},
		{"serve --config /nowhere.yaml", "configuration file: open /nowhere.yaml"},
		{"serve --log-format xml", "--log-format must be one of"},
	} {
		out, err, code := s.run(strings.Fields(c.args)...)
		if code != exitUsage || out != "" {
			t.Errorf("%s: exit code %d, want %d; it wrote %q", c.args, code, exitUsage, out)
		}
		if !strings.HasPrefix(err, "timewheel: ") || strings.Count(err, "\n") != 1 || !strings.Contains(err, c.says) {
			t.Errorf("%s: the error is\n%swant one line that says %q", c.args, err, c.says)
		}
	}
}

func TestVersion(t *testing.T) {
	s := newShell(t)
	if out := s.must("version"); !strings.HasPrefix(out, "timewheel "+Version()+" (go1.") {
		t.Errorf("wrote %q", out)
	}
	has(t, "--json", s.must("version", "--json"), `"version":"`+Version()+`"`, `"go_version":"go1.`, `"zone_data":"20`)
}

func TestAnUnreachableDaemon(t *testing.T) {
	s := newShell(t)
	_, err, code := s.run("get", "--queue", "orders", "--key", "1", "--addr", "http://127.0.0.1:1")
	if code != exitFailure {
		t.Errorf("exit code %d, want %d", code, exitFailure)
	}
	has(t, "the error", err, "timewheel: can't reach a daemon at http://127.0.0.1:1 (", "timewheel serve", "--addr")
}
