package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestLogFormats(t *testing.T) {
	for _, c := range []struct {
		format   string
		terminal bool
		want     string
	}{
		{"auto", true, "msg=serving"},
		{"auto", false, `"msg":"serving"`},
		{"text", false, "msg=serving"},
		{"json", true, `"msg":"serving"`},
	} {
		var out bytes.Buffer
		log, err := NewLogger(&out, c.terminal, c.format, "info")
		if err != nil {
			t.Fatal(err)
		}
		log.Debug("chore")
		log.Info("serving")
		if !strings.Contains(out.String(), c.want) || strings.Contains(out.String(), "chore") {
			t.Errorf("%s, terminal %v: wrote %q, want %q", c.format, c.terminal, out.String(), c.want)
		}
	}
	for _, bad := range [][2]string{{"xml", "info"}, {"json", "loud"}} {
		if _, err := NewLogger(nil, false, bad[0], bad[1]); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
}

// stuckWriter takes one write, then none until it is let go.
type stuckWriter struct {
	bytes.Buffer
	reached, letGo chan struct{}
}

func (s *stuckWriter) Write(p []byte) (int, error) {
	select {
	case s.reached <- struct{}{}:
	default:
	}
	<-s.letGo
	return s.Buffer.Write(p)
}

func TestAJournalNeverMakesWritersWait(t *testing.T) {
	out := &stuckWriter{reached: make(chan struct{}, 1), letGo: make(chan struct{})}
	log, err := NewLogger(out, false, "text", "info")
	if err != nil {
		t.Fatal(err)
	}
	j := newJournal(log)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); j.run(ctx) }()
	j.trouble("push", errors.New("first"))
	<-out.reached // the journal is stuck in the log
	for i := range journalRoom + 7 {
		j.trouble("push", fmt.Errorf("line %d", i))
	}
	close(out.letGo)
	stop()
	<-ended
	for _, want := range []string{"err=first", `err="line 0"`, fmt.Sprintf(`err="line %d"`, journalRoom-1), "count=7"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the log has no %q", want)
		}
	}
}
