package task_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/timewheel-dev/timewheel/task"
)

// form is one of the binary forms, with its types taken away, so that all are
// held to the same tests.
type form struct {
	name    string
	version int    // the newest
	file    string // the bytes of sample, in that version
	sample  any
	any     func(*rapid.T) any
	append  func(dst []byte, v any) []byte
	decode  func(b []byte) (any, error)
}

var forms = []form{
	{
		name: "head", version: 2, file: "head.v2.hex", sample: sampleTask(),
		any:    func(t *rapid.T) any { return anyTask().Draw(t, "task") },
		append: func(dst []byte, v any) []byte { return task.AppendHead(dst, v.(*task.Task)) },
		decode: func(b []byte) (any, error) { return task.DecodeHead(b) },
	},
	{
		name: "body", version: 1, file: "body.v1.hex", sample: sampleBody(),
		any:    func(t *rapid.T) any { return anyBody().Draw(t, "body") },
		append: func(dst []byte, v any) []byte { return task.AppendBody(dst, v.(*task.Body)) },
		decode: func(b []byte) (any, error) { return task.DecodeBody(b) },
	},
	{
		name: "queue", version: 1, file: "queue.v1.hex", sample: sampleQueue(),
		any:    func(t *rapid.T) any { return anyQueue().Draw(t, "queue") },
		append: func(dst []byte, v any) []byte { return task.AppendQueue(dst, v.(*task.Queue)) },
		decode: func(b []byte) (any, error) { q, err := task.DecodeQueue(b); return &q, err },
	},
	{
		name: "schedule", version: 1, file: "schedule.v1.hex", sample: sampleSchedule(),
		any:    func(t *rapid.T) any { return anySchedule().Draw(t, "schedule") },
		append: func(dst []byte, v any) []byte { return task.AppendSchedule(dst, v.(*task.Schedule)) },
		decode: func(b []byte) (any, error) { return task.DecodeSchedule(b) },
	},
	{
		name: "plan", version: 1, file: "plan.v1.hex", sample: samplePlan(),
		any:    func(t *rapid.T) any { return anyPlan().Draw(t, "plan") },
		append: func(dst []byte, v any) []byte { return task.AppendPlan(dst, v.(*task.Plan)) },
		decode: func(b []byte) (any, error) { return task.DecodePlan(b) },
	},
}

// The samples have a different value in every field.

func sampleTask() *task.Task {
	return &task.Task{
		ID:    task.ID{0x01, 0x90, 0x4b, 0x3c, 0x5d, 0x6e, 0x7f, 0x80, 0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8},
		Queue: "orders", Key: "größe/42",
		State: task.Leased, Revision: 300, Attempt: 3, Failures: 2,
		Due: 1777636800000001, Expiry: 1777636800000002, Next: 1777636800000003, Created: 1777636800000004,
		Updated: 1777636800000005, Fired: 1777636800000006, Finished: -7,
		Nonce: 0x0102030405060708, RunBy: 9, Timeout: 30 * time.Second, Retention: 24 * time.Hour,
		Retry: task.Retry{MaxAttempts: 16, MinBackoff: time.Second, MaxBackoff: time.Hour},
		Size:  1 << 20, Host: "shop.test:9000", LastError: "no answer within 30s",
		Output: "2 rows\n", Occurrence: 1777636800000008, Missed: 10, Chained: true,
	}
}

func sampleBody() *task.Body {
	return &task.Body{
		Payload: []byte(`{"order":42}`), ContentType: "application/json",
		Metadata: map[string]string{"tenant": "7", "a": ""}, Traceparent: "00-4bf9-00f0-01",
		Webhook: &task.Webhook{URL: "http://127.0.0.1:9000/close", Headers: map[string]string{"X-Shop": "1"}},
	}
}

func sampleQueue() *task.Queue {
	return &task.Queue{
		Name: "orders", Revision: 300, Paused: true,
		Defaults: task.Defaults{
			Webhook: &task.Webhook{URL: "https://shop.test/close", Headers: map[string]string{"X-Shop": "1"}},
			Retry:   task.Retry{MaxAttempts: 16, MinBackoff: time.Second, MaxBackoff: time.Hour},
			Timeout: 30 * time.Second, Retention: -1,
		},
		Concurrency:    128,
		SigningSecrets: []string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"},
	}
}

