package api

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"

	"github.com/timewheel-dev/timewheel/api/wire"
	"github.com/timewheel-dev/timewheel/scheduler"
	"github.com/timewheel-dev/timewheel/task"
)

// scheduleBatch serves POST /v1/tasks:batch. All of the body is read before
// the first task is scheduled, so that a call that is refused has no effect.
func (c *call) scheduleBatch() error {
	q := c.query()
	in := batchReader{call: c, queue: q.text("queue"), traceparent: c.traceparent()}
	if err := q.end(); err != nil {
		return err
	}
	kind, err := c.checkMedia(mediaJSON, mediaNDJSON)
	if err != nil {
		return err
	}
	if err := in.read(kind); err != nil {
		return err
	}
	if err := in.check("tasks"); err != nil {
		return err
	}
	results, err := c.scheduler.ScheduleBatch(c.r.Context(), in.good)
	if err != nil {
		return err
	}
	return c.batchScheduled(&in.items, results)
}

// batchScheduled answers with a wire.BatchResponse.
func (c *call) batchScheduled(batch *items[scheduler.ScheduleRequest], results []scheduler.ScheduleResult) error {
	b := getBuffer()
	defer putBuffer(b)
	var created, replaced, failed int
	b.WriteString(`{"results":[`)
	for i, err := range batch.errs {
		if i > 0 {
			b.WriteByte(',')
		}
		var r scheduler.ScheduleResult
		if err == nil {
			r, results = results[0], results[1:]
			err = r.Err
		}
		switch {
		case err != nil:
			failed++
			if err := encodeInline(b, &wire.BatchResult{Problem: c.itemProblem(err)}); err != nil {
				return err
			}
			continue
		case r.Replaced:
			replaced++
		default:
			created++
		}
		b.Write(appendScheduled(b.AvailableBuffer(), r))
	}
	fmt.Fprintf(b, "],\"created\":%d,\"replaced\":%d,\"failed\":%d}\n", created, replaced, failed)
	c.write(http.StatusOK, jsonType, b.Bytes())
	return nil
}

// batchReader reads the tasks of a batch off the body. Of the body itself it
// never holds more than one task.
type batchReader struct {
	*call
	queue       string // of tasks that name none
	traceparent string // of all of them
	in          taskInput
	items[scheduler.ScheduleRequest]
}

// readers are for the bodies of batches.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 64<<10) }}

func (b *batchReader) read(kind media) error {
	if b.r.ContentLength > b.MaxBatchBody {
		return &http.MaxBytesError{Limit: b.MaxBatchBody}
	}
	r := readers.Get().(*bufio.Reader) //nolint:forcetypeassert // New makes no other
	defer readers.Put(r)
	r.Reset(http.MaxBytesReader(b.w, b.r.Body, b.MaxBatchBody))
	d := getDecoder()
	defer putDecoder(d)
	if kind == mediaNDJSON {
		return b.readLines(r, d)
	}
	return b.readDocument(r, d)
}

// readLines reads NDJSON. A line that is no JSON, or too long, fails alone;
// blank lines are passed over.
func (b *batchReader) readLines(r *bufio.Reader, d *decoder) error {
	long := getBuffer()
	defer putBuffer(long)
	for n := 1; ; n++ {
		line, err := readLine(r, long, b.maxBody())
		end, tooLong := errors.Is(err, io.EOF), errors.Is(err, bufio.ErrTooLong)
		if err != nil && !end && !tooLong {
			return bodyError(err)
		}
		switch {
		case tooLong:
			b.add(scheduler.ScheduleRequest{}, problemf(wire.ProblemCodeBodyTooLarge, "line %d is over the limit of %d bytes", n, b.maxBody()))
		case len(bytes.TrimSpace(line)) > 0:
			b.add(b.task(d, bytes.TrimRight(line, "\r\n"), n))
		}
		switch {
		case b.over:
			return tooMany("tasks")
		case end:
			return nil
		}
	}
}

