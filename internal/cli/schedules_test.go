package cli

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/timewheel-dev/timewheel/client"
)

// scheduled reads a schedule by way of schedules get --json.
func (s *shellOf) scheduled(queue, key string) client.Schedule {
	s.t.Helper()
	var got client.Schedule
	if err := json.Unmarshal([]byte(s.must("schedules", "get", "--queue", queue, "--key", key, "--json")), &got); err != nil {
		s.t.Fatal(err)
	}
	return got
}

func TestPutOneWithEverything(t *testing.T) {
	s := withDaemon(t)
	out := s.must("schedules", "put", "--queue", "reports", "--key", "night", "--cron", "0 3 13 * fri", "--cron", "30 4 * * *", "--tz", "Europe/Berlin",
		"--day-rule", "and", "--gap", "skip", "--clock-overlap", "both", "--exclude", "12-24..01-01", "--exclude", "sun,2030-05-01",
		"--start", "2030-01-01T00:00:00+01:00", "--end", "2040-01-01T00:00:00Z", "--times", "7", "--jitter", "5m",
		"--misfire", "all", "--misfire-limit", "3", "--misfire-window", "48h", "--misfire-grace", "2m", "--overlap", "queue", "--queue-limit", "9",
		"--payload", ` {"report": 1} `, "--webhook", "http://127.0.0.1:9/report", "--header", "X-Shop: 7", "--metadata", "by=me",
		"--retry-max-attempts", "3", "--timeout", "5s", "--retention", "0s", "--paused")
	has(t, "the output", out, "stored reports/night: at 03:00", "; paused\n")
	got := s.scheduled("reports", "night")
	retention, berlin := client.Duration(0), time.Date(2029, 12, 31, 23, 0, 0, 0, time.UTC)
	want := client.Schedule{
		ID: got.ID, Queue: "reports", Key: "night", Revision: 1, State: client.SchedulePaused, Description: got.Description,
		ZoneData: got.ZoneData, CreatedAt: got.CreatedAt, UpdatedAt: got.UpdatedAt,
		Cron: client.Cron{"0 3 13 * fri", "30 4 * * *"}, TimeZone: "Europe/Berlin", DayRule: "and", DST: client.DST{Gap: "skip", Overlap: "both"},
		Exclude: []string{"12-24..01-01", "sun", "2030-05-01"}, Start: berlin, End: time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC),
		Times: 7, Jitter: client.Duration(5 * time.Minute),
		Misfire: client.Misfire{Policy: client.MisfireAll, Limit: 3, Window: client.Duration(48 * time.Hour), Grace: client.Duration(2 * time.Minute)},
		Overlap: client.OverlapQueue, QueueLimit: 9, Paused: true,
		Task: client.ScheduleTask{
			Payload: json.RawMessage(`{"report": 1}`), Webhook: &client.Webhook{URL: "http://127.0.0.1:9/report", Headers: map[string]string{"X-Shop": "7"}},
			Metadata: map[string]string{"by": "me"}, Retry: client.Retry{MaxAttempts: 3}, Timeout: client.Duration(5 * time.Second), Retention: &retention,
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the schedule is\n%+v\nwant\n%+v", got, want)
	}
	has(t, "put again", s.must("schedules", "put", "--queue", "reports", "--key", "night", "--every", "10m", "--anchor", "2030-01-01T00:00:00Z", "--no-paused"),
		"changed reports/night: every 10 minutes", "; next 20")
	_, err, code := s.run("schedules", "put", "--queue", "reports", "--key", "night", "--every", "10m", "--if-absent")
	if code != exitFailure || !strings.Contains(err, "already") {
		t.Errorf("--if-absent: exit code %d, %s", code, err)
	}
	_, err, code = s.run("schedules", "put", "--queue", "reports", "--key", "bad", "--cron", "0 0 31 2 *", "--tz", "Europe/Berln", "--jitter", "25h")
	if code != exitUsage {
		t.Errorf("three faults: exit code %d", code)
	}
	has(t, "three faults", err, "timewheel: reports/bad: ", "never comes in February", "did you mean Europe/Berlin?", "jitter must be")
}

