package api_test

import (
	"strings"

	"github.com/timewheel-dev/timewheel/api/wire"
)

const (
	aSchedule    = "/v1/queues/orders/schedules/nightly" // active, revision 1, never overlaps
	freeSchedule = "/v1/queues/orders/schedules/free"
)

// plan is a bad PUT of a schedule.
func plan(name, body string, fields ...string) bad {
	return bad{name: "schedule: " + name, method: "PUT", target: freeSchedule, body: body, status: 400, code: invalid, fields: fields}
}

// hint is one whose answer says more than the field.
func hint(name, body, field, detail string) bad {
	b := plan(name, body, field)
	b.detail = detail
	return b
}

func badRules() []bad {
	manyLines := strings.TrimSuffix(strings.Repeat(`"* * * * *",`, 21), ",")
	manyInstants := strings.TrimSuffix(strings.Repeat(`"2030-01-01T00:00:00Z",`, 1001), ",")
	manyDays := strings.TrimSuffix(strings.Repeat(`"12-24",`, 1001), ",")
	return []bad{
		plan("no recurrence", `{}`, "cron"),
		plan("only what goes with one", `{"task":{"payload":1}}`, "cron"),
		plan("cron and every", `{"cron":"@daily","every":"1h"}`, "every"),
		plan("cron, every and at", `{"cron":"@daily","every":"1h","at":["2030-01-01T00:00:00Z"]}`, "every", "at"),
		hint("no expressions", `{"cron":[]}`, "cron", "is missing"),
		plan("empty expression", `{"cron":""}`, "cron"),
		plan("cron as a number", `{"cron":5}`, "cron"),
		plan("cron is null", `{"cron":null}`, "cron"),
		plan("cron in an object", `{"cron":{"minute":5}}`, "cron"),
		plan("second expression as a number", `{"cron":["@daily",5]}`, "cron[1]"),
		hint("second expression wrong", `{"cron":["@daily","61 * * * *"]}`, "cron[1]", "minute"),
		hint("31 February", `{"cron":"0 0 31 2 *"}`, "cron", "day of month 31 never comes in February"),
		hint("30 February, among others", `{"cron":["@daily","0 0 30 2 *"]}`, "cron[1]", "never"),
		hint("a year that is over", `{"cron":"0 0 0 1 1 * 1999"}`, "cron", "never fire"),
		plan("4 fields", `{"cron":"0 9 * *"}`, "cron"),
		hint("8 fields", `{"cron":"0 0 9 * * * * *"}`, "cron", "fields"),
		plan("minute 60", `{"cron":"60 * * * *"}`, "cron"),
		plan("step of nothing", `{"cron":"*/0 * * * *"}`, "cron"),
		plan("range turned round", `{"cron":"30-10 * * * *"}`, "cron"),
		plan("nickname that is none", `{"cron":"@fortnightly"}`, "cron"),
		plan("reboot", `{"cron":"@reboot"}`, "cron"),
		plan("expression too long", `{"cron":"`+strings.Repeat("0,", 600)+`0 * * * *"}`, "cron"),
		plan("expressions too many", `{"cron":[`+manyLines+`]}`, "cron"),
		hint("interval of 1 ms", `{"every":"1ms"}`, "every", "must be from 1s"),
		hint("interval of nothing", `{"every":"0s"}`, "every", "must be from 1s"),
		plan("negative interval", `{"every":"-1h"}`, "every"),
		plan("interval beyond", `{"every":"900000h"}`, "every"),
		plan("interval of broken milliseconds", `{"every":"1.0005s"}`, "every"),
		plan("interval as a number", `{"every":60}`, "every"),
		plan("interval in days", `{"every":"1d"}`, "every"),
		plan("interval of nothing with an anchor", `{"every":"0s","anchor":"2030-01-01T00:00:00Z"}`, "every"),
		plan("no instants", `{"at":[]}`, "cron"),
		plan("instant without brackets", `{"at":"2030-01-01T00:00:00Z"}`, "at"),
		plan("instant without zone", `{"at":["2030-01-01T00:00:00Z","2030-01-01T00:00:00"]}`, "at[1]"),
		plan("instant too fine", `{"at":["2030-01-01T00:00:00.0000001Z"]}`, "at[0]"),
		hint("instants that are over", `{"at":["1999-12-31T23:59:59Z"]}`, "at", "has no occurrence after"),
		plan("instants too many", `{"at":[`+manyInstants+`]}`, "at"),
		plan("anchor of cron", `{"cron":"@daily","anchor":"2030-01-01T00:00:00Z"}`, "anchor"),
		plan("anchor that is none", `{"every":"1h","anchor":"noon"}`, "anchor"),
		plan("spread of cron", `{"cron":"@daily","spread":true}`, "spread"),
		plan("spread with an anchor", `{"every":"1h","anchor":"2030-01-01T00:00:00Z","spread":true}`, "spread"),
		plan("spread as a word", `{"every":"1h","spread":"yes"}`, "spread"),
		hint("zone misspelt", `{"cron":"@daily","time_zone":"Europe/Berln"}`, "time_zone", "did you mean Europe/Berlin"),
		plan("zone of letters", `{"cron":"@daily","time_zone":"CEST"}`, "time_zone"),
		plan("zone as a path", `{"cron":"@daily","time_zone":"../../etc/passwd"}`, "time_zone"),
		plan("zone of the machine", `{"cron":"@daily","time_zone":"Local"}`, "time_zone"),
		plan("day rule", `{"cron":"@daily","day_rule":"xor"}`, "day_rule"),
		plan("day rule of an interval", `{"every":"1h","day_rule":"and"}`, "day_rule"),
		plan("day rule quartz without ?", `{"cron":"0 0 1 * 1","day_rule":"quartz"}`, "cron"),
		plan("clock policies", `{"cron":"@daily","dst":{"gap":"before","overlap":"third","x":1}}`, "dst.gap", "dst.overlap", "dst.x"),
		plan("clock policy of an interval", `{"every":"1h","dst":{"gap":"skip"}}`, "dst.gap"),
		plan("clock policy as a word", `{"cron":"@daily","dst":"skip"}`, "dst"),
		plan("excluded day that is none", `{"cron":"@daily","exclude":["12-24","13-01"]}`, "exclude[1]"),
		plan("excluded days as a string", `{"cron":"@daily","exclude":"12-24"}`, "exclude"),
		plan("all days excluded", `{"cron":"0 0 25 12 *","exclude":["12-25"]}`, "exclude"),
		plan("excluded days too many", `{"cron":"@daily","exclude":[`+manyDays+`]}`, "exclude"),
		plan("end before start", `{"cron":"@daily","start":"2030-02-01T00:00:00Z","end":"2030-01-01T00:00:00Z"}`, "end"),
		plan("nothing within start and end", `{"cron":"0 0 1 1 *","start":"2030-02-01T00:00:00Z","end":"2030-03-01T00:00:00Z"}`, "end"),
		hint("end that is over", `{"cron":"@daily","end":"1999-01-01T00:00:00Z"}`, "cron", "has no occurrence after"),
		plan("start that is none", `{"cron":"@daily","start":0}`, "start"),
	}
}

