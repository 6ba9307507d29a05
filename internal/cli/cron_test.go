package cli

import (
	"strings"
	"testing"
)

func TestCronNext(t *testing.T) {
	s := newShell(t)
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{
			"spring, in words",
			[]string{"30 2 * * *", "--tz", "Europe/Berlin", "--after", "2027-03-27T12:00:00Z", "--count", "2"},
			"Sun 2027-03-28 03:00:00 +02:00 Europe/Berlin\nMon 2027-03-29 02:30:00 +02:00 Europe/Berlin\n",
		},
		{
			"spring, passed over",
			[]string{"30 2 * * *", "--tz", "Europe/Berlin", "--after", "2027-03-27T12:00:00Z", "--count", "1", "--gap", "skip", "--json"},
			`["2027-03-29T02:30:00+02:00"]` + "\n",
		},
		{
			"autumn",
			[]string{"30 2 * * *", "--tz", "Europe/Berlin", "--after", "2026-10-25T00:00:00Z", "--count", "2", "--json"},
			`["2026-10-25T02:30:00+02:00","2026-10-26T02:30:00+01:00"]` + "\n",
		},
		{
			"autumn, twice",
			[]string{"30 2 * * *", "--tz", "Europe/Berlin", "--after", "2026-10-25T00:00:00Z", "--count", "2", "--overlap", "both", "--json"},
			`["2026-10-25T02:30:00+02:00","2026-10-25T02:30:00+01:00"]` + "\n",
		},
		{
			"the zone of the expression",
			[]string{"TZ=Asia/Tokyo 0 9 * * *", "--after", "2026-12-01T00:00:00+09:00", "--count", "1"},
			"Tue 2026-12-01 09:00:00 +09:00 Asia/Tokyo\n",
		},
		{
			"the day rule",
			[]string{"0 0 13 * fri", "--day-rule", "and", "--after", "2026-01-01T00:00:00Z", "--count", "1"},
			"Fri 2026-02-13 00:00:00 +00:00 UTC\n",
		},
		{"a key", []string{"H(0-29)/10 H * * *", "--key", "reports/a", "--after", "2026-12-01T00:00:00Z", "--count", "1", "--json"}, ""},
		{
			"an interval",
			[]string{"@every 90s", "--tz", "Asia/Kolkata", "--after", "2026-12-01T00:00:00Z", "--count", "1"},
			"Tue 2026-12-01 05:31:30 +05:30 Asia/Kolkata\n",
		},
		{
			"an instant",
			[]string{"@at 2026-12-01T09:00:00.5Z", "--after", "2026-12-01T00:00:00Z"},
			"Tue 2026-12-01 09:00:00.5 +00:00 UTC\n",
		},
		{"none any more", []string{"@at 2026-12-01T09:00:00Z", "--after", "2027-01-01T00:00:00Z", "--json"}, "[]\n"},
	} {
		out := s.must(append([]string{"cron", "next"}, c.args...)...)
		if c.want != "" && out != c.want {
			t.Errorf("%s: got\n%swant\n%s", c.name, out, c.want)
		}
	}
	if n := strings.Count(s.must("cron", "next", "* * * * *"), "\n"); n != 5 {
		t.Errorf("without --count it shows %d, want 5", n)
	}
	_, err, code := s.run("cron", "next", "@at 2026-12-01T09:00:00Z", "--after", "2027-01-01T00:00:00Z")
	if code != exitOK || err != "there are no more\n" {
		t.Errorf("none any more: exit code %d, %q", code, err)
	}
}

func TestCronDescribe(t *testing.T) {
	s := newShell(t)
	has(t, "the words", s.must("cron", "describe", "0 0 13 * fri"), "at 00:00 on the 13th of the month, or on a Friday")
	has(t, "--json", s.must("cron", "describe", "@daily", "--json"), `{"description":"at 00:00 every day, in UTC","expression":"@daily"}`)
}

