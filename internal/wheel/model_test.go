package wheel

import (
	"fmt"
	"math"
	"slices"
)

// choices is where a random walk takes its decisions from: a property test or
// the bytes of a fuzzer.
type choices interface {
	upTo(n uint64) uint64 // 0 … n
}

// tester is what testing.T and rapid.T have in common.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// model drives a structure and knows, from a plain map, what it must answer.
// After every step it checks the structure's answers and its inner state.
type model struct {
	tester
	timers   verifier
	now      uint64
	open     bool
	settled  int // advances that are over, since anything was set, moved or cancelled
	live     map[Handle]timer
	handles  []Handle // all that there ever were, in order
	seen     map[Handle]bool
	expiring Handle
}

type timer struct {
	due  uint64
	late bool // waits for the advance after the one that is open
}

func newModel(t tester, timers verifier) *model {
	return &model{tester: t, timers: timers, now: timers.Now(), live: map[Handle]timer{}, seen: map[Handle]bool{}}
}

func (m *model) timerFor(due uint64) timer {
	return timer{due: max(due, m.now), late: m.open && due <= m.now}
}

func (m *model) add(due uint64) Handle {
	m.Helper()
	h := m.timers.Add(due)
	if m.seen[h] || h.Index() == 0 || h == 0 {
		m.Fatalf("Add(%d) returned handle %#x, which is not new", due, uint64(h))
	}
	m.seen[h] = true
	m.handles = append(m.handles, h)
	m.live[h] = m.timerFor(due)
	m.settled = 0
	m.check()
	return h
}

func (m *model) cancel(h Handle) {
	m.Helper()
	_, want := m.live[h]
	if got := m.timers.Cancel(h); got != want {
		m.Fatalf("Cancel(%#x) = %t, want %t", uint64(h), got, want)
	}
	delete(m.live, h)
	m.settled = 0
	m.check()
}

func (m *model) reset(h Handle, due uint64) {
	m.Helper()
	_, want := m.live[h]
	want = want || h == m.expiring && h != 0
	if got := m.timers.Reset(h, due); got != want {
		m.Fatalf("Reset(%#x, %d) = %t, want %t", uint64(h), due, got, want)
	}
	if want {
		m.live[h] = m.timerFor(due)
		if h == m.expiring {
			m.expiring = 0 // from here on a timer like any other
		}
	}
	m.settled = 0
	m.check()
}

// advance calls Advance once and meanwhile runs inside, if given, for every
// timer that expires. It returns what Advance returned, and the dues expired.
func (m *model) advance(now uint64, limit int, inside func(h Handle)) (more bool, dues []uint64) {
	m.Helper()
	past := now < m.now
	if !past {
		m.begin(now)
	}
	more = m.timers.Advance(now, limit, func(h Handle) {
		due := m.expired(h)
		if past || limit > 0 && len(dues) == limit {
			m.Fatalf("Advance(%d, %d) at %d expired a timer too many", now, limit, m.now)
		}
		dues = append(dues, due)
		m.expiring = h
		m.check()
		if inside != nil {
			inside(h)
		}
		m.expiring = 0
	})
	m.checkMore(more, !past && m.left(), limit, len(dues))
	if !past && !more {
		m.open, m.settled = false, m.settled+1
		m.admitLate()
	}
	m.check()
	return more, dues
}

// checkMore checks that an advance is over when nothing is left, and not before.
// One that cascades in pieces may go on though nothing is left.
func (m *model) checkMore(more, left bool, limit, expired int) {
	m.Helper()
	w, ok := m.timers.(interface{ worksInPieces() bool })
	inPieces := ok && limit > 0 && w.worksInPieces()
	if more != left && !(more && inPieces) {
		m.Fatalf("limit %d: Advance expired %d and returned more = %t, but there is more: %t", limit, expired, more, left)
	}
}

func (m *model) begin(now uint64) {
	if now > m.now {
		m.admitLate()
	}
	m.now, m.open = now, true
}

func (m *model) admitLate() {
	for h, timer := range m.live {
		timer.late = false
		m.live[h] = timer
	}
}

// left reports whether the open advance has timers to expire.
func (m *model) left() bool {
	for _, timer := range m.live {
		if !timer.late && timer.due <= m.now {
			return true
		}
	}
	return false
}

// expired checks that h is the right one to expire now, and takes it out.
func (m *model) expired(h Handle) (due uint64) {
	m.Helper()
	timer, ok := m.live[h]
	switch {
	case !ok:
		m.Fatalf("%#x expired, but is not set", uint64(h))
	case timer.late:
		m.Fatalf("%#x expired in the advance in which it was set for at once", uint64(h))
	case timer.due > m.now:
		m.Fatalf("%#x expired early: due %d at %d", uint64(h), timer.due, m.now)
	}
	for other, o := range m.live {
		if !o.late && o.due < timer.due {
			m.Fatalf("%#x, due %d, expired before %#x, due %d", uint64(h), timer.due, uint64(other), o.due)
		}
	}
	delete(m.live, h)
	return timer.due
}

func (m *model) clear(now uint64) {
	m.Helper()
	m.timers.Clear(now)
	m.now, m.open = now, false
	clear(m.live)
	m.check()
}