func sampleSchedule() *task.Schedule {
	return &task.Schedule{
		ID:    task.ID{0x01, 0x90, 0x4b, 0x3c, 0x5d, 0x6e, 0x7f, 0x80, 0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf9},
		Queue: "reports", Key: "nächtlich/eu", Revision: 300, Paused: true,
		Created: 1777636800000001, Updated: 1777636800000002, Anchor: 1777636800000003, Cursor: 1777636800000004,
		Next: 1777636800000005, Turn: 1777636800000006, Last: -7,
		Fired: 1 << 40, Triggered: 10, Missed: 8, Skipped: 9,
		Queued: []task.Instant{1777636800000000, 1777640400000000, 1777640399999999}, Zones: "2025c",
	}
}

func samplePlan() *task.Plan {
	return &task.Plan{
		Rule: []byte(`{"cron":"0 9 * * 1-5"}`), Times: 1000, Jitter: 90 * time.Second,
		Misfire: task.Misfire{Policy: task.MisfireLast, Limit: 5, Window: 6 * time.Hour, Grace: 30 * time.Second},
		Overlap: task.OverlapReplace, QueueLimit: 7,
		Task: task.Spec{
			Payload: []byte(`{"report":42}`), ContentType: "application/json",
			Metadata: map[string]string{"tenant": "7", "a": ""}, Traceparent: "00-4bf9-00f0-01",
			Webhook: &task.Webhook{URL: "http://127.0.0.1:9000/report", Headers: map[string]string{"X-Shop": "1"}},
			Timeout: 30 * time.Second, Retention: -1,
			Retry: task.Retry{MaxAttempts: 16, MinBackoff: time.Second, MaxBackoff: time.Hour},
		},
	}
}

// eachForm runs f for each binary form, as a subtest of its name.
func eachForm(t *testing.T, f func(t *testing.T, c form)) {
	for _, c := range forms {
		t.Run(c.name, func(t *testing.T) { f(t, c) })
	}
}

// TestBytes holds the bytes to what is on the disks of users. If it
// fails, the format has changed: that takes a new version number, a new file
// beside the old one, and a reader for both.
func TestBytes(t *testing.T) {
	eachForm(t, func(t *testing.T, c form) {
		want := golden(t, c.file)
		if got := c.append(nil, c.sample); !bytes.Equal(got, want) {
			t.Errorf("the sample is written as\n%x\nwhich was\n%x", got, want)
		}
		if got, err := c.decode(want); err != nil || !reflect.DeepEqual(got, c.sample) {
			t.Errorf("the bytes are read as\n%+v, %v\nwant\n%+v", got, err, c.sample)
		}
	})
}

// TestOlderHeads: heads of version 1 have none of the fields that came later.
func TestOlderHeads(t *testing.T) {
	want := sampleTask()
	want.Output, want.Occurrence, want.Missed, want.Chained = "", 0, 0, false
	old := golden(t, "head.v1.hex")
	got, err := task.DecodeHead(old)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read as\n%+v, %v\nwant\n%+v", got, err, want)
	}
	for n := range old {
		if _, err := task.DecodeHead(old[:n:n]); !errors.Is(err, task.ErrCorrupt) {
			t.Errorf("the first %d of %d bytes: error %v", n, len(old), err)
		}
	}
	if _, err := task.DecodeHead(append(old, 0, 0, 0, 0)); !errors.Is(err, task.ErrCorrupt) {
		t.Errorf("with the fields of version 2: error %v", err)
	}
}

// golden reads a file of hexadecimal digits, in lines of any length.
func golden(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	b, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSamplesLeaveNoFieldOut: a field that is new in a record must be in its
// sample, and by that in its bytes. A Task's Body and a Schedule's Plan have bytes of their
// own.
func TestSamplesLeaveNoFieldOut(t *testing.T) {
	eachForm(t, func(t *testing.T, c form) {
		v := reflect.ValueOf(c.sample).Elem()
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; v.Field(i).IsZero() && name != "Body" && name != "Plan" {
				t.Errorf("the sample has no %s", name)
			}
		}
	})
}