func TestPausingAndTriggering(t *testing.T) {
	s := withDaemon(t)
	ref := []string{"--queue", "q", "--key", "k"}
	do := func(verb string, more ...string) string {
		t.Helper()
		return s.must(append(append([]string{"schedules", verb}, ref...), more...)...)
	}
	do("put", "--at", "2099-01-01T00:00:00Z", "--at", "2098-01-01T00:00:00Z", "--overlap", "skip")
	has(t, "pause", do("pause"), "state     paused")
	has(t, "trigger", do("trigger"), "triggered q/k: it is task k@20")
	_, err, code := s.run(append([]string{"schedules", "trigger"}, ref...)...)
	if code != exitFailure || !strings.HasPrefix(err, "timewheel: q/k: ") {
		t.Errorf("a second trigger: exit code %d, %s", code, err)
	}
	has(t, "get", do("get"), "fired     1, missed 0, skipped 0, triggered 1\n")
	has(t, "resume", do("resume"), "state     active", "next      2098-01-01T00:00:00Z")
	has(t, "next", do("next"), "ready", "\n2098-01-01T00:00:00Z  ", "\n2099-01-01T00:00:00Z  ", "to come")
	do("put", "--at", "2099-01-01T00:00:00Z", "--overlap", "queue")
	has(t, "trigger", do("trigger"), "triggered q/k: it waits for an earlier one to finish")
	has(t, "next", do("next", "-n", "1"), "waits for the one before")
	has(t, "the queue", s.must("queues", "get", "q"), "schedules  1")
	has(t, "delete", do("delete"), "deleted q/k")
	for _, verb := range []string{"get", "delete", "pause", "resume", "trigger", "next"} {
		_, err, code := s.run(append([]string{"schedules", verb}, ref...)...)
		if code != exitFailure || !strings.HasPrefix(err, "timewheel: q/k: no such schedule") {
			t.Errorf("%s of none: exit code %d, %s", verb, code, err)
		}
	}
}

// TestPutFile has good lines, lines that this program finds broken, and lines
// that the daemon refuses.
func TestPutFile(t *testing.T) {
	s := withDaemon(t)
	var text strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&text, "{\"key\":\"k%04d\",\"task\":{\"payload\":%d}}\n", i, i)
	}
	text.WriteString(`{"key":"k0007","queue":"other","cron":["@daily","@hourly"],"misfire":{"policy":"skip"},"task":{"timeout":"9s","metadata":{"a":"line"}}}` + "\n")
	text.WriteString(`{"key":"never","cron":"0 0 31 2 *"}` + "\n") // 1502
	text.WriteString(`{"every":"1h"}` + "\n")
	text.WriteString(`{"key":"typo","evry":"1h"}` + "\n")
	file := tempFile(t, "schedules.ndjson", text.String())
	args := []string{"schedules", "put", "--from", file, "--queue", "polls", "--every", "10m", "--spread", "--tz", "Asia/Tokyo", "--misfire", "last", "--timeout", "5s", "--metadata", "a=flag", "--metadata", "b=flag", "--jitter", "1s"}
	out, err, code := s.run(args...)
	if code != exitFailure {
		t.Errorf("exit code %d, want %d", code, exitFailure)
	}
	has(t, "stdout", out, "stored 1,501 of 1,504 schedules in ", ": 1,501 new, 0 replaced, 3 failed")
	has(t, "stderr", err, "line 1502: ", "never comes in February", "line 1503: no key", `line 1504: unknown field "evry"`)
	if got := s.scheduled("polls", "k1499"); string(got.Task.Payload) != "1499" || got.Every.String() != "10m0s" || !got.Spread || got.Task.Timeout.String() != "5s" || got.Misfire.Policy != client.MisfireLast {
		t.Errorf("the defaults are not in %+v", got)
	}
	if got := s.scheduled("other", "k0007"); len(got.Cron) != 2 || got.Every != 0 || got.Spread || got.TimeZone != "Asia/Tokyo" || got.Misfire.Policy != client.MisfireSkip ||
		got.Task.Timeout.String() != "9s" || got.Task.Metadata["a"] != "line" || got.Task.Metadata["b"] != "flag" || got.Jitter.String() != "1s" {
		t.Errorf("the line's own fields are not in %+v", got)
	}
	out, _, _ = s.run(append(args, "--json")...)
	has(t, "--json", out, `{"lines":1504,"created":0,"replaced":1501,"failed":3}`)

	for limit, want := range map[string]int{"5": 5, "1500": 1500, "0": 1500} {
		out, err, _ := s.run("schedules", "list", "--queue", "polls", "--limit", limit)
		if rows := strings.Count(out, "\n") - strings.Count(out, "KEY "); rows != want || strings.Contains(err, "there are more") != (want < 1500) {
			t.Errorf("--limit %s: %d rows, want %d; stderr %q", limit, rows, want, err)
		}
	}
}

