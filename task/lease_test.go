package task_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/timewheel-dev/timewheel/task"
)

var sampleToken = task.Token{Queue: "orders", Key: "größe/42", Attempt: 300, Nonce: 0x0102030405060708}

const sampleTokenText = "AawCAQIDBAUGBwgGb3JkZXJzCmdyw7bDn2UvNDI"

// TestTokenOfVersion1: workers hold tokens while the daemon is upgraded.
func TestTokenOfVersion1(t *testing.T) {
	if got := sampleToken.String(); got != sampleTokenText {
		t.Errorf("written as %s, which was %s", got, sampleTokenText)
	}
	if got, err := task.ParseToken(sampleTokenText); err != nil || got != sampleToken {
		t.Errorf("read as %+v, %v, want %+v", got, err, sampleToken)
	}
}

func TestTokenRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		token := anyToken().Draw(t, "token")
		s := token.String()
		if strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			t.Fatalf("%q is not safe in a URL", s)
		}
		if back, err := task.ParseToken(s); err != nil || back != token {
			t.Fatalf("read back as %+v, %v", back, err)
		}
	})
}

func TestBadTokensAreRefused(t *testing.T) {
	for name, s := range map[string]string{
		"empty":           "",
		"not base64":      "%%%%",
		"padded":          sampleTokenText + "=",
		"standard base64": "Aaw+/",
		"newer version":   "Aq" + sampleTokenText[2:],
		"version alone":   "AQ",
		"cut":             sampleTokenText[:len(sampleTokenText)-2],
		"too long":        sampleTokenText + "AAAA",
		"a task's id":     "01904b3c-5d6e-7f80-8192-a3b4c5d6e7f8",
		"attempt of 2³²":  "AYCAgIAQAQIDBAUGBwgAAA",
	} {
		if token, err := task.ParseToken(s); err == nil || token != (task.Token{}) || !strings.Contains(err.Error(), "lease token") {
			t.Errorf("%s: %+v, %v", name, token, err)
		}
	}
}

func FuzzParseToken(f *testing.F) {
	f.Add(sampleTokenText)
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		token, err := task.ParseToken(s)
		if err != nil {
			return
		}
		if again, err := task.ParseToken(token.String()); err != nil || again != token {
			t.Errorf("%q is read as %+v, but read again as %+v, %v", s, token, again, err)
		}
	})
}
