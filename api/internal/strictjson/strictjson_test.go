package strictjson_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/timewheel-dev/timewheel/api/internal/strictjson"
)

// parse builds what encoding/json would, out of the Reader's pieces.
func parse(r *strictjson.Reader) any {
	switch r.Kind() {
	case strictjson.Object:
		m := map[string]any{}
		r.Object(func(name []byte) {
			key := string(name)
			m[key] = parse(r)
		})
		return m
	case strictjson.Array:
		list := []any{}
		r.Array(func() { list = append(list, parse(r)) })
		return list
	case strictjson.String:
		return string(r.Text())
	case strictjson.Number:
		f, err := strconv.ParseFloat(string(r.Number()), 64)
		if err != nil {
			return err // out of range
		}
		return f
	case strictjson.Bool:
		return r.Bool()
	default:
		r.Skip()
		return nil
	}
}

func read(doc string) (any, error) {
	var r strictjson.Reader
	r.Reset([]byte(doc), 1)
	v := parse(&r)
	return v, r.End()
}

func skip(doc string) (string, error) {
	var r strictjson.Reader
	r.Reset([]byte(doc), 1)
	raw := r.Raw()
	return string(raw), r.End()
}

func TestReadsWhatEncodingJSONReads(t *testing.T) {
	for _, doc := range []string{
		`{}`, `[]`, ` null `, `true`, `false`, `""`, `0`, `-0`, `-1.5e+3`, `1E9`, `[1,2 , 3]`,
		`{"a":{"b":[{"c":null}]},"":[[],{}]}`, "\"\\u00e9\\n\\t\\\\\\/\\\"\\b\\f\\r\"", `"😀"`, `"käse"`,
		"\t{\r\n\"x\" : \"\\ud83d\\ude00\" }\n",
	} {
		var want any
		if err := json.Unmarshal([]byte(doc), &want); err != nil {
			t.Fatal(err)
		}
		got, err := read(doc)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %#v (%v), want %#v", doc, got, err, want)
		}
		if raw, err := skip(doc); err != nil || raw != strings.TrimSpace(doc) {
			t.Errorf("%s is handed on as %q (%v)", doc, raw, err)
		}
	}
}