// TestCopy stores what was listed again, elsewhere.
func TestCopy(t *testing.T) {
	s := withDaemon(t)
	s.must("schedules", "put", "--queue", "a", "--key", "one", "--cron", "0 3 * * *", "--tz", "Europe/Berlin", "--payload", `{"n":1}`, "--overlap", "queue", "--webhook", "http://127.0.0.1:9/x")
	s.must("schedules", "put", "--queue", "b", "--key", "two", "--every", "2h", "--anchor", "2030-01-01T00:00:00Z", "--payload-file", tempFile(t, "script", "echo"), "--content-type", "text/x-shellscript", "--paused")
	copied := s.must("schedules", "list", "--json", "--payloads")
	want := []client.Schedule{s.scheduled("a", "one"), s.scheduled("b", "two")}

	elsewhere := withDaemon(t)
	elsewhere.stdin = copied
	has(t, "the output", elsewhere.must("schedules", "put", "--from", "-"), "stored 2 of 2 schedules")
	for _, w := range want {
		got := elsewhere.scheduled(w.Queue, w.Key)
		got.ID, got.CreatedAt, got.UpdatedAt = w.ID, w.CreatedAt, w.UpdatedAt
		if !reflect.DeepEqual(got, w) {
			t.Errorf("the copy is\n%+v\nof\n%+v", got, w)
		}
	}
	_, err, code := s.run("schedules", "list", "--payloads")
	if code != exitUsage || !strings.Contains(err, "--payloads needs --json") {
		t.Errorf("--payloads alone: exit code %d, %s", code, err)
	}
}

// TestEveryFieldOfAScheduleIsTaken: those that say what became of it are ignored.
func TestEveryFieldOfAScheduleIsTaken(t *testing.T) {
	names := namesOf[client.Schedule]()
	known := map[string]bool{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[scheduleLine]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		known[name] = true
	}
	for _, name := range names {
		if !known[name] {
			t.Errorf("put --from refuses %s, which get --json writes", name)
		}
	}
}

