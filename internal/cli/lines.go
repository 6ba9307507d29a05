package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxLine bounds a line, so that a file without line ends can't fill the memory.
// It has room for the largest payload that a daemon can be told to take.
const maxLine = 96 << 20

// errLongLine is the fault of a line over maxLine.
var errLongLine = fmt.Errorf("the line is over %d MiB long", maxLine>>20)

// openInput opens the file that a user named, "-" for the standard input. what
// is in it is for the error.
func openInput(name, what string, stdin io.Reader) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(stdin), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading the %s: %w", what, err)
	}
	return f, nil
}

// lineReader yields the lines of a stream one by one, without their ends, and
// passes over blank ones. Other space stays: it can be part of a key.
type lineReader struct {
	r    *bufio.Reader
	n    int // number of the last line
	long []byte
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 256<<10)}
}

// next returns the next line that is not blank and its number, from 1. The line
// is good until the next call. The error is io.EOF at the end, and errLongLine
// for a line that was passed over.
func (l *lineReader) next() (line []byte, number int, err error) {
	for {
		line, err = l.read()
		if err != nil {
			return nil, l.n, err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			return bytes.TrimRight(line, "\r\n"), l.n, nil
		}
	}
}

// read returns one line, of whatever length, with its end.
func (l *lineReader) read() ([]byte, error) {
	l.n++
	line, err := l.r.ReadSlice('\n')
	l.long = l.long[:0]
	size := len(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		if size <= maxLine {
			l.long = append(l.long, line...)
		}
		line, err = l.r.ReadSlice('\n')
		size += len(line)
	}
	switch {
	case err != nil && (!errors.Is(err, io.EOF) || size == 0):
		return nil, err
	case size > maxLine:
		return nil, errLongLine
	case len(l.long) > 0:
		l.long = append(l.long, line...)
		return l.long, nil
	}
	return line, nil
}