func badPlans() []bad {
	return []bad{
		plan("no times", `{"every":"1h","times":0}`, "times"),
		plan("negative times", `{"every":"1h","times":-1}`, "times"),
		plan("times in halves", `{"every":"1h","times":1.5}`, "times"),
		plan("times beyond", `{"every":"1h","times":1000000001}`, "times"),
		plan("jitter over a day", `{"every":"48h","jitter":"24h1ns"}`, "jitter"),
		plan("negative jitter", `{"every":"1h","jitter":"-1s"}`, "jitter"),
		plan("misfire policy", `{"every":"1h","misfire":{"policy":"never"}}`, "misfire.policy"),
		plan("misfire policy in capitals", `{"every":"1h","misfire":{"policy":"ONCE"}}`, "misfire.policy"),
		plan("misfire as a word", `{"every":"1h","misfire":"once"}`, "misfire"),
		plan("misfire bounds", `{"every":"1h","misfire":{"limit":0,"window":"0s","grace":"-1s","x":1}}`, "misfire.limit", "misfire.window", "misfire.grace", "misfire.x"),
		plan("misfire limit beyond", `{"every":"1h","misfire":{"policy":"all","limit":10001}}`, "misfire.limit"),
		plan("overlap", `{"every":"1h","overlap":"forbid"}`, "overlap"),
		plan("overlap is null", `{"every":"1h","overlap":null}`, "overlap"),
		plan("queue limit", `{"every":"1h","overlap":"queue","queue_limit":1001}`, "queue_limit"),
		plan("paused as a word", `{"every":"1h","paused":"yes"}`, "paused"),
		plan("unknown field", `{"every":"1h","timezone":"UTC"}`, "timezone"),
		plan("unknown field in another case", `{"Every":"1h","every":"1h"}`, "Every"),
		plan("field given twice", `{"every":"1h","every":"2h"}`, "every"),
		plan("field of answers", `{"every":"1h","state":"paused","next":"2030-01-01T00:00:00Z"}`, "state", "next"),
		plan("field of batches", `{"every":"1h","queue":"orders"}`, "queue"),
		plan("task as a string", `{"every":"1h","task":"x"}`, "task"),
		plan("task with an instant", `{"every":"1h","task":{"due":"2030-01-01T00:00:00Z","delay":"1s"}}`, "task.due", "task.delay"),
		plan("task with two payloads", `{"every":"1h","task":{"payload":1,"payload_base64":"AA=="}}`, "task.payload"),
		plan("task with a content type alone", `{"every":"1h","task":{"content_type":"text/plain"}}`, "task.content_type"),
		plan("task with a URL of another scheme", `{"every":"1h","task":{"webhook":{"url":"ftp://example.com/"}}}`, "task.webhook.url"),
		plan("task with bounds crossed", `{"every":"1h","task":{"timeout":"25h","retention":"-1s","retry":{"max_attempts":0}}}`, "task.timeout", "task.retention", "task.retry.max_attempts"),
		plan("task with metadata that is no text", `{"every":"1h","task":{"metadata":{"a":1}}}`, "task.metadata.a"),
		plan("all faults at once", `{"cron":["@daily",1],"every":"1ms","time_zone":"Mars/Olympus","times":0,"overlap":"x","task":{"webhook":{"url":"gopher://x"}},"x":1}`,
			"cron[1]", "every", "times", "overlap", "x", "task.webhook.url", "time_zone"),
	}
}