// TestCronCheck tells a wrong expression, which it is there to find, from a
// wrong command line.
func TestCronCheck(t *testing.T) {
	s := newShell(t)
	has(t, "the words", s.must("cron", "check", "0 9 * * mon-fri"), "at 09:00 on Monday to Friday, in UTC")
	has(t, "--json", s.must("cron", "check", "0 9 * * *", "--json"), `"valid":true,"description":"at 09:00 every day, in UTC"`)
	has(t, "what a copied line ends with", s.must("cron", "check", " 0 9 * * *\r\n"), "at 09:00 every day")
	for expr, note := range map[string]string{
		"@every 90s":               "a schedule takes it as --every 90s",
		"@every 10ms":              "a schedule's interval is 1s at the least",
		"@at 2099-01-01T00:00:00Z": "a schedule takes it as --at 2099-01-01T00:00:00Z",
		"@daily":                   "",
	} {
		_, err, code := s.run("cron", "check", expr)
		if code != exitOK || strings.TrimPrefix(strings.TrimSpace(err), "note: ") != note {
			t.Errorf("%s: exit code %d, %q", expr, code, err)
		}
		if out := s.must("cron", "check", expr, "--json"); strings.Contains(out, `"note":"`+note+`"`) != (note != "") {
			t.Errorf("%s: %s", expr, out)
		}
	}
	for _, c := range []struct {
		expr, where, says string
	}{
		{"0 25 * * *", "    0 25 * * *\n      ^^\n", "timewheel: hour, column 3: "},
		{"0 0 31 2 *", "    0 0 31 2 *\n        ^^\n", "never comes in February"},
		{"größe 0 * * *", "    größe 0 * * *\n    ^^^^^\n", "minute, column 1"},
		{"0 0 * * *\x1b]0;x", "·]0;x\n", "day of week"},
		{"", "", "it is empty"},
		{"0 9 * *\r *", "    0 9 * *· *\n", `something that can't be seen: "*\r"`},
		{"0 0 1 1 * 2027", "^^^^", "with a year it takes 7, 0 0 0 1 1 * 2027"},
		{"H * * * *", "    H * * * *\n    ^\n", "--key QUEUE/KEY"},
		{"0 0 0 1 1 * 2020", "timewheel: none", "none of its occurrences is left"},
		{"@at 2020-01-01T00:00:00Z", "timewheel: none", "none of its occurrences is left"},
		{"@reboot", "    @reboot\n    ^^^^^^^\n", "what starts the machine"},
	} {
		out, err, code := s.run("cron", "check", c.expr)
		if code != exitFailure || out != "" || !strings.HasPrefix(err, c.where) && !strings.Contains(err, c.where) {
			t.Errorf("%q: exit code %d, wrote %q and\n%s", c.expr, code, out, err)
		}
		has(t, "the error", err, c.says)
		if strings.Contains(err, "\x1b") {
			t.Errorf("%q: it reaches the terminal as it is", c.expr)
		}
	}
	out, err, code := s.run("cron", "check", "0 25 * * *", "--json")
	if code != exitFailure || err != "" {
		t.Errorf("--json: exit code %d, %q", code, err)
	}
	has(t, "--json", out, `{"expression":"0 25 * * *","valid":false,"field":"hour","column":3,"reason":"`)
}

func TestCronFaultsOfTheCommandLine(t *testing.T) {
	s := newShell(t)
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"next", "0 25 * * *"}, "    0 25 * * *\n      ^^\ntimewheel: hour, column 3: "},
		{[]string{"describe", "0 25 * * *"}, "    0 25 * * *\n      ^^\ntimewheel: hour, column 3: "},
		{[]string{"next", "H * * * *"}, "H spreads by a key"},
		{[]string{"next", "* * * * *", "--tz", "Europe/Berln"}, `--tz: unknown time zone "Europe/Berln": did you mean Europe/Berlin?`},
		{[]string{"check", "* * * * *", "--tz", "Local"}, "--tz: "},
		{[]string{"next", "* * * * *", "--count", "0"}, "--count must be from 1 to 10000"},
		{[]string{"next", "* * * * *", "--after", "noon"}, "--after must be an instant such as"},
		{[]string{"next", "* * * * *", "--gap", "first"}, "--gap must be one of"},
		{[]string{"next"}, `expected "<expression>"`},
	} {
		out, err, code := s.run(append([]string{"cron"}, c.args...)...)
		if code != exitUsage || out != "" || !strings.Contains(err, c.says) {
			t.Errorf("%q: exit code %d, wrote %q and\n%s", c.args, code, out, err)
		}
	}
}
