package pebblestore

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
)

// upgrade brings a store of an older format up to this one. What it has done is
// on disk and need not be done again, and FORMAT is written last: after a crash
// half-way the next Open does the rest.
func (s *Store) upgrade(f folder, from int, log *slog.Logger) error {
	if from == formatVersion {
		return nil
	}
	if err := s.levelEpochs(); err != nil {
		return fmt.Errorf("upgrading from format %d: %w", from, err)
	}
	moved, err := s.rehome()
	if err != nil {
		return fmt.Errorf("upgrading from format %d: %w", from, err)
	}
	if err := f.writeFormat(engineName); err != nil {
		return fmt.Errorf("upgrading from format %d: %w", from, err)
	}
	log.Info("store: upgraded", "from", from, "to", formatVersion, "moved", moved)
	return nil
}

// levelEpochs raises the epoch of each shard to the highest of all. A task that
// comes from another shard names the epoch of the owner that ran it; the next
// owner must not be taken for that one.
func (s *Store) levelEpochs() error {
	var highest uint64
	for _, h := range s.shards {
		highest = max(highest, h.epoch)
	}
	b := s.db.NewBatch()
	var err error
	for i, h := range s.shards {
		if h.epoch < highest {
			h.epoch = highest
			err = errors.Join(err, b.Set(appendShard(nil, kindEpoch, i), binary.AppendUvarint(nil, highest), nil))
		}
	}
	if err != nil {
		return errors.Join(err, b.Close())
	}
	return s.apply(context.Background(), b, func(error) {})
}