func TestRoundTrip(t *testing.T) {
	eachForm(t, func(t *testing.T, c form) {
		rapid.Check(t, func(t *rapid.T) {
			v := c.any(t)
			b := c.append([]byte("before"), v)
			if !bytes.HasPrefix(b, []byte("before")) {
				t.Fatalf("what was in dst is gone: %x", b)
			}
			got, err := c.decode(b[len("before"):])
			if err != nil || !reflect.DeepEqual(got, v) {
				t.Fatalf("read back as\n%+v, %v\nwant\n%+v", got, err, v)
			}
		})
	})
}

func TestZeroRoundTrip(t *testing.T) {
	for i, zero := range []any{&task.Task{State: task.Scheduled}, &task.Body{}, &task.Queue{}, &task.Schedule{}, &task.Plan{}} {
		if got, err := forms[i].decode(forms[i].append(nil, zero)); err != nil || !reflect.DeepEqual(got, zero) {
			t.Errorf("%s: read back as %+v, %v", forms[i].name, got, err)
		}
	}
}

func TestEmptyIsNone(t *testing.T) {
	empty := &task.Body{Payload: []byte{}, Metadata: map[string]string{}, Webhook: &task.Webhook{Headers: map[string]string{}}}
	got, err := task.DecodeBody(task.AppendBody(nil, empty))
	if want := (&task.Body{Webhook: &task.Webhook{}}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read back as %+v, %v, want %+v", got, err, want)
	}
}

func TestEqualRecordsHaveEqualBytes(t *testing.T) {
	eachForm(t, func(t *testing.T, c form) {
		first := c.append(nil, c.sample)
		for range 50 { // maps are walked in another order each time
			if again := c.append(nil, c.sample); !bytes.Equal(again, first) {
				t.Fatalf("%x, then %x", first, again)
			}
		}
	})
}

func TestCutBytesAreCorrupt(t *testing.T) {
	eachForm(t, func(t *testing.T, c form) {
		whole := c.append(nil, c.sample)
		for n := range whole {
			if _, err := c.decode(whole[:n:n]); !errors.Is(err, task.ErrCorrupt) {
				t.Errorf("the first %d of %d bytes: error %v", n, len(whole), err)
			}
		}
		if _, err := c.decode(append(whole, 0)); !errors.Is(err, task.ErrCorrupt) {
			t.Errorf("a byte too many: error %v", err)
		}
		if _, err := c.decode(nil); !errors.Is(err, task.ErrCorrupt) {
			t.Errorf("nil: error %v", err)
		}
	})
}

// TestFlippedBytes sets each byte to all values. What is then still a record has
// to be one wholly: it can be written and read again.
func TestFlippedBytes(t *testing.T) {
	eachForm(t, func(t *testing.T, c form) {
		whole := c.append(nil, c.sample)
		for i, right := range whole {
			for wrong := range 256 {
				whole[i] = byte(wrong)
				checkDecode(t, c, whole)
			}
			whole[i] = right
		}
	})
}

// checkDecode decodes any bytes: they are refused, or make a value that has
// bytes of its own, which mean the same.
func checkDecode(t *testing.T, c form, b []byte) {
	t.Helper()
	v, err := c.decode(b)
	if err != nil {
		return
	}
	if again, err := c.decode(c.append(nil, v)); err != nil || !reflect.DeepEqual(again, v) {
		t.Errorf("%x is read as\n%+v, but read again as\n%+v, %v", b, v, again, err)
	}
}

func TestNewerVersionIsRefused(t *testing.T) {
	eachForm(t, func(t *testing.T, c form) {
		b := c.append(nil, c.sample)
		for v := c.version + 1; v < 256; v++ {
			b[0] = byte(v)
			_, err := c.decode(b)
			if err == nil || errors.Is(err, task.ErrCorrupt) || !strings.Contains(err.Error(), "use a newer timewheel") {
				t.Errorf("version %d: error %v, want one that asks for a newer timewheel", v, err)
			}
		}
		b[0] = 0
		if _, err := c.decode(b); !errors.Is(err, task.ErrCorrupt) {
			t.Errorf("version 0: error %v", err)
		}
	})
}