func TestRefusesWithAPlace(t *testing.T) {
	deep := strings.Repeat("[", strictjson.MaxDepth+1)
	for _, c := range []struct {
		doc          string
		line, column int
		reason       string
	}{
		{``, 1, 1, "expected a value, but the document ends"},
		{`{`, 1, 2, "but the document ends"},
		{`{"a"}`, 1, 5, "expected :"},
		{`{"a":1,}`, 1, 8, "expected a"},
		{`{a:1}`, 1, 2, "expected a"},
		{`{'a':1}`, 1, 2, "found '\\''"},
		{`[1 2]`, 1, 4, "expected a comma or ]"},
		{`[1,]`, 1, 4, "expected a value"},
		{"{\n  \"a\": 1\n  \"b\": 2}", 3, 3, "expected a comma or }"},
		{`"abc`, 1, 1, "does not end"},
		{`"\x"`, 1, 2, "not an escape"},
		{`"\u12g4"`, 1, 2, "not an escape"},
		{"\"a\nb\"", 1, 3, "control character 0xa"},
		{`01`, 1, 2, "expected the end"},
		{`-`, 1, 2, "expected a digit"},
		{`1.`, 1, 3, "expected a digit"},
		{`1e+`, 1, 4, "expected a digit"},
		{`+1`, 1, 1, "expected a value"},
		{`NaN`, 1, 1, "expected a value"},
		{`nul`, 1, 1, "expected null"},
		{`tru`, 1, 1, "expected true"},
		{`{} {}`, 1, 4, "send one JSON value"},
		{`{}}`, 1, 3, "expected the end"},
		{"\"a\xff\"", 1, 3, "byte 0xff is not UTF-8"},
		{"\ufeff{}", 1, 1, "byte order mark"},
		{"\x00", 1, 1, "expected a value"},
		{deep, 1, strictjson.MaxDepth + 1, "nested deeper than 256"},
	} {
		for name, err := range map[string]error{"read": second(read(c.doc)), "skip": second(skip(c.doc))} {
			var e *strictjson.SyntaxError
			if !errors.As(err, &e) || e.Line != c.line || e.Column != c.column || !strings.Contains(e.Error(), c.reason) {
				t.Errorf("%s of %.40q: %v, want line %d, column %d: … %s", name, c.doc, err, c.line, c.column, c.reason)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

// A lone surrogate has no meaning as text, but a payload that is passed on may
// hold one: it is well-formed JSON.
func TestLoneSurrogate(t *testing.T) {
	for _, doc := range []string{`"\ud800"`, `"\ude00\ud83d"`, `"\ud83dx"`, `"\ud83d\u0041"`} {
		if _, err := read(doc); err == nil || !strings.Contains(err.Error(), "surrogate") {
			t.Errorf("text of %s: %v", doc, err)
		}
		if raw, err := skip(doc); err != nil || raw != doc {
			t.Errorf("raw of %s: %q, %v", doc, raw, err)
		}
	}
}

func TestLinesCountFromWhereTheDocumentBegins(t *testing.T) {
	var r strictjson.Reader
	r.Reset([]byte("{\n}}"), 7)
	r.Skip()
	if err := r.End(); err == nil || !strings.HasPrefix(err.Error(), "line 8, column 2: ") {
		t.Error(err)
	}
}

func TestCallbacksMayLeaveValues(t *testing.T) {
	var r strictjson.Reader
	r.Reset([]byte(`{"skip":{"a":[1,{"b":2}]},"take":["x",{"y":1},"z"]}`), 1)
	var got []string
	r.Object(func(name []byte) {
		if string(name) != "take" {
			return
		}
		r.Array(func() {
			if r.Kind() == strictjson.String {
				got = append(got, string(r.Text()))
			}
		})
	})
	if err := r.End(); err != nil || fmt.Sprint(got) != "[x z]" {
		t.Errorf("got %v, %v", got, err)
	}
}

// depth returns how deep the brackets of a valid document go.
func depth(doc string) int {
	deepest, now, quoted := 0, 0, false
	for i := 0; i < len(doc); i++ {
		switch c := doc[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}

// FuzzAgainstEncodingJSON holds the grammar against the standard library's:
// the same documents are JSON, but for the two bounds that are ours.
func FuzzAgainstEncodingJSON(f *testing.F) {
	for _, doc := range []string{
		`{"a":[1,-2.5e3,true,false,null,"x\u00e9\ud83d\ude00"],"b":{}}`, `{`, `[1,]`, `"\ud800"`, "\"\xff\"", `01`, ` 1 `, `{"a":1}{"b":2}`,
		strings.Repeat("[", 257) + strings.Repeat("]", 257),
	} {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		valid := json.Valid([]byte(doc))
		want := valid && utf8.ValidString(doc) && depth(doc) <= strictjson.MaxDepth
		raw, err := skip(doc)
		if (err == nil) != want {
			t.Fatalf("%q: %v, but well-formed is %v", doc, err, want)
		}
		if want && raw != strings.Trim(doc, " \t\r\n") {
			t.Fatalf("%q was handed on as %q", doc, raw)
		}
		got, err := read(doc)
		if !want {
			if err == nil {
				t.Fatalf("%q was read", doc)
			}
			return
		}
		var ref any
		if e := json.Unmarshal([]byte(doc), &ref); err == nil && e == nil && !reflect.DeepEqual(got, ref) {
			t.Fatalf("%q is %#v, want %#v", doc, got, ref)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	doc := []byte(`{"delay":"30m","payload":{"order":42,"lines":[{"sku":"a-1","n":2},{"sku":"b-2","n":1}]},"webhook":{"url":"http://127.0.0.1:9000/close"}}`)
	var r strictjson.Reader
	b.ReportAllocs()
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		r.Reset(doc, 1)
		r.Object(func([]byte) {})
		if err := r.End(); err != nil {
			b.Fatal(err)
		}
	}
}
