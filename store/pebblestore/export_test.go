package pebblestore

import "github.com/cockroachdb/pebble/v2"

// WriteRaw writes keys past all checks, as an older program may have left them.
func (s *Store) WriteRaw(fill func(*pebble.Batch) error) error {
	b := s.db.NewBatch()
	if err := fill(b); err != nil {
		return err
	}
	return b.Commit(pebble.Sync)
}