func TestUnknownPoliciesAreCorrupt(t *testing.T) {
	for _, change := range []func(*task.Plan){
		func(p *task.Plan) { p.Misfire.Policy = 4 },
		func(p *task.Plan) { p.Misfire.Policy = 255 },
		func(p *task.Plan) { p.Overlap = 4 },
		func(p *task.Plan) { p.Overlap = 255 },
	} {
		p := samplePlan()
		change(p)
		if _, err := task.DecodePlan(task.AppendPlan(nil, p)); !errors.Is(err, task.ErrCorrupt) {
			t.Errorf("misfire policy %d, overlap policy %d: error %v", p.Misfire.Policy, p.Overlap, err)
		}
	}
}

// TestQueuedOccurrencesAreBounded: so many may wait, and no more are read.
func TestQueuedOccurrencesAreBounded(t *testing.T) {
	s := sampleSchedule()
	for n, want := range map[int]error{task.MaxQueueLimit: nil, task.MaxQueueLimit + 1: task.ErrCorrupt, 100_000: task.ErrCorrupt} {
		s.Queued = make([]task.Instant, n)
		got, err := task.DecodeSchedule(task.AppendSchedule(nil, s))
		if !errors.Is(err, want) || want == nil && len(got.Queued) != n {
			t.Errorf("%d queued: error %v, want %v", n, err, want)
		}
	}
}

func TestUnknownStateIsCorrupt(t *testing.T) {
	for state := range 256 {
		b := task.AppendHead(nil, sampleTask())
		b[1] = byte(state)
		_, err := task.DecodeHead(b)
		if valid := task.State(state).Valid(); (err == nil) != valid || !valid && !errors.Is(err, task.ErrCorrupt) {
			t.Errorf("state %d: error %v", state, err)
		}
	}
}

// TestDecodedSharesNoMemory: stores hand out memory that they use again.
func TestDecodedSharesNoMemory(t *testing.T) {
	eachForm(t, func(t *testing.T, c form) {
		b := c.append(nil, c.sample)
		v, err := c.decode(b)
		clear(b)
		if err != nil || !reflect.DeepEqual(v, c.sample) {
			t.Errorf("after its bytes were cleared: %+v, %v", v, err)
		}
	})
}

// TestLengthsAreNotBelieved: a length that corrupt bytes claim must not make the
// reader ask for as much memory.
func TestLengthsAreNotBelieved(t *testing.T) {
	const most = 1 << 16
	claim := func(prefix ...byte) []byte { // a count of 2⁶², and some bytes that are no pairs
		return append(binary.AppendUvarint(prefix, 1<<62), make([]byte, most)...)
	}
	half := append(binary.AppendUvarint([]byte{1, 0, 0}, most/2+1), make([]byte, most)...)
	for name, b := range map[string][]byte{
		"string": claim(1), "map": claim(1, 0, 0), "payload": claim(1, 0, 0, 0, 0), "map of more pairs than fit": half,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := task.DecodeBody(b)
		runtime.ReadMemStats(&after)
		if allocated := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, task.ErrCorrupt) || allocated > 64<<10 {
			t.Errorf("%s: error %v, %d bytes allocated", name, err, allocated)
		}
	}
}

func FuzzDecodeHead(f *testing.F)     { fuzzDecode(f, forms[0]) }
func FuzzDecodeBody(f *testing.F)     { fuzzDecode(f, forms[1]) }
func FuzzDecodeQueue(f *testing.F)    { fuzzDecode(f, forms[2]) }
func FuzzDecodeSchedule(f *testing.F) { fuzzDecode(f, forms[3]) }
func FuzzDecodePlan(f *testing.F)     { fuzzDecode(f, forms[4]) }

func fuzzDecode(f *testing.F, c form) {
	f.Add(c.append(nil, c.sample))
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, b []byte) { checkDecode(t, c, b) })
}
