package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/timewheel-dev/timewheel/client"
)

// policyFlags are what tasks can have and queues can have as defaults.
type policyFlags struct {
	Webhook string   `group:"how" placeholder:"URL" help:"Push: post the payload here. Without one, and without a default of the queue, workers claim the task."`
	Header  []string `group:"how" sep:"none" placeholder:"NAME:VALUE" help:"A header for the webhook. Can be repeated."`

	RetryMaxAttempts uint32        `group:"how" placeholder:"N" help:"The task is dead after so many failures. The queue's default, then 16."`
	RetryMinBackoff  time.Duration `group:"how" placeholder:"DURATION" help:"The wait after the first failure; it doubles with each. The queue's default, then 1s."`
	RetryMaxBackoff  time.Duration `group:"how" placeholder:"DURATION" help:"The longest wait. The queue's default, then 1h."`

	Timeout   time.Duration  `group:"how" placeholder:"DURATION" help:"How long one attempt may take. The queue's default, then 30s."`
	Retention *time.Duration `group:"how" placeholder:"DURATION" help:"How long the finished task is kept; 0s: not at all. The queue's default, then 24h."`
}

func (f policyFlags) webhook() (*client.Webhook, error) {
	if f.Webhook == "" {
		if len(f.Header) > 0 {
			return nil, &usageError{"--header needs --webhook beside it"}
		}
		return nil, nil //nolint:nilnil // no webhook is a legal answer
	}
	w := &client.Webhook{URL: f.Webhook}
	for _, h := range f.Header {
		name, value, ok := strings.Cut(h, ":")
		if !ok {
			return nil, &usageError{fmt.Sprintf("--header must be NAME:VALUE, got %q", h)}
		}
		if w.Headers == nil {
			w.Headers = make(map[string]string)
		}
		w.Headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return w, nil
}

func (f policyFlags) retry() client.Retry {
	return client.Retry{
		MaxAttempts: f.RetryMaxAttempts,
		MinBackoff:  client.Duration(f.RetryMinBackoff),
		MaxBackoff:  client.Duration(f.RetryMaxBackoff),
	}
}

func (f policyFlags) retention() *client.Duration { return duration(f.Retention) }

func duration(d *time.Duration) *client.Duration {
	if d == nil {
		return nil
	}
	w := client.Duration(*d)
	return &w
}

// taskFlags are the flags of one task, or of what the lines of a file leave out.
type taskFlags struct {
	In *time.Duration `group:"when" xor:"when" placeholder:"DURATION" help:"How long from now, such as 30m, 48h or 1m30s."`
	At string         `group:"when" xor:"when" placeholder:"INSTANT" help:"When, such as 2026-12-01T09:00:00Z. In the past: at once."`

	payloadFlags `embed:""`
	IfAbsent     bool `group:"what" help:"Fail if the key has a record, rather than replace it."`

	policyFlags `embed:""`
}

// payloadFlags are what a task tells its receiver.
type payloadFlags struct {
	Payload     string            `group:"what" xor:"payload" placeholder:"JSON" help:"What the receiver gets, any JSON value; @FILE reads it from a file, @- from the standard input."`
	PayloadFile string            `group:"what" xor:"payload" placeholder:"FILE" help:"The same from a file of any bytes, - for the standard input."`
	ContentType string            `group:"what" placeholder:"TYPE" help:"Media type of --payload-file. Without it, JSON if the bytes are JSON, else application/octet-stream."`
	Metadata    map[string]string `group:"what" mapsep:"none" placeholder:"KEY=VALUE" help:"A note on the task. Can be repeated."`
}

// task returns what the flags say of a task.
func (f taskFlags) task(stdin io.Reader) (t client.NewTask, err error) {
	t = client.NewTask{
		IfAbsent: f.IfAbsent,
		Delay:    duration(f.In), Retry: f.retry(), Timeout: client.Duration(f.Timeout),
		Retention: f.retention(), Metadata: f.Metadata,
	}
	if t.Due, err = parseInstant("--at", f.At); err != nil {
		return t, err
	}
	if t.Webhook, err = f.webhook(); err != nil {
		return t, err
	}
	body, err := f.body(stdin)
	t.Payload, t.PayloadBase64, t.ContentType = body.json, body.bytes, body.contentType
	return t, err
}

// parseInstant reads the instant of a flag; "" is the zero Time.
func parseInstant(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return at, &usageError{fmt.Sprintf("%s must be an instant such as 2026-12-01T09:00:00Z or 2026-12-01T09:00:00+01:00, got %q", flag, text)}
	}
	return at, nil
}

// body is a payload: JSON, or bytes with their type.
type body struct {
	json        json.RawMessage
	bytes       []byte
	contentType string
}

func (f payloadFlags) body(stdin io.Reader) (b body, err error) {
	file, isFile := strings.CutPrefix(f.Payload, "@")
	switch {
	case f.PayloadFile != "":
		return f.bytes(stdin)
	case f.ContentType != "":
		return b, &usageError{"--content-type goes with --payload-file; --payload is always JSON"}
	case f.Payload == "":
		return b, nil
	}
	text := []byte(f.Payload)
	if isFile {
		if text, err = readInput(file, stdin); err != nil {
			return b, err
		}
	}
	if !json.Valid(text) {
		return b, &usageError{`--payload must be JSON: quote a text, '"like this"', or send other bytes with --payload-file`}
	}
	return body{json: bytes.TrimSpace(text)}, nil
}

func (f payloadFlags) bytes(stdin io.Reader) (body, error) {
	b, err := readInput(f.PayloadFile, stdin)
	switch {
	case err != nil:
		return body{}, err
	case f.ContentType == "" && json.Valid(b):
		return body{json: bytes.TrimSpace(b)}, nil
	case f.ContentType == "":
		return body{bytes: b, contentType: "application/octet-stream"}, nil
	}
	return body{bytes: b, contentType: f.ContentType}, nil
}

// readInput reads a whole file, "-" for the standard input.
func readInput(file string, stdin io.Reader) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(stdin)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the payload: %w", err)
	}
	return b, nil
}
