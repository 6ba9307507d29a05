package wire

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
)

func TestCronIsOneOrMore(t *testing.T) {
	for text, want := range map[string]Cron{
		`"0 9 * * *"`:               {"0 9 * * *"},
		`["0 9 * * *","0 8 * * 1"]`: {"0 9 * * *", "0 8 * * 1"},
		`[]`:                        {},
	} {
		var c Cron
		if err := json.Unmarshal([]byte(text), &c); err != nil || !slices.Equal(c, want) {
			t.Errorf("%s is read as %q, %v", text, c, err)
		}
		if b, err := json.Marshal(c); err != nil || string(b) != text {
			t.Errorf("%q is written as %s, %v", c, b, err)
		}
	}
	for _, text := range []string{`5`, `[5]`, `{}`, `"a`} {
		var c Cron
		if err := json.Unmarshal([]byte(text), &c); err == nil {
			t.Errorf("%s is read as %q", text, c)
		}
	}
}

// A payload stays byte for byte, wherever it stands, and whatever stands beside
// it.
func TestEncodeKeepsPayloads(t *testing.T) {
	payload := json.RawMessage("{\"a\":  \"<&>\",\n\"b\": 1e2}")
	for _, v := range []any{
		&Task{Payload: payload}, &Task{Payload: payload, Metadata: map[string]string{"a": "b"}}, &ClaimedTask{Task: Task{Payload: payload}},
		&NewTask{Payload: payload}, &BatchTask{Payload: payload, Key: "k"}, &TaskPatch{Payload: payload},
		&Schedule{Task: ScheduleTask{Payload: payload}}, &NewSchedule{Task: ScheduleTask{Payload: payload, Timeout: 1}},
		&BatchSchedule{Task: ScheduleTask{Payload: payload}},
	} {
		var b bytes.Buffer
		if err := Encode(&b, v); err != nil {
			t.Fatalf("%T: %v", v, err)
		}
		if !json.Valid(b.Bytes()) || bytes.Count(b.Bytes(), []byte(`"payload":`+string(payload)+`}`)) != 1 {
			t.Errorf("%T: %s", v, &b)
		}
		p, _ := payloadOf(v)
		if !bytes.Equal(*p, payload) {
			t.Errorf("%T has payload %s afterwards", v, *p)
		}
		*p = json.RawMessage(`}`)
		if err := Encode(&b, v); err == nil {
			t.Errorf("%T: a payload that is no JSON was taken", v)
		}
	}
}
