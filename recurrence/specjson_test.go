package recurrence_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/timewheel-dev/timewheel/recurrence"
)

func TestSpecCanonicalJSON(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{}`, `{}`},
		{`{"cron":"0 9 * * *"}`, `{"cron":"0 9 * * *"}`},
		{`{"cron":["0 9 * * *"]}`, `{"cron":"0 9 * * *"}`},
		{`{"cron":["0 9 * * *","@daily"]}`, `{"cron":["0 9 * * *","@daily"]}`},
		{`{"every":"90m"}`, `{"every":"1h30m0s"}`},
		{` { "spread" : true , "every" : "600s" } `, `{"every":"10m0s","spread":true}`},
		{`{"every":"10m","spread":false}`, `{"every":"10m0s"}`},
		{`{"every":"10m","anchor":"2026-11-21T10:00:00.5+01:00"}`, `{"every":"10m0s","anchor":"2026-11-21T09:00:00.5Z"}`},
		{
			`{"at":["2027-01-01T00:00:00Z","2026-01-01T01:00:00+01:00","2026-01-01T00:00:00Z"]}`,
			`{"at":["2026-01-01T00:00:00Z","2027-01-01T00:00:00Z"]}`,
		},
		{
			`{"end":"2028-01-01T00:00:00Z","start":"2027-01-01T00:00:00Z","exclude":["sat"],"dst":{"overlap":"both","gap":"skip"},"day_rule":"and","time_zone":"Europe/Berlin","cron":"@daily"}`,
			`{"cron":"@daily","time_zone":"Europe/Berlin","day_rule":"and","dst":{"gap":"skip","overlap":"both"},"exclude":["sat"],"start":"2027-01-01T00:00:00Z","end":"2028-01-01T00:00:00Z"}`,
		},
		{`{"dst":{}}`, `{}`},
		{`{"dst":{"gap":"after"}}`, `{"dst":{"gap":"after"}}`},
		{`{"cron":[],"at":[],"exclude":[],"time_zone":"","day_rule":""}`, `{}`},
	} {
		var spec recurrence.Spec
		if err := json.Unmarshal([]byte(tt.in), &spec); err != nil {
			t.Errorf("%s: %v", tt.in, err)
			continue
		}
		if got := marshalled(t, spec); got != tt.want {
			t.Errorf("%s: written as\n%s, want\n%s", tt.in, got, tt.want)
		}
	}
}

func marshalled(t rapid.TB, spec recurrence.Spec) string {
	t.Helper()
	b, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSpecJSONRefuses(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`null`, "must be an object"},
		{`[]`, "must be an object"},
		{`"0 9 * * *"`, "must be an object"},
		{`{"crons":"@daily"}`, "crons is unknown"},
		{`{"Cron":"@daily"}`, "Cron is unknown"},
		{`{"cron":"@daily","cron":"@hourly"}`, "cron is given twice"},
		{`{"cron":5}`, "cron must be a string or an array of strings, got a number"},
		{`{"cron":null}`, "cron must be a string or an array of strings, got null: leave it out"},
		{`{"cron":["@daily",null]}`, "cron must be"},
		{`{"every":600}`, `every must be a string such as "10m", got a number`},
		{`{"every":"10"}`, "every must be a duration"},
		{`{"every":"0s"}`, "every must be a duration over 0"},
		{`{"every":""}`, "every must be a duration"},
		{`{"at":"2026-01-01T00:00:00Z"}`, "at must be an array of strings, got a string"},
		{`{"at":["2026-01-01T00:00:00Z","2026-01-01"]}`, "at[1] must be an instant"},
		{`{"anchor":"2026-01-01 00:00:00"}`, "anchor must be an instant"},
		{`{"anchor":"2026-01-01T00:00:00,5Z"}`, "anchor must be an instant"},
		{`{"start":"0001-01-01T00:00:00Z"}`, "start must be from 1970"},
		{`{"spread":"yes"}`, "spread must be true or false, got a string"},
		{`{"time_zone":{}}`, "time_zone must be a string, got an object"},
		{`{"day_rule":"xor"}`, `day_rule is refused: recurrence: day rule "xor" is unknown`},
		{`{"dst":"skip"}`, "dst must be an object, got a string"},
		{`{"dst":{"gap":"never"}}`, "dst.gap is refused"},
		{`{"dst":{"overlap":false}}`, "dst.overlap must be a string, got a boolean"},
		{`{"dst":{"fold":"first"}}`, "dst.fold is unknown"},
		{`{"dst":{"gap":"skip","gap":"skip"}}`, "dst.gap is given twice"},
		{`{"exclude":"sat"}`, "exclude must be an array of strings, got a string"},
		{`{"exclude":[["sat"]]}`, "exclude must be an array of strings, got an array"},
		{`{"every":"x","spread":1}`, "every must be a duration over 0"},
		{`{"every":"x","spread":1}`, "; spread must be true or false"},
	} {
		var spec recurrence.Spec
		err := json.Unmarshal([]byte(tt.in), &spec)
		if err == nil {
			t.Errorf("%s: no error", tt.in)
		} else if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %q does not say %q", tt.in, err, tt.want)
		}
	}
}

// UnmarshalJSON may be called without a decoder that has looked at the text.
func TestSpecUnmarshalTakesAnyBytes(t *testing.T) {
	for _, in := range []string{``, ` `, `{`, `{"every"`, `{"every":`, `{"every":"1s"`, `{"every":"1s",}`, `{"dst":{"gap"`, `{1:2}`, "\xff"} {
		var spec recurrence.Spec
		if spec.UnmarshalJSON([]byte(in)) == nil {
			t.Errorf("%q: no error", in)
		}
	}
}

func TestSpecJSONRoundTrip(t *testing.T) {
	instant := rapid.Custom(func(t *rapid.T) time.Time {
		return time.UnixMicro(rapid.Int64Range(1, 253402300799999999).Draw(t, "us")).UTC()
	})
	maybe := rapid.OneOf(rapid.Just(time.Time{}), instant)
	rapid.Check(t, func(t *rapid.T) {
		spec := recurrence.Spec{
			Cron:    rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "cron"),
			Every:   time.Duration(rapid.Int64().Draw(t, "every")),
			At:      rapid.SliceOfN(instant, 0, 5).Draw(t, "at"),
			Anchor:  maybe.Draw(t, "anchor"),
			Spread:  rapid.Bool().Draw(t, "spread"),
			Zone:    rapid.String().Draw(t, "zone"),
			Days:    rapid.SampledFrom([]recurrence.DayRule{0, 1, 2, 3}).Draw(t, "days"),
			Start:   maybe.Draw(t, "start"),
			End:     maybe.Draw(t, "end"),
			Exclude: rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "exclude"),
		}
		text := marshalled(t, spec)
		var back recurrence.Spec
		if err := json.Unmarshal([]byte(text), &back); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if again := marshalled(t, back); again != text {
			t.Fatalf("written as %s, and after reading that as %s", text, again)
		}
		if back.Every != spec.Every || !back.Start.Equal(spec.Start) || len(back.Cron) != len(spec.Cron) || back.Spread != spec.Spread || back.Days != spec.Days {
			t.Fatalf("%+v was read as %+v", spec, back)
		}
	})
}

// What is read either compiles to a rule that has an occurrence and obeys the laws,
// or says why not; and its canonical form is read as the same.
func FuzzSpec(f *testing.F) {
	for _, seed := range []string{
		`{"cron":"0 9 * * mon-fri","time_zone":"Europe/Berlin"}`,
		`{"cron":["0 9 * * *","CRON_TZ=Asia/Tokyo H H(0-7) 13 * fri"],"day_rule":"and","dst":{"gap":"skip","overlap":"second"}}`,
		`{"every":"10m","spread":true,"exclude":["sat","12-24..01-01","2026-01-01..2027-01-01"]}`,
		`{"every":"1h","anchor":"2026-11-21T09:00:00Z","start":"2026-01-01T00:00:00Z","end":"2027-01-01T00:00:00Z"}`,
		`{"at":["2026-11-21T09:00:00Z"]}`, `{"cron":"0 0 29 2 *","exclude":["02-29"]}`, `{"dst":{"gap":1}}`, `{`, `null`,
	} {
		f.Add([]byte(seed), int64(1_795_000_000))
	}
	f.Fuzz(func(t *testing.T, data []byte, sec int64) {
		var spec recurrence.Spec
		if json.Unmarshal(data, &spec) != nil {
			return
		}
		text := marshalled(t, spec)
		var back recurrence.Spec
		if err := json.Unmarshal([]byte(text), &back); err != nil {
			t.Fatalf("%s was read, but its canonical form %s was not: %v", data, text, err)
		}
		rule, err := spec.Compile(recurrence.Context{Key: "a"})
		if err != nil {
			return
		}
		if rule.Next(time.Unix(-1, 0)).IsZero() {
			t.Fatalf("%s has no occurrence", data)
		}
		obey(t, rule, time.Unix(sec%300_000_000_000, 0))
		_ = recurrence.Describe(rule)
	})
}
