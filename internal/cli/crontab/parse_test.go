package crontab_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/internal/cli/crontab"
)

func parse(t *testing.T, text string, f crontab.Format) []crontab.Line {
	t.Helper()
	lines, err := crontab.Parse(text, f)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// only returns the one line that a text has.
func only(t *testing.T, text string, f crontab.Format) crontab.Line {
	t.Helper()
	lines := parse(t, text, f)
	if len(lines) != 1 {
		t.Fatalf("%q has %d lines, want 1: %+v", text, len(lines), lines)
	}
	return lines[0]
}

func TestEntries(t *testing.T) {
	for _, c := range []struct {
		text                  string
		format                crontab.Format
		times, user, cmd, inp string
		both                  bool
	}{
		{"0 3 * * * backup", crontab.User, "0 3 * * *", "", "backup", "", false},
		{"\t 0\t3  * * *\t backup --to  /mnt  ", crontab.User, "0 3 * * *", "", "backup --to  /mnt  ", "", false},
		{"0 3 1 * mon backup # not a comment", crontab.User, "0 3 1 * mon", "", "backup # not a comment", "", false},
		{"0 3 1-31 * mon backup", crontab.User, "0 3 1-31 * mon", "", "backup", "", false},
		{"0 3 */2 * mon backup", crontab.User, "0 3 */2 * mon", "", "backup", "", true},
		{"0 3 1 * */2 backup", crontab.User, "0 3 1 * */2", "", "backup", "", true},
		{"@daily backup\r\n", crontab.User, "@daily", "", "backup", "", false},
		{"*/5 8-18/2 * jan,MAR Mon-Fri FOO=bar backup", crontab.User, "*/5 8-18/2 * jan,MAR Mon-Fri", "", "FOO=bar backup", "", false},
		{"17 * * * * root cd / && run-parts /etc/cron.hourly", crontab.System, "17 * * * *", "root", "cd / && run-parts /etc/cron.hourly", "", false},
		{"@hourly\tbackup\t/usr/bin/dump", crontab.System, "@hourly", "backup", "/usr/bin/dump", "", false},
		{"-0 3 * * * quiet", crontab.User, "0 3 * * *", "", "quiet", "", false},
		{"0 3 * * * mail -s hi me%one%%two", crontab.User, "0 3 * * *", "", "mail -s hi me", "one\n\ntwo\n", false},
		{"0 3 * * * mail me%one%", crontab.User, "0 3 * * *", "", "mail me", "one\n", false},
		{"0 3 * * * mail me%", crontab.User, "0 3 * * *", "", "mail me", "", false},
		{"0 3 * * * mail me%%", crontab.User, "0 3 * * *", "", "mail me", "\n", false},
		{`0 3 * * * date +\%F%a\%b\c\`, crontab.User, "0 3 * * *", "", "date +%F", `a%b\c\` + "\n", false},
		{`0 3 * * * sed s/\\./x/ a\`, crontab.User, "0 3 * * *", "", `sed s/\\./x/ a\`, "", false},
		{`0 3 * * * cat%a\\%b`, crontab.User, "0 3 * * *", "", "cat", `a\%b` + "\n", false},
	} {
		l := only(t, c.text, c.format)
		e := l.Entry
		if e == nil {
			t.Errorf("%q is refused: %s", c.text, l.Fault)
			continue
		}
		if e.Times != c.times || e.User != c.user || e.Command != c.cmd || e.Input != c.inp || e.BothDays != c.both {
			t.Errorf("%q: got %+v", c.text, *e)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		text   string
		format crontab.Format
		says   string
	}{
		{"@reboot start", crontab.User, "start of the machine"},
		{"@often start", crontab.User, "@often is unknown: there are @yearly"},
		{"@every 5m start", crontab.User, "@every is unknown"},
		{"0 3 * * *", crontab.User, "no command"},
		{"0 3 * * * ", crontab.User, "no command"},
		{"@daily", crontab.User, "no command"},
		{"0 3 * * * %input", crontab.User, "no command stands before the %"},
		{"0 3 * *", crontab.User, "five fields and a command must stand here, got 4"},
		{"backup", crontab.User, "five fields and a command must stand here, got 1"},
		{"-", crontab.User, "got 0"},
		{"0 3 * * * backup", crontab.System, "a user and a command must stand after the times"},
		{"5/10 * * * * backup", crontab.User, "minute, 5/10: some crons take it as 5 alone"},
		{"0~59 3 * * * backup", crontab.User, "random values"},
		{"0 3 ? * * backup", crontab.User, `day of month, "?": a crontab has numbers`},
		{"0 3 * * fri#2 backup", crontab.User, `day of week, "fri#2"`},
		{"0 3 1 * 0,* backup", crontab.User, "day of week, 0,*: * in a list names everything"},
		{`0 3 * * * echo \\%F`, crontab.User, "two backslashes"},
		{"0 3 * * * a\x00b", crontab.User, "NUL"},
		{"A-B=1", crontab.User, `"A-B" is not a name`},
		{`A="1" 2`, crontab.User, "the value of A begins with a quote"},
		{`A='1`, crontab.User, "the value of A begins with a quote"},
		{`"A=1`, crontab.User, "a crontab has numbers"},
		{"SHELL=", crontab.User, "SHELL is empty"},
		{"RANDOM_DELAY=soon", crontab.User, "RANDOM_DELAY must be a number of minutes"},
		{"RANDOM_DELAY=1441", crontab.User, "from 0 to 1440"},
	} {
		l := only(t, c.text, c.format)
		if l.Entry != nil || l.Set != nil || !strings.Contains(l.Fault, c.says) {
			t.Errorf("%q: the fault is %q, want one that says %q", c.text, l.Fault, c.says)
		}
	}
}

func TestVariables(t *testing.T) {
	for text, want := range map[string]string{
		"A=b":             "A=b",
		"A = b c  ":       "A=b c",
		`A=" b "  `:       "A= b ",
		`"A"='b"c'`:       `A=b"c`,
		"A=":              "A=",
		`A=b"c"`:          `A=b"c"`,
		"A=$HOME/bin:$A":  "A=$HOME/bin:$A",
		"\tA\t=\tb=c # d": "A=b=c # d",
	} {
		l := only(t, text, crontab.User)
		if l.Set == nil || l.Set.Name+"="+l.Set.Value != want {
			t.Errorf("%q: got %+v, %s; want %s", text, l.Set, l.Fault, want)
		}
	}
}

// TestLinesBelow: a setting holds for the lines below it, until another.
func TestLinesBelow(t *testing.T) {
	lines := parse(t, `# a comment
* * * * * zero
A=1
B=2
CRON_TZ=Europe/Berlin
RANDOM_DELAY=30

* * * * * one
A=3
TZ=Asia/Tokyo
LOGNAME=me
CRON_TZ=
@reboot refused
* * * * * two`, crontab.User)
	var entries []string
	for _, l := range lines {
		if e := l.Entry; e != nil {
			entries = append(entries, fmt.Sprintf("%d %s %q %s %v", l.Number, e.Command, e.Zone, e.Jitter, e.Env))
		}
	}
	want := []string{
		`2 zero "" 0s []`,
		`8 one "Europe/Berlin" 30m0s [{A 1} {B 2} {CRON_TZ Europe/Berlin} {RANDOM_DELAY 30}]`,
		`14 two "" 30m0s [{A 3} {B 2} {CRON_TZ } {RANDOM_DELAY 30} {TZ Asia/Tokyo}]`,
	}
	if !slices.Equal(entries, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(entries, "\n"), strings.Join(want, "\n"))
	}
}

func TestNotes(t *testing.T) {
	for text, says := range map[string]string{
		"MAILTO=ops@example.org": "no mail is sent",
		"TZ=Asia/Tokyo":          "does not move their times",
		"CRON_TZ=Asia/Tokyo":     "time zone of the schedules",
		"LOGNAME=root":           "left out",
		"0 0 */2 * mon run":      "by both day fields",
		"0 0 1 * */2 run":        "by both day fields",
		"-0 0 * * * run":         "logging",
	} {
		if l := only(t, text, crontab.User); len(l.Notes) != 1 || !strings.Contains(l.Notes[0], says) {
			t.Errorf("%q: the notes are %q, want one that says %q", text, l.Notes, says)
		}
	}
	if l := only(t, "0 0 1 * mon run", crontab.User); len(l.Notes) > 0 {
		t.Errorf("an ordinary line has notes: %q", l.Notes)
	}
}

// TestNames stay the same when times and neighbours change.
func TestNames(t *testing.T) {
	names := func(text string, f crontab.Format) (all []string) {
		for _, l := range parse(t, text, f) {
			all = append(all, l.Entry.Name)
		}
		return all
	}
	before := names("0 3 * * * /usr/local/bin/backup.sh --full /home\n0 4 * * * true\n", crontab.User)
	after := names("5 5 * * * false\n@daily /usr/local/bin/backup.sh --full /home\n", crontab.User)
	if before[0] != after[1] || !strings.HasPrefix(before[0], "backup-sh-full-home-") {
		t.Errorf("the names are %q, then %q", before, after)
	}
	twice := names("0 3 * * * a\n0 4 * * * a\n0 5 * * * a\n", crontab.User)
	if twice[1] != twice[0]+"-2" || twice[2] != twice[0]+"-3" {
		t.Errorf("the same command has the names %q", twice)
	}
	users := names("0 3 * * * root a\n0 3 * * * www a\n", crontab.System)
	if users[0] == users[1] {
		t.Errorf("two users share the name %q", users[0])
	}
	odd := names("0 3 * * * \"$(…)\"\n0 3 * * * "+strings.Repeat("x", 500)+"\n", crontab.User)
	if !strings.HasPrefix(odd[0], "command-") || len(odd[1]) > 60 {
		t.Errorf("the names are %q", odd)
	}
}

func TestLimits(t *testing.T) {
	for name, text := range map[string]string{
		"size":  strings.Repeat("#", crontab.MaxSize+1),
		"lines": strings.Repeat("\n", crontab.MaxLines+1),
	} {
		if _, err := crontab.Parse(text, crontab.User); err == nil || !strings.Contains(err.Error(), "at most") {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
	var vars strings.Builder
	for i := range crontab.MaxVars + 1 {
		fmt.Fprintf(&vars, "V%d=1\n", i)
	}
	lines := parse(t, vars.String()+"V0=2", crontab.User)
	if f := lines[crontab.MaxVars].Fault; !strings.Contains(f, "at most 100 variables") {
		t.Errorf("the fault is %q", f)
	}
	if lines[crontab.MaxVars+1].Set == nil {
		t.Error("a variable that is there can't be changed at the limit")
	}
}

func TestARealSystemCrontab(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "system"))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range parse(t, string(text), crontab.System) {
		if l.Fault != "" {
			t.Errorf("line %d is refused: %s", l.Number, l.Fault)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "# x\n", "A = 'b'\n0 3 * * * root mail%a\\%b%c\n", "@daily x", "SHELL=/bin/bash\nCRON_TZ=UTC\n*/5 1-2 * * mon,tue a b c",
		"-0 0 * * 7 '\"$\\", "RANDOM_DELAY=7\n\"A\"=\n0~9 0 1 1 1 x", "0 0 */2 * 1 x\\\\%y", "0-30/7,*/9,5 * * * * x",
	} {
		f.Add(text, false)
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, system bool) {
		format := crontab.User
		if system {
			format = crontab.System
		}
		lines, err := crontab.Parse(text, format)
		if err != nil {
			return
		}
		names := map[string]bool{}
		last := 0
		for _, l := range lines {
			what := 0
			for _, is := range []bool{l.Set != nil, l.Entry != nil, l.Fault != ""} {
				if is {
					what++
				}
			}
			if what != 1 || l.Number <= last {
				t.Fatalf("line %d after %d: %+v", l.Number, last, l)
			}
			if last = l.Number; l.Entry != nil {
				checkEntry(t, l.Entry, system, names)
			}
		}
	})
}

func checkEntry(t *testing.T, e *crontab.Entry, system bool, names map[string]bool) {
	t.Helper()
	if names[e.Name] {
		t.Fatalf("two entries are named %q", e.Name)
	}
	names[e.Name] = true
	script := e.Script()
	switch {
	case len(strings.Fields(e.Times)) != 5 && e.Times[0] != '@',
		strings.TrimSpace(e.Command) == "", system != (e.User != ""),
		e.Jitter < 0 || e.Jitter > 24*time.Hour,
		e.Input != "" && !strings.HasSuffix(e.Input, "\n"),
		strings.ContainsRune(script, 0) || !strings.HasSuffix(script, "\n"):
		t.Fatalf("%+v makes\n%s", *e, script)
	}
}

// TestMinutesWrittenOut: a step in a field that does not begin with * becomes a
// list, and it is said.
func TestMinutesWrittenOut(t *testing.T) {
	for minutes, want := range map[string]string{
		"0-30/30":     "0,30",
		"5,0-59/20":   "0,5,20,40",
		"0,*/15":      "0,15,30,45",
		"10-12,0-4/2": "0,2,4,10,11,12",
		"*/15":        "*/15",
		"*/15,7":      "*/15,7",
		"0-30":        "0-30",
		"0,30":        "0,30",
		"50-70/5":     "50-70/5",
		"30-10/5":     "30-10/5",
		"0-30/0":      "0-30/0",
		"0-30/60":     "0-30/60",
		"a-b/5":       "a-b/5",
	} {
		l := only(t, minutes+" 2 * * * x", crontab.User)
		if l.Entry == nil || l.Entry.Times != want+" 2 * * *" {
			t.Errorf("%s: got %+v, want %s; %s", minutes, l.Entry, want, l.Fault)
		}
		if said := strings.Contains(strings.Join(l.Notes, "\n"), "written out as "+want); said != (minutes != want) {
			t.Errorf("%s: the notes are %q", minutes, l.Notes)
		}
	}
}

// TestChanges: Vixie's cron goes by the first character of minutes and hours.
func TestChanges(t *testing.T) {
	for times, want := range map[string]crontab.Changes{
		"30 2 * * *": crontab.AsNamed, "*/15 2 * * *": crontab.AsNamed, "0 * * * *": crontab.AsNamed, "*/5 */2 * * *": crontab.AsNamed,
		"30 */2 * * *": crontab.RealTimes,
		"0 0-23 * * *": crontab.FixedOnes, "0 8-17 * * *": crontab.AsNamed,
	} {
		lines, err := crontab.Parse(times+" run\n", crontab.User)
		if err != nil {
			t.Fatal(err)
		}
		if e := lines[0].Entry; e == nil || e.Changes != want {
			t.Errorf("%s: %+v", times, lines[0])
		}
	}
}