func badScheduleCalls() []bad {
	const batch, ndjson = "/v1/schedules:batch", "Content-Type: application/x-ndjson"
	to := func(name, method, target, body string, status int, code wire.ProblemCode, fields ...string) bad {
		return bad{name: "schedule: " + name, method: method, target: target, body: body, status: status, code: code, fields: fields}
	}
	when := func(b bad, header string) bad {
		b.headers = append(b.headers, header)
		return b
	}
	const hourly = `{"every":"1h"}`
	lines := strings.Repeat(`{"queue":"orders","key":"a","every":"1h"}`+"\n", 10_001)
	return []bad{
		to("no body", "PUT", freeSchedule, "", 400, malformed),
		to("an array", "PUT", freeSchedule, "[]", 400, malformed),
		to("cut short", "PUT", freeSchedule, `{"every":"1h"`, 400, malformed),
		to("too deep", "PUT", freeSchedule, `{"every":"1h","task":{"payload":`+strings.Repeat("[", 300)+strings.Repeat("]", 300)+`}}`, 400, malformed),
		to("payload over the limit", "PUT", freeSchedule, `{"every":"1h","task":{"payload":"`+strings.Repeat("x", 1<<20)+`"}}`, 413, wire.ProblemCodeBodyTooLarge),
		to("body over the limit", "PUT", freeSchedule, `{"every":"1h","task":{"payload":"`+strings.Repeat("x", 2<<20)+`"}}`, 413, wire.ProblemCodeBodyTooLarge),
		when(to("another content type", "PUT", freeSchedule, hourly, 415, wire.ProblemCodeUnsupportedMediaType), "Content-Type: text/yaml"),
		to("key of an occurrence", "PUT", freeSchedule+"@2026-01-01T00:00:00Z", hourly, 400, invalid, "key"),
		to("key too long", "PUT", "/v1/queues/orders/schedules/"+strings.Repeat("k", 485), hourly, 400, invalid, "key"),
		to("key of no bytes", "PUT", "/v1/queues/orders/schedules/", hourly, 400, invalid, "key"),
		to("key with a control character", "PUT", freeSchedule+"%0A", hourly, 400, invalid, "key"),
		to("queue", "PUT", "/v1/queues/a%20b/schedules/k", hourly, 400, invalid, "queue"),
		to("queue to list", "GET", "/v1/queues/a%20b/schedules", "", 400, invalid, "queue"),
		to("unknown parameter", "PUT", freeSchedule+"?ifabsent=true", hourly, 400, invalid, "ifabsent"),
		when(to("conditions at odds", "PUT", aSchedule+"?if_absent=true", hourly, 400, invalid, "If-Match"), `If-Match: "1"`),
		when(to("wrong revision", "PUT", aSchedule, hourly, 412, wire.ProblemCodeRevisionMismatch), `If-Match: "7"`),
		when(to("revision of no schedule", "PUT", freeSchedule, hourly, 412, wire.ProblemCodeRevisionMismatch), `If-Match: "1"`),
		when(to("wrong revision to delete", "DELETE", aSchedule, "", 412, wire.ProblemCodeRevisionMismatch), `If-Match: "7"`),
		when(to("revision where none is heeded", "POST", aSchedule+":pause", "", 400, invalid, "If-Match"), `If-Match: "1"`),
		to("key that is taken", "PUT", aSchedule+"?if_absent=true", hourly, 409, wire.ProblemCodeAlreadyExists),
		when(to("key that is taken, by header", "PUT", aSchedule, hourly, 409, wire.ProblemCodeAlreadyExists), "If-None-Match: *"),
		to("none to read", "GET", freeSchedule, "", 404, wire.ProblemCodeNotFound),
		to("none to delete", "DELETE", freeSchedule, "", 404, wire.ProblemCodeNotFound),
		to("none to pause", "POST", freeSchedule+":pause", "", 404, wire.ProblemCodeNotFound),
		to("none to resume", "POST", freeSchedule+":resume", "", 404, wire.ProblemCodeNotFound),
		to("none to trigger", "POST", freeSchedule+":trigger", "", 404, wire.ProblemCodeNotFound),
		to("none to look ahead", "GET", freeSchedule+"/occurrences", "", 404, wire.ProblemCodeNotFound),
		to("task of the same key is none", "GET", "/v1/queues/orders/schedules/42", "", 404, wire.ProblemCodeNotFound),
		to("body where none is", "POST", aSchedule+":trigger", `{"at":"2030-01-01T00:00:00Z"}`, 400, invalid, "at"),
		to("verb that is none", "POST", aSchedule+":run", "", 405, wire.ProblemCodeMethodNotAllowed),
		to("patch", "PATCH", aSchedule, `{"paused":true}`, 405, wire.ProblemCodeMethodNotAllowed),
		to("created without key", "POST", "/v1/queues/orders/schedules", hourly, 405, wire.ProblemCodeMethodNotAllowed),
		to("path beyond occurrences", "GET", aSchedule+"/occurrences/1", "", 404, wire.ProblemCodeUnknownPath),
		to("occurrences of none", "GET", aSchedule+"/occurrences?n=0", "", 400, invalid, "n"),
		to("occurrences without end", "GET", aSchedule+"/occurrences?n=1001&before=noon", "", 400, invalid, "n", "before"),
		to("page size", "GET", "/v1/queues/orders/schedules?page_size=1001", "", 400, invalid, "page_size"),
		to("page token", "GET", "/v1/queues/orders/schedules?page_token=xyz", "", 400, invalid, "page_token"),
		to("state", "GET", "/v1/queues/orders/schedules?state=paused", "", 400, invalid, "state"),

		to("batch of nothing", "POST", batch, `{"schedules":[]}`, 400, invalid, "schedules"),
		when(to("batch of blank lines", "POST", batch, "\n\n", 400, invalid, "schedules"), ndjson),
		to("batch of tasks", "POST", batch, `{"tasks":[{"queue":"orders","key":"a","every":"1h"}]}`, 400, malformed),
		to("batch cut short", "POST", batch, `{"schedules":[{"queue":"orders","key":"a","every":"1h"},`, 400, malformed),
		when(to("batch of too many lines", "POST", batch, lines, 413, wire.ProblemCodeBatchTooLarge), ndjson),
		when(to("batch of too many bytes", "POST", batch, lines[:1<<18]+strings.Repeat(" ", 1<<20), 413, wire.ProblemCodeBodyTooLarge), ndjson),
		when(to("batch of another type", "POST", batch, hourly, 415, wire.ProblemCodeUnsupportedMediaType), "Content-Type: text/csv"),
	}
}

func badSchedules() []bad {
	return append(append(badRules(), badPlans()...), badScheduleCalls()...)
}

// badItems are schedules of a batch that fail alone.
func badItems() []string {
	long := strings.Repeat("k", 485)
	return []string{
		`{"key":"1","every":"1h"}`,
		`{"queue":"","key":"1","every":"1h"}`,
		`{"queue":"q","every":"1h"}`,
		`{"queue":"q","key":"","every":"1h"}`,
		`{"queue":"q","key":"` + long + `","every":"1h"}`,
		`{"queue":"q","key":"1@2026-01-01T00:00:00Z","every":"1h"}`,
		`{"queue":"q","key":"1","every":"1ms"}`,
		`{"queue":"q","key":"1","cron":"0 0 31 2 *"}`,
		`{"queue":"q","key":"1","every":"1h","if_absent":"no"}`,
		`{"queue":"q","key":"1","every":"1h","x":1}`,
	}
}
