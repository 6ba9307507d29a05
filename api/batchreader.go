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
)

// batchReader reads the items of a batch off the body. Of the body itself it
// never holds more than one item.
type batchReader[T any] struct {
	*call
	name string                      // of the items: "tasks"
	one  func(d *decoder) (T, error) // reads one, on which d was started
	items[T]
}

// readBatch reads all of a batch, whatever the kind of its body.
func readBatch[T any](c *call, name string, one func(*decoder) (T, error)) (items[T], error) {
	b := batchReader[T]{call: c, name: name, one: one}
	kind, err := c.checkMedia(mediaJSON, mediaNDJSON)
	if err != nil {
		return b.items, err
	}
	if err := b.read(kind); err != nil {
		return b.items, err
	}
	return b.items, b.check(name)
}

// readers are for the bodies of batches.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 64<<10) }}

func (b *batchReader[T]) read(kind media) error {
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
func (b *batchReader[T]) readLines(r *bufio.Reader, d *decoder) error {
	var none T
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
			b.add(none, problemf(wire.ProblemCodeBodyTooLarge, "line %d is over the limit of %d bytes", n, b.maxBody()))
		case len(bytes.TrimSpace(line)) > 0:
			b.add(b.item(d, bytes.TrimRight(line, "\r\n"), n))
		}
		switch {
		case b.over:
			return tooMany(b.name)
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

// item reads one item, which begins in the given line.
func (b *batchReader[T]) item(d *decoder, doc []byte, line int) (T, error) {
	d.start(doc, line)
	return b.one(d)
}

// readDocument reads {"tasks": […]}, or what the items are called, one item at a time.
func (b *batchReader[T]) readDocument(r io.Reader, d *decoder) error {
	in := json.NewDecoder(r)
	for _, want := range []json.Token{json.Delim('{'), b.name, json.Delim('[')} {
		if err := b.expect(in, want); err != nil {
			return err
		}
	}
	var doc json.RawMessage
	for in.More() {
		if err := in.Decode(&doc); err != nil {
			return b.documentError(in, err)
		}
		if b.add(b.item(d, doc, 1)); b.over {
			return tooMany(b.name)
		}
	}
	for _, want := range []json.Token{json.Delim(']'), json.Delim('}')} {
		if err := b.expect(in, want); err != nil {
			return err
		}
	}
	if t, err := in.Token(); !errors.Is(err, io.EOF) {
		return b.documentErrorf(in, t, err, "the end")
	}
	return nil
}

func (b *batchReader[T]) expect(in *json.Decoder, want json.Token) error {
	got, err := in.Token()
	if err != nil || got != want {
		return b.documentErrorf(in, got, err, token(want))
	}
	return nil
}

func (b *batchReader[T]) documentErrorf(in *json.Decoder, got json.Token, err error, want string) error {
	if err != nil {
		return b.documentError(in, err)
	}
	return problemf(wire.ProblemCodeMalformedBody,
		`expected %s before byte %d, found %s: a batch is {%q: […]}, or an item per line with Content-Type application/x-ndjson`, want, in.InputOffset(), token(got), b.name)
}

// token writes a token as it stands in a document.
func token(t json.Token) string {
	if text, ok := t.(string); ok {
		return strconv.Quote(clip(text))
	}
	return fmt.Sprint(t)
}

// documentError names what json.Decoder found wrong.
func (b *batchReader[T]) documentError(in *json.Decoder, err error) error {
	switch {
	case is[*http.MaxBytesError](err):
		return err
	case errors.Is(err, io.EOF) && in.InputOffset() == 0:
		return problemf(wire.ProblemCodeMalformedBody, "the body is empty: send {%q: […]}", b.name)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return problemf(wire.ProblemCodeMalformedBody, "the body is cut short")
	case is[*json.SyntaxError](err):
		return problemf(wire.ProblemCodeMalformedBody, "not well-formed JSON after byte %d: %s", in.InputOffset(), err)
	}
	return bodyError(err)
}
