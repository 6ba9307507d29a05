package api

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/recurrence"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// document is what the tests look at in openapi.yaml.
type document struct {
	Paths      map[string]map[string]yaml.Node
	Components struct{ Schemas map[string]schema }
}

type operation struct {
	OperationID string `yaml:"operationId"`
	Summary     string
	Security    *[]any
	Responses   map[string]yaml.Node
}

type schema struct {
	Ref        string `yaml:"$ref"`
	Type       string
	Required   []string
	Properties map[string]schema
	Items      *schema
	AllOf      []schema `yaml:"allOf"`
	Enum       []string
}

func readContract(t *testing.T) (doc document) {
	t.Helper()
	if err := yaml.Unmarshal(contract, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// resolve follows references and joins what allOf lists.
func (doc *document) resolve(s schema) schema {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		return doc.resolve(doc.Components.Schemas[name])
	}
	for _, part := range s.AllOf {
		part = doc.resolve(part)
		if s.Properties == nil {
			s.Properties = map[string]schema{}
		}
		maps.Copy(s.Properties, part.Properties)
		s.Required = append(s.Required, part.Required...)
	}
	return s
}

func TestRoutesAndDocumentAreTheSame(t *testing.T) {
	doc := readContract(t)
	documented := map[string]operation{}
	for path, item := range doc.Paths {
		for method, node := range item {
			if method == "parameters" {
				continue
			}
			var op operation
			if err := node.Decode(&op); err != nil {
				t.Fatal(err)
			}
			documented[strings.ToUpper(method)+" "+path] = op
		}
	}
	ids := map[string]bool{}
	for _, r := range routes {
		name := r.method + " " + r.path
		op, ok := documented[name]
		delete(documented, name)
		if !ok {
			t.Errorf("%s is served, but openapi.yaml has no such operation", name)
			continue
		}
		if open := op.Security != nil && len(*op.Security) == 0; open != r.open {
			t.Errorf("%s is open to all: %v, but openapi.yaml says %v", name, r.open, open)
		}
		if op.OperationID == "" || ids[op.OperationID] || op.Summary == "" {
			t.Errorf("%s: operationId %q must be there once, and a summary with it", name, op.OperationID)
		}
		ids[op.OperationID] = true
	}
	for name := range documented {
		t.Errorf("openapi.yaml has %s, but it is not served", name)
	}
}

func TestPathParametersAreDocumented(t *testing.T) {
	type reference struct {
		Ref string `yaml:"$ref"`
	}
	for path, item := range readContract(t).Paths {
		var refs []reference
		if node, ok := item["parameters"]; ok {
			if err := node.Decode(&refs); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"queue", "key"} {
			documented := slices.ContainsFunc(refs, func(r reference) bool {
				return r.Ref == "#/components/parameters/"+name || name == "key" && strings.HasSuffix(r.Ref, "/schedule_key")
			})
			if documented != strings.Contains(path, "{"+name+"}") {
				t.Errorf("%s: parameter %s", path, name)
			}
		}
	}
}

func TestCodesAndDocumentAreTheSame(t *testing.T) {
	var served []string
	for _, c := range codes {
		served = append(served, string(c.name))
		if c.status < 400 || c.title == "" || c.about == "" {
			t.Errorf("row %+v is not whole", c)
		}
	}
	if documented := readContract(t).Components.Schemas["ProblemCode"].Enum; !slices.Equal(documented, served) {
		t.Errorf("openapi.yaml has the codes\n%s\nand the table\n%s", documented, served)
	}
}

// The tables that requests are read by have the fields of the document, and
// require the same ones.
func TestFieldsAndDocumentAreTheSame(t *testing.T) {
	doc := readContract(t)
	for name, table := range map[string]map[string]bool{
		"NewTask":       table(taskFields),
		"TaskPatch":     table(taskFields),
		"BatchTask":     table(batchFields),
		"Webhook":       table(webhookFields),
		"Retry":         table(retryFields),
		"ClaimRequest":  table(claimFields),
		"Complete":      table(completeFields),
		"Fail":          table(failFields),
		"Snooze":        table(snoozeFields),
		"Renew":         table(renewFields),
		"QueuePatch":    table(queueFields),
		"QueueDefaults": table(defaultsFields),
		"PurgeRequest":  table(purgeFields),
		"NewSchedule":   table(scheduleFields),
		"BatchSchedule": table(batchScheduleFields),
		"ScheduleTask":  table(contentFields),
		"DST":           table(dstFields),
		"Misfire":       table(misfireFields),
		"BatchRequest":  {"tasks": true}, "ScheduleBatchRequest": {"schedules": true},
		"CompleteRequest": {"leases": true}, "FailRequest": {"leases": true},
		"SnoozeRequest": {"leases": true}, "RenewRequest": {"leases": true},
	} {
		s := doc.resolve(doc.Components.Schemas[name])
		want := map[string]bool{}
		for p := range s.Properties {
			want[p] = slices.Contains(s.Required, p)
		}
		if !maps.Equal(want, table) {
			t.Errorf("%s: the document has fields (and whether they must be there)\n%v\nthe table has\n%v", name, want, table)
		}
	}
}

func table[T any](fields []field[T]) map[string]bool {
	m := map[string]bool{}
	for _, f := range fields {
		m[f.name] = f.required
	}
	return m
}

// The generated types are those of the present document. A new schema is to be
// added here.
func TestTypesAndDocumentAreTheSame(t *testing.T) {
	doc := readContract(t)
	types := map[string]reflect.Type{}
	for _, v := range []any{
		wire.Webhook{},
		wire.Retry{},
		wire.NewTask{},
		wire.BatchTask{},
		wire.BatchRequest{},
		wire.BatchResult{},
		wire.BatchResponse{},
		wire.TaskPatch{},
		wire.Task{},
		wire.TaskList{},
		wire.ClaimRequest{},
		wire.ClaimedTask{},
		wire.ClaimResponse{},
		wire.CompleteRequest{},
		wire.Complete{},
		wire.FailRequest{},
		wire.Fail{},
		wire.SnoozeRequest{},
		wire.Snooze{},
		wire.RenewRequest{},
		wire.Renew{},
		wire.SettleResult{},
		wire.SettleResponse{},
		wire.QueueDefaults{},
		wire.QueueCounts{},
		wire.Queue{},
		wire.QueuePatch{},
		wire.QueueList{},
		wire.PurgeRequest{},
		wire.PurgeResponse{},
		wire.Cron{},
		wire.DST{},
		wire.Misfire{},
		wire.ScheduleTask{},
		wire.SchedulePlan{},
		wire.NewSchedule{},
		wire.BatchSchedule{},
		wire.Schedule{},
		wire.ScheduleList{},
		wire.ScheduleBatchRequest{},
		wire.ScheduleBatchResult{},
		wire.ScheduleBatchResponse{},
		wire.TriggerResponse{},
		wire.ComingOccurrence{},
		wire.Occurrences{},
		wire.MisfirePolicy(""), wire.Overlap(""), wire.ScheduleState(""),
		wire.Problem{},
		wire.Fault{},
		wire.TaskState(""), wire.ProblemCode(""),
	} {
		types[reflect.TypeOf(v).Name()] = reflect.TypeOf(v)
	}
	for name, s := range doc.Components.Schemas {
		typ, ok := types[name]
		if !ok {
			t.Errorf("schema %s has no type here", name)
			continue
		}
		delete(types, name)
		got, want := jsonFields(typ), slices.Sorted(maps.Keys(doc.resolve(s).Properties))
		if !slices.Equal(got, want) {
			t.Errorf("%s: the type has %v, the document %v: run go generate ./api/wire", name, got, want)
		}
	}
	for name := range types {
		t.Errorf("type %s has no schema", name)
	}
}

func jsonFields(t reflect.Type) (names []string) {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		if tag := f.Tag.Get("json"); tag != "" {
			name, _, _ := strings.Cut(tag, ",")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// The document has the names of package recurrence and task, in their order.
func TestNamesAndDocumentAreTheSame(t *testing.T) {
	doc := readContract(t)
	property := func(schema, name string) []string { return doc.Components.Schemas[schema].Properties[name].Enum }
	for _, c := range []struct {
		where            string
		documented, have []string
	}{
		{"MisfirePolicy", doc.Components.Schemas["MisfirePolicy"].Enum, task.MisfirePolicies[:]},
		{"Overlap", doc.Components.Schemas["Overlap"].Enum, task.Overlaps[:]},
		{"day_rule", property("SchedulePlan", "day_rule"), []string{recurrence.DaysOr.String(), recurrence.DaysAnd.String(), recurrence.DaysQuartz.String()}},
		{"dst.gap", property("DST", "gap"), []string{recurrence.GapAfter.String(), recurrence.GapSkip.String()}},
		{"dst.overlap", property("DST", "overlap"), []string{recurrence.FoldFirst.String(), recurrence.FoldSecond.String(), recurrence.FoldBoth.String()}},
		{"fate", property("TriggerResponse", "fate"), []string{scheduler.FateFired.String(), scheduler.FateQueued.String()}},
	} {
		if !slices.Equal(c.documented, c.have) {
			t.Errorf("%s: openapi.yaml has %q, the code %q", c.where, c.documented, c.have)
		}
	}
}

func TestStatesAndDocumentAreTheSame(t *testing.T) {
	var states []string
	for _, s := range task.States {
		states = append(states, s.String())
		if !strings.Contains(notState, s.String()) {
			t.Errorf("the message %q lacks %s", notState, s)
		}
	}
	if documented := readContract(t).Components.Schemas["TaskState"].Enum; !slices.Equal(documented, states) {
		t.Errorf("openapi.yaml has the states %v, package task %v", documented, states)
	}
}

// The reference page has each route, and each code with its paragraph.
func TestReferencePageIsWhole(t *testing.T) {
	const path = "../docs/reference/http-api.md"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	for _, r := range routes {
		if heading := fmt.Sprintf("`%s %s`", r.method, r.path); !strings.Contains(page, heading) {
			t.Errorf("http-api.md lacks %s", heading)
		}
	}
	const begin, end = "<!-- codes: written by go test ./api -update -->\n", "<!-- end of codes -->"
	head, rest, _ := strings.Cut(page, begin)
	_, tail, _ := strings.Cut(rest, end)
	var b strings.Builder
	for _, c := range codes {
		fmt.Fprintf(&b, "\n**`%s`** (%d) %s. %s\n", c.name, c.status, c.title, c.about)
	}
	want := head + begin + b.String() + "\n" + end + tail
	switch {
	case want == page:
	case flag.Lookup("update").Value.String() == "true":
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("the codes of http-api.md are others by now: run go test ./api -update")
	}
}

// The document names the bounds that the scheduler has.
func TestBoundsAndDocumentAreTheSame(t *testing.T) {
	for _, bound := range []string{
		fmt.Sprintf("maxItems: %d", scheduler.MaxBatch),
		fmt.Sprintf("maximum: %d", scheduler.MaxPageSize),
		fmt.Sprintf("%d if left out.", scheduler.DefaultPageSize),
		fmt.Sprintf("minimum: 1, maximum: %d", scheduler.MaxClaim),
		fmt.Sprintf("1 to %d bytes of UTF-8", task.MaxKeyLen),
		fmt.Sprintf("A name of 1 to %d", task.MaxQueueLen),
		fmt.Sprintf("then %d attempts", task.DefaultMaxAttempts),
		fmt.Sprintf("maxLength: %d", task.MaxScheduleKeyLen),
		fmt.Sprintf("maximum: %d\n          description: With `all`", task.MaxMisfireLimit),
		fmt.Sprintf("maximum: %d\n          description: With overlap `queue`", task.MaxQueueLimit),
		fmt.Sprintf("maximum: %d\n          description: So many", maxTimes),
		fmt.Sprintf("at most %gh.", task.MaxJitter.Hours()),
		fmt.Sprintf("maxItems: %d,", recurrence.MaxCronLines),
		fmt.Sprintf("maxItems: %d\n          items: { type: string, format: date-time }", recurrence.MaxInstants),
	} {
		if !strings.Contains(string(contract), bound) {
			t.Errorf("openapi.yaml lacks %q", bound)
		}
	}
}
