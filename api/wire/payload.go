package wire

import (
	"bytes"
	"encoding/json"
	"errors"
)

// errPayload is for payloads that would break the document around them.
var errPayload = errors.New("payload is not a JSON value: send other bytes as payload_base64")

// placeholder stands for a payload until the document around it is written.
var placeholder = json.RawMessage("0")

// Encode writes v as JSON and a newline. It leaves <, > and & as they are, and
// the payload of a *Task, *ClaimedTask, *NewTask, *BatchTask or *TaskPatch, and that
// of the task of a *Schedule, *NewSchedule or *BatchSchedule, byte for byte, where
// json.Marshal would rewrite both.
func Encode(b *bytes.Buffer, v any) error {
	payload, after := payloadOf(v)
	if payload == nil || len(*payload) == 0 {
		return encode(b, v)
	}
	kept := *payload
	if !json.Valid(kept) {
		return errPayload
	}
	*payload = placeholder
	err := encode(b, v)
	*payload = kept
	if err != nil {
		return err
	}
	b.Truncate(b.Len() - len(placeholder) - len(after))
	b.Write(kept)
	b.WriteString(after)
	return nil
}

func encode(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// payloadOf returns the payload that v has, and what is written after it: the
// contract names payloads last.
func payloadOf(v any) (payload *json.RawMessage, after string) {
	const inTask, inSchedule = "}\n", "}}\n"
	switch v := v.(type) {
	case *Task:
		return &v.Payload, inTask
	case *ClaimedTask:
		return &v.Payload, inTask
	case *NewTask:
		return &v.Payload, inTask
	case *BatchTask:
		return &v.Payload, inTask
	case *TaskPatch:
		return &v.Payload, inTask
	case *Schedule:
		return &v.Task.Payload, inSchedule
	case *NewSchedule:
		return &v.Task.Payload, inSchedule
	case *BatchSchedule:
		return &v.Task.Payload, inSchedule
	}
	return nil, ""
}
