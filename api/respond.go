package api

import (
	"bytes"
	"net/http"
	"strconv"
	"sync"

	"github.com/timewheel-dev/timewheel/api/wire"
)

// Values of headers, ready to be put into a header map. net/http only reads
// them.
var (
	jsonType    = []string{"application/json"}
	problemType = []string{"application/problem+json"}
	textType    = []string{"text/plain; charset=utf-8"}
	yamlType    = []string{"application/yaml"}
)

// buffers are for bodies, both ways.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// keepBuffer bounds what the pool holds on to.
const keepBuffer = 1 << 20

func getBuffer() *bytes.Buffer {
	b := buffers.Get().(*bytes.Buffer) //nolint:forcetypeassert // New makes no other
	b.Reset()
	return b
}

func putBuffer(b *bytes.Buffer) {
	if b.Cap() <= keepBuffer {
		buffers.Put(b)
	}
}

// respond answers 200 with v as JSON. A pointer to a task keeps its payload
// byte for byte.
func (c *call) respond(v any) error {
	c.send(http.StatusOK, jsonType, v)
	return nil
}

func (c *call) send(status int, contentType []string, v any) {
	b := getBuffer()
	defer putBuffer(b)
	if err := wire.Encode(b, v); err != nil {
		panic(err) // types of package wire can be written, and payloads were checked
	}
	c.write(status, contentType, b.Bytes())
}

// respondWith answers with the JSON that add appends.
func (c *call) respondWith(status int, add func([]byte) []byte) error {
	b := getBuffer()
	defer putBuffer(b)
	b.Write(append(add(b.AvailableBuffer()), '\n'))
	c.write(status, jsonType, b.Bytes())
	return nil
}

// encodeInline writes v as JSON without the newline after it.
func encodeInline(b *bytes.Buffer, v any) error {
	err := wire.Encode(b, v)
	b.Truncate(len(bytes.TrimSuffix(b.Bytes(), []byte{'\n'})))
	return err
}

// write answers. An error means that the client is gone, and there is nobody
// to tell.
func (c *call) write(status int, contentType []string, body []byte) {
	h := c.w.Header()
	h["Content-Type"] = contentType
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	c.answered = true
	c.w.WriteHeader(status)
	_, _ = c.w.Write(body) // see above
}

// etag sets the header that If-Match is compared with.
func (c *call) etag(revision uint64) {
	c.w.Header()["Etag"] = []string{`"` + strconv.FormatUint(revision, 10) + `"`}
}

// nothing answers 204.
func (c *call) nothing() error {
	c.answered = true
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
