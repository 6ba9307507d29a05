package wire

import (
	"bytes"
	"encoding/json"
	"errors"
)

// errPayload is for payloads that would break the document around them.
var errPayload = errors.New("payload is not a JSON value: send other bytes as payload_base64")

// Encode writes v as JSON and a newline. It leaves <, > and & as they are, and
// the payload of a *Task, *ClaimedTask, *NewTask, *BatchTask or *TaskPatch byte
// for byte, where json.Marshal would rewrite both.
func Encode(b *bytes.Buffer, v any) error {
	payload := payloadOf(v)
	if payload == nil || len(*payload) == 0 {
		return encode(b, v)
	}
	kept := *payload
	if !json.Valid(kept) {
		return errPayload
	}
	*payload = nil
	start := b.Len()
	err := encode(b, v)
	*payload = kept
	if err != nil {
		return err
	}
	splice(b, start, kept)
	return nil
}

func encode(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// splice adds the payload as the last field of the object that begins at start.
func splice(b *bytes.Buffer, start int, payload json.RawMessage) {
	b.Truncate(b.Len() - len("}\n"))
	if b.Len()-start > len("{") {
		b.WriteByte(',')
	}
	b.WriteString(`"payload":`)
	b.Write(payload)
	b.WriteString("}\n")
}

func payloadOf(v any) *json.RawMessage {
	switch v := v.(type) {
	case *Task:
		return &v.Payload
	case *ClaimedTask:
		return &v.Payload
	case *NewTask:
		return &v.Payload
	case *BatchTask:
		return &v.Payload
	case *TaskPatch:
		return &v.Payload
	}
	return nil
}
