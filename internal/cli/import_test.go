package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/timewheel-dev/timewheel/client"
	"github.com/timewheel-dev/timewheel/internal/cli/crontab"
)

const someCrontab = `# what a crontab has
MAILTO=ops@example.org
PATH="/usr/local/bin:/usr/bin"

30 2 * * *      /usr/local/bin/backup --full
*/15 8-18 * * 1-5 poll | logger -t poll
0 0 */2 * mon   both
@hourly         mail -s "the hour" me%It is%one hour later
@reboot         start
0 3 31 2 *      never
CRON_TZ=America/New_York
RANDOM_DELAY=10
0 9 1 jan *     happy
0 25 * * *      hour
30 2 * * *      /usr/local/bin/backup --full
CRON_TZ=Mars/Olympus
0 9 * * *       far
`

// withoutNext takes the lines away that depend on when the test runs.
func withoutNext(out string) string {
	var kept strings.Builder
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "    next ") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

func TestImportDryRun(t *testing.T) {
	s := newShell(t)
	s.env["TIMEWHEEL_ADDR"] = "http://127.0.0.1:1" // nobody is there
	file := tempFile(t, "crontab", someCrontab)
	out, err, code := s.run("import", "crontab", file, "--tz", "Europe/Berlin", "--dry-run", "--prefix", "me.")
	if code != exitFailure || err != "" {
		t.Errorf("exit code %d, %s", code, err)
	}
	if n := strings.Count(out, "    next "); n != 6 {
		t.Errorf("%d lines have a next occurrence, want 6", n)
	}
	golden(t, "output/import-dry-run.txt", withoutNext(out))

	s.stdin = someCrontab
	out, _, code = s.run("import", "crontab", "-", "--tz", "Europe/Berlin", "--dry-run", "--json")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != exitFailure || len(lines) != 16 || lines[15] != `{"queue":"cron","dry_run":true,"schedules":6,"created":0,"replaced":0,"refused":5}` {
		t.Errorf("--json: exit code %d, %d lines, the last is %s", code, len(lines), lines[len(lines)-1])
	}
}

// TestTheGuide: docs/guides/cron.md shows what is printed of its crontab, and the
// script of one of its lines.
func TestTheGuide(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "guides", "cron.md"))
	if err != nil {
		t.Fatal(err)
	}
	guide := strings.ReplaceAll(string(text), "\n   ", "\n")
	_, rest, _ := strings.Cut(guide, "Of this crontab\n\n```\n")
	its, rest, _ := strings.Cut(rest, "```\n")
	_, rest, _ = strings.Cut(rest, "it says\n\n```\n")
	said, _, _ := strings.Cut(rest, "```\n")
	s := newShell(t)
	s.stdin = its
	if out, _, _ := s.run("import", "crontab", "-", "--tz", "Europe/Berlin", "--dry-run"); withoutNext(out) != withoutNext(said) || said == "" {
		t.Errorf("the guide has\n%s\nbut it says\n%s", said, out)
	}
	lines, err := crontab.Parse(its, crontab.User)
	if err != nil || len(lines) != 5 {
		t.Fatalf("%+v, %v", lines, err)
	}
	has(t, "the guide", string(text), "```sh\n"+lines[3].Entry.Script()+"```\n")
}

// TestImport imports a crontab, and again after its times have changed.
func TestImport(t *testing.T) {
	s := withDaemon(t)
	s.stdin = someCrontab
	out, _, code := s.run("import", "crontab", "-", "--tz", "Europe/Berlin")
	if code != exitFailure {
		t.Errorf("exit code %d", code)
	}
	has(t, "the output", out, "imported into queue cron: schedules 6, new 6, put again 0; lines refused: 5\n", "timewheel worker --queue cron --exec sh --concurrency 16\n")

	s.stdin = "0 4 * * * /usr/local/bin/backup --full\n@daily other\n"
	out = s.must("import", "crontab", "-", "--tz", "Europe/Berlin", "--overlap", "replace", "--misfire", "skip")
	has(t, "the output", out, "schedules 2, new 1, put again 1; lines refused: 0\n")
	var key string
	for line := range strings.Lines(out) {
		if _, name, ok := strings.Cut(strings.TrimSpace(line), ": backup-full-"); ok {
			key = "backup-full-" + name
		}
	}
	var got client.Schedule
	if err := json.Unmarshal([]byte(s.must("schedules", "get", "--queue", "cron", "--key", key, "--json")), &got); err != nil {
		t.Fatal(err)
	}
	if got.Cron[0] != "0 4 * * *" || got.TimeZone != "Europe/Berlin" || got.Overlap != client.OverlapReplace || got.Misfire.Policy != client.MisfireSkip ||
		got.Task.ContentType != shellScript || got.Task.Retry.MaxAttempts != 1 || got.Task.Timeout.String() != "24h0m0s" || got.Task.Metadata["command"] != "/usr/local/bin/backup --full" {
		t.Errorf("the schedule is %+v", got)
	}
}

