package pebblestore

import "github.com/timewheel-dev/timewheel/store"

// Stats is a look at the store's insides.
type Stats struct {
	DiskBytes   uint64 // of all files, those that wait to be removed included
	LogBytes    uint64 // that a restart after a crash would replay
	MemoryBytes uint64 // of memtables and block cache
	ReadAmp     int    // files that a lookup may have to ask; over 20, compaction does not keep up
	DebtBytes   uint64 // that compaction has yet to rewrite
}

// Stats returns a look at the store's insides.
func (s *Store) Stats() (Stats, error) {
	s.life.RLock()
	defer s.life.RUnlock()
	if s.closed {
		return Stats{}, store.ErrClosed
	}
	if err := s.stop.err(); err != nil {
		return Stats{}, err
	}
	m := s.db.Metrics()
	return Stats{
		DiskBytes:   m.DiskSpaceUsage(),
		LogBytes:    m.WAL.Size,
		MemoryBytes: m.MemTable.Size + m.MemTable.ZombieSize + uint64(m.BlockCache.Size),
		ReadAmp:     m.ReadAmp(),
		DebtBytes:   m.Compact.EstimatedDebt,
	}, nil
}
