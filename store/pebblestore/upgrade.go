package pebblestore

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
)

// upgrade brings a store of an older format up to this one.
func (s *Store) upgrade(f folder, from int, log *slog.Logger) error {
	if from == formatVersion {
		return nil
	}
	log.Info("store: upgrading: all tasks are checked, then some move to other shards; once they do, older programs can't open the store",
		"from", from, "to", formatVersion)
	moved, err := s.upgradeFrom(f, from)
	if err != nil {
		return fmt.Errorf("upgrading from format %d: %w", from, err)
	}
	log.Info("store: upgraded", "from", from, "to", formatVersion, "moved", moved)
	return nil
}

// upgradeFrom returns the number of tasks that it moved. It changes nothing
// before it has found the store in order. What it has done is on disk and need not
// be done again: after a crash half-way the next Open does the rest. An older
// program must not come between: it would not find what was moved, and write
// it a second time.
func (s *Store) upgradeFrom(f folder, from int) (moved int, err error) {
	if err := s.strays(s.checkStray); err != nil {
		return 0, err
	}
	if err := f.beginUpgrade(from); err != nil {
		return 0, err
	}
	if err := s.levelEpochs(); err != nil {
		return 0, err
	}
	if moved, err = s.rehome(); err != nil {
		return 0, err
	}
	return moved, f.endUpgrade()
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