// TestImportedSchedules looks at what a crontab's own words become.
func TestImportedSchedules(t *testing.T) {
	s := withDaemon(t)
	s.stdin = someCrontab
	s.run("import", "crontab", "-", "--tz", "Europe/Berlin")
	byCommand := map[string]client.Schedule{}
	for line := range strings.Lines(s.must("schedules", "list", "--queue", "cron", "--json")) {
		var got client.Schedule
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		byCommand[got.Task.Metadata["command"]] = got
	}
	if got := byCommand["both"]; got.DayRule != "and" || got.Overlap != client.OverlapSkip || got.Misfire.Policy != client.MisfireOnce {
		t.Errorf("*/2 beside a day of the week: %+v", got)
	}
	if got := byCommand["happy"]; got.TimeZone != "America/New_York" || got.Jitter.String() != "10m0s" || got.DayRule != "" {
		t.Errorf("below CRON_TZ and RANDOM_DELAY: %+v", got)
	}
	if got := byCommand[`mail -s "the hour" me`]; got.Cron[0] != "@hourly" {
		t.Errorf("@hourly: %+v", got)
	}
}

func TestImportRefusals(t *testing.T) {
	s := newShell(t)
	s.env["TIMEWHEEL_ADDR"] = "http://127.0.0.1:1"
	for _, c := range []struct {
		name, text string
		args       []string
		code       int
		says       string
	}{
		{"a file that is not there", "", []string{"/no/such/crontab", "--tz", "UTC"}, exitFailure, "no such file"},
		{"a policy that is none", "", []string{"-", "--overlap", "never"}, exitUsage, "--overlap must be one of"},
		{"too large", strings.Repeat("#", crontab.MaxSize+1), []string{"-", "--tz", "UTC"}, exitFailure, "at most 1048576 bytes"},
		{"no such zone", "@daily x", []string{"-", "--tz", "Nowhere", "--dry-run"}, exitUsage, "--tz: unknown time zone"},
		{"no such queue", "@daily x", []string{"-", "--tz", "UTC", "--dry-run", "--queue", "a/b"}, exitUsage, "--queue must be"},
		{"flags out of bounds", "", []string{"-", "--tz", "UTC", "--timeout", "48h", "--retry-max-attempts", "1000000", "--prefix", strings.Repeat("p", 600)}, exitUsage, "--timeout must be"},
		{"an attempt too many", "", []string{"-", "--tz", "UTC", "--retry-max-attempts", "1000000"}, exitUsage, "--retry-max-attempts must"},
		{"a long prefix", "", []string{"-", "--tz", "UTC", "--prefix", strings.Repeat("p", 600)}, exitUsage, "--prefix must be"},
		{"nobody to send it to", "@daily x", []string{"-", "--tz", "UTC"}, exitFailure, "can't reach a daemon"},
	} {
		s.stdin = c.text
		out, err, code := s.run(append([]string{"import", "crontab"}, c.args...)...)
		if code != c.code || out != "" || !strings.Contains(err, c.says) {
			t.Errorf("%s: exit code %d, wrote %q and\n%s", c.name, code, out, err)
		}
	}
}

// TestImportOfNothing: a crontab of another name may have been meant.
func TestImportOfNothing(t *testing.T) {
	s := newShell(t)
	s.stdin = "# empty\n\nMAILTO=me\n"
	out, err, code := s.run("import", "crontab", "-", "--tz", "UTC", "--dry-run")
	if code != exitOK || err != "warning: the crontab has no line with a command\n" {
		t.Errorf("exit code %d, %q, %q", code, out, err)
	}
}

// TestMinutesOfVixie: a step in minutes that do not begin with * is a list of fixed
// times to Vixie's cron. It makes up for those that the clocks pass over.
func TestMinutesOfVixie(t *testing.T) {
	s := newShell(t)
	next := func(times string) string {
		return s.must("cron", "next", times, "--tz", "Europe/Berlin", "--after", "2027-03-27T23:00:00Z", "--count", "3", "--json")
	}
	for line, want := range map[string]string{
		"0-30/30 2 * * * x": "0,30 2 * * *",
		"*/30 2 * * * x":    "*/30 2 * * *",
	} {
		s.stdin = line
		out := s.must("import", "crontab", "-", "--tz", "Europe/Berlin", "--dry-run")
		if said := strings.Contains(out, "note: the minutes 0-30/30 are written out as 0,30: "); said == (line[0] == '*') {
			t.Errorf("%s: the output is\n%s", line, out)
		}
		lines, err := crontab.Parse(line, crontab.User)
		if err != nil {
			t.Fatal(err)
		}
		if got := lines[0].Entry.Times; got != want {
			t.Errorf("%s: the times are %s, want %s", line, got, want)
		}
	}
	if got := next("0,30 2 * * *"); got != `["2027-03-28T03:00:00+02:00","2027-03-29T02:00:00+02:00","2027-03-29T02:30:00+02:00"]`+"\n" {
		t.Errorf("fixed times: %s", got)
	}
	if got := next("*/30 2 * * *"); !strings.HasPrefix(got, `["2027-03-29T02:00:00+02:00",`) {
		t.Errorf("what repeats: %s", got)
	}
}

