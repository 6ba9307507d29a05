package task

import (
	"encoding/hex"
	"fmt"
)

// ID names one task for all its attempts. It stays when the task is moved or
// replaced before its first attempt, so receivers can use it to recognise
// repeats. It is a UUID of version 7 (RFC 9562): ids of one node sort by their
// time of creation. See docs/adr/0005-ids.md.
type ID [16]byte

// String returns the id in the usual form of a UUID, 36 characters.
func (id ID) String() string {
	var b [36]byte
	at := 0
	for i, part := range [...][]byte{id[0:4], id[4:6], id[6:8], id[8:10], id[10:16]} {
		if i > 0 {
			b[at] = '-'
			at++
		}
		hex.Encode(b[at:], part)
		at += 2 * len(part)
	}
	return string(b[:])
}

// ParseID is the inverse of String.
func ParseID(s string) (ID, error) {
	var id ID
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return id, fmt.Errorf("id %q is not a UUID of the form 8-4-4-4-12", s)
	}
	if _, err := hex.Decode(id[:], []byte(s[0:8]+s[9:13]+s[14:18]+s[19:23]+s[24:36])); err != nil {
		return id, fmt.Errorf("id %q is not a UUID: %w", s, err)
	}
	return id, nil
}