// readLine returns the next line, valid until the next read. What does not fit
// the reader's own buffer is put together in long. Of a line of over limit bytes the
// rest is skipped and the error is bufio.ErrTooLong; io.EOF comes with the last line.
func readLine(r *bufio.Reader, long *bytes.Buffer, limit int64) ([]byte, error) {
	part, err := r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return part, err
	}
	long.Reset()
	for errors.Is(err, bufio.ErrBufferFull) {
		if int64(long.Len()) <= limit {
			long.Write(part)
		}
		part, err = r.ReadSlice('\n')
	}
	if int64(long.Len()+len(part)) > limit && (err == nil || errors.Is(err, io.EOF)) {
		return nil, errors.Join(bufio.ErrTooLong, err)
	}
	long.Write(part)
	return long.Bytes(), err
}

// task reads one task, which begins in the given line.
func (b *batchReader) task(d *decoder, doc []byte, line int) (scheduler.ScheduleRequest, error) {
	d.start(doc, line)
	in := &b.in
	*in = taskInput{}
	if err := decode(d, batchFields, in); err != nil {
		return scheduler.ScheduleRequest{}, err
	}
	queue := b.queue
	if in.queue.given {
		queue = b.intern(in.queue.value)
	}
	if in.key.given && in.key.value == "" {
		d.faultAt("key", "must be 1 to %d bytes long, or left out to have one generated", task.MaxKeyLen)
	}
	r, err := in.request(d, queue, in.key.value, b.MaxPayload)
	r.Traceparent = b.traceparent
	return r, err
}

// intern returns the queue's name as the task before had it, so that a batch
// does not hold the same name ten thousand times.
func (b *batchReader) intern(name string) string {
	if n := len(b.good); n > 0 && b.good[n-1].Queue == name {
		return b.good[n-1].Queue
	}
	return name
}

// readDocument reads {"tasks": […]}, one task at a time.
func (b *batchReader) readDocument(r io.Reader, d *decoder) error {
	in := json.NewDecoder(r)
	for _, want := range []json.Token{json.Delim('{'), "tasks", json.Delim('[')} {
		if err := expect(in, want); err != nil {
			return err
		}
	}
	var doc json.RawMessage
	for in.More() {
		if err := in.Decode(&doc); err != nil {
			return documentError(in, err)
		}
		if b.add(b.task(d, doc, 1)); b.over {
			return tooMany("tasks")
		}
	}
	for _, want := range []json.Token{json.Delim(']'), json.Delim('}')} {
		if err := expect(in, want); err != nil {
			return err
		}
	}
	if t, err := in.Token(); !errors.Is(err, io.EOF) {
		return documentErrorf(in, t, err, "the end")
	}
	return nil
}

func expect(in *json.Decoder, want json.Token) error {
	got, err := in.Token()
	if err != nil || got != want {
		return documentErrorf(in, got, err, token(want))
	}
	return nil
}

func documentErrorf(in *json.Decoder, got json.Token, err error, want string) error {
	if err != nil {
		return documentError(in, err)
	}
	return problemf(wire.ProblemCodeMalformedBody,
		`expected %s before byte %d, found %s: a batch is {"tasks": […]}, or one task per line with Content-Type application/x-ndjson`, want, in.InputOffset(), token(got))
}

// token writes a token as it stands in a document.
func token(t json.Token) string {
	if text, ok := t.(string); ok {
		return strconv.Quote(clip(text))
	}
	return fmt.Sprint(t)
}

// documentError names what json.Decoder found wrong.
func documentError(in *json.Decoder, err error) error {
	switch {
	case is[*http.MaxBytesError](err):
		return err
	case errors.Is(err, io.EOF) && in.InputOffset() == 0:
		return problemf(wire.ProblemCodeMalformedBody, `the body is empty: send {"tasks": […]}`)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return problemf(wire.ProblemCodeMalformedBody, "the body is cut short")
	case is[*json.SyntaxError](err):
		return problemf(wire.ProblemCodeMalformedBody, "not well-formed JSON after byte %d: %s", in.InputOffset(), err)
	}
	return bodyError(err)
}