// check compares all that the structure tells with the map.
func (m *model) check() {
	m.Helper()
	if err := m.timers.verify(); err != nil {
		m.Fatalf("verify: %v", err)
	}
	if got := m.timers.Len(); got != len(m.live) {
		m.Fatalf("Len() = %d, want %d", got, len(m.live))
	}
	if got := m.timers.Now(); got != m.now {
		m.Fatalf("Now() = %d, want %d", got, m.now)
	}
	earliest := uint64(math.MaxUint64)
	for h, timer := range m.live {
		earliest = min(earliest, timer.due)
		if due, ok := m.timers.Due(h); !ok || due != timer.due {
			m.Fatalf("Due(%#x) = %d, %t, want %d, true", uint64(h), due, ok, timer.due)
		}
	}
	m.checkNext(earliest)
}

func (m *model) checkNext(earliest uint64) {
	m.Helper()
	next, ok := m.timers.Next()
	if ok != (len(m.live) > 0) {
		m.Fatalf("Next() = %d, %t with %d timers", next, ok, len(m.live))
	}
	if !ok {
		return
	}
	w, ok := m.timers.(interface{ nextMayBeEarly() bool })
	if next > earliest || next < earliest && !(ok && w.nextMayBeEarly()) {
		m.Fatalf("Next() = %d, but the earliest is due %d", next, earliest)
	}
	if next <= m.now && m.settled > 1 && !m.open && earliest > m.now {
		m.Fatalf("Next() = %d at %d, where Advance has been already; the earliest is due %d", next, m.now, earliest)
	}
}

// step does one random thing.
func (m *model) step(c choices) {
	m.Helper()
	switch c.upTo(9) {
	case 0, 1, 2:
		m.add(m.someTick(c))
	case 3:
		m.cancel(m.someHandle(c))
	case 4:
		m.reset(m.someHandle(c), m.someTick(c))
	case 5, 6:
		if next, ok := m.timers.Next(); ok {
			m.advance(next, m.someLimit(c), m.inside(c))
		}
	case 7, 8:
		m.advance(m.someTick(c), m.someLimit(c), m.inside(c))
	case 9:
		if c.upTo(9) == 0 {
			m.clear(m.someTick(c))
		}
	}
}

// inside returns an expire callback that does what callbacks do.
func (m *model) inside(c choices) func(Handle) {
	return func(h Handle) {
		switch c.upTo(7) {
		case 0:
			m.add(m.someTick(c))
		case 1:
			m.add(m.now)
		case 2:
			m.cancel(m.someHandle(c))
		case 3:
			m.reset(m.someHandle(c), m.someTick(c))
		case 4:
			m.cancel(h)
			m.reset(h, m.someTick(c))
		case 5:
			m.reset(h, m.now)
			m.cancel(h)
			m.reset(h, m.now)
		}
	}
}

func (m *model) someHandle(c choices) Handle {
	if len(m.handles) == 0 {
		return Handle(c.upTo(math.MaxUint64))
	}
	back := c.upTo(uint64(min(len(m.handles), 24)) - 1)
	return m.handles[len(m.handles)-1-int(back)]
}

// someLimit returns none, or a small one.
func (m *model) someLimit(c choices) int { return int(c.upTo(4)) - 1 }

// someTick returns a tick that is likely to hurt: beside the present, at the
// edges of levels and of the range, beside a tick that is in use.
func (m *model) someTick(c choices) uint64 {
	near := c.upTo(2) - 1 // one less, the same, one more
	switch c.upTo(6) {
	case 0:
		return m.now + near
	case 1:
		return m.now + c.upTo(200)
	case 2:
		return m.now + 1<<c.upTo(63) + near
	case 3:
		shift := c.upTo(63)
		return (m.now>>shift+1)<<shift + near
	case 4:
		return 1<<c.upTo(63) + near
	case 5:
		return m.someDue(c) + near
	default:
		return c.upTo(math.MaxUint64)
	}
}

func (m *model) someDue(c choices) uint64 {
	if due, ok := m.timers.Due(m.someHandle(c)); ok {
		return due
	}
	return m.now
}

// drain expires all that is left, to see that nothing was lost.
func (m *model) drain() {
	m.Helper()
	for advances := 0; len(m.live) > 0; advances++ {
		if advances == 2 { // the one that is open, and that of its late
			m.Fatalf("%d timers never expired", len(m.live))
		}
		for more := true; more; {
			more, _ = m.advance(math.MaxUint64, 3, nil)
		}
	}
}

func (m *model) sortedDues() []uint64 {
	dues := make([]uint64, 0, len(m.live))
	for _, timer := range m.live {
		dues = append(dues, timer.due)
	}
	slices.Sort(dues)
	return dues
}

// nextMayBeEarly tells the model that Next may be before the earliest due.
func (w *Hierarchical) nextMayBeEarly() bool { return true }

// worksInPieces tells the model that a limited advance may return more before it
// knows that there is more to expire, also in the small walks of the tests.
func (w *Hierarchical) worksInPieces() bool { return w.piece < cascadePiece }

func (t timer) String() string { return fmt.Sprintf("due %d, late %t", t.due, t.late) }
