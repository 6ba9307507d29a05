package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/timewheel-dev/timewheel/api/wire"
)

// media is what a request's content type says of its body.
type media uint8

const (
	mediaOther media = iota
	mediaJSON
	mediaNDJSON
)

// mediaType reads the content type. None at all, and the one that curl sends
// when it is told nothing, count as JSON.
func mediaType(header http.Header) media {
	name, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	switch name = strings.ToLower(strings.TrimSpace(name)); name {
	case "", "application/json", "application/x-www-form-urlencoded":
		return mediaJSON
	case "application/x-ndjson", "application/ndjson", "application/jsonl":
		return mediaNDJSON
	}
	if strings.HasSuffix(name, "+json") {
		return mediaJSON
	}
	return mediaOther
}

// checkMedia refuses a body of another kind than those wanted.
func (c *call) checkMedia(wanted ...media) (media, error) {
	if enc := c.r.Header.Get("Content-Encoding"); enc != "" && !strings.EqualFold(enc, "identity") {
		return mediaOther, problemf(wire.ProblemCodeUnsupportedMediaType, "content encoding %.64q is not taken: send the body as it is", enc)
	}
	got := mediaType(c.r.Header)
	for _, m := range wanted {
		if m == got {
			return m, nil
		}
	}
	return mediaOther, problemf(wire.ProblemCodeUnsupportedMediaType, "content type %.64q is not taken here: send application/json", c.r.Header.Get("Content-Type"))
}

// body reads the whole body, which must be JSON, into b.
func (c *call) body(b *bytes.Buffer, limit int64) error {
	if _, err := c.checkMedia(mediaJSON); err != nil {
		return err
	}
	if c.r.ContentLength > limit {
		return &http.MaxBytesError{Limit: limit}
	}
	if c.r.ContentLength > 0 {
		b.Grow(int(c.r.ContentLength) + bytes.MinRead) // room to see the end in
	}
	_, err := b.ReadFrom(http.MaxBytesReader(c.w, c.r.Body, limit))
	return bodyError(err)
}

// bodyError names what went wrong while a body was read.
func bodyError(err error) error {
	switch {
	case err == nil, is[*http.MaxBytesError](err):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return problemf(wire.ProblemCodeMalformedBody, "the body is cut short")
	}
	return fmt.Errorf("reading the body: %w", err)
}