func TestMachineZone(t *testing.T) {
	link := filepath.Join(t.TempDir(), "localtime")
	if err := os.Symlink("../usr/share/zoneinfo/America/Argentina/Salta", link); err != nil {
		t.Skip("links can't be made here:", err)
	}
	none := func(string) (string, bool) { return "", false }
	tz := func(string) (string, bool) { return ":Asia/Tokyo", true }
	for _, c := range []struct {
		getenv     func(string) (string, bool)
		file, want string
	}{
		{none, link, "America/Argentina/Salta"},
		{tz, link, "Asia/Tokyo"},
		{none, link + ".not", ""},
	} {
		if got := machineZone(c.getenv, c.file); got != c.want {
			t.Errorf("%s: got %q, want %q", c.file, got, c.want)
		}
	}
}

// vixieDay decides as Vixie's cron does whether a line runs on a day: it goes by
// the first characters of the day fields.
func vixieDay(days, weekdays string, t time.Time) bool {
	day := vixieField(days, 1, 31, t.Day())
	weekday := vixieField(weekdays, 0, 7, int(t.Weekday())) || t.Weekday() == time.Sunday && vixieField(weekdays, 0, 7, 7)
	if days[0] == '*' || weekdays[0] == '*' {
		return day && weekday
	}
	return day || weekday
}

func vixieField(field string, low, high, value int) bool {
	for part := range strings.SplitSeq(field, ",") {
		from, to, step := low, high, 1
		base, by, stepped := strings.Cut(part, "/")
		if stepped {
			fmt.Sscan(by, &step) //nolint:errcheck // the test made it
		}
		if a, b, ranged := strings.Cut(base, "-"); ranged {
			fmt.Sscan(a, &from) //nolint:errcheck // the test made it
			fmt.Sscan(b, &to)   //nolint:errcheck // the test made it
		} else if base != "*" {
			fmt.Sscan(base, &from) //nolint:errcheck // the test made it
			to = from
		}
		if value >= from && value <= to && (value-from)%step == 0 {
			return true
		}
	}
	return false
}

func dayField(low, high int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			a, b := rapid.IntRange(low, high).Draw(t, "a"), rapid.IntRange(low, high).Draw(t, "b")
			step := rapid.IntRange(1, high-low).Draw(t, "step")
			return rapid.SampledFrom([]string{
				fmt.Sprintf("*/%d", max(2, step)), fmt.Sprint(a),
				fmt.Sprintf("%d-%d", min(a, b), max(a, b)), fmt.Sprintf("%d-%d/%d", min(a, b), max(a, b), step),
				fmt.Sprintf("%d-%d", low, high),
			}).Draw(t, "part")
		}), 1, 3).Draw(t, "parts")
		if len(parts) == 1 && rapid.Bool().Draw(t, "all") {
			return "*"
		}
		return strings.Join(parts, ",")
	})
}

// TestDaysOfVixie: what is imported runs on the days on which cron runs it,
// whichever way the day fields are written.
func TestDaysOfVixie(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		days, weekdays := dayField(1, 31).Draw(t, "days"), dayField(0, 7).Draw(t, "weekdays")
		lines, err := crontab.Parse("0 12 "+days+" * "+weekdays+" x", crontab.User)
		if err != nil || lines[0].Entry == nil {
			t.Fatalf("%+v, %v", lines, err)
		}
		m := (&importCrontabCmd{Queue: "cron"}).convert(lines[0], "UTC", time.Now())
		if m.Refused != "" {
			t.Fatal(m.Refused)
		}
		rule, err := m.rule()
		if err != nil {
			t.Fatal(err)
		}
		noon := time.Date(2027, 12, 20, 12, 0, 0, 0, time.UTC)
		for range 450 { // with a leap day
			if fires := rule.Next(noon.Add(-1)).Equal(noon); fires != vixieDay(days, weekdays, noon) {
				t.Fatalf("%s and %s: it fires on %s: %v", days, weekdays, noon.Format("Mon 2006-01-02"), fires)
			}
			noon = noon.AddDate(0, 0, 1)
		}
	})
}
