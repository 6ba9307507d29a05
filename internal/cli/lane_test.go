package cli

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// batches runs a lane over the lines that feed sends, and returns the sizes of
// its batches and what stopped it.
func batches(t *testing.T, feed func(chan<- line[int]), fail error) (sizes []int, stopped error) {
	t.Helper()
	l := &lane[int]{lines: make(chan line[int], 2*batchLines), stop: func(err error) { stopped = err }}
	next := 1
	l.send = func(_ context.Context, batch []line[int]) error {
		for _, b := range batch {
			if b.number != next {
				t.Errorf("line %d is sent, want %d", b.number, next)
			}
			next++
		}
		sizes = append(sizes, len(batch))
		return fail
	}
	go func() {
		defer close(l.lines)
		feed(l.lines)
	}()
	l.run(t.Context())
	return sizes, stopped
}

func TestLane(t *testing.T) {
	for _, c := range []struct {
		name string
		feed func(chan<- line[int])
		want []int
	}{
		{"nothing", func(chan<- line[int]) {}, nil},
		{"whole batches and the rest", func(lines chan<- line[int]) {
			for i := range 2*batchLines + 1 {
				lines <- line[int]{number: i + 1}
			}
		}, []int{batchLines, batchLines, 1}},
		{"big lines", func(lines chan<- line[int]) {
			for i := range 5 {
				lines <- line[int]{number: i + 1, size: batchBytes/2 - 1}
			}
		}, []int{2, 2, 1}},
		{"lines that are batches of their own", func(lines chan<- line[int]) {
			for i := range 3 {
				lines <- line[int]{number: i + 1, size: 2 * batchBytes}
			}
		}, []int{1, 1, 1}},
		{"lines that come slowly", func(lines chan<- line[int]) {
			for i := range 4 {
				lines <- line[int]{number: i + 1}
				time.Sleep([]time.Duration{batchWait - 1, 2, batchWait + 1, 0}[i])
			}
		}, []int{2, 1, 1}},
	} {
		synctest.Test(t, func(t *testing.T) {
			sizes, stopped := batches(t, c.feed, nil)
			if !slices.Equal(sizes, c.want) || stopped != nil {
				t.Errorf("%s: got batches of %v, %v; want %v", c.name, sizes, stopped, c.want)
			}
		})
	}
}

func TestALaneStopsAtItsFirstError(t *testing.T) {
	broken := errors.New("gone")
	sizes, stopped := batches(t, func(lines chan<- line[int]) {
		for i := range batchLines + 1 {
			lines <- line[int]{number: i + 1}
		}
	}, broken)
	if len(sizes) != 1 || !errors.Is(stopped, broken) {
		t.Errorf("%d batches, stopped by %v", len(sizes), stopped)
	}
}

func TestProgress(t *testing.T) {
	var shown bytes.Buffer
	tl := &tally{work: ofTasks, err: &shown, begun: time.Now(), live: true}
	for range 1500 {
		tl.read()
	}
	tl.add(1000, 200)
	tl.bad(7, "no", "")
	shown.Reset()
	tl.progress()
	has(t, "the line", shown.String(), eraseLine+"1,500 lines, 1,200 scheduled, 1 failed, ", "/s")
}
