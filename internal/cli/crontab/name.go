package crontab

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strconv"
	"strings"
)

// maxSlug bounds the readable part of a name.
const maxSlug = 40

// name returns a name for a command, as it stands in the crontab. It stays the
// same when the times of the line or the lines around it change; only lines with
// the same command and user are numbered, in their order.
func (r *reader) name(user, command string) string {
	sum := sha256.Sum256([]byte(user + "\x00" + command))
	name := slug(command) + "-" + hex.EncodeToString(sum[:4])
	r.names[name]++
	if n := r.names[name]; n > 1 {
		name += "-" + strconv.Itoa(n)
	}
	return name
}

// slug makes a few readable words of a command, its paths without their folders.
func slug(command string) string {
	var words []string
	size := 0
	for w := range strings.FieldsSeq(command) {
		w = strings.Join(strings.FieldsFunc(strings.ToLower(path.Base(w)), noSlug), "-")
		if w == "" {
			continue
		}
		if size += len(w) + 1; size > maxSlug && len(words) > 0 {
			break
		}
		words = append(words, w[:min(len(w), maxSlug)])
	}
	if len(words) == 0 {
		return "command"
	}
	return strings.Join(words, "-")
}

func noSlug(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }
