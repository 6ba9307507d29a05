package webhook

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter bounds how long a receiver can put off its task.
const maxRetryAfter = 24 * time.Hour

// retryAfter reads the header Retry-After (RFC 9110, section 10.2.3): seconds,
// or a date. A date counts from the answer's own Date, so that clocks which
// disagree do no harm, and from the start of the attempt if there is none. It
// returns 0 for what is missing, past or makes no sense.
func retryAfter(h http.Header, began time.Time) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if value == "" {
		return 0
	}
	if digits(value) {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(maxRetryAfter/time.Second) {
			return maxRetryAfter // too large a number is the only error left
		}
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	if sent, err := http.ParseTime(h.Get("Date")); err == nil {
		began = sent
	}
	return min(max(until.Sub(began), 0), maxRetryAfter)
}

func digits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}
