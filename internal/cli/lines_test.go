package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/timewheel-dev/timewheel/client"
)

// allLines returns the lines of a text with their numbers, and how it ended.
func allLines(text io.Reader) (lines []string, end error) {
	l := newLineReader(text)
	for {
		line, number, err := l.next()
		switch {
		case errors.Is(err, errLongLine):
			lines = append(lines, fmt.Sprintf("%d: too long", number))
		case err != nil:
			return lines, err
		default:
			lines = append(lines, fmt.Sprintf("%d: %.20s %d", number, line, len(line)))
		}
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"blank lines", "\n \r\n\t\n", nil},
		{"one line", "a\n", []string{"1: a 1"}},
		{"no end", "a", []string{"1: a 1"}},
		{"other ends", "a\r\nb\r\n", []string{"1: a 1", "2: b 1"}},
		{"space stays", " a \n", []string{"1:  a  3"}},
		{"blank lines count", "a\n\n\nb", []string{"1: a 1", "4: b 1"}},
		{"longer than the buffer", long + "\nb\n" + long, []string{"1: xxxxxxxxxxxxxxxxxxxx 1048576", "2: b 1", "3: xxxxxxxxxxxxxxxxxxxx 1048576"}},
	} {
		lines, end := allLines(strings.NewReader(c.text))
		if fmt.Sprint(lines) != fmt.Sprint(c.want) || !errors.Is(end, io.EOF) {
			t.Errorf("%s: got %q, %v; want %q", c.name, lines, end, c.want)
		}
	}
}

func TestALineThatIsTooLongIsPassedOver(t *testing.T) {
	endless := io.LimitReader(repeat('x'), maxLine+1)
	lines, end := allLines(io.MultiReader(strings.NewReader("a\n"), endless, strings.NewReader("\nb\n")))
	if want := []string{"1: a 1", "2: too long", "3: b 1"}; fmt.Sprint(lines) != fmt.Sprint(want) || !errors.Is(end, io.EOF) {
		t.Errorf("got %q, %v; want %q", lines, end, want)
	}
}

// repeat is a stream of one byte.
type repeat byte

func (r repeat) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r)
	}
	return len(p), nil
}

func TestAReadThatFails(t *testing.T) {
	broken := errors.New("disk gone")
	lines, end := allLines(io.MultiReader(strings.NewReader("a\nhalf"), failing{broken}))
	if len(lines) != 1 || !errors.Is(end, broken) {
		t.Errorf("got %q, %v", lines, end)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// Lines that the API would refuse are refused here, too, and not bent into
// something else.
func TestLinesAreTakenToTheLetter(t *testing.T) {
	for line, want := range map[string]string{
		`{"key":"","delay":"1h"}`:                               "key must not be empty",
		`{"key":null,"delay":"1h"}`:                             "key must not be null",
		`{"key":"a","delay":"1h","delay":"2h"}`:                 "delay is given twice",
		`{"key":"a","key":"b","delay":"1h"}`:                    "key is given twice",
		`{"key":"a","Delay":"1h"}`:                              `unknown field "Delay"`,
		`{"key":"a","delay":"1h","webhook":null}`:               "webhook must not be null",
		`{"key":"a","delay":"1h","due":"2030-01-01T00:00:00Z"}`: "delay must not be set beside due",
	} {
		if _, err := parseLine([]byte(line), &client.NewTask{Queue: "q"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}