func TestListsOfAllQueues(t *testing.T) {
	s := withDaemon(t)
	_, err, code := s.run("schedules", "list")
	if code != exitOK || err != "there are no schedules\n" {
		t.Errorf("of none: exit code %d, %q", code, err)
	}
	long := strings.Repeat("k", 80) + "-end"
	s.must("schedules", "put", "--queue", "a", "--key", "one", "--cron", "0 3 * * *", "--tz", "Europe/Berlin")
	s.must("schedules", "put", "--queue", "b", "--key", long, "--every", "2h")
	out := s.must("schedules", "list")
	has(t, "the list", out, "QUEUE  KEY", "\na      one  ", "at 03:00 every day, in Europe/Berlin\n", "\nb      kkk", "…", "-end  active")
	if strings.Contains(out, long) {
		t.Errorf("the long key is whole:\n%s", out)
	}
	s.env["COLUMNS"] = "100"
	for line := range strings.Lines(s.must("schedules", "list")) {
		if n := len([]rune(strings.TrimSpace(line))); n > 100 {
			t.Errorf("a line of a list is %d wide: %s", n, line)
		}
	}
	has(t, "--json", s.must("schedules", "list", "--json"), long, "when clocks go forward")
	has(t, "the queues", s.must("queues", "list"), "SCHEDULES\na ", "   1\nb ")
	has(t, "next", s.must("schedules", "get", "--queue", "a", "--key", "one"), "Z, ", " 03:00:00 +0", " Europe/Berlin\n")
	for args, want := range map[string]string{
		"schedules list --queue nope": "queue nope was never used\n",
		"list --queue nope":           "queue nope was never used\n",
		"list --queue a":              "queue a has no tasks\n",
		"list --queue a --state dead": "queue a has no dead tasks\n",
	} {
		_, err, code := s.run(strings.Fields(args)...)
		if code != exitOK || err != want {
			t.Errorf("%s: exit code %d, %q", args, code, err)
		}
	}
}

func TestExpressionsThatAreFlags(t *testing.T) {
	s := newShell(t)
	for expr, says := range map[string]string{
		"@every 90s":               "say --every 90s",
		"@at 2026-12-01T09:00:00Z": "say --at 2026-12-01T09:00:00Z",
	} {
		_, err, code := s.run("schedules", "put", "--queue", "q", "--key", "k", "--cron", expr)
		if code != exitUsage || !strings.Contains(err, says) {
			t.Errorf("%s: exit code %d, %s", expr, code, err)
		}
	}
}

// TestBrokenLinesOfBothKinds: many that can't be read don't hide those that the
// daemon refuses.
func TestBrokenLinesOfBothKinds(t *testing.T) {
	s := withDaemon(t)
	s.stdin = strings.Repeat(`{"key":"a","evry":"1h"}`+"\n", 2*maxShown) + strings.Repeat(`{"key":"b","cron":"0 25 * * *"}`+"\n", 2*maxShown)
	_, err, _ := s.run("schedules", "put", "--from", "-", "--queue", "q")
	has(t, "the errors", err, "further lines that can't be read are counted only", "further lines that the daemon refuses are counted only",
		`unknown field "evry": the fields here are queue, key, if_absent, cron, every, at`)
	if n := strings.Count(err, "allowed is a number from 0 to 23"); n != maxShown {
		t.Errorf("%d refused lines are shown, want %d", n, maxShown)
	}
	if strings.Contains(err, "next_due") {
		t.Errorf("fields that are ignored are offered: %s", err)
	}
}

func TestScheduleLinesAreTakenToTheLetter(t *testing.T) {
	for line, want := range map[string]string{
		`{"key":"","every":"1h"}`: "key must not be empty",
		`{"key":"a"}`:             "must have cron, every or at",
		`{"key":"a","cron":""}`:   "",
		`{"key":"a","every":"1h","id":"x","state":"active","next":"2026-12-01T09:00:00Z","fired":3}`: "",
		`{"key":"a","every":"1h","misfire":{"limits":3}}`:                                            `unknown field "limits"`,
		`{"key":"a","every":"1h","every":"2h"}`:                                                      "every is given twice",
		`{"key":"a","Every":"1h"}`:                                                                   `unknown field "Every"`,
		`{"key":"a","every":"1h","paused":null}`:                                                     "paused must not be null",
		`{"key":"a","every":"1h"} 1`:                                                                 "more than one JSON value",
		`["a"]`:                                                                                      `such as {"key":"42","every":"10m"}`,
		`{"key":"a","every":"1h"`:                                                                    "cut short",
	} {
		_, err := parseScheduleLine([]byte(line), &client.NewSchedule{Queue: "q"})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}
